//! From changes to a verdict.

use serde::{Deserialize, Serialize};

use super::change::{Change, Status, is_firm, worsening};
use super::finding::Finding;
use super::threshold::{Gate, Threshold};
use super::verdict::Verdict;
use crate::baseline::{Round, Session};
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
    /// Requests that each round was asked for; `None` when time may end a round before.
    pub requests: Option<u64>,
    /// Set when a deadline cut a round: its numbers are those of a part of the load.
    pub cut: Option<&'a Finding>,
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

    /// Whether more rounds could still change the verdict: a breach or a gain is to be confirmed,
    /// or the rounds do not decide.
    #[must_use]
    pub fn wants_more_rounds(&self) -> bool {
        matches!(
            self.verdict,
            Verdict::Regressed | Verdict::Improved | Verdict::Inconclusive
        )
    }

    /// The judged metrics that are worse by their threshold or more, sure or not.
    pub fn breached(&self) -> impl Iterator<Item = Metric> + '_ {
        let breached = |change: &&Change| {
            let limit: Option<Threshold> =
                change.threshold.as_ref().and_then(|text| text.parse().ok());
            limit
                .zip(change.worsening())
                .is_some_and(|(limit, worsening)| worsening >= limit.worsening(change.metric))
        };
        self.changes
            .iter()
            .filter(breached)
            .map(|change| change.metric)
    }
}

/// Judges a session.
#[must_use]
pub fn judge(gate: &Gate, comparison: &Comparison<'_>) -> Judgement {
    let changes = changes(gate, comparison);
    let (verdict, mut findings) = verdict(gate, &changes, comparison);
    if !comparison.before.is_empty() && verdict != Verdict::Broken {
        findings.extend(thin(comparison));
    }
    Judgement {
        verdict,
        changes,
        findings,
    }
}

fn changes(gate: &Gate, comparison: &Comparison<'_>) -> Vec<Change> {
    let requests = requests_of_a_round(comparison);
    let change = |metric: Metric| {
        let limit = gate
            .of(metric)
            .filter(|_| requests >= metric.least_requests());
        let change = Change::of(metric, limit, comparison.before, comparison.now);
        settled(change, gate, comparison)
    };
    let worth_showing = |change: &Change| change.is_judged() || change.now.is_some();
    Metric::ALL
        .into_iter()
        .map(change)
        .filter(worth_showing)
        .collect()
}

/// Requests that every round has, now or in the baseline. A round that time ends has the fewer, the
/// slower the server is: a percentile that was judged must not cease to be by that.
fn requests_of_a_round(comparison: &Comparison<'_>) -> u64 {
    let fewest = |sessions: &[Session]| {
        let rounds = sessions.iter().flat_map(|session| &session.rounds);
        rounds.map(|round| round.sent).min().unwrap_or(0)
    };
    fewest(comparison.before).max(fewest(std::slice::from_ref(comparison.now)))
}

/// A change as it stands after the second look: what was not seen again on fresh starts is unclear
/// when it is worse and nothing when it is better; a throughput that was the client's is unclear.
fn settled(mut change: Change, gate: &Gate, comparison: &Comparison<'_>) -> Change {
    let decided = change.is_judged() && change.status != Status::Missing;
    if decided && change.metric == Metric::Throughput && comparison.saturated.is_some() {
        change.status = Status::Unclear;
    }
    match change.status {
        Status::Worse if !seen_again(&change, gate, comparison, 1.0) => {
            change.status = Status::Unclear
        }
        Status::Better if !seen_again(&change, gate, comparison, -1.0) => {
            change.status = Status::Within
        }
        _ => {}
    }
    change
}

/// Whether the rounds on fresh starts, by themselves, show the threshold in the direction of
/// `sign` (1 worse, −1 better); true while there are none.
fn seen_again(change: &Change, gate: &Gate, comparison: &Comparison<'_>, sign: f64) -> bool {
    let Some(again) = comparison.again else {
        return true;
    };
    let limit = gate.of(change.metric);
    let worsening = worsening(change.metric, comparison.before, again);
    limit.zip(worsening).is_some_and(|(limit, worsening)| {
        sign * worsening.point >= limit.threshold.worsening(change.metric)
    })
}

/// The first of these that holds decides; nothing that stands further down can soften it.
fn verdict(
    gate: &Gate,
    changes: &[Change],
    comparison: &Comparison<'_>,
) -> (Verdict, Vec<Finding>) {
    let has = |status: Status| changes.iter().any(|change| change.status == status);
    let broken = [breaks(comparison), collapses(changes)].concat();
    if !broken.is_empty() {
        return (Verdict::Broken, broken);
    }
    if has(Status::Missing) {
        return (
            Verdict::Missing,
            changes.iter().filter_map(missing).collect(),
        );
    }
    if !changes.iter().any(Change::is_judged) {
        return (Verdict::NotGated, vec![Finding::NothingJudged]);
    }
    if comparison.before.is_empty() {
        return (Verdict::New, Vec::new());
    }
    let doubts = doubts(gate, changes, comparison);
    if has(Status::Worse) {
        return (Verdict::Regressed, doubts);
    }
    if has(Status::Unclear) || !doubts.is_empty() {
        return (Verdict::Inconclusive, doubts);
    }
    let verdict = if has(Status::Better) {
        Verdict::Improved
    } else {
        Verdict::Pass
    };
    (verdict, Vec::new())
}

