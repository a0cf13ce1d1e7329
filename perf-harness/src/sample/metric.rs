//! The named numbers of a sample, with unit and direction.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A number of a sample that a gate can judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Metric {
    /// Good replies a second, first send to last completion.
    Throughput,
    /// Median latency.
    P50,
    /// 90th percentile of the latency, nearest rank.
    P90,
    /// 99th percentile of the latency, nearest rank. Wants 500 requests a round.
    P99,
    /// 99.9th percentile of the latency, nearest rank. Wants 5,000 requests a round.
    P999,
    /// Mean latency.
    Mean,
    /// CPU time of the server a good reply: the calmest metric on a noisy machine.
    Cpu,
    /// Peak resident memory of the server.
    Memory,
}

/// What a metric is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unit {
    /// Requests a second.
    PerSecond,
    /// Nanoseconds.
    Nanoseconds,
    /// Bytes.
    Bytes,
}

/// Which way a metric gets better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// More is better.
    HigherIsBetter,
    /// Less is better.
    LowerIsBetter,
}

/// A text that names no metric.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name:?} is no metric: known are throughput, p50, p90, p99, p999, mean, cpu, memory")]
pub struct UnknownMetric {
    /// The refused text.
    pub name: String,
}

impl Metric {
    /// Every metric, in the order of reports.
    pub const ALL: [Self; 8] = [
        Self::Throughput,
        Self::P50,
        Self::P90,
        Self::P99,
        Self::P999,
        Self::Mean,
        Self::Cpu,
        Self::Memory,
    ];

    /// The name used in attributes, reports and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Throughput => "throughput",
            Self::P50 => "p50",
            Self::P90 => "p90",
            Self::P99 => "p99",
            Self::P999 => "p999",
            Self::Mean => "mean",
            Self::Cpu => "cpu",
            Self::Memory => "memory",
        }
    }

    /// What the metric is counted in.
    #[must_use]
    pub fn unit(self) -> Unit {
        match self {
            Self::Throughput => Unit::PerSecond,
            Self::Memory => Unit::Bytes,
            Self::P50 | Self::P90 | Self::P99 | Self::P999 | Self::Mean | Self::Cpu => {
                Unit::Nanoseconds
            }
        }
    }

    /// Which way the metric gets better.
    #[must_use]
    pub fn direction(self) -> Direction {
        match self {
            Self::Throughput => Direction::HigherIsBetter,
            _ => Direction::LowerIsBetter,
        }
    }

    /// Requests a round below which the metric is shown but not judged.
    ///
    /// Below about 370 a confidence interval of p99 has no finite upper end; 500 leaves five
    /// values beyond it. p99.9 wants the same of its own tail.
    #[must_use]
    pub fn least_requests(self) -> u64 {
        match self {
            Self::P99 => 500,
            Self::P999 => 5_000,
            _ => 1,
        }
    }
}

/// By name, so that files have sorted keys.
impl Ord for Metric {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name().cmp(other.name())
    }
}

impl PartialOrd for Metric {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Metric {
    type Err = UnknownMetric;

    fn from_str(text: &str) -> Result<Self, UnknownMetric> {
        let unknown = || UnknownMetric {
            name: text.to_owned(),
        };
        Self::ALL
            .into_iter()
            .find(|metric| metric.name() == text)
            .ok_or_else(unknown)
    }
}
