//! What is asked for: which requests, how many, how many at a time, and what a good reply is.

use std::collections::BTreeMap;
use std::hash::Hasher as _;
use std::time::Duration;

use http::{HeaderName, HeaderValue, Method};
use serde_json::{Value, json};
use siphasher::sip128::{Hasher128, SipHasher13};

/// One load: exactly [`requests`](Self::requests) requests over [`concurrency`](Self::concurrency)
/// connections, after a warm-up that is not measured.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Load {
    /// What is sent again and again; `None` for a journey, whose code sends what it likes.
    pub request: Option<Request>,
    /// Measured requests (or iterations of a journey) a round. No default: a scenario says it.
    pub requests: u64,
    /// Connections, each with one request under way at a time. Default 10, never above `requests`.
    pub concurrency: usize,
    /// Requests sent before the clock starts. Default: a tenth of `requests`, at least one a connection.
    pub warmup: Option<u64>,
    /// How long one request may take. Default 10 s. A request that takes longer counts as a
    /// `timeout` and enters the latency histogram at this value.
    pub timeout: Duration,
    /// Whether a connection serves more than one request. Default true.
    pub keep_alive: bool,
    /// Which engine sends the requests.
    pub client: Client,
    /// Share of measured requests, 0 to 1, that may fail before the outcome is `broken`. Default 0.
    pub error_budget: f64,
}

/// The engines that can put a plain load on a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Client {
    /// Our own HTTP/1.1 engine: the cheapest client, so that the server is what is measured.
    #[default]
    Http1,
    /// reqwest, for what the engine does not speak (feature `journeys`).
    Reqwest,
}

/// One request, sent unchanged every time.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request {
    /// The method.
    pub method: Method,
    /// Path and query, starting with `/`.
    pub path: String,
    /// Header fields beside `Host`, `Content-Length` and `Connection`, in order.
    pub headers: Vec<(String, String)>,
    /// The body; empty for none.
    pub body: Vec<u8>,
    /// Status codes of a good reply. Default: 200 alone.
    pub expected: Vec<u16>,
}

/// Why a load cannot be sent.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// `requests` is 0, or was never said.
    #[error("the load has no requests: say how many with `requests`, at least 1")]
    NoRequests,
    /// `concurrency` is 0.
    #[error("the load has no connections: `concurrency` is at least 1")]
    NoConnections,
    /// More connections than requests.
    #[error(
        "concurrency {concurrency} is above requests {requests}: some connections would never be used; lower `concurrency` or raise `requests`"
    )]
    ConcurrencyAboveRequests {
        /// Connections asked for.
        concurrency: usize,
        /// Requests asked for.
        requests: u64,
    },
    /// The timeout is zero.
    #[error("the timeout of a request is zero: write for example `timeout = \"5s\"`")]
    NoTimeout,
    /// The path does not start with `/` or holds a blank or control character.
    #[error(
        "the path {path:?} cannot be sent: it starts with `/` and holds no blanks; encode others as %20"
    )]
    Path {
        /// The refused path.
        path: String,
    },
    /// A header field that HTTP does not allow.
    #[error(
        "the header {name:?} cannot be sent: its name or value holds a character that HTTP does not allow"
    )]
    Header {
        /// Its name.
        name: String,
    },
    /// A header field that the engine writes itself.
    #[error("the header {name:?} is written by the engine: use `keep_alive` or `body` instead")]
    ReservedHeader {
        /// Its name.
        name: String,
    },
    /// No expected status, or one outside 100 to 599.
    #[error("the expected status {status} is none: HTTP has 100 to 599")]
    Status {
        /// The refused code.
        status: u16,
    },
    /// The error budget is no share.
    #[error(
        "the error budget {budget} is no share of the requests: write for example `error_budget = \"0.1%\"`"
    )]
    ErrorBudget {
        /// The refused value.
        budget: f64,
    },
}

impl Request {
    /// A request without headers or body that expects status 200.
    #[must_use]
    pub fn new(method: Method, path: impl Into<String>) -> Self {
        Self {
            method,
            path: path.into(),
            headers: Vec::new(),
            body: Vec::new(),
            expected: vec![200],
        }
    }

    fn check(&self) -> Result<(), LoadError> {
        let sendable = |byte: u8| byte.is_ascii_graphic() || byte >= 0x80;
        if !self.path.starts_with('/') || !self.path.bytes().all(sendable) {
            return Err(LoadError::Path {
                path: self.path.clone(),
            });
        }
        for (name, value) in &self.headers {
            check_header(name, value)?;
        }
        match self
            .expected
            .iter()
            .find(|status| !(100..600).contains(*status))
        {
            Some(&status) => Err(LoadError::Status { status }),
            None if self.expected.is_empty() => Err(LoadError::Status { status: 0 }),
            None => Ok(()),
        }
    }
}

fn check_header(name: &str, value: &str) -> Result<(), LoadError> {
    let refused = || LoadError::Header {
        name: name.to_owned(),
    };
    let parsed: HeaderName = name.parse().map_err(|_| refused())?;
    HeaderValue::from_str(value).map_err(|_| refused())?;
    if ["connection", "content-length", "transfer-encoding"].contains(&parsed.as_str()) {
        return Err(LoadError::ReservedHeader {
            name: name.to_owned(),
        });
    }
    Ok(())
}

impl Default for Load {
    fn default() -> Self {
        Self {
            request: Some(Request::new(Method::GET, "/")),
            requests: 0,
            concurrency: 10,
            warmup: None,
            timeout: Duration::from_secs(10),
            keep_alive: true,
            client: Client::default(),
            error_budget: 0.0,
        }
    }
}

