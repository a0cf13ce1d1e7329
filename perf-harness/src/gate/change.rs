//! One metric, compared.

use serde::{Deserialize, Serialize};

use super::threshold::Limit;
use crate::baseline::{Session, five_digits};
use crate::sample::{Direction, Metric};
use crate::stats::{Interval, mean, median, prediction_interval, shift_interval};

/// The error rate at each end of an interval: a false regression, or a miss at twice the
/// threshold, in one of a hundred comparisons.
const ALPHA: f64 = 0.01;

/// From this many sessions on the spread between sessions is known well enough to be used.
pub(super) const FIRM_SESSIONS: usize = 3;

/// One metric, compared with the baseline. Shares are signed changes of the value itself: 0.05 is
/// five percent more, whatever that means for the metric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// Which metric.
    pub metric: Metric,
    /// The geometric mean of the accepted sessions' medians, in the metric's unit.
    pub before: Option<f64>,
    /// The median of the rounds now, in the metric's unit.
    pub now: Option<f64>,
    /// The change, as a share of `before`.
    pub change: Option<f64>,
    /// The lower end of the change's interval; `None` without a comparison.
    pub low: Option<f64>,
    /// The upper end of the change's interval.
    pub high: Option<f64>,
    /// The threshold in words, such as `5%`; `None` for a metric that is shown but not judged.
    pub threshold: Option<String>,
    /// The smallest worsening, as a share, that this comparison would have shown.
    pub detectable: Option<f64>,
    /// What it means.
    pub status: Status,
}

/// What a change means for its metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Status {
    /// Judged: not worse by the threshold, and twice the threshold would have been seen.
    Within,
    /// Judged: better by the threshold or more, surely.
    Better,
    /// Judged: worse by the threshold or more, and surely worse than the tolerance.
    Worse,
    /// Judged: the interval does not decide.
    Unclear,
    /// Judged, but there is no value to judge.
    Missing,
    /// Shown, not judged.
    Shown,
}

/// A change in logarithms: positive is worse.
#[derive(Clone, Copy, Debug)]
pub(super) struct Worsening {
    pub(super) point: f64,
    pub(super) interval: Option<Interval>,
}

impl Change {
    /// Compares `metric` of the session `now` with the accepted sessions.
    pub(super) fn of(
        metric: Metric,
        limit: Option<Limit>,
        before: &[Session],
        now: &Session,
    ) -> Self {
        let value = Centre::of(metric, std::slice::from_ref(now));
        let accepted = Centre::of(metric, before);
        let limit = limit.filter(|limit| limit.asked || value.is_some() || accepted.is_some());
        let worsening = worsening(metric, before, now);
        let interval = worsening.and_then(|worsening| worsening.interval);
        let ends = interval.map(|interval| as_shares(metric, interval));
        Self {
            metric,
            before: accepted.map(|centre| centre.value(metric)),
            now: value.map(|centre| centre.value(metric)),
            change: worsening.map(|worsening| as_share(metric, worsening.point)),
            low: ends.map(|ends| ends.low),
            high: ends.map(|ends| ends.high),
            threshold: limit.map(|limit| limit.threshold.to_string()),
            detectable: detectable(metric, limit, interval),
            status: status(metric, limit, value.is_some(), before, worsening),
        }
    }

    /// The change as a logarithm, positive for worse; `None` without a comparison.
    #[must_use]
    pub fn worsening(&self) -> Option<f64> {
        self.change.map(|share| sign(self.metric) * share.ln_1p())
    }

    /// Whether the metric is judged.
    #[must_use]
    pub fn is_judged(&self) -> bool {
        self.status != Status::Shown
    }
}

/// The mean of sessions' medians, in logarithms where more is worse.
#[derive(Clone, Copy, Debug)]
struct Centre(f64);

impl Centre {
    /// `None` when there is no session, or one lacks a value in a round.
    fn of(metric: Metric, sessions: &[Session]) -> Option<Self> {
        mean(&medians(metric, sessions)?).map(Self)
    }

    fn value(self, metric: Metric) -> f64 {
        five_digits((sign(metric) * self.0).exp())
    }
}

