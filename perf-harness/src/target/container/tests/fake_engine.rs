//! A Docker engine that answers just enough to fail at a chosen point, over loopback TCP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

/// Where the engine fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It knows no image.
    ImageMissing,
    /// `start` is answered with status 500.
    StartRefused,
    /// `start` is never answered.
    StartUnanswered,
}

/// The engine, listening until the test process ends.
pub(super) struct FakeEngine {
    address: String,
    state: Arc<State>,
}

struct State {
    fault: Fault,
    /// As the engine lists them.
    containers: Mutex<Vec<Value>>,
    /// The containers that were there at some time.
    seen: Mutex<Vec<Value>>,
    /// Connections that are held open without an answer.
    unanswered: Mutex<Vec<TcpStream>>,
}

impl FakeEngine {
    pub(super) fn start(fault: Fault, containers: Vec<Value>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("tcp://{}", listener.local_addr().unwrap());
        let state = Arc::new(State {
            fault,
            seen: Mutex::new(containers.clone()),
            containers: Mutex::new(containers),
            unanswered: Mutex::default(),
        });
        let serving = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let state = Arc::clone(&serving);
                thread::spawn(move || state.serve(stream));
            }
        });
        Self { address, state }
    }

    /// What `DOCKER_HOST` is set to.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// The ids of the containers that are there.
    pub(super) fn containers(&self) -> Vec<String> {
        ids(&self.state.containers.lock().unwrap())
    }

    /// The containers that were there at some time.
    pub(super) fn ever_had(&self) -> Vec<Value> {
        self.state.seen.lock().unwrap().clone()
    }
}

fn ids(containers: &[Value]) -> Vec<String> {
    let ids = containers.iter().map(|container| container["Id"].as_str());
    ids.map(|id| id.unwrap().to_owned()).collect()
}

impl State {
    fn serve(&self, mut stream: TcpStream) {
        let Some((line, body)) = read_request(&stream) else {
            return;
        };
        let (method, path) = line.split_once(' ').unwrap();
        let path = path.split([' ', '?']).next().unwrap();
        match self.answer(method, path, &body) {
            Some((status, body)) => write_reply(&mut stream, status, &body),
            None => self.unanswered.lock().unwrap().push(stream),
        }
    }

    fn answer(&self, method: &str, path: &str, body: &[u8]) -> Option<(u16, Value)> {
        let answer = match (method, path) {
            ("GET", "/_ping") => (200, json!("OK")),
            ("GET", "/containers/json") => (200, json!(*self.containers.lock().unwrap())),
            ("POST", "/containers/create") => (201, self.create(body)),
            ("DELETE", _) => self.remove(path),
            ("GET", _) if path.starts_with("/images/") => self.image(),
            ("POST", _) if path.ends_with("/start") => return self.start_container(),
            _ => (
                501,
                json!({ "message": format!("no answer to {method} {path}") }),
            ),
        };
        Some(answer)
    }

    fn image(&self) -> (u16, Value) {
        match self.fault {
            Fault::ImageMissing => (404, json!({ "message": "No such image" })),
            _ => (
                200,
                json!({ "Id": "sha256:1", "Config": { "ExposedPorts": { "80/tcp": {} } } }),
            ),
        }
    }

    fn start_container(&self) -> Option<(u16, Value)> {
        match self.fault {
            Fault::StartUnanswered => None,
            _ => Some((500, json!({ "message": "port is already allocated" }))),
        }
    }

    fn create(&self, body: &[u8]) -> Value {
        let request: Value = serde_json::from_slice(body).unwrap();
        let container = json!({
            "Id": "created", "State": "created",
            "Labels": request["Labels"], "Request": request,
        });
        self.seen.lock().unwrap().push(container.clone());
        self.containers.lock().unwrap().push(container);
        json!({ "Id": "created", "Warnings": [] })
    }

    fn remove(&self, path: &str) -> (u16, Value) {
        let mut containers = self.containers.lock().unwrap();
        containers.retain(|container| {
            path != format!("/containers/{}", container["Id"].as_str().unwrap())
        });
        (204, Value::Null)
    }
}

/// The request line and the body.
fn read_request(stream: &TcpStream) -> Option<(String, Vec<u8>)> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first).ok().filter(|read| *read > 0)?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((first, body))
}

fn write_reply(stream: &mut TcpStream, status: u16, body: &Value) {
    let body = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    let length = body.len();
    let reply = format!(
        "HTTP/1.1 {status} Fake\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
    // A client that has gone away wants no answer.
    let _ = stream.write_all(reply.as_bytes());
}
