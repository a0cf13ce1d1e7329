//! Tests of the crate from outside.

#![expect(clippy::unwrap_used, reason = "a test fails by a panic")]

mod bad_input;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
mod load_command;
mod tidy;
