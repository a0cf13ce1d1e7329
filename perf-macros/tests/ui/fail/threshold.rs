use perf_macros::scenario;

struct Target;

#[scenario(requests = 1_000, gate(throughput = "5", p99 = "0.05", cpu = 5%, memory = 0.1))]
fn no_sign_or_no_quotes() -> Target {
    Target
}

#[scenario(requests = 1_000, gate(throughput = "105%", p50 = "-5%", p90 = "0%", p99 = "NaN%"))]
fn out_of_range() -> Target {
    Target
}

#[scenario(requests = 1_000, gate(p95 = "5%", p99, "5%"))]
fn not_a_metric() -> Target {
    Target
}

#[scenario(requests = 1_000, error_budget = "1", gate(cpu = "5%"))]
fn error_budget() -> Target {
    Target
}

fn main() {}
