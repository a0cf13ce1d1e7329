use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::host::MachineClass;
use crate::load::Load;
use crate::name::ScenarioName;
use crate::sample::{LatencyHistogram, Metric, Sample};

fn key() -> Key {
    Key {
        class: MachineClass::named("amd-2cores"),
        package: "shop".to_owned(),
        scenario: ScenarioName::parse("perf/home").unwrap(),
    }
}

fn session(factor: f64) -> Session {
    let sample = |round: u64| {
        let mut latency = LatencyHistogram::new();
        (1..=100).for_each(|i| latency.record_nanos(i * 10_000 + round));
        Sample {
            sent: 100,
            ok: 100,
            bytes: 8_500,
            elapsed: Duration::from_secs_f64(0.01 * factor * (1.0 + 0.001 * round as f64)),
            latency,
            ..Sample::default()
        }
    };
    Session::of(&[sample(1), sample(2), sample(3)])
}

fn load() -> Load {
    Load {
        requests: 100,
        ..Load::default()
    }
}

fn pending(verdict: &str, factor: f64) -> Pending {
    Pending {
        breached: Vec::new(),
        build: build(),
        class: key().class,
        load: load().fields(),
        load_hash: load().hash(),
        package: key().package,
        renamed_from: None,
        scenario: key().scenario,
        schema: SCHEMA,
        session: session(factor),
        target: target(),
        verdict: verdict.to_owned(),
    }
}

fn build() -> Build {
    Build {
        profile: "release".to_owned(),
        rustc: "1.95.0".to_owned(),
    }
}

fn target() -> TargetRecord {
    TargetRecord {
        image: None,
        kind: "process".to_owned(),
        network: "loopback".to_owned(),
    }
}

fn baseline() -> Baseline {
    accept(pending("new", 1.0), None, None).unwrap()
}

fn subject() -> Subject {
    Subject {
        load: load().fields(),
        load_hash: load().hash(),
        build: build(),
        target: target(),
    }
}

fn store_with(text: &str) -> (TempDir, Store, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::new(folder.path());
    let path = store.path(&key());
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    (folder, store, path)
}

fn message_for(text: &str) -> String {
    let (_folder, store, path) = store_with(text);
    let message = store.read(&key()).unwrap_err().to_string();
    assert!(
        message.contains(path.to_str().unwrap()),
        "{message} does not name the file"
    );
    message
}

#[test]
fn a_written_baseline_is_read_back_equal() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::new(folder.path());
    let path = store.write(&baseline()).unwrap();
    assert!(
        path.ends_with("amd-2cores/shop/perf/home.json"),
        "{}",
        path.display()
    );
    assert_eq!(store.read(&key()).unwrap(), Some(baseline()));
    assert_eq!(store.keys().unwrap(), [key()]);
}

#[test]
fn the_same_baseline_gives_the_same_bytes_and_leaves_the_file_alone() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::new(folder.path());
    let path = store.write(&baseline()).unwrap();
    let before = (
        fs::read(&path).unwrap(),
        fs::metadata(&path).unwrap().modified().unwrap(),
    );
    store.write(&baseline()).unwrap();
    let after = (
        fs::read(&path).unwrap(),
        fs::metadata(&path).unwrap().modified().unwrap(),
    );
    assert_eq!(before, after);
}

#[test]
fn a_file_reads_like_prose() {
    let text = to_text(&baseline());
    assert!(text.ends_with("}\n"));
    let round_lines = text
        .lines()
        .filter(|line| line.contains("\"throughput\": ") && line.contains("\"p99_ns\": "));
    assert_eq!(round_lines.count(), 3, "a round on a line\n{text}");
    assert!(text.contains("\"medians\": {\n"), "{text}");
    let keys: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("  \""))
        .filter_map(|line| line.split('"').nth(1))
        .collect();
    assert!(keys.is_sorted(), "{keys:?}");
}

#[test]
fn no_file_is_no_baseline_and_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::new(folder.path().join("none"));
    assert_eq!(store.read(&key()).unwrap(), None);
    assert_eq!(store.keys().unwrap(), []);
}

