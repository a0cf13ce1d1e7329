//! What an accepted session makes of a baseline. Pure.

use super::format::SCHEMA;
use super::pending::Pending;
use super::record::{Accepted, Baseline};

/// Why a pending session is not accepted as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AcceptError {
    /// Worse numbers are only accepted with a reason.
    #[error(
        "{scenario} regressed: say why that is accepted with `--reason \"…\"`; the reason is committed with the numbers"
    )]
    ReasonWanted {
        /// Which scenario.
        scenario: String,
    },
}

/// The baseline once `pending` is accepted in the place of `present`.
///
/// A pass or an inconclusive session joins the sessions that are there, since it is of the same
/// kind as they are; anything else replaces them and keeps their medians for the reader.
///
/// # Errors
///
/// [`AcceptError`] when the session regressed and there is no reason.
pub fn accept(
    pending: Pending,
    present: Option<&Baseline>,
    reason: Option<&str>,
) -> Result<Baseline, AcceptError> {
    let reason = reason.map(str::trim).filter(|reason| !reason.is_empty());
    if pending.verdict == "regressed" && reason.is_none() {
        return Err(AcceptError::ReasonWanted {
            scenario: pending.scenario.to_string(),
        });
    }
    let joins = matches!(pending.verdict.as_str(), "pass" | "inconclusive");
    match present {
        Some(present) if joins && present.load_hash == pending.load_hash => {
            Ok(joined(present, pending))
        }
        _ => Ok(replaced(present, pending, reason)),
    }
}

fn joined(present: &Baseline, pending: Pending) -> Baseline {
    let mut baseline = present.clone();
    if !baseline.sessions.contains(&pending.session) {
        baseline.sessions.push(pending.session);
    }
    let surplus = baseline
        .sessions
        .len()
        .saturating_sub(Baseline::MOST_SESSIONS);
    baseline.sessions.drain(..surplus);
    baseline
}

fn replaced(present: Option<&Baseline>, pending: Pending, reason: Option<&str>) -> Baseline {
    Baseline {
        accepted: Accepted {
            medians: pending.session.medians(),
            previous: present.map(Baseline::medians).unwrap_or_default(),
            reason: reason.map(str::to_owned),
            revision: pending.session.revision.clone(),
        },
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
