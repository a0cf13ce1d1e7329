//! A connection as bytes: TCP or a Unix socket, plain or under TLS, and never blocking.
//!
//! Whatever cannot go on returns [`io::ErrorKind::WouldBlock`]; the owner waits for the socket and
//! calls again.

mod socket;
#[cfg(test)]
mod tests;
#[cfg(feature = "tls")]
mod tls;

use std::io::{self, Read as _, Write as _};

use mio::event::Source;

use self::socket::Socket;
#[cfg(feature = "tls")]
pub(super) use self::tls::TlsSetup;
#[cfg(feature = "tls")]
use self::tls::TlsStream;
use crate::endpoint::Peer;

/// What TLS needs to know; without the feature `tls` there is none.
#[cfg(not(feature = "tls"))]
#[derive(Debug)]
pub(super) enum TlsSetup {}

/// Why TLS failed, in words; `None` when it was not TLS that failed.
#[cfg(feature = "tls")]
pub(super) fn tls_reason(error: &io::Error) -> Option<String> {
    tls::reason(error)
}

/// Nothing fails by TLS without the feature `tls`.
#[cfg(not(feature = "tls"))]
pub(super) fn tls_reason(_error: &io::Error) -> Option<String> {
    None
}

/// One connection to a server.
#[derive(Debug)]
pub(super) enum Stream {
    Plain(Socket),
    #[cfg(feature = "tls")]
    Tls(Box<TlsStream>),
}

impl Stream {
    /// Begins to open a connection; it is open when [`connected`](Self::connected) says so.
    ///
    /// # Errors
    ///
    /// What the system says. A Unix socket with a full backlog refuses, as a closed port does.
    pub(super) fn connect(peer: &Peer, tls: Option<&TlsSetup>) -> io::Result<Self> {
        let socket = Socket::connect(peer)?;
        match tls {
            None => Ok(Self::Plain(socket)),
            #[cfg(feature = "tls")]
            Some(setup) => Ok(Self::Tls(Box::new(setup.begin(socket)?))),
            #[cfg(not(feature = "tls"))]
            Some(setup) => match *setup {},
        }
    }

    /// What is registered with a poll, for reading and writing.
    pub(super) fn source(&mut self) -> &mut dyn Source {
        self.socket().source()
    }

    /// Whether the connection is open, to be asked when the socket is writable. It then sends
    /// without delay.
    ///
    /// # Errors
    ///
    /// Why the connection could not be opened.
    pub(super) fn connected(&mut self) -> io::Result<bool> {
        self.socket().connected()
    }

    /// Goes on with the handshake; true when it is done and all of it is sent. Plain connections
    /// have none.
    ///
    /// # Errors
    ///
    /// What [`tls_reason`] can put into words, or what the system says.
    pub(super) fn handshake(&mut self) -> io::Result<bool> {
        match self {
            Self::Plain(_) => Ok(true),
            #[cfg(feature = "tls")]
            Self::Tls(stream) => stream.handshake(),
        }
    }

    /// Receives into `buffer`, which is not empty; 0 at the end of the stream.
    ///
    /// # Errors
    ///
    /// Also [`io::ErrorKind::UnexpectedEof`] when TLS was cut without a `close_notify`.
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => socket.read(buffer),
            #[cfg(feature = "tls")]
            Self::Tls(stream) => stream.read(buffer),
        }
    }

    /// Sends some of `bytes` and says how many were taken. Under TLS some of those may still wait
    /// for [`flush`](Self::flush).
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => socket.write(bytes),
            #[cfg(feature = "tls")]
            Self::Tls(stream) => stream.write(bytes),
        }
    }

    /// Sends what was taken but not sent; true when nothing is left.
    pub(super) fn flush(&mut self) -> io::Result<bool> {
        match self {
            Self::Plain(_) => Ok(true),
            #[cfg(feature = "tls")]
            Self::Tls(stream) => stream.flush(),
        }
    }

    /// Receives up to the length of `buffer` and throws it away, on TCP within the kernel; 0 at the
    /// end of the stream. What `buffer` holds afterwards means nothing.
    pub(super) fn discard(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => socket.discard(buffer),
            #[cfg(feature = "tls")]
            Self::Tls(stream) => stream.read(buffer),
        }
    }

    /// Whether a read that got less than it asked for has taken all there is, so that the next one
    /// can wait for the socket. Never under TLS: more may be decrypted, or still encrypted.
    pub(super) fn short_read_empties(&self) -> bool {
        matches!(self, Self::Plain(_))
    }

    fn socket(&mut self) -> &mut Socket {
        match self {
            Self::Plain(socket) => socket,
            #[cfg(feature = "tls")]
            Self::Tls(stream) => stream.socket(),
        }
    }
}
