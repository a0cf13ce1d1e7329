//! The options that say by which rules of HTTP and TLS the client speaks.

use std::path::PathBuf;

use super::Scenario;
use crate::load::{HttpVersion, Trust};

impl Scenario {
    /// The version of HTTP. Default 1.1; 2 wants the reqwest client.
    pub fn http(mut self, version: HttpVersion) -> Self {
        self.load.http = version;
        self
    }

    /// Redirects that one request follows. Default 0; others want the reqwest client.
    pub fn redirects(mut self, most: usize) -> Self {
        self.load.redirects = most;
        self
    }

    /// Whether a connection's cookies are kept and sent. Default false; true wants the reqwest client.
    pub fn cookies(mut self, cookies: bool) -> Self {
        self.load.cookies = cookies;
        self
    }

    /// Trusts the authorities of this PEM file and no others. Default: the system's.
    pub fn ca_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.load.trust = Trust::Authorities(path.into());
        self
    }

    /// Trusts any certificate, in place of a [`ca_file`](Self::ca_file). For servers of your own only.
    pub fn insecure(mut self) -> Self {
        self.load.trust = Trust::Insecure;
        self
    }
}
