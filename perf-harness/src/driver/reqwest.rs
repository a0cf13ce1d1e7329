//! Plain loads by reqwest: what a program that uses reqwest would measure.

use std::sync::Arc;
use std::time::Instant;

use ::reqwest::{Request, Url};
use http::header::CONNECTION;
use http::{HeaderName, HeaderValue};

use super::journey::{ConnectTimes, Failure, Good, HttpClient, Traffic, Worker, drive};
use super::{Driver, DriverError, Window};
use crate::endpoint::Endpoint;
use crate::load::{self, Load};
use crate::sample::{ErrorKind, Sample};

/// Drives a plain load by reqwest, in a closed loop, by the rules of the HTTP/1 engine.
///
/// Each of the load's connections has a client of its own, so that there are never more of them
/// than the load asks for, and so that it is known of every failed request whether its connection
/// had served another. Two things differ from the engine: reqwest adds `Accept: */*` where the load has no `Accept`, and
/// connections are opened by the first request of each, that is by the warm-up, which is at least
/// one request a connection. With `warmup = 0` they are opened within the window.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReqwestDriver;

impl Driver for ReqwestDriver {
    fn drive(
        &self,
        endpoint: &Endpoint,
        load: &Load,
        window: &mut dyn Window,
    ) -> Result<Sample, DriverError> {
        let request = load.requests_of_mix().next().ok_or(DriverError::Unsuited {
            driver: "reqwest",
            reason: "it has no request; a journey is driven by the journey driver",
        })?;
        let exchange = Arc::new(Exchange::new(endpoint, request, load.keep_alive)?);
        let most_idle = usize::from(load.keep_alive);
        drive(load, window, |_, connect_times| {
            Connection::new(endpoint, most_idle, connect_times, Arc::clone(&exchange))
        })
    }
}

/// The one request of the load, and what a good reply to it is.
struct Exchange {
    request: Request,
    expected: Vec<u16>,
    /// The request in words, to name it in failures.
    asked: String,
}

impl Exchange {
    fn new(
        endpoint: &Endpoint,
        load: &load::Request,
        keep_alive: bool,
    ) -> Result<Self, DriverError> {
        let url = Url::parse(&endpoint.url(&load.path))
            .map_err(|_| unsendable("its path is no part of a URL"))?;
        let mut request = Request::new(load.method.clone(), url);
        for (name, value) in &load.headers {
            let (name, value) = header(name, value)
                .ok_or_else(|| unsendable("HTTP does not allow one of its headers"))?;
            request.headers_mut().append(name, value);
        }
        if !keep_alive {
            let close = HeaderValue::from_static("close");
            request.headers_mut().insert(CONNECTION, close);
        }
        if !load.body.is_empty() {
            *request.body_mut() = Some(load.body.clone().into());
        }
        Ok(Self {
            request,
            expected: load.expected.statuses.clone(),
            asked: format!("{} {}", load.method, load.path),
        })
    }

    fn request(&self) -> Request {
        let copy = self.request.try_clone();
        copy.expect("a request whose body is bytes can be cloned")
    }

    fn failure(&self, error: ::reqwest::Error) -> Failure {
        Failure::caused(self.asked.as_str(), error.without_url(), ErrorKind::Parse)
    }

    fn check(&self, status: u16) -> Result<(), Failure> {
        if self.expected.contains(&status) {
            return Ok(());
        }
        let message = format!(
            "{} answered {status} where {:?} is expected",
            self.asked, self.expected
        );
        Err(Failure::of_kind(ErrorKind::Status, message))
    }
}

fn unsendable(reason: &'static str) -> DriverError {
    DriverError::Unsuited {
        driver: "reqwest",
        reason,
    }
}

fn header(name: &str, value: &str) -> Option<(HeaderName, HeaderValue)> {
    Some((name.parse().ok()?, HeaderValue::from_str(value).ok()?))
}

/// One connection, or one after the other where the load does not keep them.
struct Connection {
    client: HttpClient,
    exchange: Arc<Exchange>,
}

impl Connection {
    fn new(
        endpoint: &Endpoint,
        most_idle: usize,
        connect_times: ConnectTimes,
        exchange: Arc<Exchange>,
    ) -> Result<Self, DriverError> {
        let client = HttpClient::new(endpoint, most_idle, connect_times)?;
        Ok(Self { client, exchange })
    }
}

impl Worker for Connection {
    async fn iterate(&mut self) -> Result<Good, Failure> {
        let failure = |error| self.exchange.failure(error);
        let request = self.exchange.request();
        let start = Instant::now();
        let mut response = self.client.send(request).await.map_err(failure)?;
        let first_byte = start.elapsed();
        let bytes = self
            .client
            .read_body(&mut response, |_| {})
            .await
            .map_err(failure)?;
        self.exchange.check(response.status().as_u16())?;
        Ok(Good {
            bytes,
            first_byte: Some(first_byte),
        })
    }

    /// Where no other client can be built the old one stays: the connection of a dropped request
    /// is closed with it.
    fn start_over(&mut self) {
        if let Ok(fresh) = self.client.fresh() {
            self.client = fresh;
        }
    }

    fn traffic(&self) -> &Traffic {
        self.client.traffic()
    }
}

#[cfg(test)]
mod tests;
