//! Real expansions, compiled and run against a stand-in for the library, which writes down
//! what the builder is asked. Every scenario here is a test that fails when the calls are not
//! those of `expected_calls`, or when its site is not the line of its function.

use std::process::Command;
use std::time::Duration;

use perf_macros::scenario;

use self::library::{Result, Target, User};

mod library {
    use std::fmt::Debug;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};
    use std::time::Duration;

    pub(crate) type Result<T> = std::result::Result<T, String>;

    #[derive(Debug)]
    pub(crate) struct Target(pub(crate) &'static str);

    #[derive(Debug)]
    pub(crate) struct User {
        pub(crate) iterations: u32,
    }

    #[derive(Debug)]
    pub(crate) enum Client {
        Http1,
        Reqwest,
    }

    #[derive(Debug)]
    pub(crate) enum Metric {
        Cpu,
        Mean,
        Memory,
        P50,
        P90,
        P99,
        P999,
        Throughput,
    }

    pub(crate) struct Scenario {
        pub(crate) name: String,
        pub(crate) calls: Vec<String>,
    }

    macro_rules! written_down {
        ($($method:ident($value:ty))*) => {
            $(pub(crate) fn $method(self, value: $value) -> Self {
                self.write_down(stringify!($method), value)
            })*
        };
    }

    impl Scenario {
        pub(crate) fn new(name: impl Into<String>) -> Self {
            let (name, calls) = (name.into(), Vec::new());
            Self { name, calls }
        }

        written_down! {
            target(Target) get(&str) head(&str) post(&str) put(&str) patch(&str) delete(&str)
            options(&str) body(&str) expect_status(u16) expect_statuses([u16; 2]) requests(u64)
            concurrency(usize) warmup(u64) rounds(u32) timeout(Duration) keep_alive(bool)
            client(Client) error_budget(&str) renamed_from(&str) ungated(Metric)
        }

        pub(crate) fn header(self, name: &str, value: &str) -> Self {
            self.write_down("header", (name, value))
        }

        pub(crate) fn gate(self, metric: Metric, threshold: &str) -> Self {
            self.write_down("gate", (metric, threshold))
        }

        #[expect(
            clippy::needless_pass_by_value,
            reason = "it stands for the library's method"
        )]
        pub(crate) fn journey(self, iteration: impl AsyncFn(&mut User) -> Result<()>) -> Self {
            let mut user = User { iterations: 0 };
            let said = poll_once(iteration(&mut user));
            self.write_down("journey", (user, said))
        }

        fn write_down(mut self, method: &str, value: impl Debug) -> Self {
            self.calls.push(format!("{method} {value:?}"));
            self
        }
    }

    fn poll_once<T>(future: impl Future<Output = T>) -> Option<T> {
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => Some(value),
            Poll::Pending => None,
        }
    }

    pub(crate) mod macro_support {
        use super::Scenario;

        pub(crate) type Report = String;

        pub(crate) struct Site {
            pub(crate) package: &'static str,
            pub(crate) manifest_dir: &'static str,
            pub(crate) file: &'static str,
            pub(crate) line: u32,
            pub(crate) debug: bool,
        }

        pub(crate) fn scenario_name(module: &str, function: &str) -> String {
            format!("{module}::{function}")
        }

        #[expect(
            clippy::needless_pass_by_value,
            reason = "it stands for the library's function"
        )]
        pub(crate) fn run(scenario: Scenario, site: Site) -> Result<(), Report> {
            check_site(&site);
            let Scenario { name, calls } = scenario;
            let expected = crate::expected_calls(&name);
            if calls != expected {
                return Err(format!("{name}: {calls:#?} and not {expected:#?}"));
            }
            Ok(())
        }

        fn check_site(site: &Site) {
            let Site {
                package,
                manifest_dir,
                file,
                line,
                debug,
            } = site;
            let line = include_str!("stand_in.rs").lines().nth(*line as usize - 1);
            let has_name = |line: &str| line.contains("fn ") || line.contains("scenario_of!(");
            assert!(line.is_some_and(has_name), "{line:?}");
            assert_eq!(*package, "perf-macros");
            assert_eq!(*manifest_dir, env!("CARGO_MANIFEST_DIR"));
            assert!(file.ends_with("stand_in.rs"), "{file}");
            assert_eq!(*debug, cfg!(debug_assertions));
        }
    }
}

const EXPECTED_CALLS: [(&str, &[&str]); 10] = [
    (
        "stand_in::home",
        &["target Target(\"shop\")", "get \"/\"", "requests 1000"],
    ),
    (
        "everything",
        &[
            "target Target(\"shop\")",
            "post \"/cart\"",
            "header (\"accept\", \"text/html\")",
            "header (\"x-a\", \"b\")",
            "body \"name=value\"",
            "expect_statuses [200, 204]",
            "requests 5000",
            "concurrency 50",
            "warmup 100",
            "rounds 5",
            "timeout 500ms",
            "keep_alive false",
            "client Http1",
            "error_budget \"0.1%\"",
            "renamed_from \"start\"",
            "gate (Throughput, \"5%\")",
            "gate (P50, \"5.5 %\")",
            "gate (P90, \"10%\")",
            "gate (P99, \"20%\")",
            "gate (P999, \"50%\")",
            "ungated Mean",
            "gate (Cpu, \"5%\")",
            "ungated Memory",
        ],
    ),
    (
        "stand_in::inner::expressions",
        &[
            "target Target(\"inner\")",
            "head \"/inner\"",
            "expect_status 200",
            "requests 20",
            "timeout 3s",
            "client Reqwest",
        ],
    ),
    (
        "stand_in::checkout",
        &[
            "target Target(\"shop\")",
            "journey (User { iterations: 1 }, Some(Ok(())))",
            "requests 10",
        ],
    ),
    (
        "stand_in::inner::catalogue/c10",
        &[
            "target Target(\"inner\")",
            "put \"/inner\"",
            "body \"case\"",
            "requests 20",
            "concurrency 10",
        ],
    ),
    (
        "stand_in::inner::catalogue/c20",
        &[
            "target Target(\"inner\")",
            "put \"/inner\"",
            "body \"case\"",
            "requests 20",
            "concurrency 20",
        ],
    ),
    (
        "visits/c1",
        &[
            "target Target(\"shop\")",
            "journey (User { iterations: 1 }, Some(Ok(())))",
            "requests 10",
            "concurrency 1",
        ],
    ),
    (
        "stand_in::loop",
        &["target Target(\"shop\")", "patch \"/\"", "requests 1"],
    ),
    (
        "stand_in::preflight",
        &["target Target(\"shop\")", "options \"/\"", "requests 1"],
    ),
    (
        "stand_in::by_macro",
        &[
            "target Target(\"shop\")",
            "delete \"/x\"",
            "requests 7",
            "gate (Cpu, \"5%\")",
        ],
    ),
];