/// How much worse `metric` got; `None` where a value is missing.
pub(super) fn worsening(metric: Metric, before: &[Session], now: &Session) -> Option<Worsening> {
    let centre = Centre::of(metric, before)?;
    let rounds = logs(metric, now)?;
    let point = median(&rounds)? - centre.0;
    let interval = if is_firm(before, now) {
        between_sessions(&medians(metric, before)?, point)
    } else {
        shift_interval(&all_logs(metric, before)?, &rounds, ALPHA)
    };
    Some(Worsening { point, interval })
}

/// Whether the spread between sessions is known, and holds for a session of as few rounds as now.
pub(super) fn is_firm(before: &[Session], now: &Session) -> bool {
    let fewest = before.iter().map(|session| session.rounds.len()).min();
    before.len() >= FIRM_SESSIONS && fewest.is_some_and(|fewest| now.rounds.len() >= fewest)
}

fn medians(metric: Metric, sessions: &[Session]) -> Option<Vec<f64>> {
    sessions
        .iter()
        .map(|session| median(&logs(metric, session)?))
        .collect()
}

fn all_logs(metric: Metric, sessions: &[Session]) -> Option<Vec<f64>> {
    let logs: Option<Vec<Vec<f64>>> = sessions
        .iter()
        .map(|session| logs(metric, session))
        .collect();
    logs.map(|logs| logs.concat())
}

/// The accepted sessions say how far one more session of the same code may lie from their mean.
fn between_sessions(medians: &[f64], point: f64) -> Option<Interval> {
    let reach = prediction_interval(medians, ALPHA)?.half_width();
    Some(Interval {
        low: point - reach,
        high: point + reach,
    })
}

/// The rounds' values as logarithms, turned so that more is worse.
fn logs(metric: Metric, session: &Session) -> Option<Vec<f64>> {
    let log = |value: f64| (value.is_finite() && value > 0.0).then(|| sign(metric) * value.ln());
    session.values(metric)?.into_iter().map(log).collect()
}

fn sign(metric: Metric) -> f64 {
    match metric.direction() {
        Direction::HigherIsBetter => -1.0,
        Direction::LowerIsBetter => 1.0,
    }
}

fn status(
    metric: Metric,
    limit: Option<Limit>,
    has_value: bool,
    before: &[Session],
    worsening: Option<Worsening>,
) -> Status {
    match (limit, worsening) {
        (None, _) => Status::Shown,
        (Some(_), None) if before.is_empty() && has_value => Status::Within,
        (Some(_), None) => Status::Missing,
        (Some(limit), Some(worsening)) => judged(metric, limit, worsening),
    }
}

fn judged(metric: Metric, limit: Limit, worsening: Worsening) -> Status {
    let Some(interval) = worsening.interval else {
        return Status::Unclear;
    };
    let threshold = limit.threshold.worsening(metric);
    let tolerance = limit.tolerance.worsening(metric);
    if worsening.point >= threshold {
        return if interval.low > tolerance {
            Status::Worse
        } else {
            Status::Unclear
        };
    }
    if worsening.point <= -threshold && interval.high < -tolerance {
        return Status::Better;
    }
    if interval.high < 2.0 * threshold {
        Status::Within
    } else {
        Status::Unclear
    }
}

/// The worsening whose interval would just have left out the tolerance, but no less than the threshold.
fn detectable(metric: Metric, limit: Option<Limit>, interval: Option<Interval>) -> Option<f64> {
    let limit = limit?;
    let reach = interval?.half_width() + limit.tolerance.worsening(metric);
    let worsening = reach.max(limit.threshold.worsening(metric));
    Some(as_share(metric, worsening).abs())
}

/// A worsening as a signed change of the value itself.
fn as_share(metric: Metric, worsening: f64) -> f64 {
    match metric.direction() {
        Direction::HigherIsBetter => (-worsening).exp_m1(),
        Direction::LowerIsBetter => worsening.exp_m1(),
    }
}

fn as_shares(metric: Metric, interval: Interval) -> Interval {
    let (a, b) = (
        as_share(metric, interval.low),
        as_share(metric, interval.high),
    );
    Interval {
        low: a.min(b),
        high: a.max(b),
    }
}
