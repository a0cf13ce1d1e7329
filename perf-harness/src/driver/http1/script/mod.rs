//! What is sent next on a connection, and whether the reply to it is good.

mod request;

pub(super) use crate::driver::mix::{Body, Fault};
pub(super) use request::Asked;

use crate::driver::chance::Chance;
use crate::driver::mix::Choice;
use crate::endpoint::Endpoint;
use crate::load::Load;

/// The requests of a load in the order in which one thread sends them.
///
/// Everything that does not change from one request to the next was laid out before any clock runs.
#[derive(Debug)]
pub(super) struct Script {
    requests: Vec<Asked>,
    choice: Choice,
    chance: Chance,
}

/// Where one connection stands in the script: which request it sends, and its bytes where they are
/// its own.
#[derive(Debug, Default)]
pub(super) struct Turn {
    request: usize,
    taken: u64,
    own: Vec<u8>,
}

impl Script {
    /// The script of one of several `threads`; each draws from a stream of its own.
    pub(super) fn new(load: &Load, endpoint: &Endpoint, thread: u64) -> Self {
        let requests = load.requests_of_mix();
        let requests: Vec<_> = requests
            .map(|request| Asked::new(request, endpoint, load.keep_alive))
            .collect();
        Self {
            requests,
            choice: Choice::new(load),
            chance: Chance::new(load.seed, thread),
        }
    }

    /// Goes on to the next request of a connection.
    pub(super) fn go_on(&mut self, turn: &mut Turn) {
        turn.request = self.choice.next(turn.taken, &mut self.chance);
        turn.taken += 1;
        self.requests[turn.request].lay_out(&mut turn.own, &mut self.chance);
    }

    /// The request that the connection is at.
    pub(super) fn asked(&self, turn: &Turn) -> &Asked {
        &self.requests[turn.request]
    }

    /// Its bytes.
    pub(super) fn bytes<'a>(&'a self, turn: &'a Turn) -> &'a [u8] {
        self.asked(turn).fixed().unwrap_or(&turn.own)
    }
}

#[cfg(test)]
mod tests;
