//! Where received bytes land: one buffer for all connections of the thread.
//!
//! Nothing of a reply is kept, so the connections can share it and it stays in the cache. Body
//! bytes that need not be looked at are thrown away within the kernel where it can do that.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead as _, Interest, ReadBuf};
use tokio::net::TcpStream;

/// What one look at a reply reads: any usual head, and small replies whole. More would copy bytes
/// of large bodies that are cheaper to discard.
const LOOK: usize = 4 * 1024;

/// What one call throws away at most.
const DISCARD: usize = 1024 * 1024;

/// The buffer that all connections of a thread share.
#[derive(Debug)]
pub(super) struct Landing {
    bytes: Vec<u8>,
}

impl Landing {
    pub(super) fn new() -> Self {
        Self {
            bytes: vec![0; DISCARD],
        }
    }

    /// Reads what has come, to be looked at; empty at the end of the stream.
    pub(super) fn poll_look(
        &mut self,
        stream: &mut TcpStream,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<&[u8]>> {
        let mut buffer = ReadBuf::new(&mut self.bytes[..LOOK]);
        ready!(Pin::new(stream).poll_read(cx, &mut buffer))?;
        let count = buffer.filled().len();
        Poll::Ready(Ok(&self.bytes[..count]))
    }

    /// Throws away up to `most` bytes that have come, and says how many; 0 at the end of the stream.
    pub(super) fn poll_discard(
        &mut self,
        stream: &TcpStream,
        most: u64,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        let most = most.min(DISCARD as u64) as usize;
        loop {
            ready!(stream.poll_read_ready(cx))?;
            match discard_now(stream, &mut self.bytes[..most]) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                result => return Poll::Ready(result),
            }
        }
    }
}

/// A call that got less than it asked for has emptied the socket. Saying so to the runtime saves
/// the call that would find nothing.
fn discard_now(stream: &TcpStream, bytes: &mut [u8]) -> io::Result<usize> {
    let mut count = 0;
    let emptied = stream.try_io(Interest::READABLE, || {
        count = discard(stream, bytes)?;
        match count {
            0 => Ok(()),
            _ if count == bytes.len() => Ok(()),
            _ => Err(io::ErrorKind::WouldBlock.into()),
        }
    });
    match emptied {
        Err(error) if count == 0 => Err(error),
        _ => Ok(count),
    }
}

/// With this flag Linux drops the bytes of a TCP stream instead of copying them.
#[cfg(target_os = "linux")]
fn discard(stream: &TcpStream, bytes: &mut [u8]) -> io::Result<usize> {
    use std::os::fd::AsRawFd as _;

    use nix::sys::socket::{MsgFlags, recv};

    Ok(recv(stream.as_raw_fd(), bytes, MsgFlags::MSG_TRUNC)?)
}

#[cfg(not(target_os = "linux"))]
fn discard(stream: &TcpStream, bytes: &mut [u8]) -> io::Result<usize> {
    use std::os::fd::AsRawFd as _;

    use nix::sys::socket::{MsgFlags, recv};

    Ok(recv(stream.as_raw_fd(), bytes, MsgFlags::empty())?)
}
