use perf_macros::scenario;

struct Target;

#[scenario(requests)]
fn no_value() -> Target {
    Target
}

#[scenario(requests = , get = "/")]
fn nothing_after_the_sign() -> Target {
    Target
}

#[scenario(requests(100))]
fn parentheses() -> Target {
    Target
}

#[scenario(requests = 1_000, gate = "5%")]
fn no_list() -> Target {
    Target
}

#[scenario(get = "/" requests = 100)]
fn no_comma() -> Target {
    Target
}

#[scenario(get = "/", requests = 100 +)]
fn half_an_expression() -> Target {
    Target
}

fn main() {}
