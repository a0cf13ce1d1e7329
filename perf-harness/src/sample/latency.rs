//! A histogram of durations in nanoseconds, three significant digits, mergeable.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer as _, V2Serializer};

/// Durations from 1 ns to one hour with three significant digits; longer ones count as one hour.
#[derive(Clone, Debug, PartialEq)]
pub struct LatencyHistogram(Histogram<u64>);

/// Why bytes are no histogram.
#[derive(Debug, thiserror::Error)]
#[error("the bytes are no HdrHistogram V2: {reason}")]
pub struct LatencyError {
    reason: String,
}

const HIGHEST: u64 = 3_600_000_000_000;

impl Default for LatencyHistogram {
    fn default() -> Self {
        Self::new()
    }
}

impl LatencyHistogram {
    /// An empty histogram.
    #[must_use]
    pub fn new() -> Self {
        Self(Histogram::new_with_bounds(1, HIGHEST, 3).expect("the bounds are those of the type"))
    }

    /// Counts one duration.
    pub fn record(&mut self, duration: Duration) {
        self.record_nanos(u64::try_from(duration.as_nanos()).unwrap_or(HIGHEST));
    }

    /// Counts one duration given in nanoseconds.
    pub fn record_nanos(&mut self, nanos: u64) {
        self.0.saturating_record(nanos);
    }

    /// How many durations were counted.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// The smallest value with at least `percent` of the values at or below it (nearest rank), in
    /// nanoseconds; `None` when empty.
    #[must_use]
    pub fn percentile(&self, percent: f64) -> Option<u64> {
        (!self.0.is_empty()).then(|| self.0.value_at_percentile(percent).min(self.0.max()))
    }

    /// The arithmetic mean in nanoseconds; `None` when empty.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (!self.0.is_empty()).then(|| self.0.mean())
    }

    /// The largest value in nanoseconds; `None` when empty.
    #[must_use]
    pub fn max(&self) -> Option<u64> {
        (!self.0.is_empty()).then(|| self.0.max())
    }

    /// Adds all that `other` has counted; exact, since both have the same buckets.
    pub fn merge(&mut self, other: &Self) {
        self.0
            .add(&other.0)
            .expect("both histograms have the same bounds");
    }

    /// The histogram in the published HdrHistogram V2 encoding, uncompressed.
    #[must_use]
    pub fn to_v2(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        V2Serializer::new()
            .serialize(&self.0, &mut bytes)
            .expect("a vector takes every write");
        bytes
    }

    /// The V2 encoding as base64 text, for files.
    #[must_use]
    pub fn to_base64(&self) -> String {
        STANDARD.encode(self.to_v2())
    }

    /// Reads what [`to_base64`](Self::to_base64) wrote.
    ///
    /// # Errors
    ///
    /// [`LatencyError`] when the text is no base64, or its bytes are no histogram.
    pub fn from_base64(text: &str) -> Result<Self, LatencyError> {
        let bytes = STANDARD.decode(text).map_err(|error| LatencyError {
            reason: error.to_string(),
        })?;
        Self::from_v2(&bytes)
    }

    /// Reads what [`to_v2`](Self::to_v2) wrote.
    ///
    /// # Errors
    ///
    /// [`LatencyError`] when the bytes are cut, damaged or of another encoding.
    pub fn from_v2(bytes: &[u8]) -> Result<Self, LatencyError> {
        let histogram: Histogram<u64> =
            Deserializer::new()
                .deserialize(&mut &bytes[..])
                .map_err(|error| LatencyError {
                    reason: format!("{error:?}"),
                })?;
        let mut own = Self::new();
        own.0.add(&histogram).map_err(|error| LatencyError {
            reason: format!("{error:?}"),
        })?;
        Ok(own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: impl IntoIterator<Item = u64>) -> LatencyHistogram {
        let mut histogram = LatencyHistogram::new();
        values
            .into_iter()
            .for_each(|value| histogram.record_nanos(value));
        histogram
    }

    #[test]
    fn an_empty_histogram_has_no_values() {
        let empty = LatencyHistogram::new();
        assert_eq!(
            (empty.percentile(99.0), empty.mean(), empty.max()),
            (None, None, None)
        );
    }

    #[test]
    fn percentiles_are_nearest_rank() {
        let hundred = of(1..=100);
        assert_eq!(hundred.percentile(99.0), Some(99));
        assert_eq!(hundred.percentile(50.0), Some(50));
        assert_eq!(of(1..=10).percentile(99.0), Some(10));
        assert_eq!(of([7]).percentile(50.0), Some(7));
    }

    #[test]
    fn no_percentile_is_above_the_maximum() {
        let histogram = of([1_000_003, 2_000_007]);
        assert!(histogram.percentile(100.0) <= histogram.max());
    }

    #[test]
    fn two_point_two_and_two_point_five_milliseconds_differ() {
        let histogram = of([2_200_000, 2_500_000]);
        assert!(histogram.percentile(50.0).unwrap() < 2_210_000);
        assert!(histogram.percentile(100.0).unwrap() >= 2_490_000);
    }

    #[test]
    fn merging_equals_recording_together() {
        let mut merged = of(1..500);
        merged.merge(&of(500..=1000));
        assert_eq!(merged, of(1..=1000));
    }

    #[test]
    fn a_written_histogram_is_read_back_equal() {
        let histogram = of((1..1000).map(|i| i * 12_345));
        assert_eq!(
            LatencyHistogram::from_v2(&histogram.to_v2()).unwrap(),
            histogram
        );
    }

    #[test]
    fn a_cut_histogram_is_refused() {
        let bytes = of(1..1000).to_v2();
        assert!(LatencyHistogram::from_v2(&bytes[..bytes.len() / 2]).is_err());
        assert!(LatencyHistogram::from_v2(b"").is_err());
    }
}
