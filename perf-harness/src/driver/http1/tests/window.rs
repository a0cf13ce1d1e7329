//! The talk between the engine's thread and the window's.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::driver::http1::crew::Crew;

/// Notes how many requests the server had seen when the window opened and closed.
struct NotingWindow {
    served: Arc<AtomicU64>,
    at_open: Option<u64>,
    at_close: Option<u64>,
}

impl Window for NotingWindow {
    fn open(&mut self) {
        self.at_open = Some(self.served.load(Ordering::SeqCst));
    }

    fn close(&mut self) {
        self.at_close = Some(self.served.load(Ordering::SeqCst));
    }
}

#[test]
fn the_window_holds_the_measured_requests_and_no_other() {
    let served = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&served);
    let peer = Peer::start(move |conversation| {
        while conversation.read_request() {
            counter.fetch_add(1, Ordering::SeqCst);
            conversation.write(HELLO);
        }
    });
    let load = Load {
        warmup: Some(11),
        ..load(50, 5)
    };
    let mut window = NotingWindow {
        served,
        at_open: None,
        at_close: None,
    };
    let sample = Http1.drive(&peer.endpoint(), &load, &mut window).unwrap();
    assert_eq!((window.at_open, window.at_close), (Some(11), Some(61)));
    assert_eq!((sample.ok, peer.stop().requests), (50, 61));
    assert!(!sample.client_cpu.is_zero() && !sample.elapsed.is_zero());
}

#[test]
fn the_window_is_told_once_each() {
    let peer = Peer::start(always(HELLO));
    let mut window = CountingWindow::default();
    Http1.drive(&peer.endpoint(), &six(), &mut window).unwrap();
    assert_eq!((window.opened, window.closed), (1, 1));
    peer.stop();
}

#[test]
fn a_panic_of_the_engine_goes_on_in_the_caller() {
    let panicking = || {
        std::thread::scope(|scope| {
            let work = |_| |()| -> u8 { panic!("engine") };
            Crew::hire(scope, 2, work).unwrap().carry_out(())
        })
    };
    let panic = catch_unwind(AssertUnwindSafe(panicking)).unwrap_err();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"engine"));
}

#[test]
fn a_panic_of_the_window_ends_the_engine() {
    struct Panicking;
    impl Window for Panicking {
        fn open(&mut self) {
            panic!("window");
        }
        fn close(&mut self) {}
    }
    let peer = Peer::start(always(HELLO));
    let driving = || Http1.drive(&peer.endpoint(), &six(), &mut Panicking);
    assert!(catch_unwind(AssertUnwindSafe(driving)).is_err());
    assert_eq!(peer.stop().requests, 0);
}

#[test]
fn the_engine_can_be_driven_from_within_a_runtime() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let (sample, _) = runtime.block_on(async { drive(&six(), always(HELLO)) });
    assert_eq!(sample.ok, 6);
}
