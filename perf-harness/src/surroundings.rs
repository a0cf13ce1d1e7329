//! What the environment says of who reads along, decided in one place for tests and commands.

use std::env;
use std::ffi::OsString;

/// Whether this is a run of continuous integration, by the variable `CI`.
#[must_use]
pub(crate) fn in_ci() -> bool {
    says_yes(env::var_os("CI"))
}

/// Whether text for a stream may have colours: the stream is a terminal, and `NO_COLOR` is not set
/// to anything.
#[must_use]
pub(crate) fn wants_colours(is_terminal: bool) -> bool {
    is_terminal && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// As the tools of the field read `CI`.
fn says_yes(value: Option<OsString>) -> bool {
    let value = value
        .unwrap_or_default()
        .to_string_lossy()
        .trim()
        .to_ascii_lowercase();
    !matches!(value.as_str(), "" | "false" | "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ci_is_switched_off_by_nothing_empty_false_and_zero() {
        assert!(!says_yes(None));
        for value in ["", " ", "false", "FALSE", "0"] {
            assert!(!says_yes(Some(value.into())), "{value:?}");
        }
        for value in ["true", "1", "yes", "woodpecker"] {
            assert!(says_yes(Some(value.into())), "{value:?}");
        }
    }

    #[test]
    fn what_is_no_terminal_has_no_colours() {
        assert!(!wants_colours(false));
    }
}
