//! Quantiles of Student's t distribution.

use std::f64::consts::PI;

/// The value below which a share `p` (0.5 to 1, exclusive) of Student's t distribution with
/// `degrees` of freedom lies; `degrees` is at least 1.
///
/// Found by bisection on the distribution function, which for whole degrees of freedom is a
/// finite sum (Abramowitz and Stegun, 26.7.3 and 26.7.4). Exact to about 1e-10.
#[must_use]
pub fn student_quantile(degrees: usize, p: f64) -> f64 {
    let mut low = 0.0;
    let mut high = 1.0;
    while share_below(high, degrees) < p && high < 1e12 {
        high *= 2.0;
    }
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if share_below(middle, degrees) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// The distribution function at `t` ≥ 0.
fn share_below(t: f64, degrees: usize) -> f64 {
    f64::midpoint(1.0, share_within(t, degrees))
}

/// The share between −t and t.
fn share_within(t: f64, degrees: usize) -> f64 {
    let angle = (t / (degrees as f64).sqrt()).atan();
    let (sine, cosine) = angle.sin_cos();
    let even = degrees.is_multiple_of(2);
    let first = if even { 1.0 } else { cosine };
    let mut term = first;
    let mut sum = if degrees == 1 { 0.0 } else { first };
    let mut k = if even { 2 } else { 3 };
    while k < degrees {
        term *= cosine * cosine * (k - 1) as f64 / k as f64;
        sum += term;
        k += 2;
    }
    if even {
        sine * sum
    } else {
        (angle + sine * sum) * 2.0 / PI
    }
}
