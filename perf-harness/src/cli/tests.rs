//! The verbs over a project in a temporary folder, typed as a user types them.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::baseline::{Baseline, Build, Key, Pending, SCHEMA, TargetRecord, accept};
use crate::outcome::Outcome;
use crate::report::examples::{key, session};
use crate::report::{Style, json};

/// A project, with what a verb printed and said.
pub(super) struct Desk {
    folder: tempfile::TempDir,
    pub(super) surroundings: Surroundings,
    pub(super) answers: String,
}

impl Desk {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let surroundings = Surroundings {
            project: Project::at(folder.path(), folder.path().join("target")),
            class: key("x").class,
            in_ci: false,
            step_summary: None,
            interactive: false,
            style: Style::Plain,
        };
        Self {
            folder,
            surroundings,
            answers: String::new(),
        }
    }

    pub(super) fn path(&self, inside: &str) -> PathBuf {
        self.folder.path().join(inside)
    }

    /// The exit and the output; the message instead of the output when it was refused.
    pub(super) fn types(&self, line: &str) -> (Exit, String) {
        let arguments = ["cargo-perf", "perf"]
            .into_iter()
            .chain(line.split_whitespace());
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let result = parse(
            arguments.map(|word| OsString::from(word.replace('+', " "))),
            &mut out,
            &mut err,
        );
        let exit = result.map_or_else(
            |exit| exit,
            |verb| {
                run(
                    &verb,
                    &self.surroundings,
                    &mut self.answers.as_bytes(),
                    &mut out,
                )
                .unwrap_or_else(|error| refused(&error, &mut err))
            },
        );
        (exit, String::from_utf8([out, err].concat()).unwrap())
    }

    pub(super) fn leaves_pending(&self, pending: &Pending) {
        self.surroundings.project.pending().write(pending).unwrap();
    }

    pub(super) fn leaves_outcome(&self, outcome: &Outcome) {
        let name = format!(
            "{}/{}/{}.json",
            outcome.key.class, outcome.key.package, outcome.key.scenario
        );
        let path = self.surroundings.project.outcomes().join(name);
        let mut outcome = outcome.clone();
        outcome.workspace = self.surroundings.project.root().to_owned();
        self.writes(&path, &json::to_text(&outcome));
    }

    pub(super) fn writes(&self, path: &Path, text: &str) {
        assert!(path.starts_with(self.folder.path()));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A pending file that is cut.
    pub(super) fn leaves_unreadable(&self, scenario: &str) {
        let path = key(scenario).path(self.surroundings.project.pending().root());
        self.writes(&path, "{");
    }

    /// A committed baseline of one session.
    pub(super) fn commits(&self, scenario: &str, throughput: f64) {
        let baseline = accept(pending(scenario, "new", throughput), None, None).unwrap();
        self.surroundings
            .project
            .baselines()
            .write(&baseline)
            .unwrap();
    }

    pub(super) fn baseline(&self, scenario: &str) -> Option<Baseline> {
        self.surroundings
            .project
            .baselines()
            .read(&key(scenario))
            .unwrap()
    }

    pub(super) fn pending_keys(&self) -> Vec<Key> {
        self.surroundings.project.pending().keys().unwrap()
    }
}

pub(super) fn pending(scenario: &str, verdict: &str, throughput: f64) -> Pending {
    let key = key(scenario);
    Pending {
        breached: Vec::new(),
        build: Build {
            profile: "release".to_owned(),
            rustc: "1.95.0".to_owned(),
        },
        class: key.class,
        load: [("requests".to_owned(), 10_000.into())].into(),
        load_hash: "b0ca24fa21e0a4a4a9c5d4ba2c6c1a6f".to_owned(),
        package: key.package,
        renamed_from: None,
        scenario: key.scenario,
        schema: SCHEMA,
        session: session(throughput, 1_234_000.0),
        target: TargetRecord::default(),
        verdict: verdict.to_owned(),
    }
}

#[test]
fn the_command_line_is_consistent() {
    use clap::CommandFactory as _;
    Perf::command().debug_assert();
}

#[test]
fn the_word_perf_may_be_left_out() {
    let parsed = |words: &[&str]| {
        let words = words.iter().map(OsString::from);
        parse(words, &mut Vec::new(), &mut Vec::new()).is_ok()
    };
    assert!(parsed(&["cargo-perf", "perf", "list"]));
    assert!(parsed(&["cargo-perf", "list"]));
    assert!(!parsed(&["cargo-perf", "perf", "perf", "list"]));
}

#[test]
fn help_teaches_every_verb_with_an_example() {
    for verb in [
        "list", "show", "accept", "reject", "review", "summary", "clean",
    ] {
        let (exit, help) = Desk::new().types(&format!("{verb} --help"));
        assert_eq!(exit, Exit::Clean);
        assert!(help.contains("Example"), "{help}");
        assert!(help.contains(&format!("cargo perf {verb}")), "{help}");
    }
    let (exit, help) = Desk::new().types("--help");
    assert_eq!(exit, Exit::Clean);
    assert!(help.contains("64  cannot be done"), "{help}");
}

#[test]
fn what_cannot_be_parsed_is_a_usage_error() {
    for line in [
        "",
        "acept",
        "accept --all x",
        "show",
        "summary --format pdf",
        "summary --require ../x",
    ] {
        let (exit, message) = Desk::new().types(line);
        assert_eq!(exit, Exit::Usage, "{line}: {message}");
    }
}

