//! Statistics of the gate. Pure: numbers in, numbers out; no clock, no file, no chance without a seed.

mod quantile;
mod rank;
mod spread;
mod student;

pub use quantile::median;
pub use rank::shift_interval;
pub use spread::{mean, prediction_interval, standard_deviation};
pub use student::student_quantile;

/// A range that holds the true value with a stated error rate at each end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Half its width.
    #[must_use]
    pub fn half_width(self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

#[cfg(test)]
mod tests;
