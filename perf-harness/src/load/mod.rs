//! What is asked for: which requests, how many, how many at a time, and what a good reply is.

mod client;
mod error;
mod expected;
mod fields;
mod pace;
mod request;

use std::hash::Hasher as _;
use std::time::Duration;

use http::Method;
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
        self.check_amount()?;
        self.check_times()?;
        self.pace.check(self.duration)?;
        if !(0.0..=1.0).contains(&self.error_budget) {
            return Err(LoadError::ErrorBudget {
                budget: self.error_budget,
            });
        }
        match &self.mix {
            Some(mix) => self.check_client().and_then(|()| mix.check()),
            None => Ok(()),
        }
    }

    fn check_amount(&self) -> Result<(), LoadError> {
        let (requests, concurrency) = (self.requests, self.concurrency);
        if requests == 0 && self.duration.is_none() {
            return Err(LoadError::NoRequests);
        }
        if concurrency == 0 {
            return Err(LoadError::NoConnections);
        }
        if requests > 0 && concurrency as u64 > requests {
            return Err(LoadError::ConcurrencyAboveRequests {
                concurrency,
                requests,
            });
        }
        match self.threads {
            Some(threads) if threads == 0 || threads > concurrency => Err(LoadError::Threads {
                threads,
                concurrency,
            }),
            _ => Ok(()),
        }
    }

    fn check_times(&self) -> Result<(), LoadError> {
        if self.timeout.is_zero() {
            return Err(LoadError::NoTimeout);
        }
        let duration = self.duration.unwrap_or(Duration::MAX);
        for (option, time) in [("duration", duration), ("deadline", self.deadline)] {
            if time.is_zero() {
                return Err(LoadError::NoTime { option });
            }
        }
        let duration = self.duration.unwrap_or_default();
        for (option, time) in [("ramp_up", self.ramp_up), ("duration", duration)] {
            if time >= self.deadline {
                return Err(LoadError::PastDeadline { option });
            }
        }
        Ok(())
    }

    fn check_client(&self) -> Result<(), LoadError> {
        let wanted = [
            ("http", self.http == HttpVersion::Http2),
            ("redirects", self.redirects > 0),
            ("cookies", self.cookies),
        ];
        match wanted.into_iter().find(|(_, wanted)| *wanted) {
            Some((option, _)) if self.client == Client::Http1 => {
                Err(LoadError::WantsReqwest { option })
            }
            _ => Ok(()),
        }
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
    fn what_is_new_in_a_load_is_in_its_fields_and_a_deadline_is_not() {
        let plain = load();
        let changes: [fn(&mut Load); 11] = [
            |load| load.duration = Some(Duration::from_secs(1)),
            |load| load.ramp_up = Duration::from_secs(1),
            |load| load.threads = Some(1),
            |load| load.pace = Pace::Open(Rate::constant(5.0)),
            |load| load.http = HttpVersion::Http2,
            |load| load.redirects = 1,
            |load| load.cookies = true,
            |load| load.trust = Trust::Insecure,
            |load| load.mix = Some(Request::get("/").expect_length(1).into()),
            |load| load.mix = Some(Request::get("/").expect_contains("a").into()),
            |load| load.mix = Some(Request::get("/").check_body(|_| Ok(())).into()),
        ];
        for (index, change) in changes.into_iter().enumerate() {
            let mut other = plain.clone();
            change(&mut other);
            assert_ne!(other.hash(), plain.hash(), "{index}");
        }
        let later = Load {
            deadline: Duration::from_secs(1),
            seed: 7,
            ..plain.clone()
        };
        assert_eq!(later.hash(), plain.hash(), "nothing of it is random");
    }

    #[test]
    fn a_load_by_the_clock_is_readable() {
        let mut rate = Rate::constant(2_000.0);
        rate.stages = vec![Stage::new(500.0, Duration::from_secs(10))];
        rate.arrivals = Arrivals::Poisson;
        let requests = vec![Request::get("/a").weight(3), Request::post("/b").body("x")];
        let order = Order::Weighted;
        let load = Load {
            requests: 0,
            duration: Some(Duration::from_secs(60)),
            pace: Pace::Open(rate),
            mix: Some(Mix { requests, order }),
            ..load()
        };
        let fields = load.fields();
        assert_eq!(fields.get("requests"), None);
        assert_eq!(fields["rate"], "2000/s");
        assert_eq!(fields["stages"][0], "10s to 500/s");
        assert_eq!(fields["arrivals"], "poisson");
        assert_eq!(fields["mix"][0], "3 x GET /a {\"expected\":[200]}");
        assert_eq!(
            (&fields["seed"], &fields["duration_ms"]),
            (&0.into(), &60_000.into())
        );
        assert_eq!(load.warmup_requests(), 10, "one a connection");
    }

    #[test]
    fn a_request_that_cannot_be_sent_or_checked_is_refused() {
        let wrong = [
            Request::get("/").values("id", 1..=2),
            Request::get("/{id}/{x}").values("id", 1..=2),
            Request::get("/{id}").values("id", std::ops::RangeInclusive::new(2, 1)),
            Request::get("/{id}").values("id", ["a b"]),
            Request::get("/{id}").values("id", Vec::<String>::new()),
            Request::get("/{id}")
                .values("id", 1..=2)
                .values("id", 1..=2),
            Request::get("/").expect_sha256("ab"),
            Request::get("/").expect_contains(""),
            Request::head("/").expect_length(1),
            Request::get("/").weight(0),
        ];
        for request in wrong {
            let text = format!("{request:?}");
            let mix = Some(request.into());
            assert!(Load { mix, ..load() }.check().is_err(), "{text}");
        }
        let right = [
            Request::get("/{id}"),
            Request::get("/{id}").values("id", ["a%20b", "ä"]),
            Request::get("/").expect_sha256("aB".repeat(32)),
        ];
        for request in right {
            let mix = Some(request.into());
            assert_eq!(Load { mix, ..load() }.check(), Ok(()));
        }
    }

    #[test]
    fn a_load_that_never_ends_or_never_begins_is_refused() {
        let changes: [fn(&mut Load); 9] = [
            |load| load.duration = Some(Duration::ZERO),
            |load| load.duration = Some(load.deadline),
            |load| load.deadline = Duration::ZERO,
            |load| load.ramp_up = load.deadline,
            |load| load.threads = Some(0),
            |load| load.threads = Some(11),
            |load| load.redirects = 1,
            |load| load.http = HttpVersion::Http2,
            |load| load.mix.as_mut().unwrap().requests.clear(),
        ];
        for (index, change) in changes.into_iter().enumerate() {
            let mut wrong = load();
            change(&mut wrong);
            assert!(wrong.check().is_err(), "{index}");
        }
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
