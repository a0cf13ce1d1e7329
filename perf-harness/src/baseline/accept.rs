//! What an accepted session makes of a baseline. Pure.

use super::format::SCHEMA;
use super::pending::Pending;
use super::record::{Accepted, Baseline};
use crate::sample::Metric;

/// Why a pending session is not accepted as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AcceptError {
    /// Worse numbers are only accepted with a reason.
    #[error(
        "{scenario} {}: say why that is accepted with `--reason \"…\"`; the reason is committed with the numbers",
        got_worse(.breached)
    )]
    ReasonWanted {
        /// Which scenario.
        scenario: String,
        /// The metrics that got worse by their thresholds, where that is known.
        breached: Vec<Metric>,
    },
}

/// The baseline once `pending` is accepted in the place of `present`.
///
/// A pass or an inconclusive session joins the sessions that are there, since it is of the same
/// kind as they are; anything else replaces them and keeps their medians for the reader.
///
/// # Errors
///
/// [`AcceptError`] when the session regressed, or a judged metric was worse by its threshold, and
/// there is no reason.
pub fn accept(
    pending: Pending,
    present: Option<&Baseline>,
    reason: Option<&str>,
) -> Result<Baseline, AcceptError> {
    let reason = reason.map(str::trim).filter(|reason| !reason.is_empty());
    if pending.wants_reason() && reason.is_none() {
        return Err(AcceptError::ReasonWanted {
            scenario: pending.scenario.to_string(),
            breached: pending.breached,
        });
    }
    match present {
        Some(present) if pending.joins() && present.load_hash == pending.load_hash => {
            Ok(joined(present, pending, reason))
        }
        _ => Ok(replaced(present, pending, reason)),
    }
}

fn got_worse(breached: &[Metric]) -> String {
    if breached.is_empty() {
        return "regressed".to_owned();
    }
    let names: Vec<&str> = breached.iter().map(|metric| metric.name()).collect();
    format!("got worse by the threshold of {}", names.join(", "))
}

fn joined(present: &Baseline, pending: Pending, reason: Option<&str>) -> Baseline {
    let mut baseline = present.clone();
    if baseline.sessions.contains(&pending.session) {
        return baseline;
    }
    if pending.wants_reason() {
        baseline.accepted = accepted(Some(present), &pending, reason);
    }
    baseline.sessions.push(pending.session);
    let surplus = baseline
        .sessions
        .len()
        .saturating_sub(Baseline::MOST_SESSIONS);
    baseline.sessions.drain(..surplus);
    baseline
}

fn accepted(present: Option<&Baseline>, pending: &Pending, reason: Option<&str>) -> Accepted {
    Accepted {
        medians: pending.session.medians(),
        previous: present.map(Baseline::medians).unwrap_or_default(),
        reason: reason.map(str::to_owned),
        revision: pending.session.revision.clone(),
    }
}

fn replaced(present: Option<&Baseline>, pending: Pending, reason: Option<&str>) -> Baseline {
    Baseline {
        accepted: accepted(present, &pending, reason),
        build: pending.build,
        class: pending.class,
        load: pending.load,
        load_hash: pending.load_hash,
        package: pending.package,
        renamed_from: pending.renamed_from,
        scenario: pending.scenario,
        schema: SCHEMA,
        sessions: vec![pending.session],
        target: pending.target,
    }
}