#[test]
fn an_empty_file_is_refused() {
    assert!(message_for("").contains("is empty"));
    assert!(message_for("  \n").contains("is empty"));
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    let text = to_text(&baseline());
    for end in (1..text.len() - 2).step_by(97) {
        assert!(
            message_for(&text[..end]).contains("no whole baseline"),
            "cut at {end}"
        );
    }
}

#[test]
fn a_file_of_a_newer_version_is_refused() {
    let text = to_text(&baseline()).replace("\"schema\": 1", "\"schema\": 2");
    assert!(
        message_for(&text).contains("schema 2, this version knows up to 1: update perf-harness")
    );
}

#[test]
fn a_file_with_conflict_markers_says_how_to_measure_again() {
    let text = to_text(&baseline()).replacen("  \"schema\"", "<<<<<<< HEAD\n  \"schema\"", 1);
    let message = message_for(&text);
    assert!(message.contains("conflict markers"), "{message}");
    assert!(message.contains("cargo perf accept"), "{message}");
}

#[test]
fn values_that_no_measurement_gives_are_refused() {
    let text = to_text(&baseline());
    let throughput = text
        .split("\"throughput\": ")
        .nth(2)
        .unwrap()
        .split('}')
        .next()
        .unwrap();
    for value in ["NaN", "Infinity", "1e999"] {
        let broken = text.replace(
            &format!("\"throughput\": {throughput}}}"),
            &format!("\"throughput\": {value}}}"),
        );
        assert_ne!(broken, text);
        assert!(
            message_for(&broken).contains("no whole baseline"),
            "{value}"
        );
    }
    for value in ["0", "-12.5", "null"] {
        let broken = text.replace(
            &format!("\"throughput\": {throughput}}}"),
            &format!("\"throughput\": {value}}}"),
        );
        assert!(
            message_for(&broken).contains("cannot be trusted"),
            "{value}"
        );
    }
}

#[test]
fn a_baseline_without_sessions_or_rounds_is_refused() {
    let mut empty = baseline();
    empty.sessions.clear();
    assert!(message_for(&to_text(&empty)).contains("it has no sessions"));
    let mut hollow = baseline();
    hollow.sessions[0].rounds.clear();
    assert!(message_for(&to_text(&hollow)).contains("no rounds"));
}

#[test]
fn a_file_copied_to_another_scenario_is_refused() {
    let mut other = baseline();
    other.scenario = ScenarioName::parse("perf/cart").unwrap();
    assert!(message_for(&to_text(&other)).contains("lies at the place of"));
}

#[test]
fn an_unknown_field_is_refused() {
    let text = to_text(&baseline()).replacen("{\n", "{\n  \"threshold\": 90,\n", 1);
    assert!(message_for(&text).contains("no whole baseline"));
}

#[test]
fn an_equal_subject_is_comparable() {
    assert_eq!(baseline().differences(&subject()), []);
}

#[test]
fn every_field_that_forbids_a_comparison_is_named() {
    let mut other = subject();
    other.load.insert("concurrency".to_owned(), 99.into());
    other.build.profile = "debug".to_owned();
    other.build.rustc = "1.96.0".to_owned();
    other.target.kind = "container".to_owned();
    other.target.network = "host-network".to_owned();
    let differences = baseline().differences(&other);
    let fields: Vec<&str> = differences
        .iter()
        .map(|difference| difference.field.as_str())
        .collect();
    assert_eq!(
        fields,
        ["concurrency", "target kind", "network", "profile", "rustc"]
    );
    assert_eq!(
        differences[0].to_string(),
        "concurrency: 10 in the baseline, 99 now"
    );
}

#[test]
fn a_patch_release_of_the_compiler_stays_comparable() {
    let mut other = subject();
    other.build.rustc = "1.95.1".to_owned();
    assert_eq!(baseline().differences(&other), []);
}

#[test]
fn a_regression_is_only_accepted_with_a_reason() {
    let refused = accept(pending("regressed", 1.3), Some(&baseline()), Some("  "));
    assert!(refused.unwrap_err().to_string().contains("--reason"));
    let accepted = accept(
        pending("regressed", 1.3),
        Some(&baseline()),
        Some("checks signatures now"),
    )
    .unwrap();
    assert_eq!(
        accepted.accepted.reason.as_deref(),
        Some("checks signatures now")
    );
    assert_eq!(accepted.accepted.previous, baseline().medians());
    assert_eq!(accepted.sessions, [session(1.3)]);
}

