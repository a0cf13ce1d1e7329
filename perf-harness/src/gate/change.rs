//! One metric, compared.

use serde::{Deserialize, Serialize};

use super::threshold::Limit;
use crate::baseline::Session;
use crate::sample::{Direction, Metric};
use crate::stats::{Interval, mean, median, prediction_interval, shift_interval};

/// The error rate at each end of an interval: a false regression, or a miss at twice the
/// threshold, in one of a hundred comparisons.
const ALPHA: f64 = 0.01;

/// From this many sessions on the spread between sessions is known well enough to be used.
const FIRM_SESSIONS: usize = 3;

/// One metric, compared with the baseline. Shares are signed changes of the value itself: 0.05 is
/// five percent more, whatever that means for the metric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// Which metric.
    pub metric: Metric,
    /// The median of the accepted sessions, in the metric's unit.
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
        let worsening = worsening(metric, before, now);
        let status = status(metric, limit, worsening);
        let interval = worsening.and_then(|worsening| worsening.interval);
        let ends = interval.map(|interval| as_shares(metric, interval));
        Self {
            metric,
            before: accepted_median(metric, before),
            now: now.median(metric),
            change: worsening.map(|worsening| as_share(metric, worsening.point)),
            low: ends.map(|ends| ends.low),
            high: ends.map(|ends| ends.high),
            threshold: limit.map(|limit| limit.threshold.to_string()),
            detectable: detectable(metric, limit, interval),
            status,
        }
    }
}

/// How much worse `metric` got; `None` where a value is missing.
pub(super) fn worsening(metric: Metric, before: &[Session], now: &Session) -> Option<Worsening> {
    let sessions: Option<Vec<Vec<f64>>> =
        before.iter().map(|session| logs(metric, session)).collect();
    let sessions = sessions.filter(|sessions| !sessions.is_empty())?;
    let rounds = logs(metric, now)?;
    let medians: Vec<f64> = sessions
        .iter()
        .filter_map(|rounds| median(rounds))
        .collect();
    let point = median(&rounds)? - mean(&medians)?;
    let interval = if sessions.len() >= FIRM_SESSIONS {
        between_sessions(&medians, point)
    } else {
        shift_interval(&sessions.concat(), &rounds, ALPHA)
    };
    Some(Worsening { point, interval })
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
    let sign = match metric.direction() {
        Direction::HigherIsBetter => -1.0,
        Direction::LowerIsBetter => 1.0,
    };
    let log = |value: f64| (value.is_finite() && value > 0.0).then(|| sign * value.ln());
    session.values(metric)?.into_iter().map(log).collect()
}

fn accepted_median(metric: Metric, before: &[Session]) -> Option<f64> {
    let medians: Option<Vec<f64>> = before
        .iter()
        .map(|session| session.median(metric))
        .collect();
    median(&medians?)
}

fn status(metric: Metric, limit: Option<Limit>, worsening: Option<Worsening>) -> Status {
    let Some(limit) = limit else {
        return Status::Shown;
    };
    let Some(worsening) = worsening else {
        return Status::Missing;
    };
    let Some(interval) = worsening.interval else {
        return Status::Unclear;
    };
    let threshold = limit.threshold.worsening(metric);
    if worsening.point >= threshold {
        let supported = interval.low > limit.tolerance.worsening(metric);
        return if supported {
            Status::Worse
        } else {
            Status::Unclear
        };
    }
    if worsening.point <= -threshold && interval.high < 0.0 {
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
