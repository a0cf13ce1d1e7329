//! Why a scenario cannot be run as it is described.

use std::io;
use std::path::PathBuf;

use crate::gate::ThresholdError;
use crate::load::LoadError;
use crate::name::NameError;
use crate::sample::Metric;

/// A mistake in the description of a scenario.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScenarioError {
    /// The name is no name.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The load cannot be sent.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A threshold is none.
    #[error("gate on {metric}: {source}")]
    Threshold {
        /// Of which metric.
        metric: Metric,
        /// What is wrong.
        source: ThresholdError,
    },
    /// The error budget is no percentage.
    #[error("error budget {text:?} is no percentage from 0% to 100%: write for example \"0.1%\"")]
    ErrorBudget {
        /// The refused text.
        text: String,
    },
    /// No target was said.
    #[error("the scenario has no target: say which server with `target`")]
    NoTarget,
    /// No rounds.
    #[error("the scenario has no rounds: `rounds` is at least 1, and 5 for a verdict")]
    NoRounds,
    /// A percentile that the load is too small for.
    #[error(
        "{metric} needs at least {wanted} requests a round, this load has {requests}: raise `requests`, or take {metric} out of the gate"
    )]
    TooFewRequests {
        /// The metric.
        metric: Metric,
        /// Requests a round.
        requests: u64,
        /// Requests that it wants.
        wanted: u64,
    },
    /// An option of plain loads on a journey.
    #[error("`{option}` does not go with a journey: its own code says what is sent")]
    NotForJourneys {
        /// Which option.
        option: &'static str,
    },
    /// One request described beside a mix or sequence.
    #[error(
        "`{option}` is said of one request beside a `mix` or `sequence`: say it of a request in it, such as `Request::get(\"/\").weight(3)`"
    )]
    BesideMix {
        /// Which option.
        option: &'static str,
    },
    /// A body file that cannot be read.
    #[error("the body file {} cannot be read ({source}): give its path from the package's folder", .path.display())]
    BodyFile {
        /// Which file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A client that this build does not have.
    #[error(
        "the reqwest client is not in this build: enable the feature `journeys` of perf-harness"
    )]
    NoReqwest,
    /// Several mistakes.
    #[error("{}", list(.mistakes))]
    Several {
        /// All of them.
        mistakes: Vec<Self>,
    },
}

fn list(mistakes: &[ScenarioError]) -> String {
    let lines: Vec<String> = mistakes
        .iter()
        .map(|mistake| format!("\n  - {mistake}"))
        .collect();
    format!("{} mistakes:{}", mistakes.len(), lines.concat())
}
