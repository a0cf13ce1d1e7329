//! What is sent next on a connection, and whether the reply to it is good.

mod body;
mod chance;
mod path;
mod request;

pub(super) use body::{Body, Fault};
pub(super) use request::Asked;

use crate::endpoint::Endpoint;
use crate::load::{Load, Order};
use chance::Chance;

/// The requests of a load in the order in which one thread sends them.
///
/// Everything that does not change from one request to the next was laid out before any clock runs.
#[derive(Debug)]
pub(super) struct Script {
    requests: Vec<Asked>,
    order: Order,
    /// For each request the weights up to it and its own.
    weights: Vec<u64>,
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
        let mut total = 0;
        let weigh = |request: &crate::load::Request| {
            total += u64::from(request.weight);
            total
        };
        Self {
            requests,
            order: load.mix.as_ref().map(|mix| mix.order).unwrap_or_default(),
            weights: load.requests_of_mix().map(weigh).collect(),
            chance: Chance::new(load.seed, thread),
        }
    }

    /// Goes on to the next request of a connection.
    pub(super) fn go_on(&mut self, turn: &mut Turn) {
        turn.request = self.choose(turn.taken);
        turn.taken += 1;
        self.requests[turn.request].lay_out(&mut turn.own, &mut self.chance);
    }

    fn choose(&mut self, taken: u64) -> usize {
        let several = self.requests.len() as u64;
        match self.order {
            _ if several == 1 => 0,
            Order::Sequence => (taken % several) as usize,
            Order::Weighted => {
                let total = self.weights.last().copied().unwrap_or_default();
                let drawn = self.chance.below(total);
                self.weights.partition_point(|upto| *upto <= drawn)
            }
        }
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