#[test]
fn a_pass_joins_the_sessions_that_are_there() {
    let joined = accept(pending("pass", 1.01), Some(&baseline()), None).unwrap();
    assert_eq!(joined.sessions, [session(1.0), session(1.01)]);
    assert_eq!(joined.accepted, baseline().accepted);
    let again = accept(pending("pass", 1.01), Some(&joined), None).unwrap();
    assert_eq!(
        to_text(&again),
        to_text(&joined),
        "accepting twice changes nothing"
    );
}

#[test]
fn the_oldest_session_leaves_when_there_are_too_many() {
    let mut kept = baseline();
    for number in 1..=12 {
        kept = accept(
            pending("pass", 1.0 + 0.01 * f64::from(number)),
            Some(&kept),
            None,
        )
        .unwrap();
    }
    assert_eq!(kept.sessions.len(), Baseline::MOST_SESSIONS);
    assert_eq!(kept.sessions[7], session(1.12));
}

#[test]
fn a_pending_file_is_replaced_by_the_next_and_removed_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = PendingStore::new(folder.path());
    store.write(&pending("new", 1.0)).unwrap();
    store.write(&pending("new", 2.0)).unwrap();
    assert_eq!(store.read(&key()).unwrap(), Some(pending("new", 2.0)));
    store.remove(&key()).unwrap();
    store.remove(&key()).unwrap();
    assert_eq!(store.read(&key()).unwrap(), None);
}

#[test]
fn a_failed_write_leaves_what_was_there() {
    let (_folder, store, path) = store_with(&to_text(&baseline()));
    let folder = path.parent().unwrap();
    let leftover = |folder: &std::path::Path| fs::read_dir(folder).unwrap().count();
    let mut other = baseline();
    other.accepted.reason = Some("x".to_owned());
    store.write(&other).unwrap();
    assert_eq!(leftover(folder), 1, "no temporary file stays");
    assert_eq!(
        store
            .read(&key())
            .unwrap()
            .unwrap()
            .accepted
            .reason
            .as_deref(),
        Some("x")
    );
}

#[test]
fn medians_are_kept_in_five_digits() {
    assert_eq!(
        baseline().accepted.medians.get(&Metric::Throughput),
        Some(&9980.0)
    );
}

#[test]
fn medians_have_the_keys_of_a_rounds_values() {
    let of = |place: usize| Some(1.0 + place as f64);
    let round = Round {
        cpu_ns: of(0),
        mean_ns: of(1),
        memory_bytes: of(2),
        p50_ns: of(3),
        p90_ns: of(4),
        p999_ns: of(5),
        p99_ns: of(6),
        throughput: of(7),
        ..Round::default()
    };
    let session = Session {
        rounds: vec![round.clone()],
        ..Session::default()
    };
    let accepted = Accepted {
        medians: session.medians(),
        previous: session.medians(),
        ..Accepted::default()
    };
    let written = serde_json::to_value(&accepted).unwrap();
    let round = serde_json::to_value(round).unwrap();
    let medians = written["medians"].as_object().unwrap();
    assert_eq!(medians.len(), Metric::ALL.len());
    assert!(
        medians.iter().all(|(key, value)| round[key] == *value),
        "{written}"
    );
    assert_eq!(written["previous"], written["medians"]);
    assert_eq!(
        serde_json::from_value::<Accepted>(written).unwrap(),
        accepted
    );
}

#[test]
fn the_keys_of_medians_are_sorted_in_the_file() {
    let text = to_text(&baseline());
    let medians = text.split("\"medians\": {").nth(1).unwrap();
    let medians = medians.split('}').next().unwrap();
    let keys: Vec<&str> = medians
        .lines()
        .filter_map(|line| line.split('"').nth(1))
        .collect();
    assert_eq!(
        keys,
        [
            "mean_ns",
            "p50_ns",
            "p90_ns",
            "p999_ns",
            "p99_ns",
            "throughput"
        ]
    );
}

#[test]
fn a_median_of_no_metric_is_refused() {
    let text = to_text(&baseline()).replacen("\"mean_ns\"", "\"mean\"", 1);
    assert!(message_for(&text).contains("`mean` is no metric"));
}

