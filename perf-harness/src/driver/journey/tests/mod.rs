//! Journeys against servers of ours: every test drives real sockets on the loopback and compares
//! the sample with the server's own counts. None asserts a time.

mod counts;
mod failures;
pub(in crate::driver) mod peer;
mod requests;
mod set_up;
mod steps;

use std::sync::Arc;

use super::{Journey, JourneyDriver, User};
use crate::driver::tasks::{Failure, Result};
use crate::driver::{Driver as _, DriverError, Window};
use crate::load::Load;
use crate::sample::{ErrorKind, Sample};
use peer::{Answer, Peer, reply};

/// A window that is only counted.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::driver) struct CountingWindow {
    pub(in crate::driver) opened: usize,
    pub(in crate::driver) closed: usize,
}

impl Window for CountingWindow {
    fn open(&mut self) {
        self.opened += 1;
    }

    fn close(&mut self) {
        self.closed += 1;
    }
}

fn load(requests: u64, concurrency: usize) -> Load {
    Load {
        mix: None,
        requests,
        concurrency,
        ..Load::default()
    }
}

/// Takes a journey as a scenario does.
fn journey<J: Journey>(code: J) -> JourneyDriver<J> {
    JourneyDriver::new(code)
}

/// Drives `code` and checks what holds for every sample.
fn drive<F>(peer: &Peer, load: &Load, code: F) -> Sample
where
    F: AsyncFn(&mut User) -> Result<()> + Send + Sync + 'static,
{
    let mut window = CountingWindow::default();
    let sample = journey(code)
        .drive(&peer.endpoint(), load, &mut window)
        .unwrap();
    assert_eq!(
        window,
        CountingWindow {
            opened: 1,
            closed: 1
        }
    );
    assert_eq!(sample.sent, load.requests);
    assert_eq!(sample.sent, sample.ok + sample.failed());
    let timeouts = sample.errors.get(&ErrorKind::Timeout).copied().unwrap_or(0);
    assert_eq!(sample.latency.count(), sample.ok + timeouts);
    assert_eq!(sample.first_error.is_some(), sample.failed() > 0);
    sample
}

async fn get_root(user: &mut User) -> Result<()> {
    user.get("/").await?.expect_status(200)?;
    Ok(())
}

fn hello(_: &peer::Asked) -> Answer {
    reply(200, "hello")
}
