//! The options that say when requests are sent and how a round ends.

use std::time::Duration;

use super::Scenario;
use crate::load::{Arrivals, Pace, Rate, Stage};

impl Scenario {
    /// How long requests are sent; with `requests` whichever ends first. Default: no limit.
    pub fn duration(mut self, duration: Duration) -> Self {
        self.load.duration = Some(duration);
        self
    }

    /// Sends this many requests a second, whatever the server does. Default: as replies come.
    pub fn rate(self, per_second: impl Into<f64>) -> Self {
        self.change_rate(|rate| rate.start = per_second.into())
    }

    /// How the requests of a [`rate`](Self::rate) lie in time. Default: evenly.
    pub fn arrivals(self, arrivals: Arrivals) -> Self {
        self.change_rate(|rate| rate.arrivals = arrivals)
    }

    /// Adds a stage after which the rate is this one, reached evenly over `duration`.
    pub fn stage(self, rate: impl Into<f64>, duration: Duration) -> Self {
        self.change_rate(|all| all.stages.push(Stage::new(rate.into(), duration)))
    }

    /// A rate that was never said stays 0, which the load's check refuses.
    fn change_rate(mut self, change: impl FnOnce(&mut Rate)) -> Self {
        if self.load.pace == Pace::Closed {
            self.load.pace = Pace::Open(Rate::constant(0.0));
        }
        if let Pace::Open(rate) = &mut self.load.pace {
            change(rate);
        }
        self
    }

    /// Over how long the connections are opened. Default: all at once.
    pub fn ramp_up(mut self, ramp_up: Duration) -> Self {
        self.load.ramp_up = ramp_up;
        self
    }

    /// How long a whole round may take, connections and warm-up included. Default 10 min.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.load.deadline = deadline;
        self
    }

    /// Threads of the engine, at most one a connection. Default: by the cores of the machine.
    pub fn threads(mut self, threads: usize) -> Self {
        self.load.threads = Some(threads);
        self
    }

    /// Where everything random starts: arrivals, weights, values. Default 0.
    pub fn seed(mut self, seed: u64) -> Self {
        self.load.seed = seed;
        self
    }
}
