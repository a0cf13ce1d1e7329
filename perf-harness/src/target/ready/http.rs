//! Ready when a request is answered with the right status.

use std::io::{Read, Write};
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use super::socket::Socket;
use super::tcp::{connect, in_words};
use crate::endpoint::Endpoint;
use crate::target::TargetError;

/// A reply head that is longer is no sane one.
const HEAD_BYTES: usize = 64 * 1_024;
const HEADERS: usize = 128;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HttpCheck {
    path: String,
    statuses: RangeInclusive<u16>,
}

impl HttpCheck {
    pub(super) fn new(path: String) -> Self {
        Self {
            path,
            statuses: 200..=399,
        }
    }

    pub(super) fn expect(&mut self, status: u16) {
        self.statuses = status..=status;
    }

    pub(super) fn describe(&self) -> String {
        format!("GET {}", self.path)
    }

    /// The path goes into a request line as it is.
    pub(super) fn validate(&self) -> Result<(), TargetError> {
        let is_path =
            self.path.starts_with('/') && self.path.bytes().all(|byte| byte.is_ascii_graphic());
        if is_path {
            return Ok(());
        }
        Err(TargetError::Option {
            option: "Ready::http",
            value: self.path.clone(),
            reason: "a path begins with `/` and holds no blanks: write for example \"/health\"",
        })
    }

    pub(super) fn attempt(&self, endpoint: &Endpoint, within: Duration) -> Result<(), String> {
        let until = Instant::now() + within;
        let mut stream = connect(endpoint, within)?;
        self.send(&mut stream, endpoint, until)?;
        let status = read_status(&mut stream, until)?;
        if self.statuses.contains(&status) {
            return Ok(());
        }
        Err(format!("status {status}"))
    }

    fn send(&self, stream: &mut Socket, endpoint: &Endpoint, until: Instant) -> Result<(), String> {
        let request = format!(
            "GET {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: perf-harness\r\nAccept: */*\r\nConnection: close\r\n\r\n",
            endpoint.target(&self.path),
            endpoint.authority()
        );
        stream
            .set_write_timeout(left(until))
            .and_then(|()| stream.write_all(request.as_bytes()))
            .map_err(|error| in_words(&error))
    }
}

fn read_status(stream: &mut Socket, until: Instant) -> Result<u16, String> {
    let mut head = Vec::new();
    let mut bytes = [0; 4_096];
    while head.len() < HEAD_BYTES {
        let read = stream
            .set_read_timeout(left(until))
            .and_then(|()| stream.read(&mut bytes))
            .map_err(|error| in_words(&error))?;
        if read == 0 {
            return Err("connection closed before a reply".to_owned());
        }
        head.extend_from_slice(&bytes[..read]);
        if let Some(status) = parse_status(&head)? {
            return Ok(status);
        }
        if Instant::now() > until {
            return Err("no answer in time".to_owned());
        }
    }
    Err("a reply without an end of its head".to_owned())
}

/// The status once the head is whole.
fn parse_status(head: &[u8]) -> Result<Option<u16>, String> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut reply = httparse::Response::new(&mut headers);
    match reply.parse(head) {
        Ok(httparse::Status::Complete(_)) => Ok(reply.code),
        Ok(httparse::Status::Partial) => Ok(None),
        Err(error) => Err(format!("no HTTP reply ({error})")),
    }
}

/// A time of zero would mean "for ever" to the system.
fn left(until: Instant) -> Duration {
    until
        .saturating_duration_since(Instant::now())
        .max(Duration::from_millis(1))
}
