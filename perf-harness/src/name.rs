//! The name of a scenario: what people type, what files are called.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A validated scenario name such as `perf/home` or `perf/sweep/c100`.
///
/// Segments are separated by `/`; each holds ASCII letters, digits, `_`, `-` and `.`, does not
/// start with a dot, and has at most 100 characters. So a name is also a safe relative path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ScenarioName(String);

/// Why a text is no scenario name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// The whole name, or a segment between two `/`, is empty.
    #[error("scenario name {name:?} has an empty part: write for example `shop/home`")]
    Empty {
        /// The refused text.
        name: String,
    },
    /// A segment is over 100 characters.
    #[error("scenario name {name:?} has a part of more than 100 characters: shorten it")]
    TooLong {
        /// The refused text.
        name: String,
    },
    /// A character that would not be safe in a file name, or a leading dot.
    #[error(
        "scenario name {name:?} has a part that is not safe as a file name: use letters, digits, `_`, `-` and `.`, and no leading dot"
    )]
    Unsafe {
        /// The refused text.
        name: String,
    },
}

impl ScenarioName {
    /// Checks `text` and takes it as a name.
    ///
    /// # Errors
    ///
    /// [`NameError`] says which rule the text breaks.
    pub fn parse(text: impl Into<String>) -> Result<Self, NameError> {
        let name = text.into();
        for segment in name.split('/') {
            check_segment(segment, &name)?;
        }
        Ok(Self(name))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn check_segment(segment: &str, name: &str) -> Result<(), NameError> {
    let name = || name.to_owned();
    if segment.is_empty() {
        return Err(NameError::Empty { name: name() });
    }
    if segment.len() > 100 {
        return Err(NameError::TooLong { name: name() });
    }
    let safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if segment.starts_with('.') || !segment.chars().all(safe) {
        return Err(NameError::Unsafe { name: name() });
    }
    Ok(())
}

impl fmt::Display for ScenarioName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for ScenarioName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        Self::parse(text)
    }
}

impl TryFrom<String> for ScenarioName {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        Self::parse(text)
    }
}

impl From<ScenarioName> for String {
    fn from(name: ScenarioName) -> Self {
        name.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_names_are_taken_as_they_are() {
        for name in ["home", "perf/home", "perf/sweep/c100", "v1.2-x_y"] {
            assert_eq!(ScenarioName::parse(name).unwrap().as_str(), name);
        }
    }

    #[test]
    fn names_that_could_leave_the_folder_are_refused() {
        for name in [
            "", "/", "a//b", "../x", "a/..", ".hidden", "a b", "a\\b", "ä", "a:b",
        ] {
            assert!(ScenarioName::parse(name).is_err(), "{name:?}");
        }
        assert!(ScenarioName::parse("x".repeat(101)).is_err());
    }

    #[test]
    fn a_name_in_a_file_is_checked_when_read() {
        assert!(serde_json::from_str::<ScenarioName>("\"../../etc\"").is_err());
    }
}
