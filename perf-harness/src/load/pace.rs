//! When requests are sent: as fast as replies come, or by the clock.

use std::time::Duration;

use super::LoadError;

/// What decides when the next request is sent.
#[derive(Clone, Debug, PartialEq, Default)]
#[non_exhaustive]
pub enum Pace {
    /// Closed loop: every connection sends its next request when the last is answered.
    #[default]
    Closed,
    /// Open loop: requests are sent at a rate, whatever the server does.
    ///
    /// `concurrency` connections carry them. A request whose time has come while all are busy waits
    /// for one, and its latency counts from the time it was to be sent.
    Open(Rate),
}

/// How often requests are sent in an open loop.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Rate {
    /// Requests a second at the start.
    pub start: f64,
    /// How the rate changes from then on, one stage after the other; after the last it stays.
    pub stages: Vec<Stage>,
    /// How the requests lie in time.
    pub arrivals: Arrivals,
}

/// A span over which the rate changes evenly.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Stage {
    /// Requests a second at its end; those at its beginning are the end of the stage before.
    pub rate: f64,
    /// How long it takes; zero for a step.
    pub duration: Duration,
}

/// How the requests of an open loop lie in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Arrivals {
    /// Evenly.
    #[default]
    Constant,
    /// As those of many users that know nothing of each other: a Poisson process, drawn with the
    /// load's seed.
    Poisson,
}

impl Pace {
    pub(super) fn check(&self, duration: Option<Duration>) -> Result<(), LoadError> {
        let Self::Open(rate) = self else {
            return Ok(());
        };
        let rates = rate.stages.iter().map(|stage| stage.rate);
        for rate in std::iter::once(rate.start).chain(rates) {
            if !rate.is_finite() || rate <= 0.0 {
                return Err(LoadError::Rate { rate });
            }
        }
        match duration {
            Some(duration) if rate.requests_in(duration) < 1.0 => Err(LoadError::NoRequestInTime),
            _ => Ok(()),
        }
    }
}

impl Rate {
    /// How many requests are to be sent in the first `span`, on average.
    #[must_use]
    pub fn requests_in(&self, span: Duration) -> f64 {
        let (mut requests, mut rate, mut left) = (0.0, self.start, span.as_secs_f64());
        for stage in &self.stages {
            let whole = stage.duration.as_secs_f64();
            let part = whole.min(left);
            let end = if part < whole {
                rate + (stage.rate - rate) * part / whole
            } else {
                stage.rate
            };
            requests += part * f64::midpoint(rate, end);
            left -= part;
            rate = end;
            if part < whole {
                break;
            }
        }
        requests + rate * left
    }

    /// A rate that stays, with requests evenly in time.
    #[must_use]
    pub fn constant(per_second: f64) -> Self {
        Self {
            start: per_second,
            stages: Vec::new(),
            arrivals: Arrivals::Constant,
        }
    }
}

impl Stage {
    /// A stage that ends at `rate` requests a second.
    #[must_use]
    pub fn new(rate: f64, duration: Duration) -> Self {
        Self { rate, duration }
    }
}

impl Arrivals {
    /// The name used in attributes and baselines.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Constant => "constant",
            Self::Poisson => "poisson",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn staged() -> Rate {
        let mut rate = Rate::constant(100.0);
        rate.stages = vec![Stage::new(300.0, Duration::from_secs(10))];
        rate
    }

    #[test]
    fn a_stage_sends_the_mean_of_its_ends_and_the_last_rate_stays() {
        let requests = |seconds| staged().requests_in(Duration::from_secs(seconds));
        assert!((requests(0) - 0.0).abs() < 1e-6);
        assert!((requests(5) - 750.0).abs() < 1e-6);
        assert!((requests(10) - 2_000.0).abs() < 1e-6);
        assert!((requests(11) - 2_300.0).abs() < 1e-6);
    }

    #[test]
    fn a_step_takes_no_time() {
        let mut rate = Rate::constant(100.0);
        rate.stages = vec![Stage::new(50.0, Duration::ZERO)];
        assert!((rate.requests_in(Duration::from_secs(2)) - 100.0).abs() < 1e-6);
    }

    #[test]
    fn a_rate_that_is_none_is_refused_in_every_stage() {
        for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Pace::Open(Rate::constant(wrong)).check(None).is_err());
            let mut rate = staged();
            rate.stages[0].rate = wrong;
            assert!(Pace::Open(rate).check(None).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_rate_that_sends_nothing_in_time_is_refused() {
        let pace = Pace::Open(Rate::constant(0.5));
        let refused = Err(LoadError::NoRequestInTime);
        assert_eq!(pace.check(Some(Duration::from_secs(1))), refused);
        assert_eq!(pace.check(Some(Duration::from_secs(2))), Ok(()));
    }
}
