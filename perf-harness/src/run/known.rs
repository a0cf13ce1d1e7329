//! The baseline that judges a run, or why none can.
//!
//! Where a base revision is known (a pull request), the base's file judges: a change cannot loosen
//! its own gate. The file at hand judges in its place only if it was accepted with a reason, which
//! is then the first thing that the report says.

use super::Run;
use crate::baseline::{Accepted, Baseline, BaselineError, Difference, Key, Session, Subject};
use crate::error::{Error, in_words};
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

/// The baselines that judge, all of them comparable.
#[derive(Debug)]
pub(super) struct Judges {
    first: Baseline,
    /// Judges when the first says regressed: what this change accepted with a reason.
    instead: Option<Baseline>,
    /// What the report says first.
    notice: Option<Finding>,
}

impl Known {
    /// Reads what is known of the run's scenario, without a request being sent.
    pub(super) fn read(run: &Run<'_>) -> Result<Self, Error> {
        let (own, base) = match (read_own(run), read_base(run)?) {
            (Ok(own), Ok(base)) => (own, base),
            (Err(error), _) | (_, Err(error)) => return Ok(Self::unusable(&error)),
        };
        let subject = run.records.subject(&run.plan);
        match (base, own) {
            (None, None) => Self::absent(run),
            (Some(base), None) => Ok(Self::removed(run, Some(base.accepted))),
            (Some(base), Some(own)) if base != own => Ok(Self::of_both(base, own, &subject)),
            (_, Some(own)) => Ok(Self::of_one(own, &subject)),
        }
    }

    /// What was accepted last.
    pub(super) fn accepted(&self) -> Option<&Accepted> {
        match self {
            Self::Nothing => None,
            Self::Comparable(judges) => {
                Some(&judges.instead.as_ref().unwrap_or(&judges.first).accepted)
            }
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

    fn of_one(baseline: Baseline, subject: &Subject) -> Self {
        let differences = baseline.differences(subject);
        if differences.is_empty() {
            return Self::Comparable(Box::new(Judges {
                first: baseline,
                instead: None,
                notice: None,
            }));
        }
        Self::incomparable(differences, Vec::new(), baseline.accepted)
    }

    /// The change under test changes its own baseline, or the load that it is a baseline of.
    fn of_both(base: Baseline, own: Baseline, subject: &Subject) -> Self {
        let notice = Finding::BaselineChanged {
            base: base.medians(),
            own: own.medians(),
            reason: own.accepted.reason.clone(),
        };
        let has_reason = own.accepted.reason.is_some() && own.accepted != base.accepted;
        let reasoned = has_reason && own.differences(subject).is_empty();
        let differences = base.differences(subject);
        let (first, instead) = match (differences.is_empty(), reasoned) {
            (true, true) => (base, Some(own)),
            (true, false) => (base, None),
            (false, true) => (own, None),
            (false, false) => {
                return Self::incomparable(differences, vec![notice], base.accepted);
            }
        };
        Self::Comparable(Box::new(Judges {
            first,
            instead,
            notice: Some(notice),
        }))
    }

    fn incomparable(
        differences: Vec<Difference>,
        mut findings: Vec<Finding>,
        accepted: Accepted,
    ) -> Self {
        findings.extend(differences.into_iter().map(differs));
        Self::Refused {
            verdict: Verdict::Incomparable,
            findings,
            accepted: Some(accepted),
        }
    }

    fn unusable(error: &BaselineError) -> Self {
        let reason = in_words(error);
        Self::refused(Verdict::Broken, Finding::Unusable { reason }, None)
    }

    fn removed(run: &Run<'_>, accepted: Option<Accepted>) -> Self {
        let records = run.records;
        let file = records.project.baseline_file(&records.key);
        Self::refused(Verdict::Missing, Finding::Removed { file }, accepted)
    }

    fn refused(verdict: Verdict, finding: Finding, accepted: Option<Accepted>) -> Self {
        Self::Refused {
            verdict,
            findings: vec![finding],
            accepted,
        }
    }

    /// No file here: it may have been removed, or there are numbers of other machines only.
    fn absent(run: &Run<'_>) -> Result<Self, Error> {
        let (project, key) = (&run.records.project, &run.records.key);
        if project.is_committed(key)? {
            return Ok(Self::removed(run, None));
        }
        let same = |other: &Key| other.package == key.package && other.scenario == key.scenario;
        let other = project.baselines().keys()?.into_iter().find(same);
        let Some(other) = other else {
            return Ok(Self::Nothing);
        };
        let finding = differs(Difference {
            field: "machine class".to_owned(),
            baseline: other.class.to_string(),
            now: key.class.to_string(),
        });
        Ok(Self::refused(Verdict::Incomparable, finding, None))
    }
}

fn differs(difference: Difference) -> Finding {
    Finding::Differs { difference }
}

/// The key of the run, then that of its former name.
fn keys(run: &Run<'_>) -> impl Iterator<Item = Key> {
    let key = run.records.key.clone();
    let former = run.plan.renamed_from.clone().map(|scenario| Key {
        scenario,
        ..key.clone()
    });
    std::iter::once(key).chain(former)
}

fn read_own(run: &Run<'_>) -> Result<Option<Baseline>, BaselineError> {
    let store = run.records.project.baselines();
    for key in keys(run) {
        if let Some(baseline) = store.read(&key)? {
            return Ok(Some(baseline));
        }
    }
    Ok(None)
}

/// The outer error: the base revision cannot be read at all. The inner one: its file cannot be used.
fn read_base(run: &Run<'_>) -> Result<Result<Option<Baseline>, BaselineError>, Error> {
    let Some(base) = &run.settings.base else {
        return Ok(Ok(None));
    };
    for key in keys(run) {
        match run.records.project.baseline_at(base, &key)? {
            Ok(None) => {}
            found => return Ok(found),
        }
    }
    Ok(Ok(None))
}

impl Judges {
    fn judge(&self, judge: impl Fn(&[Session]) -> Judgement) -> Judgement {
        let mut judgement = judge(&self.first.sessions);
        if let Some(instead) = self
            .instead
            .as_ref()
            .filter(|_| judgement.verdict == Verdict::Regressed)
        {
            judgement = judge(&instead.sessions);
        }
        if let Some(notice) = &self.notice {
            judgement.findings.insert(0, notice.clone());
        }
        judgement
    }
}
