//! Our own HTTP/1.1 engine: the cheapest client we can build, so that the server is what is measured.
//!
//! One thread of its own, one single-threaded runtime, all connections on it. A request is one
//! write of bytes that were laid out before the clock started; a reply is counted, never stored.
//! It speaks plain HTTP/1.1 in a closed loop and nothing else: no TLS, no redirects, no pipelining.

mod chunks;
mod connection;
mod deadline;
mod engine;
mod failure;
#[cfg(any(test, fuzzing))]
#[cfg_attr(
    not(fuzzing),
    expect(unreachable_pub, reason = "the fuzz target alone reaches it")
)]
pub mod fuzzing;
mod head;
mod landing;
mod ledger;
mod reply;
mod request;
mod work;
mod worker;

use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use crate::driver::{Driver, DriverError, Window, file_limit};
use crate::endpoint::Endpoint;
use crate::load::Load;
use crate::sample::Sample;
use engine::{Step, WindowSide};
use work::Plan;

/// The HTTP/1.1 engine as a [`Driver`].
///
/// Sends one request again and again over kept-alive connections, each with one request under way
/// at a time. `connect` of the sample holds every connection of the round, the others hold the
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
        let request = load.requests_of_mix().next().ok_or(DriverError::Unsuited {
            driver: "http1",
            reason: "it holds no request; a journey is driven by the code of its scenario",
        })?;
        file_limit::raise(load.concurrency)?;
        let plan = Plan::new(endpoint, load, request);
        let (steps, told) = sync_channel(0);
        let (proceed, allowed) = sync_channel(0);
        let side = WindowSide::new(steps, allowed);
        on_own_thread(
            move || engine::run(plan, &side),
            move || follow(told, proceed, window),
        )?
    }
}

/// Runs `work` on a thread of its own and `meanwhile` on this one; a panic of either goes on here.
fn on_own_thread<T: Send>(
    work: impl FnOnce() -> T + Send,
    meanwhile: impl FnOnce(),
) -> Result<T, DriverError> {
    thread::scope(|scope| {
        let engine = thread::Builder::new()
            .name("http1-engine".to_owned())
            .spawn_scoped(scope, work)
            .map_err(|source| DriverError::Engine { source })?;
        meanwhile();
        Ok(engine.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

/// Hands the engine's steps to the window until the engine has no more to say.
///
/// Owns its ends of the channels, so that a panic of the window hangs up on the engine.
#[expect(
    clippy::needless_pass_by_value,
    reason = "dropping the ends is what stops the engine"
)]
fn follow(told: Receiver<Step>, proceed: SyncSender<()>, window: &mut dyn Window) {
    for step in told {
        match step {
            Step::Open => window.open(),
            Step::Close => window.close(),
        }
        if proceed.send(()).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests;
