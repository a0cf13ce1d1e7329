//! Signs in the samples that a reader must know of: who was the limit, what contradicts itself.

mod pacing;

use super::session::Rounds;
use crate::gate::{Finding, Judgement};
use crate::host::Disturbance;
use crate::load::{Load, Pace};
use crate::outcome::Warning;
use crate::sample::{Ended, Metric, Sample};
use crate::scenario::Plan;
use crate::stats::median;

/// From this share of the window on the engine's busiest thread is the limit, if the server is not.
const BUSY_CLIENT: f64 = 0.95;
/// Below this share of the cores that are left to it the server is not the limit.
const IDLE_SERVER: f64 = 0.8;
/// Little's law holds to a few percent in a closed loop; beyond this something is measured wrongly.
const LITTLE_TOLERANCE: f64 = 0.3;
/// The last requests may take so much of the throughput before they are named.
const STRAGGLER_SHARE: f64 = 0.9;

/// The finding that the client was the limit; `None` when it was not.
///
/// In an open loop a busy thread is no sign by itself, as long as it keeps the rate.
pub(super) fn saturation(load: &Load, samples: &[Sample]) -> Option<Finding> {
    let client_busy = median_of(samples, |sample| Some(sample.client_busy()))?;
    let server_cores = median_of(samples, Sample::server_cores);
    let limited = match load.pace {
        Pace::Open(_) => most_missed_the_rate(load, samples),
        Pace::Closed => server_cores.is_none_or(|used| used < IDLE_SERVER * cores_left(samples)),
    };
    (limited && client_busy >= BUSY_CLIENT).then_some(Finding::ClientSaturated {
        client_busy,
        server_cores,
    })
}

fn most_missed_the_rate(load: &Load, samples: &[Sample]) -> bool {
    let missed = samples
        .iter()
        .filter(|sample| pacing::missed(load, sample) == Some(true));
    2 * missed.count() > samples.len()
}

/// Cores that the engine's threads leave to the server.
fn cores_left(samples: &[Sample]) -> f64 {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let client = median_of(samples, |sample| Some(sample.client_cores()));
    (cores as f64 - client.unwrap_or(1.0).round().max(1.0)).max(1.0)
}

/// The finding that a deadline cut rounds; `None` when all are whole.
pub(super) fn cut(load: &Load, samples: &[Sample]) -> Option<Finding> {
    let rounds = rounds_ended_by(Ended::Deadline, samples);
    let deadline = load.deadline;
    (rounds > 0).then_some(Finding::Deadline { rounds, deadline })
}

/// Requests that each round was asked for; `None` when time ended one before.
pub(super) fn requests_asked_for(load: &Load, samples: &[Sample]) -> Option<u64> {
    let by_time = load.duration.is_some() && rounds_ended_by(Ended::Duration, samples) > 0;
    (load.requests > 0 && !by_time).then_some(load.requests)
}

fn rounds_ended_by(ended: Ended, samples: &[Sample]) -> usize {
    samples
        .iter()
        .filter(|sample| sample.ended == ended)
        .count()
}

fn median_of(samples: &[Sample], value: impl Fn(&Sample) -> Option<f64>) -> Option<f64> {
    let values: Option<Vec<f64>> = samples.iter().map(value).collect();
    median(&values?)
}

/// Everything that does not change the verdict and must be said beside `judgement`.
pub(super) fn warnings(plan: &Plan, rounds: &Rounds, judgement: &Judgement) -> Vec<Warning> {
    let (load, samples) = (&plan.load, rounds.samples());
    let mut warnings = Vec::new();
    warnings.extend(disturbed(rounds.disturbances()));
    warnings.extend(of_samples(load, samples));
    warnings.extend(littles_law(load, samples));
    warnings.extend(errors(load, samples));
    warnings.extend(too_few_requests(plan, samples, judgement));
    warnings
}

/// What one window alone can say, with nothing known of the server.
#[cfg(feature = "cli")]
pub(super) fn of_one(load: &Load, sample: &Sample) -> Vec<Warning> {
    of_samples(load, std::slice::from_ref(sample)).collect()
}

