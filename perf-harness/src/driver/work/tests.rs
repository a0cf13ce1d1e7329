//! Calls of a client of ours against a server of ours that speaks the protocol of Redis.

use std::io::{BufRead as _, BufReader as StdReader, Write as _};
use std::net::{TcpListener, TcpStream as StdStream};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

use super::*;
use crate::driver::Failure;
use crate::load::{Pace, Rate};
use crate::sample::ErrorKind;

#[derive(Debug, Default)]
struct Counts {
    connections: AtomicU64,
    pings: AtomicU64,
}

/// A server that answers the n-th `PING`, from 1, as `script` says; it lives as long as the test.
fn server(
    script: impl Fn(u64) -> Option<&'static str> + Send + Sync + 'static,
) -> (Endpoint, Arc<Counts>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = Endpoint::new(listener.local_addr().unwrap());
    let counts = Arc::new(Counts::default());
    let (shared, script) = (Arc::clone(&counts), Arc::new(script));
    thread::spawn(move || {
        for stream in listener.incoming().map_while(std::result::Result::ok) {
            shared.connections.fetch_add(1, SeqCst);
            let (counts, script) = (Arc::clone(&shared), Arc::clone(&script));
            thread::spawn(move || answer(&stream, &counts, &*script));
        }
    });
    (endpoint, counts)
}

fn answer(stream: &StdStream, counts: &Counts, script: &impl Fn(u64) -> Option<&'static str>) {
    let mut reader = StdReader::new(stream);
    let mut line = String::new();
    while reader.read_line(&mut line).is_ok_and(|count| count > 0) {
        if line == "PING\r\n" {
            let number = counts.pings.fetch_add(1, SeqCst) + 1;
            if let Some(text) = script(number) {
                drop(reader.get_mut().write_all(text.as_bytes()));
            }
        }
        line.clear();
    }
}

/// `PING` as an array of one bulk string, the form that clients of Redis send.
const PING: &[u8] = b"*1\r\n$4\r\nPING\r\n";

async fn connect(endpoint: Endpoint) -> Result<BufReader<TcpStream>> {
    let address = endpoint
        .address()
        .ok_or_else(|| Failure::new("no TCP port"))?;
    Ok(BufReader::new(TcpStream::connect(address).await?))
}

async fn ping(connection: &mut BufReader<TcpStream>) -> Result<()> {
    connection.write_all(PING).await?;
    let mut line = String::new();
    connection.read_line(&mut line).await?;
    match line.as_str() {
        "+PONG\r\n" => Ok(()),
        "" => Err(Failure::of_kind(
            ErrorKind::EofBeforeReply,
            "the server closed",
        )),
        other => Err(Failure::of_kind(
            ErrorKind::BodyCheck,
            format!("{other:?} is no PONG"),
        )),
    }
}

#[derive(Debug, Default)]
struct Edges(Vec<&'static str>);

impl Window for Edges {
    fn open(&mut self) {
        self.0.push("open");
    }

    fn close(&mut self) {
        self.0.push("close");
    }
}

fn load(requests: u64, concurrency: usize) -> Load {
    Load {
        mix: None,
        requests,
        concurrency,
        ..Load::default()
    }
}

fn drive_at(endpoint: &Endpoint, load: &Load) -> Sample {
    let mut edges = Edges::default();
    let sample = Work::new(connect, ping)
        .drive(endpoint, load, &mut edges)
        .unwrap();
    assert_eq!(edges.0, ["open", "close"]);
    assert_eq!(sample.sent, load.requests);
    assert_eq!(sample.sent, sample.ok + sample.failed());
    sample
}

fn pong(_: u64) -> Option<&'static str> {
    Some("+PONG\r\n")
}

#[test]
fn the_server_counts_exactly_the_warm_up_and_the_calls() {
    for concurrency in [1, 7, 50] {
        let (endpoint, counts) = server(pong);
        let load = load(211, concurrency);
        let sample = drive_at(&endpoint, &load);
        assert_eq!((sample.ok, sample.reconnects), (211, 0));
        assert_eq!(counts.pings.load(SeqCst), 211 + load.warmup_requests());
        assert_eq!(counts.connections.load(SeqCst), concurrency as u64);
        assert_eq!(sample.connect.count(), concurrency as u64);
    }
}

#[test]
fn closures_and_an_open_loop_do_as_well() {
    let (endpoint, counts) = server(pong);
    let load = Load {
        warmup: Some(0),
        pace: Pace::Open(Rate::constant(1000.0)),
        ..load(50, 4)
    };
    let driver = Work::new(
        async |endpoint: Endpoint| connect(endpoint).await,
        async |connection: &mut BufReader<TcpStream>| ping(connection).await,
    );
    let sample = driver
        .drive(&endpoint, &load, &mut Edges::default())
        .unwrap();
    assert_eq!((sample.ok, counts.pings.load(SeqCst)), (50, 50));
    assert_eq!(sample.open_loop.unwrap().lag.count(), 50);
}

#[test]
fn a_connection_whose_call_failed_is_not_used_again() {
    let (endpoint, counts) = server(|number| match number {
        5 => Some("-ERR busy\r\n+PONG\r\n"),
        _ => Some("+PONG\r\n"),
    });
    let load = Load {
        warmup: Some(1),
        ..load(20, 1)
    };
    let sample = drive_at(&endpoint, &load);
    assert_eq!(sample.errors, [(ErrorKind::BodyCheck, 1)].into());
    assert_eq!((sample.ok, sample.reconnects), (19, 1));
    assert_eq!(counts.connections.load(SeqCst), 2);
    assert_eq!(sample.fresh_latency.count(), 1);
}

#[test]
fn a_call_that_takes_too_long_leaves_no_answer_to_the_next() {
    let (endpoint, counts) = server(|number| (number != 5).then_some("+PONG\r\n"));
    let load = Load {
        warmup: Some(1),
        timeout: Duration::from_millis(200),
        ..load(20, 1)
    };
    let sample = drive_at(&endpoint, &load);
    assert_eq!(sample.errors, [(ErrorKind::Timeout, 1)].into());
    assert_eq!((sample.ok, sample.reconnects), (19, 1));
    assert_eq!(counts.connections.load(SeqCst), 2);
}

#[test]
fn a_connection_that_cannot_be_made_is_said_with_a_next_step() {
    let deserted = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let mut edges = Edges::default();
    let error = Work::new(connect, ping)
        .drive(&Endpoint::new(deserted), &load(10, 2), &mut edges)
        .unwrap_err();
    let message = error.to_string();
    assert!(
        message.contains("check the address, and that the server listens"),
        "{message}"
    );
    assert!(edges.0.is_empty());
}

#[test]
fn a_load_with_a_request_of_its_own_is_refused() {
    let (endpoint, _) = server(pong);
    let load = Load {
        requests: 10,
        ..Load::default()
    };
    let error = Work::new(connect, ping).drive(&endpoint, &load, &mut Edges::default());
    assert!(matches!(
        error,
        Err(DriverError::Unsuited { driver: "work", .. })
    ));
}
