//! Mean, spread, and where the next value is to be expected.

use super::{Interval, student_quantile};

/// The arithmetic mean; `None` when there are no values.
#[must_use]
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The sample standard deviation (divisor n − 1); `None` below two values.
#[must_use]
pub fn standard_deviation(values: &[f64]) -> Option<f64> {
    let centre = mean(values)?;
    let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    (values.len() >= 2).then(|| (squares / (values.len() - 1) as f64).sqrt())
}

/// Where one more value of the same kind falls, but for a share `alpha` at each end:
/// mean ± t(n−1, 1−α) · s · √(1 + 1/n).
///
/// The square root carries both the new value's own spread and the error of the mean (Hahn and
/// Meeker, Statistical Intervals, section 4.7). `None` below two values.
#[must_use]
pub fn prediction_interval(values: &[f64], alpha: f64) -> Option<Interval> {
    let centre = mean(values)?;
    let spread = standard_deviation(values)?;
    let n = values.len() as f64;
    let t = student_quantile(values.len() - 1, 1.0 - alpha);
    let reach = t * spread * (1.0 + 1.0 / n).sqrt();
    Some(Interval {
        low: centre - reach,
        high: centre + reach,
    })
}
