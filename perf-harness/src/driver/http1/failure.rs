//! Why a request got no good reply, in words for people and as a kind for counting.

use std::fmt;
use std::io;
use std::time::Duration;

use nix::errno::Errno;

use super::script::Fault;
use super::stream::tls_reason;
use crate::sample::ErrorKind;

/// What happened to one request that failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error("cannot open a connection: {source}")]
    Connect { source: io::Error },
    #[error("no connection within {timeout:?}")]
    ConnectTimeout { timeout: Duration },
    #[error("the TLS handshake failed: {}", tls_reason(source).unwrap_or_else(|| source.to_string()))]
    Handshake { source: io::Error },
    #[error("{} {progress}", describe(source))]
    Broken {
        source: io::Error,
        progress: Progress,
    },
    #[error("connection closed by the server {progress}")]
    Closed { progress: Progress },
    #[error("the reply is no HTTP/1 message: {0}")]
    Malformed(#[from] Malformed),
    #[error("no whole reply within {timeout:?}")]
    Timeout { timeout: Duration },
    #[error("no whole reply when the `deadline` of the load had come")]
    Deadline,
    #[error("status {status}")]
    Status { status: u16 },
    #[error(transparent)]
    Body(#[from] Fault),
}

/// How much of a reply had come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    Nothing,
    Head,
    Body { received: u64 },
}

/// What makes bytes no HTTP/1 reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Malformed {
    #[error("{0}")]
    Head(httparse::Error),
    #[error("its head is longer than {limit} bytes")]
    HeadTooLong { limit: usize },
    #[error("its head has more than {limit} fields")]
    TooManyFields { limit: usize },
    #[error("its content length is no number, or two different ones")]
    ContentLength,
    #[error("a chunk size is no hexadecimal number of at most 16 digits")]
    ChunkSize,
    #[error("a chunk does not end where its size says")]
    ChunkEnd,
    #[error("its chunk extensions and trailers are longer than {limit} bytes")]
    ChunkOverhead { limit: usize },
}

impl Failure {
    pub(super) fn kind(&self) -> ErrorKind {
        match self {
            Self::Connect { source } => connect_kind(source),
            Self::ConnectTimeout { .. } => ErrorKind::ConnectTimeout,
            Self::Handshake { .. } => ErrorKind::Tls,
            Self::Broken { source, .. } if tls_reason(source).is_some() => ErrorKind::Tls,
            Self::Broken { .. } => ErrorKind::Reset,
            Self::Closed { progress } => closed_kind(*progress),
            Self::Malformed(_) => ErrorKind::Parse,
            Self::Timeout { .. } | Self::Deadline => ErrorKind::Timeout,
            Self::Status { .. } => ErrorKind::Status,
            Self::Body(_) => ErrorKind::BodyCheck,
        }
    }

    /// Whether the connection ended before any byte of the reply: on a kept-alive connection the
    /// server may have closed it while the request was on its way.
    pub(super) fn is_close_race(&self) -> bool {
        matches!(
            self,
            Self::Broken {
                progress: Progress::Nothing,
                ..
            } | Self::Closed {
                progress: Progress::Nothing
            }
        )
    }

    /// Whether it is the round's deadline that came.
    pub(super) fn is_deadline(&self) -> bool {
        matches!(self, Self::Deadline)
    }

    /// The failure as an I/O error, for connections that could not be opened.
    pub(super) fn into_io(self) -> io::Error {
        match self {
            Self::Connect { source } => source,
            Self::ConnectTimeout { .. } => {
                io::Error::new(io::ErrorKind::TimedOut, self.to_string())
            }
            other => io::Error::other(other.to_string()),
        }
    }
}

fn connect_kind(source: &io::Error) -> ErrorKind {
    let no_files = [Errno::EMFILE as i32, Errno::ENFILE as i32];
    if source
        .raw_os_error()
        .is_some_and(|code| no_files.contains(&code))
    {
        return ErrorKind::TooManyFiles;
    }
    match source.kind() {
        io::ErrorKind::AddrNotAvailable => ErrorKind::PortsExhausted,
        io::ErrorKind::TimedOut => ErrorKind::ConnectTimeout,
        io::ErrorKind::ConnectionReset => ErrorKind::Reset,
        _ => ErrorKind::Refused,
    }
}

fn closed_kind(progress: Progress) -> ErrorKind {
    match progress {
        Progress::Nothing => ErrorKind::EofBeforeReply,
        Progress::Head => ErrorKind::Parse,
        Progress::Body { .. } => ErrorKind::BodyTruncated,
    }
}

fn describe(source: &io::Error) -> String {
    if let Some(reason) = tls_reason(source) {
        return format!("TLS broken ({reason})");
    }
    match source.kind() {
        io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => {
            "connection reset by the server".to_owned()
        }
        _ => format!("connection broken ({source})"),
    }
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("before the first byte of the reply"),
            Self::Head => f.write_str("within the head of the reply"),
            Self::Body { received } => write!(f, "after {received} bytes of the body"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connect(code: Errno) -> ErrorKind {
        Failure::Connect {
            source: code.into(),
        }
        .kind()
    }

    #[test]
    fn connect_errors_have_the_kind_of_their_cause() {
        assert_eq!(connect(Errno::ECONNREFUSED), ErrorKind::Refused);
        assert_eq!(connect(Errno::EADDRNOTAVAIL), ErrorKind::PortsExhausted);
        assert_eq!(connect(Errno::EMFILE), ErrorKind::TooManyFiles);
        assert_eq!(connect(Errno::ENFILE), ErrorKind::TooManyFiles);
        assert_eq!(connect(Errno::ETIMEDOUT), ErrorKind::ConnectTimeout);
        assert_eq!(connect(Errno::ECONNRESET), ErrorKind::Reset);
    }

    #[test]
    fn a_reset_says_how_far_the_reply_had_come() {
        let progress = Progress::Body { received: 120 };
        let failure = Failure::Broken {
            source: Errno::ECONNRESET.into(),
            progress,
        };
        assert_eq!(
            failure.to_string(),
            "connection reset by the server after 120 bytes of the body"
        );
        assert!(!failure.is_close_race());
    }

    #[test]
    fn only_a_connection_without_a_byte_is_a_close_race() {
        assert!(
            Failure::Closed {
                progress: Progress::Nothing
            }
            .is_close_race()
        );
        assert!(
            !Failure::Closed {
                progress: Progress::Head
            }
            .is_close_race()
        );
        assert!(!Failure::Status { status: 500 }.is_close_race());
    }
}
