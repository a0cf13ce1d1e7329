//! The one orchestrator: lease → target → rounds → verdict → files for review.
//!
//! Only this room starts targets and puts drivers on them.

#[cfg(feature = "cli")]
mod ad_hoc;
mod known;
mod progress;
mod records;
mod round;
mod session;
mod settings;
mod signs;

use std::path::PathBuf;

#[cfg(feature = "cli")]
pub(crate) use ad_hoc::{Listener, ad_hoc};
pub(crate) use progress::{Progress, Silent};
pub(crate) use settings::{Mode, Settings};

use crate::baseline::Session;
use crate::error::Error;
use crate::gate::{Comparison, Finding, Judgement, Verdict, judge};
use crate::host::Lease;
use crate::load::Load;
use crate::outcome::{Outcome, Place, Warning};
use crate::scenario::{Plan, Scenario};
use known::Known;
use records::Records;
use session::Rounds;

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
    let name = match scenario.checked_name() {
        Ok(name) => name,
        // Without a name there is no file for the outcome; the plan names all other mistakes too.
        Err(mistake) => return Err(scenario.plan().err().unwrap_or(mistake).into()),
    };
    let records = Records::new(name, site, &settings)?;
    records.begin()?;
    let outcome = outcome(scenario, site, settings, &records, progress);
    let written = outcome
        .as_ref()
        .map_or_else(|error| records.failed(error), Outcome::clone);
    records.write(&written)?;
    outcome
}

fn outcome(
    scenario: Scenario,
    site: &Site,
    settings: Settings,
    records: &Records<'_>,
    progress: &mut dyn Progress,
) -> Result<Outcome, Error> {
    let run = Run {
        plan: scenario.plan()?,
        site,
        settings,
        records,
    };
    match run.plan.target.check_available() {
        Err(error) if error.is_docker_unavailable() && !run.settings.docker_required => {
            Ok(records.skipped(&Error::Target(error)))
        }
        Err(error) => Err(Error::Target(error)),
        Ok(()) => run.outcome(progress),
    }
}

struct Run<'a> {
    plan: Plan,
    site: &'a Site,
    settings: Settings,
    records: &'a Records<'a>,
}

impl Run<'_> {
    fn outcome(&self, progress: &mut dyn Progress) -> Result<Outcome, Error> {
        let off = || Finding::SwitchedOff {
            value: "off".to_owned(),
        };
        match self.settings.mode {
            Mode::Off => self.ungated(&self.plan.load, off(), progress),
            Mode::Check | Mode::Record if self.site.debug => self.ungated(
                &settings::smoke(&self.plan.load),
                Finding::DebugBuild,
                progress,
            ),
            Mode::Check | Mode::Record => self.gated(progress),
        }
    }

    /// Measures and judges. The baseline is read before the first request is sent, so that a file
    /// that cannot be used is known before time is spent.
    fn gated(&self, progress: &mut dyn Progress) -> Result<Outcome, Error> {
        self.records.forget_pending()?;
        let known = Known::read(self)?;
        let _lease = self.lease(progress)?;
        let mut rounds = Rounds::measure(&self.plan, self.plan.rounds, progress)?;
        let mut judgement = self.judge(&known, &self.plan.load, &rounds, None);
        if judgement.wants_more_rounds() {
            progress.again(judgement.verdict);
            let again = Rounds::measure(&self.plan, self.plan.rounds, progress)?;
            let session = again.session();
            rounds.extend(again);
            judgement = self.judge(&known, &self.plan.load, &rounds, Some(&session));
        }
        self.finish(&known, &rounds, judgement)
    }

    fn judge(
        &self,
        known: &Known,
        load: &Load,
        rounds: &Rounds,
        again: Option<&Session>,
    ) -> Judgement {
        let samples = rounds.samples();
        let saturated = signs::saturation(load, samples);
        let cut = signs::cut(load, samples);
        let now = rounds.session();
        known.judge(|before| {
            let comparison = Comparison {
                before,
                now: &now,
                again,
                requests: signs::requests_asked_for(load, samples),
                cut: cut.as_ref(),
                error_budget: load.error_budget,
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
        session.revision = self.records.project.revision();
        let warnings = self.warnings(rounds, &judgement);
        session.warnings = warnings
            .iter()
            .map(Warning::name)
            .map(str::to_owned)
            .collect();
        let pending =
            self.records
                .leave_for_review(&self.plan, &session, &judgement, rounds.image())?;
        let judgement = match self.settings.mode {
            Mode::Record => recorded(judgement),
            Mode::Check | Mode::Off => judgement,
        };
        Ok(Outcome {
            session: Some(session),
            accepted: known.accepted().cloned(),
            warnings,
            pending,
            ..self.bare(judgement, rounds)
        })
    }

    /// One round: statuses are checked, nothing is compared.
    fn ungated(
        &self,
        load: &Load,
        why: Finding,
        progress: &mut dyn Progress,
    ) -> Result<Outcome, Error> {
        let _lease = self.lease(progress)?;
        let rounds = Rounds::measure_load(&self.plan, load, 1, progress)?;
        let mut judgement = self.judge(&Known::Nothing, load, &rounds, None);
        if judgement.verdict != Verdict::Broken {
            judgement.verdict = Verdict::NotGated;
        }
        judgement.findings.push(why);
        Ok(Outcome {
            session: Some(rounds.session()),
            ..self.bare(judgement, &rounds)
        })
    }

    fn bare(&self, judgement: Judgement, rounds: &Rounds) -> Outcome {
        Outcome {
            connections: self.plan.load.concurrency,
            duration: self.plan.load.duration,
            rounds: rounds.details(),
            endpoint: rounds.endpoint().map(|endpoint| endpoint.url("/")),
            ..self.records.bare(judgement)
        }
    }

    fn lease(&self, progress: &mut dyn Progress) -> Result<Lease, Error> {
        let key = &self.records.key;
        let holder = format!("{} of {}", key.scenario, key.package);
        Ok(Lease::acquire(&holder, |present| {
            progress.waiting(present)
        })?)
    }

    fn warnings(&self, rounds: &Rounds, judgement: &Judgement) -> Vec<Warning> {
        let mut warnings = signs::warnings(&self.plan, rounds, judgement);
        let is_said = |finding: &Finding| matches!(finding, Finding::ClientSaturated { .. });
        let said = judgement.findings.iter().any(is_said);
        warnings.retain(|warning| !(said && matches!(warning, Warning::ClientSaturated { .. })));
        warnings.extend(
            self.settings
                .attempt
                .map(|attempt| Warning::Retried { attempt }),
        );
        warnings
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
