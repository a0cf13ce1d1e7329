//! A server that already runs: found, and otherwise left alone.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use super::usage::UsageSource;
use super::{Guard, Identity, Options, Running, TargetError};
use crate::endpoint::Endpoint;

/// The description of a server that somebody else runs.
#[derive(Debug)]
pub(super) struct Url {
    url: String,
}

impl Url {
    pub(super) fn new(url: String) -> Self {
        Self { url }
    }

    pub(super) fn name(&self) -> &str {
        &self.url
    }

    /// Asks every address of the host once, in the resolver's order; the first that answers stays.
    pub(super) fn start(&self, options: &Options) -> Result<Running, TargetError> {
        let until = Instant::now() + options.startup_timeout;
        let mut tried: Vec<(SocketAddr, String)> = Vec::new();
        for endpoint in Endpoint::resolve(&self.url)? {
            match options.ready.ask_once(&endpoint, left(until)) {
                Ok(()) => return Ok(self.running(endpoint)),
                Err(seen) => tried.push((endpoint.address(), seen)),
            }
        }
        Err(TargetError::Unreachable {
            url: self.url.clone(),
            check: options.ready.describe(),
            tried,
        })
    }

    fn running(&self, endpoint: Endpoint) -> Running {
        let network = if endpoint.address().ip().is_loopback() {
            "loopback"
        } else {
            "remote"
        };
        Running {
            name: format!("the server at {}", self.url),
            endpoint,
            usage: UsageSource::Unseen,
            identity: Identity {
                kind: "url",
                network,
                image: None,
            },
            guard: Box::new(NotOurs),
        }
    }
}

fn left(until: Instant) -> Duration {
    until.saturating_duration_since(Instant::now())
}

/// Nothing was started, so nothing is stopped.
struct NotOurs;

impl Guard for NotOurs {
    fn log_tail(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether it still runs shows only in how it answers.
    fn death(&self) -> Option<String> {
        None
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use crate::target::{Ready, Target};

    #[test]
    fn the_address_that_answers_is_pinned() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let running = Target::url(format!("http://localhost:{port}/api"))
            .start()
            .unwrap();
        assert_eq!(
            running.endpoint().address().to_string(),
            format!("127.0.0.1:{port}")
        );
        assert_eq!(
            running.endpoint().url("/x"),
            format!("http://localhost:{port}/api/x")
        );
        assert_eq!(running.identity().kind, "url");
        assert_eq!(running.identity().network, "loopback");
        assert!(running.open_window().close().is_none());
        assert!(running.check_alive().is_ok());
    }

    #[test]
    fn an_unreachable_url_says_what_was_tried() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let url = format!("http://127.0.0.1:{port}");
        let message = Target::url(url)
            .ready(Ready::http("/up"))
            .start()
            .unwrap_err()
            .to_string();
        assert_eq!(
            message,
            format!(
                "no server answers at http://127.0.0.1:{port}: GET /up failed at 127.0.0.1:{port} \
                 (connection refused); start the server first, or correct the URL"
            )
        );
    }

    #[test]
    fn what_is_no_url_is_refused() {
        let message = Target::url("localhost").start().unwrap_err().to_string();
        assert!(message.contains("\"localhost\" is no URL"), "{message}");
    }
}
