use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;

use super::*;
use crate::baseline::{Base, Project, Store, accept};
use crate::driver::{Script, Scripted};
use crate::gate::Finding;
use crate::host::MachineClass;
use crate::report;
use crate::sample::Metric;
use crate::target::Target;

/// A cargo package in a folder of its own, with git, and a scenario on a scripted server.
struct Workshop {
    folder: TempDir,
    settings: Settings,
    debug: bool,
    requests: u64,
}

impl Workshop {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let manifest =
            "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n";
        fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
        fs::create_dir(folder.path().join("src")).unwrap();
        fs::write(folder.path().join("src/lib.rs"), "").unwrap();
        let workshop = Self {
            folder,
            settings: Settings {
                mode: Mode::Check,
                reported_only: false,
                docker_required: false,
                base: None,
                attempt: None,
                class: MachineClass::named("bench"),
            },
            debug: false,
            requests: 1_000,
        };
        workshop.git(&["init", "--quiet", "--initial-branch=main"]);
        workshop
    }

    fn git(&self, arguments: &[&str]) {
        let identity = [
            "-c",
            "user.name=x",
            "-c",
            "user.email=x@example.org",
            "-c",
            "commit.gpgsign=false",
        ];
        let git = Command::new("git")
            .current_dir(self.path())
            .args(identity)
            .args(arguments)
            .output()
            .unwrap();
        assert!(
            git.status.success(),
            "{}",
            String::from_utf8_lossy(&git.stderr)
        );
    }

    fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message=x"]);
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn project(&self) -> Project {
        Project::at(self.path(), self.path().join("target"))
    }

    fn site(&self) -> Site {
        Site {
            package: "shop".to_owned(),
            manifest_dir: self.path().to_owned(),
            place: Place {
                file: "tests/perf.rs".to_owned(),
                line: 7,
            },
            debug: self.debug,
        }
    }

    fn scenario(&self, script: Script) -> Scenario {
        Scenario::new("perf/home")
            .target(Target::in_process(|listener| async move {
                let _listener = listener;
                std::future::pending::<()>().await;
            }))
            .requests(self.requests)
            .driver(Scripted::new(1, script))
    }

    fn try_run(&self, script: Script) -> Result<Outcome, Error> {
        run_with(
            self.scenario(script),
            &self.site(),
            self.settings.clone(),
            &mut Silent,
        )
    }

    fn run(&self, script: Script) -> Outcome {
        self.try_run(script).unwrap()
    }

    fn verdict(&self, script: Script) -> Verdict {
        self.run(script).judgement.verdict
    }

    /// What `cargo perf accept` does with the only pending file.
    fn accept(&self, reason: Option<&str>) {
        let (pending, baselines) = (self.project().pending(), self.project().baselines());
        let key = pending.keys().unwrap().remove(0);
        let session = pending.read(&key).unwrap().unwrap();
        let present = baselines.read(&key).unwrap_or_default();
        baselines
            .write(&accept(session, present.as_ref(), reason).unwrap())
            .unwrap();
        pending.remove(&key).unwrap();
    }

    fn accepted(script: Script) -> Self {
        let workshop = Self::new();
        workshop.run(script);
        workshop.accept(None);
        workshop
    }

    fn store(&self) -> Store {
        self.project().baselines()
    }
}

fn steady() -> Script {
    Script::default()
}

fn slower(factor: f64) -> Script {
    let mut script = steady();
    script.slowdowns = vec![factor];
    script
}

#[test]
fn a_scenario_goes_from_new_over_pass_to_regressed_and_is_accepted_with_a_reason() {
    let workshop = Workshop::new();
    assert_eq!(workshop.verdict(steady()), Verdict::New);
    workshop.accept(None);
    assert_eq!(workshop.verdict(steady()), Verdict::Pass);
    let outcome = workshop.run(slower(1.2));
    assert_eq!(outcome.judgement.verdict, Verdict::Regressed);
    assert!(outcome.fails());
    assert_eq!(
        outcome.session.unwrap().rounds.len(),
        10,
        "a breach is measured again"
    );
    workshop.accept(Some("checks signatures"));
    assert_eq!(workshop.verdict(slower(1.2)), Verdict::Pass);
}

fn run(workshop: &Workshop, scenario: Scenario) -> Outcome {
    let (site, settings) = (workshop.site(), workshop.settings.clone());
    run_with(scenario, &site, settings, &mut Silent).unwrap()
}

