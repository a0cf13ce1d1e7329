//! What the connections of one engine share: the plan, the requests still to send, the books.

use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use super::failure::Failure;
use super::landing::Landing;
use super::ledger::{Completed, Ledger};
use super::request::RequestBytes;
use crate::driver::DriverError;
use crate::endpoint::Endpoint;
use crate::load::{Load, Request};
use crate::sample::LatencyHistogram;

/// Connections in a row that could not be opened, after which the server is taken for lost: a dead
/// server refuses so fast that a long load would only heat the machine.
const ATTEMPTS: u32 = 1000;

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
    pub(super) fn new(
        address: SocketAddr,
        endpoint: &Endpoint,
        load: &Load,
        request: &Request,
    ) -> Self {
        Self {
            address,
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
    /// Failed attempts to connect since one succeeded.
    failed_attempts: Cell<u32>,
    lost: RefCell<Option<String>>,
}

impl Work {
    pub(super) fn new(plan: Plan) -> Self {
        Self {
            plan,
            landing: RefCell::new(Landing::new()),
            left: Cell::new(0),
            ledger: RefCell::new(Ledger::new()),
            connect: RefCell::new(LatencyHistogram::new()),
            failed_attempts: Cell::new(0),
            lost: RefCell::new(None),
        }
    }

    /// Opens new books and lays out `requests` to be taken.
    pub(super) fn begin(&self, requests: u64) {
        self.left.set(requests);
        self.ledger.replace(Ledger::new());
        self.failed_attempts.set(0);
        self.lost.take();
    }

    /// The books since [`begin`](Self::begin).
    ///
    /// # Errors
    ///
    /// [`DriverError::Lost`] when the server was given up before all requests were sent.
    pub(super) fn finish(&self) -> Result<Ledger, DriverError> {
        let ledger = self.ledger.replace(Ledger::new());
        match self.lost.take() {
            None => Ok(ledger),
            Some(reason) => Err(DriverError::Lost {
                address: self.plan.address,
                answered: ledger.ok(),
                reason,
            }),
        }
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
        self.failed_attempts.set(0);
        self.connect.borrow_mut().record(taken);
        self.ledger.borrow_mut().note_reconnect();
    }

    /// A connection could not be opened.
    pub(super) fn note_failed_attempt(&self, failure: &Failure) {
        self.failed_attempts.set(self.failed_attempts.get() + 1);
        if self.failed_attempts.get() == ATTEMPTS {
            self.lost.replace(Some(failure.to_string()));
            self.left.set(0);
        }
    }

    pub(super) fn record(&self, outcome: Result<Completed, Failure>) {
        self.ledger.borrow_mut().record(outcome);
    }
}
