//! The ways in which a request can fail.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What happened to a request that got no good reply; every failed request has exactly one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorKind {
    /// The host name has no address.
    Dns,
    /// Nothing listens at the port.
    Refused,
    /// The connection was not there within the timeout.
    ConnectTimeout,
    /// The TLS handshake failed.
    Tls,
    /// The connection was reset.
    Reset,
    /// The server closed before the first byte of a reply.
    EofBeforeReply,
    /// The server closed within a body.
    BodyTruncated,
    /// The reply is no HTTP/1 message.
    Parse,
    /// No whole reply within the timeout.
    Timeout,
    /// A status that the load does not expect.
    Status,
    /// A body that the load's check refuses.
    BodyCheck,
    /// The machine has no free local port for another connection.
    PortsExhausted,
    /// The process may not open more files.
    TooManyFiles,
    /// The journey's own code returned an error.
    Journey,
}

impl ErrorKind {
    /// The name used in reports and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Dns => "dns",
            Self::Refused => "refused",
            Self::ConnectTimeout => "connect_timeout",
            Self::Tls => "tls",
            Self::Reset => "reset",
            Self::EofBeforeReply => "eof_before_reply",
            Self::BodyTruncated => "body_truncated",
            Self::Parse => "parse",
            Self::Timeout => "timeout",
            Self::Status => "status",
            Self::BodyCheck => "body_check",
            Self::PortsExhausted => "ports_exhausted",
            Self::TooManyFiles => "too_many_files",
            Self::Journey => "journey",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
