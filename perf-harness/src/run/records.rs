//! What a run leaves: its outcome, and its session for review.

use std::path::PathBuf;

use super::Site;
use super::settings::Settings;
use crate::baseline::{
    BaselineError, Build, Key, Pending, Project, SCHEMA, Session, Subject, TargetRecord,
    write_whole,
};
use crate::error::{Error, in_words};
use crate::gate::{Finding, Judgement, Verdict};
use crate::name::ScenarioName;
use crate::outcome::Outcome;
use crate::report;
use crate::scenario::Plan;

/// The files of one scenario in one project.
#[derive(Debug)]
pub(super) struct Records<'a> {
    pub(super) project: Project,
    pub(super) key: Key,
    site: &'a Site,
    reported_only: bool,
}

impl<'a> Records<'a> {
    pub(super) fn new(
        name: ScenarioName,
        site: &'a Site,
        settings: &Settings,
    ) -> Result<Self, Error> {
        Ok(Self {
            project: Project::discover(&site.manifest_dir)?,
            key: Key {
                class: settings.class.clone(),
                package: site.package.clone(),
                scenario: name,
            },
            site,
            reported_only: settings.reported_only,
        })
    }

    /// Takes the place of what an earlier run said: a run that is killed or panics leaves this.
    pub(super) fn begin(&self) -> Result<(), BaselineError> {
        self.write(
            &self.broken("the run did not finish: it was interrupted, or it panicked".to_owned()),
        )
    }

    pub(super) fn write(&self, outcome: &Outcome) -> Result<(), BaselineError> {
        let path = self.key.path(&self.project.outcomes());
        write_whole(&path, &report::json::to_text(outcome))
    }

    /// The session that an earlier run left is of older code.
    pub(super) fn forget_pending(&self) -> Result<(), BaselineError> {
        self.project.pending().remove(&self.key)
    }

    /// Leaves `session` for review, unless its numbers cannot be trusted.
    pub(super) fn leave_for_review(
        &self,
        plan: &Plan,
        session: &Session,
        judgement: &Judgement,
        image: Option<&str>,
    ) -> Result<Option<PathBuf>, BaselineError> {
        if judgement.findings.iter().any(Finding::spoils_the_numbers) {
            return Ok(None);
        }
        let subject = self.subject(plan);
        let target = TargetRecord {
            image: image.map(str::to_owned),
            ..subject.target
        };
        let pending = Pending {
            breached: judgement.breached().collect(),
            build: subject.build,
            class: self.key.class.clone(),
            load: subject.load,
            load_hash: subject.load_hash,
            package: self.key.package.clone(),
            renamed_from: plan.renamed_from.clone(),
            scenario: self.key.scenario.clone(),
            schema: SCHEMA,
            session: session.clone(),
            target,
            verdict: judgement.verdict.name().to_owned(),
        };
        self.project.pending().write(&pending).map(Some)
    }

    /// What is about to be measured.
    pub(super) fn subject(&self, plan: &Plan) -> Subject {
        let kind = if self.site.debug { "debug" } else { "release" };
        let mut load = plan.load.fields();
        load.extend(
            plan.target
                .url_name()
                .map(|url| ("url".to_owned(), url.into())),
        );
        Subject {
            load_hash: plan.load.hash(),
            load,
            build: Build {
                profile: format!("{kind}, opt-level {}", env!("PERF_HARNESS_OPT_LEVEL")),
                rustc: env!("PERF_HARNESS_RUSTC").to_owned(),
            },
            target: TargetRecord {
                image: None,
                kind: plan.target.kind_name().to_owned(),
                network: plan.target.network_name().to_owned(),
            },
        }
    }

    pub(super) fn skipped(&self, error: &Error) -> Outcome {
        let reason = in_words(error);
        self.bare(Judgement::without_numbers(
            Verdict::Skipped,
            vec![Finding::Unavailable { reason }],
        ))
    }

    pub(super) fn failed(&self, error: &Error) -> Outcome {
        self.broken(in_words(error))
    }

    fn broken(&self, reason: String) -> Outcome {
        self.bare(Judgement::without_numbers(
            Verdict::Broken,
            vec![Finding::Unusable { reason }],
        ))
    }

    /// An outcome without numbers.
    pub(super) fn bare(&self, judgement: Judgement) -> Outcome {
        Outcome {
            key: self.key.clone(),
            judgement,
            session: None,
            accepted: None,
            warnings: Vec::new(),
            pending: None,
            connections: 0,
            duration: None,
            rounds: Vec::new(),
            endpoint: None,
            place: self.site.place.clone(),
            reported_only: self.reported_only,
            workspace: self.project.root().to_owned(),
        }
    }
}
