//! How a round ends: by its count, by its duration, or by a server that leaves it no choice.

use std::time::Duration;

use super::*;
use crate::sample::Ended;

/// A round that a duration ends sends what it can; the server's count is the sample's.
fn assert_ends_by_duration(load: &Load) {
    let peer = Peer::start(always(HELLO));
    let sample = Http1
        .drive(&peer.endpoint(), load, &mut CountingWindow::default())
        .unwrap();
    assert_eq!((sample.ended, sample.failed()), (Ended::Duration, 0));
    assert!(sample.sent > 0);
    assert_eq!(
        (sample.ok, peer.stop().requests),
        (sample.sent, sample.sent)
    );
}

#[test]
fn r03_a_duration_alone_ends_the_round() {
    assert_ends_by_duration(&Load {
        duration: Some(Duration::from_millis(50)),
        ..load(0, 2)
    });
}

/// Four million requests a second are out of reach, yet the count ends if the duration does not.
#[test]
fn r03_a_duration_ends_a_count_that_takes_longer() {
    assert_ends_by_duration(&Load {
        duration: Some(Duration::from_millis(50)),
        ..load(200_000, 2)
    });
}

#[test]
fn r03_a_count_ends_before_a_duration_that_takes_longer() {
    let load = Load {
        duration: Some(Duration::from_secs(500)),
        ..load(5, 1)
    };
    let (sample, seen) = drive(&load, always(HELLO));
    assert_eq!((sample.ended, seen.requests), (Ended::Requests, 5));
}

#[test]
fn r32_the_latency_holds_the_body_and_the_first_byte_does_not() {
    let pause = Duration::from_millis(200);
    let (sample, _) = drive(&load(2, 1), move |conversation| {
        while conversation.read_request() {
            conversation.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
            std::thread::sleep(pause);
            conversation.write("hello");
        }
    });
    let (whole, first) = (sample.latency.max(), sample.first_byte.max());
    assert!(whole >= Some(199_000_000), "{whole:?}");
    assert!(first < whole, "{first:?} {whole:?}");
}

#[test]
fn r44_a_length_that_is_not_kept_is_found_at_the_close() {
    let load = Load {
        timeout: Duration::from_secs(500),
        ..six()
    };
    let (sample, seen) = drive(
        &load,
        once("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello"),
    );
    assert_eq!(sample.errors, errors([(ErrorKind::BodyTruncated, 6)]));
    assert_eq!(seen.requests, 6);
}

/// No good reply: nothing to take a latency from, so there is none.
#[test]
fn r08_without_a_good_reply_there_is_no_latency() {
    let (sample, _) = drive(&six(), once("HTTP/1.1 500 No\r\n\r\n"));
    assert_eq!((sample.ok, sample.latency.max()), (0, None));
    assert_eq!(sample.first_byte.max(), None);
    assert_eq!(sample.steady_throughput, None);
}

/// Fewer than a machine has ports: that the count is kept is what this shows.
#[test]
fn r26_thousands_of_connections_without_keep_alive_are_counted() {
    let load = Load {
        keep_alive: false,
        ..load(2_000, 20)
    };
    let (sample, seen) = drive(&load, once(HELLO));
    assert_eq!(
        (sample.ok, seen.requests, seen.connections),
        (2_000, 2_000, 2_000),
        "{:?}",
        sample.first_error
    );
}

#[test]
fn t33_counts_that_do_not_divide_are_kept() {
    for (requests, concurrency) in [(7, 2), (100, 30)] {
        let (sample, seen) = drive(&load(requests, concurrency), always(HELLO));
        assert_eq!((sample.ok, seen.requests), (requests, requests));
        assert_eq!(seen.connections, concurrency as u64);
    }
}
