//! Quantiles of few values.

/// The median: the middle value, or the mean of the two in the middle; `None` when there is none
/// or one is not finite.
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    if values.is_empty() || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        return Some(sorted[middle]);
    }
    Some(f64::midpoint(sorted[middle - 1], sorted[middle]))
}
