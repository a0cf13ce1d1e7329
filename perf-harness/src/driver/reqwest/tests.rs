//! Plain loads by reqwest against servers of ours.

mod http2;
mod mixes;
mod redirects;
#[cfg(feature = "tls")]
mod tls;

use std::time::Duration;

use http::Method;

use super::super::journey::tests::CountingWindow;
use super::super::journey::tests::peer::{Answer, Asked, Peer, reply};
use super::*;
use crate::load::{Client, Mix, Order, Request as LoadRequest};
use crate::sample::ErrorKind;

fn load(requests: u64, concurrency: usize) -> Load {
    Load {
        requests,
        concurrency,
        client: Client::Reqwest,
        ..Load::default()
    }
}

fn twenty(request: LoadRequest) -> Load {
    Load {
        mix: Some(request.into()),
        ..load(20, 2)
    }
}

/// Drives `load` and checks what holds for every sample.
fn drive_at(peer: &Peer, load: &Load) -> Sample {
    let mut window = CountingWindow::default();
    let sample = ReqwestDriver
        .drive(&peer.endpoint(), load, &mut window)
        .unwrap();
    assert_eq!(
        window,
        CountingWindow {
            opened: 1,
            closed: 1
        }
    );
    assert_eq!(sample.sent, load.requests);
    assert_eq!(sample.sent, sample.ok + sample.failed());
    let timeouts = sample.errors.get(&ErrorKind::Timeout).copied().unwrap_or(0);
    assert_eq!(sample.latency.count(), sample.ok + timeouts);
    assert_eq!(sample.first_byte.count(), sample.ok);
    let series: u64 = sample.series.intervals.iter().map(|i| i.ok).sum();
    assert_eq!(series, sample.ok);
    sample
}

/// A load of several requests.
fn mixed(requests: Vec<LoadRequest>, order: Order, load: Load) -> Load {
    let mut mix = Mix::from(LoadRequest::get("/"));
    mix.requests = requests;
    mix.order = order;
    Load {
        mix: Some(mix),
        ..load
    }
}

fn hello(_: &Asked) -> Answer {
    reply(200, "hello")
}

#[test]
fn the_server_counts_exactly_the_warm_up_and_the_requests() {
    for concurrency in [1, 7, 50] {
        let peer = Peer::start(hello);
        let load = load(211, concurrency);
        let sample = drive_at(&peer, &load);
        assert_eq!((sample.ok, sample.bytes), (211, 5 * 211));
        assert_eq!(sample.statuses, [(200, 211)].into());
        assert_eq!(peer.requests(), 211 + load.warmup_requests());
        assert_eq!(peer.connections(), concurrency as u64);
        assert_eq!(
            (sample.connect.count(), sample.reconnects),
            (concurrency as u64, 0)
        );
    }
}

#[test]
fn the_first_byte_is_not_later_than_the_last() {
    let peer = Peer::start(hello);
    let sample = drive_at(&peer, &load(100, 2));
    assert!(sample.first_byte.mean().unwrap() <= sample.latency.mean().unwrap());
}

#[test]
fn without_keep_alive_every_request_has_a_connection_of_its_own() {
    let peer = Peer::start(
        |asked| match asked.head.contains(&"connection: close".to_owned()) {
            true => {
                Answer::ReplyAndClose("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".to_owned())
            }
            false => reply(400, ""),
        },
    );
    let load = Load {
        keep_alive: false,
        ..load(40, 4)
    };
    let sample = drive_at(&peer, &load);
    assert_eq!((sample.ok, sample.retries), (40, 0));
    assert_eq!(peer.connections(), 40 + load.warmup_requests());
    assert_eq!(sample.fresh_latency.count(), 40);
}

#[test]
fn method_headers_and_body_arrive_as_asked_for() {
    let peer = Peer::start(|asked| {
        let line = asked.head[0] == "POST /orders?x=1 HTTP/1.1";
        let field = asked.head.contains(&"x-key: 7".to_owned());
        match line && field && asked.body == b"tea" {
            true => reply(201, ""),
            false => reply(400, ""),
        }
    });
    let mut request = LoadRequest::new(Method::POST, "/orders?x=1");
    request.headers = vec![("X-Key".to_owned(), "7".to_owned())];
    request.body = b"tea".to_vec();
    request.expected.statuses = vec![200, 201];
    assert_eq!(drive_at(&peer, &twenty(request)).ok, 20);
}

#[test]
fn a_head_request_has_no_body_to_wait_for() {
    let peer =
        Peer::start(|_| Answer::Reply("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n".to_owned()));
    let sample = drive_at(&peer, &twenty(LoadRequest::new(Method::HEAD, "/")));
    assert_eq!((sample.ok, sample.bytes), (20, 0));
}

#[test]
fn an_unexpected_status_is_counted_as_such_and_named() {
    let peer = Peer::start(|asked| match asked.number {
        11.. if asked.number % 3 == 0 => reply(503, ""),
        _ => reply(200, ""),
    });
    let sample = drive_at(&peer, &load(90, 3));
    assert_eq!(sample.errors, [(ErrorKind::Status, 30)].into());
    assert_eq!(sample.statuses, [(200, 60), (503, 30)].into());
    assert_eq!(sample.failed_latency.count(), 30);
    assert_eq!(
        sample.first_error.as_deref(),
        Some("GET / answered 503 where [200] is expected")
    );
}

#[test]
fn a_request_over_the_timeout_is_dropped_and_its_connection_opened_again() {
    let peer = Peer::start(|asked| match asked.number {
        15 => Answer::Silence,
        _ => reply(200, ""),
    });
    let load = Load {
        timeout: Duration::from_secs(1),
        ..load(50, 1)
    };
    let sample = drive_at(&peer, &load);
    assert_eq!(
        (sample.ok, sample.errors),
        (49, [(ErrorKind::Timeout, 1)].into())
    );
    let slowest = sample.latency.max().unwrap();
    assert!(
        slowest.abs_diff(1_000_000_000) < 2_000_000,
        "{slowest} ns is not the timeout"
    );
    assert_eq!(sample.reconnects, 1);
}

#[test]
fn a_close_within_a_body_is_a_truncated_body() {
    let peer = Peer::start(|asked| match asked.number {
        20 => Answer::ReplyAndClose("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf".to_owned()),
        _ => reply(200, "hello"),
    });
    let sample = drive_at(&peer, &load(60, 3));
    assert_eq!(
        (sample.ok, sample.errors),
        (59, [(ErrorKind::BodyTruncated, 1)].into())
    );
    assert_eq!(sample.bytes, 59 * 5);
}

#[test]
fn a_load_without_a_request_is_refused() {
    let peer = Peer::start(hello);
    let load = Load {
        mix: None,
        ..load(10, 2)
    };
    let error = ReqwestDriver.drive(&peer.endpoint(), &load, &mut CountingWindow::default());
    assert!(matches!(
        error,
        Err(DriverError::Unsuited {
            driver: "reqwest",
            ..
        })
    ));
}
