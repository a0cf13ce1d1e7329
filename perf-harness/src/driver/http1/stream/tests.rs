use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use mio::{Events, Interest, Poll, Token};
use nix::sys::socket::{Backlog, listen};

use super::*;

/// A test that waits longer hangs.
const LONG: Duration = Duration::from_secs(60);

/// A stream and the poll that it waits by.
pub(super) struct Client {
    poll: Poll,
    pub(super) stream: Stream,
}

impl Client {
    pub(super) fn connect(peer: &Peer, tls: Option<&TlsSetup>) -> io::Result<Self> {
        let poll = Poll::new().unwrap();
        let mut stream = Stream::connect(peer, tls)?;
        let both = Interest::READABLE | Interest::WRITABLE;
        poll.registry()
            .register(stream.source(), Token(0), both)
            .unwrap();
        let mut client = Self { poll, stream };
        client.until(Stream::connected)?;
        client.until(Stream::handshake)?;
        Ok(client)
    }

    fn wait(&mut self) {
        let mut events = Events::with_capacity(1);
        self.poll.poll(&mut events, Some(LONG)).unwrap();
        assert!(!events.is_empty(), "nothing happened for {LONG:?}");
    }

    fn until(&mut self, mut step: impl FnMut(&mut Stream) -> io::Result<bool>) -> io::Result<()> {
        while !step(&mut self.stream)? {
            self.wait();
        }
        Ok(())
    }

    /// Does `step`, as soon as it would not block.
    pub(super) fn when_possible<T>(
        &mut self,
        mut step: impl FnMut(&mut Stream) -> io::Result<T>,
    ) -> io::Result<T> {
        loop {
            match step(&mut self.stream) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.wait(),
                result => return result,
            }
        }
    }

    pub(super) fn send(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let taken = self.when_possible(|stream| stream.write(bytes))?;
            bytes = &bytes[taken..];
        }
        self.until(Stream::flush)
    }

    /// All that comes until the end, by reads of `size` bytes.
    pub(super) fn read_to_end(&mut self, size: usize) -> io::Result<Vec<u8>> {
        let (mut all, mut piece) = (Vec::new(), vec![0; size]);
        loop {
            match self.when_possible(|stream| stream.read(&mut piece))? {
                0 => return Ok(all),
                count => all.extend_from_slice(&piece[..count]),
            }
        }
    }

    /// Throws `count` bytes away.
    pub(super) fn discard_exactly(&mut self, mut count: usize) {
        let mut room = vec![0; 4_096];
        while count > 0 {
            let most = count.min(room.len());
            let gone = self.when_possible(|stream| stream.discard(&mut room[..most]));
            count -= gone.unwrap();
        }
    }
}

/// Bytes of which no two neighbouring parts are the same.
pub(super) fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|place| (place % 251) as u8).collect()
}

/// Reads `length` bytes and sends them back.
pub(super) fn echo(stream: &mut (impl Read + Write), length: usize) {
    let mut all = vec![0; length];
    stream.read_exact(&mut all).unwrap();
    stream.write_all(&all).unwrap();
    stream.flush().unwrap();
}

/// Sends a pattern through `client` to an [`echo`], and reads half and discards half of it.
pub(super) fn check_echo(client: &mut Client, length: usize) {
    let sent = pattern(length);
    client.send(&sent).unwrap();
    client.discard_exactly(length / 2);
    assert!(client.read_to_end(1_000).unwrap() == sent[length / 2..]);
}

fn tcp_echo(length: usize) -> (Peer, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let peer = Peer::Tcp(listener.local_addr().unwrap());
    let serving = thread::spawn(move || echo(&mut listener.accept().unwrap().0, length));
    (peer, serving)
}

#[test]
fn tcp_carries_bytes_both_ways() {
    let (peer, serving) = tcp_echo(100_000);
    let mut client = Client::connect(&peer, None).unwrap();
    assert!(client.stream.short_read_empties());
    check_echo(&mut client, 100_000);
    serving.join().unwrap();
}

#[test]
fn tcp_sends_without_delay() {
    let (peer, serving) = tcp_echo(1);
    let mut client = Client::connect(&peer, None).unwrap();
    let Stream::Plain(Socket::Tcp(stream)) = &client.stream else {
        panic!("{:?}", client.stream);
    };
    assert!(stream.nodelay().unwrap());
    check_echo(&mut client, 1);
    serving.join().unwrap();
}

#[test]
fn a_closed_port_refuses() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let peer = Peer::Tcp(listener.local_addr().unwrap());
    drop(listener);
    let error = Client::connect(&peer, None).err().unwrap();
    assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
    assert_eq!(tls_reason(&error), None);
}

#[test]
fn a_unix_socket_carries_bytes_both_ways() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.sock");
    let listener = UnixListener::bind(&path).unwrap();
    let serving = thread::spawn(move || echo(&mut listener.accept().unwrap().0, 100_000));
    let mut client = Client::connect(&Peer::Unix(path), None).unwrap();
    assert!(client.stream.short_read_empties());
    check_echo(&mut client, 100_000);
    serving.join().unwrap();
}

#[test]
fn a_unix_socket_with_a_full_backlog_refuses() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.sock");
    let listener = UnixListener::bind(&path).unwrap();
    listen(&listener, Backlog::new(0).unwrap()).unwrap();
    let peer = Peer::Unix(path);
    let _first = Stream::connect(&peer, None).unwrap();
    let error = Stream::connect(&peer, None).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
    assert_eq!(error.to_string(), "the backlog of the socket is full");
}

#[test]
fn a_unix_socket_that_is_not_there_is_not_found() {
    let folder = tempfile::tempdir().unwrap();
    let peer = Peer::Unix(folder.path().join("app.sock"));
    let error = Stream::connect(&peer, None).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
}

#[cfg(feature = "tls")]
mod over_tls;
