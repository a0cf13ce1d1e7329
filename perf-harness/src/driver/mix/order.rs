//! Which request of a mix is next.

use crate::driver::chance::Chance;
use crate::load::{Load, Order, Request};

/// Chooses the requests of a load in their order.
#[derive(Debug)]
pub(in crate::driver) struct Choice {
    order: Order,
    /// For each request the weights up to it and its own.
    weights: Vec<u64>,
}

impl Choice {
    pub(in crate::driver) fn new(load: &Load) -> Self {
        let mut total = 0;
        let weigh = |request: &Request| {
            total += u64::from(request.weight);
            total
        };
        Self {
            order: load.mix.as_ref().map(|mix| mix.order).unwrap_or_default(),
            weights: load.requests_of_mix().map(weigh).collect(),
        }
    }

    /// The place in the mix of the next request of a connection that has `taken` so many.
    pub(in crate::driver) fn next(&self, taken: u64, chance: &mut Chance) -> usize {
        let several = self.weights.len() as u64;
        match self.order {
            _ if several == 1 => 0,
            Order::Sequence => (taken % several) as usize,
            Order::Weighted => {
                let total = self.weights.last().copied().unwrap_or_default();
                let drawn = chance.below(total);
                self.weights.partition_point(|upto| *upto <= drawn)
            }
        }
    }
}
