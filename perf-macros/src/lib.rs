//! The attribute macro of perf-harness, which re-exports it: depend on `perf-harness`, not on
//! this crate. The macro has no power that the library's builder lacks.

mod args;
mod builder;
mod check;
mod entries;
mod errors;
mod expand;
mod function;
mod gate;
#[cfg(test)]
mod tests;
mod value;

/// Makes a performance test of a function.
///
/// Under `cargo test` the scenario starts its target, sends it a load, compares throughput,
/// latency and cost with the accepted baseline, and fails when one of them is worse than its
/// threshold allows. A debug build only tries the scenario with a few requests.
///
/// # A load of equal requests
///
/// The function takes nothing and returns the target; the attribute says the load and the gate.
///
/// ```ignore
/// use perf_harness::{Target, scenario};
///
/// #[scenario(get = "/", requests = 10_000, concurrency = 50, gate(throughput = "5%", p99 = "20%"))]
/// fn home() -> Target {
///     Target::process(env!("CARGO_BIN_EXE_shop")).port_env("PORT")
/// }
/// ```
///
/// # A sweep
///
/// A list of connections makes one test of each, with a baseline of its own: here
/// `catalogue::c100` and `catalogue::c200`. The function stays callable beside a module of the
/// same name.
///
/// ```ignore
/// #[scenario(get = "/catalogue", requests = 2_000, concurrency = [100, 200])]
/// fn catalogue() -> Target {
///     shop()
/// }
/// ```
///
/// # A journey
///
/// An async function that takes a user is one iteration of the load, and may do whatever async
/// code can. The attribute names the target.
///
/// ```ignore
/// use perf_harness::{Result, User, scenario};
///
/// #[scenario(target = shop(), requests = 2_000, concurrency = 20)]
/// async fn checkout(user: &mut User) -> Result<()> {
///     user.get("/cart").await?.expect_status(200)?;
///     user.post("/pay").await?.expect_status(201)?;
///     Ok(())
/// }
/// ```
///
/// # Arguments
///
/// A value is any expression unless the table says otherwise. Every argument is the builder
/// method of the same name, where its meaning and default are documented.
///
/// | argument | meaning |
/// |---|---|
/// | `requests = 10_000` | how many requests, or iterations, one round measures; required without `duration` |
/// | `duration = "10s"` | how long a round sends; with `requests` whichever ends first |
/// | `rate = 2_000` | requests a second, whatever the server does; by default as replies come |
/// | `arrivals = "poisson"` | how those of a `rate` lie in time; by default `"constant"` |
/// | `stages("10s" = 500)` | how the `rate` changes: a time, and the rate at its end |
/// | `ramp_up = "2s"` | over how long the connections are opened |
/// | `deadline = "2m"` | how long a whole round may take |
/// | `seed = 7` | where everything random starts |
/// | `http = "2"` | the version of HTTP; of a load with `client = "reqwest"` |
/// | `redirects = 3` | how many redirects are followed; of a load with `client = "reqwest"` |
/// | `cookies = true` | whether cookies are kept; of a load with `client = "reqwest"` |
/// | `ca_file = "tests/ca.pem"` | the authorities that are trusted, in place of the system's |
/// | `insecure = true` | trusts any certificate |
/// | `concurrency = 50` | how many connections are open at once; `[10, 20]` is a sweep |
/// | `warmup = 100` | how many requests go before the measured ones |
/// | `rounds = 5` | how often the target is started afresh and measured |
/// | `timeout = "5s"` | the patience with one request: `ms`, `s`, `m`, or a `Duration` |
/// | `error_budget = "0.1%"` | the share of requests that may fail; none by default |
/// | `gate(p99 = "20%", cpu = "off")` | how much worse a metric may become, above 0% and below 100%, or `"off"`; for `throughput`, `mean`, `p50`, `p90`, `p99`, `p999`, `cpu`, `memory` |
/// | `name = "home"` | the name of the scenario and its baseline, in place of the function's path |
/// | `renamed_from = "start"` | the name under which the baseline was accepted before |
/// | `crate = perf_harness` | the path of the library, when it was renamed or re-exported |
///
/// Of a load of equal requests only:
///
/// | argument | meaning |
/// |---|---|
/// | `get = "/"` | the method and the path; also `head`, `post`, `put`, `patch`, `delete`, `options`; by default `get = "/"` |
/// | `headers("accept" = "text/html")` | headers of every request |
/// | `body = "name=value"` | the body, not with `get` and `head` |
/// | `expect_status = 200` | which status is a success; also a list, `[200, 204]` |
/// | `body_file = "order.json"` | a file that is the body |
/// | `expect_length = 1_024` | the bytes of a good body |
/// | `expect_sha256 = DIGEST` | the SHA-256 of a good body |
/// | `expect_contains = "total"` | what a good body holds |
/// | `values("id" = 1..=1000)` | what stands for `{id}` in the path: a list or a range |
/// | `threads = 2` | threads of the engine |
/// | `keep_alive = false` | whether a connection carries more than one request |
/// | `client = "http1"` | what sends the requests; also `"reqwest"` |
///
/// Of a journey only:
///
/// | argument | meaning |
/// |---|---|
/// | `target = shop()` | the target; required |
///
/// Several requests and code that checks bodies are left to the builder.
///
/// A 99th percentile is gated from 500 requests a round on and `p999` from 5000: with fewer it
/// is the luck of one request, and the macro refuses it where both are literals.
///
/// # Attributes beside it
///
/// `#[ignore]`, `#[cfg(..)]`, documentation and lint levels work as on any test. `#[test]` is
/// not needed, and `#[should_panic]` has no meaning because a scenario fails by its verdict.
#[proc_macro_attribute]
pub fn scenario(
    attribute: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    expand::scenario(attribute.into(), &item.into()).into()
}
