//! What one round was like beside the values that are compared: for people and programs, never for
//! a verdict, and never in a baseline.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::baseline::five_digits;
use crate::sample::{Ended, LatencyHistogram, OpenLoop, Sample, Series, Step};

/// One round in time and by its parts. Rates have five significant digits; of spans of time nothing
/// is kept where none was seen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RoundDetail {
    /// What ended the measured window.
    pub ended: Ended,
    /// First send to last completion, in nanoseconds.
    pub elapsed_ns: u64,
    /// Good replies a second while all connections were busy; `None` where no such span exists.
    pub steady_throughput: Option<f64>,
    /// Share of the window, 0 to 1, that the engine's busiest thread was busy.
    pub client_busy: f64,
    /// All bytes read, heads and framing included; 0 where the driver cannot see them.
    pub bytes_read: u64,
    /// Requests sent a second time after the close race on a reused connection.
    pub retries: u64,
    /// Connections opened again within the window.
    pub reconnects: u64,
    /// Replies by status, good and bad ones.
    pub statuses: BTreeMap<u16, u64>,
    /// Times to open a connection, without TLS.
    pub connect: Option<Span>,
    /// Times of TLS handshakes.
    pub tls: Option<Span>,
    /// First byte queued to first byte of the reply, of good replies.
    pub first_byte: Option<Span>,
    /// Latencies of requests that were the first on their connection.
    pub fresh: Option<Span>,
    /// Latencies of all others, timeouts included.
    pub kept_alive: Option<Span>,
    /// First byte queued to the end, of requests that failed otherwise than by timeout.
    pub failed: Option<Span>,
    /// What an open loop tells beside; `None` of a closed one.
    pub open_loop: Option<OpenLoopDetail>,
    /// The steps of a journey, in the order in which they were first taken.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepDetail>,
    /// What happened in each tenth of a second.
    pub series: Series,
}

/// Spans of time of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Span {
    /// How many.
    pub count: u64,
    /// Their median in nanoseconds.
    pub p50_ns: u64,
    /// Their 99th percentile in nanoseconds.
    pub p99_ns: u64,
}

/// How well an open loop kept its plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OpenLoopDetail {
    /// Requests a second that were asked for.
    pub asked: f64,
    /// Requests a second that were sent.
    pub sent: f64,
    /// Share of the asked rate that was sent; `None` where nothing was asked for.
    pub rate_ratio: Option<f64>,
    /// How much later than intended requests were sent.
    pub lag: Option<Span>,
    /// Latencies from when requests were really sent.
    pub uncorrected: Option<Span>,
}

/// One step of a journey.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StepDetail {
    /// Its name.
    pub name: String,
    /// How long it took when it went well.
    pub latency: Option<Span>,
    /// How often it failed.
    pub failed: u64,
}

impl RoundDetail {
    /// What is told of a round's sample.
    pub(crate) fn of(sample: &Sample) -> Self {
        let kept_alive = sample.latency.without(&sample.fresh_latency);
        Self {
            ended: sample.ended,
            elapsed_ns: u64::try_from(sample.elapsed.as_nanos()).unwrap_or(u64::MAX),
            steady_throughput: sample.steady_throughput.and_then(finite),
            client_busy: five_digits(sample.client_busy()),
            bytes_read: sample.bytes_read,
            retries: sample.retries,
            reconnects: sample.reconnects,
            statuses: sample.statuses.clone(),
            connect: Span::of(&sample.connect),
            tls: Span::of(&sample.tls),
            first_byte: Span::of(&sample.first_byte),
            fresh: Span::of(&sample.fresh_latency),
            kept_alive: kept_alive.as_ref().and_then(Span::of),
            failed: Span::of(&sample.failed_latency),
            open_loop: sample.open_loop.as_ref().map(OpenLoopDetail::of),
            steps: sample.steps.iter().map(StepDetail::of).collect(),
            series: sample.series.clone(),
        }
    }
}

impl Span {
    fn of(spans: &LatencyHistogram) -> Option<Self> {
        Some(Self {
            count: spans.count(),
            p50_ns: spans.percentile(50.0)?,
            p99_ns: spans.percentile(99.0)?,
        })
    }
}

impl OpenLoopDetail {
    fn of(open: &OpenLoop) -> Self {
        Self {
            asked: finite(open.asked).unwrap_or(0.0),
            sent: finite(open.sent).unwrap_or(0.0),
            rate_ratio: finite(open.rate_ratio()),
            lag: Span::of(&open.lag),
            uncorrected: Span::of(&open.uncorrected),
        }
    }
}

/// With five digits; a file of JSON holds no number that is not finite.
fn finite(value: f64) -> Option<f64> {
    value.is_finite().then(|| five_digits(value))
}

impl StepDetail {
    fn of(step: &Step) -> Self {
        Self {
            name: step.name.clone(),
            latency: Span::of(&step.latency),
            failed: step.failed,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn of_millis(millis: impl IntoIterator<Item = u64>) -> LatencyHistogram {
        let mut histogram = LatencyHistogram::new();
        for millis in millis {
            histogram.record(Duration::from_millis(millis));
        }
        histogram
    }

    fn millis(span: Option<Span>) -> Option<(u64, u64, u64)> {
        span.map(|span| {
            let rounded = |nanos: u64| (nanos + 500_000) / 1_000_000;
            (span.count, rounded(span.p50_ns), rounded(span.p99_ns))
        })
    }

    #[test]
    fn fresh_and_kept_alive_latencies_stand_apart() {
        let sample = Sample {
            latency: of_millis([1, 1, 1, 9, 9]),
            fresh_latency: of_millis([9, 9]),
            ..Sample::default()
        };
        let detail = RoundDetail::of(&sample);
        assert_eq!(millis(detail.fresh), Some((2, 9, 9)));
        assert_eq!(millis(detail.kept_alive), Some((3, 1, 1)));
        assert_eq!(
            (detail.connect, detail.tls, detail.failed),
            (None, None, None)
        );
    }

    #[test]
    fn an_open_loop_that_asked_for_nothing_has_no_ratio() {
        let open = |asked, sent| {
            OpenLoopDetail::of(&OpenLoop {
                asked,
                sent,
                lag: of_millis([1, 2]),
                uncorrected: of_millis([]),
            })
        };
        assert_eq!(open(0.0, 0.0).rate_ratio, None);
        assert!(open(f64::NAN, f64::INFINITY).sent.abs() < f64::EPSILON);
        let kept = open(2_000.0, 1_998.0);
        assert_eq!((kept.rate_ratio, kept.uncorrected), (Some(0.999), None));
        assert_eq!(millis(kept.lag), Some((2, 1, 2)));
    }

    #[test]
    fn a_step_that_never_went_well_has_failures_alone() {
        let step = Step {
            name: "pay".to_owned(),
            latency: LatencyHistogram::new(),
            failed: 3,
        };
        let detail = StepDetail::of(&step);
        assert_eq!((detail.latency, detail.failed), (None, 3));
    }
}
