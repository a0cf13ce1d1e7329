//! The one place that builds a reqwest client and sends by it, so that neither the features that
//! other crates turn on nor the environment change what is measured.

use std::io;
use std::sync::Arc;

use http::Method;
use reqwest::cookie::Jar;
use reqwest::redirect::{Action, Attempt, Policy};
use reqwest::{Client, ClientBuilder, Request, Response, Url, retry};

use super::traffic::{CountConnections, Traffic};
use crate::driver::DriverError;
use crate::driver::tasks::{ConnectTimes, kind_of};
use crate::endpoint::{Endpoint, Peer};
use crate::load::{HttpVersion, Load};
use crate::sample::ErrorKind;

/// The flow control of HTTP/2 is not what is measured, so no window ever closes.
const WINDOW: u32 = (1 << 30) - 1;

/// How clients are made, fixed before the clock starts.
#[derive(Clone, Debug)]
pub(in crate::driver) struct Settings {
    endpoint: Endpoint,
    http: HttpVersion,
    redirects: usize,
    cookies: bool,
    most_idle: usize,
    #[cfg(feature = "tls")]
    tls: rustls::ClientConfig,
}

/// A reqwest client of one user, with connections of its own.
///
/// It uses no proxy, asks for no compression, speaks the load's version of HTTP and opens
/// connections to the endpoint's pinned address. It has no timeouts: who drives it drops what
/// takes too long.
#[derive(Debug)]
pub(in crate::driver) struct HttpClient {
    client: Client,
    settings: Arc<Settings>,
    /// The cookies outlive the client's connections.
    jar: Option<Arc<Jar>>,
    traffic: Arc<Traffic>,
}

impl Settings {
    /// Clients that keep at most `most_idle` connections for later requests.
    pub(in crate::driver) fn new(
        endpoint: &Endpoint,
        load: &Load,
        most_idle: usize,
    ) -> Result<Self, DriverError> {
        Ok(Self {
            endpoint: endpoint.clone(),
            http: load.http,
            redirects: load.redirects,
            cookies: load.cookies,
            most_idle,
            #[cfg(feature = "tls")]
            tls: tls(endpoint, load)?,
        })
    }

    fn build(&self, traffic: &Arc<Traffic>, jar: Option<&Arc<Jar>>) -> reqwest::Result<Client> {
        let builder = self.plain().redirect(self.redirect_policy());
        let builder = self.connect(self.speak(builder));
        let builder = match jar {
            Some(jar) => builder.cookie_provider(Arc::clone(jar)),
            None => builder,
        };
        builder
            .connector_layer(CountConnections(Arc::clone(traffic)))
            .build()
    }

    /// A client that does nothing by itself.
    fn plain(&self) -> ClientBuilder {
        Client::builder()
            .no_proxy()
            .referer(false)
            .retry(retry::never())
            .no_gzip()
            .no_brotli()
            .no_zstd()
            .no_deflate()
            .no_hickory_dns()
            .tcp_nodelay(true)
            .pool_max_idle_per_host(self.most_idle)
            .pool_idle_timeout(None)
    }

    fn speak(&self, builder: ClientBuilder) -> ClientBuilder {
        match self.http {
            HttpVersion::Http1 => builder.http1_only(),
            HttpVersion::Http2 => builder
                .http2_prior_knowledge()
                .http2_initial_stream_window_size(WINDOW)
                .http2_initial_connection_window_size(WINDOW),
        }
    }

    fn connect(&self, builder: ClientBuilder) -> ClientBuilder {
        #[cfg(feature = "tls")]
        let builder = builder.tls_backend_preconfigured(self.tls.clone());
        match (self.endpoint.peer(), name_of(&self.endpoint)) {
            (Peer::Unix(path), _) => builder.unix_socket(path.as_path()),
            (Peer::Tcp(address), Some(name)) => builder.resolve(&name, *address),
            (Peer::Tcp(_), None) => builder,
        }
    }

