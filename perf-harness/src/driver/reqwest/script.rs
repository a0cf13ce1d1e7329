//! The requests of a load for reqwest, and what good replies to them are.

use std::cell::RefCell;

use ::reqwest::{Request, Url};
use http::header::CONNECTION;
use http::{HeaderName, HeaderValue};

use crate::driver::DriverError;
use crate::driver::chance::Chance;
use crate::driver::mix::{Body, Choice, Look, Path};
use crate::driver::tasks::{Failure, Result};
use crate::endpoint::Endpoint;
use crate::load::{self, HttpVersion, Load};
use crate::sample::ErrorKind;

/// All requests of a load, and which of them is next.
#[derive(Debug)]
pub(super) struct Script {
    exchanges: Vec<Exchange>,
    choice: Choice,
    chance: RefCell<Chance>,
    endpoint: Endpoint,
}

/// One request of the load, and what a good reply to it is.
#[derive(Debug)]
pub(super) struct Exchange {
    request: Request,
    /// The path, where it changes from one request to the next.
    path: Option<Path>,
    statuses: Vec<u16>,
    look: Look,
    /// The request in words, to name it in failures.
    asked: String,
}

impl Script {
    pub(super) fn new(endpoint: &Endpoint, load: &Load) -> Result<Self, DriverError> {
        let exchange = |request| Exchange::new(endpoint, load, request);
        let exchanges: Vec<_> = load
            .requests_of_mix()
            .map(exchange)
            .collect::<Result<_, _>>()?;
        if exchanges.is_empty() {
            return Err(unsendable(
                "it has no request; a journey is driven by the journey driver",
            ));
        }
        Ok(Self {
            exchanges,
            choice: Choice::new(load),
            chance: RefCell::new(Chance::new(load.seed, 0)),
            endpoint: endpoint.clone(),
        })
    }

    /// What a connection that has `taken` so many sends next.
    pub(super) fn next(&self, taken: u64) -> &Exchange {
        let next = self.choice.next(taken, &mut self.chance.borrow_mut());
        &self.exchanges[next]
    }

    /// The request of `exchange` with the next values in its path; `None` where it is the same every
    /// time.
    pub(super) fn varied(&self, exchange: &Exchange) -> Result<Option<Request>> {
        let Some(path) = &exchange.path else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        path.write(&mut bytes, &mut self.chance.borrow_mut());
        let path = String::from_utf8_lossy(&bytes);
        let mut request = exchange.request.try_clone();
        if let Some(request) = &mut request {
            *request.url_mut() = Url::parse(&self.endpoint.url(&path))?;
        }
        Ok(request)
    }
}

impl Exchange {
    fn new(endpoint: &Endpoint, load: &Load, request: &load::Request) -> Result<Self, DriverError> {
        let url = Url::parse(&endpoint.url(&request.path))
            .map_err(|_| unsendable("its path is no part of a URL"))?;
        let mut sent = Request::new(request.method.clone(), url);
        for (name, value) in &request.headers {
            let (name, value) = header(name, value)
                .ok_or_else(|| unsendable("HTTP does not allow one of its headers"))?;
            sent.headers_mut().append(name, value);
        }
        // HTTP/2 has no such field; the connection is closed all the same.
        if !load.keep_alive && load.http == HttpVersion::Http1 {
            let close = HeaderValue::from_static("close");
            sent.headers_mut().insert(CONNECTION, close);
        }
        if !request.body.is_empty() {
            *sent.body_mut() = Some(request.body.clone().into());
        }
        Ok(Self {
            request: sent,
            path: Path::of(request),
            statuses: request.expected.statuses.clone(),
            look: Look::new(&request.expected),
            asked: format!("{} {}", request.method, request.path),
        })
    }

    /// The request, where it is the same every time.
    pub(super) fn request(&self) -> &Request {
        &self.request
    }

    pub(super) fn look(&self) -> &Look {
        &self.look
    }

    /// A connection or a reply that broke.
    pub(super) fn broken(&self, error: ::reqwest::Error) -> Failure {
        Failure::caused(self.asked.as_str(), error.without_url(), ErrorKind::Parse)
    }

    /// Judges a reply that came whole.
    pub(super) fn judge(&self, status: u16, length: u64, body: &mut Body) -> Result<()> {
        if !self.statuses.contains(&status) {
            let (asked, expected) = (&self.asked, &self.statuses);
            let message = format!("{asked} answered {status} where {expected:?} is expected");
            return Err(Failure::of_kind(ErrorKind::Status, message));
        }
        self.look.judge(length, body).map_err(|fault| {
            let message = format!("{}: {fault}", self.asked);
            Failure::of_kind(ErrorKind::BodyCheck, message)
        })
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
