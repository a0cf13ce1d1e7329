//! Requests by the clock: none too many, none forgotten, and a late one is said to be late.

use std::time::Duration;

use super::*;
use crate::load::{Pace, Rate};

fn at_rate(per_second: f64, load: Load) -> Load {
    Load {
        pace: Pace::Open(Rate::constant(per_second)),
        ..load
    }
}

/// Ten connections, one rate: the last of 20 requests is due after 190 ms.
#[test]
fn r04_the_rate_is_that_of_all_connections() {
    let (sample, seen) = drive(&at_rate(100.0, load(20, 10)), always(HELLO));
    assert_eq!((sample.ok, seen.requests), (20, 20));
    assert!(
        sample.elapsed >= Duration::from_millis(190),
        "{:?}",
        sample.elapsed
    );
    let open = sample.open_loop.expect("an open loop");
    assert!(open.sent <= 101.0, "{}", open.sent);
}

/// A schedule in the latency would show as that of a closed loop plus the time between two sends.
#[test]
fn r14_the_time_between_two_requests_is_in_no_latency() {
    let (sample, seen) = drive(&at_rate(4.0, load(3, 1)), always(HELLO));
    let open = sample.open_loop.expect("an open loop");
    assert_eq!((sample.ok, seen.requests, open.lag.count()), (3, 3, 3));
    let [whole, lag, reply] = [&sample.latency, &open.lag, &open.uncorrected]
        .map(|histogram| histogram.max().unwrap() as f64);
    assert!(whole <= 1.01 * (lag + reply), "{whole} {lag} {reply}");
}

#[test]
fn r16_a_rate_against_a_server_that_never_answers_ends() {
    let load = Load {
        timeout: Duration::from_millis(100),
        ..at_rate(1_000.0, load(20, 2))
    };
    let (sample, _) = drive(&load, Conversation::leave_unanswered);
    assert_eq!(sample.errors, errors([(ErrorKind::Timeout, 20)]));
}

/// One connection and 20 ms a reply make at most 50 a second of the 1,000 that are asked for.
#[test]
fn r17_a_rate_that_the_connections_cannot_carry_is_said_to_be_missed() {
    let (sample, seen) = drive(&at_rate(1_000.0, load(10, 1)), |conversation| {
        while conversation.read_request() {
            std::thread::sleep(Duration::from_millis(20));
            conversation.write(HELLO);
        }
    });
    let open = sample.open_loop.expect("an open loop");
    assert_eq!((sample.ok, seen.requests), (10, 10));
    assert!(open.rate_ratio() < 0.1, "{}", open.rate_ratio());
    assert!(open.lag.max() >= Some(100_000_000), "{:?}", open.lag.max());
    assert!(open.uncorrected.max() < sample.latency.max());
}
