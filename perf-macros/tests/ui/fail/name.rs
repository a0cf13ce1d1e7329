use perf_macros::scenario;

struct Target;

#[scenario(requests = 100, name = concat!("a", "b"))]
fn not_a_literal() -> Target {
    Target
}

#[scenario(requests = 100, renamed_from = "")]
fn empty() -> Target {
    Target
}

#[scenario(requests = 100, crate = "perf_harness")]
fn library_in_quotes() -> Target {
    Target
}

fn main() {}
