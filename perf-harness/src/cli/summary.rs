//! One page and one exit code over all scenarios of the last run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;

use super::arguments::{Format, SummaryArguments};
use super::error::CliError;
use super::exit_code::Exit;
use super::outcomes;
use super::surroundings::Surroundings;
use crate::baseline::Key;
use crate::gate::{Finding, Judgement, Verdict};
use crate::name::ScenarioName;
use crate::outcome::{Outcome, Place};
use crate::report::github::Annotations;
use crate::report::{json, markdown, overview};

const NOTHING_GATED: &str = "nothing was gated: no scenario ran, or all were skipped or ran as a debug build; run `cargo test` first";

pub(super) fn summary(
    arguments: &SummaryArguments,
    surroundings: &Surroundings,
    out: &mut impl io::Write,
) -> Result<Exit, CliError> {
    let mut outcomes = outcomes::read_all(&surroundings.project)?;
    let missing = missing(arguments, surroundings, &outcomes)?;
    let annotations = Annotations::worst_first(&missing);
    outcomes.extend(missing);
    if arguments.github {
        let path = surroundings
            .step_summary
            .as_deref()
            .ok_or(CliError::NoStepSummary)?;
        append(path, &page(&outcomes))?;
    }
    let text = match arguments.format {
        Format::Text => text(&outcomes, surroundings),
        Format::Markdown => page(&outcomes),
        Format::Json => json::list_to_text(&outcomes),
    };
    out.write_all(text.as_bytes())?;
    if arguments.github && arguments.format == Format::Text {
        annotations
            .lines
            .iter()
            .try_for_each(|line| writeln!(out, "{line}"))?;
    }
    Ok(exit(&outcomes, arguments))
}

fn text(outcomes: &[Outcome], surroundings: &Surroundings) -> String {
    let table = overview(outcomes, surroundings.style);
    if something_was_gated(outcomes) {
        table
    } else {
        format!("{table}{NOTHING_GATED}\n")
    }
}

fn page(outcomes: &[Outcome]) -> String {
    let page = markdown::step_summary(outcomes);
    if something_was_gated(outcomes) {
        page
    } else {
        format!("{page}\n{NOTHING_GATED}\n")
    }
}

fn exit(outcomes: &[Outcome], arguments: &SummaryArguments) -> Exit {
    if !something_was_gated(outcomes) || outcomes.iter().any(Outcome::fails) {
        return Exit::Red;
    }
    let undecided = |outcome: &Outcome| outcome.judgement.verdict == Verdict::Inconclusive;
    if arguments.strict && outcomes.iter().any(undecided) {
        return Exit::Inconclusive;
    }
    Exit::Clean
}

/// An empty folder is no pass, and neither is a run in which nothing was compared.
fn something_was_gated(outcomes: &[Outcome]) -> bool {
    let idle = |verdict: Verdict| matches!(verdict, Verdict::NotGated | Verdict::Skipped);
    outcomes
        .iter()
        .any(|outcome| !idle(outcome.judgement.verdict))
}

/// What should have run and has no outcome.
fn missing(
    arguments: &SummaryArguments,
    surroundings: &Surroundings,
    outcomes: &[Outcome],
) -> Result<Vec<Outcome>, CliError> {
    let mut baselines: Vec<Key> = surroundings.project.baselines().keys()?;
    baselines.retain(|key| key.class == surroundings.class);
    let ran: BTreeSet<&Key> = outcomes.iter().map(|outcome| &outcome.key).collect();
    let named: BTreeSet<&ScenarioName> = ran.iter().map(|key| &key.scenario).collect();
    let required = arguments
        .require
        .iter()
        .filter(|name| !named.contains(name));
    let required = required.map(|name| (required_key(name, &baselines, surroundings), None));
    let mut missing: BTreeMap<Key, Option<String>> = required.collect();
    if arguments.complete {
        let orphans = baselines.into_iter().filter(|key| !ran.contains(key));
        let file = |key: &Key| Some(surroundings.project.baseline_file(key));
        orphans.for_each(|key| _ = missing.entry(key.clone()).or_insert_with(|| file(&key)));
    }
    Ok(missing
        .into_iter()
        .map(|(key, file)| not_run(key, file, surroundings))
        .collect())
}

/// Only a baseline tells the package of a scenario that did not run.
fn required_key(name: &ScenarioName, baselines: &[Key], surroundings: &Surroundings) -> Key {
    let known = baselines.iter().find(|key| key.scenario == *name).cloned();
    known.unwrap_or_else(|| Key {
        class: surroundings.class.clone(),
        package: "unknown".to_owned(),
        scenario: name.clone(),
    })
}

/// No test speaks of it: the outcome is made here.
fn not_run(key: Key, baseline: Option<String>, surroundings: &Surroundings) -> Outcome {
    let finding = Finding::NotRun { baseline };
    Outcome {
        key,
        judgement: Judgement::without_numbers(Verdict::Missing, vec![finding]),
        session: None,
        accepted: None,
        warnings: Vec::new(),
        pending: None,
        connections: 0,
        duration: None,
        rounds: Vec::new(),
        endpoint: None,
        place: Place::default(),
        reported_only: false,
        workspace: surroundings.project.root().to_owned(),
    }
}

/// One write, since several steps and processes may share the file.
fn append(path: &Path, text: &str) -> Result<(), CliError> {
    let file = OpenOptions::new().append(true).create(true).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|source| CliError::File {
            path: path.to_owned(),
            source,
        })
}

#[cfg(test)]
mod tests;