#[test]
fn an_empty_project_is_told_what_to_type() {
    let (exit, text) = Desk::new().types("list");
    assert_eq!(exit, Exit::Clean);
    assert!(
        text.contains("cargo test") && text.contains("cargo perf accept"),
        "{text}"
    );
}

#[test]
fn a_list_has_baselines_and_pending_sessions_by_class() {
    let desk = Desk::new();
    desk.commits("shop/cart", 12_345.0);
    desk.commits("shop/home", 900.0);
    desk.leaves_pending(&pending("shop/cart", "regressed", 9_716.0));
    desk.leaves_pending(&pending("shop/new", "new", 100.0));
    insta::assert_snapshot!(desk.types("list").1, @r"
    amd-epyc-7763-4cores-x86_64-linux (this machine)
      scenario   package  sessions  throughput      p99  pending
      shop/cart  shop            1    12,345/s  1.23 ms  regressed
      shop/home  shop            1       900/s  1.23 ms
      shop/new   shop         none                       new
    ");
    let (_, filtered) = desk.types("list home");
    assert!(
        filtered.contains("shop/home") && !filtered.contains("shop/cart"),
        "{filtered}"
    );
}

#[test]
fn a_list_shows_files_that_cannot_be_used() {
    let desk = Desk::new();
    desk.commits("shop/cart", 12_345.0);
    fs::write(
        desk.surroundings
            .project
            .baselines()
            .path(&key("shop/cart")),
        "{",
    )
    .unwrap();
    let (exit, text) = desk.types("list");
    assert_eq!(exit, Exit::Clean);
    assert!(text.contains("broken"), "{text}");
}

#[test]
fn a_baseline_is_shown_beside_what_would_replace_it() {
    let desk = Desk::new();
    desk.commits("shop/cart", 12_345.0);
    desk.leaves_pending(&pending("shop/cart", "regressed", 9_716.0));
    insta::assert_snapshot!(desk.types("show cart").1, @r"
    shop/cart  shop  amd-epyc-7763-4cores-x86_64-linux
      baseline: 1 session, accepted at 3f2a91c07d55
      load: requests 10000
      pending: regressed, 5 rounds
      session  throughput     p50     p90      p99     p999    mean      cpu
      1          12,345/s  308 µs  617 µs  1.23 ms  2.47 ms  411 µs  35.2 µs
      pending     9,716/s  308 µs  617 µs  1.23 ms  2.47 ms  411 µs  35.2 µs
      change       -21.3%    0.0%    0.0%     0.0%     0.0%    0.0%     0.0%
    ");
}

#[test]
fn what_is_worse_by_its_threshold_is_shown_whatever_the_verdict() {
    let desk = Desk::new();
    let mut undecided = pending("shop/cart", "inconclusive", 9_716.0);
    undecided.breached = vec![crate::sample::Metric::Throughput];
    desk.leaves_pending(&undecided);
    let text = desk.types("show cart").1;
    assert!(
        text.contains("pending: inconclusive, 5 rounds, worse by the threshold: throughput\n"),
        "{text}"
    );
}

#[test]
fn what_is_not_there_is_answered_with_what_is() {
    let desk = Desk::new();
    desk.commits("shop/cart", 12_345.0);
    let (exit, message) = desk.types("show checkout");
    assert_eq!(exit, Exit::Usage);
    assert_eq!(
        message,
        "error: `checkout` matches no baseline or pending session: there is shop/cart\n"
    );
}

#[test]
fn rejected_sessions_are_gone_and_baselines_stay() {
    let desk = Desk::new();
    desk.commits("shop/cart", 12_345.0);
    desk.leaves_pending(&pending("shop/cart", "regressed", 9_716.0));
    desk.leaves_pending(&pending("shop/home", "new", 100.0));
    assert_eq!(desk.types("reject").0, Exit::Usage);
    assert_eq!(desk.types("reject cart").0, Exit::Clean);
    assert_eq!(desk.pending_keys(), [key("shop/home")]);
    assert_eq!(
        desk.types("reject").0,
        Exit::Clean,
        "one alone needs no name"
    );
    assert!(desk.pending_keys().is_empty());
    assert!(desk.baseline("shop/cart").is_some());
}

#[test]
fn a_pending_file_that_cannot_be_read_can_be_rejected() {
    let desk = Desk::new();
    desk.leaves_unreadable("shop/cart");
    assert_eq!(desk.types("accept cart").0, Exit::Failed);
    assert_eq!(desk.types("reject cart").0, Exit::Clean);
    assert!(desk.pending_keys().is_empty());
}

#[test]
fn clean_leaves_baselines_alone() {
    let desk = Desk::new();
    desk.commits("shop/cart", 12_345.0);
    desk.leaves_pending(&pending("shop/cart", "regressed", 9_716.0));
    desk.leaves_outcome(&crate::report::examples::pass());
    assert_eq!(desk.types("clean").0, Exit::Clean);
    assert!(desk.pending_keys().is_empty());
    assert!(!desk.surroundings.project.outcomes().exists());
    assert!(desk.baseline("shop/cart").is_some());
    assert_eq!(desk.types("clean"), (Exit::Clean, String::new()));
}
