//! Several threads send one load: the counts are those of one.

use super::*;

fn on_threads(threads: usize, load: Load) -> Load {
    Load {
        threads: Some(threads),
        ..load
    }
}

#[test]
fn counts_are_exact_over_any_number_of_threads() {
    for requests in [7, 8, 100, 5_001] {
        for threads in [2, 3, 7, 50] {
            let (sample, seen) = drive(&on_threads(threads, load(requests, 7)), always(HELLO));
            assert_eq!((sample.ok, seen.requests), (requests, requests));
            assert_eq!((seen.connections, sample.reconnects), (7, 0));
        }
    }
}

#[test]
fn fewer_requests_than_connections_are_exact_as_well() {
    for requests in 1..=3 {
        let (sample, seen) = drive(&on_threads(3, load(requests, 7)), always(HELLO));
        assert_eq!(
            (sample.ok, seen.requests, seen.connections),
            (requests, requests, 7)
        );
    }
}

#[test]
fn the_numbers_of_all_threads_are_in_the_sample() {
    let load = Load {
        warmup: Some(10),
        ..on_threads(2, load(1_000, 4))
    };
    let (sample, _) = drive(&load, always(HELLO));
    assert_eq!(sample.statuses, BTreeMap::from([(200, 1_000)]));
    assert_eq!(sample.bytes_read, 1_000 * HELLO.len() as u64);
    assert_eq!(
        sample.series.intervals.iter().map(|i| i.ok).sum::<u64>(),
        1_000
    );
    assert!(sample.busiest_thread < sample.client_cpu);
    assert!(sample.busiest_thread * 2 >= sample.client_cpu);
}

#[test]
fn a_server_that_stops_listening_is_lost_to_all_threads() {
    let peer = Peer::serving_only(2, once(HELLO));
    let error = Http1
        .drive(
            &peer.endpoint(),
            &on_threads(2, load(u64::MAX, 2)),
            &mut CountingWindow::default(),
        )
        .unwrap_err();
    assert!(matches!(error, DriverError::Lost { .. }), "{error:?}");
    assert_eq!(peer.stop().requests, 2);
}

#[test]
fn first_requests_and_failures_have_latencies_of_their_own() {
    let close = "HTTP/1.1 500 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    let (sample, _) = drive(&load(20, 1), move |conversation| {
        for reply in [HELLO, HELLO, HELLO, close] {
            if conversation.read_request() {
                conversation.write(reply);
            }
        }
    });
    assert_eq!((sample.ok, sample.failed()), (15, 5));
    assert_eq!(sample.fresh_latency.count(), 5);
    assert_eq!(sample.failed_latency.count(), 5);
    assert_eq!(sample.statuses, BTreeMap::from([(200, 15), (500, 5)]));
}
