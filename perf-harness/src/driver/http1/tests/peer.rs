//! A server of ours: one thread a connection, a script for what it does, its own counts.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};

use nix::sys::socket::{setsockopt, sockopt::TcpCork};

use crate::endpoint::Endpoint;

/// What a server saw over its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) connections: u64,
    pub(super) requests: u64,
}

/// A server on a free loopback port; [`stop`](Self::stop) ends it and waits for all its threads.
#[derive(Debug)]
pub(super) struct Peer {
    address: SocketAddr,
    state: Arc<State>,
    acceptor: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct State {
    stopping: AtomicBool,
    connections: AtomicU64,
    requests: AtomicU64,
}

/// One accepted connection, as a script sees it.
#[derive(Debug)]
pub(super) struct Conversation {
    stream: TcpStream,
    state: Arc<State>,
    received: Vec<u8>,
    /// Which connection of the server this is, from 1.
    pub(super) number: u64,
}

impl Peer {
    pub(super) fn start(script: impl Fn(&mut Conversation) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(State::default());
        let shared = Arc::clone(&state);
        let acceptor = thread::spawn(move || {
            let stopping = |_: &io::Result<TcpStream>| shared.stopping.load(Ordering::SeqCst);
            let streams = listener.incoming().take_while(|stream| !stopping(stream));
            serve(streams, &shared, &Arc::new(script));
        });
        Self {
            address,
            state,
            acceptor,
        }
    }

    /// A server that takes `connections` connections, then listens no more. It has stopped
    /// listening before the script sees the last of them.
    pub(super) fn serving_only(
        connections: usize,
        script: impl Fn(&mut Conversation) + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(State::default());
        let shared = Arc::clone(&state);
        let acceptor = thread::spawn(move || {
            let accepted: Vec<_> = listener.incoming().take(connections).collect();
            drop(listener);
            serve(accepted, &shared, &Arc::new(script));
        });
        Self {
            address,
            state,
            acceptor,
        }
    }

    pub(super) fn endpoint(&self) -> Endpoint {
        Endpoint::new(self.address)
    }

    /// Takes no further connection, waits until those there are have ended, and says what was seen.
    pub(super) fn stop(self) -> Seen {
        self.state.stopping.store(true, Ordering::SeqCst);
        drop(TcpStream::connect(self.address));
        self.acceptor.join().unwrap();
        Seen {
            connections: self.state.connections.load(Ordering::SeqCst),
            requests: self.state.requests.load(Ordering::SeqCst),
        }
    }
}

fn serve<S>(
    streams: impl IntoIterator<Item = io::Result<TcpStream>>,
    state: &Arc<State>,
    script: &Arc<S>,
) where
    S: Fn(&mut Conversation) + Send + Sync + 'static,
{
    let mut threads = Vec::new();
    for stream in streams {
        let mut conversation = Conversation {
            stream: stream.unwrap(),
            state: Arc::clone(state),
            received: Vec::new(),
            number: state.connections.fetch_add(1, Ordering::SeqCst) + 1,
        };
        conversation.stream.set_nodelay(true).unwrap();
        let script = Arc::clone(script);
        threads.push(thread::spawn(move || script(&mut conversation)));
    }
    threads
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
}

impl Conversation {
    /// Reads one request to its end; false when the client has closed.
    pub(super) fn read_request(&mut self) -> bool {
        self.read_request_in_pieces(4096)
    }

    /// As [`read_request`](Self::read_request), at most `size` bytes at a time.
    pub(super) fn read_request_in_pieces(&mut self, size: usize) -> bool {
        loop {
            if let Some(length) = request_length(&self.received) {
                self.received.drain(..length);
                self.count();
                return true;
            }
            let mut bytes = [0; 4096];
            match self.stream.read(&mut bytes[..size]) {
                Ok(0) => return false,
                Ok(count) => self.received.extend_from_slice(&bytes[..count]),
                Err(error) if error.kind() == ErrorKind::ConnectionReset => return false,
                Err(error) => panic!("{error}"),
            }
        }
    }

    /// Waits until a request arrives but leaves it in the socket, so that closing now is a reset.
    pub(super) fn await_request(&mut self) -> bool {
        let arrived = matches!(self.stream.peek(&mut [0]), Ok(1));
        if arrived {
            self.count();
        }
        arrived
    }

    /// Writes `bytes`; a client that has gone is no failure of the server.
    pub(super) fn write(&mut self, bytes: impl AsRef<[u8]>) {
        drop(self.stream.write_all(bytes.as_ref()));
    }

    /// Writes `bytes`; false when the client has gone.
    pub(super) fn write_or_closed(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.stream.write_all(bytes.as_ref()).is_ok()
    }

    /// Writes `bytes` and closes this half so that both arrive at the same moment.
    pub(super) fn write_and_shut_down(&mut self, bytes: impl AsRef<[u8]>) {
        setsockopt(&self.stream, TcpCork, &true).unwrap();
        self.write(bytes);
        self.shut_down();
    }

    /// Says that no more will come, as a close does.
    pub(super) fn shut_down(&mut self) {
        drop(self.stream.shutdown(Shutdown::Write));
    }

    /// Waits until the server is stopped, and reads nothing meanwhile.
    pub(super) fn await_stop(&self) {
        while !self.state.stopping.load(Ordering::SeqCst) {
            thread::yield_now();
        }
    }

    /// Waits until the client closes, whatever it sends.
    pub(super) fn await_close(&mut self) {
        let mut bytes = [0; 4096];
        while matches!(self.stream.read(&mut bytes), Ok(count) if count > 0) {}
    }

    /// Reads requests until the client closes and answers none.
    pub(super) fn leave_unanswered(&mut self) {
        while self.read_request() {}
    }

    /// How many requests the server has seen on all its connections.
    pub(super) fn requests(&self) -> u64 {
        self.state.requests.load(Ordering::SeqCst)
    }

    fn count(&self) {
        self.state.requests.fetch_add(1, Ordering::SeqCst);
    }
}

fn request_length(received: &[u8]) -> Option<usize> {
    let head = received.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let text = std::str::from_utf8(&received[..head]).unwrap();
    let length = text
        .lines()
        .find_map(|line| line.strip_prefix("Content-Length: "));
    let whole = head + length.map_or(0, |digits| digits.parse::<usize>().unwrap());
    (received.len() >= whole).then_some(whole)
}
