//! One compared metric as cells of a table.

use super::style::Tone;
use super::table::{Column, Table};
use super::units::{percent, signed_percent, signed_tenths, value};
use crate::gate::{Change, Judgement, Status, Verdict};

/// The headings of [`cells`].
pub(super) const COLUMNS: [Column; 6] = [
    Column::Left("metric"),
    Column::Right("baseline"),
    Column::Right("now"),
    Column::Left("change"),
    Column::Right("threshold"),
    Column::Left("verdict"),
];

/// Where the verdict word of a metric stands.
const VERDICT: usize = 5;

/// Metric, baseline, now, change with its interval, threshold, verdict word.
///
/// A metric without a value has a word only where that is the verdict; before anything was
/// accepted nothing can be missing.
pub(super) fn cells(change: &Change, verdict: Verdict) -> [String; 6] {
    let shown = |number: Option<f64>| {
        number.map_or_else(String::new, |number| value(change.metric, number))
    };
    [
        change.metric.to_string(),
        shown(change.before),
        shown(change.now),
        with_interval(change),
        change.threshold.clone().unwrap_or_default(),
        word(change, verdict).to_owned(),
    ]
}

/// All compared metrics; without a baseline only their values.
pub(super) fn table(judgement: &Judgement) -> Table {
    let mut table = Table::new(COLUMNS);
    for change in &judgement.changes {
        let cells = cells(change, judgement.verdict);
        table.toned_row(VERDICT, Tone::of_status(change.status), cells);
    }
    table
}

/// `throughput -21.3% (12,345/s -> 9,716/s, threshold 5%)`.
pub(super) fn sentence(change: &Change) -> String {
    let metric = change.metric;
    let Some(share) = change.change else {
        return format!("{metric} has no value to judge");
    };
    let values = match (change.before, change.now) {
        (Some(before), Some(now)) => {
            format!("{} -> {}, ", value(metric, before), value(metric, now))
        }
        _ => String::new(),
    };
    let threshold = change.threshold.as_deref().unwrap_or("none");
    format!(
        "{metric} {} ({values}threshold {threshold})",
        signed_percent(share)
    )
}

/// `throughput 5.3%, p99 24.1%`: what this comparison would have shown; `None` without a comparison.
pub(super) fn detectable(changes: &[Change]) -> Option<String> {
    let of = |change: &Change| Some(format!("{} {}", change.metric, percent(change.detectable?)));
    let parts: Vec<String> = changes.iter().filter_map(of).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// The change from one median to another, as signed percent; empty where one is not there.
#[cfg(feature = "cli")]
pub(crate) fn median_change(before: Option<f64>, now: Option<f64>) -> String {
    match (before, now) {
        (Some(before), Some(now)) if before > 0.0 => signed_percent(now / before - 1.0),
        _ => String::new(),
    }
}

fn with_interval(change: &Change) -> String {
    let Some(share) = change.change else {
        return String::new();
    };
    match (change.low, change.high) {
        (Some(low), Some(high)) => format!("{} ({})", signed_percent(share), interval(low, high)),
        _ => signed_percent(share),
    }
}

fn interval(low: f64, high: f64) -> String {
    format!(
        "{} … {}",
        signed_tenths(low * 100.0),
        signed_tenths(high * 100.0)
    )
}

/// What was compared with nothing is not `ok`.
fn word(change: &Change, verdict: Verdict) -> &'static str {
    match change.status {
        Status::Within if change.change.is_none() => "",
        Status::Within => "ok",
        Status::Better => "better",
        Status::Worse => "worse",
        Status::Unclear => "unclear",
        Status::Missing if verdict == Verdict::Missing => "missing",
        Status::Missing | Status::Shown => "",
    }
}
