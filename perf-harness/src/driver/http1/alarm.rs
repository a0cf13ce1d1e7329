//! A clock that wakes the poll, to the nanosecond where the poll's own timeout has milliseconds.

use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::time::Duration;

use mio::unix::SourceFd;
use mio::{Interest, Registry, Token};
use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};

/// A timer that rings once each time it is set.
#[derive(Debug)]
pub(super) struct Alarm {
    timer: TimerFd,
}

impl Alarm {
    /// An alarm that wakes the poll of `registry` with `token`.
    pub(super) fn new(registry: &Registry, token: Token) -> io::Result<Self> {
        let flags = TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC;
        let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, flags)?;
        let fd = timer.as_fd().as_raw_fd();
        registry.register(&mut SourceFd(&fd), token, Interest::READABLE)?;
        Ok(Self { timer })
    }

    /// Rings after `span`. Setting it again also silences a ring that nobody took, so it is never
    /// read.
    pub(super) fn set(&self, span: Duration) -> io::Result<()> {
        // A span of zero would switch the timer off.
        let span = span.max(Duration::from_nanos(1));
        let once = Expiration::OneShot(TimeSpec::from_duration(span));
        Ok(self.timer.set(once, TimerSetTimeFlags::empty())?)
    }
}
