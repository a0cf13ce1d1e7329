//! All that a verb may know of the process it runs in, so that tests can set it.

use std::env;
use std::io::{self, IsTerminal as _};
use std::path::PathBuf;

use crate::baseline::Project;
use crate::host::MachineClass;
use crate::report::Style;
use crate::surroundings::{in_ci, wants_colours};

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
        let colours = wants_colours(terminal);
        Self {
            project,
            class: MachineClass::of_this_machine(),
            in_ci: in_ci(),
            step_summary: env::var_os("GITHUB_STEP_SUMMARY")
                .filter(|path| !path.is_empty())
                .map(PathBuf::from),
            interactive: terminal && io::stdin().is_terminal(),
            style: if colours { Style::Ansi } else { Style::Plain },
        }
    }
}
