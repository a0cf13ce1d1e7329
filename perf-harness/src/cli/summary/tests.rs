use std::fs;

use crate::cli::exit_code::Exit;
use crate::cli::tests::Desk;
use crate::outcome::Outcome;
use crate::report::examples;

fn after(outcomes: &[Outcome]) -> Desk {
    let desk = Desk::new();
    outcomes
        .iter()
        .for_each(|outcome| desk.leaves_outcome(outcome));
    desk
}

#[test]
fn only_what_fails_is_red() {
    let exit = |outcome: Outcome| after(&[examples::pass(), outcome]).types("summary").0;
    for outcome in [
        examples::regressed(),
        examples::broken(),
        examples::missing(),
    ] {
        assert_eq!(exit(outcome), Exit::Red);
    }
    for outcome in [
        examples::thin(),
        examples::new(),
        examples::improved(),
        examples::inconclusive(),
    ] {
        assert_eq!(exit(outcome), Exit::Clean);
    }
}

#[test]
fn strict_tells_inconclusive_from_clean_but_never_hides_a_red() {
    assert_eq!(
        after(&[examples::inconclusive()])
            .types("summary --strict")
            .0,
        Exit::Inconclusive
    );
    assert_eq!(
        after(&[examples::pass()]).types("summary --strict").0,
        Exit::Clean
    );
    let both = after(&[examples::inconclusive(), examples::regressed()]);
    assert_eq!(both.types("summary --strict").0, Exit::Red);
}

#[test]
fn a_reported_regression_is_not_red() {
    let mut outcome = examples::regressed();
    outcome.reported_only = true;
    assert_eq!(after(&[outcome]).types("summary").0, Exit::Clean);
}

#[test]
fn nothing_measured_is_red() {
    let (exit, text) = Desk::new().types("summary");
    assert_eq!(exit, Exit::Red);
    assert!(text.contains("nothing was gated"), "{text}");
    let idle = after(&[examples::skipped(), examples::not_gated()]);
    assert_eq!(idle.types("summary").0, Exit::Red);
}

#[test]
fn an_outcome_that_cannot_be_read_is_an_error() {
    let desk = after(&[examples::pass()]);
    let folder = desk.surroundings.project.outcomes();
    fs::write(folder.join("cut.json"), "{\"schema\": 1").unwrap();
    let (exit, message) = desk.types("summary");
    assert_eq!(exit, Exit::Failed);
    assert!(
        message.contains("cut.json") && message.contains("run the scenario again"),
        "{message}"
    );
}

#[test]
fn a_complete_run_must_have_every_baseline_of_this_machine() {
    let mut desk = after(&[examples::pass()]);
    desk.commits("shop/home", 12_345.0);
    desk.commits("shop/forgotten", 12_345.0);
    assert_eq!(desk.types("summary").0, Exit::Clean);
    let (exit, text) = desk.types("summary --complete");
    assert_eq!(exit, Exit::Red);
    assert!(
        text.contains("missing shop/forgotten: no run measured it: run its test;"),
        "{text}"
    );
    let words: Vec<&str> = text.split_whitespace().collect();
    let class = desk.surroundings.class.as_str();
    let removal = format!("`git rm baselines/{class}/shop/shop/forgotten.json`;");
    assert!(words.join(" ").contains(&removal), "{text}");
    desk.surroundings.class = crate::host::MachineClass::named("other");
    assert_eq!(
        desk.types("summary --complete").0,
        Exit::Clean,
        "baselines of other machines do not count"
    );
}

#[test]
fn a_required_scenario_must_have_run() {
    let desk = after(&[examples::pass()]);
    assert_eq!(desk.types("summary --require shop/home").0, Exit::Clean);
    let (exit, text) = desk.types("summary --require shop/home --require shop/else");
    assert_eq!(exit, Exit::Red);
    assert!(text.contains("missing shop/else: it is required"), "{text}");
}

#[test]
fn a_required_scenario_is_missing_once() {
    let desk = after(&[examples::pass()]);
    desk.commits("shop/else", 12_345.0);
    let (_, text) = desk.types("summary --complete --require shop/else --require shop/else");
    assert!(text.contains("1 missing, 1 pass"), "{text}");
}

#[test]
fn the_step_summary_is_appended_once() {
    let mut desk = after(&[examples::regressed()]);
    let file = desk.path("step.md");
    fs::write(&file, "before\n").unwrap();
    desk.surroundings.step_summary = Some(file.clone());
    let (exit, text) = desk.types("summary --github");
    assert_eq!(exit, Exit::Red);
    assert!(
        text.lines()
            .all(|line| !line.trim_start().starts_with("::")),
        "{text}"
    );
    let page = fs::read_to_string(file).unwrap();
    assert!(
        page.starts_with("before\n## Performance: 1 regressed\n"),
        "{page}"
    );
}

#[test]
fn what_no_test_could_announce_is_annotated_on_github_only() {
    let mut desk = after(&[examples::regressed()]);
    desk.commits("shop/cart", 12_345.0);
    desk.commits("shop/forgotten", 12_345.0);
    desk.surroundings.step_summary = Some(desk.path("step.md"));
    let commands = |line: &str| {
        let text = desk.types(line).1;
        let commands = text.lines().filter(|line| line.starts_with("::"));
        commands.map(str::to_owned).collect::<Vec<_>>()
    };
    let found = commands("summary --github --complete");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with("::error title=missing%3A shop/forgotten::no run measured it"),
        "{found:?}"
    );
    for line in [
        "summary --complete",
        "summary --github",
        "summary --github --complete --format json",
        "summary --github --complete --format markdown",
    ] {
        assert_eq!(commands(line), [] as [String; 0], "{line}");
    }
}

#[test]
fn outcomes_of_another_workspace_are_ignored() {
    let desk = after(&[examples::pass()]);
    let mut other = examples::regressed();
    other.workspace = desk.path("other");
    let path = other.key.path(&desk.surroundings.project.outcomes());
    desk.writes(&path, &crate::report::json::to_text(&other));
    let (exit, text) = desk.types("summary --require shop/cart");
    assert_eq!(exit, Exit::Red);
    assert!(text.contains("1 missing, 1 pass"), "{text}");
    assert_eq!(desk.types("summary").0, Exit::Clean);
}

#[test]
fn a_workspace_behind_a_link_is_the_same() {
    let desk = Desk::new();
    let link = desk.path("link");
    std::os::unix::fs::symlink(desk.surroundings.project.root(), &link).unwrap();
    let mut outcome = examples::pass();
    outcome.workspace = link;
    let path = outcome.key.path(&desk.surroundings.project.outcomes());
    desk.writes(&path, &crate::report::json::to_text(&outcome));
    assert_eq!(desk.types("summary").0, Exit::Clean);
}

#[test]
fn without_a_step_summary_github_is_refused() {
    let (exit, message) = after(&[examples::pass()]).types("summary --github");
    assert_eq!(exit, Exit::Usage);
    assert!(message.contains("GITHUB_STEP_SUMMARY"), "{message}");
}

#[test]
fn every_format_has_every_scenario() {
    let desk = after(&examples::all());
    for format in ["text", "markdown", "json"] {
        let (_, text) = desk.types(&format!("summary --format {format}"));
        for outcome in examples::all() {
            assert!(
                text.contains(outcome.key.scenario.as_str()),
                "{format}: {text}"
            );
        }
    }
}
