use perf_macros::scenario;

struct Target;

struct User;

#[scenario(
    target = Target,
    requests = 100,
    get = "/",
    headers("accept" = "text/html"),
    body = "x",
    expect_status = 200,
    keep_alive = true,
    client = "http1",
)]
async fn journey(_user: &mut User) -> Result<(), ()> {
    Ok(())
}

fn main() {}
