use clap::Parser;

use super::*;
use crate::load::Pace;
use crate::sample::ErrorKind;

#[derive(Parser)]
struct Typed {
    #[command(flatten)]
    arguments: LoadArguments,
}

fn typed(line: &str) -> Load {
    let words = ["load", "http://127.0.0.1:81"].into_iter();
    let words = words.chain(line.split_whitespace());
    let typed = Typed::try_parse_from(words).unwrap();
    typed.arguments.to_load("/".to_owned()).unwrap()
}

fn refused(line: &str) -> bool {
    let words = ["load", "http://127.0.0.1:81"].into_iter();
    Typed::try_parse_from(words.chain(line.split_whitespace())).is_err()
}

#[test]
fn without_options_two_hundred_requests_are_sent() {
    let load = typed("");
    assert_eq!(
        (load.requests, load.concurrency, load.warmup),
        (200, 10, Some(0))
    );
    assert_eq!(load.pace, Pace::Closed);
}

#[test]
fn a_duration_alone_has_no_count_and_both_may_be_said() {
    assert_eq!(typed("-d 10s").requests, 0);
    let both = typed("-d 10s -n 7 -c 1");
    assert_eq!(
        (both.requests, both.duration),
        (7, Some(std::time::Duration::from_secs(10)))
    );
}

#[test]
fn a_body_is_posted_unless_a_method_is_said() {
    let method = |line: &str| {
        let load = typed(line);
        load.requests_of_mix().next().unwrap().method.to_string()
    };
    assert_eq!(method(""), "GET");
    assert_eq!(method("--body x"), "POST");
    assert_eq!(method("--body x -m put"), "PUT");
}

#[test]
fn contradictions_are_refused() {
    for line in [
        "--poisson",
        "--body a --body-file b",
        "--cacert a --insecure",
        "--rate 0",
        "-d 10",
        "--error-budget 2",
        "-H nothing",
    ] {
        assert!(refused(line), "{line}");
    }
}

#[test]
fn only_a_whole_load_within_its_budget_is_clean() {
    let load = typed("--error-budget 1%");
    let sample = |failed| Sample {
        sent: 200,
        ok: 200 - failed,
        errors: [(ErrorKind::Status, failed)].into(),
        ..Sample::default()
    };
    assert_eq!(exit(&load, &sample(2)), Exit::Clean);
    assert_eq!(exit(&load, &sample(3)), Exit::Red);
    assert_eq!(exit(&load, &Sample::default()), Exit::Red);
    let cut = Sample {
        ended: Ended::Deadline,
        ..sample(0)
    };
    assert_eq!(exit(&load, &cut), Exit::Red);
}
