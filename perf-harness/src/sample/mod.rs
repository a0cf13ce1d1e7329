//! One round's numbers, and what can be read from them.

mod error_kind;
mod latency;
mod metric;
mod series;

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use error_kind::ErrorKind;
pub use latency::{LatencyError, LatencyHistogram};
pub use metric::{Direction, Metric, Unit, UnknownMetric};
pub use series::{Interval, Series, SeriesRecorder};

use crate::target::Usage;

/// The numbers of one round: one measured window on a freshly started target.
///
/// `sent = ok + Σ errors`: every request has exactly one outcome.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Sample {
    /// Requests whose first byte was written in the window.
    pub sent: u64,
    /// Requests answered by an expected status and a whole body, all checks passed.
    pub ok: u64,
    /// Requests that failed, by kind.
    pub errors: BTreeMap<ErrorKind, u64>,
    /// One failure in words, for people: what happened to the first request that failed.
    pub first_error: Option<String>,
    /// GET and HEAD requests sent a second time after the close race on a reused connection.
    pub retries: u64,
    /// Connections opened again within the window.
    pub reconnects: u64,
    /// Replies by status, good and bad ones.
    pub statuses: BTreeMap<u16, u64>,
    /// What ended the window.
    pub ended: Ended,
    /// Body bytes of good replies.
    pub bytes: u64,
    /// All bytes read, heads and framing included; 0 where the driver cannot see them.
    pub bytes_read: u64,
    /// First send to last completion.
    pub elapsed: Duration,
    /// Good replies a second while all connections were busy; `None` where no such span exists.
    pub steady_throughput: Option<f64>,
    /// First byte queued to last body byte, of good replies and (at the timeout value) timeouts.
    pub latency: LatencyHistogram,
    /// The part of [`latency`](Self::latency) whose requests were the first on their connection,
    /// timeouts left out. The time to connect is not in it.
    pub fresh_latency: LatencyHistogram,
    /// First byte queued to the end, of requests that failed otherwise than by timeout.
    pub failed_latency: LatencyHistogram,
    /// First byte queued to first byte of the reply, of good replies.
    pub first_byte: LatencyHistogram,
    /// Time to open a connection, of all connections of the round; TLS not included.
    pub connect: LatencyHistogram,
    /// Time of the TLS handshake, of all connections of the round.
    pub tls: LatencyHistogram,
    /// What an open loop tells beside; `None` of a closed one.
    pub open_loop: Option<OpenLoop>,
    /// What happened in each tenth of a second.
    pub series: Series,
    /// The steps of a journey by name, in the order in which they were first taken.
    pub steps: Vec<Step>,
    /// CPU time of the engine's threads within the window.
    pub client_cpu: Duration,
    /// CPU time of the busiest of them.
    pub busiest_thread: Duration,
    /// What the server cost within the window; `None` where it cannot be seen.
    pub server: Option<Usage>,
}

/// What ended the measured window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Ended {
    /// All requests were sent and have their outcome.
    #[default]
    Requests,
    /// The load's duration was over.
    Duration,
    /// The load's deadline had come before the load was done: the sample is a part of it.
    Deadline,
}

/// What an open loop tells beside latencies from the intended time.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct OpenLoop {
    /// Requests a second that were asked for, over the window.
    pub asked: f64,
    /// Requests a second that were sent, over the span from the first to the last send.
    pub sent: f64,
    /// How much later than intended a request was sent, of all requests.
    pub lag: LatencyHistogram,
    /// Latency from when the request was really sent: what a closed loop would have reported.
    pub uncorrected: LatencyHistogram,
}

impl OpenLoop {
    /// Share of the asked rate that was sent; 1 when the plan was kept.
    #[must_use]
    pub fn rate_ratio(&self) -> f64 {
        self.sent / self.asked
    }
}

/// A named step of a journey.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Step {
    /// Its name.
    pub name: String,
    /// How long it took when it went well.
    pub latency: LatencyHistogram,
    /// How often it failed.
    pub failed: u64,
}

impl Default for Sample {
    fn default() -> Self {
        Self {
            sent: 0,
            ok: 0,
            errors: BTreeMap::new(),
            first_error: None,
            retries: 0,
            reconnects: 0,
            statuses: BTreeMap::new(),
            ended: Ended::default(),
            bytes: 0,
            bytes_read: 0,
            elapsed: Duration::ZERO,
            steady_throughput: None,
            latency: LatencyHistogram::new(),
            fresh_latency: LatencyHistogram::new(),
            failed_latency: LatencyHistogram::new(),
            first_byte: LatencyHistogram::new(),
            connect: LatencyHistogram::new(),
            tls: LatencyHistogram::new(),
            open_loop: None,
            series: Series::default(),
            steps: Vec::new(),
            client_cpu: Duration::ZERO,
            busiest_thread: Duration::ZERO,
            server: None,
        }
    }
}

impl Sample {
    /// Requests that failed, of all kinds.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.errors.values().sum()
    }

    /// The value of `metric`, in its unit; `None` where the round has none.
    ///
    /// A value is always finite and above zero: what cannot be computed, or is too small to be
    /// seen, is `None`.
    #[must_use]
    pub fn value(&self, metric: Metric) -> Option<f64> {
        let value = match metric {
            Metric::Throughput => self.ok as f64 / self.elapsed.as_secs_f64(),
            Metric::Mean => self.latency.mean()?,
            Metric::P50 => self.latency.percentile(50.0)? as f64,
            Metric::P90 => self.latency.percentile(90.0)? as f64,
            Metric::P99 => self.latency.percentile(99.0)? as f64,
            Metric::P999 => self.latency.percentile(99.9)? as f64,
            Metric::Cpu => self.server?.cpu?.as_nanos() as f64 / self.ok as f64,
            Metric::Memory => self.server?.peak_memory? as f64,
        };
        (value.is_finite() && value > 0.0).then_some(value)
    }

    /// Share of the window, 0 to 1, that the engine's busiest thread was busy.
    #[must_use]
    pub fn client_busy(&self) -> f64 {
        share(self.busiest_thread, self.elapsed)
    }

    /// Cores that the engine's threads used on average.
    pub(crate) fn client_cores(&self) -> f64 {
        share(self.client_cpu, self.elapsed)
    }

    /// Cores that the server used on average; `None` where its CPU time cannot be seen.
    #[must_use]
    pub fn server_cores(&self) -> Option<f64> {
        Some(share(self.server?.cpu?, self.elapsed))
    }
}

fn share(part: Duration, whole: Duration) -> f64 {
    if whole.is_zero() {
        return 0.0;
    }
    part.as_secs_f64() / whole.as_secs_f64()
}

#[cfg(test)]
mod tests;
