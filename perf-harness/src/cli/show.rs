//! A baseline beside its pending session.

use std::collections::BTreeMap;
use std::io;

use serde_json::Value;

use super::arguments::ShowArguments;
use super::error::CliError;
use super::exit_code::Exit;
use super::filter::select;
use super::list::known_keys;
use super::pending_files;
use super::surroundings::Surroundings;
use crate::baseline::{Baseline, Key, Pending, Project};
use crate::report::{Column, Style, Table, counted, median_change, value};
use crate::sample::Metric;
use crate::stats::median;

pub(super) fn show(
    arguments: &ShowArguments,
    surroundings: &Surroundings,
    out: &mut impl io::Write,
) -> Result<Exit, CliError> {
    let keys = known_keys(&surroundings.project)?;
    for (place, key) in select(&keys, &arguments.filter, "baseline or pending session")?
        .iter()
        .enumerate()
    {
        let separator = if place > 0 { "\n" } else { "" };
        let text = page(key, &surroundings.project)?;
        out.write_all(format!("{separator}{text}").as_bytes())?;
    }
    Ok(Exit::Clean)
}

/// All that is known of one scenario.
///
/// # Errors
///
/// [`CliError`] when its pending file cannot be read. A baseline that cannot be used is shown as
/// what it is, since the pending session may be what replaces it.
pub(super) fn page(key: &Key, project: &Project) -> Result<String, CliError> {
    let pending = pending_files::read(&project.pending(), key)?;
    let head = format!("{}  {}  {}\n", key.scenario, key.package, key.class);
    let text = match project.baselines().read(key) {
        Ok(baseline) => head + &compared(baseline.as_ref(), pending.as_ref()),
        Err(error) => format!("{head}  {error}\n{}", compared(None, pending.as_ref())),
    };
    Ok(text)
}

fn compared(baseline: Option<&Baseline>, pending: Option<&Pending>) -> String {
    let parts = [
        baseline.map_or_else(|| "  baseline: none\n".to_owned(), accepted),
        load(
            baseline.map(|baseline| &baseline.load),
            pending.map(|pending| &pending.load),
        ),
        pending.map_or_else(String::new, verdict),
        table(baseline, pending).to_text(Style::Plain),
    ];
    parts.concat()
}

fn accepted(baseline: &Baseline) -> String {
    let sessions = counted(baseline.sessions.len() as u64, "session");
    let mut text = format!("  baseline: {sessions}");
    if let Some(revision) = &baseline.accepted.revision {
        text += &format!(", accepted at {revision}");
    }
    if let Some(reason) = &baseline.accepted.reason {
        let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
        text += &format!("\n  reason: {reason}");
    }
    text + "\n"
}

/// The load of the baseline, and that of the pending session where it is another.
fn load(
    baseline: Option<&BTreeMap<String, Value>>,
    pending: Option<&BTreeMap<String, Value>>,
) -> String {
    let line = |label: &str, load: &BTreeMap<String, Value>| {
        let fields: Vec<String> = load
            .iter()
            .map(|(name, value)| format!("{name} {value}"))
            .collect();
        format!("  {label}: {}\n", fields.join(", "))
    };
    match (baseline, pending) {
        (Some(before), Some(now)) if before != now => {
            line("load", before) + &line("pending load", now)
        }
        (Some(load), _) | (None, Some(load)) => line("load", load),
        (None, None) => String::new(),
    }
}

fn verdict(pending: &Pending) -> String {
    let rounds = counted(pending.session.rounds.len() as u64, "round");
    let breached: Vec<&str> = pending
        .breached
        .iter()
        .map(|metric| metric.name())
        .collect();
    let worse = match breached.join(", ") {
        names if names.is_empty() => names,
        names => format!(", worse by the threshold: {names}"),
    };
    format!("  pending: {}, {rounds}{worse}\n", pending.verdict)
}

/// A line a session with its medians, oldest first, and the change that accepting would be.
fn table(baseline: Option<&Baseline>, pending: Option<&Pending>) -> Table {
    let columns = [
        "throughput",
        "p50",
        "p90",
        "p99",
        "p999",
        "mean",
        "cpu",
        "memory",
    ];
    let columns = columns.into_iter().map(Column::Right);
    let mut table = Table::new(std::iter::once(Column::Left("session")).chain(columns));
    if let Some(baseline) = baseline {
        add_baseline(&mut table, baseline);
    }
    if let Some(pending) = pending {
        add_pending(&mut table, pending, baseline);
    }
    table
}

fn add_pending(table: &mut Table, pending: &Pending, baseline: Option<&Baseline>) {
    let now = pending.session.medians();
    table.row(row("pending", |metric| {
        shown(metric, now.get(&metric).copied())
    }));
    if let Some(baseline) = baseline {
        let before = medians(baseline);
        let change =
            |metric| median_change(before.get(&metric).copied(), now.get(&metric).copied());
        table.row(row("change", change));
    }
}

fn add_baseline(table: &mut Table, baseline: &Baseline) {
    let previous = &baseline.accepted.previous;
    if !previous.is_empty() {
        table.row(row("previous", |metric| {
            shown(metric, previous.get(&metric).copied())
        }));
    }
    for (place, session) in baseline.sessions.iter().enumerate() {
        table.row(row(&format!("{}", place + 1), |metric| {
            shown(metric, session.median(metric))
        }));
    }
}

fn row(label: &str, cell: impl Fn(Metric) -> String) -> Vec<String> {
    std::iter::once(label.to_owned())
        .chain(Metric::ALL.into_iter().map(cell))
        .collect()
}

fn shown(metric: Metric, number: Option<f64>) -> String {
    number.map_or_else(String::new, |number| value(metric, number))
}

/// The median over the accepted sessions, of the metrics that all of them have.
fn medians(baseline: &Baseline) -> BTreeMap<Metric, f64> {
    let of = |metric| {
        let medians: Option<Vec<f64>> = baseline
            .sessions
            .iter()
            .map(|session| session.median(metric))
            .collect();
        Some((metric, median(&medians?)?))
    };
    Metric::ALL.into_iter().filter_map(of).collect()
}
