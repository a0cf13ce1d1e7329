//! What the exit code says to scripts.

use std::process::ExitCode;

/// The exit codes of `cargo perf`, the same for every verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// 0: done, and nothing is red.
    Clean,
    /// 1: something unexpected, such as a file that cannot be read or a server that does not answer.
    Failed,
    /// 2: `summary` says no: a scenario regressed, is missing or broken, or nothing was gated.
    /// `load` says no: more failed than the error budget allows, nothing succeeded, or it was cut.
    Red,
    /// 3: `summary --strict`: nothing is red, but something is inconclusive.
    Inconclusive,
    /// 64: the command cannot be done as it was typed; nothing was changed.
    Usage,
}

impl Exit {
    /// This exit, or `other` when this one is clean.
    pub(super) fn or(self, other: Self) -> Self {
        if self == Self::Clean { other } else { self }
    }
}

/// For `--help`.
pub(super) const HELP: &str = "\
Exit codes:
  0   done, and nothing is red
  1   something unexpected, such as a file that cannot be read or a server that does not answer
  2   summary: a scenario regressed, is missing or broken, or nothing was gated
      load: more failed than --error-budget, nothing succeeded, or --deadline cut it
  3   summary --strict: nothing is red, but something is inconclusive
  64  cannot be done as it was typed; nothing was changed";

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        let code: u8 = match exit {
            Exit::Clean => 0,
            Exit::Failed => 1,
            Exit::Red => 2,
            Exit::Inconclusive => 3,
            Exit::Usage => 64,
        };
        code.into()
    }
}
