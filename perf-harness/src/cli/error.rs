//! Why a verb was not done.

use std::io;
use std::path::PathBuf;

use super::exit_code::Exit;
use crate::baseline::{BaselineError, ProjectError};
use crate::driver::DriverError;
use crate::endpoint::EndpointError;
use crate::error::Error;
use crate::report::json::OutcomeError;
use crate::target::TargetError;

/// Why a verb was not done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(super) enum CliError {
    #[error("no project here")]
    Project {
        #[source]
        source: ProjectError,
    },
    #[error("`{filter}` matches no {what}: {known}")]
    NoMatch {
        filter: String,
        what: &'static str,
        known: String,
    },
    #[error(
        "nothing is accepted in CI: download the artifact with the pending files, review it on your machine and type `cargo perf accept --from DIR`"
    )]
    AcceptInCi,
    #[error("nothing was accepted: {}", reasons.join("; "))]
    Refused { reasons: Vec<String> },
    #[error(
        "{folder} holds no pending files: name the unpacked artifact, a folder with `pending/` in it"
    )]
    NoPendingFiles { folder: PathBuf },
    #[error(
        "{name} passed, so there is nothing to decide: with `--sessions` it joins the sessions of its baseline"
    )]
    Passed { name: String },
    #[error("a pending file says {says} but lies at the place of {place}: run the scenario again")]
    Misplaced { says: String, place: String },
    #[error(
        "`review` asks questions, and this is no terminal: use `cargo perf list`, `show`, `accept` and `reject`"
    )]
    NoTerminal,
    #[error(
        "--github appends to the file that GITHUB_STEP_SUMMARY names, and it names none: leave --github out here"
    )]
    NoStepSummary,
    #[error("{path} cannot be used")]
    File {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("{path} cannot be read as an outcome")]
    Outcome {
        path: PathBuf,
        #[source]
        source: OutcomeError,
    },
    #[error(transparent)]
    Load(Box<Error>),
    #[error(transparent)]
    Baseline(#[from] BaselineError),
    #[error("the output cannot be written")]
    Output(#[from] io::Error),
}

/// Whether what was typed is the mistake.
fn is_typed_wrongly(error: &Error) -> bool {
    match error {
        Error::Scenario(_) => true,
        Error::Target(TargetError::Url(endpoint)) => {
            !matches!(endpoint, EndpointError::Resolve { .. })
        }
        Error::Driver { cause, .. } => matches!(cause, DriverError::Unsuited { .. }),
        _ => false,
    }
}

impl CliError {
    pub(super) fn exit(&self) -> Exit {
        match self {
            Self::Load(error) if is_typed_wrongly(error) => Exit::Usage,
            Self::NoMatch { .. }
            | Self::AcceptInCi
            | Self::Refused { .. }
            | Self::NoPendingFiles { .. }
            | Self::Passed { .. }
            | Self::NoTerminal
            | Self::NoStepSummary => Exit::Usage,
            Self::Project { .. }
            | Self::Misplaced { .. }
            | Self::File { .. }
            | Self::Load(_)
            | Self::Outcome { .. }
            | Self::Baseline(_)
            | Self::Output(_) => Exit::Failed,
        }
    }
}
