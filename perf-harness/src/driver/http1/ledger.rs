//! The books of one phase on one thread: every request is entered once, with its outcome.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::failure::Failure;
use super::opening::Taken;
use crate::sample::{Ended, ErrorKind, LatencyHistogram, OpenLoop, Sample, SeriesRecorder};

/// Statuses are three digits.
const STATUSES: usize = 1000;

/// A request as it was sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    /// When it was to be sent, in an open loop.
    pub(super) intended: Option<Instant>,
    /// When its first byte was sent.
    pub(super) at: Instant,
    /// Whether it was the first on its connection.
    pub(super) fresh: bool,
}

impl Sent {
    /// The moment from which its latency counts.
    fn base(&self) -> Instant {
        self.intended.unwrap_or(self.at)
    }
}

/// The good reply to a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Completed {
    pub(super) first_byte: Instant,
    pub(super) done: Instant,
    pub(super) body: u64,
}

/// Counts of one phase.
#[derive(Debug)]
pub(super) struct Ledger {
    origin: Instant,
    ok: u64,
    errors: BTreeMap<ErrorKind, u64>,
    first_error: Option<(Instant, String)>,
    retries: u64,
    reconnects: u64,
    statuses: Vec<u64>,
    bytes: u64,
    bytes_read: u64,
    first_send: Option<Instant>,
    last_send: Option<Instant>,
    last_completion: Option<Instant>,
    /// When the first connection found no more request, and the good replies until then.
    drained: Option<(Instant, u64)>,
    /// Good replies a second of each thread until then.
    steady: Option<f64>,
    latency: LatencyHistogram,
    fresh_latency: LatencyHistogram,
    failed_latency: LatencyHistogram,
    first_byte: LatencyHistogram,
    lag: LatencyHistogram,
    uncorrected: LatencyHistogram,
    connect: LatencyHistogram,
    tls: LatencyHistogram,
    series: SeriesRecorder,
    cut: bool,
    cpu: Duration,
    busiest: Duration,
}

impl Ledger {
    /// Empty books of a phase that begins at `origin`.
    pub(super) fn new(origin: Instant) -> Self {
        let histogram = LatencyHistogram::new;
        Self {
            origin,
            ok: 0,
            errors: BTreeMap::new(),
            first_error: None,
            retries: 0,
            reconnects: 0,
            statuses: vec![0; STATUSES],
            bytes: 0,
            bytes_read: 0,
            first_send: None,
            last_send: None,
            last_completion: None,
            drained: None,
            steady: None,
            latency: histogram(),
            fresh_latency: histogram(),
            failed_latency: histogram(),
            first_byte: histogram(),
            lag: histogram(),
            uncorrected: histogram(),
            connect: histogram(),
            tls: histogram(),
            series: SeriesRecorder::new(),
            cut: false,
            cpu: Duration::ZERO,
            busiest: Duration::ZERO,
        }
    }

    /// Says when the phase of these books, empty until now, begins.
    pub(super) fn begin(&mut self, origin: Instant) {
        self.origin = origin;
    }

    pub(super) fn ok(&self) -> u64 {
        self.ok
    }

    /// Requests that have their outcome.
    pub(super) fn sent(&self) -> u64 {
        self.ok + self.errors.values().sum::<u64>()
    }

    /// Whether the deadline ended the phase.
    pub(super) fn was_cut(&self) -> bool {
        self.cut
    }

    pub(super) fn note_send(&mut self, now: Instant, intended: Option<Instant>) {
        self.first_send.get_or_insert(now);
        if let Some(intended) = intended {
            self.last_send = Some(now);
            self.lag.record(now.saturating_duration_since(intended));
        }
    }

    pub(super) fn note_retry(&mut self) {
        self.retries += 1;
    }

    pub(super) fn note_opened(&mut self, taken: Taken) {
        self.reconnects += 1;
        self.connect.record(taken.connect);
        if let Some(tls) = taken.tls {
            self.tls.record(tls);
        }
    }

    /// A reply came whole, be it good or not.
    pub(super) fn note_status(&mut self, status: u16) {
        self.statuses[usize::from(status).min(STATUSES - 1)] += 1;
    }

    /// A connection found no more request to send.
    pub(super) fn note_drained(&mut self) {
        let ok = self.ok;
        self.drained.get_or_insert_with(|| (Instant::now(), ok));
    }

    /// The deadline ended the phase.
    pub(super) fn note_cut(&mut self) {
        self.cut = true;
    }

    pub(super) fn record_good(&mut self, sent: &Sent, completed: &Completed) {
        let latency = completed.done.saturating_duration_since(sent.base());
        self.ok += 1;
        self.bytes += completed.body;
        self.last_completion = Some(completed.done);
        self.latency.record(latency);
        self.first_byte.record(completed.first_byte - sent.at);
        self.series
            .record_good(completed.done - self.origin, latency);
        if sent.fresh {
            self.fresh_latency.record(latency);
        }
        if sent.intended.is_some() {
            self.uncorrected.record(completed.done - sent.at);
        }
    }

    /// A request failed; `sent` is `None` when no byte of it was.
    pub(super) fn record_failed(&mut self, sent: Option<&Sent>, failure: &Failure) {
        let now = Instant::now();
        *self.errors.entry(failure.kind()).or_default() += 1;
        self.first_error
            .get_or_insert_with(|| (now, failure.to_string()));
        self.last_completion = Some(now);
        self.series.record_failed(now - self.origin);
        match (failure, sent) {
            (Failure::Timeout { timeout }, Some(sent)) => {
                self.record_wait(sent, sent.at + *timeout)
            }
            (Failure::Deadline, Some(sent)) => self.record_wait(sent, now),
            (_, Some(sent)) => self.failed_latency.record(now - sent.base()),
            (_, None) => {}
        }
    }

