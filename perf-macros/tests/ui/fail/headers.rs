use perf_macros::scenario;

struct Target;

#[scenario(requests = 100, headers("content type" = "text/html", "accept", "" = "x"))]
fn names() -> Target {
    Target
}

#[scenario(requests = 100, headers("accept": "text/html"))]
fn colon() -> Target {
    Target
}

fn main() {}
