//! The socket under a stream: the two families that servers listen on, as one.

use std::io::{self, Read, Write};
use std::os::fd::AsRawFd as _;

use mio::event::Source;
use mio::net::{TcpStream, UnixStream};
use nix::sys::socket::{MsgFlags, recv};

use crate::endpoint::Peer;

/// A non-blocking socket.
#[derive(Debug)]
pub(in crate::driver::http1) enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Socket {
    pub(super) fn connect(peer: &Peer) -> io::Result<Self> {
        match peer {
            Peer::Tcp(address) => TcpStream::connect(*address).map(Self::Tcp),
            Peer::Unix(path) => UnixStream::connect(path)
                .map(Self::Unix)
                .map_err(full_backlog_refuses),
        }
    }

    pub(super) fn source(&mut self) -> &mut dyn Source {
        match self {
            Self::Tcp(stream) => stream,
            Self::Unix(stream) => stream,
        }
    }

    pub(super) fn connected(&self) -> io::Result<bool> {
        if let Some(error) = self.take_error()? {
            return Err(error);
        }
        match self.prepare() {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn take_error(&self) -> io::Result<Option<io::Error>> {
        match self {
            Self::Tcp(stream) => stream.take_error(),
            Self::Unix(stream) => stream.take_error(),
        }
    }

    /// Fails with `NotConnected` as long as there is no peer.
    fn prepare(&self) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => {
                stream.peer_addr()?;
                stream.set_nodelay(true)
            }
            Self::Unix(stream) => stream.peer_addr().map(drop),
        }
    }

    /// Only TCP can throw bytes away without copying them.
    pub(super) fn discard(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => Ok(recv(stream.as_raw_fd(), buffer, MsgFlags::MSG_TRUNC)?),
            Self::Unix(stream) => stream.read(buffer),
        }
    }
}

/// `WouldBlock` would be taken for a connection that is under way.
fn full_backlog_refuses(error: io::Error) -> io::Error {
    if error.kind() != io::ErrorKind::WouldBlock {
        return error;
    }
    io::Error::new(
        io::ErrorKind::ConnectionRefused,
        "the backlog of the socket is full",
    )
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
