//! The binary `cargo-perf` over a workspace of its own, as a shell runs it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use perf_harness::baseline::{Build, Key, Pending, Project, Round, SCHEMA, Session, TargetRecord};
use perf_harness::host::MachineClass;

const CLASS: &str = "bench";

struct Workspace(tempfile::TempDir);

impl Workspace {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let manifest =
            "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n";
        fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
        fs::create_dir(folder.path().join("src")).unwrap();
        fs::write(folder.path().join("src/lib.rs"), "").unwrap();
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn project(&self) -> Project {
        Project::at(self.path(), self.path().join("target"))
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-perf"));
        command
            .arg("perf")
            .args(line.split_whitespace())
            .current_dir(self.path());
        command
            .stdin(Stdio::null())
            .env("PERF_MACHINE_CLASS", CLASS);
        for name in [
            "CI",
            "GITHUB_STEP_SUMMARY",
            "CARGO_TARGET_DIR",
            "PERF_BASELINES_DIR",
        ] {
            command.env_remove(name);
        }
        command
    }

    fn types(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    fn leaves_pending(&self, verdict: &str, throughput: f64) -> Key {
        let pending = pending(verdict, throughput);
        self.project().pending().write(&pending).unwrap();
        pending.key()
    }

    fn baseline_file(&self) -> PathBuf {
        self.path().join("baselines/bench/shop/shop/cart.json")
    }
}

fn pending(verdict: &str, throughput: f64) -> Pending {
    let round = Round {
        ok: 1_000,
        sent: 1_000,
        throughput: Some(throughput),
        ..Round::default()
    };
    Pending {
        breached: Vec::new(),
        build: Build::default(),
        class: MachineClass::named(CLASS),
        load: [("requests".to_owned(), 1_000.into())].into(),
        load_hash: "b0ca24fa21e0a4a4a9c5d4ba2c6c1a6f".to_owned(),
        package: "shop".to_owned(),
        renamed_from: None,
        scenario: "shop/cart".parse().unwrap(),
        schema: SCHEMA,
        session: Session {
            rounds: vec![round; 5],
            ..Session::default()
        },
        target: TargetRecord::default(),
        verdict: verdict.to_owned(),
    }
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn printed(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn a_user_takes_first_numbers_and_then_a_regression_with_a_reason() {
    let workspace = Workspace::new();
    workspace.leaves_pending("new", 12_345.0);
    assert_eq!(code(&workspace.types("accept")), 0);
    let first = fs::read_to_string(workspace.baseline_file()).unwrap();

    workspace.leaves_pending("regressed", 9_716.0);
    let refused = workspace.types("accept shop/cart");
    assert_eq!(code(&refused), 64);
    assert!(printed(&refused.stderr).contains("--reason"), "{refused:?}");
    assert_eq!(
        fs::read_to_string(workspace.baseline_file()).unwrap(),
        first
    );

    let accepted = workspace.types("accept shop/cart --reason taxes");
    assert_eq!(code(&accepted), 0);
    assert!(printed(&accepted.stdout).contains("-21.3%"), "{accepted:?}");
    let second = fs::read_to_string(workspace.baseline_file()).unwrap();
    assert!(second.contains("\"reason\": \"taxes\""), "{second}");
}

#[test]
fn ci_accepts_nothing() {
    let workspace = Workspace::new();
    workspace.leaves_pending("new", 12_345.0);
    for value in ["true", "1"] {
        let output = workspace
            .command("accept --all")
            .env("CI", value)
            .output()
            .unwrap();
        assert_eq!(code(&output), 64, "{output:?}");
    }
    assert!(!workspace.baseline_file().exists());
    let output = workspace
        .command("accept --all")
        .env("CI", "false")
        .output()
        .unwrap();
    assert_eq!(code(&output), 0, "{output:?}");
}

#[test]
fn a_summary_of_nothing_is_red_on_github_too() {
    let workspace = Workspace::new();
    let page = workspace.path().join("step.md");
    let output = workspace
        .command("summary --github")
        .env("GITHUB_STEP_SUMMARY", &page)
        .output()
        .unwrap();
    assert_eq!(code(&output), 2, "{output:?}");
    assert!(
        fs::read_to_string(page)
            .unwrap()
            .contains("nothing was gated")
    );
}

#[test]
fn no_colours_reach_a_pipe() {
    let workspace = Workspace::new();
    workspace.leaves_pending("new", 12_345.0);
    let output = workspace.types("list");
    assert!(
        printed(&output.stdout).contains("bench (this machine)"),
        "{output:?}"
    );
    assert!(!output.stdout.contains(&0x1b), "{output:?}");
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let workspace = Workspace::new();
    workspace.leaves_pending("new", 12_345.0);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = workspace
        .command("list")
        .stdout(writer)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let output = output.wait_with_output().unwrap();
    assert_eq!(code(&output), 0, "{output:?}");
    assert_eq!(printed(&output.stderr), "");
}

#[test]
fn without_a_project_the_folder_is_named() {
    let workspace = Workspace::new();
    fs::remove_file(workspace.path().join("Cargo.toml")).unwrap();
    let output = workspace.types("list");
    assert_eq!(code(&output), 1);
    assert!(
        printed(&output.stderr).contains("cargo finds no workspace"),
        "{output:?}"
    );
}

#[test]
fn without_a_terminal_nothing_is_asked() {
    let workspace = Workspace::new();
    let key = workspace.leaves_pending("new", 12_345.0);
    assert_eq!(code(&workspace.types("review")), 64);
    assert_eq!(workspace.project().pending().keys().unwrap(), [key]);
}

#[test]
fn one_unreadable_file_is_skipped_and_told_by_the_exit_code() {
    let workspace = Workspace::new();
    workspace.leaves_pending("new", 12_345.0);
    let folder = workspace.project().pending().root().join("bench/shop/shop");
    fs::write(folder.join("cut.json"), "{").unwrap();
    let output = workspace.types("accept --all");
    assert_eq!(code(&output), 1, "{output:?}");
    assert!(
        printed(&output.stdout).contains("skipped shop/cut (bench)"),
        "{output:?}"
    );
    assert!(workspace.baseline_file().exists());
}
