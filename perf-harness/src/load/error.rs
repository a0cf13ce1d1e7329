//! Why a load cannot be sent.

/// Why a load cannot be sent.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// Neither `requests` nor `duration` was said.
    #[error(
        "the load has no requests: say how many with `requests`, at least 1, or for how long with `duration`"
    )]
    NoRequests,
    /// A time that must be above zero is zero.
    #[error("`{option}` is zero: write for example `{option} = \"10s\"`, or remove it")]
    NoTime {
        /// Which time.
        option: &'static str,
    },
    /// A time that the deadline never lets pass.
    #[error("`{option}` is not over before the `deadline`: shorten it, or raise `deadline`")]
    PastDeadline {
        /// Which time.
        option: &'static str,
    },
    /// A rate that is zero, negative or no number.
    #[error(
        "the rate {rate} cannot be kept: write requests a second above 0, for example `rate = 500`; stages and arrivals want a `rate` to start from"
    )]
    Rate {
        /// The refused rate.
        rate: f64,
    },
    /// The rate sends nothing within the duration.
    #[error("the rate sends no request within `duration`: raise `rate` or `duration`")]
    NoRequestInTime,
    /// No threads, or more than connections.
    #[error(
        "threads {threads} cannot share {concurrency} connections: `threads` is at least 1 and at most `concurrency`"
    )]
    Threads {
        /// Threads asked for.
        threads: usize,
        /// Connections asked for.
        concurrency: usize,
    },
    /// A mix or a sequence without requests.
    #[error("the mix has no requests: add one, such as `Request::get(\"/\")`")]
    EmptyMix,
    /// A request that would never be sent.
    #[error("the request {path:?} has weight 0: give it at least 1, or remove it")]
    Weight {
        /// Its path.
        path: String,
    },
    /// No SHA-256.
    #[error("{text:?} is no SHA-256: write the 64 hexadecimal digits that `sha256sum` prints")]
    Sha256 {
        /// The refused text.
        text: String,
    },
    /// Every body holds an empty text.
    #[error(
        "`expect_contains` is empty, which every body holds: say what to look for, or remove it"
    )]
    EmptyContains,
    /// A body is expected of a reply that has none.
    #[error(
        "the reply to a HEAD request has no body to check: remove the expectation, or send GET"
    )]
    BodyOfHead,
    /// Values that cannot stand in the path.
    #[error("the values of {name:?} {problem}")]
    Values {
        /// Their name.
        name: String,
        /// What is wrong, and what to do.
        problem: &'static str,
    },
    /// What only the other client can do.
    #[error("`{option}` is not spoken by the http1 client: write `client = \"reqwest\"`")]
    WantsReqwest {
        /// Which option.
        option: &'static str,
    },
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
