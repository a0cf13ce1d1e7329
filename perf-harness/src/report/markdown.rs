//! The step summary of GitHub Actions: counts, a table reds first, details of what wants a look.
//!
//! A summary over 1 MiB is dropped as a whole by the runner, so whole scenarios are cut from the
//! end, and counted.

use super::change;
use super::detail;
use super::ranking::{counts, wants_attention, worst_first};
use super::{overview, reason, warning};
use crate::gate::Finding;
use crate::outcome::{Outcome, Warning};

/// Bytes that a summary may have.
const MOST_BYTES: usize = 900 * 1024;

/// Bytes of [`MOST_BYTES`] that the table of all scenarios may have.
const MOST_TABLE_BYTES: usize = MOST_BYTES / 2;

const TABLE_HEAD: &str =
    "| verdict | scenario | throughput | p99 | cpu | why |\n|---|---|--:|--:|--:|---|\n";

/// The summary of a run, in GitHub's Markdown, with a trailing newline.
#[must_use]
pub fn step_summary(outcomes: &[Outcome]) -> String {
    let ranked = worst_first(outcomes);
    let mut page = format!(
        "## Performance: {}\n\n{}",
        counts(outcomes),
        machines(outcomes)
    );
    if !ranked.is_empty() {
        page.push_str(TABLE_HEAD);
        let rows = ranked.iter().map(|outcome| row(outcome));
        add_while_it_fits(&mut page, rows, MOST_TABLE_BYTES, "of the table");
    }
    let details = ranked
        .into_iter()
        .filter(|outcome| wants_attention(outcome))
        .map(details);
    add_while_it_fits(&mut page, details, MOST_BYTES, "with details");
    page
}

/// Adds parts from the front until one does not fit; says how many were left out.
fn add_while_it_fits(
    page: &mut String,
    parts: impl Iterator<Item = String>,
    most: usize,
    what: &str,
) {
    let mut cut = 0;
    for part in parts {
        if cut > 0 || page.len() + part.len() > most {
            cut += 1;
        } else {
            page.push_str(&part);
        }
    }
    if cut > 0 {
        page.push_str(&format!(
            "\n{cut} more scenarios {what} were cut: the artifact has all of them.\n"
        ));
    }
}

fn machines(outcomes: &[Outcome]) -> String {
    let mut classes: Vec<&str> = outcomes
        .iter()
        .map(|outcome| outcome.key.class.as_str())
        .collect();
    classes.sort_unstable();
    classes.dedup();
    if classes.is_empty() {
        return String::new();
    }
    let plural = if classes.len() == 1 { "" } else { "es" };
    format!(
        "Machine class{plural}: {}\n\n",
        escaped(&classes.join(", "))
    )
}

fn row(outcome: &Outcome) -> String {
    let [throughput, p99, cpu] = overview::headline_metrics(outcome).map(|cell| escaped(&cell));
    let why = if wants_attention(outcome) {
        reason::lines(outcome).join("; ")
    } else {
        String::new()
    };
    format!(
        "| {} | {} | {throughput} | {p99} | {cpu} | {} |\n",
        verdict(outcome),
        escaped(outcome.key.scenario.as_str()),
        escaped(&why)
    )
}

/// What fails stands out without colours.
fn verdict(outcome: &Outcome) -> String {
    let verdict = outcome.judgement.verdict;
    if outcome.fails() {
        format!("**{verdict}**")
    } else {
        verdict.to_string()
    }
}

fn details(outcome: &Outcome) -> String {
    let parts = [
        format!(
            "\n### {}: {}\n\n",
            outcome.judgement.verdict,
            escaped(outcome.key.scenario.as_str())
        ),
        metrics(outcome),
        detail::lines(outcome).into_iter().map(line).collect(),
        outcome.judgement.findings.iter().map(finding).collect(),
        outcome.warnings.iter().map(note).collect(),
        place(outcome),
    ];
    parts.concat()
}

fn metrics(outcome: &Outcome) -> String {
    let changes = &outcome.judgement.changes;
    if changes.is_empty() {
        return String::new();
    }
    let rows = changes.iter().map(|change| {
        let cells = change::cells(change, outcome.judgement.verdict).map(|cell| escaped(&cell));
        format!("| {} |\n", cells.join(" | "))
    });
    let headings = change::COLUMNS
        .map(super::table::Column::heading)
        .join(" | ");
    let seen = change::detectable(changes)
        .map(|text| format!("- smallest detectable change: {}\n", escaped(&text)));
    format!(
        "| {headings} |\n|---|--:|--:|---|--:|---|\n{}\n{}",
        rows.collect::<String>(),
        seen.unwrap_or_default()
    )
}

fn line((label, text): (String, String)) -> String {
    format!("- {}\n", escaped(&format!("{label} {text}")))
}

fn finding(finding: &Finding) -> String {
    format!("- {}\n", escaped(&finding.to_string()))
}

fn note(warning: &Warning) -> String {
    let (own, foreign) = warning::sentence(warning);
    let text = [own.as_str(), foreign.unwrap_or_default()].join(" ");
    format!("- note: {}\n", escaped(text.trim_end()))
}

fn place(outcome: &Outcome) -> String {
    if outcome.place.file.is_empty() {
        return String::new();
    }
    format!(
        "- {}\n",
        escaped(&format!("{}:{}", outcome.place.file, outcome.place.line))
    )
}

/// Text that is neither markup nor HTML, on one line, so that it may stand in a table.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
    {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '$' | '!' => {
                escaped.extend(['\\', c])
            }
            c if c.is_control() => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests;
