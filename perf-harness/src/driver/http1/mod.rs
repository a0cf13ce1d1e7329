//! Our own HTTP/1.1 engine: the cheapest client we can build, so that the server is what is measured.
//!
//! A few threads of its own, each a loop over the events of its connections. A request is one write
//! of bytes that were laid out before the clock started; a reply is counted, never stored. It speaks
//! HTTP/1.1, in a closed or an open loop, and nothing else: no redirects, no pipelining.

mod alarm;
mod chunks;
mod connection;
mod crew;
mod engine;
mod event_loop;
mod failure;
#[cfg(any(test, fuzzing))]
#[cfg_attr(
    not(fuzzing),
    expect(unreachable_pub, reason = "the fuzzer comes from outside of the crate")
)]
pub mod fuzzing;
mod head;
mod landing;
mod ledger;
mod opening;
mod plan;
mod pool;
mod reply;
mod script;
mod slot;
mod source;
mod stream;

use crate::driver::{Driver, DriverError, Window, file_limit};
use crate::endpoint::Endpoint;
use crate::load::Load;
use crate::sample::Sample;
use plan::Plan;

/// The HTTP/1.1 engine as a [`Driver`].
///
/// Sends the requests of the load over its connections, each with one request under way at a time. `connect` of the sample holds every connection of the round, the others hold the
/// measured window alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct Http1;

impl Driver for Http1 {
    fn drive(
        &self,
        endpoint: &Endpoint,
        load: &Load,
        window: &mut dyn Window,
    ) -> Result<Sample, DriverError> {
        if load.mix.is_none() {
            return Err(DriverError::Unsuited {
                driver: "http1",
                reason: "it holds no request; a journey is driven by the code of its scenario",
            });
        }
        file_limit::raise(load.concurrency)?;
        engine::run(Plan::new(endpoint, load)?, window)
    }
}

#[cfg(test)]
mod tests;
