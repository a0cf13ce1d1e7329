use perf_macros::scenario;

struct Target;

#[scenario(get = "cart", request = 100, timeout = 5, gate(p99 = "0.2", p95 = "5%"), rounds = 0)]
pub async fn home() {}

fn main() {}
