//! The one orchestrator: lease → target → rounds → verdict → files for review.
//!
//! Only this room starts targets and puts drivers on them.

mod known;
mod progress;
mod round;
mod session;
mod settings;
mod signs;

use std::path::PathBuf;

pub(crate) use progress::{Progress, Silent};

use crate::baseline::{
    Accepted, BaselineError, Build, Key, Pending, Project, SCHEMA, Session, Subject, TargetRecord,
    write_whole,
};
use crate::error::Error;
use crate::gate::{Comparison, Finding, Judgement, Verdict, judge};
use crate::host::Lease;
use crate::outcome::{Outcome, Place, Warning};
use crate::report;
use crate::scenario::{Plan, Scenario};
use known::Known;
use session::Rounds;
pub(crate) use settings::{Mode, Settings};

/// Where a scenario stands, and how its crate was built.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) package: String,
    pub(crate) manifest_dir: PathBuf,
    pub(crate) place: Place,
    /// Built with debug assertions: nothing is gated then.
    pub(crate) debug: bool,
}

/// Runs a scenario and writes what it left: its outcome, and its session for review.
pub(crate) fn run(
    scenario: Scenario,
    site: &Site,
    progress: &mut dyn Progress,
) -> Result<Outcome, Error> {
    run_with(scenario, site, Settings::read()?, progress)
}

fn run_with(
    scenario: Scenario,
    site: &Site,
    settings: Settings,
    progress: &mut dyn Progress,
) -> Result<Outcome, Error> {
    let plan = scenario.plan()?;
    let run = Run::prepare(plan, site, settings)?;
    let outcome = match run.outcome(progress) {
        Err(Error::Target(error))
            if error.is_docker_unavailable() && !run.settings.docker_required =>
        {
            run.skipped(&Error::Target(error))
        }
        Err(error) => {
            run.write(&run.failed(&error))?;
            return Err(error);
        }
        Ok(outcome) => outcome,
    };
    run.write(&outcome)?;
    Ok(outcome)
}

struct Run<'a> {
    plan: Plan,
    site: &'a Site,
    project: Project,
    key: Key,
    settings: Settings,
}

impl<'a> Run<'a> {
    fn prepare(plan: Plan, site: &'a Site, settings: Settings) -> Result<Self, Error> {
        let project = Project::discover(&site.manifest_dir)?;
        let key = Key {
            class: settings.class.clone(),
            package: site.package.clone(),
            scenario: plan.name.clone(),
        };
        Ok(Self {
            plan,
            site,
            project,
            key,
            settings,
        })
    }

    fn outcome(&self, progress: &mut dyn Progress) -> Result<Outcome, Error> {
        let off = || Finding::SwitchedOff {
            value: "off".to_owned(),
        };
        match self.settings.mode {
            Mode::Off => self.ungated(off(), progress),
            Mode::Check | Mode::Record if self.site.debug => {
                self.ungated(Finding::DebugBuild, progress)
            }
            Mode::Check | Mode::Record => self.gated(progress),
        }
    }

    /// Measures and judges. The baseline is read before the first request is sent, so that a file
    /// that cannot be used is known before time is spent.
    fn gated(&self, progress: &mut dyn Progress) -> Result<Outcome, Error> {
        let known = Known::read(self, &self.subject())?;
        let _lease = self.lease(progress)?;
        let mut rounds = Rounds::measure(&self.plan, self.plan.rounds, progress)?;
        let mut judgement = self.judge(&known, &rounds, None);
        if judgement.wants_more_rounds() {
            progress.again(judgement.verdict);
            let again = Rounds::measure(&self.plan, self.plan.rounds, progress)?;
            let session = again.session();
            rounds.extend(again);
            judgement = self.judge(&known, &rounds, Some(&session));
        }
        progress.done();
        self.finish(&known, &rounds, judgement)
    }

    fn judge(&self, known: &Known, rounds: &Rounds, again: Option<&Session>) -> Judgement {
        let saturated = signs::saturation(rounds.samples());
        let now = rounds.session();
        known.judge(|before| {
            let comparison = Comparison {
                before,
                now: &now,
                again,
                error_budget: self.plan.load.error_budget,
                first_error: rounds.first_error(),
                saturated: saturated.as_ref(),
            };
            judge(&self.plan.gate, &comparison)
        })
    }

    fn finish(
        &self,
        known: &Known,
        rounds: &Rounds,
        judgement: Judgement,
    ) -> Result<Outcome, Error> {
        let mut session = rounds.session();
        session.revision = self.project.revision();
        let warnings = self.warnings(rounds, &judgement);
        session.warnings = warnings
            .iter()
            .map(Warning::name)
            .map(str::to_owned)
            .collect();
        let pending = self.leave_for_review(rounds, &session, &judgement)?;
        let judgement = match self.settings.mode {
            Mode::Record => recorded(judgement),
            Mode::Check | Mode::Off => judgement,
        };
        Ok(Outcome {
            session: Some(session),
            accepted: known.accepted().cloned(),
            warnings,
            pending,
            endpoint: rounds.endpoint().map(|endpoint| endpoint.url("/")),
            ..self.bare(judgement)
        })
    }

