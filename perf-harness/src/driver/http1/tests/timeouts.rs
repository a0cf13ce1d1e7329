//! Servers that never answer: the run ends, and the wait is in the numbers.

use std::sync::{Mutex, mpsc};
use std::time::Duration;

use super::*;
use crate::sample::LatencyHistogram;

const TIMEOUT: Duration = Duration::from_millis(100);

fn impatient(load: Load) -> Load {
    Load {
        timeout: TIMEOUT,
        ..load
    }
}

fn times(count: usize) -> LatencyHistogram {
    let mut histogram = LatencyHistogram::new();
    (0..count).for_each(|_| histogram.record(TIMEOUT));
    histogram
}

#[test]
fn t28_a_request_that_is_never_answered_is_one_timeout() {
    let load = Load {
        timeout: Duration::from_secs(2),
        ..six()
    };
    let (sample, seen) = drive(&load, |conversation| {
        while conversation.read_request() {
            match conversation.requests() {
                6 => conversation.await_close(),
                _ => conversation.write(HELLO),
            }
        }
    });
    assert_eq!((sample.ok, seen.requests), (5, 6));
    assert_eq!(sample.errors, errors([(ErrorKind::Timeout, 1)]));
    assert_eq!(
        sample.first_error.as_deref(),
        Some("no whole reply within 2s")
    );
    assert!(
        sample.latency.max().unwrap() >= 1_999_000_000,
        "the wait is in the histogram"
    );
}

#[test]
fn timeouts_enter_the_histogram_at_their_value() {
    let (sample, seen) = drive(&impatient(six()), Conversation::leave_unanswered);
    assert_eq!(sample.errors, errors([(ErrorKind::Timeout, 6)]));
    assert_eq!(sample.latency, times(6));
    assert_eq!(
        (seen.requests, seen.connections),
        (6, 6),
        "a connection that timed out is not used again"
    );
}

#[test]
fn a_body_that_stops_is_a_timeout() {
    let (sample, _) = drive(&impatient(six()), |conversation| {
        if conversation.read_request() {
            conversation.write("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello");
            conversation.await_close();
        }
    });
    assert_eq!(sample.errors, errors([(ErrorKind::Timeout, 6)]));
    assert_eq!(sample.latency, times(6));
    assert_eq!(sample.first_byte.count(), 0);
}

#[test]
fn a_body_without_end_is_a_timeout() {
    let (sample, _) = drive(&impatient(load(2, 2)), |conversation| {
        if conversation.read_request() {
            conversation.write("HTTP/1.1 200 OK\r\n\r\n");
            while conversation.write_or_closed("more") {}
        }
    });
    assert_eq!(sample.errors, errors([(ErrorKind::Timeout, 2)]));
    assert_eq!(sample.latency, times(2));
}

#[test]
fn a_server_that_reads_nothing_is_a_timeout() {
    let mut request = Request::new(Method::POST, "/");
    request.body = vec![b'x'; 32 << 20];
    let load = Load {
        mix: Some(request.into()),
        ..impatient(load(2, 2))
    };
    let (over, wait) = mpsc::channel::<()>();
    let wait = Mutex::new(wait);
    let peer = Peer::start(move |_| {
        wait.lock().unwrap().recv().unwrap_err();
    });
    let sample = Http1.drive(&peer.endpoint(), &load, &mut CountingWindow::default());
    drop(over);
    let sample = sample.unwrap();
    assert_eq!(sample.errors, errors([(ErrorKind::Timeout, 2)]));
    assert_eq!(sample.latency, times(2));
    assert_eq!(peer.stop().connections, 2);
}

#[test]
fn endless_interim_replies_are_a_timeout() {
    let (sample, _) = drive(&impatient(load(2, 2)), |conversation| {
        if conversation.read_request() {
            while conversation.write_or_closed("HTTP/1.1 100 Continue\r\n\r\n") {}
        }
    });
    assert_eq!(sample.errors, errors([(ErrorKind::Timeout, 2)]));
    assert_eq!(sample.latency, times(2));
}

#[test]
fn a_warm_up_that_is_never_answered_ends_as_well() {
    let load = Load {
        warmup: Some(2),
        ..impatient(six())
    };
    let (result, _) = try_drive(&load, Conversation::await_close);
    let message = result.unwrap_err().to_string();
    assert!(
        message.ends_with("no whole reply within 100ms; lower `concurrency`, or raise `timeout`"),
        "{message}"
    );
}