impl Load {
    /// Checks that the load can be sent as it is described.
    ///
    /// # Errors
    ///
    /// [`LoadError`] names the first field that cannot be.
    pub fn check(&self) -> Result<(), LoadError> {
        if self.requests == 0 {
            return Err(LoadError::NoRequests);
        }
        if self.concurrency == 0 {
            return Err(LoadError::NoConnections);
        }
        if self.concurrency as u64 > self.requests {
            return Err(LoadError::ConcurrencyAboveRequests {
                concurrency: self.concurrency,
                requests: self.requests,
            });
        }
        if self.timeout.is_zero() {
            return Err(LoadError::NoTimeout);
        }
        if !(0.0..=1.0).contains(&self.error_budget) {
            return Err(LoadError::ErrorBudget {
                budget: self.error_budget,
            });
        }
        self.request.as_ref().map_or(Ok(()), Request::check)
    }

    /// Requests sent before the clock starts.
    #[must_use]
    pub fn warmup_requests(&self) -> u64 {
        let default = || (self.requests / 10).max(self.concurrency as u64);
        self.warmup.unwrap_or_else(default)
    }

    /// The load in readable form: what a baseline keeps, and what must be equal to be compared.
    #[must_use]
    pub fn fields(&self) -> BTreeMap<String, Value> {
        let mut fields = BTreeMap::from([
            ("requests".to_owned(), json!(self.requests)),
            ("concurrency".to_owned(), json!(self.concurrency)),
            ("warmup".to_owned(), json!(self.warmup_requests())),
            (
                "timeout_ms".to_owned(),
                json!(self.timeout.as_millis() as u64),
            ),
        ]);
        match &self.request {
            Some(request) => fields.extend(self.request_fields(request)),
            None => fields.extend([("client".to_owned(), json!("journey"))]),
        }
        fields
    }

    fn request_fields(&self, request: &Request) -> Vec<(String, Value)> {
        let line = format!("{} {}", request.method, request.path);
        let mut fields = vec![
            ("client".to_owned(), json!(self.client.name())),
            ("keep_alive".to_owned(), json!(self.keep_alive)),
            ("request".to_owned(), json!(line)),
            ("expected".to_owned(), json!(request.expected)),
        ];
        if !request.headers.is_empty() {
            let headers = request
                .headers
                .iter()
                .map(|(name, value)| format!("{name}: {value}"));
            fields.push(("headers".to_owned(), headers.collect()));
        }
        if !request.body.is_empty() {
            fields.push(("body_bytes".to_owned(), json!(request.body.len())));
            fields.push(("body_hash".to_owned(), json!(stable_hash(&request.body))));
        }
        fields
    }

    /// A hash of [`fields`](Self::fields), the same on every machine and in every version.
    #[must_use]
    pub fn hash(&self) -> String {
        let canonical: Vec<String> = self
            .fields()
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        stable_hash(canonical.join("\n").as_bytes())
    }
}

/// SipHash-1-3 with a zero key, 128 bits in hexadecimal: stable across machines, unlike `std`'s.
#[must_use]
pub(crate) fn stable_hash(bytes: &[u8]) -> String {
    let mut hasher = SipHasher13::new();
    hasher.write(bytes);
    format!("{:032x}", hasher.finish128().as_u128())
}

impl Client {
    /// The name used in attributes and baselines.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Http1 => "http1",
            Self::Reqwest => "reqwest",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load() -> Load {
        Load {
            requests: 100,
            ..Load::default()
        }
    }

    #[test]
    fn a_load_without_requests_is_refused() {
        assert_eq!(Load::default().check(), Err(LoadError::NoRequests));
    }

    #[test]
    fn more_connections_than_requests_are_refused() {
        let load = Load {
            concurrency: 101,
            ..load()
        };
        let message = load.check().unwrap_err().to_string();
        assert!(
            message.contains("concurrency 101 is above requests 100"),
            "{message}"
        );
    }

    #[test]
    fn what_http_does_not_allow_is_refused() {
        let mut load = load();
        for path in ["", "x", "/a b", "/a\r\nHost: x"] {
            load.request = Some(Request::new(Method::GET, path));
            assert!(load.check().is_err(), "{path:?}");
        }
        for (name, value) in [("a b", "x"), ("x", "a\r\nb"), ("Connection", "close")] {
            let mut request = Request::new(Method::GET, "/");
            request.headers = vec![(name.to_owned(), value.to_owned())];
            load.request = Some(request);
            assert!(load.check().is_err(), "{name:?}");
        }
    }

    #[test]
    fn an_error_budget_that_is_no_share_is_refused() {
        for budget in [f64::NAN, -0.1, 1.1] {
            let load = Load {
                error_budget: budget,
                ..load()
            };
            assert!(load.check().is_err(), "{budget}");
        }
    }

    #[test]
    fn the_hash_follows_every_field_and_nothing_else() {
        let hash = load().hash();
        assert_eq!(load().hash(), hash);
        assert_eq!(hash, "323d7bbc8589cfca3fe5cc173b47b189");
        let mut other = load();
        other.request.as_mut().unwrap().body = b"x".to_vec();
        assert_ne!(other.hash(), hash);
        let budget = Load {
            error_budget: 0.5,
            ..load()
        };
        assert_eq!(
            budget.hash(),
            hash,
            "a budget judges the load, it does not change it"
        );
    }

    #[test]
    fn the_default_warm_up_reaches_every_connection() {
        let load = Load {
            concurrency: 50,
            ..load()
        };
        assert_eq!(load.warmup_requests(), 50);
    }
}
