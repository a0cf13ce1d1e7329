//! How many iterations, requests and connections there are.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use super::*;

#[test]
fn the_server_counts_exactly_the_warm_up_and_the_requests() {
    for concurrency in [1, 7, 50] {
        let peer = Peer::start(hello);
        let load = load(211, concurrency);
        let sample = drive(&peer, &load, get_root);
        assert_eq!((sample.ok, sample.bytes), (211, 5 * 211), "{concurrency}");
        assert_eq!(
            peer.requests(),
            211 + load.warmup_requests(),
            "{concurrency}"
        );
    }
}

#[test]
fn every_user_opens_one_connection_in_the_warm_up_and_keeps_it() {
    for concurrency in [1, 7, 50] {
        let peer = Peer::start(hello);
        let sample = drive(&peer, &load(300, concurrency), get_root);
        assert_eq!(peer.connections(), concurrency as u64);
        assert_eq!(sample.connect.count(), concurrency as u64);
        assert_eq!((sample.reconnects, sample.retries), (0, 0));
    }
}

#[test]
fn several_requests_of_one_iteration_share_the_connection() {
    let peer = Peer::start(hello);
    let sample = drive(&peer, &load(60, 3), async |user| {
        user.get("/cart").await?.expect_status(200)?;
        user.post("/pay").body("1").await?.expect_status(200)?;
        user.get("/done").await?.expect_status(200)?;
        Ok(())
    });
    assert_eq!((sample.ok, sample.bytes), (60, 60 * 15));
    assert_eq!(peer.connections(), 3);
}

#[test]
fn two_users_do_not_share_a_connection() {
    let peer = Peer::start(|asked| reply(200, &asked.connection.to_string()));
    let used: Arc<Mutex<BTreeMap<usize, BTreeSet<u64>>>> = Arc::default();
    let notes = Arc::clone(&used);
    drive(&peer, &load(100, 4), async move |user| {
        let connection = user.get("/").await?.text()?.parse()?;
        notes
            .lock()
            .unwrap()
            .entry(user.id())
            .or_default()
            .insert(connection);
        Ok(())
    });
    let used = used.lock().unwrap();
    let all: BTreeSet<u64> = used.values().flatten().copied().collect();
    assert_eq!(used.keys().copied().collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert_eq!(
        (all.len(), used.values().map(BTreeSet::len).max()),
        (4, Some(1))
    );
}

#[test]
fn no_user_does_the_same_iteration_twice() {
    let peer = Peer::start(hello);
    let done: Arc<Mutex<BTreeSet<(usize, u64)>>> = Arc::default();
    let notes = Arc::clone(&done);
    let load = load(100, 4);
    drive(&peer, &load, async move |user| {
        notes.lock().unwrap().insert((user.id(), user.iteration()));
        get_root(user).await
    });
    let done = done.lock().unwrap();
    assert_eq!(done.len() as u64, 100 + load.warmup_requests());
    assert!((0..4).all(|id| done.contains(&(id, 0))));
}

#[test]
fn a_warm_up_shorter_than_the_users_is_raised_to_one_each() {
    let peer = Peer::start(hello);
    let load = Load {
        warmup: Some(2),
        ..load(20, 5)
    };
    drive(&peer, &load, get_root);
    assert_eq!((peer.requests(), peer.connections()), (25, 5));
}

#[test]
fn more_users_than_iterations_do_no_more_than_these() {
    let peer = Peer::start(hello);
    let load = Load {
        warmup: Some(0),
        ..load(3, 5)
    };
    assert_eq!(drive(&peer, &load, get_root).ok, 3);
    assert_eq!(peer.requests(), 3);
}

#[test]
fn without_a_warm_up_nothing_but_the_requests_is_sent() {
    let peer = Peer::start(hello);
    let load = Load {
        warmup: Some(0),
        ..load(20, 5)
    };
    let sample = drive(&peer, &load, get_root);
    assert_eq!((peer.requests(), peer.connections()), (20, 5));
    assert_eq!(
        sample.reconnects, 0,
        "the first connection of a user is none opened again"
    );
}

#[test]
fn a_connection_that_the_server_closes_is_opened_again_without_an_error() {
    let peer = Peer::start(|_| {
        Answer::ReplyAndClose(
            "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n".to_owned(),
        )
    });
    let sample = drive(&peer, &load(30, 3), get_root);
    assert_eq!((sample.ok, sample.reconnects), (30, 30));
    assert_eq!(sample.connect.count(), peer.connections());
}

/// Notes how many requests the server had seen when the window opened and closed.
struct NotingWindow {
    served: Arc<AtomicU64>,
    at_edges: Vec<u64>,
}

impl Window for NotingWindow {
    fn open(&mut self) {
        self.at_edges.push(self.served.load(SeqCst));
    }

    fn close(&mut self) {
        self.at_edges.push(self.served.load(SeqCst));
    }
}

#[test]
fn the_window_holds_the_measured_iterations_and_no_other() {
    let served = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&served);
    let peer = Peer::start(move |_| {
        counter.fetch_add(1, SeqCst);
        reply(200, "")
    });
    let load = Load {
        warmup: Some(11),
        ..load(50, 5)
    };
    let mut window = NotingWindow {
        served,
        at_edges: Vec::new(),
    };
    let sample = journey(get_root)
        .drive(&peer.endpoint(), &load, &mut window)
        .unwrap();
    assert_eq!(window.at_edges, [11, 61]);
    assert!(!sample.client_cpu.is_zero() && !sample.elapsed.is_zero());
    assert!(sample.steady_throughput.is_some_and(|rate| rate > 0.0));
}

#[test]
fn a_journey_may_keep_what_is_not_send_across_its_requests() {
    let peer = Peer::start(hello);
    let sample = drive(&peer, &load(10, 2), async |user: &mut User| {
        let seen = Rc::new(user.id());
        user.get("/").await?;
        assert_eq!(*seen, user.id());
        Ok(())
    });
    assert_eq!(sample.ok, 10);
}

#[test]
fn a_caller_within_a_runtime_can_drive_a_journey() {
    let peer = Peer::start(hello);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let sample = runtime.block_on(async { drive(&peer, &load(10, 2), get_root) });
    assert_eq!(sample.ok, 10);
}
