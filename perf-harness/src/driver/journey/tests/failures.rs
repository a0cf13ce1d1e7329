//! What becomes of iterations that fail, hang or panic.

use std::error::Error;
use std::io;
use std::net::{TcpListener, TcpStream, ToSocketAddrs as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use nix::errno::Errno;

use super::*;
use crate::endpoint::Endpoint;

#[test]
fn an_unexpected_status_is_counted_as_such_and_named() {
    let peer = Peer::start(|asked| match asked.number {
        11.. if asked.number % 3 == 0 => reply(503, "out of tea"),
        _ => reply(200, ""),
    });
    let sample = drive(&peer, &load(90, 3), get_root);
    assert_eq!(sample.errors, [(ErrorKind::Status, 30)].into());
    let first = sample.first_error.unwrap();
    assert_eq!(
        first,
        "GET / answered 503 where 200 is expected: \"out of tea\""
    );
}

#[test]
fn an_iteration_over_the_timeout_is_dropped_and_its_user_goes_on() {
    let peer = Peer::start(|asked| match asked.number {
        15 => Answer::Silence,
        _ => reply(200, ""),
    });
    let load = Load {
        timeout: Duration::from_secs(1),
        ..load(50, 1)
    };
    let sample = drive(&peer, &load, get_root);
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
    assert_eq!(peer.requests(), 50 + load.warmup_requests());
}

#[test]
fn an_iteration_that_blocks_past_the_timeout_is_a_timeout_though_it_ends_well() {
    let peer = Peer::start(hello);
    let load = Load {
        timeout: Duration::from_millis(200),
        ..load(20, 1)
    };
    let sample = drive(&peer, &load, async |user: &mut User| {
        if user.iteration() == 10 {
            std::thread::sleep(Duration::from_millis(250));
        }
        Ok(())
    });
    assert_eq!(
        (sample.ok, sample.errors),
        (19, [(ErrorKind::Timeout, 1)].into())
    );
}

/// A listener that accepts nothing, and connections to it that fill its queue.
fn full_listener() -> (TcpListener, Vec<TcpStream>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()
        .unwrap();
    let listener = runtime.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        socket.listen(1).unwrap().into_std().unwrap()
    });
    let address = listener.local_addr().unwrap();
    let connect = || TcpStream::connect_timeout(&address, Duration::from_millis(200)).ok();
    let queued = std::iter::from_fn(connect).take(64).collect();
    (listener, queued)
}

#[test]
fn a_connection_that_is_not_there_within_the_timeout_is_a_connect_timeout() {
    let (listener, queued) = full_listener();
    assert!(queued.len() < 64, "the queue has no end");
    let load = Load {
        timeout: Duration::from_millis(100),
        warmup: Some(0),
        ..load(4, 2)
    };
    let endpoint = Endpoint::new(listener.local_addr().unwrap());
    let sample = journey(get_root)
        .drive(&endpoint, &load, &mut CountingWindow::default())
        .unwrap();
    assert_eq!(sample.errors, [(ErrorKind::ConnectTimeout, 4)].into());
    assert_eq!(sample.latency.count(), 0);
}

#[test]
fn a_close_within_a_body_is_a_truncated_body() {
    let peer = Peer::start(|asked| match asked.number {
        20 => Answer::ReplyAndClose("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf".to_owned()),
        21.. if asked.number == 40 => Answer::ReplyAndClose(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhalf".to_owned(),
        ),
        _ => reply(200, "hello"),
    });
    let sample = drive(&peer, &load(60, 3), get_root);
    assert_eq!(
        (sample.ok, sample.errors),
        (58, [(ErrorKind::BodyTruncated, 2)].into())
    );
    assert_eq!(
        sample.bytes,
        58 * 5,
        "bytes of a failed iteration are not counted"
    );
}

