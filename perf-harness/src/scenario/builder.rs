//! The options of a scenario, each a method of its name in the attribute.

use std::time::Duration;

use http::Method;

use super::{Custom, Scenario, ScenarioError};
use crate::driver::{Driver, Work, WorkResult as Result};
#[cfg(feature = "journeys")]
use crate::driver::{Journey, JourneyDriver, User, WithSetUp};
use crate::endpoint::Endpoint;
use crate::gate::{Gate, Threshold};
use crate::load::{Client, Load, Request};
use crate::sample::Metric;
use crate::target::Target;

/// Enough for a rank test to reach an error rate of 1 % against five others.
const DEFAULT_ROUNDS: usize = 5;

impl Scenario {
    /// A scenario of this name: letters, digits, `_`, `-`, `.`, with `/` between parts.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            renamed_from: None,
            target: None,
            load: Load::default(),
            work: Custom::Nothing,
            gate: Gate::default(),
            rounds: DEFAULT_ROUNDS,
            mistakes: Vec::new(),
        }
    }

    /// The former name of a renamed scenario: its baseline is used while there is none of the new name.
    pub fn renamed_from(mut self, name: impl Into<String>) -> Self {
        self.renamed_from = Some(name.into());
        self
    }

    /// The server under test.
    pub fn target(mut self, target: impl Into<Target>) -> Self {
        self.target = Some(target.into());
        self
    }

    /// Sends GET requests for `path`. Default: `/`.
    pub fn get(self, path: impl Into<String>) -> Self {
        self.request(Method::GET, path)
    }

    /// Sends HEAD requests for `path`.
    pub fn head(self, path: impl Into<String>) -> Self {
        self.request(Method::HEAD, path)
    }

    /// Sends POST requests to `path`.
    pub fn post(self, path: impl Into<String>) -> Self {
        self.request(Method::POST, path)
    }

    /// Sends PUT requests to `path`.
    pub fn put(self, path: impl Into<String>) -> Self {
        self.request(Method::PUT, path)
    }

    /// Sends PATCH requests to `path`.
    pub fn patch(self, path: impl Into<String>) -> Self {
        self.request(Method::PATCH, path)
    }

    /// Sends DELETE requests for `path`.
    pub fn delete(self, path: impl Into<String>) -> Self {
        self.request(Method::DELETE, path)
    }

    /// Sends OPTIONS requests for `path`.
    pub fn options(self, path: impl Into<String>) -> Self {
        self.request(Method::OPTIONS, path)
    }

    fn request(self, method: Method, path: impl Into<String>) -> Self {
        let path = path.into();
        self.change_request("path", |request| {
            request.method = method;
            request.path = path;
        })
    }

    /// Adds a header field to every request.
    pub fn header(self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let field = (name.into(), value.into());
        self.change_request("headers", |request| request.headers.push(field))
    }

    /// The body of every request.
    pub fn body(self, body: impl Into<Vec<u8>>) -> Self {
        let body = body.into();
        self.change_request("body", |request| request.body = body)
    }

    /// The status of a good reply. Default: 200.
    pub fn expect_status(self, status: u16) -> Self {
        self.expect_statuses([status])
    }

    /// The statuses of good replies.
    pub fn expect_statuses(self, statuses: impl IntoIterator<Item = u16>) -> Self {
        let expected = statuses.into_iter().collect();
        self.change_request("expect_status", |request| {
            request.expected.statuses = expected
        })
    }

    pub(super) fn change_request(
        mut self,
        option: &'static str,
        change: impl FnOnce(&mut Request),
    ) -> Self {
        match self.load.mix.as_mut().map(|mix| &mut mix.requests[..]) {
            Some([request]) => change(request),
            Some(_) => self.mistakes.push(ScenarioError::BesideMix { option }),
            None => self.mistakes.push(ScenarioError::NotForJourneys { option }),
        }
        self
    }

    /// Measured requests a round; iterations for a journey.
    pub fn requests(mut self, requests: u64) -> Self {
        self.load.requests = requests;
        self
    }

    /// Connections, each with one request under way at a time; users for a journey. Default 10.
    pub fn concurrency(mut self, concurrency: usize) -> Self {
        self.load.concurrency = concurrency;
        self
    }

    /// Requests before the clock starts. Default: a tenth of `requests`, at least one a connection.
    pub fn warmup(mut self, requests: u64) -> Self {
        self.load.warmup = Some(requests);
        self
    }

    /// Rounds, each on a freshly started target. Default 5.
    pub fn rounds(mut self, rounds: usize) -> Self {
        self.rounds = rounds;
        self
    }

    /// How long one request may take. Default 10 s.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.load.timeout = timeout;
        self
    }

    /// Whether a connection serves more than one request. Default true.
    pub fn keep_alive(mut self, keep_alive: bool) -> Self {
        self.load.keep_alive = keep_alive;
        self
    }

    /// Which engine sends the requests. Default: our own, [`Client::Http1`].
    pub fn client(mut self, client: Client) -> Self {
        self.load.client = client;
        self
    }

    /// Share of requests that may fail, such as `"0.1%"`. Default: none.
    pub fn error_budget(mut self, budget: &str) -> Self {
        match share(budget) {
            Some(share) => self.load.error_budget = share,
            None => self.mistakes.push(ScenarioError::ErrorBudget {
                text: budget.to_owned(),
            }),
        }
        self
    }

    /// Judges `metric` by `threshold`, such as `"5%"`.
    pub fn gate(mut self, metric: Metric, threshold: &str) -> Self {
        match threshold.parse::<Threshold>() {
            Ok(threshold) => self.gate = self.gate.limit(metric, threshold),
            Err(source) => self
                .mistakes
                .push(ScenarioError::Threshold { metric, source }),
        }
        self
    }

    /// Shows `metric` without judging it.
    pub fn ungated(mut self, metric: Metric) -> Self {
        self.gate = self.gate.without(metric);
        self
    }

    /// Makes an iteration of `journey` the request: any async code over any protocol.
    #[cfg(feature = "journeys")]
    pub fn journey(mut self, journey: impl Journey) -> Self {
        self.load.mix = None;
        self.driver(JourneyDriver::new(journey))
    }

    /// A [`journey`](Self::journey) with a set-up: every user does `set_up` once a round, before its
    /// warm-up and not measured, and keeps what it returns for its iterations.
    ///
    /// ```no_run
    /// use perf_harness::{Result, Scenario, Target, User};
    ///
    /// async fn sign_in(user: &mut User) -> Result<String> {
    ///     let reply = user.post("/sign-in").json(&user.id()).await?.expect_status(200)?;
    ///     Ok(reply.text()?.to_owned())
    /// }
    ///
    /// async fn checkout(user: &mut User, token: &mut String) -> Result<()> {
    ///     user.post("/pay").header("x-token", &*token).await?.expect_status(201)?;
    ///     Ok(())
    /// }
    ///
    /// let scenario = Scenario::new("checkout")
    ///     .target(Target::url("http://127.0.0.1:8080"))
    ///     .journey_with(sign_in, checkout)
    ///     .requests(1_000);
    /// ```
    #[cfg(feature = "journeys")]
    pub fn journey_with<S: 'static>(
        self,
        set_up: impl AsyncFn(&mut User) -> Result<S> + Send + Sync + 'static,
        journey: impl AsyncFn(&mut User, &mut S) -> Result<()> + Send + Sync + 'static,
    ) -> Self {
        self.journey(WithSetUp::new(set_up, journey))
    }

    /// Makes a call of any client the request: `connect` makes one connection for each of the load's,
    /// before the warm-up, and `call` is what is measured.
    ///
    /// A connection whose call failed or took too long is not used again; the next call makes a new
    /// one. What `connect` returns needs not be `Send`.
    ///
    /// A server that speaks the protocol of Redis, by the crate `redis`:
    ///
    /// ```ignore
    /// Scenario::new("get")
    ///     .target(Target::process("redis-server").args(["--port", "{port}"]))
    ///     .work(
    ///         // Runs once for each of 50 connections, and again after a failure.
    ///         async |endpoint| {
    ///             let client = redis::Client::open(format!("redis://{}", endpoint.peer()))?;
    ///             Ok(client.get_multiplexed_async_connection().await?)
    ///         },
    ///         // One request of the load.
    ///         async |connection| {
    ///             let _: Option<String> = redis::cmd("GET").arg("key").query_async(connection).await?;
    ///             Ok(())
    ///         },
    ///     )
    ///     .requests(100_000)
    ///     .concurrency(50)
    ///     .check()
    /// ```
    pub fn work<C: 'static>(
        mut self,
        connect: impl AsyncFn(Endpoint) -> Result<C> + Send + Sync + 'static,
        call: impl AsyncFn(&mut C) -> Result<()> + Send + Sync + 'static,
    ) -> Self {
        self.load.mix = None;
        self.driver(Work::new(connect, call))
    }

    /// Puts the load on by a driver of your own.
    pub fn driver(mut self, driver: impl Driver + 'static) -> Self {
        self.work = Custom::Driver(Box::new(driver));
        self
    }
}

fn share(percent: &str) -> Option<f64> {
    let percent: f64 = percent.trim().strip_suffix('%')?.trim().parse().ok()?;
    (0.0..=100.0).contains(&percent).then_some(percent / 100.0)
}
