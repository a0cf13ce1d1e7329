//! Why a verdict is what it is.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::baseline::Difference;
use crate::sample::Metric;

/// A reason for a verdict, with its figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
#[non_exhaustive]
pub enum Finding {
    /// Fewer than three sessions are accepted, so the spread between sessions is not known.
    Thin {
        /// Accepted sessions.
        sessions: usize,
    },
    /// A judged metric has no value now, or had none in the baseline.
    NoValue {
        /// Which metric.
        metric: Metric,
        /// Whether it is the baseline that has none.
        in_baseline: bool,
    },
    /// The rounds are too few to tell anything at the gate's error rate.
    TooFewRounds {
        /// Rounds of the baseline's sessions.
        baseline: usize,
        /// Rounds now.
        now: usize,
    },
    /// More requests failed than the budget allows.
    Errors {
        /// Failed requests.
        failed: u64,
        /// Requests sent.
        sent: u64,
        /// What happened to the first.
        example: Option<String>,
    },
    /// The driver did not send what it was asked to, or lost count.
    Miscounted {
        /// Requests asked for.
        requests: u64,
        /// Requests sent.
        sent: u64,
        /// Good replies and failures together.
        accounted: u64,
    },
    /// The load's deadline came before the load was done: a part of it was not sent.
    Deadline {
        /// In how many rounds.
        rounds: usize,
        /// How long a round may take.
        deadline: Duration,
    },
    /// No metric of the gate can be judged.
    NothingJudged,
    /// No request got a good reply.
    NothingMeasured {
        /// What happened to the first.
        example: Option<String>,
    },
    /// A metric is so much better that the work itself has probably gone.
    Collapsed {
        /// Which metric.
        metric: Metric,
        /// How many times better.
        factor: f64,
    },
    /// Replies are of another size than in the baseline: perhaps other work is measured.
    WorkChanged {
        /// Body bytes a reply in the baseline.
        baseline: f64,
        /// Body bytes a reply now.
        now: f64,
    },
    /// A breach that the second measurement, on fresh starts, did not show again.
    NotConfirmed {
        /// Which metric.
        metric: Metric,
    },
    /// The client, not the server, was the limit, so throughput is the client's.
    ClientSaturated {
        /// Share of the window that the engine's busiest thread was busy.
        client_busy: f64,
        /// Cores that the server used.
        server_cores: Option<f64>,
    },
    /// The baseline is of something else.
    Differs {
        /// In which field.
        difference: Difference,
    },
    /// The baseline file cannot be used.
    Unusable {
        /// Why, and what to do.
        reason: String,
    },
    /// No test of the last run spoke of the scenario.
    NotRun {
        /// The committed baseline that expects it; `None` when it was required by its name.
        baseline: Option<String>,
    },
    /// The committed baseline was removed from the working tree.
    Removed {
        /// Which file.
        file: String,
    },
    /// The change under test changes its own baseline.
    BaselineChanged {
        /// The medians at the base revision.
        base: BTreeMap<Metric, f64>,
        /// The medians in the file at hand.
        own: BTreeMap<Metric, f64>,
        /// Why that was accepted.
        reason: Option<String>,
    },
    /// A debug build runs few requests and compares nothing.
    DebugBuild,
    /// `PERF_BASELINE` says `off` or `record`.
    SwitchedOff {
        /// Its value.
        value: String,
    },
    /// Something that the scenario needs is not on this machine.
    Unavailable {
        /// What, and what to do.
        reason: String,
    },
}

