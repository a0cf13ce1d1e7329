//! Warnings as sentences.

use super::units::{counted, value};
use crate::host::Disturbance;
use crate::outcome::Warning;
use crate::sample::Metric;

/// The sentence of a warning, and the foreign text that belongs to it.
pub(super) fn sentence(warning: &Warning) -> (String, Option<&str>) {
    let own = match warning {
        Warning::Disturbed {
            rounds,
            disturbance,
        } => disturbed(*rounds, disturbance),
        Warning::LittlesLaw {
            connections,
            implied,
        } => format!(
            "two figures contradict each other (Little's law): the load has {connections:.0} connections, throughput times mean latency makes {implied:.1}"
        ),
        Warning::Straggler { throughput, steady } => straggler(*throughput, *steady),
        Warning::ClientSaturated {
            client_busy,
            server_cores,
        } => format!(
            "client saturated: the engine's busiest thread ran {:.0}% of the window while the server used {} cores",
            client_busy * 100.0,
            server_cores.map_or("unseen".to_owned(), |cores| format!("{cores:.2}"))
        ),
        Warning::RateMissed {
            rounds,
            asked,
            sent,
            lag_p99,
        } => rate_missed(*rounds, *asked, *sent, *lag_p99),
        Warning::TooFewRequests {
            metric,
            requests,
            wanted,
        } => format!(
            "{metric} is shown, not judged: a round has {}, {metric} wants {wanted}",
            counted(*requests, "request")
        ),
        Warning::Errors { failed, example } => {
            let own = format!(
                "{} failed, within the error budget; the first:",
                counted(*failed, "request")
            );
            return (own, Some(example));
        }
        Warning::Retried { attempt } => {
            format!("this is attempt {attempt}: a retry of the test runner can hide a regression")
        }
    };
    (own, None)
}

fn disturbed(rounds: usize, disturbance: &Disturbance) -> String {
    let rounds = counted(rounds as u64, "round");
    let Disturbance::Steal { share } = disturbance;
    format!(
        "the machine was not calm in {rounds}: the hypervisor gave {:.0}% of the CPU time to others",
        share * 100.0
    )
}

fn rate_missed(rounds: usize, asked: f64, sent: f64, lag_p99: Option<f64>) -> String {
    let rate = |rate: f64| value(Metric::Throughput, rate);
    let lag = lag_p99.map_or(String::new(), |lag| {
        format!(", lag p99 {}", value(Metric::P99, lag))
    });
    format!(
        "rate missed in {}: {} sent of {} asked{lag}; too few connections were free or the client was too slow: raise `concurrency` or lower `rate`",
        counted(rounds as u64, "round"),
        rate(sent),
        rate(asked)
    )
}

fn straggler(throughput: f64, steady: f64) -> String {
    format!(
        "the last requests decided the throughput: {} over the whole window, {} while all connections were busy",
        value(Metric::Throughput, throughput),
        value(Metric::Throughput, steady)
    )
}
