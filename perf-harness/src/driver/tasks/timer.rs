//! Sleep that is exact to microseconds, where that of tokio has milliseconds.

use std::io;
use std::os::fd::{AsFd as _, AsRawFd, RawFd};
use std::time::{Duration, Instant};

use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
use tokio::io::unix::AsyncFd;
use tokio::task::yield_now;

/// How long before the moment the thread stops sleeping and looks at the clock itself: a sleeping
/// thread is woken late by about this. It is CPU time of the client, once for each sleep.
const SPIN: Duration = Duration::from_micros(80);

/// A clock that wakes the runtime.
#[derive(Debug)]
pub(super) struct Timer(AsyncFd<Descriptor>);

#[derive(Debug)]
struct Descriptor(TimerFd);

impl AsRawFd for Descriptor {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_fd().as_raw_fd()
    }
}

impl Timer {
    /// A timer of the runtime that this is called in.
    #[expect(
        deprecated,
        reason = "its successor is unsafe, for types that lend their descriptor; this one owns it"
    )]
    pub(super) fn new() -> io::Result<Self> {
        let flags = TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC;
        let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, flags)?;
        Ok(Self(AsyncFd::new(Descriptor(timer))?))
    }

    /// Returns when `moment` has come, at once when it is past.
    pub(super) async fn until(&self, moment: Instant) -> io::Result<()> {
        while let Some(span) = moment
            .checked_duration_since(Instant::now() + SPIN)
            .filter(|span| !span.is_zero())
        {
            let once = Expiration::OneShot(TimeSpec::from_duration(span));
            self.0.get_ref().0.set(once, TimerSetTimeFlags::empty())?;
            self.0.readable().await?.clear_ready();
        }
        while Instant::now() < moment {
            yield_now().await;
        }
        Ok(())
    }
}
