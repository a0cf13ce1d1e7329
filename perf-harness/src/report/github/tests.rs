use super::*;
use crate::baseline::Key;
use crate::report::examples;

#[test]
fn a_regression_is_an_error_at_its_function() {
    insta::assert_snapshot!(annotation(&examples::regressed()).unwrap(), @"::error file=shop/tests/perf.rs,line=12,title=regressed%3A shop/cart::throughput -21.3%25 (12,345/s -> 9,716/s, threshold 5%25); p99 +38.0%25 (1.23 ms -> 1.70 ms, threshold 20%25)");
}

#[test]
fn an_inconclusive_run_is_a_warning() {
    insta::assert_snapshot!(annotation(&examples::inconclusive()).unwrap(), @"::warning file=shop/tests/perf.rs,line=12,title=inconclusive%3A shop/pay::throughput -5.2%25 (12,345/s -> 11,700/s, threshold 5%25)%0Athroughput breached its threshold, but not again on fresh starts");
}

#[test]
fn a_regression_that_is_only_reported_is_a_warning() {
    let mut outcome = examples::regressed();
    outcome.reported_only = true;
    assert!(
        annotation(&outcome)
            .unwrap()
            .starts_with("::warning file=shop/tests/perf.rs,line=12,")
    );
}

#[test]
fn what_was_not_compared_or_not_run_is_a_warning() {
    for outcome in [examples::incomparable(), examples::skipped()] {
        let line = annotation(&outcome).unwrap();
        assert!(
            line.starts_with("::warning file=shop/tests/perf.rs,line=12,"),
            "{line}"
        );
        assert_eq!(line.lines().count(), 1);
    }
}

#[test]
fn what_does_not_fail_has_no_annotation() {
    for outcome in [
        examples::pass(),
        examples::improved(),
        examples::new(),
        examples::not_gated(),
    ] {
        assert_eq!(annotation(&outcome), None);
    }
}

#[test]
fn a_reply_of_a_server_cannot_end_the_message() {
    let line = annotation(&examples::broken()).unwrap();
    assert_eq!(line.lines().count(), 1);
    assert!(!line.contains('\x1b'), "{line}");
}

#[test]
fn a_file_name_cannot_add_properties() {
    let mut outcome = examples::regressed();
    outcome.place.file = "a,line=1:b%\n.rs".to_owned();
    let line = annotation(&outcome).unwrap();
    assert!(
        line.starts_with("::error file=a%2Cline=1%3Ab%25%0A.rs,line=12,"),
        "{line}"
    );
}

#[test]
fn what_could_not_be_measured_is_an_error_at_its_function() {
    let place = examples::regressed().place;
    let line = error_at(
        &place,
        "perf",
        "the port never opened:\n| boot\n| ::error::x",
    );
    assert_eq!(
        line,
        "::error file=shop/tests/perf.rs,line=12,title=perf::the port never opened:%0A| boot%0A| ::error::x"
    );
    let flood = error_at(&place, "perf", &"x".repeat(10_000));
    assert!(flood.len() < 4_096, "{}", flood.len());
}

/// What the runner does with a message, in its order.
fn decoded(text: &str) -> String {
    text.replace("%0D", "\r")
        .replace("%0A", "\n")
        .replace("%25", "%")
}

#[test]
fn the_runner_decodes_what_was_meant() {
    for text in ["5%", "%25", "%0A", "a\r\nb", "100%0D"] {
        assert_eq!(decoded(&escaped(text)), text);
    }
}

#[test]
fn a_place_that_is_not_known_is_left_out() {
    let mut outcome = examples::regressed();
    outcome.place = crate::outcome::Place::default();
    assert!(
        annotation(&outcome)
            .unwrap()
            .starts_with("::error title=regressed%3A shop/cart::")
    );
}

fn many(outcome: &Outcome, number: usize) -> Vec<Outcome> {
    let named = |i: usize| Outcome {
        key: Key {
            scenario: format!("s/{i:02}").parse().unwrap(),
            ..outcome.key.clone()
        },
        ..outcome.clone()
    };
    (0..number).map(named).collect()
}

#[test]
fn the_runner_keeps_ten_of_a_kind_so_the_rest_is_counted() {
    let mut outcomes = many(&examples::inconclusive(), 12);
    outcomes.extend(many(&examples::regressed(), 13));
    let lines = Annotations::worst_first(&outcomes).lines;
    let starts = |start: &str| lines.iter().filter(|line| line.starts_with(start)).count();
    assert_eq!((starts("::error "), starts("::warning ")), (10, 10));
    assert_eq!(
        lines.last().unwrap(),
        "::notice title=perf::5 more in the step summary"
    );
    assert!(lines[0].contains("s/00"), "{}", lines[0]);
}

#[test]
fn few_annotations_need_no_notice() {
    let lines = Annotations::worst_first(&examples::all()).lines;
    assert_eq!(lines.len(), 6, "{lines:?}");
    assert!(lines.iter().all(|line| !line.starts_with("::notice")));
}