impl Finding {
    /// Whether the measured numbers themselves cannot be trusted, so that nobody may accept them.
    #[must_use]
    pub fn spoils_the_numbers(&self) -> bool {
        matches!(
            self,
            Self::Errors { .. }
                | Self::NothingMeasured { .. }
                | Self::Miscounted { .. }
                | Self::Deadline { .. }
        )
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Thin { sessions } => write!(
                f,
                "thin: the bound comes from rounds, not from sessions; {} (accept more with `cargo perf accept --sessions`)",
                counted(*sessions, "accepted session")
            ),
            Self::NoValue { metric, in_baseline } => {
                let place = if *in_baseline { "the baseline" } else { "this run" };
                write!(f, "{place} has no {metric}, which the gate judges; measure it again, or take it out with `{metric} = \"off\"`")
            }
            Self::TooFewRounds { baseline, now } => write!(
                f,
                "{baseline} rounds against {now} can decide nothing at an error rate of 1 %: use the default of 5 `rounds`, or more"
            ),
            Self::Errors { failed, sent, example } => {
                write!(f, "{failed} of {sent} requests failed, more than the error budget allows: mend what fails, or allow it with `error_budget`")?;
                the_first(f, example.as_deref())
            }
            Self::NothingMeasured { example } => {
                f.write_str("no request got a good reply, so nothing was measured: correct what is sent, or what is expected")?;
                the_first(f, example.as_deref())
            }
            Self::Collapsed { metric, factor } => write!(
                f,
                "{metric} is {factor:.1} times better: is the work still done? accept it if it is"
            ),
            Self::WorkChanged { baseline, now } => write!(
                f,
                "a reply has {now:.0} bytes, in the baseline {baseline:.0}: other work is compared; accept the new numbers if that is meant"
            ),
            Self::NotConfirmed { metric } => {
                write!(f, "{metric} breached its threshold, but not again on fresh starts")
            }
            Self::ClientSaturated { client_busy, server_cores } => client_saturated(f, *client_busy, *server_cores),
            Self::Miscounted { requests, sent, accounted } => write!(
                f,
                "{requests} requests were asked for, {sent} sent and {accounted} accounted for: the driver miscounts, its numbers mean nothing"
            ),
            Self::Deadline { rounds, deadline } => write!(
                f,
                "the deadline of {deadline:?} came before the load was done, in {}: a part of it was not sent; mend what is slow, ask for less, or raise `deadline`",
                counted(*rounds, "round")
            ),
            Self::NothingJudged => f.write_str(
                "no metric is judged: every one is off, or wants more requests a round; give the gate one, or raise `requests`",
            ),
            Self::Differs { difference } => difference.fmt(f),
            Self::Unusable { reason } => f.write_str(reason),
            Self::NotRun { baseline } => not_run(f, baseline.as_deref()),
            Self::Removed { file } => write!(
                f,
                "the committed baseline {file} was removed: restore it with `git checkout -- {file}`, or commit its removal"
            ),
            Self::BaselineChanged { base, own, reason } => baseline_changed(f, base, own, reason.as_deref()),
            Self::DebugBuild => f.write_str(
                "debug build: few requests, statuses checked, nothing compared; gate with `cargo test --release`, or with `opt-level` and `debug-assertions = false` under `[profile.test]`",
            ),
            Self::SwitchedOff { value } => write!(f, "PERF_BASELINE={value}: nothing was compared"),
            Self::Unavailable { reason } => f.write_str(reason),
        }
    }
}

fn the_first(f: &mut fmt::Formatter<'_>, example: Option<&str>) -> fmt::Result {
    example.map_or(Ok(()), |example| write!(f, "; the first: {example}"))
}

fn client_saturated(
    f: &mut fmt::Formatter<'_>,
    client_busy: f64,
    server_cores: Option<f64>,
) -> fmt::Result {
    let busy = client_busy * 100.0;
    write!(
        f,
        "client saturated: the engine's busiest thread ran {busy:.0} % of the window"
    )?;
    match server_cores {
        Some(cores) => write!(f, " while the server used {cores:.2} cores")?,
        None => f.write_str(" and the server's cost cannot be seen")?,
    }
    f.write_str(
        "; the throughput is the client's, lower `concurrency` or `rate`, or judge cpu and latency",
    )
}

fn not_run(f: &mut fmt::Formatter<'_>, baseline: Option<&str>) -> fmt::Result {
    match baseline {
        Some(file) => write!(
            f,
            "no run measured it: run its test; if it was renamed or taken out, `git rm {file}`; if not all scenarios were meant to run, leave out --complete"
        ),
        None => f.write_str(
            "it is required, and no run measured it: check its name and that its test ran",
        ),
    }
}

fn baseline_changed(
    f: &mut fmt::Formatter<'_>,
    base: &BTreeMap<Metric, f64>,
    own: &BTreeMap<Metric, f64>,
    reason: Option<&str>,
) -> fmt::Result {
    f.write_str("this change changes its own baseline:")?;
    for metric in [Metric::Throughput, Metric::P99] {
        if let (Some(base), Some(own)) = (base.get(&metric), own.get(&metric)) {
            write!(f, " {metric} {:+.1} %,", (own / base - 1.0) * 100.0)?;
        }
    }
    match reason {
        Some(reason) => write!(f, " accepted with the reason: {reason}"),
        None => f.write_str(" without a reason, so the base revision's numbers judge"),
    }
}

fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}
