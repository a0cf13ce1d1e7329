//! All that a verb may know of the process it runs in, so that tests can set it.

use std::env;
use std::io::{self, IsTerminal as _};
use std::path::PathBuf;

use crate::baseline::Project;
use crate::host::MachineClass;
use crate::report::Style;

/// The project and the process that a verb works for.
#[derive(Clone, Debug)]
pub(super) struct Surroundings {
    pub(super) project: Project,
    /// The class of this machine.
    pub(super) class: MachineClass,
    /// Whether this is a continuous integration run, where nothing is accepted.
    pub(super) in_ci: bool,
    /// The file of GitHub's step summary.
    pub(super) step_summary: Option<PathBuf>,
    /// Whether somebody can answer questions.
    pub(super) interactive: bool,
    /// How printed text may look.
    pub(super) style: Style,
}

impl Surroundings {
    /// Reads the environment and looks at the standard streams.
    pub(super) fn of_this_process(project: Project) -> Self {
        let terminal = io::stdout().is_terminal();
        let colours = terminal && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Self {
            project,
            class: MachineClass::of_this_machine(),
            in_ci: env::var("CI").is_ok_and(|value| says_yes(&value)),
            step_summary: env::var_os("GITHUB_STEP_SUMMARY")
                .filter(|path| !path.is_empty())
                .map(PathBuf::from),
            interactive: terminal && io::stdin().is_terminal(),
            style: if colours { Style::Ansi } else { Style::Plain },
        }
    }
}

/// As the tools of the field read `CI`.
fn says_yes(value: &str) -> bool {
    !matches!(
        value.trim().to_ascii_lowercase().as_str(),
        "" | "false" | "0"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ci_is_switched_off_by_empty_false_and_zero() {
        for value in ["", " ", "false", "FALSE", "0"] {
            assert!(!says_yes(value), "{value:?}");
        }
        for value in ["true", "1", "yes", "woodpecker"] {
            assert!(says_yes(value), "{value:?}");
        }
    }
}
