//! Loads of any async function: a command of a database, a call over gRPC, whatever has a client.

use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, PoisonError};
use std::time::Instant;

use super::tasks::{ConnectTimes, Counts, Notes, Result, Worker, drive};
use super::{Driver, DriverError, Window};
use crate::endpoint::Endpoint;
use crate::load::Load;
use crate::sample::Sample;

/// Drives calls over connections that `connect` makes, by the rules of the other drivers.
///
/// - Every one of the load's connections is made once, before the warm-up, each within the load's
///   timeout; when one cannot be made, nothing is measured.
/// - A connection whose call failed or was dropped is not used again, for nobody knows what still
///   comes over it. The next call makes a new one first, which counts as a reconnect; its time is in
///   `connect` and not in the latency of the call, except where that counts from an intended time.
pub(crate) struct Work<C, I, F> {
    connect: Arc<I>,
    call: Arc<F>,
    connection: PhantomData<fn() -> C>,
}

impl<C, I, F> Work<C, I, F>
where
    C: 'static,
    I: AsyncFn(Endpoint) -> Result<C> + Send + Sync + 'static,
    F: AsyncFn(&mut C) -> Result<()> + Send + Sync + 'static,
{
    /// A driver of `call` over what `connect` makes.
    pub(crate) fn new(connect: I, call: F) -> Self {
        Self {
            connect: Arc::new(connect),
            call: Arc::new(call),
            connection: PhantomData,
        }
    }
}

impl<C, I, F> Driver for Work<C, I, F>
where
    C: 'static,
    I: AsyncFn(Endpoint) -> Result<C> + Send + Sync + 'static,
    F: AsyncFn(&mut C) -> Result<()> + Send + Sync + 'static,
{
    fn drive(
        &self,
        endpoint: &Endpoint,
        load: &Load,
        window: &mut dyn Window,
    ) -> Result<Sample, DriverError> {
        if load.mix.is_some() {
            return Err(DriverError::Unsuited {
                driver: "work",
                reason: "it has a request of its own, where the code says what is sent",
            });
        }
        drive(load, window, |connect_times| {
            let caller = |_| {
                Ok(Caller {
                    connect: Arc::clone(&self.connect),
                    call: Arc::clone(&self.call),
                    endpoint: endpoint.clone(),
                    connection: None,
                    counts: Counts::default(),
                    connect_times: Arc::clone(connect_times),
                })
            };
            (0..load.concurrency).map(caller).collect()
        })
    }
}

impl<C, I, F> fmt::Debug for Work<C, I, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Work").finish_non_exhaustive()
    }
}

/// One connection, or one after the other.
struct Caller<C, I, F> {
    connect: Arc<I>,
    call: Arc<F>,
    endpoint: Endpoint,
    connection: Option<C>,
    counts: Counts,
    connect_times: ConnectTimes,
}

impl<C, I, F> Caller<C, I, F>
where
    I: AsyncFn(Endpoint) -> Result<C>,
{
    async fn connect(&mut self) -> Result<C> {
        let begun = Instant::now();
        self.counts.given_up += 1;
        let outcome = (self.connect)(self.endpoint.clone()).await;
        self.counts.given_up -= 1;
        let connection = outcome?;
        let times = self.connect_times.lock();
        times
            .unwrap_or_else(PoisonError::into_inner)
            .record(begun.elapsed());
        Ok(connection)
    }
}

impl<C, I, F> Worker for Caller<C, I, F>
where
    C: 'static,
    I: AsyncFn(Endpoint) -> Result<C> + 'static,
    F: AsyncFn(&mut C) -> Result<()> + 'static,
{
    async fn set_up(&mut self) -> Result<()> {
        self.connection = Some(self.connect().await?);
        Ok(())
    }

    async fn iterate(&mut self, notes: &mut Notes) -> Result<()> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => {
                let connection = self.connect().await?;
                self.counts.reconnects += 1;
                notes.connected = Some(Instant::now());
                connection
            }
        };
        (self.call)(&mut connection).await?;
        self.connection = Some(connection);
        Ok(())
    }

    fn start_over(&mut self) {
        self.connection = None;
    }

    fn counts(&self) -> Counts {
        self.counts
    }
}

#[cfg(test)]
mod tests;
