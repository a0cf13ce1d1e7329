//! How much worse a metric may get.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::sample::{Direction, Metric};

/// A worsening in percent of the baseline, above 0 and below 100, written `5%` or `5.5 %`.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Threshold {
    percent: f64,
}

/// Why a text is no threshold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ThresholdError {
    /// The percent sign is missing.
    #[error("threshold {text:?} has no percent sign: write {hint:?}")]
    NoPercentSign {
        /// The refused text.
        text: String,
        /// What was probably meant.
        hint: String,
    },
    /// What stands before the percent sign is no number.
    #[error("threshold {text:?} is no percentage: write for example \"5%\"")]
    NoNumber {
        /// The refused text.
        text: String,
    },
    /// Zero, negative, or a worsening that nothing could exceed.
    #[error(
        "threshold {text:?} is out of range: it is above 0% and below 100%, for example \"5%\" for five percent worse"
    )]
    OutOfRange {
        /// The refused text.
        text: String,
    },
}

/// The threshold of one metric, and what is below notice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// A regression is never less than this.
    pub threshold: Threshold,
    /// The worsening that the interval must exclude: code layout alone moves numbers by so much.
    /// Default: 0.4 × the threshold, at least 2 %, never above the threshold.
    pub tolerance: Threshold,
    /// Whether the scenario asked for it. A default that a target can never give (the CPU time of
    /// a URL) is only shown; what was asked for and is not there is missing.
    pub asked: bool,
}

/// Which metrics are judged, and by which thresholds.
///
/// Default: throughput 5 %, CPU per request 5 %, p99 20 %. The p99 of a small virtual machine
/// moves by 14 % between rounds of the same code, so a tighter default would not be honest.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    limits: BTreeMap<Metric, Limit>,
}

impl Threshold {
    /// A threshold of `percent`.
    ///
    /// # Errors
    ///
    /// [`ThresholdError::OutOfRange`] unless it is above 0 and below 100.
    pub fn percent(percent: f64) -> Result<Self, ThresholdError> {
        if percent > 0.0 && percent < 100.0 {
            return Ok(Self { percent });
        }
        Err(ThresholdError::OutOfRange {
            text: format!("{percent}%"),
        })
    }

    /// The worsening of `metric` at the threshold, as the logarithm of the worse over the better value.
    #[must_use]
    pub fn worsening(self, metric: Metric) -> f64 {
        match metric.direction() {
            Direction::HigherIsBetter => -(-self.percent / 100.0).ln_1p(),
            Direction::LowerIsBetter => (self.percent / 100.0).ln_1p(),
        }
    }
}

impl FromStr for Threshold {
    type Err = ThresholdError;

    fn from_str(text: &str) -> Result<Self, ThresholdError> {
        let owned = || text.to_owned();
        let Some(number) = text.trim().strip_suffix('%') else {
            return Err(ThresholdError::NoPercentSign {
                text: owned(),
                hint: percent_hint(text),
            });
        };
        let percent: f64 = number
            .trim()
            .parse()
            .map_err(|_| ThresholdError::NoNumber { text: owned() })?;
        Self::percent(percent).map_err(|_| ThresholdError::OutOfRange { text: owned() })
    }
}

/// `0.05` was probably meant as 5 %, `5` as well.
fn percent_hint(text: &str) -> String {
    match text.trim().parse::<f64>() {
        Ok(share) if share > 0.0 && share < 1.0 => format!("{}%", share * 100.0),
        Ok(percent) if (1.0..100.0).contains(&percent) => format!("{percent}%"),
        _ => "5%".to_owned(),
    }
}

impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}%", self.percent))
    }
}

impl Limit {
    /// A limit that was asked for, with the default tolerance.
    #[must_use]
    pub fn new(threshold: Threshold) -> Self {
        let percent = (0.4 * threshold.percent).max(2.0).min(threshold.percent);
        Self {
            threshold,
            tolerance: Threshold { percent },
            asked: true,
        }
    }
}

impl Default for Gate {
    fn default() -> Self {
        let limit = |percent| Limit {
            asked: false,
            ..Limit::new(Threshold { percent })
        };
        Self {
            limits: BTreeMap::from([
                (Metric::Throughput, limit(5.0)),
                (Metric::Cpu, limit(5.0)),
                (Metric::P99, limit(20.0)),
            ]),
        }
    }
}

impl Gate {
    /// A gate that judges nothing.
    #[must_use]
    pub fn none() -> Self {
        Self {
            limits: BTreeMap::new(),
        }
    }

    /// The gate with another threshold for `metric`.
    #[must_use]
    pub fn limit(mut self, metric: Metric, threshold: Threshold) -> Self {
        self.limits.insert(metric, Limit::new(threshold));
        self
    }

    /// The gate without `metric`.
    #[must_use]
    pub fn without(mut self, metric: Metric) -> Self {
        self.limits.remove(&metric);
        self
    }

    /// The limit of `metric`; `None` when it is shown but not judged.
    #[must_use]
    pub fn of(&self, metric: Metric) -> Option<Limit> {
        self.limits.get(&metric).copied()
    }

    /// The judged metrics.
    pub fn metrics(&self) -> impl Iterator<Item = Metric> + '_ {
        Metric::ALL
            .into_iter()
            .filter(|metric| self.limits.contains_key(metric))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_are_read_with_or_without_a_blank() {
        for text in ["5%", "5 %", " 5.0% "] {
            assert_eq!(text.parse(), Threshold::percent(5.0), "{text:?}");
        }
        assert_eq!("5.5 %".parse(), Threshold::percent(5.5));
    }

    #[test]
    fn what_is_no_threshold_is_refused_with_a_hint() {
        let message = |text: &str| text.parse::<Threshold>().unwrap_err().to_string();
        assert!(message("5").contains("write \"5%\""));
        assert!(message("0.05").contains("write \"5%\""));
        for text in ["105%", "-5%", "0%", "100%", "NaN%", "inf%"] {
            assert!(message(text).contains("out of range"), "{text}");
        }
        for text in ["%", "x%", "5%%", ""] {
            assert!(text.parse::<Threshold>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_threshold_is_the_drop_of_a_throughput_and_the_rise_of_a_latency() {
        let five = Threshold::percent(5.0).unwrap();
        assert!((five.worsening(Metric::Throughput) - (1.0_f64 / 0.95).ln()).abs() < 1e-12);
        assert!((five.worsening(Metric::P99) - 1.05_f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn the_tolerance_is_between_two_percent_and_the_threshold() {
        let tolerance = |percent| Limit::new(Threshold { percent }).tolerance.percent;
        assert!((tolerance(20.0) - 8.0).abs() < 1e-12);
        assert!((tolerance(3.0) - 2.0).abs() < 1e-12);
        assert!((tolerance(1.0) - 1.0).abs() < 1e-12);
    }
}
