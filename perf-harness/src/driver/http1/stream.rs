//! The byte stream of one connection, as the event loop wants it: never blocking.

use std::io::{self, Read as _, Write as _};
use std::net::SocketAddr;
use std::os::fd::AsRawFd as _;

use mio::event::Source;
use mio::net::TcpStream;
use nix::errno::Errno;
use nix::sys::socket::{MsgFlags, recv};

/// A stream to the server.
#[derive(Debug)]
pub(super) struct Stream {
    tcp: TcpStream,
}

impl Stream {
    /// Begins to connect.
    pub(super) fn connect(address: SocketAddr) -> io::Result<Self> {
        let tcp = TcpStream::connect(address)?;
        tcp.set_nodelay(true)?;
        Ok(Self { tcp })
    }

    /// What is registered with the poll.
    pub(super) fn source(&mut self) -> &mut dyn Source {
        &mut self.tcp
    }

    /// Whether the connection is there; asked when the stream has become writable.
    pub(super) fn connected(&mut self) -> io::Result<bool> {
        if let Some(error) = self.tcp.take_error()? {
            return Err(error);
        }
        match self.tcp.peer_addr() {
            Ok(_) => Ok(true),
            Err(error) if is_unfinished(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Goes on with the handshake above the connection; true when nothing is left of it.
    pub(super) fn handshake(&mut self) -> io::Result<bool> {
        Ok(true)
    }

    /// Reads what has come; 0 at the end of the stream.
    pub(super) fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.tcp.read(bytes)
    }

    /// Takes bytes to be sent, and says how many.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.tcp.write(bytes)
    }

    /// Sends what [`write`](Self::write) took; true when nothing of it is left.
    pub(super) fn flush(&mut self) -> io::Result<bool> {
        Ok(true)
    }

    /// Throws away up to as many bytes as fit, and says how many; 0 at the end of the stream. Linux
    /// drops them within the kernel: nothing is copied.
    pub(super) fn discard(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        Ok(recv(self.tcp.as_raw_fd(), bytes, MsgFlags::MSG_TRUNC)?)
    }

    /// Whether a read that got less than it asked for has emptied the stream.
    pub(super) fn short_read_empties(&self) -> bool {
        true
    }
}

fn is_unfinished(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotConnected
        || error.raw_os_error() == Some(Errno::EINPROGRESS as i32)
}