/// The scenario, but ended by time.
fn for_a_tenth_of_a_second(workshop: &Workshop, script: Script) -> Scenario {
    let scenario = workshop.scenario(script).requests(0);
    scenario.duration(Duration::from_millis(100))
}

#[test]
fn a_load_that_time_ends_is_gated_whatever_it_sent() {
    let workshop = Workshop::new();
    let verdict = |script| {
        let scenario = for_a_tenth_of_a_second(&workshop, script);
        run(&workshop, scenario).judgement.verdict
    };
    assert_eq!(verdict(steady()), Verdict::New);
    workshop.accept(None);
    assert_eq!(verdict(steady()), Verdict::Pass);
    assert_eq!(verdict(slower(1.5)), Verdict::Regressed);
}

#[test]
fn a_load_with_both_may_send_fewer_than_its_requests_by_the_end_of_its_time() {
    let workshop = Workshop::new();
    let scenario = for_a_tenth_of_a_second(&workshop, steady()).requests(50_000);
    let outcome = run(&workshop, scenario);
    assert_eq!(outcome.judgement.verdict, Verdict::New);
    let shown = report::console::scenario(&outcome, report::Style::Plain);
    assert!(
        shown.contains("5 rounds of 0.1 s, 10 connections"),
        "{shown}"
    );
}

#[test]
fn a_load_that_the_deadline_cut_is_broken_and_leaves_nothing_to_accept() {
    let workshop = Workshop::accepted(steady());
    let scenario = workshop
        .scenario(slower(0.5))
        .deadline(Duration::from_millis(20));
    let outcome = run(&workshop, scenario);
    assert_eq!(outcome.judgement.verdict, Verdict::Broken);
    let shown = report::console::scenario(&outcome, report::Style::Plain);
    assert!(
        shown.contains("the deadline of 20ms came before the load was done, in 5 rounds"),
        "{shown}"
    );
    assert_eq!(workshop.project().pending().keys().unwrap(), []);
}

#[test]
fn a_missed_rate_is_told_in_the_report_and_with_the_session() {
    let workshop = Workshop::new();
    let outcome = run(&workshop, workshop.scenario(steady()).rate(20_000));
    let session = outcome.session.as_ref().unwrap();
    assert_eq!(session.warnings, ["rate_missed"]);
    let shown = report::console::scenario(&outcome, report::Style::Plain);
    assert!(
        shown.contains("5 rounds of 1,000 requests at 20,000/s"),
        "{shown}"
    );
    assert!(
        shown.contains("open loop: 20,000/s asked, 10,003/s sent (0.500)"),
        "{shown}"
    );
    let kept = run(&workshop, workshop.scenario(steady()).rate(5_000));
    assert_eq!(kept.warnings, []);
}

#[test]
fn a_round_in_time_is_in_the_outcome_alone() {
    let workshop = Workshop::new();
    let outcome = workshop.run(steady());
    assert_eq!(outcome.rounds.len(), 5);
    let replies = outcome.rounds[0]
        .series
        .intervals
        .iter()
        .map(|interval| interval.ok);
    assert_eq!(replies.sum::<u64>(), 1_000);
    let read = |path: &Path| fs::read_to_string(path).unwrap();
    let written = workshop
        .project()
        .outcomes()
        .join("bench/shop/perf/home.json");
    let series = "\"series\": [{\"ok\": ";
    assert_eq!(
        read(&written).matches(series).count(),
        5,
        "a series on a line"
    );
    assert_eq!(report::json::from_text(&read(&written)).unwrap(), outcome);
    assert!(!read(outcome.pending.as_ref().unwrap()).contains("series"));
    workshop.accept(None);
    let baseline = workshop.store().path(&workshop.store().keys().unwrap()[0]);
    assert!(!read(&baseline).contains("series"));
}

