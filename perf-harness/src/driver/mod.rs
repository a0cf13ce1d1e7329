//! What puts a load on an endpoint and counts what comes back.
//!
//! A driver sees an [`Endpoint`], never a target: it can neither start nor stop a server, nor
//! look into one.

mod http1;
#[cfg(feature = "journeys")]
mod journey;
#[cfg(feature = "journeys")]
mod reqwest;
mod scripted;

use std::fmt;

pub use http1::Http1;
#[cfg(feature = "journeys")]
pub use journey::Result as JourneyResult;
#[cfg(feature = "journeys")]
pub use journey::{Failure, Journey, JourneyDriver, Reply, RequestBuilder, User};
#[cfg(feature = "journeys")]
pub use reqwest::ReqwestDriver;
pub use scripted::{Script, Scripted};

use crate::endpoint::Endpoint;
use crate::load::Load;
use crate::sample::Sample;

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
    #[error("cannot connect to {address}: check that the server still runs and listens there")]
    Connect {
        /// Where the connection was to go.
        address: std::net::SocketAddr,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// Fewer connections could be opened than the load asks for.
    #[error("only {opened} of {wanted} connections to {address} could be opened")]
    TooFewConnections {
        /// Where they were to go.
        address: std::net::SocketAddr,
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
        "the server at {address} takes no connections any more after {answered} good replies: {reason}"
    )]
    Lost {
        /// Where the connections were to go.
        address: std::net::SocketAddr,
        /// Requests of the phase, warm-up or measured, that got a good reply before.
        answered: u64,
        /// What happened to the last attempt.
        reason: String,
    },
    /// Every request of the warm-up failed.
    #[error("no request of the warm-up got a good reply; the first failed so: {reason}")]
    WarmUp {
        /// What happened to the first.
        reason: String,
    },
    /// The driver cannot send this kind of load.
    #[error("the {driver} driver cannot send this load: {reason}")]
    Unsuited {
        /// Which driver.
        driver: &'static str,
        /// Why, and what to use instead.
        reason: &'static str,
    },
    /// The engine's own runtime or thread could not be started.
    #[error("the load engine cannot start")]
    Engine {
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
}
