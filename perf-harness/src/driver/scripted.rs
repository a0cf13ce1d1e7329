//! The mock: rounds from a seeded script, so that everything above a driver can be tested
//! without a server, a clock or luck.

use std::sync::Mutex;
use std::time::Duration;

use super::{Driver, DriverError, Window};
use crate::endpoint::Endpoint;
use crate::load::Load;
use crate::sample::{ErrorKind, LatencyHistogram, Sample};
use crate::target::Usage;

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
    /// Replies a second.
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

impl Script {
    fn sample(&self, load: &Load, factor: f64) -> Sample {
        let failed = (self.failing * load.requests as f64).round() as u64;
        let ok = load.requests - failed;
        let elapsed = load.requests as f64 * factor / self.throughput;
        Sample {
            sent: load.requests,
            ok,
            errors: [(ErrorKind::Status, failed)]
                .into_iter()
                .filter(|(_, n)| *n > 0)
                .collect(),
            first_error: (failed > 0).then(|| "status 500".to_owned()),
            bytes: ok * self.bytes,
            elapsed: Duration::from_secs_f64(elapsed),
            latency: self.latency(load, ok, factor),
            server: self.usage(ok, factor),
            ..Sample::default()
        }
    }

    /// Latencies that obey Little's law, spread evenly between half and one and a half of their mean.
    fn latency(&self, load: &Load, ok: u64, factor: f64) -> LatencyHistogram {
        let mean = load.concurrency as f64 * factor / self.throughput;
        let mut histogram = LatencyHistogram::new();
        for place in 0..ok {
            let share = (place as f64 + 0.5) / ok as f64;
            let tail = if share > 0.98 { self.tail } else { 1.0 };
            histogram.record(Duration::from_secs_f64(mean * (0.5 + share) * tail));
        }
        histogram
    }

    fn usage(&self, ok: u64, factor: f64) -> Option<Usage> {
        (!self.cpu.is_zero()).then(|| Usage {
            cpu: Some(self.cpu.mul_f64(ok as f64 * factor)),
            peak_memory: Some(10 << 20),
        })
    }
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
