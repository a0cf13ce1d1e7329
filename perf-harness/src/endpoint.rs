//! Where requests go: all that a driver may know of a server.

use std::fmt;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};

use http::Uri;
use http::uri::Authority;

/// What connections are opened to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Peer {
    /// A TCP port.
    Tcp(SocketAddr),
    /// A Unix socket, by its absolute path.
    Unix(PathBuf),
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix(path) => path.display().fmt(f),
        }
    }
}

/// The resolved address of a started target, and the name it is asked by.
///
/// Addresses are resolved once, before any clock runs; the one that answers stays for the round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    peer: Peer,
    scheme: Scheme,
    authority: String,
    prefix: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scheme {
    Http,
    #[cfg(feature = "tls")]
    Https,
}

impl Scheme {
    fn of(uri: &Uri, url: &str) -> Result<Self, EndpointError> {
        match uri.scheme_str() {
            Some("http") => Ok(Self::Http),
            #[cfg(feature = "tls")]
            Some("https") => Ok(Self::Https),
            #[cfg(not(feature = "tls"))]
            Some("https") => Err(EndpointError::NoTls {
                url: url.to_owned(),
            }),
            Some(scheme) => Err(EndpointError::Scheme {
                url: url.to_owned(),
                scheme: scheme.to_owned(),
            }),
            None => Err(invalid(url)),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            #[cfg(feature = "tls")]
            Self::Https => "https",
        }
    }

    fn port(self) -> u16 {
        match self {
            Self::Http => 80,
            #[cfg(feature = "tls")]
            Self::Https => 443,
        }
    }
}

/// Why a text is no endpoint.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// The text is no URL with a host.
    #[error("{url:?} is no URL of a server: write for example `http://127.0.0.1:8080`")]
    Invalid {
        /// The refused text.
        url: String,
    },
    /// The scheme is none that is spoken.
    #[error(
        "{url:?} has the scheme `{scheme}`: `http`, `https` and `unix` are spoken; write for example `http://127.0.0.1:8080` or `unix:/run/app.sock`"
    )]
    Scheme {
        /// The refused text.
        url: String,
        /// Its scheme.
        scheme: String,
    },
    /// An `https` URL, and the feature `tls` is off.
    #[error(
        "{url:?} has the scheme `https`: turn on the feature `tls` of perf-harness, or write the address of its plain HTTP port"
    )]
    NoTls {
        /// The refused text.
        url: String,
    },
    /// What follows `unix:` can be the path of no socket.
    #[error(
        "{url:?} names no socket ({reason}): write its absolute path, for example `unix:/run/app.sock`"
    )]
    Socket {
        /// The refused text.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The URL holds a user name, and perhaps a password, which would be sent nowhere.
    #[error(
        "the URL of `{host}` holds `user:password@`: remove it, and send an `authorization` header with the load instead"
    )]
    Credentials {
        /// The host, with its port if one is given; the rest is kept out of logs.
        host: String,
    },
    /// The host has no address.
    #[error("the host of {url:?} cannot be resolved ({source}): check the name and the network")]
    Resolve {
        /// The URL.
        url: String,
        /// What the resolver said.
        #[source]
        source: std::io::Error,
    },
}

impl Endpoint {
    /// An endpoint at `address`, asked by that address over plain HTTP.
    #[must_use]
    pub fn new(address: SocketAddr) -> Self {
        Self {
            peer: Peer::Tcp(address),
            scheme: Scheme::Http,
            authority: address.to_string(),
            prefix: String::new(),
        }
    }

    /// Every endpoint that `url` may mean, one an address of its host, in the resolver's order.
    ///
    /// - `http://host:port/prefix`: plain HTTP, by default at port 80.
    /// - `https://host:port/prefix`: TLS, by default at port 443; needs the feature `tls`.
    /// - `unix:/run/app.sock`: plain HTTP over a Unix socket, asked by the name `localhost`. The
    ///   whole rest of the text is the path, which need not exist before a connection is opened.
    ///
    /// # Errors
    ///
    /// [`EndpointError`] when the text is no such URL, holds `user:password@`, or its host has no
    /// address.
    pub fn resolve(url: &str) -> Result<Vec<Self>, EndpointError> {
        if let Some(path) = url.strip_prefix("unix:") {
            return Ok(vec![Self::unix(path.as_ref(), url)?]);
        }
        let uri: Uri = url.parse().map_err(|_| invalid(url))?;
        refuse_credentials(&uri)?;
        let scheme = Scheme::of(&uri, url)?;
        let authority = uri.authority().ok_or_else(|| invalid(url))?;
        let prefix = uri.path().trim_end_matches('/');
        let addresses = addresses(authority, scheme.port(), url)?;
        Ok(addresses
            .map(|address| Self {
                peer: Peer::Tcp(address),
                scheme,
                authority: authority.to_string(),
                prefix: prefix.to_owned(),
            })
            .collect())
    }

    fn unix(path: &Path, url: &str) -> Result<Self, EndpointError> {
        let refused = |reason: String| EndpointError::Socket {
            url: url.to_owned(),
            reason,
        };
        if !path.is_absolute() {
            return Err(refused("the path is not absolute".to_owned()));
        }
        std::os::unix::net::SocketAddr::from_pathname(path)
            .map_err(|error| refused(error.to_string()))?;
        Ok(Self {
            peer: Peer::Unix(path.to_owned()),
            scheme: Scheme::Http,
            authority: "localhost".to_owned(),
            prefix: String::new(),
        })
    }

    /// What connections are opened to.
    #[must_use]
    pub fn peer(&self) -> &Peer {
        &self.peer
    }

