//! The mock: rounds from a seeded script, so that everything above a driver can be tested
//! without a server, a clock or luck.

mod course;

use std::sync::Mutex;
use std::time::Duration;

use super::{Driver, DriverError, Window};
use crate::endpoint::Endpoint;
use crate::load::Load;
use crate::sample::{ErrorKind, LatencyHistogram, OpenLoop, Sample, SeriesRecorder};
use crate::target::Usage;
use course::Course;

/// A driver that sends nothing and invents its samples.
///
/// The same seed and script give the same samples.
#[derive(Debug)]
pub struct Scripted {
    script: Script,
    rounds: Mutex<Rounds>,
}

/// What the invented server is like.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Script {
    /// Replies a second, at most: an open loop may ask for fewer.
    pub throughput: f64,
    /// Standard deviation of a round's speed, as a share. It moves all metrics of the round.
    pub spread: f64,
    /// Factor on every latency and cost of the rounds from the first on; one each, the last stays.
    pub slowdowns: Vec<f64>,
    /// Factor on the slowest two percent of the latencies.
    pub tail: f64,
    /// Share of requests that fail.
    pub failing: f64,
    /// Body bytes a reply.
    pub bytes: u64,
    /// CPU time of the server a reply; zero for a server whose cost cannot be seen.
    pub cpu: Duration,
    /// Share of the window, 0 to 1, that the client's only thread is busy.
    pub client_busy: f64,
}

#[derive(Debug)]
struct Rounds {
    chance: Chance,
    done: usize,
}

/// SplitMix64 (Steele, Lea and Flood 2014): small, seeded, good enough to invent rounds.
#[derive(Debug)]
struct Chance(u64);

impl Default for Script {
    fn default() -> Self {
        Self {
            throughput: 10_000.0,
            spread: 0.01,
            slowdowns: vec![1.0],
            tail: 1.0,
            failing: 0.0,
            bytes: 85,
            cpu: Duration::from_micros(50),
            client_busy: 0.2,
        }
    }
}

impl Scripted {
    /// A driver that follows `script` with the given seed.
    #[must_use]
    pub fn new(seed: u64, script: Script) -> Self {
        let rounds = Rounds {
            chance: Chance(seed),
            done: 0,
        };
        Self {
            script,
            rounds: Mutex::new(rounds),
        }
    }

    fn next_factor(&self) -> f64 {
        let mut rounds = self.rounds.lock().expect("no holder of the lock panics");
        let slowdowns = &self.script.slowdowns;
        let place = rounds.done.min(slowdowns.len().saturating_sub(1));
        rounds.done += 1;
        let slowdown = slowdowns.get(place).copied().unwrap_or(1.0);
        slowdown * (self.script.spread * rounds.chance.normal()).exp()
    }
}

impl Driver for Scripted {
    fn drive(
        &self,
        _endpoint: &Endpoint,
        load: &Load,
        window: &mut dyn Window,
    ) -> Result<Sample, DriverError> {
        window.open();
        window.close();
        Ok(self.script.sample(load, self.next_factor()))
    }
}

/// Bytes of the head of an invented reply.
const HEAD: u64 = 120;

impl Script {
    fn sample(&self, load: &Load, factor: f64) -> Sample {
        let course = Course::of(load, self.throughput / factor);
        let failed = (self.failing * course.sent as f64).round() as u64;
        let ok = course.sent - failed;
        let elapsed = Duration::from_secs_f64(course.seconds());
        let client = elapsed.mul_f64(self.client_busy);
        let sample = Sample {
            sent: course.sent,
            ok,
            errors: some([(ErrorKind::Status, failed)]),
            first_error: (failed > 0).then(|| "status 500".to_owned()),
            statuses: some([(200, ok), (500, failed)]),
            ended: course.ended,
            bytes: ok * self.bytes,
            bytes_read: ok * self.bytes + course.sent * HEAD,
            elapsed,
            steady_throughput: (ok > 0 && course.asked.is_none())
                .then(|| ok as f64 / course.seconds()),
            client_cpu: client,
            busiest_thread: client,
            server: self.usage(ok, factor),
            ..Sample::default()
        };
        self.with_latencies(sample, load, &course, factor)
    }

