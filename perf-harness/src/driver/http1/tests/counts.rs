//! The server's own count equals what was asked for, always.

use super::*;

#[test]
fn every_count_over_every_concurrency_is_exact() {
    for requests in [1, 7, 100, 9_999] {
        for concurrency in [1, 7, 50, 300] {
            if concurrency as u64 <= requests {
                assert_exact(requests, concurrency);
            }
        }
    }
}

fn assert_exact(requests: u64, concurrency: usize) {
    let (sample, seen) = drive(&load(requests, concurrency), always(HELLO));
    assert_eq!(sample.ok, requests, "{requests} over {concurrency}");
    assert_eq!(seen.requests, requests, "{requests} over {concurrency}");
    assert_eq!(
        seen.connections, concurrency as u64,
        "{requests} over {concurrency}"
    );
    assert_eq!(sample.connect.count(), concurrency as u64);
    assert_eq!(sample.reconnects, 0);
    assert_eq!(sample.bytes, requests * 5);
}

#[test]
fn the_warm_up_reaches_the_server_but_not_the_sample() {
    let load = Load {
        warmup: Some(13),
        ..load(20, 4)
    };
    let (sample, seen) = drive(&load, always(HELLO));
    assert_eq!((sample.ok, seen.requests, seen.connections), (20, 33, 4));
}

#[test]
fn without_keep_alive_each_request_has_a_connection() {
    let load = Load {
        keep_alive: false,
        ..load(40, 4)
    };
    let (sample, seen) = drive(&load, always(HELLO));
    assert_eq!((sample.ok, seen.requests, seen.connections), (40, 40, 40));
    assert_eq!((sample.reconnects, sample.connect.count()), (36, 40));
}

#[test]
fn without_keep_alive_the_warm_up_leaves_open_connections() {
    let load = Load {
        keep_alive: false,
        warmup: Some(10),
        ..load(40, 4)
    };
    let (sample, seen) = drive(&load, always(HELLO));
    assert_eq!((sample.ok, seen.requests, seen.connections), (40, 50, 50));
    assert_eq!((sample.reconnects, sample.connect.count()), (36, 50));
}

#[test]
fn every_connection_is_used_from_the_start() {
    let (sample, seen) = drive(&load(300, 300), |conversation| {
        assert!(conversation.read_request());
        conversation.write(HELLO);
        conversation.await_close();
    });
    assert_eq!((sample.ok, seen.connections), (300, 300));
}

#[test]
fn a_large_request_body_arrives_whole() {
    let mut request = Request::new(Method::POST, "/");
    request.body = vec![b'x'; 3 << 20];
    let load = Load {
        mix: Some(request.into()),
        ..load(6, 2)
    };
    let (sample, seen) = drive(&load, always(HELLO));
    assert_eq!((sample.ok, seen.requests), (6, 6));
}

#[test]
fn a_reply_before_the_whole_request_counts_and_costs_the_connection() {
    let mut request = Request::new(Method::POST, "/");
    request.body = vec![b'x'; 32 << 20];
    request.expected.statuses = vec![413];
    let load = Load {
        mix: Some(request.into()),
        ..load(4, 2)
    };
    let (sample, seen) = drive(&load, |conversation| {
        if conversation.await_request() {
            conversation.write("HTTP/1.1 413 No\r\nContent-Length: 0\r\n\r\n");
            // To read on would let the client send everything, and then keep the connection.
            conversation.await_stop();
        }
    });
    assert_eq!(
        (sample.ok, sample.retries, seen.connections),
        (4, 0, 4),
        "{:?} {:?}",
        sample.first_error,
        sample.errors
    );
}

#[test]
fn a_steady_throughput_needs_a_reply_from_every_connection() {
    assert!(
        drive(&load(1_000, 2), always(HELLO))
            .0
            .steady_throughput
            .is_some()
    );
    assert_eq!(drive(&load(4, 4), always(HELLO)).0.steady_throughput, None);
}
