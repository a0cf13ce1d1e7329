use super::*;
use crate::report::examples;

#[test]
fn a_written_outcome_is_read_back_equal() {
    for outcome in examples::all() {
        assert_eq!(from_text(&to_text(&outcome)).unwrap(), outcome);
    }
}

#[test]
fn the_same_outcome_has_the_same_bytes() {
    assert_eq!(
        to_text(&examples::regressed()),
        to_text(&examples::regressed())
    );
}

#[test]
fn a_cut_outcome_is_an_error() {
    let text = to_text(&examples::pass());
    for length in [0, 1, text.len() / 2, text.len() - 3] {
        assert!(from_text(&text[..length]).is_err(), "{length}");
    }
}

#[test]
fn another_schema_is_refused() {
    let text = to_text(&examples::pass()).replace("\"schema\": 1", "\"schema\": 2");
    let message = from_text(&text).unwrap_err().to_string();
    assert!(message.contains("schema 2"), "{message}");
}

#[test]
fn an_unknown_verdict_is_not_taken_for_a_pass() {
    let text = to_text(&examples::pass()).replace("\"pass\"", "\"fine\"");
    assert!(from_text(&text).is_err());
}

#[test]
fn a_list_holds_every_outcome() {
    let text = list_to_text(&examples::all());
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["schema"], 1);
    assert_eq!(
        value["outcomes"].as_array().unwrap().len(),
        examples::all().len()
    );
}

#[test]
fn an_outcome_of_a_former_version_has_no_rounds_in_time() {
    let text = to_text(&examples::pass());
    assert!(!text.contains("\"series\"") && !text.contains("\"duration\""));
    let outcome = from_text(&text).unwrap();
    assert_eq!((outcome.rounds.len(), outcome.duration), (0, None));
}

#[test]
fn a_time_series_is_one_line() {
    let text = to_text(&examples::open_loop());
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("\"series\""))
        .collect();
    assert_eq!(lines.len(), 5, "{text}");
    let row = r#"{"ok": 200, "failed": 0, "p99_ns": 3100000}"#;
    assert_eq!(lines[0].trim(), format!("\"series\": [{row}, {row}]"));
}
