//! Collects the errors of the rooms: nothing could be measured.
//!
//! A regression is no error, it is a verdict.

use crate::baseline::{BaselineError, ProjectError};
use crate::driver::DriverError;
use crate::host::LeaseError;
use crate::scenario::ScenarioError;
use crate::target::TargetError;

/// Why a scenario could not be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The scenario is described wrongly.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// The target could not be started, or stopped by itself.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The load could not be put on the target.
    #[error("{}{}", in_words(.cause), server_log(.log))]
    Driver {
        /// Why.
        cause: DriverError,
        /// The last lines that the target wrote.
        log: Vec<String>,
    },
    /// A file of the harness cannot be used.
    #[error(transparent)]
    Baseline(#[from] BaselineError),
    /// The workspace cannot be found.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// The machine's lease cannot be had.
    #[error(transparent)]
    Lease(#[from] LeaseError),
    /// A variable of the environment has a value that means nothing.
    #[error("{variable}={value:?} means nothing: it is one of {known}")]
    Environment {
        /// Which variable.
        variable: &'static str,
        /// Its value.
        value: String,
        /// What it may be.
        known: String,
    },
}

/// `error` and its causes in one sentence; a cause that is said already is not said again.
pub(crate) fn in_words(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    for cause in std::iter::successors(error.source(), |cause| cause.source()) {
        let cause = cause.to_string();
        if !words.contains(&cause) {
            words = format!("{words}: {cause}");
        }
    }
    words
}

fn server_log(lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let lines: Vec<String> = lines.iter().map(|line| format!("\n  | {line}")).collect();
    format!("; the server's last lines:{}", lines.concat())
}
