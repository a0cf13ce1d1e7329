//! A round in time: what happened in each tenth of a second.

use std::time::Duration;

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

/// One interval of a [`Series`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interval {
    /// Good replies that were complete in it.
    pub ok: u64,
    /// Requests that failed in it.
    pub failed: u64,
    /// 99th percentile of the latency of its good replies in nanoseconds, two significant digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_ns: Option<u64>,
}

/// What happened in each interval of a round, from the first send on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Series {
    /// The intervals in order, each [`Series::WIDTH`] long; the last may be cut by the round's end.
    pub intervals: Vec<Interval>,
}

/// Gathers a series while a round runs. Those of several threads that started from the same
/// moment can be merged.
///
/// Memory grows with time, not with requests: a finished interval keeps its distinct latencies of
/// two significant digits and how often each was seen.
#[derive(Clone, Debug)]
pub struct SeriesRecorder {
    past: Vec<Gathered>,
    place: usize,
    current: Gathered,
    latencies: Histogram<u32>,
}

#[derive(Clone, Debug, Default)]
struct Gathered {
    ok: u64,
    failed: u64,
    /// Latencies in nanoseconds and how often each was seen, in ascending order.
    latencies: Vec<(u64, u64)>,
}

/// Latencies above are counted as this long: a minute.
const HIGHEST: u64 = 60_000_000_000;

/// An hour: what comes later is counted in the last interval.
const MOST: usize = 36_000;

impl Series {
    /// The length of an interval.
    pub const WIDTH: Duration = Duration::from_millis(100);
}

impl Default for SeriesRecorder {
    fn default() -> Self {
        Self::new()
    }
}

impl SeriesRecorder {
    /// A recorder that has seen nothing.
    #[must_use]
    pub fn new() -> Self {
        Self {
            past: Vec::new(),
            place: 0,
            current: Gathered::default(),
            latencies: Histogram::new_with_bounds(1, HIGHEST, 2).expect("the bounds are valid"),
        }
    }

    /// A good reply was complete `at` this time from the start, after `latency`.
    ///
    /// Times do not go back by more than what lies in one interval; what comes late is counted in
    /// the interval at hand.
    pub fn record_good(&mut self, at: Duration, latency: Duration) {
        self.go_to(at);
        self.current.ok += 1;
        self.latencies
            .saturating_record(u64::try_from(latency.as_nanos()).unwrap_or(HIGHEST));
    }

    /// A request failed `at` this time from the start.
    pub fn record_failed(&mut self, at: Duration) {
        self.go_to(at);
        self.current.failed += 1;
    }

    fn go_to(&mut self, at: Duration) {
        let place = (at.as_nanos() / Series::WIDTH.as_nanos()) as usize;
        while self.place < place.min(MOST - 1) {
            self.end_interval();
        }
    }

    fn end_interval(&mut self) {
        let mut ended = std::mem::take(&mut self.current);
        let seen = self.latencies.iter_recorded();
        ended.latencies = seen
            .map(|value| (value.value_iterated_to(), u64::from(value.count_at_value())))
            .collect();
        self.latencies.reset();
        self.past.push(ended);
        self.place += 1;
    }

    /// Adds what `other` saw, interval by interval.
    pub fn merge(&mut self, mut other: Self) {
        self.end_interval();
        other.end_interval();
        if other.past.len() > self.past.len() {
            self.past.resize_with(other.past.len(), Gathered::default);
        }
        for (own, others) in self.past.iter_mut().zip(other.past) {
            own.ok += others.ok;
            own.failed += others.failed;
            own.latencies = merged(&own.latencies, &others.latencies);
        }
        self.current = self.past.pop().unwrap_or_default();
        for (latency, count) in self.current.latencies.drain(..) {
            self.latencies
                .saturating_record_n(latency, u32::try_from(count).unwrap_or(u32::MAX));
        }
        self.place = self.past.len();
    }

    /// The series of all that was recorded; empty when nothing was.
    #[must_use]
    pub fn finish(mut self) -> Series {
        self.end_interval();
        let mut intervals: Vec<_> = self.past.iter().map(Gathered::interval).collect();
        let used = intervals
            .iter()
            .rposition(|interval| *interval != Interval::default());
        intervals.truncate(used.map_or(0, |last| last + 1));
        Series { intervals }
    }
}

impl Gathered {
    fn interval(&self) -> Interval {
        Interval {
            ok: self.ok,
            failed: self.failed,
            p99_ns: nearest_rank(&self.latencies, 0.99),
        }
    }
}

/// The smallest value with at least `share` of all at or below it.
fn nearest_rank(counted: &[(u64, u64)], share: f64) -> Option<u64> {
    let total: u64 = counted.iter().map(|(_, count)| count).sum();
    let wanted = (share * total as f64).ceil() as u64;
    let mut seen = 0;
    let mut reaches = |count: u64| {
        seen += count;
        seen >= wanted
    };
    let found = counted.iter().find(|(_, count)| reaches(*count));
    found.map(|(value, _)| *value)
}

fn merged(one: &[(u64, u64)], other: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut all: Vec<_> = one.iter().chain(other).copied().collect();
    all.sort_unstable();
    all.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 += if same { next.1 } else { 0 };
        same
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn nothing_recorded_is_an_empty_series() {
        assert_eq!(SeriesRecorder::new().finish(), Series::default());
    }

    #[test]
    fn an_outcome_is_counted_in_its_tenth_of_a_second() {
        let mut recorder = SeriesRecorder::new();
        recorder.record_good(millis(99), millis(5));
        recorder.record_failed(millis(100));
        recorder.record_good(millis(350), millis(7));
        let intervals = recorder.finish().intervals;
        let counts: Vec<_> = intervals.iter().map(|i| (i.ok, i.failed)).collect();
        assert_eq!(counts, [(1, 0), (0, 1), (0, 0), (1, 0)]);
        assert!((5_000_000..5_100_000).contains(&intervals[0].p99_ns.unwrap()));
        assert_eq!(intervals[1].p99_ns, None);
    }

    #[test]
    fn merging_equals_recording_together() {
        let (mut one, mut other, mut both) = (
            SeriesRecorder::new(),
            SeriesRecorder::new(),
            SeriesRecorder::new(),
        );
        for i in 0..1000_u64 {
            let (at, latency) = (millis(i), Duration::from_micros(50 + i * 7 % 900));
            both.record_good(at, latency);
            if i % 3 == 0 {
                one.record_good(at, latency)
            } else {
                other.record_good(at, latency)
            }
        }
        other.record_failed(millis(1500));
        both.record_failed(millis(1500));
        one.merge(other);
        assert_eq!(one.finish(), both.finish());
    }

    #[test]
    fn what_comes_after_an_hour_is_counted_in_the_last_interval() {
        let mut recorder = SeriesRecorder::new();
        recorder.record_failed(Duration::from_secs(1_000_000));
        assert_eq!(recorder.finish().intervals.len(), MOST);
    }
}
