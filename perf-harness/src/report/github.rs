//! Workflow commands: annotations at the line of the annotated function.
//!
//! The runner reads `::error file=…,line=…,title=…::message` from what a step prints, keeps ten
//! errors and ten warnings of a step, and cuts a message at 4,096 characters.

use super::ranking::worst_first;
use super::reason;
use crate::gate::Verdict;
use crate::outcome::{Outcome, Place};

/// Annotations of one kind that the runner keeps of a step.
const MOST_OF_A_KIND: usize = 10;

/// Characters of a message; the runner keeps a few more, counted after its own decoding.
const MOST_CHARACTERS: usize = 4_000;

/// The command for one outcome, without newline: an error for one that fails its test, a warning
/// for a regression that is only reported and for what decides nothing (inconclusive, incomparable,
/// skipped), `None` for the others.
#[must_use]
pub fn annotation(outcome: &Outcome) -> Option<String> {
    let level = Level::of(outcome)?;
    let title = format!("{}: {}", outcome.judgement.verdict, outcome.key.scenario);
    Some(command(level, &outcome.place, &title, &message(outcome)))
}

/// The command for a scenario that could not be measured: an error with `text` at its function.
#[must_use]
pub fn error_at(place: &Place, title: &str, text: &str) -> String {
    command(Level::Error, place, title, text)
}

fn command(level: Level, place: &Place, title: &str, message: &str) -> String {
    let mut properties = Vec::new();
    if !place.file.is_empty() {
        properties.push(format!("file={}", escaped_property(&place.file)));
        properties.push(format!("line={}", place.line));
    }
    properties.push(format!("title={}", escaped_property(title)));
    let message: String = message.chars().take(MOST_CHARACTERS).collect();
    format!(
        "::{} {}::{}",
        level.command(),
        properties.join(","),
        escaped(&message)
    )
}

/// The annotations of many outcomes, as many as the runner keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotations {
    /// Whole lines, without newlines.
    pub lines: Vec<String>,
}

impl Annotations {
    /// At most ten errors and ten warnings, worst first, then one notice that counts the rest.
    #[must_use]
    pub fn worst_first(outcomes: &[Outcome]) -> Self {
        let ranked = worst_first(outcomes);
        let of = |level: Level| -> Vec<String> {
            let wanted = ranked
                .iter()
                .filter(|outcome| Level::of(outcome) == Some(level));
            wanted.filter_map(|outcome| annotation(outcome)).collect()
        };
        let (errors, warnings) = (of(Level::Error), of(Level::Warning));
        let surplus = |lines: &[String]| lines.len().saturating_sub(MOST_OF_A_KIND);
        let more = surplus(&errors) + surplus(&warnings);
        let kept = |lines: Vec<String>| lines.into_iter().take(MOST_OF_A_KIND);
        let mut lines: Vec<String> = kept(errors).chain(kept(warnings)).collect();
        if more > 0 {
            lines.push(format!(
                "::notice title=perf::{more} more in the step summary"
            ));
        }
        Self { lines }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Error,
    Warning,
}

impl Level {
    fn of(outcome: &Outcome) -> Option<Self> {
        if outcome.fails() {
            return Some(Self::Error);
        }
        let verdict = outcome.judgement.verdict;
        let undecided = matches!(
            verdict,
            Verdict::Inconclusive | Verdict::Incomparable | Verdict::Skipped
        );
        (verdict.fails() || undecided).then_some(Self::Warning)
    }

    fn command(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

fn message(outcome: &Outcome) -> String {
    let lines = reason::lines(outcome);
    if lines.is_empty() {
        format!("the verdict is {}", outcome.judgement.verdict)
    } else {
        lines.join("\n")
    }
}

/// As the runner decodes a message.
fn escaped(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// As the runner decodes a property, where `:` and `,` have a meaning.
fn escaped_property(text: &str) -> String {
    escaped(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests;
