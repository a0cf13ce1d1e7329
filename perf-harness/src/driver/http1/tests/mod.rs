//! The engine against servers of ours that misbehave in every way we know of.
//!
//! Each test drives a real socket on the loopback and compares the engine's books with the
//! server's own. None looks at the clock.

mod bodies;
mod closing;
mod counts;
mod cuts;
mod endings;
mod ends;
mod failures;
mod grammar;
mod heads;
mod open;
mod open_loop;
mod peer;
mod reading;
mod replies;
mod sending;
mod threads;
mod timeouts;
mod window;

use std::collections::BTreeMap;

use http::Method;

use super::Http1;
use crate::driver::{Driver as _, DriverError, Window};
use crate::load::{Load, Request};
use crate::sample::{ErrorKind, Sample};
use peer::{Conversation, Peer, Seen};

/// A good reply of five body bytes that says nothing of the connection.
const HELLO: &str = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

/// A window that counts how often it was opened and closed.
#[derive(Debug, Default)]
struct CountingWindow {
    opened: usize,
    closed: usize,
}

impl Window for CountingWindow {
    fn open(&mut self) {
        self.opened += 1;
    }

    fn close(&mut self) {
        self.closed += 1;
    }
}

/// The load of the table of misbehaving servers: six requests over two connections.
fn six() -> Load {
    load(6, 2)
}

/// A load without a warm-up.
fn load(requests: u64, concurrency: usize) -> Load {
    Load {
        requests,
        concurrency,
        warmup: Some(0),
        ..Load::default()
    }
}

fn with_method(mut load: Load, method: Method) -> Load {
    load.mix = Some(Request::new(method, "/").into());
    load
}

/// Drives `load` against a server that treats every connection as `script` says.
fn try_drive(
    load: &Load,
    script: impl Fn(&mut Conversation) + Send + Sync + 'static,
) -> (Result<Sample, DriverError>, Seen) {
    let peer = Peer::start(script);
    let result = Http1.drive(&peer.endpoint(), load, &mut CountingWindow::default());
    (result, peer.stop())
}

/// As [`try_drive`], for loads that can be measured. Checks what holds for every sample.
fn drive(
    load: &Load,
    script: impl Fn(&mut Conversation) + Send + Sync + 'static,
) -> (Sample, Seen) {
    let (result, seen) = try_drive(load, script);
    let sample = result.expect("the load can be measured");
    assert_eq!(sample.sent, load.requests);
    assert_eq!(sample.sent, sample.ok + sample.failed());
    let timeouts = sample.errors.get(&ErrorKind::Timeout).copied().unwrap_or(0);
    assert_eq!(sample.latency.count(), sample.ok + timeouts);
    assert_eq!(sample.first_byte.count(), sample.ok);
    assert_eq!(sample.first_error.is_some(), sample.failed() > 0);
    (sample, seen)
}

/// Answers every request with `reply` for as long as the client asks.
fn always(reply: impl Into<Vec<u8>>) -> impl Fn(&mut Conversation) + Send + Sync {
    let reply = reply.into();
    move |conversation| {
        while conversation.read_request() {
            conversation.write(&reply);
        }
    }
}

/// Answers one request with `reply`, then closes.
fn once(reply: impl Into<Vec<u8>>) -> impl Fn(&mut Conversation) + Send + Sync {
    let reply = reply.into();
    move |conversation| {
        if conversation.read_request() {
            conversation.write(&reply);
        }
    }
}

fn errors<const N: usize>(kinds: [(ErrorKind, u64); N]) -> BTreeMap<ErrorKind, u64> {
    BTreeMap::from(kinds)
}
