//! A request of a journey, built up and awaited.

use std::fmt::Display;
use std::pin::Pin;
use std::sync::Arc;

use http::header::CONTENT_TYPE;
use http::{HeaderName, HeaderValue, Method};
use reqwest::{Request, Url};
use serde::Serialize;

use super::client::HttpClient;
use super::reply::{Asked, Reply};
use crate::driver::tasks::{Failure, Result};
use crate::sample::ErrorKind;

/// A request of a [`User`](crate::driver::User): await it to send it and get the [`Reply`].
///
/// What cannot be sent, such as a header with a line break, is reported when it is awaited.
#[derive(Debug)]
#[must_use = "a request is sent when it is awaited"]
pub struct RequestBuilder {
    client: Arc<HttpClient>,
    asked: Asked,
    request: Result<Request>,
}

impl RequestBuilder {
    pub(super) fn new(client: Arc<HttpClient>, method: Method, path: &str) -> Self {
        let asked = Asked {
            method,
            path: path.to_owned(),
        };
        let url = url_of(&client, path);
        Self {
            request: url.map(|url| Request::new(asked.method.clone(), url)),
            client,
            asked,
        }
    }

    /// Adds a header field; one of the same name stays beside it.
    pub fn header(self, name: &str, value: impl AsRef<[u8]>) -> Self {
        let field = header_field(name, value.as_ref());
        self.change(|request| {
            let (name, value) = field?;
            request.headers_mut().append(name, value);
            Ok(())
        })
    }

    /// Adds `name=value` pairs to the query of the URL, encoded as a form is.
    pub fn query<K: AsRef<str>, V: Display>(self, pairs: &[(K, V)]) -> Self {
        self.change(|request| {
            let mut query = request.url_mut().query_pairs_mut();
            for (name, value) in pairs {
                query.append_pair(name.as_ref(), &value.to_string());
            }
            Ok(())
        })
    }

    /// Sends `body` as it is.
    pub fn body(self, body: impl Into<Vec<u8>>) -> Self {
        self.change(|request| {
            *request.body_mut() = Some(body.into().into());
            Ok(())
        })
    }

    /// Sends `value` as JSON, with its `Content-Type` unless one is set.
    pub fn json<T: Serialize + ?Sized>(self, value: &T) -> Self {
        self.change(|request| {
            let body = serde_json::to_vec(value)?;
            *request.body_mut() = Some(body.into());
            let json = HeaderValue::from_static("application/json");
            request.headers_mut().entry(CONTENT_TYPE).or_insert(json);
            Ok(())
        })
    }

    fn change(mut self, change: impl FnOnce(&mut Request) -> Result<()>) -> Self {
        self.request = self
            .request
            .and_then(|mut request| change(&mut request).map(|()| request));
        self
    }

    async fn send(self) -> Result<Reply> {
        let request = self.request?;
        match exchange(&self.client, request).await {
            Ok((mut head, body)) => Ok(Reply {
                asked: self.asked,
                status: head.status(),
                headers: std::mem::take(head.headers_mut()),
                body,
            }),
            Err(error) => Err(Failure::caused(
                self.asked.to_string(),
                error.without_url(),
                ErrorKind::Parse,
            )),
        }
    }
}

impl IntoFuture for RequestBuilder {
    type Output = Result<Reply>;
    type IntoFuture = Pin<Box<dyn Future<Output = Result<Reply>> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

async fn exchange(
    client: &HttpClient,
    request: Request,
) -> reqwest::Result<(reqwest::Response, Vec<u8>)> {
    let mut response = client.send(&request).await?;
    let mut body = Vec::new();
    client
        .read_body(&mut response, |piece| body.extend_from_slice(piece))
        .await?;
    Ok((response, body))
}

fn url_of(client: &HttpClient, path: &str) -> Result<Url> {
    if !path.starts_with('/') {
        return Err(Failure::new(format!(
            "{path:?} is no path on the server: write for example `/cart`"
        )));
    }
    Ok(Url::parse(&client.endpoint().url(path))?)
}

fn header_field(name: &str, value: &[u8]) -> Result<(HeaderName, HeaderValue)> {
    let refused = |error: http::Error| {
        let subject = format!("the header {name:?} cannot be sent");
        Failure::caused(subject, error, ErrorKind::Journey)
    };
    let parsed_name: HeaderName = name
        .parse()
        .map_err(|error| refused(http::Error::from(error)))?;
    let parsed_value = HeaderValue::from_bytes(value).map_err(|error| refused(error.into()))?;
    Ok((parsed_name, parsed_value))
}
