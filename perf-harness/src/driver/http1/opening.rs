//! A connection that is being opened: connecting, then the handshake above.

use std::io;
use std::time::{Duration, Instant};

use mio::{Interest, Registry, Token};

use super::failure::Failure;
use super::plan::Plan;
use super::stream::Stream;

/// A connection on its way.
#[derive(Debug)]
pub(super) struct Opening {
    stream: Stream,
    start: Instant,
    connected: Option<Instant>,
    shook_hands: bool,
}

/// How long the parts of opening a connection took.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    pub(super) connect: Duration,
    /// The handshake, where there was one.
    pub(super) tls: Option<Duration>,
}

impl Opening {
    /// Begins, and registers the stream for all that it will ever be asked: nothing is registered
    /// again while it lives.
    pub(super) fn begin(plan: &Plan, registry: &Registry, token: Token) -> io::Result<Self> {
        let start = Instant::now();
        let mut stream = Stream::connect(plan.endpoint.peer(), plan.tls.as_ref())?;
        let interest = Interest::READABLE | Interest::WRITABLE;
        registry.register(stream.source(), token, interest)?;
        Ok(Self {
            stream,
            start,
            connected: None,
            shook_hands: false,
        })
    }

    /// Goes on after the poll has reported the stream; how long all took when it is open.
    pub(super) fn advance(&mut self) -> Result<Option<Taken>, Failure> {
        let Some(connected) = self.connect()? else {
            return Ok(None);
        };
        if !self.shake_hands()? {
            return Ok(None);
        }
        Ok(Some(Taken {
            connect: connected - self.start,
            tls: self.shook_hands.then(|| connected.elapsed()),
        }))
    }

    fn connect(&mut self) -> Result<Option<Instant>, Failure> {
        if self.connected.is_none() {
            let connected = self.stream.connected();
            if connected.map_err(|source| Failure::Connect { source })? {
                self.connected = Some(Instant::now());
            }
        }
        Ok(self.connected)
    }

    /// A handshake has to wait for the server at least once.
    fn shake_hands(&mut self) -> Result<bool, Failure> {
        let done = self.stream.handshake();
        let done = done.map_err(|source| Failure::Handshake { source })?;
        self.shook_hands |= !done;
        Ok(done)
    }

    pub(super) fn into_stream(self) -> Stream {
        self.stream
    }
}
