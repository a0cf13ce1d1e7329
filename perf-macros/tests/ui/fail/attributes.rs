use perf_macros::scenario;

struct Target;

#[scenario(requests = 100)]
#[test]
fn test_twice() -> Target {
    Target
}

#[scenario(requests = 100)]
#[scenario(requests = 200)]
fn scenario_twice() -> Target {
    Target
}

#[scenario(requests = 100)]
#[should_panic(expected = "regressed")]
fn panics() -> Target {
    Target
}

fn main() {}
