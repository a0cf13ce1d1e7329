//! Why a baseline or a pending file cannot be used.

use std::io;
use std::path::PathBuf;

/// A file that cannot be read, trusted or written. None of them ever passes a gate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// The system refuses to read it.
    #[error("{path} cannot be read ({source}): check its permissions")]
    Read {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The system refuses to write it.
    #[error("{path} cannot be written ({source}): check the folder's permissions and free space")]
    Write {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The file has no content.
    #[error(
        "{path} is empty: restore it with `git checkout -- {path}`, or accept a new measurement with `cargo perf accept`"
    )]
    Empty {
        /// Which file.
        path: PathBuf,
    },
    /// A merge left its markers.
    #[error(
        "{path} holds conflict markers: take one side with `git checkout --ours -- {path}`, or accept a new measurement with `cargo perf accept`"
    )]
    Conflict {
        /// Which file.
        path: PathBuf,
    },
    /// The text is cut or is no JSON of this format.
    #[error(
        "{path} is no whole baseline ({source}): restore it with `git checkout -- {path}`, or accept a new measurement with `cargo perf accept`"
    )]
    Malformed {
        /// Which file.
        path: PathBuf,
        /// Where and why.
        #[source]
        source: serde_json::Error,
    },
    /// A later version of perf-harness wrote it.
    #[error(
        "{path} has schema {found}, this version knows up to {known}: update perf-harness with `cargo update -p perf-harness`"
    )]
    Newer {
        /// Which file.
        path: PathBuf,
        /// Its schema.
        found: u64,
        /// The newest known.
        known: u32,
    },
    /// A value that no measurement can give.
    #[error(
        "{path} cannot be trusted, {reason}: restore it with `git checkout -- {path}`, or accept a new measurement with `cargo perf accept`"
    )]
    Invalid {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}