    /// A redirect to another server, or one too many, is a reply like any other.
    fn redirect_policy(&self) -> Policy {
        if self.redirects == 0 {
            return Policy::none();
        }
        let most = self.redirects;
        let origin = Url::parse(&self.endpoint.url("/")).map(|url| url.origin());
        Policy::custom(move |attempt: Attempt<'_>| -> Action {
            let stays = origin.as_ref() == Ok(&attempt.url().origin());
            match stays && attempt.previous().len() <= most {
                true => attempt.follow(),
                false => attempt.stop(),
            }
        })
    }
}

/// Whom the clients trust; nobody where the endpoint speaks no TLS.
#[cfg(feature = "tls")]
fn tls(endpoint: &Endpoint, load: &Load) -> Result<rustls::ClientConfig, DriverError> {
    use crate::driver::tls::{client_config, trusting_nobody};

    let protocol: &[u8] = match load.http {
        HttpVersion::Http1 => b"http/1.1",
        HttpVersion::Http2 => b"h2",
    };
    match endpoint.is_tls() {
        true => Ok(client_config(&load.trust, &[protocol])?),
        false => Ok(trusting_nobody()),
    }
}

impl HttpClient {
    /// A client with no connection open.
    pub(in crate::driver) fn new(
        settings: &Arc<Settings>,
        connect_times: &ConnectTimes,
    ) -> Result<Self, DriverError> {
        let traffic = Arc::new(Traffic::new(Arc::clone(connect_times)));
        let jar = settings.cookies.then(Arc::<Jar>::default);
        let client =
            settings
                .build(&traffic, jar.as_ref())
                .map_err(|error| DriverError::Engine {
                    source: io::Error::other(error),
                })?;
        Ok(Self {
            client,
            settings: Arc::clone(settings),
            jar,
            traffic,
        })
    }

    /// Where requests go.
    pub(in crate::driver) fn endpoint(&self) -> &Endpoint {
        &self.settings.endpoint
    }

    /// What this client and those before it did.
    pub(in crate::driver) fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    /// The same client with no connection open.
    pub(in crate::driver) fn fresh(&self) -> reqwest::Result<Self> {
        Ok(Self {
            client: self.settings.build(&self.traffic, self.jar.as_ref())?,
            settings: Arc::clone(&self.settings),
            jar: self.jar.clone(),
            traffic: Arc::clone(&self.traffic),
        })
    }

    /// Sends `request` and waits for the head of its reply.
    ///
    /// A server may close an idle connection while a request is on its way. GET and HEAD that meet
    /// this are sent once more and counted as retries.
    pub(in crate::driver) async fn send(&self, request: &Request) -> reqwest::Result<Response> {
        let opened_before = self.traffic.opened();
        let error = match self.client.execute(copy(request)).await {
            Ok(response) => return Ok(response),
            Err(error) => error,
        };
        let reused = self.traffic.opened() == opened_before;
        if is_repeatable(request) && reused && is_the_close_race(&error) {
            self.traffic.count_retry();
            return self.client.execute(copy(request)).await;
        }
        Err(error)
    }

    /// Reads the body to its end, `take`s every piece, and returns its length in bytes.
    pub(in crate::driver) async fn read_body(
        &self,
        response: &mut Response,
        mut take: impl FnMut(&[u8]),
    ) -> reqwest::Result<u64> {
        let mut length = 0;
        while let Some(piece) = response.chunk().await? {
            length += piece.len() as u64;
            take(&piece);
        }
        self.traffic.count_bytes(length);
        Ok(length)
    }
}

fn copy(request: &Request) -> Request {
    let copy = request.try_clone();
    copy.expect("a request whose body is bytes can be cloned")
}

/// The host name that the endpoint is asked by, if it is no address.
fn name_of(endpoint: &Endpoint) -> Option<String> {
    let url = Url::parse(&endpoint.url("/")).ok()?;
    url.domain().map(str::to_owned)
}

fn is_repeatable(request: &Request) -> bool {
    [Method::GET, Method::HEAD].contains(request.method())
}

fn is_the_close_race(error: &reqwest::Error) -> bool {
    matches!(
        kind_of(error),
        Some(ErrorKind::EofBeforeReply | ErrorKind::Reset)
    )
}
