//! Performance regression gates for servers, as ordinary Rust tests.
//!
//! A scenario names a server, a load on it and how much worse its numbers may get. As a test it
//! starts the server, sends exactly that load, compares with the baseline that is committed in the
//! repository, and fails on a regression:
//!
//! ```no_run
//! use perf_harness::{Target, scenario};
//!
//! #[scenario(get = "/", requests = 10_000, concurrency = 50, gate(throughput = "5%", p99 = "20%"))]
//! fn home() -> Target {
//!     Target::process("target/release/shop").port_env("PORT")
//! }
//! # fn main() {}
//! ```
//!
//! New numbers wait for review: `cargo perf list`, `show`, `accept` and `reject`.

#[cfg(not(target_os = "linux"))]
compile_error!(
    "perf-harness reads the cost of servers from /proc and control groups: it runs on Linux only"
);

pub mod baseline;
#[cfg(feature = "cli")]
pub mod cli;
mod driver;
mod endpoint;
mod error;
pub mod gate;
pub mod host;
mod load;
#[doc(hidden)]
pub mod macro_support;
mod name;
mod outcome;
pub mod report;
mod run;
mod sample;
mod scenario;
pub mod stats;
mod surroundings;
mod target;
mod terminal;

#[cfg(feature = "tls")]
pub use driver::TlsError;
#[cfg(fuzzing)]
pub use driver::fuzzing;
pub use driver::{Driver, DriverError, Http1, Script, Scripted, Window};
pub use driver::{Failure, WorkResult as Result};
#[cfg(feature = "journeys")]
pub use driver::{Journey, JourneyDriver, Reply, RequestBuilder, ReqwestDriver, User, WithSetUp};
pub use endpoint::{Endpoint, EndpointError, Peer};
pub use error::Error;
pub use load::{
    Arrivals, BodyCheck, Client, Expected, HttpVersion, Load, LoadError, Mix, Order, Pace, Rate,
    Request, Stage, Trust, Values,
};
pub use macro_support::Report;
pub use name::{NameError, ScenarioName};
pub use outcome::{OpenLoopDetail, Outcome, Place, RoundDetail, Span, StepDetail, Warning};
pub use perf_macros::scenario;
pub use sample::{
    Direction, Ended, ErrorKind, Interval, LatencyError, LatencyHistogram, Metric, OpenLoop,
    Sample, Series, SeriesRecorder, Step, Unit, UnknownMetric,
};
pub use scenario::{Scenario, ScenarioError};
#[cfg(feature = "containers")]
pub use target::ContainerError;
pub use target::{Identity, Ready, Running, Target, TargetError, Usage};
