//! The books of one phase: every request is entered once, with its outcome.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::failure::Failure;
use crate::sample::{ErrorKind, LatencyHistogram, Sample};

/// A request that got a good reply.
#[derive(Clone, Copy, Debug)]
pub(super) struct Completed {
    pub(super) sent: Instant,
    pub(super) first_byte: Instant,
    pub(super) done: Instant,
    pub(super) body: u64,
}

/// Counts of one phase.
#[derive(Debug)]
pub(super) struct Ledger {
    ok: u64,
    errors: BTreeMap<ErrorKind, u64>,
    first_error: Option<String>,
    retries: u64,
    reconnects: u64,
    bytes: u64,
    first_send: Option<Instant>,
    last_completion: Option<Instant>,
    /// When the first connection found no more request, and the good replies until then.
    drained: Option<(Instant, u64)>,
    latency: LatencyHistogram,
    first_byte: LatencyHistogram,
}

impl Ledger {
    pub(super) fn new() -> Self {
        Self {
            ok: 0,
            errors: BTreeMap::new(),
            first_error: None,
            retries: 0,
            reconnects: 0,
            bytes: 0,
            first_send: None,
            last_completion: None,
            drained: None,
            latency: LatencyHistogram::new(),
            first_byte: LatencyHistogram::new(),
        }
    }

    pub(super) fn ok(&self) -> u64 {
        self.ok
    }

    pub(super) fn note_send(&mut self, now: Instant) {
        self.first_send.get_or_insert(now);
    }

    pub(super) fn note_retry(&mut self) {
        self.retries += 1;
    }

    pub(super) fn note_reconnect(&mut self) {
        self.reconnects += 1;
    }

    /// A connection found no more request to send.
    pub(super) fn note_drained(&mut self, now: Instant) {
        self.drained.get_or_insert((now, self.ok));
    }

    pub(super) fn record(&mut self, outcome: Result<Completed, Failure>) {
        match outcome {
            Ok(completed) => self.record_good(&completed),
            Err(failure) => self.record_failed(&failure),
        }
    }

    fn record_good(&mut self, completed: &Completed) {
        self.ok += 1;
        self.bytes += completed.body;
        self.last_completion = Some(completed.done);
        self.latency.record(completed.done - completed.sent);
        self.first_byte
            .record(completed.first_byte - completed.sent);
    }

    fn record_failed(&mut self, failure: &Failure) {
        *self.errors.entry(failure.kind()).or_default() += 1;
        self.first_error.get_or_insert_with(|| failure.to_string());
        self.last_completion = Some(Instant::now());
        if let Failure::Timeout { timeout } = failure {
            self.latency.record(*timeout);
        }
    }

    /// What happened to the first request that failed, when none got a good reply, and how many
    /// failed by which kind.
    pub(super) fn into_total_failure(self) -> Option<(String, BTreeMap<ErrorKind, u64>)> {
        let first_error = self.first_error.filter(|_| self.ok == 0)?;
        Some((first_error, self.errors))
    }

    /// Good replies a second while all of `connections` had a request under way.
    ///
    /// A span with fewer replies than connections is shorter than one request and says nothing.
    fn steady_throughput(&self, connections: usize) -> Option<f64> {
        let (end, ok) = self.drained?;
        let span = end.duration_since(self.first_send?).as_secs_f64();
        (ok >= connections as u64 && span > 0.0).then(|| ok as f64 / span)
    }

    fn elapsed(&self) -> Duration {
        match (self.first_send, self.last_completion) {
            (Some(first), Some(last)) => last.duration_since(first),
            _ => Duration::ZERO,
        }
    }

    pub(super) fn into_sample(
        self,
        connections: usize,
        connect: LatencyHistogram,
        client_cpu: Duration,
    ) -> Sample {
        Sample {
            sent: self.ok + self.errors.values().sum::<u64>(),
            ok: self.ok,
            elapsed: self.elapsed(),
            steady_throughput: self.steady_throughput(connections),
            errors: self.errors,
            first_error: self.first_error,
            retries: self.retries,
            reconnects: self.reconnects,
            bytes: self.bytes,
            latency: self.latency,
            first_byte: self.first_byte,
            connect,
            client_cpu,
            busiest_thread: client_cpu,
            ..Sample::default()
        }
    }
}
