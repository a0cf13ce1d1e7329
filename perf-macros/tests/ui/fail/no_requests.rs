use perf_macros::scenario;

struct Target;

#[scenario]
fn bare() -> Target {
    Target
}

#[scenario(get = "/", concurrency = 10)]
fn without() -> Target {
    Target
}

fn main() {}
