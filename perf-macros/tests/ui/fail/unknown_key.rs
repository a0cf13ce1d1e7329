use perf_macros::scenario;

struct Target;

#[scenario(get = "/", request = 100)]
fn misspelled() -> Target {
    Target
}

#[scenario(requests = 100, 5, lifetime = Duration::from_secs(1))]
fn not_a_key() -> Target {
    Target
}

fn main() {}