#[test]
fn a_reply_that_is_no_http_is_a_parse_error() {
    for nonsense in [
        "SSH-2.0-OpenSSH\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ] {
        let peer = Peer::start(move |asked| match asked.number {
            15 => Answer::ReplyAndClose(nonsense.to_owned()),
            _ => reply(200, ""),
        });
        let sample = drive(&peer, &load(40, 2), get_root);
        assert_eq!(
            sample.errors,
            [(ErrorKind::Parse, 1)].into(),
            "{nonsense:?}"
        );
    }
}

/// Closes without a word when asked a second time by one connection, once the warm-up is over.
fn close_race(asked: &peer::Asked) -> Answer {
    match (asked.number, asked.on_connection) {
        (20.., 2..) => Answer::ReplyAndClose(String::new()),
        _ => reply(200, ""),
    }
}

#[test]
fn a_get_that_meets_the_close_race_is_sent_once_more() {
    let peer = Peer::start(close_race);
    let load = Load {
        warmup: Some(10),
        ..load(30, 1)
    };
    let sample = drive(&peer, &load, get_root);
    assert_eq!((sample.ok, sample.retries > 0), (30, true));
    assert_eq!(peer.requests(), 40 + sample.retries);
    assert_eq!(sample.reconnects, sample.retries);
}

#[test]
fn a_post_that_meets_the_close_race_is_an_error() {
    let peer = Peer::start(close_race);
    let sample = drive(&peer, &load(30, 1), async |user| {
        user.post("/").body("x").await?.expect_status(200)?;
        Ok(())
    });
    let lost = sample
        .errors
        .get(&ErrorKind::EofBeforeReply)
        .copied()
        .unwrap_or(0);
    assert_eq!((sample.ok + lost, sample.retries, lost > 0), (30, 0, true));
    assert_eq!(peer.requests(), 33);
}

#[test]
fn a_close_on_a_fresh_connection_is_no_race() {
    let peer = Peer::start(|_| Answer::ReplyAndClose(String::new()));
    let load = Load {
        warmup: Some(0),
        ..load(10, 2)
    };
    let sample = drive(&peer, &load, get_root);
    assert_eq!(
        (sample.errors, sample.retries),
        ([(ErrorKind::EofBeforeReply, 10)].into(), 0)
    );
    assert_eq!(peer.requests(), 10);
}

/// Where nothing listens.
fn deserted() -> Endpoint {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    Endpoint::new(listener.local_addr().unwrap())
}

#[test]
fn a_warm_up_without_one_good_iteration_is_not_measured() {
    let endpoint = deserted();
    let mut window = CountingWindow::default();
    let error = journey(get_root)
        .drive(&endpoint, &load(10, 2), &mut window)
        .unwrap_err();
    assert!(
        matches!(&error, DriverError::WarmUp { reason, .. } if reason.starts_with("GET /: ")),
        "{error}"
    );
    assert_eq!(window, CountingWindow::default());
}

#[test]
fn nothing_listening_is_refused() {
    let endpoint = deserted();
    let load = Load {
        warmup: Some(0),
        ..load(10, 2)
    };
    let sample = journey(get_root)
        .drive(&endpoint, &load, &mut CountingWindow::default())
        .unwrap();
    assert_eq!(
        (sample.ok, sample.errors),
        (0, [(ErrorKind::Refused, 10)].into())
    );
}

#[test]
fn a_panic_of_the_journey_goes_on_in_the_caller() {
    let peer = Peer::start(hello);
    let panics = |load: &Load| {
        let driver = journey(async |user: &mut User| {
            get_root(user).await?;
            assert!(user.iteration() < 5, "the cart is empty");
            Ok(())
        });
        catch_unwind(AssertUnwindSafe(|| {
            driver.drive(&peer.endpoint(), load, &mut CountingWindow::default())
        }))
    };
    for warmup in [3, 100] {
        let load = Load {
            warmup: Some(warmup),
            ..load(100, 3)
        };
        let payload = panics(&load).unwrap_err();
        assert_eq!(payload.downcast_ref(), Some(&"the cart is empty"));
    }
    assert!(peer.requests() < 50, "the load went on");
}

/// A window whose opening panics.
struct BrokenWindow;

