//! HTTP/2 with prior knowledge, against a server that counts.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::thread;

use h2::Reason;
use h2::server::{SendResponse, handshake};
use http::Response;
use hyper::body::Bytes;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::sync::oneshot;

use super::*;

/// A server of HTTP/2 alone, stopped when dropped.
struct Server {
    address: SocketAddr,
    counts: Arc<Counts>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<thread::JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Counts {
    connections: AtomicU64,
    requests: AtomicU64,
}

/// What is done with the n-th request, from 1.
#[derive(Clone, Copy, Debug)]
enum Act {
    Reply(usize),
    Reset,
    Silence,
}

impl Server {
    fn start(script: fn(u64) -> Act) -> Self {
        let counts = Arc::<Counts>::default();
        let shared = Arc::clone(&counts);
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let thread = thread::spawn(move || {
            runtime.spawn(accept(listener, shared, script));
            drop(runtime.block_on(stopped));
        });
        Self {
            address,
            counts,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    fn drive(&self, load: &Load) -> Sample {
        let mut window = CountingWindow::default();
        let endpoint = Endpoint::new(self.address);
        let sample = ReqwestDriver.drive(&endpoint, load, &mut window).unwrap();
        assert_eq!((window.opened, window.closed), (1, 1));
        assert_eq!(sample.sent, sample.ok + sample.failed());
        sample
    }

    fn seen(&self) -> (u64, u64) {
        let requests = self.counts.requests.load(SeqCst);
        (self.counts.connections.load(SeqCst), requests)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        self.thread.take().map(thread::JoinHandle::join);
    }
}

async fn accept(listener: TcpListener, counts: Arc<Counts>, script: fn(u64) -> Act) {
    while let Ok((stream, _)) = listener.accept().await {
        counts.connections.fetch_add(1, SeqCst);
        tokio::spawn(serve(stream, Arc::clone(&counts), script));
    }
}

async fn serve(stream: TcpStream, counts: Arc<Counts>, script: fn(u64) -> Act) {
    let mut connection = handshake(stream).await.unwrap();
    let mut unanswered = Vec::new();
    while let Some(Ok((_, mut respond))) = connection.accept().await {
        let number = counts.requests.fetch_add(1, SeqCst) + 1;
        match script(number) {
            Act::Reply(length) => reply_with(&mut respond, length),
            Act::Reset => respond.send_reset(Reason::REFUSED_STREAM),
            Act::Silence => unanswered.push(respond),
        }
    }
}

fn reply_with(respond: &mut SendResponse<Bytes>, length: usize) {
    let response = Response::builder().status(200).body(()).unwrap();
    let mut stream = respond.send_response(response, false).unwrap();
    stream.send_data(vec![b'x'; length].into(), true).unwrap();
}

fn http2(load: Load) -> Load {
    Load {
        http: crate::load::HttpVersion::Http2,
        ..load
    }
}

#[test]
fn every_connection_is_one_and_carries_its_share() {
    for concurrency in [1, 7] {
        let server = Server::start(|_| Act::Reply(5));
        let load = http2(load(211, concurrency));
        let sample = server.drive(&load);
        assert_eq!((sample.ok, sample.bytes), (211, 5 * 211));
        let requests = 211 + load.warmup_requests();
        assert_eq!(server.seen(), (concurrency as u64, requests));
        let opened = (sample.connect.count(), sample.reconnects);
        assert_eq!(opened, (concurrency as u64, 0));
    }
}

#[test]
fn a_body_larger_than_the_windows_of_the_standard_arrives_whole() {
    const MIB: usize = 1024 * 1024;
    let server = Server::start(|_| Act::Reply(4 * MIB));
    let sample = server.drive(&http2(load(4, 2)));
    assert_eq!((sample.ok, sample.bytes), (4, 16 * MIB as u64));
}

#[test]
fn a_stream_that_is_reset_is_counted_as_such() {
    let server = Server::start(|number| match number {
        10.. if number % 4 == 0 => Act::Reset,
        _ => Act::Reply(1),
    });
    let load = Load {
        warmup: Some(2),
        ..http2(twenty(LoadRequest::post("/")))
    };
    let sample = server.drive(&load);
    assert_eq!(sample.errors, [(ErrorKind::Reset, 3)].into());
    assert_eq!((sample.ok, sample.reconnects), (17, 0));
}

#[test]
fn a_request_over_the_timeout_is_dropped_with_its_connection() {
    let server = Server::start(|number| match number {
        15 => Act::Silence,
        _ => Act::Reply(1),
    });
    let load = Load {
        timeout: Duration::from_millis(300),
        ..http2(load(50, 1))
    };
    let sample = server.drive(&load);
    assert_eq!(sample.errors, [(ErrorKind::Timeout, 1)].into());
    assert_eq!((sample.ok, sample.reconnects), (49, 1));
}

#[test]
fn a_server_without_http2_is_a_failed_warm_up() {
    let peer = Peer::start(|_| Answer::ReplyAndClose(String::new()));
    let result = ReqwestDriver.drive(
        &peer.endpoint(),
        &http2(load(10, 2)),
        &mut CountingWindow::default(),
    );
    assert!(
        matches!(result, Err(DriverError::WarmUp { .. })),
        "{result:?}"
    );
}
