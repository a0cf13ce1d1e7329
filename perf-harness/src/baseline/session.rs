//! The rounds of one invocation, as they are kept.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::sample::{ErrorKind, LatencyHistogram, Metric, Sample};

/// One round in a file. Values have five significant digits, in the units that the names say.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Round {
    /// Body bytes of good replies.
    pub bytes: u64,
    /// CPU time of the server a good reply, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ns: Option<f64>,
    /// Failed requests by kind.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub errors: BTreeMap<ErrorKind, u64>,
    /// Mean latency in nanoseconds.
    pub mean_ns: Option<f64>,
    /// Peak memory of the server in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<f64>,
    /// Good replies.
    pub ok: u64,
    /// Median latency in nanoseconds.
    pub p50_ns: Option<f64>,
    /// 90th percentile of the latency in nanoseconds.
    pub p90_ns: Option<f64>,
    /// 99.9th percentile of the latency in nanoseconds.
    pub p999_ns: Option<f64>,
    /// 99th percentile of the latency in nanoseconds.
    pub p99_ns: Option<f64>,
    /// Requests sent.
    pub sent: u64,
    /// Good replies a second.
    pub throughput: Option<f64>,
}

/// The rounds of one invocation of a scenario, in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Session {
    /// All latencies of the session in nanoseconds; in the file a deflated HdrHistogram V2 in base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_hdr: Option<LatencyHistogram>,
    /// The revision of the code that was measured; `+dirty` follows when it had local changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// The rounds.
    pub rounds: Vec<Round>,
    /// Warnings that the session came with, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl Round {
    /// What is kept of a round's sample.
    #[must_use]
    pub fn of(sample: &Sample) -> Self {
        let value = |metric| sample.value(metric).map(five_digits);
        Self {
            bytes: sample.bytes,
            cpu_ns: value(Metric::Cpu),
            errors: sample.errors.clone(),
            mean_ns: value(Metric::Mean),
            memory_bytes: value(Metric::Memory),
            ok: sample.ok,
            p50_ns: value(Metric::P50),
            p90_ns: value(Metric::P90),
            p999_ns: value(Metric::P999),
            p99_ns: value(Metric::P99),
            sent: sample.sent,
            throughput: value(Metric::Throughput),
        }
    }

    /// The value of `metric`; `None` where the round has none.
    #[must_use]
    pub fn value(&self, metric: Metric) -> Option<f64> {
        match metric {
            Metric::Throughput => self.throughput,
            Metric::P50 => self.p50_ns,
            Metric::P90 => self.p90_ns,
            Metric::P99 => self.p99_ns,
            Metric::P999 => self.p999_ns,
            Metric::Mean => self.mean_ns,
            Metric::Cpu => self.cpu_ns,
            Metric::Memory => self.memory_bytes,
        }
    }

    /// Failed requests, of all kinds.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.errors.values().sum()
    }
}

impl Session {
    /// A session of samples in order.
    #[must_use]
    pub fn of(samples: &[Sample]) -> Self {
        let mut latency = LatencyHistogram::new();
        for sample in samples {
            latency.merge(&sample.latency);
        }
        Self {
            latency_hdr: (latency.count() > 0).then_some(latency),
            revision: None,
            rounds: samples.iter().map(Round::of).collect(),
            warnings: Vec::new(),
        }
    }

    /// The values of `metric` in the order of rounds; `None` when a round has none.
    #[must_use]
    pub fn values(&self, metric: Metric) -> Option<Vec<f64>> {
        let values: Option<Vec<f64>> = self
            .rounds
            .iter()
            .map(|round| round.value(metric))
            .collect();
        values.filter(|values| !values.is_empty())
    }

    /// The median over the rounds of `metric`.
    #[must_use]
    pub fn median(&self, metric: Metric) -> Option<f64> {
        crate::stats::median(&self.values(metric)?).map(five_digits)
    }

    /// The medians of all metrics that every round has.
    #[must_use]
    pub fn medians(&self) -> BTreeMap<Metric, f64> {
        let median = |metric| Some((metric, self.median(metric)?));
        Metric::ALL.into_iter().filter_map(median).collect()
    }

    /// Body bytes a good reply, over all rounds; `None` without good replies.
    #[must_use]
    pub fn bytes_a_reply(&self) -> Option<f64> {
        let sum = |of: fn(&Round) -> u64| self.rounds.iter().map(of).sum::<u64>();
        let ok = sum(|round| round.ok);
        (ok > 0).then(|| sum(|round| round.bytes) as f64 / ok as f64)
    }
}

/// The key of `metric` in a file: the name of its field in a [`Round`], which has the unit.
pub(super) fn key_of(metric: Metric) -> &'static str {
    match metric {
        Metric::Throughput => "throughput",
        Metric::P50 => "p50_ns",
        Metric::P90 => "p90_ns",
        Metric::P99 => "p99_ns",
        Metric::P999 => "p999_ns",
        Metric::Mean => "mean_ns",
        Metric::Cpu => "cpu_ns",
        Metric::Memory => "memory_bytes",
    }
}

/// `value` with five significant digits.
pub(crate) fn five_digits(value: f64) -> f64 {
    format!("{value:.4e}")
        .parse()
        .expect("a formatted number is a number")
}
