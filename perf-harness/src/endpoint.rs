//! Where requests go: all that a driver may know of a server.

use std::net::{SocketAddr, ToSocketAddrs};

use http::Uri;

/// The resolved address of a started target, and the name it is asked by.
///
/// Addresses are resolved once, before any clock runs; the one that answers stays for the round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    address: SocketAddr,
    authority: String,
    prefix: String,
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
    /// Only `http` is spoken.
    #[error(
        "{url:?} has the scheme `{scheme}`: only `http` is spoken; write the address of its plain HTTP port"
    )]
    Scheme {
        /// The refused text.
        url: String,
        /// Its scheme.
        scheme: String,
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
    /// An endpoint at `address`, asked by that address.
    #[must_use]
    pub fn new(address: SocketAddr) -> Self {
        Self {
            address,
            authority: address.to_string(),
            prefix: String::new(),
        }
    }

    /// Every endpoint that `url` may mean, one an address of its host, in the resolver's order.
    ///
    /// # Errors
    ///
    /// [`EndpointError`] when the text is no `http` URL, holds `user:password@`, or its host has no
    /// address.
    pub fn resolve(url: &str) -> Result<Vec<Self>, EndpointError> {
        let invalid = || EndpointError::Invalid {
            url: url.to_owned(),
        };
        let uri: Uri = url.parse().map_err(|_| invalid())?;
        refuse_credentials(&uri)?;
        let scheme = uri.scheme_str().ok_or_else(invalid)?;
        if scheme != "http" {
            return Err(EndpointError::Scheme {
                url: url.to_owned(),
                scheme: scheme.to_owned(),
            });
        }
        let authority = uri.authority().ok_or_else(invalid)?;
        let host = authority.host().trim_matches(['[', ']']);
        let addresses = (host, authority.port_u16().unwrap_or(80))
            .to_socket_addrs()
            .map_err(|source| EndpointError::Resolve {
                url: url.to_owned(),
                source,
            })?;
        let prefix = uri.path().trim_end_matches('/');
        Ok(addresses
            .map(|address| Self {
                address,
                authority: authority.to_string(),
                prefix: prefix.to_owned(),
            })
            .collect())
    }

    /// The address that connections are opened to.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What the `Host` header says.
    #[must_use]
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// The request target for `path`: the URL's own path, if it has one, in front of it.
    #[must_use]
    pub fn target(&self, path: &str) -> String {
        format!("{}{path}", self.prefix)
    }

    /// The URL of `path`, by the name the server is asked by.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{}", self.authority, self.target(path))
    }
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
        assert_eq!(endpoint.address().to_string(), "127.0.0.1:81");
        assert_eq!(endpoint.authority(), "127.0.0.1:81");
        assert_eq!(endpoint.target("/x?y=1"), "/api/x?y=1");
        assert_eq!(endpoint.url("/"), "http://127.0.0.1:81/api/");
    }

    #[test]
    fn an_ipv6_url_is_understood() {
        let endpoint = &Endpoint::resolve("http://[::1]:8080").unwrap()[0];
        assert_eq!(endpoint.address().to_string(), "[::1]:8080");
    }

    #[test]
    fn what_is_no_http_url_is_named() {
        for url in ["", "127.0.0.1:80", "/x", "https://127.0.0.1", "ftp://x"] {
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
}
