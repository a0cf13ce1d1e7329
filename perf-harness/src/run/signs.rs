//! Signs in the samples that a reader must know of: who was the limit, what contradicts itself.

use super::session::Rounds;
use crate::gate::Finding;
use crate::host::Disturbance;
use crate::outcome::Warning;
use crate::sample::{Metric, Sample};
use crate::scenario::Plan;
use crate::stats::median;

/// From this share of the window on the engine's thread is the limit, if the server is not.
const BUSY_CLIENT: f64 = 0.95;
/// Below this share of the cores that are left to it the server is not the limit.
const IDLE_SERVER: f64 = 0.8;
/// Little's law holds to a few percent in a closed loop; beyond this something is measured wrongly.
const LITTLE_TOLERANCE: f64 = 0.3;
/// The last requests may take so much of the throughput before they are named.
const STRAGGLER_SHARE: f64 = 0.9;

/// The finding that the client was the limit; `None` when it was not.
pub(super) fn saturation(samples: &[Sample]) -> Option<Finding> {
    let client_busy = median_of(samples, |sample| Some(sample.client_busy()))?;
    if client_busy < BUSY_CLIENT {
        return None;
    }
    let server_cores = median_of(samples, Sample::server_cores);
    let server_is_idle = server_cores.is_none_or(|cores| cores < IDLE_SERVER * cores_left());
    server_is_idle.then_some(Finding::ClientSaturated {
        client_busy,
        server_cores,
    })
}

/// Cores that one busy engine thread leaves to the server.
fn cores_left() -> f64 {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    cores.saturating_sub(1).max(1) as f64
}

fn median_of(samples: &[Sample], value: impl Fn(&Sample) -> Option<f64>) -> Option<f64> {
    let values: Option<Vec<f64>> = samples.iter().map(value).collect();
    median(&values?)
}

/// Everything that does not change the verdict and must be said.
pub(super) fn warnings(plan: &Plan, rounds: &Rounds) -> Vec<Warning> {
    let samples = rounds.samples();
    let mut warnings = Vec::new();
    warnings.extend(disturbed(rounds.disturbances()));
    warnings.extend(saturation(samples).as_ref().and_then(saturated));
    warnings.extend(littles_law(plan, samples));
    warnings.extend(straggler(samples));
    warnings.extend(errors(plan, samples));
    warnings.extend(too_few_requests(plan));
    warnings
}

/// What one window alone can say, with nothing known of the server.
#[cfg(feature = "cli")]
pub(super) fn of_one(sample: &Sample) -> Vec<Warning> {
    let samples = std::slice::from_ref(sample);
    let mut warnings = Vec::new();
    warnings.extend(saturation(samples).as_ref().and_then(saturated));
    warnings.extend(straggler(samples));
    warnings
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

/// Connections that are closed after each request spend part of their time outside of a latency.
fn littles_law(plan: &Plan, samples: &[Sample]) -> Option<Warning> {
    let connections = plan.load.concurrency as f64;
    let in_flight = |sample: &Sample| {
        Some(sample.value(Metric::Throughput)? * sample.value(Metric::Mean)? / 1e9)
    };
    let implied = median_of(samples, in_flight)?;
    let contradicts = (implied / connections - 1.0).abs() > LITTLE_TOLERANCE;
    (plan.load.keep_alive && contradicts).then_some(Warning::LittlesLaw {
        connections,
        implied,
    })
}

fn straggler(samples: &[Sample]) -> Option<Warning> {
    let throughput = median_of(samples, |sample| sample.value(Metric::Throughput))?;
    let steady = median_of(samples, |sample| sample.steady_throughput)?;
    (throughput < STRAGGLER_SHARE * steady).then_some(Warning::Straggler { throughput, steady })
}

/// Failures within the budget; those beyond it are a finding.
fn errors(plan: &Plan, samples: &[Sample]) -> Option<Warning> {
    let failed: u64 = samples.iter().map(Sample::failed).sum();
    let sent: u64 = samples.iter().map(|sample| sample.sent).sum();
    let example = samples
        .iter()
        .find_map(|sample| sample.first_error.clone())?;
    let tolerated = failed > 0 && failed as f64 <= plan.load.error_budget * sent as f64;
    tolerated.then_some(Warning::Errors { failed, example })
}

fn too_few_requests(plan: &Plan) -> Vec<Warning> {
    let requests = plan.load.requests;
    let too_few = |metric: &Metric| requests < metric.least_requests();
    let warning = |metric: Metric| Warning::TooFewRequests {
        metric,
        requests,
        wanted: metric.least_requests(),
    };
    plan.gate.metrics().filter(too_few).map(warning).collect()
}
