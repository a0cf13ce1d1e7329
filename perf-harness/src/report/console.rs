//! What a user sees of one scenario.

use super::change;
use super::detail;
use super::foreign::{marked, one_line};
use super::next_step::next_step;
use super::style::{Style, Tone};
use super::units::{counted, seconds};
use super::warning;
use super::wrap::labelled;
use crate::baseline::Session;
use crate::gate::{Finding, Verdict};
use crate::outcome::Outcome;
use crate::sample::Ended;

/// The report of one scenario: a headline, its metrics, why, and what to do next.
///
/// No line is wider than 100 characters unless a path is, or the one line of a skip. Every line of foreign text (logs and
/// replies of servers) begins with `| ` after blanks, so that it is never a command of GitHub's.
#[must_use]
pub fn scenario(outcome: &Outcome, style: Style) -> String {
    if let [Finding::Unavailable { reason }] = outcome.judgement.findings.as_slice() {
        return skipped(outcome, reason, style);
    }
    let changes = &outcome.judgement.changes;
    let parts = [
        headline(outcome, style),
        change::table(&outcome.judgement).to_text(style),
        details(outcome),
        change::detectable(changes).map_or_else(String::new, |text| {
            labelled("smallest detectable change:", &text)
        }),
        outcome.judgement.findings.iter().map(finding).collect(),
        outcome.warnings.iter().map(warning_lines).collect(),
        provenance(outcome),
        pending(outcome),
    ];
    parts.concat()
}

fn details(outcome: &Outcome) -> String {
    let lines = detail::lines(outcome).into_iter();
    lines.map(|(label, text)| labelled(&label, &text)).collect()
}

/// One line, since a machine without Docker skips many: `skipped  shop/home  the Docker engine …`.
fn skipped(outcome: &Outcome, reason: &str, style: Style) -> String {
    let verdict = outcome.judgement.verdict;
    let word = style.paint(Tone::of_verdict(verdict), verdict.name());
    format!(
        "{word}  {}  {}\n",
        outcome.key.scenario,
        one_line(reason, 300)
    )
}

/// `regressed  shop/home  5 rounds of 10,000 requests, 50 connections, to 127.0.0.1:8080`.
fn headline(outcome: &Outcome, style: Style) -> String {
    let verdict = outcome.judgement.verdict;
    let word = style.paint(Tone::of_verdict(verdict), verdict.name());
    let rounds = load(outcome);
    let place = outcome
        .endpoint
        .as_ref()
        .map(|endpoint| format!("to {}", one_line(endpoint, 60)));
    let connections = counted(outcome.connections as u64, "connection");
    let load = rounds.map(|rounds| format!("{rounds}, {connections},"));
    let load: Vec<String> = load.into_iter().chain(place).collect();
    let line = format!("{word}  {}  {}", outcome.key.scenario, load.join(" "));
    format!("{}{}\n", line.trim_end(), reported_only(outcome))
}

fn reported_only(outcome: &Outcome) -> &'static str {
    let spared = outcome.reported_only && outcome.judgement.verdict == Verdict::Regressed;
    if spared {
        "  (PERF_POLICY=report: the test does not fail)"
    } else {
        ""
    }
}

/// `5 rounds of 10,000 requests`, `10 rounds of 10 s at 2,000/s`; `None` when nothing was measured.
fn load(outcome: &Outcome) -> Option<String> {
    let session = outcome.session.as_ref()?;
    let rounds = by_time(outcome).or_else(|| rounds(session))?;
    let rate = detail::asked_rate(&outcome.rounds);
    Some(rounds + &rate.map_or(String::new(), |rate| format!(" at {rate}")))
}

/// `10 rounds of 10 s`; `None` unless time ended every round.
fn by_time(outcome: &Outcome) -> Option<String> {
    let rounds = &outcome.rounds;
    let duration = outcome.duration.filter(|_| !rounds.is_empty())?;
    let by_time = rounds.iter().all(|round| round.ended == Ended::Duration);
    let number = counted(rounds.len() as u64, "round");
    by_time.then(|| format!("{number} of {}", seconds(duration)))
}

/// `5 rounds of 10,000 requests`; `None` when there are none.
fn rounds(session: &Session) -> Option<String> {
    let first = session.rounds.first()?.sent;
    let number = counted(session.rounds.len() as u64, "round");
    if session.rounds.iter().all(|round| round.sent == first) {
        return Some(format!("{number} of {}", counted(first, "request")));
    }
    let sent: u64 = session.rounds.iter().map(|round| round.sent).sum();
    Some(format!("{number}, {} in all", counted(sent, "request")))
}

fn finding(finding: &Finding) -> String {
    let (own, foreign) = without_foreign_text(finding);
    let decides = !matches!(finding, Finding::Thin { .. });
    let label = if decides { "why:" } else { "note:" };
    labelled(label, &own) + &foreign.map(marked).unwrap_or_default()
}

/// The sentence of a finding, and what others wrote apart from it.
fn without_foreign_text(finding: &Finding) -> (String, Option<&str>) {
    match finding {
        Finding::Errors {
            failed,
            sent,
            example: Some(example),
        } => {
            let own = Finding::Errors {
                failed: *failed,
                sent: *sent,
                example: None,
            };
            (format!("{own}; the first:"), Some(example))
        }
        Finding::NothingMeasured {
            example: Some(example),
        } => {
            let own = Finding::NothingMeasured { example: None };
            (format!("{own}; the first:"), Some(example))
        }
        Finding::Unusable { reason } | Finding::Unavailable { reason } => {
            match reason.split_once('\n') {
                Some((own, foreign)) => (own.to_owned(), Some(foreign)),
                None => (reason.clone(), None),
            }
        }
        other => (other.to_string(), None),
    }
}

fn warning_lines(warning: &crate::outcome::Warning) -> String {
    let (own, foreign) = warning::sentence(warning);
    labelled("note:", &own) + &foreign.map(marked).unwrap_or_default()
}

/// On which machines the numbers are compared, and what they are compared with.
fn provenance(outcome: &Outcome) -> String {
    let mut text = outcome.key.class.to_string();
    if let Some(accepted) = &outcome.accepted {
        text += "; baseline accepted";
        text += &accepted
            .revision
            .as_ref()
            .map_or_else(String::new, |revision| format!(" at {revision}"));
        text += &accepted
            .reason
            .as_ref()
            .map_or_else(String::new, |reason| format!(": {}", one_line(reason, 200)));
    }
    labelled("machine:", &text)
}

fn pending(outcome: &Outcome) -> String {
    let Some(path) = &outcome.pending else {
        return String::new();
    };
    let file = labelled("pending:", &path.display().to_string());
    file + &next_step(outcome).map_or_else(String::new, |step| labelled("next:", &step))
}