    /// The address that connections are opened to; none for a Unix socket.
    #[must_use]
    pub fn address(&self) -> Option<SocketAddr> {
        match self.peer {
            Peer::Tcp(address) => Some(address),
            Peer::Unix(_) => None,
        }
    }

    /// Whether the server is spoken to over TLS.
    #[must_use]
    pub fn is_tls(&self) -> bool {
        self.scheme != Scheme::Http
    }

    /// What the `Host` header says.
    #[must_use]
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// The name or address that a certificate must be for: the authority without port and brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        let end = match self.authority.rfind(':') {
            Some(colon) if !self.authority[colon..].contains(']') => colon,
            _ => self.authority.len(),
        };
        self.authority[..end].trim_matches(['[', ']'])
    }

    /// The request target for `path`: the URL's own path, if it has one, in front of it.
    #[must_use]
    pub fn target(&self, path: &str) -> String {
        format!("{}{path}", self.prefix)
    }

    /// The URL of `path`, by the name the server is asked by.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        let scheme = self.scheme.name();
        format!("{scheme}://{}{}", self.authority, self.target(path))
    }
}

fn invalid(url: &str) -> EndpointError {
    EndpointError::Invalid {
        url: url.to_owned(),
    }
}

fn addresses(
    authority: &Authority,
    default_port: u16,
    url: &str,
) -> Result<impl Iterator<Item = SocketAddr> + use<>, EndpointError> {
    let host = authority.host().trim_matches(['[', ']']);
    let port = authority.port_u16().unwrap_or(default_port);
    (host, port)
        .to_socket_addrs()
        .map_err(|source| EndpointError::Resolve {
            url: url.to_owned(),
            source,
        })
}

fn refuse_credentials(uri: &Uri) -> Result<(), EndpointError> {
    let authority = uri.authority().map_or("", |authority| authority.as_str());
    match authority.rsplit_once('@') {
        None => Ok(()),
        Some((_, host)) => Err(EndpointError::Credentials {
            host: host.to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_gives_address_host_and_prefix() {
        let endpoint = &Endpoint::resolve("http://127.0.0.1:81/api/").unwrap()[0];
        assert_eq!(endpoint.peer().to_string(), "127.0.0.1:81");
        assert_eq!(endpoint.authority(), "127.0.0.1:81");
        assert_eq!(endpoint.target("/x?y=1"), "/api/x?y=1");
        assert_eq!(endpoint.url("/"), "http://127.0.0.1:81/api/");
    }

    #[test]
    fn an_ipv6_url_is_understood() {
        let endpoint = &Endpoint::resolve("http://[::1]:8080").unwrap()[0];
        assert_eq!(endpoint.peer().to_string(), "[::1]:8080");
        assert_eq!(endpoint.host(), "::1");
    }

    #[test]
    fn what_is_no_http_url_is_named() {
        for url in ["", "127.0.0.1:80", "/x", "ftp://x", "unix:app.sock"] {
            let message = Endpoint::resolve(url).unwrap_err().to_string();
            assert!(message.contains(&format!("{url:?}")), "{message}");
        }
    }

    #[test]
    fn credentials_are_refused_and_not_repeated() {
        for url in [
            "http://ann:secret@127.0.0.1:81/x",
            "https://ann:secret@127.0.0.1:81",
        ] {
            let message = Endpoint::resolve(url).unwrap_err().to_string();
            assert!(
                message.contains("`127.0.0.1:81` holds `user:password@`"),
                "{message}"
            );
            assert!(!message.contains("secret"), "{message}");
        }
        assert!(Endpoint::resolve("http://127.0.0.1:81/a@b").is_ok());
    }

    #[test]
    fn the_host_is_the_authority_without_port_and_brackets() {
        for (url, host) in [
            ("http://localhost", "localhost"),
            ("http://localhost:81", "localhost"),
            ("http://[::1]", "::1"),
            ("unix:/run/app.sock", "localhost"),
        ] {
            assert_eq!(Endpoint::resolve(url).unwrap()[0].host(), host, "{url}");
        }
    }

    #[cfg(feature = "tls")]
    #[test]
    fn an_https_url_is_for_tls_at_port_443() {
        let endpoint = &Endpoint::resolve("https://127.0.0.1/api").unwrap()[0];
        assert!(endpoint.is_tls());
        assert_eq!(endpoint.peer().to_string(), "127.0.0.1:443");
        assert_eq!(endpoint.url("/x"), "https://127.0.0.1/api/x");
    }

    #[cfg(not(feature = "tls"))]
    #[test]
    fn an_https_url_without_the_feature_names_it() {
        let message = Endpoint::resolve("https://127.0.0.1").unwrap_err();
        assert!(message.to_string().contains("turn on the feature `tls`"));
    }

    #[test]
    fn a_unix_socket_is_asked_by_the_name_localhost() {
        let endpoint = &Endpoint::resolve("unix:/run/no such.sock").unwrap()[0];
        assert_eq!(*endpoint.peer(), Peer::Unix("/run/no such.sock".into()));
        assert_eq!(endpoint.peer().to_string(), "/run/no such.sock");
        assert_eq!((endpoint.address(), endpoint.is_tls()), (None, false));
        assert_eq!(endpoint.url("/x"), "http://localhost/x");
    }

    #[test]
    fn a_path_that_no_socket_can_have_is_refused() {
        for (path, reason) in [
            ("app.sock".to_owned(), "not absolute"),
            (format!("/{}", "x".repeat(200)), "SUN_LEN"),
            ("/a\0b".to_owned(), "nul"),
        ] {
            let error = Endpoint::resolve(&format!("unix:{path}")).unwrap_err();
            let message = error.to_string();
            assert!(message.contains(reason), "{message}");
            assert!(message.contains("write its absolute path"), "{message}");
        }
    }
}
