//! A server that already runs: found, and otherwise left alone.

use std::time::{Duration, Instant};

use super::usage::UsageSource;
use super::{Guard, Identity, Options, Running, TargetError};
use crate::endpoint::{Endpoint, Peer};

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

    /// The way to it as far as the text says: names are resolved when it starts.
    pub(super) fn network_name(&self) -> &'static str {
        if self.url.starts_with("unix:") {
            "unix"
        } else {
            "remote"
        }
    }

    /// Asks every address of the host once, in the resolver's order; the first that answers stays.
    pub(super) fn start(&self, options: &Options) -> Result<Running, TargetError> {
        let until = Instant::now() + options.startup_timeout;
        let mut tried: Vec<(Peer, String)> = Vec::new();
        let endpoints = Endpoint::resolve(&self.url)?;
        let is_tls = endpoints.iter().any(Endpoint::is_tls);
        for endpoint in endpoints {
            match options.ready.ask_once(&endpoint, left(until)) {
                Ok(()) => return Ok(self.running(endpoint)),
                Err(seen) => tried.push((endpoint.peer().clone(), seen)),
            }
        }
        Err(TargetError::Unreachable {
            url: self.url.clone(),
            check: options.ready.describe_at(is_tls),
            tried,
        })
    }

    fn running(&self, endpoint: Endpoint) -> Running {
        let network = match endpoint.peer() {
            Peer::Unix(_) => "unix",
            Peer::Tcp(address) if address.ip().is_loopback() => "loopback",
            Peer::Tcp(_) => "remote",
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
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::os::unix::net::UnixListener;

    use crate::target::{Ready, Target};

    #[test]
    fn the_address_that_answers_is_pinned() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let running = Target::url(format!("http://localhost:{port}/api"))
            .start()
            .unwrap();
        assert_eq!(
            running.endpoint().peer().to_string(),
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

    #[test]
    fn a_unix_socket_is_asked_like_a_port() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("app.sock");
        let listener = UnixListener::bind(&path).unwrap();
        let answering = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 1_024];
            let read = stream.read(&mut request).unwrap();
            stream.write_all(b"HTTP/1.1 204 x\r\n\r\n").unwrap();
            String::from_utf8(request[..read].to_vec()).unwrap()
        });
        let target = Target::url(format!("unix:{}", path.display())).ready(Ready::http("/up"));
        assert_eq!(target.network_name(), "unix");
        let running = target.start().unwrap();
        assert_eq!(running.identity().network, "unix");
        let request = answering.join().unwrap();
        assert!(request.starts_with("GET /up HTTP/1.1\r\nHost: localhost\r\n"));
    }

    #[test]
    fn a_socket_that_is_not_there_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("app.sock").display().to_string();
        let error = Target::url(format!("unix:{path}")).start().unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "no server answers at unix:{path}: a connection failed at {path} (entity not found); \
                 start the server first, or correct the URL"
            )
        );
    }

    #[cfg(feature = "tls")]
    #[test]
    fn over_tls_a_connection_is_ready_and_no_request_is_sent() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let target = Target::url(format!("https://127.0.0.1:{port}")).ready(Ready::http("/up"));
        let running = target.start().unwrap();
        assert!(running.endpoint().is_tls());
        let (mut stream, _) = listener.accept().unwrap();
        let mut received = Vec::new();
        stream.read_to_end(&mut received).unwrap();
        assert!(received.is_empty());
    }

    #[cfg(feature = "tls")]
    #[test]
    fn over_tls_a_message_names_the_check_that_was_made() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let target = Target::url(format!("https://127.0.0.1:{port}")).ready(Ready::http("/up"));
        let message = target.start().unwrap_err().to_string();
        assert!(message.contains(": a connection failed at"), "{message}");
    }
}
