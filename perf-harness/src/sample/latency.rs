//! A histogram of durations in nanoseconds, three significant digits, mergeable.

use std::fmt;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{
    Deserializer, Serializer as _, V2DeflateSerializer, V2Serializer,
};
use serde::de::Error as _;

/// Durations from 1 ns to one hour with three significant digits; longer ones count as one hour.
///
/// Two are equal when they counted the same, whatever bytes they were read from. In a file it is
/// the text of [`to_base64`](Self::to_base64).
#[derive(Clone, PartialEq)]
pub struct LatencyHistogram(Histogram<u64>);

/// Why bytes are no histogram.
#[derive(Debug, thiserror::Error)]
#[error("the bytes are no HdrHistogram V2: {reason}")]
pub struct LatencyError {
    reason: String,
}

const HIGHEST: u64 = 3_600_000_000_000;

/// The first bytes of the deflated encoding; the length of what follows comes next.
const DEFLATED: [u8; 4] = [0x1c, 0x84, 0x93, 0x14];

/// Bytes of the deflated encoding before the part whose length it says.
const DEFLATED_HEAD: usize = 8;

/// Bytes of the plain encoding before the part whose length it says.
const PLAIN_HEAD: usize = 40;

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

    /// The smallest value in nanoseconds, to three significant digits; `None` when empty.
    #[must_use]
    pub fn min(&self) -> Option<u64> {
        self.percentile(0.0)
    }

    /// The standard deviation of all values in nanoseconds; `None` when empty.
    #[must_use]
    pub fn stdev(&self) -> Option<f64> {
        (!self.0.is_empty()).then(|| self.0.stdev())
    }

    /// Share of the values, 0 to 1, from `low` to `high` nanoseconds; `None` when empty.
    #[must_use]
    pub fn share_between(&self, low: u64, high: u64) -> Option<f64> {
        let inside = self.0.count_between(low, high) as f64;
        (!self.0.is_empty()).then(|| inside / self.count() as f64)
    }

    /// What is left without `other`, which is a part of this one; `None` when it is no part.
    #[must_use]
    pub fn without(&self, other: &Self) -> Option<Self> {
        let mut rest = self.0.clone();
        rest.subtract(&other.0).is_ok().then_some(Self(rest))
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

    /// The histogram in the published HdrHistogram V2 encoding, deflated.
    ///
    /// Another version of the compressor may give other bytes for the same histogram.
    #[must_use]
    pub fn to_v2_deflated(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        V2DeflateSerializer::new()
            .serialize(&self.0, &mut bytes)
            .expect("a vector takes every write");
        bytes
    }

    /// The deflated V2 encoding as base64 text, for files.
    #[must_use]
    pub fn to_base64(&self) -> String {
        STANDARD.encode(self.to_v2_deflated())
    }

    /// Reads the text of either V2 encoding, such as [`to_base64`](Self::to_base64) wrote.
    ///
    /// # Errors
    ///
    /// [`LatencyError`] when the text is no base64, or its bytes are no histogram.
    pub fn from_base64(text: &str) -> Result<Self, LatencyError> {
        let bytes = STANDARD.decode(text).map_err(LatencyError::because)?;
        Self::from_v2(&bytes)
    }

    /// Reads what [`to_v2`](Self::to_v2) or [`to_v2_deflated`](Self::to_v2_deflated) wrote.
    ///
    /// # Errors
    ///
    /// [`LatencyError`] when the bytes are cut, damaged or of another encoding.
    pub fn from_v2(bytes: &[u8]) -> Result<Self, LatencyError> {
        check_length(bytes)?;
        let histogram: Histogram<u64> = Deserializer::new()
            .deserialize(&mut &bytes[..])
            .map_err(LatencyError::because)?;
        let mut own = Self::new();
        own.0.add(&histogram).map_err(LatencyError::because)?;
        Ok(own)
    }
}

/// All counts can be read without the compressor's own end, so a cut there would stay unseen.
fn check_length(bytes: &[u8]) -> Result<(), LatencyError> {
    let said = bytes.get(4..8).and_then(|said| said.try_into().ok());
    let said = said.map_or(0, |said| u32::from_be_bytes(said) as usize);
    let head = if bytes.starts_with(&DEFLATED) {
        DEFLATED_HEAD
    } else {
        PLAIN_HEAD
    };
    if bytes.len() == head + said {
        Ok(())
    } else {
        Err(LatencyError::because("its length is not what it says"))
    }
}

impl LatencyError {
    fn because(reason: impl fmt::Display) -> Self {
        Self {
            reason: reason.to_string(),
        }
    }
}

/// The counts themselves would fill pages.
impl fmt::Debug for LatencyHistogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LatencyHistogram")
            .field("count", &self.count())
            .field("mean", &self.mean())
            .field("p99", &self.percentile(99.0))
            .field("max", &self.max())
            .finish()
    }
}

impl serde::Serialize for LatencyHistogram {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_base64())
    }
}

impl<'de> serde::Deserialize<'de> for LatencyHistogram {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Self::from_base64(&text).map_err(D::Error::custom)
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
    fn a_written_histogram_is_read_back_equal_from_either_encoding() {
        let histogram = of((1..1000).map(|i| i * 12_345));
        let read = |bytes: Vec<u8>| LatencyHistogram::from_v2(&bytes).unwrap();
        assert_eq!(read(histogram.to_v2()), histogram);
        assert_eq!(read(histogram.to_v2_deflated()), histogram);
        let plain = format!("{:?}", STANDARD.encode(histogram.to_v2()));
        let plain: LatencyHistogram = serde_json::from_str(&plain).unwrap();
        let text = serde_json::to_string(&plain).unwrap();
        let again: LatencyHistogram = serde_json::from_str(&text).unwrap();
        assert_eq!((plain, again), (histogram.clone(), histogram));
    }

    #[test]
    fn equal_text_is_not_needed_for_equality_and_other_counts_are_unequal() {
        let histogram = of(1..1000);
        assert_ne!(histogram.to_v2(), histogram.to_v2_deflated());
        assert_ne!(of(1..1000), of(1..999));
    }

    #[test]
    fn deflated_text_is_much_shorter() {
        let busy = of((1..10_000).map(|i| 200_000 + i * 300));
        let plain = STANDARD.encode(busy.to_v2()).len();
        assert!(busy.to_base64().len() * 2 < plain, "{plain}");
    }

    #[test]
    fn a_cut_histogram_is_refused() {
        for bytes in [of(1..1000).to_v2(), of(1..1000).to_v2_deflated()] {
            for kept in [0, 4, 7, bytes.len() / 2, bytes.len() - 1] {
                assert!(LatencyHistogram::from_v2(&bytes[..kept]).is_err(), "{kept}");
            }
        }
    }

    #[test]
    fn a_length_that_no_histogram_has_is_refused() {
        let mut bytes = of(1..1000).to_v2();
        bytes[4..8].copy_from_slice(&u32::MAX.to_be_bytes());
        assert!(LatencyHistogram::from_v2(&bytes).is_err());
    }

    #[test]
    fn text_that_is_no_histogram_is_an_error_of_the_file() {
        for text in ["\"\"", "\"%%\"", "\"aGVsbG8=\"", "7"] {
            assert!(
                serde_json::from_str::<LatencyHistogram>(text).is_err(),
                "{text}"
            );
        }
    }
}
