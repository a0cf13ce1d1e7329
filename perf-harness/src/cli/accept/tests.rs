use std::fs;

use crate::baseline::Pending;
use crate::cli::exit_code::Exit;
use crate::cli::tests::{Desk, pending};
use crate::report::examples::key;
use crate::sample::Metric;

#[test]
fn a_first_measurement_becomes_the_baseline() {
    let desk = Desk::new();
    desk.leaves_pending(&pending("shop/cart", "new", 12_345.0));
    let (exit, text) = desk.types("accept shop/cart");
    assert_eq!(exit, Exit::Clean);
    insta::assert_snapshot!(text, @r"
    accepted shop/cart (new): a new baseline
      metric      accepted
      throughput  12,345/s
      p50           308 µs
      p90           617 µs
      p99          1.23 ms
      p999         2.47 ms
      mean          411 µs
      cpu          35.2 µs
      written to baselines/amd-epyc-7763-4cores-x86_64-linux/shop/shop/cart.json
    commit the files together with the code that they belong to
    ");
    assert_eq!(desk.baseline("shop/cart").unwrap().sessions.len(), 1);
    assert!(desk.pending_keys().is_empty());
}

#[test]
fn a_regression_wants_a_reason_which_is_kept() {
    let desk = Desk::new();
    desk.commits("shop/cart", 12_345.0);
    desk.leaves_pending(&pending("shop/cart", "regressed", 9_716.0));
    let (exit, message) = desk.types("accept cart");
    assert_eq!(exit, Exit::Usage);
    assert!(message.contains("--reason"), "{message}");
    let (exit, text) = desk.types("accept cart --reason taxes+an+item");
    assert_eq!(exit, Exit::Clean);
    assert!(text.contains("-21.3%  worse"), "{text}");
    let accepted = desk.baseline("shop/cart").unwrap().accepted;
    assert_eq!(accepted.reason.as_deref(), Some("taxes an item"));
    assert_eq!(accepted.previous.get(&Metric::Throughput), Some(&12_345.0));
}

#[test]
fn when_one_is_refused_nothing_is_written() {
    let desk = Desk::new();
    desk.commits("shop/cart", 12_345.0);
    desk.leaves_pending(&pending("shop/alpha", "new", 100.0));
    desk.leaves_pending(&pending("shop/cart", "regressed", 9_716.0));
    let (exit, message) = desk.types("accept --all");
    assert_eq!(exit, Exit::Usage);
    assert!(message.contains("nothing was accepted"), "{message}");
    assert!(desk.baseline("shop/alpha").is_none());
    assert_eq!(desk.pending_keys().len(), 2);
}

#[test]
fn several_need_a_name_and_one_does_not() {
    let desk = Desk::new();
    desk.leaves_pending(&pending("shop/a", "new", 100.0));
    desk.leaves_pending(&pending("shop/b", "new", 100.0));
    let (exit, text) = desk.types("accept");
    assert_eq!(exit, Exit::Usage);
    assert!(text.contains("shop/a") && text.contains("--all"), "{text}");
    assert_eq!(desk.pending_keys().len(), 2);
    desk.types("accept =shop/a");
    assert_eq!(desk.types("accept").0, Exit::Clean);
    assert!(desk.pending_keys().is_empty());
}

#[test]
fn a_pass_joins_only_when_sessions_are_asked_for() {
    let desk = Desk::new();
    desk.commits("shop/cart", 12_345.0);
    desk.leaves_pending(&pending("shop/cart", "pass", 12_300.0));
    let (exit, text) = desk.types("accept --all");
    assert_eq!(exit, Exit::Clean);
    assert!(text.contains("`cargo perf accept --sessions`"), "{text}");
    let (exit, message) = desk.types("accept cart");
    assert_eq!(exit, Exit::Usage);
    assert!(message.contains("--sessions"), "{message}");
    let (exit, text) = desk.types("accept --sessions");
    assert_eq!(exit, Exit::Clean);
    assert!(text.contains("has 2 sessions now"), "{text}");
    let baseline = desk.baseline("shop/cart").unwrap();
    let throughput = baseline.accepted.medians.get(&Metric::Throughput);
    assert_eq!(throughput, Some(&12_345.0), "joining replaces nothing");
}

#[test]
fn what_does_not_decide_is_accepted_only_by_name_or_with_sessions() {
    let desk = Desk::new();
    desk.commits("shop/cart", 12_345.0);
    desk.leaves_pending(&pending("shop/cart", "inconclusive", 12_300.0));
    assert!(
        desk.types("accept --all")
            .1
            .contains("nothing awaits review")
    );
    assert_eq!(desk.pending_keys().len(), 1);
    assert_eq!(desk.types("accept cart").0, Exit::Clean);
    assert_eq!(desk.baseline("shop/cart").unwrap().sessions.len(), 2);
}

#[test]
fn sessions_alone_never_take_a_decision() {
    let desk = Desk::new();
    desk.leaves_pending(&pending("shop/new", "new", 12_300.0));
    assert!(
        desk.types("accept --sessions")
            .1
            .contains("nothing awaits review")
    );
    assert!(desk.baseline("shop/new").is_none());
}

#[test]
fn a_broken_file_is_replaced_and_only_by_a_run_that_saw_it() {
    let desk = Desk::new();
    desk.commits("shop/cart", 12_345.0);
    let file = desk
        .surroundings
        .project
        .baselines()
        .path(&key("shop/cart"));
    fs::write(&file, "<<<<<<< ours\n").unwrap();
    desk.leaves_pending(&pending("shop/cart", "improved", 13_000.0));
    let (exit, message) = desk.types("accept cart");
    assert_eq!(exit, Exit::Failed);
    assert!(message.contains("conflict markers"), "{message}");
    desk.leaves_pending(&pending("shop/cart", "broken", 13_000.0));
    assert_eq!(desk.types("accept cart").0, Exit::Clean);
    assert_eq!(desk.baseline("shop/cart").unwrap().sessions.len(), 1);
}

#[test]
fn a_file_of_a_later_version_is_never_replaced() {
    let desk = Desk::new();
    desk.commits("shop/cart", 12_345.0);
    let file = desk
        .surroundings
        .project
        .baselines()
        .path(&key("shop/cart"));
    let text = fs::read_to_string(&file).unwrap();
    let later = text.replace("\"schema\": 1", "\"schema\": 2");
    fs::write(&file, &later).unwrap();
    desk.leaves_pending(&pending("shop/cart", "broken", 13_000.0));
    let (exit, message) = desk.types("accept cart");
    assert_eq!(exit, Exit::Failed);
    assert!(message.contains("update perf-harness"), "{message}");
    assert_eq!(fs::read_to_string(&file).unwrap(), later);
}

#[test]
fn nothing_is_accepted_in_ci() {
    let mut desk = Desk::new();
    desk.surroundings.in_ci = true;
    desk.leaves_pending(&pending("shop/cart", "new", 12_345.0));
    let (exit, message) = desk.types("accept --all");
    assert_eq!(exit, Exit::Usage);
    assert!(
        message.contains("artifact") && message.contains("--from"),
        "{message}"
    );
    assert!(desk.baseline("shop/cart").is_none());
}

#[test]
fn an_artifact_is_accepted_from_its_folder() {
    let ci = Desk::new();
    let desk = Desk::new();
    ci.leaves_pending(&pending("shop/cart", "new", 12_345.0));
    let artifact = ci.path("target/perf");
    let (exit, text) = desk.types(&format!("accept --all --from {}", artifact.display()));
    assert_eq!(exit, Exit::Clean, "{text}");
    assert!(desk.baseline("shop/cart").is_some());
    let (exit, message) = desk.types(&format!(
        "accept --all --from {}",
        desk.path("nowhere").display()
    ));
    assert_eq!(exit, Exit::Usage);
    assert!(message.contains("holds no pending files"), "{message}");
}

#[test]
fn a_class_narrows_what_is_meant() {
    let desk = Desk::new();
    desk.leaves_pending(&pending("shop/cart", "new", 12_345.0));
    assert!(
        desk.types("accept --all --class other")
            .1
            .contains("nothing awaits review")
    );
    let class = key("shop/cart").class;
    assert_eq!(
        desk.types(&format!("accept --all --class {class}")).0,
        Exit::Clean
    );
    assert!(desk.baseline("shop/cart").is_some());
}

#[test]
fn a_moved_pending_file_is_refused() {
    let desk = Desk::new();
    desk.leaves_pending(&pending("shop/cart", "new", 12_345.0));
    let folder = desk
        .surroundings
        .project
        .pending()
        .root()
        .join(key("x").class.as_str())
        .join("shop/shop");
    fs::rename(folder.join("cart.json"), folder.join("home.json")).unwrap();
    let (exit, message) = desk.types("accept --all");
    assert_eq!(exit, Exit::Failed);
    assert!(
        message.contains("shop/cart") && message.contains("shop/home"),
        "{message}"
    );
    assert!(desk.baseline("shop/cart").is_none());
}

#[test]
fn a_verdict_without_numbers_is_never_accepted() {
    let desk = Desk::new();
    desk.leaves_pending(&pending("shop/cart", "not gated", 12_345.0));
    desk.leaves_pending(&pending("shop/home", "splendid", 12_345.0));
    assert!(
        desk.types("accept --all --sessions")
            .1
            .contains("nothing awaits review")
    );
    let (exit, message) = desk.types("accept cart home");
    assert_eq!(exit, Exit::Usage);
    assert!(message.contains("`splendid`"), "{message}");
}

/// Numbers of another load: some a little worse than those of the baseline, one far better.
fn of_another_load(verdict: &str) -> Pending {
    let mut other = pending("shop/cart", verdict, 12_222.0);
    other.load_hash = "another".to_owned();
    for round in &mut other.session.rounds {
        round.p99_ns = Some(617_000.0);
        round.cpu_ns = Some(35_300.0);
    }
    other
}

#[test]
fn what_a_replacement_changes_is_shown_whatever_the_verdict() {
    for verdict in ["incomparable", "improved", "missing", "pass"] {
        let desk = Desk::new();
        desk.commits("shop/cart", 12_345.0);
        desk.leaves_pending(&of_another_load(verdict));
        let (exit, text) = desk.types("accept cart --sessions");
        assert_eq!(exit, Exit::Clean, "{text}");
        let table: Vec<&str> = text.lines().skip(1).take(8).collect();
        insta::allow_duplicates! {
            insta::assert_snapshot!(table.join("\n"), @r"
              metric        before  accepted  change  effect
              throughput  12,345/s  12,222/s   -1.0%  worse
              p50           308 µs    308 µs    0.0%
              p90           617 µs    617 µs    0.0%
              p99          1.23 ms    617 µs  -50.0%  better
              p999         2.47 ms   2.47 ms    0.0%
              mean          411 µs    411 µs    0.0%
              cpu          35.2 µs   35.3 µs   +0.3%  worse
            ");
        }
    }
}

#[test]
fn a_breach_wants_a_reason_by_every_way() {
    let mut desk = Desk::new();
    desk.commits("shop/cart", 12_345.0);
    let mut undecided = pending("shop/cart", "inconclusive", 9_716.0);
    undecided.breached = vec![Metric::Throughput];
    desk.leaves_pending(&undecided);
    for line in ["accept cart", "accept --sessions"] {
        let (exit, message) = desk.types(line);
        assert_eq!(exit, Exit::Usage);
        assert!(message.contains("threshold of throughput"), "{message}");
    }
    desk.surroundings.interactive = true;
    desk.answers = "a\nmeant\n".to_owned();
    desk.types("review");
    let baseline = desk.baseline("shop/cart").unwrap();
    assert_eq!(baseline.accepted.reason.as_deref(), Some("meant"));
    assert_eq!(baseline.sessions.len(), 2);
}

#[test]
fn a_file_that_cannot_be_read_does_not_keep_the_others_from_being_accepted() {
    let desk = Desk::new();
    desk.leaves_pending(&pending("shop/cart", "new", 12_345.0));
    desk.leaves_unreadable("shop/broken");
    desk.leaves_pending(&pending("shop/home", "new", 12_345.0));
    let (exit, text) = desk.types("accept --all");
    assert_eq!(exit, Exit::Failed, "{text}");
    assert!(text.starts_with("skipped shop/broken ("), "{text}");
    assert!(text.contains("broken.json"), "{text}");
    assert!(desk.baseline("shop/cart").is_some() && desk.baseline("shop/home").is_some());
    assert_eq!(desk.pending_keys(), [key("shop/broken")]);
}

#[test]
fn a_file_that_cannot_be_read_and_is_not_meant_does_not_matter() {
    let desk = Desk::new();
    desk.leaves_pending(&pending("shop/cart", "new", 12_345.0));
    desk.leaves_unreadable("shop/broken");
    let (exit, text) = desk.types("accept cart");
    assert_eq!(exit, Exit::Clean, "{text}");
    assert!(!text.contains("shop/broken"), "{text}");
}

#[test]
fn a_refusal_stays_a_refusal_beside_a_file_that_cannot_be_read() {
    let desk = Desk::new();
    desk.leaves_pending(&pending("shop/cart", "regressed", 9_716.0));
    desk.leaves_unreadable("shop/broken");
    let (exit, text) = desk.types("accept --all");
    assert_eq!(exit, Exit::Usage);
    assert!(text.contains("skipped shop/broken"), "{text}");
}
