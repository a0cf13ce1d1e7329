//! What puts a load on an endpoint and counts what comes back.
//!
//! A driver sees an [`Endpoint`], never a target: it can neither start nor stop a server, nor
//! look into one.

mod chance;
mod file_limit;
mod http1;
#[cfg(feature = "journeys")]
mod journey;
mod mix;
#[cfg(feature = "journeys")]
mod reqwest;
mod schedule;
mod scripted;
mod tasks;
#[cfg(feature = "tls")]
mod tls;
mod work;

use std::collections::BTreeMap;
use std::fmt;

pub use http1::Http1;
#[cfg(fuzzing)]
pub use http1::fuzzing;
#[cfg(feature = "journeys")]
pub use journey::{Journey, JourneyDriver, Reply, RequestBuilder, User, WithSetUp};
#[cfg(feature = "journeys")]
pub use reqwest::ReqwestDriver;
pub use scripted::{Script, Scripted};
pub use tasks::{Failure, Result as WorkResult};
#[cfg(feature = "tls")]
pub use tls::TlsError;
pub(crate) use work::Work;

use crate::endpoint::{Endpoint, Peer};
use crate::load::Load;
use crate::sample::{ErrorKind, Sample};

/// Applies a load to an endpoint.
pub trait Driver: fmt::Debug + Send + Sync {
    /// Opens the connections, sends the warm-up, then exactly `load.requests` measured requests.
    ///
    /// `window` is told when the measured part begins and ends. Blocks until every request has its
    /// outcome; a run always ends, at the latest one timeout after the last send. Requests that
    /// fail are counted in the sample, they are no error here.
    ///
    /// # Errors
    ///
    /// [`DriverError`] when nothing could be measured.
    fn drive(
        &self,
        endpoint: &Endpoint,
        load: &Load,
        window: &mut dyn Window,
    ) -> Result<Sample, DriverError>;
}

/// Told when the measured window opens and closes: while it is open, no request but the measured
/// ones is under way.
pub trait Window {
    /// Connections are open, the warm-up is answered, the first measured request is about to be sent.
    fn open(&mut self);
    /// The last measured request has its outcome.
    fn close(&mut self);
}

/// Why nothing could be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DriverError {
    /// The server takes no connection.
    #[error(
        "cannot connect to {peer} ({source}): check that the server still runs and listens there"
    )]
    Connect {
        /// Where the connection was to go.
        peer: Peer,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// The server is there, and TLS with it fails.
    #[error(
        "the TLS handshake with {peer} failed ({reason}): {}",
        next_step(ErrorKind::Tls)
    )]
    Handshake {
        /// Where the connection was to go.
        peer: Peer,
        /// What is wrong.
        reason: String,
    },
    /// Fewer connections could be opened than the load asks for.
    #[error(
        "only {opened} of {wanted} connections to {peer} could be opened ({source}): lower `concurrency`, or raise what the server allows"
    )]
    TooFewConnections {
        /// Where they were to go.
        peer: Peer,
        /// How many were opened.
        opened: usize,
        /// How many the load asks for.
        wanted: usize,
        /// What the system said of the first that failed.
        #[source]
        source: std::io::Error,
    },
    /// The process may not open as many files as the load has connections.
    #[error(
        "the limit of open files is {limit}, {wanted} connections need more: raise it with `ulimit -n {needed}`"
    )]
    FileLimit {
        /// The hard limit of the process.
        limit: u64,
        /// Connections asked for.
        wanted: usize,
        /// The limit that would do.
        needed: u64,
    },
    /// The server stopped taking connections while the load was on it.
    #[error(
        "the server at {peer} takes no connections any more after {answered} good replies ({reason}): look into its log"
    )]
    Lost {
        /// Where the connections were to go.
        peer: Peer,
        /// Requests of the phase, warm-up or measured, that got a good reply before.
        answered: u64,
        /// What happened to the last attempt.
        reason: String,
    },
    /// Every request of the warm-up failed.
    #[error(
        "no request of the warm-up got a good reply, the first failed so: {reason}; {}",
        next_step(*kind)
    )]
    WarmUp {
        /// What happened to the first.
        reason: String,
        /// What happened to most of them.
        kind: ErrorKind,
    },
    /// The set-up of a user, or the connection of a load of calls, failed.
    #[error("the set-up of user {user} failed, and without it nothing is measured: {reason}; {}", next_step(*kind))]
    SetUp {
        /// Which of the users, from 0.
        user: usize,
        /// What happened.
        reason: String,
        /// What that is counted as.
        kind: ErrorKind,
    },
    /// The deadline of the round came before anything was measured.
    #[error(
        "the load's `deadline` of {deadline:?} came while {phase}, before anything was measured: raise `deadline`, or lower what comes before, such as `warmup` and `ramp_up`"
    )]
    Deadline {
        /// The load's deadline.
        deadline: std::time::Duration,
        /// What was going on.
        phase: &'static str,
    },
    /// The certificate of an `https` server cannot be checked.
    #[cfg(feature = "tls")]
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The driver cannot send this kind of load.
    #[error("the {driver} driver cannot send this load: {reason}")]
    Unsuited {
        /// Which driver.
        driver: &'static str,
        /// Why, and what to use instead.
        reason: &'static str,
    },
    /// The engine's own runtime or thread could not be started.
    #[error(
        "the load engine cannot start ({source}): check the limits of threads and files with `ulimit -a`"
    )]
    Engine {
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
}

impl DriverError {
    /// No request of a warm-up got a good reply: what happened to the first, and how many failed by
    /// which kind.
    fn warm_up(reason: String, errors: &BTreeMap<ErrorKind, u64>) -> Self {
        let most = errors.iter().max_by_key(|(_, count)| **count);
        let (kind, _) = most.expect("a request that failed is counted by its kind");
        Self::WarmUp {
            reason,
            kind: *kind,
        }
    }
}

/// What to do about a warm-up that failed by `kind`.
fn next_step(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Status => "correct the path, or name the status with `expect_status`",
        ErrorKind::Timeout | ErrorKind::ConnectTimeout => "lower `concurrency`, or raise `timeout`",
        ErrorKind::BodyCheck | ErrorKind::Journey => "correct what is sent, or what is expected",
        ErrorKind::Parse => "check that the server speaks plain HTTP/1.1",
        ErrorKind::Tls => {
            "name who vouches for the server's certificate with `ca_file`, or for a server of your own say `insecure`"
        }
        ErrorKind::PortsExhausted => "lower `concurrency`, or keep the connections alive",
        ErrorKind::TooManyFiles => "lower `concurrency`, or raise the limit by `ulimit -n`",
        ErrorKind::Dns | ErrorKind::Refused => "check the address, and that the server listens",
        ErrorKind::Reset | ErrorKind::EofBeforeReply | ErrorKind::BodyTruncated => {
            "look into the log of the server for why it closes connections"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_warm_up_says_what_to_do_about_most_of_its_failures() {
        let errors = BTreeMap::from([(ErrorKind::Reset, 2), (ErrorKind::Status, 9)]);
        let message = DriverError::warm_up("status 404".to_owned(), &errors).to_string();
        assert_eq!(
            message,
            "no request of the warm-up got a good reply, the first failed so: status 404; \
             correct the path, or name the status with `expect_status`"
        );
    }
}
