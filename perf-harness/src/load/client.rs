//! Which client sends a load, and by which rules of HTTP and TLS.

use std::path::PathBuf;

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

/// The version of HTTP that is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum HttpVersion {
    /// HTTP/1.1, one request at a time on a connection.
    #[default]
    Http1,
    /// HTTP/2: by ALPN over TLS, with prior knowledge in clear text. Wants [`Client::Reqwest`].
    Http2,
}

impl HttpVersion {
    /// The name used in attributes and baselines.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Http1 => "1.1",
            Self::Http2 => "2",
        }
    }
}

/// Whose certificates an `https` server may show.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Trust {
    /// Certificates that the system's roots vouch for.
    #[default]
    System,
    /// Certificates that the authorities of this PEM file vouch for, and no others.
    Authorities(PathBuf),
    /// Any certificate. For a server of your own with a certificate of its own; never elsewhere.
    Insecure,
}

impl Trust {
    /// The name used in baselines.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Authorities(_) => "authorities",
            Self::Insecure => "insecure",
        }
    }
}
