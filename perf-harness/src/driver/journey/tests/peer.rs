//! A server of ours on the loopback: one thread a connection, a script for what it answers, and
//! its own counts to compare a sample with.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::thread::{self, JoinHandle};

use crate::endpoint::Endpoint;

/// One request, as the script sees it.
#[derive(Debug)]
pub(in crate::driver) struct Asked {
    /// Request line and header fields, in lower case but for the request line.
    pub(in crate::driver) head: Vec<String>,
    pub(in crate::driver) body: Vec<u8>,
    /// Which request of the server this is, from 1.
    pub(in crate::driver) number: u64,
    /// Which connection of the server it came by, from 1.
    pub(in crate::driver) connection: u64,
    /// Which request of its connection it is, from 1.
    pub(in crate::driver) on_connection: u64,
}

/// What the server does with one request.
#[derive(Debug)]
pub(in crate::driver) enum Answer {
    /// Writes this and takes the next request.
    Reply(String),
    /// Writes this and closes.
    ReplyAndClose(String),
    /// Leaves the client waiting until it closes.
    Silence,
}

/// A reply of `status` with `body`.
pub(in crate::driver) fn reply(status: u16, body: &str) -> Answer {
    Answer::Reply(format!(
        "HTTP/1.1 {status} Word\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    ))
}

/// A running server, stopped when dropped.
#[derive(Debug)]
pub(in crate::driver) struct Peer {
    address: SocketAddr,
    counts: Arc<Counts>,
    acceptor: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Counts {
    stopping: AtomicBool,
    connections: AtomicU64,
    requests: AtomicU64,
}

impl Peer {
    pub(in crate::driver) fn start(
        script: impl Fn(&Asked) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let counts = Arc::new(Counts::default());
        let shared = Arc::clone(&counts);
        let acceptor = thread::spawn(move || accept(&listener, &shared, &Arc::new(script)));
        Self {
            address,
            counts,
            acceptor: Some(acceptor),
        }
    }

    pub(in crate::driver) fn endpoint(&self) -> Endpoint {
        Endpoint::new(self.address)
    }

    pub(in crate::driver) fn connections(&self) -> u64 {
        self.counts.connections.load(SeqCst)
    }

    pub(in crate::driver) fn requests(&self) -> u64 {
        self.counts.requests.load(SeqCst)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.counts.stopping.store(true, SeqCst);
        drop(TcpStream::connect(self.address));
        let ended = self.acceptor.take().map(JoinHandle::join);
        assert!(
            thread::panicking() || matches!(ended, Some(Ok(()))),
            "the peer failed"
        );
    }
}

fn accept<S>(listener: &TcpListener, counts: &Arc<Counts>, script: &Arc<S>)
where
    S: Fn(&Asked) -> Answer + Send + Sync + 'static,
{
    let mut threads = Vec::new();
    for stream in listener.incoming().map(Result::unwrap) {
        if counts.stopping.load(SeqCst) {
            break;
        }
        let connection = counts.connections.fetch_add(1, SeqCst) + 1;
        let (counts, script) = (Arc::clone(counts), Arc::clone(script));
        threads.push(thread::spawn(move || {
            converse(&stream, connection, &counts, &*script)
        }));
    }
    threads
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
}

fn converse(
    stream: &TcpStream,
    connection: u64,
    counts: &Counts,
    script: &impl Fn(&Asked) -> Answer,
) {
    stream.set_nodelay(true).unwrap();
    let mut reader = BufReader::new(stream);
    let mut on_connection = 0;
    while let Some((head, body)) = read_request(&mut reader) {
        on_connection += 1;
        let answer = script(&Asked {
            head,
            body,
            number: counts.requests.fetch_add(1, SeqCst) + 1,
            connection,
            on_connection,
        });
        if !act(answer, &mut reader) {
            return;
        }
    }
}

/// False when the connection is to be closed. A client that has gone is no failure of the server.
fn act(answer: Answer, reader: &mut BufReader<&TcpStream>) -> bool {
    match answer {
        Answer::Reply(text) => reader.get_mut().write_all(text.as_bytes()).is_ok(),
        Answer::ReplyAndClose(text) => {
            drop(reader.get_mut().write_all(text.as_bytes()));
            false
        }
        Answer::Silence => {
            drop(reader.read_to_end(&mut Vec::new()));
            false
        }
    }
}

fn read_request(reader: &mut BufReader<&TcpStream>) -> Option<(Vec<String>, Vec<u8>)> {
    let mut head = vec![read_line(reader)?];
    loop {
        let field = read_line(reader)?;
        if field.is_empty() {
            break;
        }
        head.push(field.to_lowercase());
    }
    let length = head
        .iter()
        .find_map(|field| field.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |digits| digits.parse().unwrap())];
    reader.read_exact(&mut body).ok()?;
    Some((head, body))
}

fn read_line(reader: &mut BufReader<&TcpStream>) -> Option<String> {
    let mut line = String::new();
    let count = reader.read_line(&mut line).ok()?;
    (count > 0).then(|| line.trim_end().to_owned())
}
