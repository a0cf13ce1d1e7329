//! A scenario that was found free of mistakes.

use super::{Custom, Scenario, ScenarioError};
use crate::driver::{Driver, Http1};
use crate::gate::Gate;
use crate::load::{Client, Load, Pace};
use crate::name::ScenarioName;
use crate::sample::Metric;
use crate::target::Target;

/// What is to be run.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) renamed_from: Option<ScenarioName>,
    pub(crate) target: Target,
    pub(crate) load: Load,
    pub(crate) driver: Box<dyn Driver>,
    pub(crate) gate: Gate,
    pub(crate) rounds: usize,
}

impl Scenario {
    /// The name, by which also a scenario with mistakes is filed.
    pub(crate) fn checked_name(&self) -> Result<ScenarioName, ScenarioError> {
        Ok(ScenarioName::parse(self.name.clone())?)
    }

    /// Checks everything that can be checked without running.
    pub(crate) fn plan(mut self) -> Result<Plan, ScenarioError> {
        let mut mistakes = std::mem::take(&mut self.mistakes);
        keep(self.checked_name(), &mut mistakes);
        let renamed_from = self
            .renamed_from
            .clone()
            .map(ScenarioName::parse)
            .transpose();
        let renamed_from = keep(renamed_from, &mut mistakes);
        keep(self.load.check(), &mut mistakes);
        mistakes.extend(self.rounds.eq(&0).then_some(ScenarioError::NoRounds));
        mistakes.extend(too_few_requests(&self.gate, &self.load));
        let option = "threads";
        let on_journey = self.load.mix.is_none() && self.load.threads.is_some();
        mistakes.extend(on_journey.then_some(ScenarioError::NotForJourneys { option }));
        let driver = keep(driver(self.work, self.load.client), &mut mistakes);
        let target = keep(self.target.ok_or(ScenarioError::NoTarget), &mut mistakes);
        match (renamed_from, target, driver) {
            (Some(renamed_from), Some(target), Some(driver)) if mistakes.is_empty() => Ok(Plan {
                renamed_from,
                target,
                load: self.load,
                driver,
                gate: self.gate,
                rounds: self.rounds,
            }),
            _ => Err(together(mistakes)),
        }
    }
}

fn keep<T, E: Into<ScenarioError>>(
    result: Result<T, E>,
    mistakes: &mut Vec<ScenarioError>,
) -> Option<T> {
    result.map_err(|mistake| mistakes.push(mistake.into())).ok()
}

fn together(mut mistakes: Vec<ScenarioError>) -> ScenarioError {
    if mistakes.len() == 1 {
        return mistakes.remove(0);
    }
    ScenarioError::Several { mistakes }
}

/// A percentile that was asked for; those of the default gate are only shown on a small load.
fn too_few_requests(gate: &Gate, load: &Load) -> Vec<ScenarioError> {
    let asked = |metric: &Metric| gate.of(*metric).is_some_and(|limit| limit.asked);
    let Some(requests) = known_requests(load) else {
        return Vec::new();
    };
    let too_few = |metric: Metric| ScenarioError::TooFewRequests {
        metric,
        requests,
        wanted: metric.least_requests(),
    };
    let small = |metric: &Metric| requests < metric.least_requests();
    gate.metrics()
        .filter(asked)
        .filter(small)
        .map(too_few)
        .collect()
}

/// Requests a round, as far as they are known before it: a closed loop that only time ends sends
/// as many as the server answers.
fn known_requests(load: &Load) -> Option<u64> {
    let counted = (load.requests > 0).then_some(load.requests);
    let timed = match (&load.pace, load.duration) {
        (Pace::Open(rate), Some(duration)) => Some(rate.requests_in(duration) as u64),
        _ => None,
    };
    counted.into_iter().chain(timed).min()
}

fn driver(work: Custom, client: Client) -> Result<Box<dyn Driver>, ScenarioError> {
    match work {
        Custom::Driver(driver) => Ok(driver),
        Custom::Nothing => plain_driver(client),
    }
}

/// The driver that `client` names.
pub(crate) fn plain_driver(client: Client) -> Result<Box<dyn Driver>, ScenarioError> {
    match client {
        Client::Http1 => Ok(Box::new(Http1)),
        #[cfg(feature = "journeys")]
        Client::Reqwest => Ok(Box::new(crate::driver::ReqwestDriver)),
        #[cfg(not(feature = "journeys"))]
        Client::Reqwest => Err(ScenarioError::NoReqwest),
    }
}