    /// The wait for a reply that had not come by `end`.
    fn record_wait(&mut self, sent: &Sent, end: Instant) {
        self.latency.record(end - sent.base());
        if sent.intended.is_some() {
            self.uncorrected.record(end - sent.at);
        }
    }

    /// Ends the books of one thread of `connections` connections.
    pub(super) fn close(&mut self, connections: usize, bytes_read: u64, cpu: Duration) {
        self.bytes_read = bytes_read;
        self.steady = self.steady_throughput(connections);
        (self.cpu, self.busiest) = (cpu, cpu);
    }

    /// Good replies a second while all of `connections` had a request under way.
    ///
    /// A span with fewer replies than connections is shorter than one request and says nothing.
    fn steady_throughput(&self, connections: usize) -> Option<f64> {
        let (end, ok) = self.drained?;
        let span = end.duration_since(self.first_send?).as_secs_f64();
        (ok >= connections as u64 && span > 0.0).then(|| ok as f64 / span)
    }

    /// Adds the books of another thread of the same phase.
    pub(super) fn merge(&mut self, other: Self) {
        self.merge_counts(&other);
        self.merge_times(&other);
        for (kind, count) in other.errors {
            *self.errors.entry(kind).or_default() += count;
        }
        for (status, count) in self.statuses.iter_mut().zip(other.statuses) {
            *status += count;
        }
        self.first_error = earlier(self.first_error.take(), other.first_error);
        self.series.merge(other.series);
    }

    fn merge_counts(&mut self, other: &Self) {
        self.ok += other.ok;
        self.retries += other.retries;
        self.reconnects += other.reconnects;
        self.bytes += other.bytes;
        self.bytes_read += other.bytes_read;
        self.cut |= other.cut;
        self.cpu += other.cpu;
        self.busiest = self.busiest.max(other.busiest);
        self.steady = self.steady.zip(other.steady).map(|(one, two)| one + two);
    }

    fn merge_times(&mut self, other: &Self) {
        self.first_send = [self.first_send, other.first_send]
            .into_iter()
            .flatten()
            .min();
        self.last_send = self.last_send.max(other.last_send);
        self.last_completion = self.last_completion.max(other.last_completion);
        self.latency.merge(&other.latency);
        self.fresh_latency.merge(&other.fresh_latency);
        self.failed_latency.merge(&other.failed_latency);
        self.first_byte.merge(&other.first_byte);
        self.lag.merge(&other.lag);
        self.uncorrected.merge(&other.uncorrected);
        self.merge_opened(other);
    }

    /// Adds the times in which another phase opened its connections.
    pub(super) fn merge_opened(&mut self, other: &Self) {
        self.connect.merge(&other.connect);
        self.tls.merge(&other.tls);
    }

    /// What happened to the first request that failed, when none got a good reply, and how many
    /// failed by which kind.
    pub(super) fn total_failure(&self) -> Option<(String, &BTreeMap<ErrorKind, u64>)> {
        let (_, first_error) = self.first_error.as_ref().filter(|_| self.ok == 0)?;
        Some((first_error.clone(), &self.errors))
    }

    /// From the first send to the last completion.
    fn elapsed(&self) -> Duration {
        match (self.first_send, self.last_completion) {
            (Some(first), Some(last)) => last.saturating_duration_since(first),
            _ => Duration::ZERO,
        }
    }

    /// From the start of the phase to the last completion.
    pub(super) fn span(&self) -> Duration {
        let last = self.last_completion.unwrap_or(self.origin);
        last.saturating_duration_since(self.origin)
    }

    /// What an open loop tells beside, where `asked` requests a second were asked for.
    fn open_loop(&mut self, asked: f64) -> OpenLoop {
        let span = match (self.first_send, self.last_send) {
            (Some(first), Some(last)) => (last - first).as_secs_f64(),
            _ => 0.0,
        };
        let gaps = self.lag.count().saturating_sub(1);
        OpenLoop {
            asked,
            sent: if span > 0.0 { gaps as f64 / span } else { 0.0 },
            lag: std::mem::take(&mut self.lag),
            uncorrected: std::mem::take(&mut self.uncorrected),
        }
    }

    /// The sample of a window that was `ended` so; `asked` is the rate of an open loop.
    pub(super) fn into_sample(mut self, ended: Ended, asked: Option<f64>) -> Sample {
        let statuses = self
            .statuses
            .iter()
            .zip(0..)
            .filter(|(count, _)| **count > 0);
        Sample {
            sent: self.sent(),
            ok: self.ok,
            statuses: statuses.map(|(count, status)| (status, *count)).collect(),
            ended,
            elapsed: self.elapsed(),
            steady_throughput: self.steady.filter(|_| asked.is_none()),
            open_loop: asked.map(|asked| self.open_loop(asked)),
            errors: self.errors,
            first_error: self.first_error.map(|(_, message)| message),
            retries: self.retries,
            reconnects: self.reconnects,
            bytes: self.bytes,
            bytes_read: self.bytes_read,
            latency: self.latency,
            fresh_latency: self.fresh_latency,
            failed_latency: self.failed_latency,
            first_byte: self.first_byte,
            connect: self.connect,
            tls: self.tls,
            series: self.series.finish(),
            client_cpu: self.cpu,
            busiest_thread: self.busiest,
            steps: Vec::new(),
            server: None,
        }
    }
}

fn earlier(
    one: Option<(Instant, String)>,
    other: Option<(Instant, String)>,
) -> Option<(Instant, String)> {
    one.into_iter().chain(other).min_by_key(|(at, _)| *at)
}
