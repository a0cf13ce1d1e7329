//! What the rounds tell beside the compared metrics, one line a subject.

use std::collections::BTreeMap;

use super::foreign::one_line;
use super::units::{grouped, value};
use crate::outcome::{OpenLoopDetail, Outcome, RoundDetail, Span, StepDetail};
use crate::sample::Metric;
use crate::stats::median;

/// Characters of a step's name that are shown.
const MOST_OF_A_NAME: usize = 40;

/// Labels with their texts; none for a plain closed loop with replies of one status.
pub(super) fn lines(outcome: &Outcome) -> Vec<(String, String)> {
    let rounds = &outcome.rounds;
    let open = open_loop(rounds).map(|text| ("open loop:".to_owned(), text));
    let statuses = statuses(rounds).map(|text| ("statuses:".to_owned(), text));
    open.into_iter()
        .chain(steps(rounds))
        .chain(statuses)
        .collect()
}

/// `2,000/s`: the median of what the rounds were asked for; `None` of a closed loop.
pub(super) fn asked_rate(rounds: &[RoundDetail]) -> Option<String> {
    let asked = open_loops(rounds).map(|open| open.asked);
    Some(value(Metric::Throughput, median_of(asked)?))
}

fn open_loops(rounds: &[RoundDetail]) -> impl Iterator<Item = &OpenLoopDetail> {
    rounds.iter().filter_map(|round| round.open_loop.as_ref())
}

/// Medians over the rounds: `2,000/s asked, 1,998/s sent (0.999), lag p99 84.0 µs, …`.
fn open_loop(rounds: &[RoundDetail]) -> Option<String> {
    let sent = median_of(open_loops(rounds).map(|open| open.sent))?;
    let ratio = median_of(open_loops(rounds).filter_map(|open| open.rate_ratio));
    let ratio = ratio.map(|ratio| format!(" ({ratio:.3})"));
    let p99 = |name: &str, span: fn(&OpenLoopDetail) -> Option<Span>| {
        let values = open_loops(rounds)
            .filter_map(span)
            .map(|span| span.p99_ns as f64);
        median_of(values).map(|p99| format!(", {name} p99 {}", value(Metric::P99, p99)))
    };
    let parts = [
        Some(format!("{} asked, ", asked_rate(rounds)?)),
        Some(format!("{} sent", value(Metric::Throughput, sent))),
        ratio,
        p99("lag", |open| open.lag),
        p99("uncorrected", |open| open.uncorrected),
    ];
    Some(parts.into_iter().flatten().collect())
}

/// The steps of all rounds, in the order in which they were first taken.
fn steps(rounds: &[RoundDetail]) -> Vec<(String, String)> {
    let mut names: Vec<&str> = Vec::new();
    for step in rounds.iter().flat_map(|round| &round.steps) {
        if !names.contains(&step.name.as_str()) {
            names.push(&step.name);
        }
    }
    names.into_iter().map(|name| step(name, rounds)).collect()
}

/// `step pay:` `p50 1.20 ms, p99 3.10 ms, failed 0`: medians over the rounds, and the sum.
fn step(name: &str, rounds: &[RoundDetail]) -> (String, String) {
    let steps = rounds.iter().flat_map(|round| &round.steps);
    let steps: Vec<&StepDetail> = steps.filter(|step| step.name == name).collect();
    let spans = || steps.iter().filter_map(|step| step.latency);
    let at = |metric: Metric, values: Option<f64>| {
        values.map(|nanos| format!("{metric} {}, ", value(metric, nanos)))
    };
    let p50 = at(
        Metric::P50,
        median_of(spans().map(|span| span.p50_ns as f64)),
    );
    let p99 = at(
        Metric::P99,
        median_of(spans().map(|span| span.p99_ns as f64)),
    );
    let failed: u64 = steps.iter().map(|step| step.failed).sum();
    let text = [p50, p99].into_iter().flatten().collect::<String>();
    (
        format!("step {}:", one_line(name, MOST_OF_A_NAME)),
        format!("{text}failed {}", grouped(failed as f64)),
    )
}

/// `49,998 × 200, 2 × 500`, over all rounds; `None` unless there are several.
fn statuses(rounds: &[RoundDetail]) -> Option<String> {
    let mut sums: BTreeMap<u16, u64> = BTreeMap::new();
    for (status, replies) in rounds.iter().flat_map(|round| &round.statuses) {
        *sums.entry(*status).or_default() += replies;
    }
    let each = sums
        .iter()
        .map(|(status, replies)| format!("{} × {status}", grouped(*replies as f64)));
    (sums.len() > 1).then(|| each.collect::<Vec<_>>().join(", "))
}

fn median_of(values: impl Iterator<Item = f64>) -> Option<f64> {
    median(&values.collect::<Vec<_>>())
}