fn of_samples(load: &Load, samples: &[Sample]) -> impl Iterator<Item = Warning> + use<> {
    let saturated = saturation(load, samples).as_ref().and_then(saturated);
    let rate_missed = pacing::rate_missed(load, samples);
    let straggler = straggler(load, samples);
    [saturated, rate_missed, straggler].into_iter().flatten()
}

fn saturated(finding: &Finding) -> Option<Warning> {
    match *finding {
        Finding::ClientSaturated {
            client_busy,
            server_cores,
        } => Some(Warning::ClientSaturated {
            client_busy,
            server_cores,
        }),
        _ => None,
    }
}

fn disturbed(rounds: &[Vec<Disturbance>]) -> Option<Warning> {
    let disturbed = rounds.iter().filter(|round| !round.is_empty()).count();
    let worst = rounds
        .iter()
        .flatten()
        .max_by(|a, b| size(a).total_cmp(&size(b)))?;
    Some(Warning::Disturbed {
        rounds: disturbed,
        disturbance: worst.clone(),
    })
}

fn size(disturbance: &Disturbance) -> f64 {
    let Disturbance::Steal { share } = disturbance;
    *share
}

/// In a closed loop every connection has a request under way, so throughput times mean latency is
/// their number; connections that are closed after each request spend part of their time outside of
/// a latency. In an open loop no more than all connections can be busy.
fn littles_law(load: &Load, samples: &[Sample]) -> Option<Warning> {
    let connections = load.concurrency as f64;
    let implied = median_of(samples, in_flight)?;
    let excess = implied / connections - 1.0;
    let contradicts = match load.pace {
        Pace::Open(_) => excess > LITTLE_TOLERANCE,
        Pace::Closed => load.keep_alive && excess.abs() > LITTLE_TOLERANCE,
    };
    contradicts.then_some(Warning::LittlesLaw {
        connections,
        implied,
    })
}

/// Requests that were under way on average, by Little's law.
fn in_flight(sample: &Sample) -> Option<f64> {
    let sent_to_done = match &sample.open_loop {
        Some(open) => open.uncorrected.mean()?,
        None => sample.value(Metric::Mean)?,
    };
    Some(sample.value(Metric::Throughput)? * sent_to_done / 1e9)
}

/// In an open loop the last request comes when the clock says, so it decides nothing.
fn straggler(load: &Load, samples: &[Sample]) -> Option<Warning> {
    let throughput = median_of(samples, |sample| sample.value(Metric::Throughput))?;
    let steady = median_of(samples, |sample| sample.steady_throughput)?;
    let decides = load.pace == Pace::Closed && throughput < STRAGGLER_SHARE * steady;
    decides.then_some(Warning::Straggler { throughput, steady })
}

/// Failures within the budget; those beyond it are a finding.
fn errors(load: &Load, samples: &[Sample]) -> Option<Warning> {
    let failed: u64 = samples.iter().map(Sample::failed).sum();
    let sent: u64 = samples.iter().map(|sample| sample.sent).sum();
    let example = samples
        .iter()
        .find_map(|sample| sample.first_error.clone())?;
    let tolerated = failed > 0 && failed as f64 <= load.error_budget * sent as f64;
    tolerated.then_some(Warning::Errors { failed, example })
}

/// The judged rounds are counted, since nobody knows before how many requests time allows.
fn too_few_requests(plan: &Plan, samples: &[Sample], judgement: &Judgement) -> Vec<Warning> {
    let requests = samples.iter().map(|sample| sample.sent).min().unwrap_or(0);
    let is_judged = |metric: &Metric| {
        let mut changes = judgement.changes.iter();
        changes.any(|change| change.metric == *metric && change.is_judged())
    };
    let too_few = |metric: &Metric| requests < metric.least_requests() && !is_judged(metric);
    let warning = |metric: Metric| Warning::TooFewRequests {
        metric,
        requests,
        wanted: metric.least_requests(),
    };
    plan.gate.metrics().filter(too_few).map(warning).collect()
}

#[cfg(test)]
mod tests;