#[test]
fn a_run_never_writes_into_the_baselines() {
    let workshop = Workshop::accepted(steady());
    let path = workshop.store().path(&workshop.store().keys().unwrap()[0]);
    let before = fs::read(&path).unwrap();
    workshop.run(slower(1.5));
    workshop.run(slower(0.5));
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn the_same_input_gives_the_same_verdict_and_the_same_files() {
    let left = |workshop: &Workshop| {
        let outcome = workshop.run(slower(1.2));
        fs::read_to_string(outcome.pending.unwrap()).unwrap()
    };
    let (one, two) = (Workshop::accepted(steady()), Workshop::accepted(steady()));
    assert_eq!(left(&one), left(&two));
}

#[test]
fn a_faster_server_is_improved() {
    assert_eq!(
        Workshop::accepted(steady()).verdict(slower(0.8)),
        Verdict::Improved
    );
}

#[test]
fn a_single_slow_session_start_is_not_regressed() {
    let workshop = Workshop::accepted(steady());
    let mut script = steady();
    script.slowdowns = vec![1.3, 1.3, 1.3, 1.0];
    let verdict = workshop.verdict(script);
    assert_ne!(verdict, Verdict::Regressed);
}

#[test]
fn noise_is_inconclusive() {
    let mut noisy = steady();
    noisy.spread = 0.4;
    let workshop = Workshop::accepted(noisy.clone());
    assert_eq!(workshop.verdict(noisy), Verdict::Inconclusive);
}

#[test]
fn another_load_is_incomparable_and_the_field_is_named() {
    let mut workshop = Workshop::accepted(steady());
    workshop.requests = 2_000;
    let outcome = workshop.run(slower(3.0));
    assert_eq!(outcome.judgement.verdict, Verdict::Incomparable);
    let text = format!("{:?}", outcome.judgement.findings);
    assert!(text.contains("requests"), "{text}");
    assert!(!outcome.fails());
}

#[test]
fn numbers_of_another_machine_are_incomparable() {
    let mut workshop = Workshop::accepted(steady());
    workshop.settings.class = MachineClass::named("other");
    let outcome = workshop.run(slower(3.0));
    assert_eq!(outcome.judgement.verdict, Verdict::Incomparable);
    assert!(
        outcome.judgement.findings[0]
            .to_string()
            .contains("machine class: bench")
    );
}

#[test]
fn failing_requests_are_broken_and_leave_nothing_to_accept() {
    let workshop = Workshop::accepted(steady());
    let mut failing = slower(0.2);
    failing.failing = 0.01;
    let outcome = workshop.run(failing);
    assert_eq!(outcome.judgement.verdict, Verdict::Broken);
    assert!(
        outcome.judgement.findings[0]
            .to_string()
            .contains("status 500")
    );
    assert_eq!(outcome.pending, None);
    assert_eq!(workshop.project().pending().keys().unwrap(), []);
}

#[test]
fn a_baseline_that_cannot_be_used_is_broken_and_can_be_replaced() {
    let workshop = Workshop::accepted(steady());
    let path = workshop.store().path(&workshop.store().keys().unwrap()[0]);
    let whole = fs::read_to_string(&path).unwrap();
    fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let outcome = workshop.run(steady());
    assert_eq!(outcome.judgement.verdict, Verdict::Broken);
    assert!(
        outcome.judgement.findings[0]
            .to_string()
            .contains("home.json")
    );
    workshop.accept(None);
    assert_eq!(workshop.verdict(steady()), Verdict::Pass);
}

#[test]
fn a_removed_baseline_is_missing() {
    let workshop = Workshop::accepted(steady());
    workshop.commit();
    fs::remove_file(workshop.store().path(&workshop.store().keys().unwrap()[0])).unwrap();
    let outcome = workshop.run(steady());
    assert_eq!(outcome.judgement.verdict, Verdict::Missing);
    assert!(outcome.fails());
}

#[test]
fn a_debug_build_compares_nothing_but_still_checks_replies() {
    let mut workshop = Workshop::accepted(steady());
    workshop.debug = true;
    let outcome = workshop.run(slower(5.0));
    assert_eq!(outcome.judgement.verdict, Verdict::NotGated);
    assert!(outcome.judgement.findings.contains(&Finding::DebugBuild));
    assert_eq!(outcome.session.unwrap().rounds[0].sent, 100);
    let mut failing = steady();
    failing.failing = 0.1;
    assert_eq!(workshop.verdict(failing), Verdict::Broken);
}

#[test]
fn recording_judges_nothing_and_leaves_a_session() {
    let mut workshop = Workshop::accepted(steady());
    workshop.settings.mode = Mode::Record;
    let outcome = workshop.run(slower(2.0));
    assert_eq!(outcome.judgement.verdict, Verdict::NotGated);
    assert!(outcome.pending.is_some());
}

#[test]
fn switched_off_leaves_nothing() {
    let mut workshop = Workshop::accepted(steady());
    workshop.settings.mode = Mode::Off;
    let outcome = workshop.run(slower(2.0));
    assert_eq!(
        (outcome.judgement.verdict, outcome.pending),
        (Verdict::NotGated, None)
    );
}

#[test]
fn a_reported_regression_stays_regressed_but_does_not_fail() {
    let mut workshop = Workshop::accepted(steady());
    workshop.settings.reported_only = true;
    let outcome = workshop.run(slower(1.3));
    assert_eq!(outcome.judgement.verdict, Verdict::Regressed);
    assert!(!outcome.fails());
}

#[test]
fn a_baseline_edited_in_the_change_does_not_excuse_it() {
    let mut workshop = Workshop::accepted(steady());
    workshop.commit();
    workshop.settings.base = Some(Base::Named("HEAD".to_owned()));
    workshop.settings.mode = Mode::Record;
    workshop.run(slower(1.5));
    workshop.settings.mode = Mode::Check;
    let key = workshop.store().keys().unwrap().remove(0);
    let mut own = workshop.store().read(&key).unwrap().unwrap();
    own.sessions = vec![
        workshop
            .project()
            .pending()
            .read(&key)
            .unwrap()
            .unwrap()
            .session,
    ];
    workshop.store().write(&own).unwrap();
    let outcome = workshop.run(slower(1.5));
    assert_eq!(outcome.judgement.verdict, Verdict::Regressed);
    assert!(matches!(
        outcome.judgement.findings[0],
        Finding::BaselineChanged { .. }
    ));
}

#[test]
fn a_change_accepted_with_a_reason_passes_and_is_told_first() {
    let mut workshop = Workshop::accepted(steady());
    workshop.commit();
    workshop.settings.base = Some(Base::Named("HEAD".to_owned()));
    workshop.run(slower(1.5));
    workshop.accept(Some("encrypts at rest"));
    let outcome = workshop.run(slower(1.5));
    assert_eq!(outcome.judgement.verdict, Verdict::Pass);
    assert!(
        outcome.judgement.findings[0]
            .to_string()
            .contains("encrypts at rest")
    );
}

#[test]
fn a_base_that_is_not_in_the_checkout_is_an_error_and_no_pass() {
    let mut workshop = Workshop::accepted(steady());
    workshop.commit();
    workshop.settings.base = Some(Base::OfMerge);
    let message = workshop.try_run(steady()).unwrap_err().to_string();
    assert!(message.contains("fetch-depth: 2"), "{message}");
}

#[test]
fn a_pull_request_that_is_not_checked_out_as_a_merge_is_an_error() {
    let mut workshop = Workshop::accepted(steady());
    workshop.commit();
    workshop.git(&["commit", "--quiet", "--allow-empty", "--message=y"]);
    workshop.settings.base = Some(Base::OfMerge);
    let message = workshop.try_run(steady()).unwrap_err().to_string();
    assert!(message.contains("merge commit"), "{message}");
}

#[test]
fn a_load_edited_into_the_baseline_does_not_make_it_incomparable() {
    let mut workshop = Workshop::accepted(steady());
    workshop.commit();
    workshop.settings.base = Some(Base::Named("HEAD".to_owned()));
    let path = workshop.store().path(&workshop.store().keys().unwrap()[0]);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(
        &path,
        text.replace("\"concurrency\": 10", "\"concurrency\": 11"),
    )
    .unwrap();
    assert_eq!(workshop.verdict(slower(1.5)), Verdict::Regressed);
}

#[test]
fn a_changed_load_that_was_accepted_with_a_reason_is_judged_by_its_own_numbers() {
    let mut workshop = Workshop::accepted(steady());
    workshop.commit();
    workshop.settings.base = Some(Base::Named("HEAD".to_owned()));
    workshop.requests = 2_000;
    assert_eq!(workshop.verdict(steady()), Verdict::Incomparable);
    workshop.accept(Some("a longer load"));
    let outcome = workshop.run(steady());
    assert_eq!(outcome.judgement.verdict, Verdict::Pass);
    assert!(matches!(
        outcome.judgement.findings[0],
        Finding::BaselineChanged { .. }
    ));
    assert_eq!(workshop.verdict(slower(1.5)), Verdict::Regressed);
}

#[test]
fn a_baseline_removed_in_the_change_is_missing() {
    let mut workshop = Workshop::accepted(steady());
    workshop.commit();
    fs::remove_file(workshop.store().path(&workshop.store().keys().unwrap()[0])).unwrap();
    workshop.commit();
    workshop.settings.base = Some(Base::Named("HEAD^1".to_owned()));
    assert_eq!(workshop.verdict(steady()), Verdict::Missing);
}

#[test]
fn a_run_that_does_not_finish_leaves_no_pass_and_nothing_to_accept() {
    let workshop = Workshop::accepted(steady());
    workshop.run(steady());
    let scenario = workshop.scenario(steady()).driver(Panics);
    let settings = workshop.settings.clone();
    let site = workshop.site();
    let panicked =
        std::thread::spawn(move || run_with(scenario, &site, settings, &mut Silent).map(drop))
            .join();
    assert!(panicked.is_err());
    let text = fs::read_to_string(
        workshop
            .project()
            .outcomes()
            .join("bench/shop/perf/home.json"),
    )
    .unwrap();
    assert_eq!(
        report::json::from_text(&text).unwrap().judgement.verdict,
        Verdict::Broken
    );
    assert_eq!(workshop.project().pending().keys().unwrap(), []);
}

#[derive(Debug)]
struct Panics;

impl crate::driver::Driver for Panics {
    fn drive(
        &self,
        _: &crate::endpoint::Endpoint,
        _: &Load,
        _: &mut dyn crate::driver::Window,
    ) -> Result<crate::sample::Sample, crate::driver::DriverError> {
        panic!("the journey panics on purpose")
    }
}

#[test]
fn a_scenario_with_mistakes_is_broken_in_its_outcome() {
    let workshop = Workshop::new();
    let scenario = workshop.scenario(steady()).concurrency(0);
    run_with(
        scenario,
        &workshop.site(),
        workshop.settings.clone(),
        &mut Silent,
    )
    .unwrap_err();
    let text = fs::read_to_string(
        workshop
            .project()
            .outcomes()
            .join("bench/shop/perf/home.json"),
    )
    .unwrap();
    assert_eq!(
        report::json::from_text(&text).unwrap().judgement.verdict,
        Verdict::Broken
    );
}

#[test]
fn a_renamed_scenario_is_compared_with_its_former_name() {
    let workshop = Workshop::accepted(steady());
    let renamed = || {
        let mut scenario = Scenario::new("perf/start").renamed_from("perf/home");
        scenario = scenario
            .requests(1_000)
            .driver(Scripted::new(1, slower(1.3)));
        scenario.target(Target::in_process(|listener| async move {
            let _listener = listener;
            std::future::pending::<()>().await;
        }))
    };
    let outcome = run_with(
        renamed(),
        &workshop.site(),
        workshop.settings.clone(),
        &mut Silent,
    )
    .unwrap();
    assert_eq!(outcome.judgement.verdict, Verdict::Regressed);
}

#[test]
fn every_outcome_is_written_also_that_of_an_error() {
    let workshop = Workshop::new();
    workshop.run(steady());
    let path = |name: &str| workshop.project().outcomes().join("bench/shop").join(name);
    let text = fs::read_to_string(path("perf/home.json")).unwrap();
    assert_eq!(
        report::json::from_text(&text).unwrap().judgement.verdict,
        Verdict::New
    );
    let dead = Scenario::new("perf/dead")
        .requests(10)
        .target(Target::process("/no/such/program").port(1));
    let error = run_with(
        dead,
        &workshop.site(),
        workshop.settings.clone(),
        &mut Silent,
    )
    .unwrap_err();
    assert!(error.to_string().contains("/no/such/program"));
    let text = fs::read_to_string(path("perf/dead.json")).unwrap();
    assert_eq!(
        report::json::from_text(&text).unwrap().judgement.verdict,
        Verdict::Broken
    );
}

#[test]
fn all_mistakes_of_a_scenario_are_named_at_once() {
    let wrong = Scenario::new("a b")
        .concurrency(0)
        .rounds(0)
        .gate(Metric::Throughput, "0.05")
        .error_budget("2");
    let message = wrong.plan().unwrap_err().to_string();
    for part in [
        "\"a b\"",
        "no requests",
        "no rounds",
        "write \"5%\"",
        "error budget \"2\"",
        "no target",
    ] {
        assert!(message.contains(part), "{part} is not in {message}");
    }
}
