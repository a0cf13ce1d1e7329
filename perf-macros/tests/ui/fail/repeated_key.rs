use perf_macros::scenario;

struct Target;

#[scenario(requests = 100, get = "/", requests = 200)]
fn key() -> Target {
    Target
}

#[scenario(requests = 1_000, gate(cpu = "5%", cpu = "10%"))]
fn metric() -> Target {
    Target
}

fn main() {}
