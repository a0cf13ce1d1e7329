//! What decided a verdict, in a line or two.

use super::change::sentence;
use super::foreign::one_line;
use crate::gate::{Change, Finding, Status, Verdict};
use crate::outcome::Outcome;

/// Longer texts of findings hold messages of servers; the report has them whole.
const MOST_CHARACTERS: usize = 400;

/// The changes that decided, then the first finding that says more; at most two lines.
pub(super) fn lines(outcome: &Outcome) -> Vec<String> {
    let changes: Vec<String> = deciding(outcome).map(sentence).collect();
    let joined = (!changes.is_empty()).then(|| changes.join("; "));
    let finding = outcome
        .judgement
        .findings
        .iter()
        .find(|finding| says_more(finding));
    let finding = finding.map(|finding| one_line(&finding.to_string(), MOST_CHARACTERS));
    joined.into_iter().chain(finding).collect()
}

fn deciding(outcome: &Outcome) -> impl Iterator<Item = &Change> {
    let wanted = match outcome.judgement.verdict {
        Verdict::Regressed => Some(Status::Worse),
        Verdict::Improved => Some(Status::Better),
        Verdict::Inconclusive => Some(Status::Unclear),
        _ => None,
    };
    outcome
        .judgement
        .changes
        .iter()
        .filter(move |change| Some(change.status) == wanted)
}

/// A thin baseline never decides alone.
fn says_more(finding: &Finding) -> bool {
    !matches!(finding, Finding::Thin { .. })
}
