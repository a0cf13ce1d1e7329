//! What is asked for: which requests, how many, how many at a time, and what a good reply is.

mod client;
mod error;
mod expected;
mod pace;
mod request;

use std::collections::BTreeMap;
use std::hash::Hasher as _;
use std::time::Duration;

use http::Method;
use serde_json::{Value, json};
use siphasher::sip128::{Hasher128, SipHasher13};

pub use client::{Client, HttpVersion, Trust};
pub use error::LoadError;
pub use expected::{BodyCheck, Expected};
pub use pace::{Arrivals, Pace, Rate, Stage};
pub use request::{Mix, Order, Request, Values};

/// One load: exactly [`requests`](Self::requests) requests over [`concurrency`](Self::concurrency)
/// connections, after a warm-up that is not measured.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Load {
    /// What is sent; `None` for a journey, whose code sends what it likes.
    pub mix: Option<Mix>,
    /// Measured requests (or iterations of a journey) a round. No default: a scenario says it, or a
    /// [`duration`](Self::duration). 0 says that the duration alone ends the round.
    pub requests: u64,
    /// How long requests are sent, from the first on; with [`requests`](Self::requests) whichever
    /// ends first. Requests under way at its end are waited for and counted. Default: no limit.
    pub duration: Option<Duration>,
    /// Connections, each with one request under way at a time. Default 10, never above `requests`.
    pub concurrency: usize,
    /// When requests are sent. Default: closed loop.
    pub pace: Pace,
    /// Over how long the connections are opened, before the warm-up. Default: all at once.
    pub ramp_up: Duration,
    /// Requests sent before the clock starts. Default: a tenth of `requests`, at least one a connection.
    pub warmup: Option<u64>,
    /// How long one request may take, from when it was sent. Default 10 s. A request that takes
    /// longer counts as a `timeout` and enters the latency histogram at this value.
    pub timeout: Duration,
    /// How long the whole round may take, connections and warm-up included. Default 10 min. What has
    /// no outcome by then counts as a `timeout`, what was not sent is not sent.
    pub deadline: Duration,
    /// Whether a connection serves more than one request. Default true.
    pub keep_alive: bool,
    /// Which engine sends the requests.
    pub client: Client,
    /// The version of HTTP. Default 1.1.
    pub http: HttpVersion,
    /// Redirects that one request follows. Default 0: a redirect is a reply like any other.
    pub redirects: usize,
    /// Whether a connection's cookies are kept and sent. Default false.
    pub cookies: bool,
    /// Whose certificates an `https` server may show.
    pub trust: Trust,
    /// Threads of the engine. Default: one, and one more for every four cores beyond the first four.
    pub threads: Option<usize>,
    /// Where everything random starts: Poisson arrivals, weights, values. Default 0.
    pub seed: u64,
    /// Share of measured requests, 0 to 1, that may fail before the outcome is `broken`. Default 0.
    pub error_budget: f64,
}

impl Default for Load {
    fn default() -> Self {
        Self {
            mix: Some(Request::new(Method::GET, "/").into()),
            requests: 0,
            duration: None,
            concurrency: 10,
            pace: Pace::default(),
            ramp_up: Duration::ZERO,
            warmup: None,
            timeout: Duration::from_secs(10),
            deadline: Duration::from_secs(600),
            keep_alive: true,
            client: Client::default(),
            http: HttpVersion::default(),
            redirects: 0,
            cookies: false,
            trust: Trust::default(),
            threads: None,
            seed: 0,
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
        self.requests_of_mix().try_for_each(Request::check)
    }

    /// The requests of the mix; none of a journey.
    pub(crate) fn requests_of_mix(&self) -> impl Iterator<Item = &Request> {
        self.mix.iter().flat_map(|mix| &mix.requests)
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
        match &self.mix {
            Some(mix) => fields.extend(
                mix.requests
                    .iter()
                    .flat_map(|request| self.request_fields(request)),
            ),
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
            ("expected".to_owned(), json!(request.expected.statuses)),
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
            load.mix = Some(Request::new(Method::GET, path).into());
            assert!(load.check().is_err(), "{path:?}");
        }
        for (name, value) in [("a b", "x"), ("x", "a\r\nb"), ("Connection", "close")] {
            let mut request = Request::new(Method::GET, "/");
            request.headers = vec![(name.to_owned(), value.to_owned())];
            load.mix = Some(request.into());
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
        other.mix.as_mut().unwrap().requests[0].body = b"x".to_vec();
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