/// What makes a measurement worthless, whatever its numbers are.
fn breaks(comparison: &Comparison<'_>) -> Vec<Finding> {
    let cut = comparison.cut.cloned();
    let other = nothing_measured(comparison)
        .or_else(|| miscounted(comparison))
        .or_else(|| too_many_errors(comparison));
    cut.into_iter().chain(other).collect()
}

fn nothing_measured(comparison: &Comparison<'_>) -> Option<Finding> {
    let rounds = &comparison.now.rounds;
    let nothing = rounds.is_empty() || rounds.iter().any(|round| round.ok == 0);
    nothing.then(|| Finding::NothingMeasured {
        example: comparison.first_error.map(str::to_owned),
    })
}

fn miscounted(comparison: &Comparison<'_>) -> Option<Finding> {
    // What a deadline cut was never sent whole; that is said by its own finding.
    let requests = comparison.requests.filter(|_| comparison.cut.is_none());
    let wanted = |round: &Round| requests.unwrap_or(round.sent);
    let accounted = |round: &Round| round.ok + round.failed();
    let rounds = &comparison.now.rounds;
    let wrong = |round: &&Round| round.sent != wanted(round) || round.sent != accounted(round);
    rounds.iter().find(wrong).map(|round| Finding::Miscounted {
        requests: wanted(round),
        sent: round.sent,
        accounted: accounted(round),
    })
}

fn too_many_errors(comparison: &Comparison<'_>) -> Option<Finding> {
    let rounds = &comparison.now.rounds;
    let failed: u64 = rounds.iter().map(Round::failed).sum();
    let sent: u64 = rounds.iter().map(|round| round.sent).sum();
    let over_budget = failed as f64 > comparison.error_budget * sent as f64;
    over_budget.then(|| Finding::Errors {
        failed,
        sent,
        example: comparison.first_error.map(str::to_owned),
    })
}

/// Ten times better is hardly tuning: an early return, an empty reply, a stub.
const COLLAPSE_FACTOR: f64 = 10.0;

fn collapses(changes: &[Change]) -> Vec<Finding> {
    let collapse = |change: &Change| {
        let (before, now) = (change.before?, change.now?);
        let factor = (before / now).max(now / before);
        (change.status == Status::Better && factor >= COLLAPSE_FACTOR).then_some(
            Finding::Collapsed {
                metric: change.metric,
                factor,
            },
        )
    };
    changes.iter().filter_map(collapse).collect()
}

fn missing(change: &Change) -> Option<Finding> {
    (change.status == Status::Missing).then(|| Finding::NoValue {
        metric: change.metric,
        in_baseline: change.now.is_some(),
    })
}

/// What forbids a pass without being a regression.
fn doubts(gate: &Gate, changes: &[Change], comparison: &Comparison<'_>) -> Vec<Finding> {
    let mut doubts: Vec<Finding> = changes
        .iter()
        .filter_map(|change| not_confirmed(change, gate, comparison))
        .collect();
    let throughput_is_judged =
        |change: &Change| change.metric == Metric::Throughput && change.is_judged();
    if changes.iter().any(throughput_is_judged) {
        doubts.extend(comparison.saturated.cloned());
    }
    doubts.extend(too_few_rounds(changes, comparison));
    doubts.extend(work_changed(comparison));
    doubts
}

/// A breach of all rounds together that the rounds on fresh starts did not show by themselves.
fn not_confirmed(change: &Change, gate: &Gate, comparison: &Comparison<'_>) -> Option<Finding> {
    comparison.again?;
    let limit = gate
        .of(change.metric)
        .filter(|_| change.status == Status::Unclear)?;
    let worsening = change.worsening()?;
    let breached = worsening >= limit.threshold.worsening(change.metric);
    (breached && !seen_again(change, gate, comparison, 1.0)).then_some(Finding::NotConfirmed {
        metric: change.metric,
    })
}

fn too_few_rounds(changes: &[Change], comparison: &Comparison<'_>) -> Option<Finding> {
    let without_interval =
        |change: &Change| change.status == Status::Unclear && change.low.is_none();
    let baseline = || {
        comparison
            .before
            .iter()
            .map(|session| session.rounds.len())
            .sum()
    };
    changes
        .iter()
        .any(without_interval)
        .then(|| Finding::TooFewRounds {
            baseline: baseline(),
            now: comparison.now.rounds.len(),
        })
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

fn thin(comparison: &Comparison<'_>) -> Option<Finding> {
    (!is_firm(comparison.before, comparison.now)).then_some(Finding::Thin {
        sessions: comparison.before.len(),
    })
}
