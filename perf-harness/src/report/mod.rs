//! Renders outcomes for people, for GitHub and for programs. Decides nothing and prints nothing:
//! every function gives the text to whoever owns the writer.

pub mod console;
pub mod github;
pub mod json;
#[cfg(feature = "cli")]
pub(crate) mod load;
pub mod markdown;

mod change;
mod detail;
mod foreign;
mod next_step;
mod overview;
mod ranking;
mod reason;
mod style;
mod table;
mod units;
mod warning;
mod wrap;

pub use overview::overview;
pub use style::Style;

#[cfg(feature = "cli")]
pub(crate) use change::median_change;
#[cfg(feature = "cli")]
pub(crate) use table::{Column, Table};
#[cfg(feature = "cli")]
pub(crate) use units::{counted, value};

#[cfg(test)]
pub(crate) mod examples;
#[cfg(test)]
mod tests;
