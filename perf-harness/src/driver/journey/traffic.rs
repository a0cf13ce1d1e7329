//! Counts what reqwest does not say: connections opened, how long each took, requests sent again.

use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tower_layer::Layer;
use tower_service::Service;

use crate::driver::tasks::{ConnectTimes, Counts};

/// What the clients of one user did so far.
#[derive(Debug)]
pub(in crate::driver) struct Traffic {
    opened: AtomicU64,
    given_up: AtomicU64,
    retries: AtomicU64,
    bytes: AtomicU64,
    last_opened: Mutex<Option<Instant>>,
    connect_times: ConnectTimes,
}

/// Puts the counting of [`Traffic`] around a client's connector.
#[derive(Clone, Debug)]
pub(super) struct CountConnections(pub(super) Arc<Traffic>);

/// A connector whose connections are counted.
#[derive(Clone, Debug)]
pub(super) struct CountedConnector<S> {
    connector: S,
    traffic: Arc<Traffic>,
}

impl Traffic {
    pub(in crate::driver) fn new(connect_times: ConnectTimes) -> Self {
        Self {
            opened: AtomicU64::new(0),
            given_up: AtomicU64::new(0),
            retries: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            last_opened: Mutex::new(None),
            connect_times,
        }
    }

    /// Connections opened.
    pub(in crate::driver) fn opened(&self) -> u64 {
        self.opened.load(Relaxed)
    }

    /// When the last connection was open.
    pub(in crate::driver) fn last_opened(&self) -> Option<Instant> {
        *locked(&self.last_opened)
    }

    /// All that is counted of connections.
    pub(in crate::driver) fn counts(&self) -> Counts {
        Counts {
            retries: self.retries.load(Relaxed),
            reconnects: self.opened().saturating_sub(1),
            given_up: self.given_up.load(Relaxed),
        }
    }

    /// Body bytes of all replies.
    pub(in crate::driver) fn bytes(&self) -> u64 {
        self.bytes.load(Relaxed)
    }

    pub(super) fn count_retry(&self) {
        self.retries.fetch_add(1, Relaxed);
    }

    pub(super) fn count_bytes(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Relaxed);
    }

    fn count_opened(&self, took: Duration) {
        self.opened.fetch_add(1, Relaxed);
        *locked(&self.last_opened) = Some(Instant::now());
        locked(&self.connect_times).record(took);
    }
}

/// What is behind it is whole after every step, so a panic meanwhile does no harm.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A connection being opened: given up unless it [`ended`](Self::ended) before it is dropped.
struct Opening<'t> {
    traffic: &'t Traffic,
    begun: Instant,
    ended: bool,
}

impl<'t> Opening<'t> {
    fn begin(traffic: &'t Traffic) -> Self {
        Self {
            traffic,
            begun: Instant::now(),
            ended: false,
        }
    }

    fn ended<C, E>(mut self, outcome: &Result<C, E>) {
        self.ended = true;
        if outcome.is_ok() {
            self.traffic.count_opened(self.begun.elapsed());
        }
    }
}

impl Drop for Opening<'_> {
    fn drop(&mut self) {
        if !self.ended {
            self.traffic.given_up.fetch_add(1, Relaxed);
        }
    }
}

impl<S> Layer<S> for CountConnections {
    type Service = CountedConnector<S>;

    fn layer(&self, connector: S) -> Self::Service {
        CountedConnector {
            connector,
            traffic: Arc::clone(&self.0),
        }
    }
}

impl<S, R> Service<R> for CountedConnector<S>
where
    S: Service<R>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.connector.poll_ready(context)
    }

    fn call(&mut self, request: R) -> Self::Future {
        let traffic = Arc::clone(&self.traffic);
        let connecting = self.connector.call(request);
        Box::pin(async move {
            let opening = Opening::begin(&traffic);
            let outcome = connecting.await;
            opening.ended(&outcome);
            outcome
        })
    }
}
