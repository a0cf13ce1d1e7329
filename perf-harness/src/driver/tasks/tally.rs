//! Counts the outcomes of a phase while it runs, and makes the sample of it.

use std::time::{Duration, Instant};

use super::Notes;
use super::failure::Failure;
use super::steps::Taken;
use crate::sample::{ErrorKind, LatencyHistogram, OpenLoop, Sample, SeriesRecorder, Step};

/// The outcomes so far.
#[derive(Debug)]
pub(super) struct Tally {
    origin: Instant,
    counted: Sample,
    first_start: Option<Instant>,
    last_end: Option<Instant>,
    /// When the last worker began its first iteration, and the good ones until then.
    all_busy: Option<(Instant, u64)>,
    workers: u64,
    /// When the first worker found nothing left to do, and the good ones until then.
    first_idle: Option<(Instant, u64)>,
    lag: LatencyHistogram,
    uncorrected: LatencyHistogram,
    last_start: Option<Instant>,
    series: SeriesRecorder,
}

/// An iteration as it began.
#[derive(Clone, Copy, Debug)]
pub(super) struct Begun {
    /// When it was to begin, in an open loop.
    pub(super) intended: Option<Instant>,
    /// When it began; where it is one request, when the connection for it was open.
    pub(super) at: Instant,
}

impl Begun {
    /// The moment from which its latency counts.
    fn base(&self) -> Instant {
        self.intended.unwrap_or(self.at)
    }
}

impl Tally {
    /// An empty tally of a phase that begins at `origin`.
    pub(super) fn new(origin: Instant) -> Self {
        Self {
            origin,
            counted: Sample::default(),
            first_start: None,
            last_end: None,
            all_busy: None,
            workers: 0,
            first_idle: None,
            lag: LatencyHistogram::new(),
            uncorrected: LatencyHistogram::new(),
            last_start: None,
            series: SeriesRecorder::new(),
        }
    }

    /// An iteration begins at `now`.
    pub(super) fn start(&mut self, now: Instant, intended: Option<Instant>) {
        self.counted.sent += 1;
        self.first_start.get_or_insert(now);
        if let Some(intended) = intended {
            self.last_start = Some(now);
            self.lag.record(now.saturating_duration_since(intended));
        }
    }

    /// A worker begins its first iteration at `now`.
    pub(super) fn worker_is_busy(&mut self, now: Instant) {
        self.workers += 1;
        self.all_busy = Some((now, self.counted.ok));
    }

    /// A worker has nothing left to do at `now`.
    pub(super) fn worker_is_idle(&mut self, now: Instant) {
        self.first_idle.get_or_insert((now, self.counted.ok));
    }

    /// An iteration went well and ended at `end`.
    pub(super) fn good(&mut self, begun: &Begun, notes: &Notes, end: Instant) {
        let latency = end.saturating_duration_since(begun.base());
        self.counted.ok += 1;
        self.counted.bytes += notes.bytes;
        self.last_end = Some(end);
        self.counted.latency.record(latency);
        self.series.record_good(end - self.origin, latency);
        if let Some(first_byte) = notes.first_byte {
            let waited = first_byte.saturating_duration_since(begun.at);
            self.counted.first_byte.record(waited);
        }
        if notes.connected.is_some() {
            self.counted.fresh_latency.record(latency);
        }
        if begun.intended.is_some() {
            self.uncorrected.record(end - begun.at);
        }
    }

    /// An iteration failed at `end` otherwise than by the clock.
    pub(super) fn failed(&mut self, begun: &Begun, failure: &Failure, end: Instant) {
        self.count_failure(failure, end);
        if is_of_an_exchange(failure.kind()) {
            let latency = end.saturating_duration_since(begun.base());
            self.counted.failed_latency.record(latency);
        }
    }

    /// An iteration that would have ended later than `limit` was given up at `end`.
    pub(super) fn given_up(
        &mut self,
        begun: &Begun,
        failure: &Failure,
        limit: Instant,
        end: Instant,
    ) {
        self.count_failure(failure, end);
        if failure.kind() != ErrorKind::Timeout {
            return;
        }
        let waited = limit.saturating_duration_since(begun.base());
        self.counted.latency.record(waited);
        if begun.intended.is_some() {
            self.uncorrected.record(limit - begun.at);
        }
    }

    fn count_failure(&mut self, failure: &Failure, end: Instant) {
        self.last_end = Some(end);
        self.series.record_failed(end - self.origin);
        *self.counted.errors.entry(failure.kind()).or_default() += 1;
        self.counted
            .first_error
            .get_or_insert_with(|| failure.to_string());
    }

    /// A reply came whole, be it good or not.
    pub(super) fn status(&mut self, status: u16) {
        *self.counted.statuses.entry(status).or_default() += 1;
    }

    /// A step of an iteration has ended.
    pub(super) fn step(&mut self, taken: &Taken) {
        let steps = &mut self.counted.steps;
        let known = steps.iter().position(|step| step.name == taken.name);
        let place = known.unwrap_or_else(|| {
            steps.push(Step {
                name: taken.name.to_owned(),
                latency: LatencyHistogram::new(),
                failed: 0,
            });
            steps.len() - 1
        });
        match taken.took {
            Some(took) => steps[place].latency.record(took),
            None => steps[place].failed += 1,
        }
    }

    /// From the start of the phase to the last outcome.
    pub(super) fn span(&self) -> Duration {
        let last = self.last_end.unwrap_or(self.origin);
        last.saturating_duration_since(self.origin)
    }

    /// The sample of all that was counted; `asked` is the rate of an open loop.
    pub(super) fn into_sample(self, asked: Option<f64>) -> Sample {
        let elapsed = self.first_start.zip(self.last_end);
        let steady = self.steady_throughput().filter(|_| asked.is_none());
        let sent = self.sent_rate();
        Sample {
            elapsed: elapsed.map_or(Duration::ZERO, |(start, end)| end - start),
            steady_throughput: steady,
            series: self.series.finish(),
            open_loop: asked.map(|asked| OpenLoop {
                asked,
                sent,
                lag: self.lag,
                uncorrected: self.uncorrected,
            }),
            ..self.counted
        }
    }

    /// Iterations begun a second, from the first to the last.
    fn sent_rate(&self) -> f64 {
        let ends = self.first_start.zip(self.last_start);
        let span = ends.map_or(0.0, |(first, last)| (last - first).as_secs_f64());
        let gaps = self.counted.sent.saturating_sub(1);
        if span > 0.0 { gaps as f64 / span } else { 0.0 }
    }

    /// Good iterations a second while every worker was busy.
    ///
    /// A span with fewer of them than workers is shorter than one iteration and says nothing.
    fn steady_throughput(&self) -> Option<f64> {
        let ((from, ok_before), (until, ok_after)) = self.all_busy.zip(self.first_idle)?;
        let span = until.checked_duration_since(from)?.as_secs_f64();
        let good = ok_after.checked_sub(ok_before)?;
        (good >= self.workers && span > 0.0).then(|| good as f64 / span)
    }
}

/// Whether something was sent before the failure: a connection that was never there has no latency.
fn is_of_an_exchange(kind: ErrorKind) -> bool {
    !matches!(
        kind,
        ErrorKind::Dns
            | ErrorKind::Refused
            | ErrorKind::ConnectTimeout
            | ErrorKind::Tls
            | ErrorKind::PortsExhausted
            | ErrorKind::TooManyFiles
    )
}
