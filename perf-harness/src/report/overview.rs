//! All scenarios of a run at a glance, for terminals.

use super::ranking::{counts, wants_attention, worst_first};
use super::reason;
use super::style::{Style, Tone};
use super::table::{Column, Table};
use super::units::{signed_percent, value};
use super::wrap::labelled;
use crate::gate::Change;
use crate::outcome::Outcome;
use crate::sample::Metric;

/// A line a scenario, reds first, then why the reds are red, then how many there are of each.
#[must_use]
pub fn overview(outcomes: &[Outcome], style: Style) -> String {
    let ranked = worst_first(outcomes);
    let reasons = ranked
        .iter()
        .filter(|outcome| wants_attention(outcome))
        .map(|outcome| why(outcome));
    let parts = [
        table(&ranked).to_text(style),
        reasons.collect(),
        counts(outcomes) + "\n",
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

fn table(ranked: &[&Outcome]) -> Table {
    let mut table = Table::new([
        Column::Left("verdict"),
        Column::Left("scenario"),
        Column::Right("throughput"),
        Column::Right("p99"),
        Column::Right("cpu"),
    ]);
    for outcome in ranked {
        table.toned_row(0, Tone::of_verdict(outcome.judgement.verdict), row(outcome));
    }
    table
}

fn row(outcome: &Outcome) -> Vec<String> {
    let mut cells = vec![
        outcome.judgement.verdict.to_string(),
        outcome.key.scenario.to_string(),
    ];
    cells.extend(headline_metrics(outcome));
    cells
}

/// The metrics that are judged by default, in the order of the columns.
pub(super) fn headline_metrics(outcome: &Outcome) -> [String; 3] {
    [Metric::Throughput, Metric::P99, Metric::Cpu].map(|metric| {
        let change = outcome
            .judgement
            .changes
            .iter()
            .find(|change| change.metric == metric);
        change.map(short).unwrap_or_default()
    })
}

/// The change, or the value where nothing was compared.
fn short(change: &Change) -> String {
    let now = || change.now.map(|now| value(change.metric, now));
    change
        .change
        .map(signed_percent)
        .or_else(now)
        .unwrap_or_default()
}

fn why(outcome: &Outcome) -> String {
    let label = format!("{} {}:", outcome.judgement.verdict, outcome.key.scenario);
    labelled(&label, &reason::lines(outcome).join("; "))
}