#[test]
fn a_histogram_that_is_cut_is_refused_and_an_undeflated_one_is_read() {
    let text = to_text(&baseline());
    let histogram = baseline().sessions[0].latency_hdr.clone().unwrap();
    let deflated = histogram.to_base64();
    let cut = text.replace(&deflated, &deflated[..deflated.len() - 4]);
    assert!(message_for(&cut).contains("no HdrHistogram V2"));
    let engine = base64::engine::general_purpose::STANDARD;
    let plain = base64::Engine::encode(&engine, histogram.to_v2());
    let (_folder, store, _) = store_with(&text.replace(&deflated, &plain));
    assert_eq!(store.read(&key()).unwrap(), Some(baseline()));
}

fn breached(verdict: &str, factor: f64) -> Pending {
    Pending {
        breached: vec![Metric::Throughput],
        ..pending(verdict, factor)
    }
}

#[test]
fn a_breach_wants_a_reason_whatever_the_verdict() {
    for verdict in [
        "inconclusive",
        "improved",
        "incomparable",
        "missing",
        "broken",
        "pass",
    ] {
        let refused = accept(breached(verdict, 1.3), Some(&baseline()), None).unwrap_err();
        let message = refused.to_string();
        assert!(
            message.contains("perf/home got worse by the threshold of throughput"),
            "{message}"
        );
        let reason = Some("signs replies");
        let accepted = accept(breached(verdict, 1.3), Some(&baseline()), reason).unwrap();
        assert_eq!(accepted.accepted.reason.as_deref(), reason, "{verdict}");
        assert_eq!(
            accepted.accepted.previous,
            baseline().medians(),
            "{verdict}"
        );
    }
}

#[test]
fn a_breach_that_joins_is_told_once_and_the_other_sessions_stay() {
    let joined = accept(breached("inconclusive", 1.3), Some(&baseline()), Some("x")).unwrap();
    assert_eq!(joined.sessions, [session(1.0), session(1.3)]);
    assert_eq!(joined.accepted.medians, session(1.3).medians());
    let again = accept(breached("inconclusive", 1.3), Some(&joined), Some("y")).unwrap();
    assert_eq!(again, joined);
}

#[test]
fn breached_metrics_stand_in_the_pending_file_only_when_there_are_some() {
    let text = to_text(&breached("regressed", 1.3));
    assert!(
        text.starts_with("{\n  \"breached\": [\n    \"throughput\"\n  ],\n  \"build\""),
        "{text}"
    );
    assert!(!to_text(&pending("new", 1.0)).contains("breached"));
    let folder = tempfile::tempdir().unwrap();
    let store = PendingStore::new(folder.path());
    store.write(&breached("regressed", 1.3)).unwrap();
    assert_eq!(
        store.read(&key()).unwrap(),
        Some(breached("regressed", 1.3))
    );
}

proptest! {
    #[test]
    fn any_positive_value_survives_the_file(value in 1e-3_f64..1e15) {
        let digits = super::session::five_digits(value);
        prop_assert!((digits / value - 1.0).abs() < 1e-4);
        let text = serde_json::to_string(&digits).unwrap();
        let read: f64 = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(read.to_bits(), digits.to_bits());
        prop_assert_eq!(super::session::five_digits(digits).to_bits(), digits.to_bits());
    }
}

#[test]
fn baselines_outside_of_the_workspace_are_in_no_revision() {
    let folder = tempfile::tempdir().unwrap();
    let git = std::process::Command::new("git")
        .args(["-C", folder.path().to_str().unwrap(), "init", "--quiet"])
        .status();
    assert!(git.unwrap().success());
    let identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"];
    let commit = std::process::Command::new("git")
        .current_dir(folder.path())
        .args(identity)
        .args(["commit", "--quiet", "--allow-empty", "--message=x"])
        .status();
    assert!(commit.unwrap().success());
    let elsewhere = tempfile::tempdir().unwrap();
    let project =
        Project::at(folder.path(), folder.path().join("target")).with_baselines(elsewhere.path());
    assert!(!project.is_committed(&key()).unwrap());
    let base = Base::Named("HEAD".to_owned());
    assert_eq!(project.baseline_at(&base, &key()).unwrap().unwrap(), None);
}
