use perf_macros::scenario;

struct Target;

#[scenario(requests = 100)]
struct Shop;

#[scenario(requests = 100)]
mod shop {}

fn main() {}
