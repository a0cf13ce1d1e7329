//! The baseline that judges a run, or why none can.

use std::env;

use crate::baseline::{Accepted, Baseline, BaselineError, Difference, Key, Project, Session, Subject};
use crate::error::{Error, causes};
use crate::gate::{Finding, Judgement, Verdict};
use crate::scenario::Plan;

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
    /// Reads what is known of `key`, without a request being sent.
    pub(super) fn read(project: &Project, key: &Key, plan: &Plan, subject: &Subject) -> Result<Self, Error> {
        match read_judges(project, key, plan)? {
            Ok(Some(judges)) => Ok(Self::comparable(judges, subject)),
            Ok(None) => Self::absent(project, key),
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
            Self::Refused { verdict, findings, .. } => {
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
        let differences = judges.own.as_ref().unwrap_or(&judges.base).differences(subject);
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
            return Ok(Self::refused(Verdict::Missing, vec![Finding::Removed { file }]));
        }
        let same = |other: &Key| other.package == key.package && other.scenario == key.scenario;
        let others: Vec<Key> = project.baselines().keys()?.into_iter().filter(same).collect();
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
fn read_judges(project: &Project, key: &Key, plan: &Plan) -> Result<Result<Option<Judges>, BaselineError>, Error> {
    let own = match read_own(project, key, plan) {
        Ok(own) => own,
        Err(error) => return Ok(Err(error)),
    };
    let Some(revision) = base_revision() else {
        return Ok(Ok(own.map(|base| Judges { base, own: None })));
    };
    let base = match project.baseline_at(&revision, key)? {
        Ok(base) => base,
        Err(error) => return Ok(Err(error)),
    };
    Ok(Ok(pair(base, own)))
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

fn read_own(project: &Project, key: &Key, plan: &Plan) -> Result<Option<Baseline>, BaselineError> {
    let store = project.baselines();
    let present = store.read(key)?;
    match &plan.renamed_from {
        Some(former) if present.is_none() => store.read(&Key {
            scenario: former.clone(),
            ..key.clone()
        }),
        _ => Ok(present),
    }
}

/// `PERF_BASE`, or on a pull request of GitHub the first parent of the merge that is checked out.
fn base_revision() -> Option<String> {
    let variable = |name| env::var(name).ok().filter(|value| !value.is_empty());
    let pull_request = || {
        let event = variable("GITHUB_EVENT_NAME")?;
        (event == "pull_request").then(|| "HEAD^1".to_owned())
    };
    variable("PERF_BASE").or_else(pull_request)
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