fn expected_calls(scenario: &str) -> &'static [&'static str] {
    let expected = EXPECTED_CALLS.iter().find(|(name, _)| *name == scenario);
    expected.map_or(&[], |(_, calls)| calls)
}

fn shop() -> Target {
    Target("shop")
}

/// The smallest scenario.
#[scenario(crate = self::library, requests = 1_000)]
fn home() -> Target {
    shop()
}

#[scenario(
    post = "/cart",
    headers("accept" = "text/html", "x-a" = "b"),
    body = "name=value",
    expect_status = [200, 204],
    requests = 5_000,
    concurrency = 50,
    warmup = 100,
    rounds = 5,
    timeout = "500ms",
    keep_alive = false,
    client = "http1",
    error_budget = "0.1%",
    name = "everything",
    renamed_from = "start",
    gate(
        throughput = "5%",
        p50 = "5.5 %",
        p90 = "10%",
        p99 = "20%",
        p999 = "50%",
        mean = "off",
        cpu = "5%",
        memory = "off",
    ),
    crate = library,
)]
pub(crate) fn everything() -> Target {
    shop()
}

#[scenario(crate = library, target = shop(), requests = 10)]
async fn checkout(user: &mut User) -> Result<()> {
    user.iterations += 1;
    Ok(())
}

#[scenario(crate = library, target = shop(), requests = 10, concurrency = [1], name = "visits")]
async fn journey_sweep(user: &mut User) -> Result<()> {
    user.iterations += 1;
    Ok(())
}

#[scenario(crate = library, patch = "/", requests = 1)]
#[expect(unused_variables, reason = "lint levels cover the function")]
fn r#loop() -> Target {
    let nobody_reads_this = 1;
    shop()
}

#[scenario(crate = library, options = "/", requests = 1)]
fn preflight() -> Target {
    shop()
}

#[scenario(crate = library, requests = 1)]
#[ignore = "would fail: nothing is expected of it"]
fn ignored() -> Target {
    shop()
}

#[scenario(crate = library, requests = 1, concurrency = [1])]
#[ignore = "would fail: nothing is expected of it"]
fn ignored_sweep() -> Target {
    shop()
}

#[scenario(crate = no_such_library, requests = 1, concurrency = [1])]
#[cfg(any())]
fn compiled_nowhere() -> Target {
    shop()
}

macro_rules! scenario_of {
    ($name:ident, $path:expr, $requests:literal, $cpu:literal) => {
        #[scenario(crate = library, delete = $path, requests = $requests, gate(cpu = $cpu))]
        fn $name() -> Target {
            shop()
        }
    };
}

scenario_of!(by_macro, "/x", 7, "5%");

mod inner {
    use super::*;

    const PATH: &str = "/inner";

    fn requests() -> u64 {
        20
    }

    fn case() -> &'static str {
        "case"
    }

    fn server() -> Target {
        Target("inner")
    }

    #[scenario(
        crate = super::library,
        head = PATH,
        expect_status = 100 + 100,
        requests = requests(),
        timeout = Duration::from_secs(3),
        client = "reqwest",
    )]
    fn expressions() -> Target {
        server()
    }

    #[scenario(
        crate = super::library,
        put = PATH,
        body = case(),
        requests = requests(),
        concurrency = [10, 20],
    )]
    pub(super) fn catalogue() -> Target {
        server()
    }
}

#[test]
fn a_swept_function_stays_callable() {
    assert_eq!(inner::catalogue().0, "inner");
}

#[test]
fn each_scenario_is_a_test_and_a_sweep_is_one_for_each_value() {
    let this_binary = std::env::current_exe().unwrap();
    let listed = Command::new(this_binary)
        .args(["--list", "--format", "terse"])
        .output()
        .unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let mut tests: Vec<_> = listed
        .lines()
        .filter_map(|line| line.strip_suffix(": test"))
        .collect();
    tests.sort_unstable();
    let expected = [
        "a_swept_function_stays_callable",
        "by_macro",
        "checkout",
        "each_scenario_is_a_test_and_a_sweep_is_one_for_each_value",
        "everything",
        "home",
        "ignored",
        "ignored_sweep::c1",
        "inner::catalogue::c10",
        "inner::catalogue::c20",
        "inner::expressions",
        "journey_sweep::c1",
        "preflight",
        "r#loop",
    ];
    assert_eq!(tests, expected);
}
