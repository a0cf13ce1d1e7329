//! A target, a load on it, and the gate that judges it.

mod builder;
mod connection;
mod error;
mod pace;
mod plan;
mod request;
#[cfg(test)]
mod tests;

use std::fmt;

pub use error::ScenarioError;
pub(crate) use plan::Plan;
#[cfg(feature = "cli")]
pub(crate) use plan::plain_driver;

use crate::driver::Driver;
use crate::gate::Gate;
use crate::load::Load;
use crate::target::Target;

/// A load scenario: what `#[scenario(...)]` makes of an annotated function, and what an ordinary
/// test can build by hand.
///
/// ```no_run
/// use perf_harness::{Metric, Report, Scenario, Target};
///
/// #[test]
/// fn home() -> Result<(), Report> {
///     Scenario::new("home")
///         .target(Target::url("http://127.0.0.1:8080"))
///         .get("/")
///         .requests(10_000)
///         .concurrency(50)
///         .gate(Metric::Throughput, "5%")
///         .check()
/// }
/// ```
#[must_use = "a scenario does nothing until `check` or `run` is called"]
pub struct Scenario {
    name: String,
    renamed_from: Option<String>,
    target: Option<Target>,
    load: Load,
    work: Custom,
    gate: Gate,
    rounds: usize,
    mistakes: Vec<ScenarioError>,
}

/// What replaces the load's own engine.
enum Custom {
    Nothing,
    Driver(Box<dyn Driver>),
}

impl fmt::Debug for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scenario")
            .field("name", &self.name)
            .field("target", &self.target)
            .field("load", &self.load)
            .field("gate", &self.gate)
            .field("rounds", &self.rounds)
            .finish_non_exhaustive()
    }
}
