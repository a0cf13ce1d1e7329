//! What the connections of one engine share: the plan, the requests still to send, the books.

use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use super::failure::Failure;
use super::landing::Landing;
use super::ledger::{Completed, Ledger};
use super::request::RequestBytes;
use crate::endpoint::Endpoint;
use crate::load::{Load, Request};
use crate::sample::LatencyHistogram;

/// A load as the engine carries it out.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) address: SocketAddr,
    pub(super) request: RequestBytes,
    pub(super) connections: usize,
    pub(super) warmup: u64,
    pub(super) requests: u64,
    pub(super) timeout: Duration,
    pub(super) keep_alive: bool,
}

impl Plan {
    pub(super) fn new(endpoint: &Endpoint, load: &Load, request: &Request) -> Self {
        Self {
            address: endpoint.address(),
            request: RequestBytes::new(request, endpoint, load.keep_alive),
            connections: load.concurrency,
            warmup: load.warmup_requests(),
            requests: load.requests,
            timeout: load.timeout,
            keep_alive: load.keep_alive,
        }
    }
}

/// The state of one engine. Connections take requests from it one by one, so that none waits with
/// a share of its own while another is slow.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) plan: Plan,
    pub(super) landing: RefCell<Landing>,
    left: Cell<u64>,
    ledger: RefCell<Ledger>,
    connect: RefCell<LatencyHistogram>,
}

impl Work {
    pub(super) fn new(plan: Plan) -> Self {
        Self {
            plan,
            landing: RefCell::new(Landing::new()),
            left: Cell::new(0),
            ledger: RefCell::new(Ledger::new()),
            connect: RefCell::new(LatencyHistogram::new()),
        }
    }

    /// Opens new books and lays out `requests` to be taken.
    pub(super) fn begin(&self, requests: u64) {
        self.left.set(requests);
        self.ledger.replace(Ledger::new());
    }

    /// The books since [`begin`](Self::begin).
    pub(super) fn finish(&self) -> Ledger {
        self.ledger.replace(Ledger::new())
    }

    /// The connect times of all connections so far.
    pub(super) fn take_connect(&self) -> LatencyHistogram {
        self.connect.take()
    }

    /// Takes one request; false when all are taken.
    pub(super) fn take_request(&self) -> bool {
        match self.left.get().checked_sub(1) {
            Some(left) => {
                self.left.set(left);
                true
            }
            None => {
                self.ledger.borrow_mut().note_drained(Instant::now());
                false
            }
        }
    }

    pub(super) fn note_send(&self, now: Instant) {
        self.ledger.borrow_mut().note_send(now);
    }

    pub(super) fn note_retry(&self) {
        self.ledger.borrow_mut().note_retry();
    }

    pub(super) fn note_connect(&self, taken: Duration) {
        self.connect.borrow_mut().record(taken);
        self.ledger.borrow_mut().note_reconnect();
    }

    pub(super) fn record(&self, outcome: Result<Completed, Failure>) {
        self.ledger.borrow_mut().record(outcome);
    }
}