    /// Latencies that obey Little's law, spread evenly between half and one and a half of their
    /// mean; of an open loop those from the send, to which the lag is added.
    fn with_latencies(
        &self,
        mut sample: Sample,
        load: &Load,
        course: &Course,
        factor: f64,
    ) -> Sample {
        let mean = load.concurrency as f64 * factor / self.throughput;
        let (mut lag, mut uncorrected) = (LatencyHistogram::new(), LatencyHistogram::new());
        let mut series = SeriesRecorder::new();
        for place in 0..sample.ok {
            let late = Duration::from_secs_f64(course.lag(place));
            let answered = Duration::from_secs_f64(mean * self.slowness(place, sample.ok));
            let latency = late + answered;
            lag.record(late);
            uncorrected.record(answered);
            sample.latency.record(latency);
            sample.first_byte.record(answered / 2);
            if place < load.concurrency as u64 || !load.keep_alive {
                sample.fresh_latency.record(latency);
            }
            let at = Duration::from_secs_f64((place + 1) as f64 / course.speed);
            series.record_good(at.min(sample.elapsed), latency);
        }
        for _ in 0..sample.failed() {
            series.record_failed(sample.elapsed);
        }
        sample.series = series.finish();
        sample.open_loop = course.asked.map(|asked| OpenLoop {
            asked,
            sent: course.speed,
            lag,
            uncorrected,
        });
        sample
    }

    /// The latency of the good reply number `place` of `ok`, as a multiple of their mean: each step
    /// between a half and one and a half once, in an order that mixes fast and slow ones.
    fn slowness(&self, place: u64, ok: u64) -> f64 {
        let stride = if ok.is_multiple_of(7919) { 7907 } else { 7919 };
        let share = ((place * stride % ok) as f64 + 0.5) / ok as f64;
        let tail = if share > 0.98 { self.tail } else { 1.0 };
        (0.5 + share) * tail
    }

    fn usage(&self, ok: u64, factor: f64) -> Option<Usage> {
        (!self.cpu.is_zero()).then(|| Usage {
            cpu: Some(self.cpu.mul_f64(ok as f64 * factor)),
            peak_memory: Some(10 << 20),
        })
    }
}

/// The counts that are not zero.
fn some<K: Ord, const N: usize>(counts: [(K, u64); N]) -> std::collections::BTreeMap<K, u64> {
    counts.into_iter().filter(|(_, count)| *count > 0).collect()
}

impl Chance {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A draw from the standard normal distribution, by Box and Muller's transform.
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::{Pace, Rate};
    use crate::sample::Ended;

    fn sample(load: &Load) -> Sample {
        Script::default().sample(load, 1.0)
    }

    #[test]
    fn every_request_has_one_outcome_in_counts_statuses_and_series() {
        let script = Script {
            failing: 0.1,
            ..Script::default()
        };
        let load = Load {
            requests: 7919,
            ..Load::default()
        };
        let sample = script.sample(&load, 1.0);
        assert_eq!(sample.sent, sample.ok + sample.failed());
        assert_eq!(sample.statuses, [(200, sample.ok), (500, 792)].into());
        let series = &sample.series.intervals;
        let outcomes = series.iter().map(|interval| interval.ok + interval.failed);
        assert_eq!(outcomes.sum::<u64>(), 7919);
        assert_eq!(series.len(), 8, "0.79 s");
        let (p1, p99) = [1.0, 99.0]
            .map(|percent| sample.latency.percentile(percent).unwrap() as f64)
            .into();
        assert!((p99 / p1 - 1.49 / 0.51).abs() < 0.05, "{p1} {p99}");
    }

    #[test]
    fn a_duration_alone_ends_a_round() {
        let load = Load {
            duration: Some(Duration::from_millis(100)),
            ..Load::default()
        };
        let sample = sample(&load);
        assert_eq!((sample.ok, sample.ended), (1_000, Ended::Duration));
        assert_eq!(sample.elapsed, Duration::from_millis(100));
    }

    #[test]
    fn an_open_loop_beyond_the_server_is_late_and_its_latency_says_so() {
        let load = Load {
            requests: 1_000,
            pace: Pace::Open(Rate::constant(20_000.0)),
            ..Load::default()
        };
        let sample = sample(&load);
        let open = sample.open_loop.as_ref().unwrap();
        assert!((open.rate_ratio() - 0.5).abs() < 1e-9);
        assert!(sample.latency.mean() > open.uncorrected.mean());
        assert_eq!(sample.steady_throughput, None);
    }
}
