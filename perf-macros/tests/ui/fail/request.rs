use perf_macros::scenario;

struct Target;

#[scenario(get = "/", post = "/cart", requests = 100)]
fn two_methods() -> Target {
    Target
}

#[scenario(get = "cart", requests = 100)]
fn path_without_its_slash() -> Target {
    Target
}

#[scenario(head = "/", body = "x", requests = 100)]
fn body_of_head() -> Target {
    Target
}

#[scenario(body = "x", requests = 100)]
fn body_without_a_method() -> Target {
    Target
}

#[scenario(client = "hyper", requests = 100)]
fn unknown_client() -> Target {
    Target
}

fn main() {}
