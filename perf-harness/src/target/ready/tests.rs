use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;

use super::*;
use crate::target::ports::loopback;

const LONG: Duration = Duration::from_secs(60);

/// A target that only has a log.
struct Fake {
    log: Arc<Log>,
    death: Option<String>,
}

impl Guard for Fake {
    fn log_tail(&self) -> Vec<String> {
        self.log.tail()
    }

    fn death(&self) -> Option<String> {
        self.death.clone()
    }
}

fn fake(death: Option<&str>) -> Fake {
    Fake {
        log: Log::new(),
        death: death.map(str::to_owned),
    }
}

/// Sends `reply` to one connection once it has asked, and says what it was asked.
fn replying(reply: &'static str) -> (SocketAddr, JoinHandle<String>) {
    let listener = TcpListener::bind(loopback(0)).unwrap();
    let address = listener.local_addr().unwrap();
    let thread = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = vec![0; 4_096];
        let read = stream.read(&mut request).unwrap();
        stream.write_all(reply.as_bytes()).unwrap();
        String::from_utf8(request[..read].to_vec()).unwrap()
    });
    (address, thread)
}

fn seen(ready: &Ready, reply: &'static str) -> Result<(), String> {
    let (address, thread) = replying(reply);
    let seen = ready.ask_once(&Endpoint::new(address), LONG);
    thread.join().unwrap();
    seen
}

#[test]
fn statuses_from_200_to_399_are_ready() {
    let ready = Ready::http("/");
    assert_eq!(seen(&ready, "HTTP/1.1 200 OK\r\n\r\n"), Ok(()));
    assert_eq!(seen(&ready, "HTTP/1.1 399 x\r\n\r\n"), Ok(()));
    assert_eq!(
        seen(&ready, "HTTP/1.1 404 x\r\n\r\n"),
        Err("status 404".to_owned())
    );
    assert_eq!(
        seen(&ready, "HTTP/1.1 500 x\r\n\r\n"),
        Err("status 500".to_owned())
    );
}

#[test]
fn a_named_status_is_the_only_one() {
    let ready = Ready::http("/").status(401);
    assert_eq!(seen(&ready, "HTTP/1.1 401 x\r\n\r\n"), Ok(()));
    assert_eq!(
        seen(&ready, "HTTP/1.1 200 OK\r\n\r\n"),
        Err("status 200".to_owned())
    );
}

#[test]
fn what_is_no_reply_is_told_apart() {
    let ready = Ready::http("/");
    assert_eq!(
        seen(&ready, ""),
        Err("connection closed before a reply".to_owned())
    );
    assert_eq!(
        seen(&ready, "HTTP/1.1 200 OK\r\nx: "),
        Err("connection closed before a reply".to_owned())
    );
    let garbage = seen(&ready, "SSH-2.0-OpenSSH\r\n").unwrap_err();
    assert!(garbage.starts_with("no HTTP reply"), "{garbage}");
}

#[test]
fn the_request_names_the_path_and_the_host_of_the_url() {
    let (address, thread) = replying("HTTP/1.1 200 OK\r\n\r\n");
    let url = format!("http://localhost:{}/api", address.port());
    let endpoints = Endpoint::resolve(&url).unwrap();
    let endpoint = endpoints
        .iter()
        .find(|endpoint| endpoint.address() == Some(address))
        .unwrap();
    Ready::http("/up?x=1").ask_once(endpoint, LONG).unwrap();
    let request = thread.join().unwrap();
    assert!(
        request.starts_with("GET /api/up?x=1 HTTP/1.1\r\n"),
        "{request}"
    );
    assert!(
        request.contains(&format!("\r\nHost: localhost:{}\r\n", address.port())),
        "{request}"
    );
}

#[test]
fn a_server_that_says_nothing_is_left_in_time() {
    let listener = TcpListener::bind(loopback(0)).unwrap();
    let endpoint = Endpoint::new(listener.local_addr().unwrap());
    let seen = Ready::http("/").ask_once(&endpoint, Duration::from_millis(20));
    assert_eq!(seen, Err("no answer in time".to_owned()));
}

#[test]
fn behind_a_proxy_a_connection_that_is_closed_at_once_is_not_ready() {
    let listener = TcpListener::bind(loopback(0)).unwrap();
    let endpoint = Endpoint::new(listener.local_addr().unwrap());
    let closing = std::thread::spawn(move || drop(listener.accept().unwrap()));
    let seen = TcpCheck.attempt(&endpoint, Reach::Proxied, LONG);
    closing.join().unwrap();
    assert!(seen.is_err());
}

#[test]
fn behind_a_proxy_a_connection_that_stays_open_is_ready() {
    let listener = TcpListener::bind(loopback(0)).unwrap();
    let endpoint = Endpoint::new(listener.local_addr().unwrap());
    assert_eq!(TcpCheck.attempt(&endpoint, Reach::Proxied, LONG), Ok(()));
}

#[test]
fn the_end_of_a_target_is_noticed_even_when_somebody_answers() {
    let listener = TcpListener::bind(loopback(0)).unwrap();
    let endpoint = Endpoint::new(listener.local_addr().unwrap());
    let dead = fake(Some("exited with status 1"));
    let error = Ready::tcp()
        .wait(&endpoint, &Startup::new("`shop`", LONG, &dead))
        .unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("`shop` exited with status 1 before"),
        "{error}"
    );
}

#[test]
fn a_line_makes_ready() {
    let target = fake(None);
    let mut feed = target.log.feed();
    let mut startup = Startup::new("`shop`", LONG, &target);
    startup.log = Some(&target.log);
    let endpoint = Endpoint::new(loopback(1));
    std::thread::scope(|scope| {
        scope.spawn(move || feed.write(b"now up and running.\n"));
        Ready::log("up and running")
            .wait(&endpoint, &startup)
            .unwrap();
    });
}

#[test]
fn a_path_that_would_break_the_request_is_refused() {
    for path in ["", "health", "/a b", "/a\r\nx: y", "http://x/"] {
        let error = Ready::http(path).validate().unwrap_err().to_string();
        assert!(error.contains(&format!("Ready::http({path:?})")), "{error}");
    }
    Ready::http("/health?full=1").validate().unwrap();
}

#[test]
fn a_status_without_http_is_refused() {
    let error = Ready::tcp().status(200).validate().unwrap_err().to_string();
    assert!(error.contains("only Ready::http sees a status"), "{error}");
}
