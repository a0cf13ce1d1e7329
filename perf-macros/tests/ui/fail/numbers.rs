use perf_macros::scenario;

struct Target;

#[scenario(requests = 0, rounds = 0, concurrency = -1)]
fn below_one() -> Target {
    Target
}

#[scenario(requests = 100, concurrency = 101)]
fn more_connections_than_requests() -> Target {
    Target
}

fn main() {}
