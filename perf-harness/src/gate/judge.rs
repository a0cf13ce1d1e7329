//! From changes to a verdict.

use serde::{Deserialize, Serialize};

use super::change::{Change, Status, worsening};
use super::finding::Finding;
use super::threshold::Gate;
use super::verdict::Verdict;
use crate::baseline::Session;
use crate::sample::Metric;

/// What is compared: the accepted sessions, and one that was measured now.
#[derive(Clone, Copy, Debug)]
pub struct Comparison<'a> {
    /// The accepted sessions; none for a scenario without a baseline.
    pub before: &'a [Session],
    /// All rounds that were measured now.
    pub now: &'a Session,
    /// Those of them that were measured again after a breach, on fresh starts.
    pub again: Option<&'a Session>,
    /// Share of requests that may fail.
    pub error_budget: f64,
    /// What happened to the first request that failed.
    pub first_error: Option<&'a str>,
    /// Set when the client was the limit: throughput is then not the server's.
    pub saturated: Option<&'a Finding>,
}

/// A verdict with what it rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// Every metric that has a value, compared.
    pub changes: Vec<Change>,
    /// The reasons.
    pub findings: Vec<Finding>,
}

impl Judgement {
    /// A judgement without numbers.
    #[must_use]
    pub fn without_numbers(verdict: Verdict, findings: Vec<Finding>) -> Self {
        Self {
            verdict,
            changes: Vec::new(),
            findings,
        }
    }

    /// Whether more rounds could still change the verdict: a breach is to be confirmed, or the
    /// rounds do not decide.
    #[must_use]
    pub fn wants_more_rounds(&self) -> bool {
        matches!(self.verdict, Verdict::Regressed | Verdict::Inconclusive)
    }
}

/// Judges a session.
#[must_use]
pub fn judge(gate: &Gate, comparison: &Comparison<'_>) -> Judgement {
    let changes = changes(gate, comparison);
    let mut findings = breaks(comparison);
    if !findings.is_empty() {
        return Judgement {
            verdict: Verdict::Broken,
            changes,
            findings,
        };
    }
    if comparison.before.is_empty() {
        return Judgement {
            verdict: Verdict::New,
            changes,
            findings,
        };
    }
    let verdict = verdict(&changes, comparison, &mut findings);
    findings.extend(thin(comparison.before));
    Judgement {
        verdict,
        changes,
        findings,
    }
}

fn changes(gate: &Gate, comparison: &Comparison<'_>) -> Vec<Change> {
    let requests = comparison
        .now
        .rounds
        .iter()
        .map(|round| round.sent)
        .min()
        .unwrap_or(0);
    let change = |metric: Metric| {
        let limit = gate
            .of(metric)
            .filter(|_| requests >= metric.least_requests());
        Change::of(metric, limit, comparison.before, comparison.now)
    };
    let worth_showing = |change: &Change| change.status != Status::Shown || change.now.is_some();
    Metric::ALL
        .into_iter()
        .map(change)
        .filter(worth_showing)
        .collect()
}

/// What makes a measurement worthless, whatever its numbers are.
fn breaks(comparison: &Comparison<'_>) -> Vec<Finding> {
    let rounds = &comparison.now.rounds;
    if rounds.is_empty() || rounds.iter().any(|round| round.ok == 0) {
        return vec![Finding::NothingMeasured];
    }
    let failed: u64 = rounds.iter().map(crate::baseline::Round::failed).sum();
    let sent: u64 = rounds.iter().map(|round| round.sent).sum();
    if failed as f64 > comparison.error_budget * sent as f64 {
        return vec![Finding::Errors {
            failed,
            sent,
            example: comparison.first_error.map(str::to_owned),
        }];
    }
    Vec::new()
}

fn verdict(
    changes: &[Change],
    comparison: &Comparison<'_>,
    findings: &mut Vec<Finding>,
) -> Verdict {
    findings.extend(changes.iter().filter_map(missing));
    if !findings.is_empty() {
        return Verdict::Missing;
    }
    findings.extend(changes.iter().filter_map(collapsed));
    if !findings.is_empty() {
        return Verdict::Broken;
    }
    let worse = changes
        .iter()
        .filter(|change| change.status == Status::Worse);
    let (confirmed, doubted): (Vec<_>, Vec<_>) = worse
        .map(|change| doubt(change, comparison))
        .partition(Option::is_none);
    findings.extend(doubted.into_iter().flatten());
    findings.extend(unmeasurable(changes, comparison));
    let guards = guards(comparison);
    if !confirmed.is_empty() {
        findings.extend(guards);
        return Verdict::Regressed;
    }
    let unclear = changes
        .iter()
        .any(|change| change.status == Status::Unclear);
    if unclear || !findings.is_empty() || !guards.is_empty() {
        findings.extend(guards);
        return Verdict::Inconclusive;
    }
    let better = changes.iter().any(|change| change.status == Status::Better);
    if better {
        Verdict::Improved
    } else {
        Verdict::Pass
    }
}

fn missing(change: &Change) -> Option<Finding> {
    (change.status == Status::Missing).then(|| Finding::NoValue {
        metric: change.metric,
        in_baseline: change.before.is_none(),
    })
}

/// Ten times better is hardly tuning: an early return, an empty reply, a stub.
const COLLAPSE_FACTOR: f64 = 10.0;

fn collapsed(change: &Change) -> Option<Finding> {
    let (before, now) = (change.before?, change.now?);
    let factor = (before / now).max(now / before);
    (change.status == Status::Better && factor >= COLLAPSE_FACTOR).then_some(Finding::Collapsed {
        metric: change.metric,
        factor,
    })
}

/// Why a breach does not count as a regression; `None` when it does.
fn doubt(change: &Change, comparison: &Comparison<'_>) -> Option<Finding> {
    if change.metric == Metric::Throughput
        && let Some(saturated) = comparison.saturated
    {
        return Some(saturated.clone());
    }
    let again = comparison.again?;
    let limit: super::Threshold = change.threshold.as_ref()?.parse().ok()?;
    let breached = worsening(change.metric, comparison.before, again)
        .is_some_and(|worsening| worsening.point >= limit.worsening(change.metric));
    (!breached).then_some(Finding::NotConfirmed {
        metric: change.metric,
    })
}

fn unmeasurable(changes: &[Change], comparison: &Comparison<'_>) -> Option<Finding> {
    let without_interval =
        |change: &Change| change.status == Status::Unclear && change.low.is_none();
    changes
        .iter()
        .any(without_interval)
        .then(|| Finding::TooFewRounds {
            baseline: comparison
                .before
                .iter()
                .map(|session| session.rounds.len())
                .sum(),
            now: comparison.now.rounds.len(),
        })
}

/// What forbids a pass without being a regression.
fn guards(comparison: &Comparison<'_>) -> Vec<Finding> {
    work_changed(comparison).into_iter().collect()
}

/// Replies that differ by more than this share in size are not the same work. Dates and
/// identifiers in a page move it by less.
const SAME_WORK: f64 = 0.01;

fn work_changed(comparison: &Comparison<'_>) -> Option<Finding> {
    let baseline = comparison.before.last()?.bytes_a_reply()?;
    let now = comparison.now.bytes_a_reply()?;
    let differs = (now - baseline).abs() > SAME_WORK * baseline.max(1.0);
    differs.then_some(Finding::WorkChanged { baseline, now })
}

fn thin(before: &[Session]) -> Option<Finding> {
    let sessions = before.len();
    (sessions < 3).then_some(Finding::Thin { sessions })
}
