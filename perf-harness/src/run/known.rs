//! The baseline that judges a run, or why none can.

use super::Run;
use crate::baseline::{
    Accepted, Baseline, BaselineError, Difference, Key, Project, Session, Subject,
};
use crate::error::{Error, causes};
use crate::gate::{Finding, Judgement, Verdict};

/// What is known of a scenario before it is measured.
#[derive(Debug)]
pub(super) enum Known {
    /// No baseline, and none is expected.
    Nothing,
    /// A baseline that may be compared with.
    Comparable(Box<Judges>),
    /// No comparison is possible; the verdict is known already.
    Refused {
        verdict: Verdict,
        findings: Vec<Finding>,
        accepted: Option<Accepted>,
    },
}

/// The baseline of the base revision judges; the one at hand speaks when a change was accepted.
#[derive(Debug)]
pub(super) struct Judges {
    base: Baseline,
    /// The file at hand, when the change under test changes it.
    own: Option<Baseline>,
}

impl Known {
    /// Reads what is known of the run's scenario, without a request being sent.
    pub(super) fn read(run: &Run<'_>, subject: &Subject) -> Result<Self, Error> {
        match read_judges(run)? {
            Ok(Some(judges)) => Ok(Self::comparable(judges, subject)),
            Ok(None) => Self::absent(&run.project, &run.key),
            Err(error) => Ok(Self::unusable(&error)),
        }
    }

    pub(super) fn nothing() -> Self {
        Self::Nothing
    }

    /// What was accepted last.
    pub(super) fn accepted(&self) -> Option<&Accepted> {
        match self {
            Self::Nothing => None,
            Self::Comparable(judges) => Some(&judges.own.as_ref().unwrap_or(&judges.base).accepted),
            Self::Refused { accepted, .. } => accepted.as_ref(),
        }
    }

    /// The judgement, by `judge`, which compares with the sessions it is given.
    pub(super) fn judge(&self, judge: impl Fn(&[Session]) -> Judgement) -> Judgement {
        match self {
            Self::Nothing => judge(&[]),
            Self::Comparable(judges) => judges.judge(judge),
            Self::Refused {
                verdict, findings, ..
            } => {
                let mut judgement = judge(&[]);
                if judgement.verdict == Verdict::New {
                    judgement.verdict = *verdict;
                }
                judgement.findings.extend(findings.iter().cloned());
                judgement
            }
        }
    }

    fn comparable(judges: Judges, subject: &Subject) -> Self {
        let differences = judges
            .own
            .as_ref()
            .unwrap_or(&judges.base)
            .differences(subject);
        if differences.is_empty() {
            return Self::Comparable(Box::new(judges));
        }
        Self::Refused {
            verdict: Verdict::Incomparable,
            findings: differences.into_iter().map(differs).collect(),
            accepted: Some(judges.base.accepted),
        }
    }

    fn unusable(error: &BaselineError) -> Self {
        let reason = format!("{error}{}", causes(error));
        Self::refused(Verdict::Broken, vec![Finding::Unusable { reason }])
    }

    fn refused(verdict: Verdict, findings: Vec<Finding>) -> Self {
        Self::Refused {
            verdict,
            findings,
            accepted: None,
        }
    }

    /// No file here: it may have been removed, or there are numbers of other machines only.
    fn absent(project: &Project, key: &Key) -> Result<Self, Error> {
        if let Some(file) = project.removed_baseline(key) {
            return Ok(Self::refused(
                Verdict::Missing,
                vec![Finding::Removed { file }],
            ));
        }
        let same = |other: &Key| other.package == key.package && other.scenario == key.scenario;
        let others: Vec<Key> = project
            .baselines()
            .keys()?
            .into_iter()
            .filter(same)
            .collect();
        let Some(other) = others.first() else {
            return Ok(Self::Nothing);
        };
        let finding = differs(Difference {
            field: "machine class".to_owned(),
            baseline: other.class.to_string(),
            now: key.class.to_string(),
        });
        Ok(Self::refused(Verdict::Incomparable, vec![finding]))
    }
}

fn differs(difference: Difference) -> Finding {
    Finding::Differs { difference }
}

/// The outer error: the base revision cannot be read at all. The inner one: a file cannot be used.
fn read_judges(run: &Run<'_>) -> Result<Result<Option<Judges>, BaselineError>, Error> {
    let own = match read_own(run) {
        Ok(own) => own,
        Err(error) => return Ok(Err(error)),
    };
    let Some(revision) = &run.settings.base else {
        return Ok(Ok(own.map(|base| Judges { base, own: None })));
    };
    let base = run.project.baseline_at(revision, &run.key)?;
    Ok(base.map(|base| pair(base, own)))
}

fn pair(base: Option<Baseline>, own: Option<Baseline>) -> Option<Judges> {
    match (base, own) {
        (Some(base), own) => {
            let own = own.filter(|own| *own != base);
            Some(Judges { base, own })
        }
        (None, own) => own.map(|base| Judges { base, own: None }),
    }
}

fn read_own(run: &Run<'_>) -> Result<Option<Baseline>, BaselineError> {
    let store = run.project.baselines();
    let present = store.read(&run.key)?;
    match &run.plan.renamed_from {
        Some(former) if present.is_none() => {
            let key = Key {
                scenario: former.clone(),
                ..run.key.clone()
            };
            store.read(&key)
        }
        _ => Ok(present),
    }
}

impl Judges {
    /// A change of the file counts when it was accepted with a reason: then it is read first by
    /// whoever reviews the change, and judges in place of the base's.
    fn judge(&self, judge: impl Fn(&[Session]) -> Judgement) -> Judgement {
        let by_base = judge(&self.base.sessions);
        let Some(own) = &self.own else {
            return by_base;
        };
        let accepted = own.accepted.reason.is_some() && own.accepted != self.base.accepted;
        let mut judgement = match accepted && by_base.verdict == Verdict::Regressed {
            true => judge(&own.sessions),
            false => by_base,
        };
        judgement.findings.insert(0, self.changed(own));
        judgement
    }

    fn changed(&self, own: &Baseline) -> Finding {
        Finding::BaselineChanged {
            base: self.base.medians(),
            own: own.medians(),
            reason: own.accepted.reason.clone(),
        }
    }
}
