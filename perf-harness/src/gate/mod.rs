//! Compares a session with the accepted ones and gives a verdict. Pure.
//!
//! The unit of evidence is a round on a freshly started target, never a request. All comparisons
//! are of logarithms, so that a change has the same size in both directions.

mod change;
mod finding;
mod judge;
mod threshold;
mod verdict;

pub use change::{Change, Status};
pub use finding::Finding;
pub use judge::{Comparison, Judgement, judge};
pub use threshold::{Gate, Limit, Threshold, ThresholdError};
pub use verdict::Verdict;

#[cfg(test)]
mod tests;
