//! Many outcomes: reds first, and how many there are of each.

use crate::gate::Verdict;
use crate::outcome::Outcome;

/// The outcomes by verdict, worst first, then by name.
pub(super) fn worst_first(outcomes: &[Outcome]) -> Vec<&Outcome> {
    let mut ranked: Vec<&Outcome> = outcomes.iter().collect();
    ranked.sort_by_key(|outcome| (outcome.judgement.verdict.rank(), &outcome.key));
    ranked
}

/// `1 regressed, 12 pass`.
pub(super) fn counts(outcomes: &[Outcome]) -> String {
    let count = |verdict: Verdict| {
        let number = outcomes
            .iter()
            .filter(|outcome| outcome.judgement.verdict == verdict)
            .count();
        (number > 0).then(|| format!("{number} {verdict}"))
    };
    let counts: Vec<String> = Verdict::WORST_FIRST.into_iter().filter_map(count).collect();
    if counts.is_empty() {
        "nothing was measured".to_owned()
    } else {
        counts.join(", ")
    }
}

/// Whether somebody should look at it: it fails, would fail, or does not decide.
pub(super) fn wants_attention(outcome: &Outcome) -> bool {
    let verdict = outcome.judgement.verdict;
    verdict.fails() || matches!(verdict, Verdict::Inconclusive | Verdict::Incomparable)
}
