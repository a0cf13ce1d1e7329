//! What one run of a scenario came to: verdict, warnings, what was written. No text.

mod detail;

use std::path::PathBuf;
use std::time::Duration;

pub use detail::{OpenLoopDetail, RoundDetail, Span, StepDetail};
use serde::{Deserialize, Serialize};

use crate::baseline::{Accepted, Key, Session};
use crate::gate::{Judgement, Verdict};
use crate::host::Disturbance;

/// What one run of a scenario came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Outcome {
    /// Which scenario, package and machine class.
    pub key: Key,
    /// The verdict, with what it rests on.
    pub judgement: Judgement,
    /// What was measured; `None` when nothing was.
    pub session: Option<Session>,
    /// What was accepted last, when there is a baseline.
    pub accepted: Option<Accepted>,
    /// True things that do not change the verdict.
    pub warnings: Vec<Warning>,
    /// Where the session waits for review.
    pub pending: Option<PathBuf>,
    /// Connections of the load.
    pub connections: usize,
    /// How long the load sends requests in a round, when that is limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<Duration>,
    /// The rounds of the session in time and by their parts, in its order. No verdict rests on
    /// them; files of former versions have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<RoundDetail>,
    /// Where requests went.
    pub endpoint: Option<String>,
    /// The annotated function.
    pub place: Place,
    /// Whether `PERF_POLICY=report` keeps a verdict from failing the test.
    pub reported_only: bool,
    /// The root of the workspace; a target folder may be shared.
    pub workspace: PathBuf,
}

/// Where a scenario stands in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The file, relative to the workspace.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

/// Something true that the reader must know and that does not change the verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
#[non_exhaustive]
pub enum Warning {
    /// The machine was not calm.
    Disturbed {
        /// In how many rounds.
        rounds: usize,
        /// The worst of it.
        disturbance: Disturbance,
    },
    /// Connections ≠ throughput × mean latency (Little's law): one of the figures is wrong.
    LittlesLaw {
        /// Connections of the load.
        connections: f64,
        /// Throughput times mean latency.
        implied: f64,
    },
    /// The last request decided the throughput.
    Straggler {
        /// Good replies a second over the whole window.
        throughput: f64,
        /// Good replies a second while all connections were busy.
        steady: f64,
    },
    /// The client was the limit.
    ClientSaturated {
        /// Share of the window that the engine's busiest thread was busy.
        client_busy: f64,
        /// Cores that the server used.
        server_cores: Option<f64>,
    },
    /// An open loop did not send at the rate that was asked for.
    RateMissed {
        /// In how many rounds.
        rounds: usize,
        /// Requests a second that were asked for, in the worst of them.
        asked: f64,
        /// Requests a second that were sent.
        sent: f64,
        /// 99th percentile of how much later than intended requests were sent, in nanoseconds.
        lag_p99: Option<f64>,
    },
    /// A metric that the gate judges by default has too few requests a round for it.
    TooFewRequests {
        /// The metric.
        metric: crate::sample::Metric,
        /// Requests a round.
        requests: u64,
        /// Requests that it wants.
        wanted: u64,
    },
    /// Some requests failed, within the budget.
    Errors {
        /// How many.
        failed: u64,
        /// What happened to the first.
        example: String,
    },
    /// A retry of the test runner can hide a regression.
    Retried {
        /// Which attempt this is.
        attempt: u32,
    },
}

impl Warning {
    /// A short name, for files.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Disturbed { .. } => "disturbed",
            Self::LittlesLaw { .. } => "littles_law",
            Self::Straggler { .. } => "straggler",
            Self::ClientSaturated { .. } => "client_saturated",
            Self::RateMissed { .. } => "rate_missed",
            Self::TooFewRequests { .. } => "too_few_requests",
            Self::Errors { .. } => "errors",
            Self::Retried { .. } => "retried",
        }
    }
}

impl Outcome {
    /// Whether the test fails.
    #[must_use]
    pub fn fails(&self) -> bool {
        let verdict = self.judgement.verdict;
        verdict.fails() && !(self.reported_only && verdict == Verdict::Regressed)
    }
}
