//! The open loop: how many are sent, and from when their latencies count.

use std::time::Duration;

use super::*;
use crate::load::{Arrivals, Pace, Rate};
use crate::sample::{Ended, OpenLoop};

fn at_rate(per_second: f64, load: Load) -> Load {
    Load {
        pace: Pace::Open(Rate::constant(per_second)),
        ..load
    }
}

fn open_loop(sample: &Sample) -> &OpenLoop {
    sample.open_loop.as_ref().expect("the loop was open")
}

#[test]
fn a_count_of_requests_at_a_rate_is_exact() {
    for threads in [1, 3] {
        let load = Load {
            threads: Some(threads),
            ..at_rate(1000.0, load(200, 7))
        };
        let (sample, seen) = drive(&load, always(HELLO));
        assert_eq!(
            (sample.ok, seen.requests, sample.ended),
            (200, 200, Ended::Requests)
        );
        let open = open_loop(&sample);
        assert_eq!((open.lag.count(), open.uncorrected.count()), (200, 200));
        assert!((open.asked - 1000.0).abs() < 1e-6, "{}", open.asked);
        assert!(open.sent > 0.0 && sample.steady_throughput.is_none());
    }
}

#[test]
fn poisson_arrivals_are_all_sent() {
    let mut rate = Rate::constant(2000.0);
    rate.arrivals = Arrivals::Poisson;
    let load = Load {
        pace: Pace::Open(rate),
        ..load(100, 5)
    };
    let (sample, seen) = drive(&load, always(HELLO));
    assert_eq!((sample.ok, seen.requests), (100, 100));
}

/// No request is sent before its time, so a rate and a duration bound the count from above; one
/// that is late is sent nevertheless, unless the duration has ended meanwhile.
#[test]
fn r04_a_rate_over_a_duration_sends_their_product() {
    let load = Load {
        duration: Some(Duration::from_secs(1)),
        ..at_rate(50.0, load(0, 50))
    };
    let peer = Peer::start(always(HELLO));
    let sample = Http1
        .drive(&peer.endpoint(), &load, &mut CountingWindow::default())
        .unwrap();
    assert_eq!(sample.ended, Ended::Duration);
    assert!((49..=50).contains(&sample.sent), "{}", sample.sent);
    assert_eq!(peer.stop().requests, sample.sent);
}

#[test]
fn latency_counts_from_the_intended_time() {
    const STALL: Duration = Duration::from_millis(300);
    let (sample, _) = drive(&at_rate(200.0, load(100, 1)), |conversation| {
        while conversation.read_request() {
            if conversation.requests() == 20 {
                std::thread::sleep(STALL);
            }
            conversation.write(HELLO);
        }
    });
    let open = open_loop(&sample);
    // Of 60 requests that fell into the stall, those of its first half waited at least a half of it.
    let corrected = sample.latency.percentile(80.0).unwrap();
    assert!(corrected >= STALL.as_nanos() as u64 / 2, "{corrected}");
    let uncorrected = open.uncorrected.max().unwrap();
    assert!(
        uncorrected >= STALL.as_nanos() as u64 * 99 / 100,
        "{uncorrected}"
    );
    assert!(open.lag.max().unwrap() >= STALL.as_nanos() as u64 * 9 / 10);
    assert!(sample.latency.mean() > open.uncorrected.mean());
}

#[test]
fn a_timeout_counts_from_the_send_and_its_latency_from_the_intended_time() {
    const TIMEOUT: Duration = Duration::from_millis(100);
    let load = Load {
        timeout: TIMEOUT,
        ..at_rate(1000.0, load(3, 1))
    };
    let (sample, _) = drive(&load, Conversation::leave_unanswered);
    assert_eq!(sample.errors, errors([(ErrorKind::Timeout, 3)]));
    let open = open_loop(&sample);
    assert!(open.uncorrected.max().unwrap() < 101_000_000, "{open:?}");
    assert!(
        sample.latency.max().unwrap() >= 297_000_000,
        "{:?}",
        sample.latency
    );
}

#[test]
fn what_waits_when_the_duration_ends_is_not_sent() {
    let load = Load {
        duration: Some(Duration::from_millis(200)),
        ..at_rate(1000.0, load(0, 1))
    };
    let peer = Peer::start(|conversation| {
        if conversation.read_request() {
            std::thread::sleep(Duration::from_millis(400));
            conversation.write(HELLO);
            conversation.leave_unanswered();
        }
    });
    let sample = Http1
        .drive(&peer.endpoint(), &load, &mut CountingWindow::default())
        .unwrap();
    assert_eq!(
        (sample.ok, sample.sent, sample.ended),
        (1, 1, Ended::Duration)
    );
    assert_eq!(peer.stop().requests, 1);
}
