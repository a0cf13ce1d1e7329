use crate::cli::exit_code::Exit;
use crate::cli::tests::{Desk, pending};
use crate::report::examples::key;

fn desk(answers: &str) -> Desk {
    let mut desk = Desk::new();
    desk.surroundings.interactive = true;
    desk.answers = answers.to_owned();
    desk.commits("shop/b", 12_345.0);
    desk.leaves_pending(&pending("shop/a", "new", 12_345.0));
    desk.leaves_pending(&pending("shop/b", "regressed", 9_716.0));
    desk.leaves_pending(&pending("shop/c", "new", 12_345.0));
    desk
}

fn reason(desk: &Desk) -> Option<String> {
    desk.baseline("shop/b").unwrap().accepted.reason
}

#[test]
fn every_session_is_asked_about() {
    let desk = desk("r\na\nmeant\ns\n");
    let (exit, text) = desk.types("review");
    assert_eq!(exit, Exit::Clean);
    assert_eq!(
        text.matches("a accept, r reject, s skip?").count(),
        3,
        "{text}"
    );
    assert!(desk.baseline("shop/a").is_none());
    assert_eq!(reason(&desk).as_deref(), Some("meant"));
    assert_eq!(desk.pending_keys(), [key("shop/c")]);
}

#[test]
fn a_regression_without_a_reason_is_skipped() {
    let desk = desk("s\na\n\ns\n");
    desk.types("review");
    assert_eq!(reason(&desk), None);
    assert_eq!(desk.pending_keys().len(), 3);
}

#[test]
fn an_answer_that_is_none_is_asked_again() {
    let desk = desk("what\nr\n");
    let (_, text) = desk.types("review");
    assert!(text.contains("type a, r or s"), "{text}");
    assert_eq!(desk.pending_keys(), [key("shop/b"), key("shop/c")]);
}

#[test]
fn the_end_of_the_answers_decides_nothing() {
    for answers in ["", "s\na\n"] {
        let desk = desk(answers);
        assert_eq!(desk.types("review").0, Exit::Clean);
        assert_eq!(desk.pending_keys().len(), 3);
    }
}

#[test]
fn passes_are_not_asked_about() {
    let mut desk = Desk::new();
    desk.surroundings.interactive = true;
    desk.leaves_pending(&pending("shop/a", "pass", 12_345.0));
    assert_eq!(
        desk.types("review"),
        (Exit::Clean, "nothing awaits review\n".to_owned())
    );
}

#[test]
fn without_a_terminal_or_in_ci_nothing_is_asked() {
    let mut desk = desk("a\na\na\n");
    desk.surroundings.interactive = false;
    let (exit, message) = desk.types("review");
    assert_eq!(exit, Exit::Usage);
    assert!(message.contains("`accept`"), "{message}");
    desk.surroundings.interactive = true;
    desk.surroundings.in_ci = true;
    assert_eq!(desk.types("review").0, Exit::Usage);
    assert_eq!(desk.pending_keys().len(), 3);
}

#[test]
fn a_file_that_cannot_be_read_is_named_and_the_others_are_asked_about() {
    let desk = desk("a\ns\ns\n");
    desk.leaves_unreadable("shop/x");
    let (exit, text) = desk.types("review");
    assert_eq!(exit, Exit::Failed);
    assert!(text.contains("skipped shop/x"), "{text}");
    assert!(desk.baseline("shop/a").is_some());
}
