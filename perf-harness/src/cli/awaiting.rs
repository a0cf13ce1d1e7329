//! Which pending sessions await a decision, and which of them a command means.

use super::arguments::AcceptArguments;
use super::error::CliError;
use crate::baseline::Pending;
use crate::gate::Verdict;

/// What a command means by its arguments.
#[derive(Debug)]
pub(super) enum Choice {
    /// These sessions.
    These(Vec<Pending>),
    /// It does not say: these could be meant.
    Unsaid(Vec<Pending>),
}

/// What accepting a session is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A decision: the numbers replace the baseline.
    Decision,
    /// The numbers do not decide; accepting them adds a session.
    Undecided,
    /// Nothing to decide; accepting it adds a session.
    Passed,
    /// A verdict that comes with nothing to accept.
    Never,
}

impl Kind {
    fn of(pending: &Pending) -> Self {
        let mut verdicts = Verdict::WORST_FIRST.into_iter();
        match verdicts.find(|verdict| verdict.name() == pending.verdict) {
            Some(Verdict::Pass) => Self::Passed,
            Some(Verdict::Inconclusive) => Self::Undecided,
            None | Some(Verdict::NotGated | Verdict::Skipped) => Self::Never,
            Some(_) => Self::Decision,
        }
    }

    fn joins(self) -> bool {
        matches!(self, Self::Undecided | Self::Passed)
    }
}

/// Whether a session wants somebody's decision.
pub(super) fn wants_decision(pending: &Pending) -> bool {
    Kind::of(pending) == Kind::Decision
}

/// Whether `review` asks about it: a decision, or numbers that do not decide.
pub(super) fn is_reviewed(pending: &Pending) -> bool {
    matches!(Kind::of(pending), Kind::Decision | Kind::Undecided)
}

/// What `accept` means of the sessions that its filters mean.
///
/// # Errors
///
/// [`CliError`] when only sessions are named that are not accepted that way.
pub(super) fn chosen(
    pending: Vec<Pending>,
    arguments: &AcceptArguments,
) -> Result<Choice, CliError> {
    if !arguments.filter.is_empty() {
        return named(pending, arguments).map(Choice::These);
    }
    if arguments.all || arguments.sessions {
        return Ok(Choice::These(all(pending, arguments)));
    }
    let decisions: Vec<Pending> = pending.into_iter().filter(wants_decision).collect();
    if decisions.len() == 1 {
        Ok(Choice::These(decisions))
    } else {
        Ok(Choice::Unsaid(decisions))
    }
}

/// `--all` means decisions, `--sessions` what joins, both mean both.
fn all(pending: Vec<Pending>, arguments: &AcceptArguments) -> Vec<Pending> {
    let meant = |pending: &Pending| match Kind::of(pending) {
        Kind::Decision => arguments.all,
        Kind::Undecided | Kind::Passed => arguments.sessions,
        Kind::Never => false,
    };
    pending.into_iter().filter(meant).collect()
}

fn named(selected: Vec<Pending>, arguments: &AcceptArguments) -> Result<Vec<Pending>, CliError> {
    check_acceptable(&selected)?;
    let meant = |pending: &Pending| arguments.sessions || Kind::of(pending) != Kind::Passed;
    let first = selected.first().map(|pending| pending.scenario.to_string());
    let meant: Vec<Pending> = selected.into_iter().filter(meant).collect();
    match first {
        Some(name) if meant.is_empty() => Err(CliError::Passed { name }),
        _ => Ok(meant),
    }
}

fn check_acceptable(pending: &[Pending]) -> Result<(), CliError> {
    let never = pending
        .iter()
        .filter(|pending| Kind::of(pending) == Kind::Never);
    let reasons: Vec<String> = never
        .map(|pending| {
            format!(
                "{} has the verdict `{}`, which is not accepted",
                pending.scenario, pending.verdict
            )
        })
        .collect();
    if reasons.is_empty() {
        Ok(())
    } else {
        Err(CliError::Refused { reasons })
    }
}

/// How many pending sessions would only join their baselines.
pub(super) fn joining(pending: &[Pending]) -> usize {
    pending
        .iter()
        .filter(|pending| Kind::of(pending).joins())
        .count()
}
