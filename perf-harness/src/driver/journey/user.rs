//! One virtual user, as the code of a journey sees it.

use std::sync::Arc;

use http::Method;

use super::client::HttpClient;
use super::request::RequestBuilder;
use super::traffic::Traffic;
use crate::driver::tasks::{Result, Steps, Taken};
use crate::endpoint::Endpoint;

/// One of the users that do a journey again and again, each with connections of its own.
///
/// A request is awaited directly and gives the reply, its body read whole, whatever the status.
/// Only a connection or a reply that breaks is an error:
///
/// ```no_run
/// use perf_harness::{Result, User};
/// use serde_json::{Value, json};
///
/// async fn checkout(user: &mut User) -> Result<()> {
///     user.get("/cart").query(&[("page", 2)]).await?.expect_status(200)?;
///     let reply = user.post("/pay").json(&json!({"amount": 1})).await?;
///     let order: Value = reply.expect_status(201)?.json()?;
///     user.get(format!("/orders/{}", order["id"])).await?.expect_status(200)?;
///     Ok(())
/// }
/// ```
///
/// Nothing is compressed or cached. Redirects are followed and cookies kept as the load says, which
/// by default is not at all; the cookies are the user's own and stay for the whole round.
#[derive(Debug)]
pub struct User {
    client: Arc<HttpClient>,
    id: usize,
    /// Iterations begun.
    begun: u64,
    steps: Steps,
}

impl User {
    pub(super) fn new(id: usize, client: HttpClient) -> Self {
        Self {
            client: Arc::new(client),
            id,
            begun: 0,
            steps: Steps::default(),
        }
    }

    /// Which of the users this is: 0 to the load's concurrency, exclusive.
    #[must_use]
    pub fn id(&self) -> usize {
        self.id
    }

    /// Iterations that this user did before this one, those of the warm-up included. Together with
    /// [`id`](Self::id) it is unique within a round.
    #[must_use]
    pub fn iteration(&self) -> u64 {
        self.begun.saturating_sub(1)
    }

    /// Where the server listens, for protocols other than HTTP.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        self.client.endpoint()
    }

    /// The URL of `path`, for clients other than this.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        self.endpoint().url(path)
    }

    /// A GET request of `path`, which starts with `/`.
    pub fn get(&self, path: impl AsRef<str>) -> RequestBuilder {
        self.request(Method::GET, path)
    }

    /// A HEAD request of `path`.
    pub fn head(&self, path: impl AsRef<str>) -> RequestBuilder {
        self.request(Method::HEAD, path)
    }

    /// A POST request to `path`.
    pub fn post(&self, path: impl AsRef<str>) -> RequestBuilder {
        self.request(Method::POST, path)
    }

    /// A PUT request to `path`.
    pub fn put(&self, path: impl AsRef<str>) -> RequestBuilder {
        self.request(Method::PUT, path)
    }

    /// A PATCH request to `path`.
    pub fn patch(&self, path: impl AsRef<str>) -> RequestBuilder {
        self.request(Method::PATCH, path)
    }

    /// A DELETE request of `path`.
    pub fn delete(&self, path: impl AsRef<str>) -> RequestBuilder {
        self.request(Method::DELETE, path)
    }

    /// A request of any method.
    pub fn request(&self, method: Method, path: impl AsRef<str>) -> RequestBuilder {
        RequestBuilder::new(Arc::clone(&self.client), method, path.as_ref())
    }

    /// Does `code` as a named part of the iteration, with a latency and a failure count of its own
    /// in the sample; steps may stand within steps.
    ///
    /// A step that returns an error has failed, and so has one under way when the iteration is given
    /// up. Steps are counted in the measured window alone, one name together wherever it stands.
    ///
    /// ```no_run
    /// use perf_harness::{Result, User};
    ///
    /// async fn checkout(user: &mut User) -> Result<()> {
    ///     let amount = 5;
    ///     let order = user
    ///         .step("pay", async |user: &mut User| {
    ///             let reply = user.post("/pay").json(&amount).await?.expect_status(201)?;
    ///             reply.json::<u64>()
    ///         })
    ///         .await?;
    ///     user.step("look", async |user: &mut User| {
    ///         user.get(format!("/orders/{order}")).await?.expect_status(200)?;
    ///         Ok(())
    ///     })
    ///     .await
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// That of `code`.
    pub async fn step<T>(
        &mut self,
        name: &'static str,
        code: impl AsyncFnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let begun = self.steps.begin(name);
        let done = code(self).await?;
        self.steps.end(&begun);
        Ok(done)
    }

    /// The next iteration begins.
    pub(super) fn begin(&mut self) {
        self.begun += 1;
    }

    /// The steps of the iteration that has ended.
    pub(super) fn take_steps(&mut self) -> Vec<Taken> {
        self.steps.take()
    }

    pub(super) fn traffic(&self) -> &Traffic {
        self.client.traffic()
    }

    /// Leaves all open connections behind. Where no other client can be built the old one stays:
    /// the connection of a dropped request is closed with it.
    pub(super) fn start_over(&mut self) {
        if let Ok(fresh) = self.client.fresh() {
            self.client = Arc::new(fresh);
        }
    }
}
