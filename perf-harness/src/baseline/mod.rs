//! The accepted truth: numbers that were reviewed and committed, one file a scenario and machine class.
//!
//! A test run reads baselines and never writes one. What it measured waits as a [`Pending`] under
//! cargo's target folder until somebody accepts or rejects it.

mod accept;
mod error;
mod format;
mod pending;
mod project;
mod record;
mod session;
mod store;
mod tree;

pub use accept::{AcceptError, accept};
pub use error::BaselineError;
pub use format::{SCHEMA, to_text};
#[cfg(test)]
pub(crate) use pending::verdict_name;
pub use pending::{Pending, PendingStore};
pub use project::{Base, Project, ProjectError};
pub use record::{Accepted, Baseline, Build, Difference, Subject, TargetRecord};
pub(crate) use session::five_digits;
pub use session::{Round, Session};
pub use store::Store;
pub use tree::Key;
pub(crate) use tree::write_whole;

#[cfg(test)]
mod tests;
