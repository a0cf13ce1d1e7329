use perf_macros::scenario;

struct Target;

#[scenario(requests = 100, gate(p90 = "10%", p99 = "20%"))]
fn p99() -> Target {
    Target
}

#[scenario(requests = 1_000, gate(p99 = "20%", p999 = "50%"))]
fn p999() -> Target {
    Target
}

fn main() {}
