//! Loads of async code: so many workers at a time, each doing one iteration after the other.
//!
//! All of them run in one current-thread runtime on a thread of its own, so futures need not be
//! `Send` and the cost of the client is that of one thread. What an iteration is, a journey, a
//! request by reqwest or a call of any client, is the [`Worker`]'s own affair.

mod cause;
mod engine;
mod failure;
mod phase;
mod round;
mod source;
mod steps;
mod tally;
#[cfg(test)]
mod tests;
mod timer;

use std::sync::{Arc, Mutex};
use std::time::Instant;

#[cfg(feature = "journeys")]
pub(super) use cause::kind_of;
pub(super) use engine::drive;
pub use failure::{Failure, Result};
#[cfg(feature = "journeys")]
pub(super) use steps::Steps;
pub(super) use steps::Taken;

use crate::sample::LatencyHistogram;

/// The time that each connection of a round took to open, shared by all its workers.
pub(super) type ConnectTimes = Arc<Mutex<LatencyHistogram>>;

/// One of the workers of a load.
pub(super) trait Worker: 'static {
    /// What comes once, before the first iteration, and is not counted.
    async fn set_up(&mut self) -> Result<()> {
        Ok(())
    }

    /// Does one iteration and notes what it sees; dropped when it takes longer than it may.
    async fn iterate(&mut self, notes: &mut Notes) -> Result<()>;

    /// Gives up what an iteration left behind that was dropped.
    fn start_over(&mut self);

    /// What its connections did so far.
    fn counts(&self) -> Counts;

    /// The steps of the last iteration.
    fn take_steps(&mut self) -> Vec<Taken> {
        Vec::new()
    }
}

/// What is noted of an iteration beside whether it went well.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Notes {
    /// Body bytes of the replies.
    pub(super) bytes: u64,
    /// The status of the reply that came whole, where an iteration is one request.
    pub(super) status: Option<u16>,
    /// When the connection was open, where the iteration is one request and had to open it.
    pub(super) connected: Option<Instant>,
    /// When the first byte of the reply came, where an iteration is one request.
    pub(super) first_byte: Option<Instant>,
}

/// What the connections of one worker did so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    /// Requests sent a second time.
    pub(super) retries: u64,
    /// Connections opened after the first.
    pub(super) reconnects: u64,
    /// Connections whose opening was dropped before they were open or refused.
    pub(super) given_up: u64,
}
