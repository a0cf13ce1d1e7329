//! What to type after a verdict.

use crate::gate::Verdict;
use crate::outcome::Outcome;

/// The next step; `None` where there is none, or where the findings say it.
pub(super) fn next_step(outcome: &Outcome) -> Option<String> {
    outcome.pending.as_ref()?;
    let name = &outcome.key.scenario;
    let step = match outcome.judgement.verdict {
        Verdict::Regressed => format!(
            "make it fast again; or, if this is meant, `cargo perf accept {name} --reason \"...\"`"
        ),
        Verdict::New => format!("`cargo perf accept {name}` makes these numbers the baseline"),
        Verdict::Improved => {
            format!("`cargo perf accept {name}` keeps the gain from being lost again")
        }
        Verdict::Inconclusive => {
            format!(
                "run it again on a calmer machine; `cargo perf accept {name}` adds this session to the baseline's"
            )
        }
        Verdict::Incomparable | Verdict::Broken | Verdict::Missing => {
            format!("`cargo perf accept {name}` replaces the baseline by these numbers")
        }
        Verdict::Pass | Verdict::NotGated | Verdict::Skipped => return None,
    };
    Some(step)
}
