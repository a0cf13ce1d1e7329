use perf_macros::scenario;

struct Target;

#[scenario(requests = 100, expect_status = 20)]
fn too_small() -> Target {
    Target
}

#[scenario(requests = 100, expect_status = [200, 600, "204"])]
fn in_a_list() -> Target {
    Target
}

#[scenario(requests = 100, expect_status = [])]
fn none() -> Target {
    Target
}

fn main() {}
