use perf_macros::scenario;

struct Target;

#[scenario(requests = 100, concurrency = [10, 200, 0, many(), 10])]
fn values() -> Target {
    Target
}

#[scenario(requests = 100, concurrency = [10, 200])]
fn more_connections_than_requests() -> Target {
    Target
}

#[scenario(requests = 100, concurrency = [])]
fn empty() -> Target {
    Target
}

#[scenario(requests = 100, concurrency = [10; 3])]
fn repeated() -> Target {
    Target
}

fn main() {}
