//! The socket of a check: blocking, and never for longer than was said.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use crate::endpoint::{Endpoint, Peer};

/// A connection to a TCP port or a Unix socket.
#[derive(Debug)]
pub(super) enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Socket {
    /// Opens a connection within the time that is left; a time of zero would be refused by the system.
    pub(super) fn connect(endpoint: &Endpoint, within: Duration) -> io::Result<Self> {
        let within = within.max(Duration::from_millis(1));
        match endpoint.peer() {
            Peer::Tcp(address) => TcpStream::connect_timeout(address, within).map(Self::Tcp),
            Peer::Unix(path) => connect_unix(path).map(Self::Unix),
        }
    }

    /// How long one read may take; zero is refused.
    pub(super) fn set_read_timeout(&self, within: Duration) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.set_read_timeout(Some(within)),
            Self::Unix(stream) => stream.set_read_timeout(Some(within)),
        }
    }

    /// How long one write may take; zero is refused.
    pub(super) fn set_write_timeout(&self, within: Duration) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.set_write_timeout(Some(within)),
            Self::Unix(stream) => stream.set_write_timeout(Some(within)),
        }
    }
}

/// A blocking connect would wait without end for a place in the backlog.
fn connect_unix(path: &Path) -> io::Result<UnixStream> {
    let stream = UnixStream::from(mio::net::UnixStream::connect(path)?);
    stream.set_nonblocking(false)?;
    Ok(stream)
}

impl Read for Socket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.read(buffer),
            Self::Unix(stream) => stream.read(buffer),
        }
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write(bytes),
            Self::Unix(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
