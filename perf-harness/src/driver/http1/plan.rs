//! A load as the engine carries it out.

use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use super::script::Script;
use super::stream::TlsSetup;
use crate::driver::{DriverError, schedule};
use crate::endpoint::Endpoint;
use crate::load::{Load, Pace, Rate};

/// Longer than any run: what is added to a clock stays within its range.
const EVER: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Everything that the threads of the engine must know, fixed before they start.
#[derive(Debug)]
pub(super) struct Plan {
    /// Who takes part in TLS, where the endpoint wants it.
    pub(super) tls: Option<TlsSetup>,
    pub(super) endpoint: Endpoint,
    load: Load,
    pub(super) connections: usize,
    pub(super) threads: usize,
    pub(super) ramp_up: Duration,
    pub(super) warmup: u64,
    /// Requests of the window; `u64::MAX` where the duration alone ends it.
    pub(super) requests: u64,
    pub(super) duration: Option<Duration>,
    pub(super) timeout: Duration,
    /// The load's deadline, and the moment of this round that it comes to.
    pub(super) deadline: Duration,
    pub(super) end: Instant,
    pub(super) keep_alive: bool,
    pub(super) rate: Option<Rate>,
}

impl Plan {
    /// The plan of a round that begins now.
    pub(super) fn new(endpoint: &Endpoint, load: &Load) -> Result<Self, DriverError> {
        Ok(Self {
            tls: tls_setup(endpoint, load)?,
            endpoint: endpoint.clone(),
            load: load.clone(),
            connections: load.concurrency,
            threads: threads(load),
            ramp_up: load.ramp_up.min(EVER),
            warmup: load.warmup_requests(),
            requests: match load.requests {
                0 => u64::MAX,
                requests => requests,
            },
            duration: load.duration.map(|duration| duration.min(EVER)),
            timeout: load.timeout.min(EVER),
            deadline: load.deadline,
            end: Instant::now() + load.deadline.min(EVER),
            keep_alive: load.keep_alive,
            rate: match &load.pace {
                Pace::Closed => None,
                Pace::Open(rate) => Some(rate.clone()),
            },
        })
    }

    /// The requests of one thread.
    pub(super) fn script(&self, thread: usize) -> Script {
        Script::new(&self.load, &self.endpoint, thread as u64)
    }

    /// The intended times of an open loop's requests, in seconds from its start.
    pub(super) fn schedule(&self, rate: &Rate) -> impl Iterator<Item = f64> + use<> {
        schedule::times(&self.load, rate)
    }

    /// The rate that the schedule of an open loop had over the first `span` of it.
    pub(super) fn asked(&self, rate: &Rate, span: Duration) -> f64 {
        schedule::asked(&self.load, rate, span)
    }

    /// When nothing more of a window that began at `start` is sent.
    pub(super) fn stop(&self, start: Instant) -> Option<Instant> {
        self.duration.map(|duration| start + duration)
    }

    /// When the connections of one thread are opened, in seconds from the start.
    pub(super) fn ramp(&self, thread: usize) -> impl Iterator<Item = f64> + use<> {
        let pause = self.ramp_up.as_secs_f64() / self.connections as f64;
        self.slots_of(thread).map(move |slot| slot as f64 * pause)
    }

    /// The connections of one thread, by their numbers in the whole load.
    pub(super) fn slots_of(&self, thread: usize) -> impl Iterator<Item = usize> + use<> {
        (thread..self.connections).step_by(self.threads)
    }

    /// How many of `requests` are the first on the connections of one thread.
    pub(super) fn first_of(&self, thread: usize, requests: u64) -> u64 {
        let has_one = |slot: &usize| (*slot as u64) < requests;
        self.slots_of(thread).take_while(has_one).count() as u64
    }

    /// How often deadlines are looked at: a timer for each request would cost more than the
    /// request's own bookkeeping, and what is recorded is exact all the same.
    pub(super) fn tick(&self) -> Duration {
        let shortest = self.timeout.min(self.deadline);
        (shortest / 32).clamp(Duration::from_millis(1), Duration::from_millis(100))
    }
}

/// One thread, and one more for every four cores beyond the first four: the others are the
/// server's. None is without a connection.
fn threads(load: &Load) -> usize {
    let cores = available_parallelism().map_or(1, usize::from);
    let default = 1 + cores.saturating_sub(4) / 4;
    let wanted = load.threads.unwrap_or(default);
    wanted.clamp(1, load.concurrency.max(1))
}

#[cfg(feature = "tls")]
fn tls_setup(endpoint: &Endpoint, load: &Load) -> Result<Option<TlsSetup>, DriverError> {
    let setup = || TlsSetup::new(&load.trust, endpoint);
    Ok(endpoint.is_tls().then(setup).transpose()?)
}

/// Without the feature no endpoint wants TLS.
#[cfg(not(feature = "tls"))]
fn tls_setup(_endpoint: &Endpoint, _load: &Load) -> Result<Option<TlsSetup>, DriverError> {
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(concurrency: usize, threads: usize) -> Plan {
        let load = Load {
            requests: 1000,
            concurrency,
            threads: Some(threads),
            ..Load::default()
        };
        let endpoint = Endpoint::new(([127, 0, 0, 1], 1).into());
        Plan::new(&endpoint, &load).unwrap()
    }

    #[test]
    fn every_connection_has_one_thread() {
        let plan = plan(7, 3);
        let mut slots: Vec<usize> = (0..3).flat_map(|thread| plan.slots_of(thread)).collect();
        assert_eq!(plan.slots_of(0).count(), 3);
        slots.sort_unstable();
        assert_eq!(slots, [0, 1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn there_are_no_more_threads_than_connections() {
        assert_eq!(plan(2, 9).threads, 2);
        assert_eq!(plan(2, 0).threads, 1);
    }

    #[test]
    fn few_requests_are_the_first_of_the_first_connections() {
        let plan = plan(7, 3);
        let first = [0, 1, 2].map(|thread| plan.first_of(thread, 4));
        assert_eq!(first, [2, 1, 1]);
    }
}