    /// One round: statuses are checked, nothing is compared.
    fn ungated(&self, why: Finding, progress: &mut dyn Progress) -> Result<Outcome, Error> {
        let _lease = self.lease(progress)?;
        let small = settings::smoke(&self.plan.load);
        let load = if self.site.debug {
            &small
        } else {
            &self.plan.load
        };
        let rounds = Rounds::measure_load(&self.plan, load, 1, progress)?;
        progress.done();
        let mut judgement = self.judge(&Known::nothing(), &rounds, None);
        if judgement.verdict != Verdict::Broken {
            judgement.verdict = Verdict::NotGated;
        }
        judgement.findings.push(why);
        Ok(Outcome {
            session: Some(rounds.session()),
            endpoint: rounds.endpoint().map(|endpoint| endpoint.url("/")),
            ..self.bare(judgement)
        })
    }

    fn lease(&self, progress: &mut dyn Progress) -> Result<Lease, Error> {
        let holder = format!("{} of {}", self.key.scenario, self.key.package);
        Ok(Lease::acquire(&holder, |present| {
            progress.waiting(present)
        })?)
    }

    fn warnings(&self, rounds: &Rounds, judgement: &Judgement) -> Vec<Warning> {
        let mut warnings = signs::warnings(&self.plan, rounds);
        let said = judgement
            .findings
            .iter()
            .any(|finding| matches!(finding, Finding::ClientSaturated { .. }));
        warnings.retain(|warning| !(said && matches!(warning, Warning::ClientSaturated { .. })));
        warnings.extend(
            self.settings
                .attempt
                .map(|attempt| Warning::Retried { attempt }),
        );
        warnings
    }

    /// Numbers that cannot be trusted are not offered for review.
    fn leave_for_review(
        &self,
        rounds: &Rounds,
        session: &Session,
        judgement: &Judgement,
    ) -> Result<Option<PathBuf>, Error> {
        let store = self.project.pending();
        if judgement.findings.iter().any(Finding::spoils_the_numbers) {
            store.remove(&self.key)?;
            return Ok(None);
        }
        let subject = self.subject();
        let target = TargetRecord {
            image: rounds.image().map(str::to_owned),
            ..subject.target
        };
        let path = store.write(&Pending {
            build: subject.build,
            class: self.key.class.clone(),
            load: subject.load,
            load_hash: subject.load_hash,
            package: self.key.package.clone(),
            renamed_from: self.plan.renamed_from.clone(),
            scenario: self.key.scenario.clone(),
            schema: SCHEMA,
            session: session.clone(),
            target,
            verdict: judgement.verdict.name().to_owned(),
        })?;
        Ok(Some(path))
    }

    fn subject(&self) -> Subject {
        let profile = if self.site.debug { "debug" } else { "release" };
        Subject {
            load: self.plan.load.fields(),
            load_hash: self.plan.load.hash(),
            build: Build {
                profile: profile.to_owned(),
                rustc: env!("PERF_HARNESS_RUSTC").to_owned(),
            },
            target: TargetRecord {
                image: None,
                kind: self.plan.target.kind_name().to_owned(),
                network: self.plan.target.network_name().to_owned(),
            },
        }
    }

    fn skipped(&self, error: &Error) -> Outcome {
        let reason = error.to_string();
        self.bare(Judgement::without_numbers(
            Verdict::Skipped,
            vec![Finding::Unavailable { reason }],
        ))
    }

    fn failed(&self, error: &Error) -> Outcome {
        let reason = error.to_string();
        self.bare(Judgement::without_numbers(
            Verdict::Broken,
            vec![Finding::Unusable { reason }],
        ))
    }

    fn bare(&self, judgement: Judgement) -> Outcome {
        Outcome {
            key: self.key.clone(),
            judgement,
            session: None,
            accepted: None::<Accepted>,
            warnings: Vec::new(),
            pending: None,
            endpoint: None,
            place: self.site.place.clone(),
            reported_only: self.settings.reported_only,
        }
    }

    fn write(&self, outcome: &Outcome) -> Result<(), BaselineError> {
        let path = self.key.path(&self.project.outcomes());
        write_whole(&path, &report::json::to_text(outcome))
    }
}

/// With `PERF_BASELINE=record` a session is taken, whatever it says; only what cannot be trusted
/// still fails.
fn recorded(mut judgement: Judgement) -> Judgement {
    if !judgement.findings.iter().any(Finding::spoils_the_numbers) {
        judgement.verdict = Verdict::NotGated;
    }
    judgement.findings.push(Finding::SwitchedOff {
        value: "record".to_owned(),
    });
    judgement
}

#[cfg(test)]
mod tests;
