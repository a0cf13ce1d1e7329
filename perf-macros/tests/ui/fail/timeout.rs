use perf_macros::scenario;

struct Target;

#[scenario(requests = 100, timeout = 5)]
fn no_unit() -> Target {
    Target
}

#[scenario(requests = 100, timeout = "1.5h")]
fn unknown_unit() -> Target {
    Target
}

#[scenario(requests = 100, timeout = "0s")]
fn nothing() -> Target {
    Target
}

fn main() {}
