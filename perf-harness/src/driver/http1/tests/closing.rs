//! Servers that close: after a reply, between two requests, or instead of a reply.

use super::*;

#[test]
fn t02_an_announced_close_is_a_reconnect_and_no_error() {
    let reply = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello";
    let (sample, seen) = drive(&six(), once(reply));
    assert_eq!((sample.ok, sample.retries, sample.reconnects), (6, 0, 4));
    assert_eq!((seen.requests, seen.connections), (6, 6));
    assert_eq!(sample.connect.count(), 6, "connect times are kept apart");
}

#[test]
fn a_close_among_other_options_is_heeded() {
    let reply = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nconnection: x, CLOSE\r\n\r\nhello";
    let (sample, seen) = drive(&six(), always(reply));
    assert_eq!((sample.ok, sample.retries, seen.connections), (6, 0, 6));
}

#[test]
fn t03_a_silent_close_after_each_reply_is_no_error() {
    let (sample, seen) = drive(&six(), once(HELLO));
    assert_eq!(
        (sample.ok, seen.requests),
        (6, 6),
        "{:?}",
        sample.first_error
    );
    assert_eq!((sample.reconnects, seen.connections), (4, 6));
}

#[test]
fn t04_a_close_after_every_second_reply_is_no_error() {
    let (sample, seen) = drive(&load(60, 2), |conversation| {
        for _ in 0..2 {
            if conversation.read_request() {
                conversation.write(HELLO);
            }
        }
    });
    assert_eq!(
        (sample.ok, seen.requests),
        (60, 60),
        "{:?}",
        sample.first_error
    );
    assert_eq!(seen.connections, sample.reconnects + 2);
}

/// Answers the first request of each connection and closes on the second without a byte.
fn race(conversation: &mut Conversation) {
    if conversation.read_request() {
        conversation.write(HELLO);
        conversation.read_request();
    }
}

#[test]
fn t05_get_and_head_survive_the_close_race_by_one_retry() {
    for method in [Method::GET, Method::HEAD] {
        let reply = match method {
            Method::HEAD => "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
            _ => HELLO,
        };
        let (sample, seen) = drive(&with_method(six(), method), move |conversation| {
            if conversation.read_request() {
                conversation.write(reply);
                conversation.read_request();
            }
        });
        assert_eq!((sample.ok, sample.retries, sample.reconnects), (6, 4, 4));
        assert_eq!((seen.requests, seen.connections), (10, 6));
    }
}

#[test]
fn t05_a_race_by_reset_is_retried_as_well() {
    let (sample, seen) = drive(&six(), |conversation| {
        if conversation.read_request() {
            conversation.write(HELLO);
            conversation.await_request();
        }
    });
    assert_eq!(
        (sample.ok, sample.retries),
        (6, 4),
        "{:?}",
        sample.first_error
    );
    assert_eq!((seen.requests, seen.connections), (10, 6));
}

#[test]
fn t05_a_post_is_never_sent_twice() {
    let (sample, seen) = drive(&with_method(load(6, 1), Method::POST), race);
    assert_eq!((sample.ok, sample.retries), (3, 0));
    assert_eq!(sample.errors, errors([(ErrorKind::EofBeforeReply, 3)]));
    assert_eq!(seen.requests, 6);
}

#[test]
fn t05_a_fresh_connection_is_not_retried() {
    let (sample, seen) = drive(&six(), |conversation| {
        conversation.read_request();
    });
    assert_eq!(sample.errors, errors([(ErrorKind::EofBeforeReply, 6)]));
    assert_eq!((sample.retries, seen.requests, seen.connections), (0, 6, 6));
    let message = sample.first_error.unwrap();
    assert_eq!(
        message,
        "connection closed by the server before the first byte of the reply"
    );
}

#[test]
fn t05_a_request_is_retried_once_and_no_more() {
    let (sample, seen) = drive(&load(3, 1), |conversation| {
        if conversation.read_request() && conversation.number == 1 {
            conversation.write(HELLO);
            conversation.read_request();
        }
    });
    assert_eq!((sample.ok, sample.retries), (1, 1));
    assert_eq!(sample.errors, errors([(ErrorKind::EofBeforeReply, 2)]));
    assert_eq!(seen.requests, 4);
}

#[test]
fn t26_http_1_0_takes_a_connection_each() {
    let (sample, seen) = drive(
        &six(),
        once("HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
    );
    assert_eq!((sample.ok, sample.retries, sample.reconnects), (6, 0, 4));
    assert_eq!((seen.requests, seen.connections), (6, 6));
}

#[test]
fn http_1_0_with_keep_alive_keeps_the_connection() {
    let reply = "HTTP/1.0 200 OK\r\nContent-Length: 5\r\nConnection: Keep-Alive\r\n\r\nhello";
    let (sample, seen) = drive(&six(), always(reply));
    assert_eq!((sample.ok, seen.connections), (6, 2));
}

#[test]
fn t32_a_limit_of_requests_a_connection_is_no_error() {
    let last = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello";
    let (sample, seen) = drive(&load(20, 2), move |conversation| {
        for reply in [HELLO, HELLO, last] {
            if conversation.read_request() {
                conversation.write(reply);
            }
        }
    });
    assert_eq!((sample.ok, sample.retries, seen.requests), (20, 0, 20));
    assert_eq!(sample.reconnects + 2, seen.connections);
    assert!(
        (5..=6).contains(&sample.reconnects),
        "{}",
        sample.reconnects
    );
}

#[test]
fn idle_connections_closed_before_the_window_are_opened_again() {
    let load = Load {
        warmup: Some(4),
        ..with_method(load(8, 4), Method::POST)
    };
    let (closed, wait) = std::sync::mpsc::channel();
    let peer = Peer::start(move |conversation| {
        let served = if conversation.number <= 4 {
            1
        } else {
            u64::MAX
        };
        for _ in 0..served {
            if !conversation.read_request() {
                return;
            }
            conversation.write(HELLO);
        }
        conversation.shut_down();
        closed.send(()).ok();
    });
    let mut window = WaitingWindow { wait, closes: 4 };
    let sample = Http1.drive(&peer.endpoint(), &load, &mut window).unwrap();
    assert_eq!(
        (sample.ok, sample.reconnects),
        (8, 4),
        "{:?}",
        sample.first_error
    );
    assert_eq!(peer.stop().requests, 12);
}

/// Opens only when the server has closed that many connections.
struct WaitingWindow {
    wait: std::sync::mpsc::Receiver<()>,
    closes: usize,
}

impl Window for WaitingWindow {
    fn open(&mut self) {
        for _ in 0..self.closes {
            self.wait.recv().unwrap();
        }
    }

    fn close(&mut self) {}
}
