//! Why a load cannot be sent.

/// Why a load cannot be sent.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// `requests` is 0, or was never said.
    #[error("the load has no requests: say how many with `requests`, at least 1")]
    NoRequests,
    /// `concurrency` is 0.
    #[error("the load has no connections: `concurrency` is at least 1")]
    NoConnections,
    /// More connections than requests.
    #[error(
        "concurrency {concurrency} is above requests {requests}: some connections would never be used; lower `concurrency` or raise `requests`"
    )]
    ConcurrencyAboveRequests {
        /// Connections asked for.
        concurrency: usize,
        /// Requests asked for.
        requests: u64,
    },
    /// The timeout is zero.
    #[error("the timeout of a request is zero: write for example `timeout = \"5s\"`")]
    NoTimeout,
    /// The path does not start with `/` or holds a blank or control character.
    #[error(
        "the path {path:?} cannot be sent: it starts with `/` and holds no blanks; encode others as %20"
    )]
    Path {
        /// The refused path.
        path: String,
    },
    /// A header field that HTTP does not allow.
    #[error(
        "the header {name:?} cannot be sent: its name or value holds a character that HTTP does not allow"
    )]
    Header {
        /// Its name.
        name: String,
    },
    /// A header field that the engine writes itself.
    #[error("the header {name:?} is written by the engine: use `keep_alive` or `body` instead")]
    ReservedHeader {
        /// Its name.
        name: String,
    },
    /// No expected status, or one outside 100 to 599.
    #[error("the expected status {status} is none: HTTP has 100 to 599")]
    Status {
        /// The refused code.
        status: u16,
    },
    /// The error budget is no share.
    #[error(
        "the error budget {budget} is no share of the requests: write for example `error_budget = \"0.1%\"`"
    )]
    ErrorBudget {
        /// The refused value.
        budget: f64,
    },
}
