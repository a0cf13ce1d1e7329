//! Outcomes as JSON: what a test run leaves for `cargo perf summary` and for programs.
//!
//! Nothing fails open: a file that is cut, edited or of a later version is an error for its reader.

use serde::{Deserialize, Serialize};

use crate::baseline;
use crate::outcome::Outcome;

/// The version of the format that is written, and the only one that is read.
pub const SCHEMA: u32 = 1;

/// Why a text is no outcome.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutcomeError {
    /// The text is cut, or is no JSON of this format.
    #[error("this is no whole outcome: run the scenario again")]
    Malformed {
        /// Where and why.
        #[source]
        source: serde_json::Error,
    },
    /// Another version of perf-harness wrote it.
    #[error(
        "this outcome has schema {found}, this version reads {SCHEMA}: use one version for tests and `cargo perf`"
    )]
    OtherSchema {
        /// Its schema.
        found: u32,
    },
}

#[derive(Serialize)]
struct Written<'a> {
    schema: u32,
    outcome: &'a Outcome,
}

#[derive(Serialize)]
struct WrittenList<'a> {
    schema: u32,
    outcomes: &'a [Outcome],
}

#[derive(Deserialize)]
struct Version {
    schema: u32,
}

#[derive(Deserialize)]
struct Read {
    outcome: Outcome,
}

/// The JSON of one outcome, with a trailing newline; a round's time series is on one line.
///
/// # Panics
///
/// Never: an outcome is plain data.
#[must_use]
pub fn to_text(outcome: &Outcome) -> String {
    baseline::to_text(&Written {
        schema: SCHEMA,
        outcome,
    })
}

/// The JSON of all outcomes of a run.
///
/// # Panics
///
/// Never: an outcome is plain data.
#[must_use]
pub fn list_to_text(outcomes: &[Outcome]) -> String {
    baseline::to_text(&WrittenList {
        schema: SCHEMA,
        outcomes,
    })
}

/// Reads what [`to_text`] wrote.
///
/// # Errors
///
/// [`OutcomeError`] when the text is cut, edited or of another version.
pub fn from_text(text: &str) -> Result<Outcome, OutcomeError> {
    let malformed = |source| OutcomeError::Malformed { source };
    let Version { schema } = serde_json::from_str(text).map_err(malformed)?;
    if schema != SCHEMA {
        return Err(OutcomeError::OtherSchema { found: schema });
    }
    let Read { outcome } = serde_json::from_str(text).map_err(malformed)?;
    Ok(outcome)
}

#[cfg(test)]
mod tests;
