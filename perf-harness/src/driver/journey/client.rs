//! The one place that builds a reqwest client and sends by it, so that neither the features that
//! other crates turn on nor the environment change what is measured.

use std::io;
use std::sync::Arc;

use http::Method;
use reqwest::redirect::Policy;
use reqwest::{Request, Response, Url, retry};

use super::cause::kind_of;
use super::traffic::{ConnectTimes, CountConnections, Traffic};
use crate::driver::DriverError;
use crate::endpoint::Endpoint;
use crate::sample::ErrorKind;

/// A reqwest client of one user, with connections of its own.
///
/// It uses no proxy, follows no redirect, asks for no compression, speaks HTTP/1 only and opens
/// connections to the endpoint's pinned address. It has no timeouts: who drives it drops what
/// takes too long.
#[derive(Debug)]
pub(in crate::driver) struct HttpClient {
    client: reqwest::Client,
    endpoint: Endpoint,
    most_idle: usize,
    traffic: Arc<Traffic>,
}

impl HttpClient {
    /// A client that keeps at most `most_idle` connections for later requests.
    pub(in crate::driver) fn new(
        endpoint: &Endpoint,
        most_idle: usize,
        connect_times: ConnectTimes,
    ) -> Result<Self, DriverError> {
        if endpoint.address().is_none() || endpoint.is_tls() {
            return Err(DriverError::Unsuited {
                driver: "reqwest",
                reason: "it speaks plain HTTP over TCP; name the address of a plain HTTP port",
            });
        }
        let traffic = Arc::new(Traffic::new(connect_times));
        let client = build(endpoint, most_idle, &traffic).map_err(|error| DriverError::Engine {
            source: io::Error::other(error),
        })?;
        Ok(Self {
            client,
            endpoint: endpoint.clone(),
            most_idle,
            traffic,
        })
    }

    /// Where requests go.
    pub(in crate::driver) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// What this client and those before it did.
    pub(in crate::driver) fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    /// The same client with no connection open.
    pub(in crate::driver) fn fresh(&self) -> reqwest::Result<Self> {
        Ok(Self {
            client: build(&self.endpoint, self.most_idle, &self.traffic)?,
            endpoint: self.endpoint.clone(),
            most_idle: self.most_idle,
            traffic: Arc::clone(&self.traffic),
        })
    }

    /// Sends `request` and waits for the head of its reply.
    ///
    /// A server may close an idle connection while a request is on its way. GET and HEAD that meet
    /// this are sent once more and counted as retries.
    pub(in crate::driver) async fn send(&self, request: Request) -> reqwest::Result<Response> {
        let again = repeatable(&request);
        let opened_before = self.traffic.opened();
        let error = match self.client.execute(request).await {
            Ok(response) => return Ok(response),
            Err(error) => error,
        };
        let reused = self.traffic.opened() == opened_before;
        match again {
            Some(request) if reused && is_the_close_race(&error) => {
                self.traffic.count_retry();
                self.client.execute(request).await
            }
            _ => Err(error),
        }
    }

    /// Reads the body to its end, `take`s every piece, and returns its length in bytes.
    pub(in crate::driver) async fn read_body(
        &self,
        response: &mut Response,
        mut take: impl FnMut(&[u8]),
    ) -> reqwest::Result<u64> {
        let mut length = 0;
        while let Some(piece) = response.chunk().await? {
            self.traffic.count_bytes(piece.len());
            length += piece.len() as u64;
            take(&piece);
        }
        Ok(length)
    }
}

fn build(
    endpoint: &Endpoint,
    most_idle: usize,
    traffic: &Arc<Traffic>,
) -> reqwest::Result<reqwest::Client> {
    let mut builder = reqwest::Client::builder()
        .http1_only()
        .no_proxy()
        .redirect(Policy::none())
        .referer(false)
        .retry(retry::never())
        .no_gzip()
        .no_brotli()
        .no_zstd()
        .no_deflate()
        .no_hickory_dns()
        .tcp_nodelay(true)
        .pool_max_idle_per_host(most_idle)
        .pool_idle_timeout(None)
        .connector_layer(CountConnections(Arc::clone(traffic)));
    #[cfg(feature = "tls")]
    {
        builder = builder.tls_backend_preconfigured(crate::driver::tls::trusting_nobody());
    }
    if let (Some(name), Some(address)) = (name_of(endpoint), endpoint.address()) {
        builder = builder.resolve(&name, address);
    }
    builder.build()
}

/// The host name that the endpoint is asked by, if it is no address.
fn name_of(endpoint: &Endpoint) -> Option<String> {
    let url = Url::parse(&endpoint.url("/")).ok()?;
    url.domain().map(str::to_owned)
}

fn repeatable(request: &Request) -> Option<Request> {
    let harmless = [Method::GET, Method::HEAD].contains(request.method());
    harmless.then(|| request.try_clone()).flatten()
}

fn is_the_close_race(error: &reqwest::Error) -> bool {
    matches!(
        kind_of(error),
        Some(ErrorKind::EofBeforeReply | ErrorKind::Reset)
    )
}
