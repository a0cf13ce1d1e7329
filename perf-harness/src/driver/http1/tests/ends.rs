//! What ends a round: the count, the duration, the deadline.

use std::time::Duration;

use super::*;
use crate::sample::Ended;

fn run(load: &Load, peer: &Peer) -> Result<Sample, DriverError> {
    Http1.drive(&peer.endpoint(), load, &mut CountingWindow::default())
}

fn soon(deadline_ms: u64, load: Load) -> Load {
    Load {
        deadline: Duration::from_millis(deadline_ms),
        ..load
    }
}

#[test]
fn a_duration_ends_the_sending_and_all_that_was_sent_is_counted() {
    let load = Load {
        duration: Some(Duration::from_millis(300)),
        ..load(0, 4)
    };
    let peer = Peer::start(always(HELLO));
    let sample = run(&load, &peer).unwrap();
    assert_eq!((sample.ended, sample.failed()), (Ended::Duration, 0));
    assert!(sample.ok >= 4);
    assert_eq!(peer.stop().requests, sample.ok);
}

#[test]
fn the_count_ends_a_round_before_its_duration() {
    let load = Load {
        duration: Some(Duration::from_secs(60)),
        ..six()
    };
    let (sample, _) = drive(&load, always(HELLO));
    assert_eq!((sample.ok, sample.ended), (6, Ended::Requests));
}

#[test]
fn the_deadline_cuts_what_is_under_way() {
    let peer = Peer::start(|conversation| {
        while conversation.read_request() {
            match conversation.requests() {
                1..=4 => conversation.write(HELLO),
                _ => conversation.await_close(),
            }
        }
    });
    let sample = run(&soon(300, load(1000, 2)), &peer).unwrap();
    assert_eq!(
        (sample.ok, sample.sent, sample.ended),
        (4, 6, Ended::Deadline)
    );
    assert_eq!(sample.errors, errors([(ErrorKind::Timeout, 2)]));
    assert_eq!(sample.latency.count(), 6);
    let message = sample.first_error.unwrap();
    assert!(message.contains("`deadline`"), "{message}");
    assert_eq!(peer.stop().requests, 6);
}

#[test]
fn a_deadline_in_the_warm_up_is_no_measurement() {
    let load = Load {
        warmup: Some(2),
        ..soon(200, six())
    };
    let (result, _) = try_drive(&load, Conversation::leave_unanswered);
    let message = result.unwrap_err().to_string();
    assert!(
        message.contains("`deadline` of 200ms came while the warm-up"),
        "{message}"
    );
}

#[test]
fn a_deadline_within_the_ramp_up_is_no_measurement() {
    let load = Load {
        ramp_up: Duration::from_secs(60),
        ..soon(200, six())
    };
    let (result, seen) = try_drive(&load, always(HELLO));
    let message = result.unwrap_err().to_string();
    assert!(
        message.contains("while connections were opened"),
        "{message}"
    );
    assert_eq!(seen.connections, 1);
}

#[test]
fn a_ramp_up_opens_all_connections_before_the_window() {
    let load = Load {
        ramp_up: Duration::from_millis(100),
        threads: Some(2),
        ..load(70, 7)
    };
    let (sample, seen) = drive(&load, always(HELLO));
    assert_eq!((sample.ok, seen.connections, sample.reconnects), (70, 7, 0));
    assert_eq!(sample.connect.count(), 7);
}
