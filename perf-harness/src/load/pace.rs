//! When requests are sent: as fast as replies come, or by the clock.

use std::time::Duration;

/// What decides when the next request is sent.
#[derive(Clone, Debug, PartialEq, Default)]
#[non_exhaustive]
pub enum Pace {
    /// Closed loop: every connection sends its next request when the last is answered.
    #[default]
    Closed,
    /// Open loop: requests are sent at a rate, whatever the server does.
    ///
    /// `concurrency` connections carry them. A request whose time has come while all are busy waits
    /// for one, and its latency counts from the time it was to be sent.
    Open(Rate),
}

/// How often requests are sent in an open loop.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Rate {
    /// Requests a second at the start.
    pub start: f64,
    /// How the rate changes from then on, one stage after the other; after the last it stays.
    pub stages: Vec<Stage>,
    /// How the requests lie in time.
    pub arrivals: Arrivals,
}

/// A span over which the rate changes evenly.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Stage {
    /// Requests a second at its end; those at its beginning are the end of the stage before.
    pub rate: f64,
    /// How long it takes; zero for a step.
    pub duration: Duration,
}

/// How the requests of an open loop lie in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Arrivals {
    /// Evenly.
    #[default]
    Constant,
    /// As those of many users that know nothing of each other: a Poisson process, drawn with the
    /// load's seed.
    Poisson,
}

impl Rate {
    /// A rate that stays, with requests evenly in time.
    #[must_use]
    pub fn constant(per_second: f64) -> Self {
        Self {
            start: per_second,
            stages: Vec::new(),
            arrivals: Arrivals::Constant,
        }
    }
}

impl Stage {
    /// A stage that ends at `rate` requests a second.
    #[must_use]
    pub fn new(rate: f64, duration: Duration) -> Self {
        Self { rate, duration }
    }
}

impl Arrivals {
    /// The name used in attributes and baselines.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Constant => "constant",
            Self::Poisson => "poisson",
        }
    }
}
