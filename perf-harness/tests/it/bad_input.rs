//! What a user reads who made a mistake: each test is a wrong scenario that is run again in a
//! process of its own, as cargo runs it, with a package and a machine of its own.

use std::env;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use perf_harness::baseline::{Project, accept};
use perf_harness::{Metric, Report, Scenario, Script, Scripted, Target};

type Told = Result<(), Report>;

/// Set in the process that makes the mistake.
const ROLE: &str = "PERF_HARNESS_TEST_CHILD";
const CLASS: &str = "bench";

/// A package of its own, in which a test of this module is run as a user's.
struct Shop {
    folder: tempfile::TempDir,
    test: &'static str,
    variables: Vec<(&'static str, String)>,
}

impl Shop {
    fn running(test: &'static str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let manifest =
            "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n";
        fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
        fs::create_dir(folder.path().join("src")).unwrap();
        fs::write(folder.path().join("src/lib.rs"), "").unwrap();
        Self {
            folder,
            test,
            variables: Vec::new(),
        }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn project(&self) -> Project {
        Project::at(self.path(), self.path().join("target"))
    }

    fn baseline(&self) -> PathBuf {
        self.path().join("baselines/bench/shop/perf/home.json")
    }

    fn with(mut self, variable: &'static str, value: impl Into<String>) -> Self {
        self.variables.push((variable, value.into()));
        self
    }

    /// Nothing of the environment of this test is left but what a program needs to start.
    fn output(&self) -> Output {
        let kept = [
            "PATH",
            "HOME",
            "CARGO",
            "CARGO_HOME",
            "RUSTUP_HOME",
            "RUSTUP_TOOLCHAIN",
        ];
        let kept = kept.map(|name| (name, env::var_os(name)));
        Command::new(env::current_exe().unwrap())
            .args(["--exact", &format!("bad_input::{}", self.test)])
            .env_clear()
            .envs(
                kept.into_iter()
                    .filter_map(|(name, value)| Some((name, value?))),
            )
            .env(ROLE, "1")
            .env("CARGO_MANIFEST_DIR", self.path())
            .env("CARGO_PKG_NAME", "shop")
            .env("PERF_STATE_DIR", self.path().join("state"))
            .env("PERF_MACHINE_CLASS", CLASS)
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .output()
            .unwrap()
    }

    /// What the failing test prints without `--nocapture`; nothing of it is printed twice.
    fn failure(&self) -> String {
        let output = self.output();
        assert_eq!(output.status.code(), Some(101), "{output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        let text = String::from_utf8(output.stdout).unwrap();
        let (_, said) = text
            .split_once("\nError: ")
            .unwrap_or_else(|| panic!("{text}"));
        let (said, _) = said
            .split_once("\n\n\nfailures:")
            .unwrap_or_else(|| panic!("{text}"));
        said.trim().to_owned()
    }

    /// A test that does not fail prints straight to standard error.
    fn success(&self) -> String {
        let output = self.output();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    }

    /// Runs the scenario and accepts what it measures.
    fn accepted(self) -> Self {
        assert!(self.success().contains("new  perf/home"));
        let pending = self.project().pending();
        let key = pending.keys().unwrap().remove(0);
        let session = pending.read(&key).unwrap().unwrap();
        let baseline = accept(session, None, None).unwrap();
        self.project().baselines().write(&baseline).unwrap();
        pending.remove(&key).unwrap();
        self
    }

    fn damage_baseline(&self, damage: impl FnOnce(&str) -> String) {
        let whole = fs::read_to_string(self.baseline()).unwrap();
        let damaged = damage(&whole);
        assert_ne!(damaged, whole);
        fs::write(self.baseline(), damaged).unwrap();
    }
}

fn is_child() -> bool {
    env::var_os(ROLE).is_some()
}

fn scenario(target: Target) -> Scenario {
    Scenario::new("perf/home").target(target).requests(1_000)
}

/// A program that does as the script says and listens nowhere.
fn shell(script: &str) -> Target {
    Target::process("/bin/sh").args(["-c", script])
}

/// A scenario that measures well on any machine.
fn steady() -> Scenario {
    let server = Target::in_process(|listener| async move {
        let _listener = listener;
        std::future::pending::<()>().await;
    });
    scenario(server).driver(Scripted::new(1, Script::default()))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn zero_requests() -> Told {
    if is_child() {
        return steady().requests(0).check();
    }
    let said = Shop::running("zero_requests").failure();
    assert_eq!(
        said,
        "the load has no requests: say how many with `requests`, at least 1, or for how long with `duration`"
    );
    Ok(())
}

#[test]
fn concurrency_above_requests() -> Told {
    if is_child() {
        return steady().requests(10).concurrency(20).check();
    }
    let said = Shop::running("concurrency_above_requests").failure();
    assert_eq!(
        said,
        "concurrency 20 is above requests 10: some connections would never be used; lower \
         `concurrency` or raise `requests`"
    );
    Ok(())
}

#[test]
fn bad_thresholds_are_all_named_at_once() -> Told {
    if is_child() {
        return steady()
            .gate(Metric::Throughput, "0.05")
            .gate(Metric::P50, "5")
            .gate(Metric::P90, "105%")
            .gate(Metric::P99, "-5%")
            .gate(Metric::Mean, "5.5 %")
            .check();
    }
    let said = Shop::running("bad_thresholds_are_all_named_at_once").failure();
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 5, "{said}");
    assert_eq!(lines[0], "4 mistakes:");
    for (line, part) in lines[1..].iter().zip([
        "gate on throughput: threshold \"0.05\" has no percent sign: write \"5%\"",
        "gate on p50: threshold \"5\" has no percent sign: write \"5%\"",
        "gate on p90: threshold \"105%\" is out of range: it is above 0% and below 100%",
        "gate on p99: threshold \"-5%\" is out of range: it is above 0% and below 100%",
    ]) {
        assert!(line.starts_with(&format!("  - {part}")), "{line}");
    }
    Ok(())
}

#[test]
fn a_single_bad_threshold_is_said_once() -> Told {
    if is_child() {
        return steady().gate(Metric::Throughput, "5").check();
    }
    let said = Shop::running("a_single_bad_threshold_is_said_once").failure();
    assert_eq!(
        said,
        "gate on throughput: threshold \"5\" has no percent sign: write \"5%\""
    );
    Ok(())
}

#[test]
fn an_unreachable_url() -> Told {
    if is_child() {
        return scenario(Target::url(env::var("SHOP_URL").unwrap())).check();
    }
    let closed = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let shop = Shop::running("an_unreachable_url").with("SHOP_URL", format!("http://{closed}"));
    assert_eq!(
        shop.failure(),
        format!(
            "no server answers at http://{closed}: a connection failed at {closed} (connection \
             refused); start the server first, or correct the URL"
        )
    );
    Ok(())
}

#[test]
fn a_process_that_exits_at_once() -> Told {
    if is_child() {
        let script = "echo cannot open shop.db; exit 3";
        return scenario(shell(script).port_env("PORT")).check();
    }
    let said = Shop::running("a_process_that_exits_at_once").failure();
    assert_eq!(
        said,
        "`sh` exited with status 3 before it was ready: check what it is started with \
         (arguments, environment, files); it wrote:\n  | cannot open shop.db"
    );
    Ok(())
}

#[test]
fn a_port_that_never_opens() -> Told {
    if is_child() {
        let target = shell("echo starting; exec sleep 600").port_env("PORT");
        return scenario(target.startup_timeout(Duration::from_millis(300))).check();
    }
    let said = Shop::running("a_port_that_never_opens").failure();
    assert!(
        said.starts_with("`sh` was not ready after 300ms: a connection at 127.0.0.1:"),
        "{said}"
    );
    assert!(
        said.ends_with(
            ": connection refused; check where it listens, or raise startup_timeout; it \
             wrote:\n  | starting"
        ),
        "{said}"
    );
    Ok(())
}

#[test]
fn a_program_that_is_not_built() -> Told {
    if is_child() {
        return scenario(Target::process("no/such/shop").port_env("PORT")).check();
    }
    let said = Shop::running("a_program_that_is_not_built").failure();
    assert_eq!(
        said,
        "the program `no/such/shop` is not found: write env!(\"CARGO_BIN_EXE_name\") for a \
         binary of this package, or the path of a built one"
    );
    Ok(())
}

#[test]
fn a_variable_that_means_nothing() -> Told {
    if is_child() {
        return steady().check();
    }
    let shop = Shop::running("a_variable_that_means_nothing").with("PERF_BASELINE", "on");
    assert_eq!(
        shop.failure(),
        "PERF_BASELINE=\"on\" means nothing: it is one of check, record, off"
    );
    Ok(())
}

/// The report of a baseline that cannot be used: the file and what is wrong with it, and how to go on.
fn refused_baseline(test: &'static str, damage: impl FnOnce(&str) -> String) -> String {
    let shop = Shop::running(test).accepted();
    shop.damage_baseline(damage);
    let said = shop.failure();
    assert!(said.starts_with("broken  perf/home"), "{said}");
    assert!(
        said.contains("\n  next: `cargo perf accept perf/home` "),
        "{said}"
    );
    let file = shop.baseline().display().to_string();
    let words = one_line(&said);
    assert_eq!(words.matches(&format!("why: {file} ")).count(), 1, "{said}");
    words.replace(&file, "FILE")
}

#[test]
fn a_baseline_that_is_cut() -> Told {
    if is_child() {
        return steady().check();
    }
    let said = refused_baseline("a_baseline_that_is_cut", |whole| {
        whole[..whole.len() / 2].to_owned()
    });
    assert!(
        said.contains("why: FILE is no whole baseline (EOF while parsing"),
        "{said}"
    );
    assert!(
        said.contains(
            "restore it with `git checkout -- FILE`, or accept a new measurement with \
             `cargo perf accept`"
        ),
        "{said}"
    );
    assert_eq!(said.matches("EOF while parsing").count(), 1, "{said}");
    Ok(())
}

#[test]
fn a_baseline_that_is_empty() -> Told {
    if is_child() {
        return steady().check();
    }
    let said = refused_baseline("a_baseline_that_is_empty", |_| String::new());
    assert!(
        said.contains("why: FILE is empty: restore it with `git checkout -- FILE`, or"),
        "{said}"
    );
    Ok(())
}

#[test]
fn a_baseline_of_a_newer_version() -> Told {
    if is_child() {
        return steady().check();
    }
    let said = refused_baseline("a_baseline_of_a_newer_version", |whole| {
        whole.replace("\"schema\": 1", "\"schema\": 2")
    });
    assert!(
        said.contains(
            "why: FILE has schema 2, this version knows up to 1: update perf-harness with \
             `cargo update -p perf-harness`"
        ),
        "{said}"
    );
    Ok(())
}

#[test]
fn a_baseline_with_conflict_markers() -> Told {
    if is_child() {
        return steady().check();
    }
    let said = refused_baseline("a_baseline_with_conflict_markers", |whole| {
        let markers = "<<<<<<< HEAD\n=======\n>>>>>>> main\n  \"schema\"";
        whole.replacen("  \"schema\"", markers, 1)
    });
    assert!(
        said.contains(
            "why: FILE holds conflict markers: take one side with `git checkout --ours -- FILE`, \
             or accept a new measurement with `cargo perf accept`"
        ),
        "{said}"
    );
    Ok(())
}

#[test]
fn a_baseline_with_nan() -> Told {
    if is_child() {
        return steady().check();
    }
    let said = refused_baseline("a_baseline_with_nan", |whole| {
        let (before, rest) = whole.rsplit_once("\"throughput\": ").unwrap();
        let after = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        format!("{before}\"throughput\": NaN{after}")
    });
    assert!(
        said.contains("why: FILE is no whole baseline (expected value at line "),
        "{said}"
    );
    Ok(())
}

#[test]
fn a_baseline_of_another_load() -> Told {
    if is_child() {
        let requests = env::var("SHOP_REQUESTS").unwrap().parse().unwrap();
        return steady().requests(requests).check();
    }
    let shop = Shop::running("a_baseline_of_another_load").with("SHOP_REQUESTS", "1000");
    let shop = shop.accepted();
    let said = shop.with("SHOP_REQUESTS", "2000").success();
    assert!(said.contains("incomparable  perf/home"), "{said}");
    assert!(
        said.contains("why: requests: 1000 in the baseline, 2000 now"),
        "{said}"
    );
    assert!(
        said.contains("next: `cargo perf accept perf/home` "),
        "{said}"
    );
    Ok(())
}

#[test]
fn a_baseline_of_another_machine() -> Told {
    if is_child() {
        return steady().check();
    }
    let shop = Shop::running("a_baseline_of_another_machine").accepted();
    let said = shop.with("PERF_MACHINE_CLASS", "laptop").success();
    assert!(said.contains("incomparable  perf/home"), "{said}");
    assert!(
        said.contains("why: machine class: bench in the baseline, laptop now"),
        "{said}"
    );
    assert!(
        said.contains("next: `cargo perf accept perf/home` "),
        "{said}"
    );
    Ok(())
}

#[cfg(feature = "containers")]
mod containers {
    use super::*;

    /// No Docker engine listens where `DOCKER_HOST` points to.
    fn without_docker(test: &'static str) -> Shop {
        let closed = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap();
        Shop::running(test).with("DOCKER_HOST", format!("tcp://{closed}"))
    }

    #[test]
    fn docker_that_does_not_run_is_a_skip_with_its_reason() -> Told {
        if is_child() {
            return scenario(Target::container("shop:1").port(80)).check();
        }
        let said = without_docker("containers::docker_that_does_not_run_is_a_skip_with_its_reason")
            .success();
        let said = one_line(&said);
        assert!(said.starts_with("skipped perf/home"), "{said}");
        assert!(
            said.contains("the Docker engine at DOCKER_HOST=tcp://127.0.0.1:"),
            "{said}"
        );
        assert!(said.contains("start it, or set DOCKER_HOST"), "{said}");
        Ok(())
    }

    #[test]
    fn docker_that_is_required_and_does_not_run() -> Told {
        if is_child() {
            return scenario(Target::container("shop:1").port(80)).check();
        }
        let shop = without_docker("containers::docker_that_is_required_and_does_not_run");
        let said = shop.with("PERF_REQUIRE_DOCKER", "1").failure();
        assert!(
            said.starts_with("the Docker engine at DOCKER_HOST=tcp://127.0.0.1:"),
            "{said}"
        );
        assert!(
            said.ends_with("start it, or set DOCKER_HOST to the address of one that runs"),
            "{said}"
        );
        Ok(())
    }
}
