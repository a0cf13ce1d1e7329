//! Plain loads by reqwest: what a program that uses reqwest would measure.

mod script;
#[cfg(test)]
mod tests;

use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use super::journey::{HttpClient, Settings, Traffic};
use super::mix::Body;
use super::tasks::{Counts, Notes, Result, Worker, drive};
use super::{Driver, DriverError, Window};
use crate::endpoint::Endpoint;
use crate::load::Load;
use crate::sample::Sample;
use script::{Exchange, Script};

/// Drives a plain load by reqwest, by the rules of the HTTP/1 engine.
///
/// Each of the load's connections has a client of its own, so that there are never more of them
/// than the load asks for, with HTTP/2 as well, and so that it is known of every failed request
/// whether its connection had served another. What differs from the engine:
///
/// - reqwest adds `Accept: */*` where the load has no `Accept`.
/// - Connections are opened by the first request of each, that is by the warm-up, which is at least
///   one request a connection; a `ramp_up` spreads these. With `warmup = 0` they are opened within
///   the window. The time to open one is in `connect`, the TLS handshake included, and not in the
///   latency of its request, except where that counts from an intended time.
/// - All runs in one thread, and `threads` means nothing.
/// - With `redirects` the statuses are those of the last replies. A redirect to another server, and
///   one beyond the limit, is not followed: it is the reply.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReqwestDriver;

impl Driver for ReqwestDriver {
    fn drive(
        &self,
        endpoint: &Endpoint,
        load: &Load,
        window: &mut dyn Window,
    ) -> Result<Sample, DriverError> {
        let script = Script::new(endpoint, load)?;
        let settings = Settings::new(endpoint, load, usize::from(load.keep_alive))?;
        let settings = Arc::new(settings);
        drive(load, window, |connect_times| {
            let script = Rc::new(script);
            let connection = |_| {
                Ok(Connection {
                    client: HttpClient::new(&settings, connect_times)?,
                    script: Rc::clone(&script),
                    taken: 0,
                    body: Body::default(),
                })
            };
            (0..load.concurrency).map(connection).collect()
        })
    }
}

/// One connection, or one after the other where the load does not keep them.
struct Connection {
    client: HttpClient,
    script: Rc<Script>,
    /// Requests that it has taken so far.
    taken: u64,
    body: Body,
}

impl Connection {
    async fn send(&mut self, exchange: &Exchange, notes: &mut Notes) -> Result<()> {
        let varied = self.script.varied(exchange)?;
        let request = varied.as_ref().unwrap_or(exchange.request());
        let opened_before = self.client.traffic().opened();
        let sent = self.client.send(request).await;
        let now = Instant::now();
        if self.client.traffic().opened() > opened_before {
            notes.connected = self.client.traffic().last_opened();
        }
        let mut response = sent.map_err(|error| exchange.broken(error))?;
        notes.first_byte = Some(now);
        let (look, body) = (exchange.look(), &mut self.body);
        look.begin(body);
        let length = self
            .client
            .read_body(&mut response, |piece| {
                if look.is_needed() {
                    look.take(body, piece);
                }
            })
            .await
            .map_err(|error| exchange.broken(error))?;
        let status = response.status().as_u16();
        notes.status = Some(status);
        notes.bytes = length;
        exchange.judge(status, length, body)
    }
}

impl Worker for Connection {
    async fn iterate(&mut self, notes: &mut Notes) -> Result<()> {
        let script = Rc::clone(&self.script);
        let exchange = script.next(self.taken);
        self.taken += 1;
        self.send(exchange, notes).await
    }

    /// Where no other client can be built the old one stays: the connection of a dropped request
    /// is closed with it.
    fn start_over(&mut self) {
        if let Ok(fresh) = self.client.fresh() {
            self.client = fresh;
        }
    }

    fn counts(&self) -> Counts {
        let traffic: &Traffic = self.client.traffic();
        traffic.counts()
    }
}
