//! Counts the outcomes of a window while it runs, and makes the sample of it.

use std::time::{Duration, Instant};

use super::closed::Good;
use super::failure::Failure;
use crate::sample::{ErrorKind, Sample};

/// The outcomes so far.
#[derive(Debug, Default)]
pub(super) struct Tally {
    counted: Sample,
    first_start: Option<Instant>,
    last_end: Option<Instant>,
    /// When the last user began its first iteration, and the good ones until then.
    all_busy: Option<(Instant, u64)>,
    users: u64,
    /// When the first user found nothing left to do, and the good ones until then.
    first_idle: Option<(Instant, u64)>,
}

impl Tally {
    /// An iteration begins at `now`.
    pub(super) fn start(&mut self, now: Instant) {
        self.counted.sent += 1;
        self.first_start.get_or_insert(now);
    }

    /// A user begins its first iteration at `now`.
    pub(super) fn user_is_busy(&mut self, now: Instant) {
        self.users += 1;
        self.all_busy = Some((now, self.counted.ok));
    }

    /// A user has nothing left to do at `now`.
    pub(super) fn user_is_idle(&mut self, now: Instant) {
        self.first_idle.get_or_insert((now, self.counted.ok));
    }

    /// An iteration that began at `start` went well and ended at `end`.
    pub(super) fn good(&mut self, good: &Good, start: Instant, end: Instant) {
        self.last_end = Some(end);
        self.counted.ok += 1;
        self.counted.bytes += good.bytes;
        self.counted.latency.record(end - start);
        if let Some(first_byte) = good.first_byte {
            self.counted.first_byte.record(first_byte);
        }
    }

    /// An iteration failed at `end`.
    pub(super) fn failed(&mut self, failure: &Failure, end: Instant) {
        self.last_end = Some(end);
        *self.counted.errors.entry(failure.kind()).or_default() += 1;
        self.counted
            .first_error
            .get_or_insert_with(|| failure.to_string());
    }

    /// An iteration was given up at `end`, after `timeout`.
    pub(super) fn timed_out(&mut self, kind: ErrorKind, timeout: Duration, end: Instant) {
        let failure = Failure::of_kind(kind, format!("not done within the timeout of {timeout:?}"));
        self.failed(&failure, end);
        if kind == ErrorKind::Timeout {
            self.counted.latency.record(timeout);
        }
    }

    /// The sample of all that was counted.
    pub(super) fn into_sample(self) -> Sample {
        let elapsed = self
            .first_start
            .zip(self.last_end)
            .map(|(start, end)| end - start);
        Sample {
            elapsed: elapsed.unwrap_or_default(),
            steady_throughput: self.steady_throughput(),
            ..self.counted
        }
    }

    /// Good iterations a second while every user was busy.
    ///
    /// A span with fewer of them than users is shorter than one iteration and says nothing.
    fn steady_throughput(&self) -> Option<f64> {
        let ((from, ok_before), (until, ok_after)) = self.all_busy.zip(self.first_idle)?;
        let span = until.checked_duration_since(from)?.as_secs_f64();
        let good = ok_after.checked_sub(ok_before)?;
        (good >= self.users && span > 0.0).then(|| good as f64 / span)
    }
}