impl Window for BrokenWindow {
    fn open(&mut self) {
        panic!("the window is stuck");
    }

    fn close(&mut self) {}
}

#[test]
fn a_panic_of_the_window_ends_the_load() {
    let peer = Peer::start(hello);
    let load = load(1000, 3);
    let driver = journey(get_root);
    let driven = catch_unwind(AssertUnwindSafe(|| {
        driver.drive(&peer.endpoint(), &load, &mut BrokenWindow)
    }));
    assert_eq!(
        driven.unwrap_err().downcast_ref(),
        Some(&"the window is stuck")
    );
    assert_eq!(peer.requests(), load.warmup_requests());
}

#[test]
fn a_load_with_a_request_of_its_own_is_no_journey() {
    let peer = Peer::start(hello);
    let load = Load {
        requests: 10,
        ..Load::default()
    };
    let error = journey(get_root).drive(&peer.endpoint(), &load, &mut CountingWindow::default());
    assert!(matches!(
        error,
        Err(DriverError::Unsuited {
            driver: "journey",
            ..
        })
    ));
}

fn kind_by_question_mark(error: impl Error + Send + Sync + 'static) -> ErrorKind {
    let failed = || -> Result<()> { Err(error)? };
    failed().unwrap_err().kind()
}

#[test]
fn the_question_mark_finds_the_kind_in_the_chain_of_causes() {
    let system = |errno: Errno| kind_by_question_mark(io::Error::from(errno));
    assert_eq!(system(Errno::ECONNREFUSED), ErrorKind::Refused);
    assert_eq!(system(Errno::ECONNRESET), ErrorKind::Reset);
    assert_eq!(system(Errno::EPIPE), ErrorKind::Reset);
    assert_eq!(system(Errno::ETIMEDOUT), ErrorKind::Timeout);
    assert_eq!(system(Errno::EMFILE), ErrorKind::TooManyFiles);
    assert_eq!(system(Errno::EADDRNOTAVAIL), ErrorKind::PortsExhausted);
    assert_eq!(system(Errno::ENOENT), ErrorKind::Journey);
    assert_eq!(
        kind_by_question_mark(io::Error::from(io::ErrorKind::UnexpectedEof)),
        ErrorKind::EofBeforeReply
    );
    assert_eq!(
        kind_by_question_mark("x".parse::<u32>().unwrap_err()),
        ErrorKind::Journey
    );
}

#[test]
fn a_name_that_cannot_be_looked_up_is_a_dns_failure() {
    let longer_than_any_label = "x".repeat(64);
    let error = (longer_than_any_label, 80).to_socket_addrs().unwrap_err();
    assert_eq!(kind_by_question_mark(error), ErrorKind::Dns);
}

#[derive(Debug, thiserror::Error)]
#[error("the order was not placed")]
struct NotPlaced(#[source] io::Error);

#[test]
fn a_failure_shows_every_cause() {
    let failure = Failure::from(NotPlaced(io::Error::other("no more paper")));
    assert_eq!(
        failure.to_string(),
        "the order was not placed: no more paper"
    );
    assert_eq!(
        format!("{failure:?}"),
        "[journey] the order was not placed: no more paper"
    );
    let wrapped = Failure::from(NotPlaced(io::ErrorKind::ConnectionRefused.into()));
    assert_eq!(wrapped.kind(), ErrorKind::Refused);
}

#[test]
fn errors_of_the_journeys_own_code_are_counted_by_their_kind() {
    let peer = Peer::start(hello);
    let sample = drive(&peer, &load(40, 1), async |user| match user.iteration() {
        10 => Err(Failure::new("no such cart")),
        20 => Err(Failure::of_kind(ErrorKind::BodyCheck, "the cart is empty")),
        30 => {
            "three".parse::<u32>()?;
            Ok(())
        }
        _ => get_root(user).await,
    });
    assert_eq!(
        sample.errors,
        [(ErrorKind::Journey, 2), (ErrorKind::BodyCheck, 1)].into()
    );
    assert_eq!(sample.first_error.as_deref(), Some("no such cart"));
}
