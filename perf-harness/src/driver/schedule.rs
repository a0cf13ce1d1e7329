//! When the requests of an open loop are to be sent: pure arithmetic in seconds from the start.

use std::time::Duration;

use super::chance::{ARRIVALS, Chance};
use crate::load::{Arrivals, Load, Rate};

/// The intended times of the requests of `load` at `rate`, in seconds from its start.
pub(super) fn times(load: &Load, rate: &Rate) -> impl Iterator<Item = f64> + use<> {
    let most = match load.requests {
        0 => usize::MAX,
        requests => usize::try_from(requests).unwrap_or(usize::MAX),
    };
    let stop = load.duration.map_or(f64::INFINITY, |d| d.as_secs_f64());
    Schedule::new(rate, load.seed)
        .take(most)
        .take_while(move |at| *at < stop)
}

/// The rate that these times had over the first `span`.
pub(super) fn asked(load: &Load, rate: &Rate, span: Duration) -> f64 {
    let mut times = times(load, rate);
    let Some(first) = times.next() else {
        return 0.0;
    };
    let within = times.take_while(|at| *at <= span.as_secs_f64());
    let (gaps, last) = within.fold((0_u64, first), |(gaps, _), at| (gaps + 1, at));
    match gaps {
        0 => 0.0,
        _ => gaps as f64 / (last - first),
    }
}

/// The intended times of all requests of one open loop, in order, without end unless the rate
/// stays at zero.
#[derive(Clone, Debug)]
struct Schedule {
    stages: Vec<Slope>,
    /// The stage at hand.
    place: usize,
    /// The integral of the rate at the beginning of the stage at hand.
    before: f64,
    /// The integral of the rate at the next request.
    target: f64,
    arrivals: Arrivals,
    chance: Chance,
}

/// A span over which the rate changes evenly.
#[derive(Clone, Copy, Debug)]
struct Slope {
    start: f64,
    length: f64,
    from: f64,
    to: f64,
}

impl Schedule {
    fn new(rate: &Rate, seed: u64) -> Self {
        let mut schedule = Self {
            stages: slopes(rate),
            place: 0,
            before: 0.0,
            target: 0.0,
            arrivals: rate.arrivals,
            chance: Chance::new(seed, ARRIVALS),
        };
        if rate.arrivals == Arrivals::Poisson {
            schedule.target = schedule.chance.exponential();
        }
        schedule
    }

    fn gap(&mut self) -> f64 {
        match self.arrivals {
            Arrivals::Constant => 1.0,
            Arrivals::Poisson => self.chance.exponential(),
        }
    }
}

impl Iterator for Schedule {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        loop {
            let stage = self.stages.get(self.place)?;
            let within = self.target - self.before;
            if within < stage.area() {
                let at = stage.start + stage.time_of(within);
                self.target += self.gap();
                return Some(at);
            }
            self.before += stage.area();
            self.place += 1;
        }
    }
}

fn slopes(rate: &Rate) -> Vec<Slope> {
    let (mut start, mut from) = (0.0, sane(rate.start));
    let mut slopes = Vec::with_capacity(rate.stages.len() + 1);
    for stage in &rate.stages {
        let (length, to) = (stage.duration.as_secs_f64(), sane(stage.rate));
        slopes.push(Slope {
            start,
            length,
            from,
            to,
        });
        (start, from) = (start + length, to);
    }
    slopes.push(Slope {
        start,
        length: f64::INFINITY,
        from,
        to: from,
    });
    slopes
}

/// What is no rate sends nothing.
fn sane(rate: f64) -> f64 {
    if rate.is_finite() { rate.max(0.0) } else { 0.0 }
}

impl Slope {
    /// Requests within it.
    fn area(&self) -> f64 {
        let height = (self.from + self.to) / 2.0;
        if height > 0.0 && self.length > 0.0 {
            height * self.length
        } else {
            0.0
        }
    }

    /// The time from its beginning at which `area` requests were sent: the root of a quadratic, in
    /// the form that loses no digits where the slope is small.
    fn time_of(&self, area: f64) -> f64 {
        let slope = (self.to - self.from) / self.length;
        let root = (self.from * self.from + 2.0 * slope * area).max(0.0).sqrt();
        if area > 0.0 {
            2.0 * area / (self.from + root)
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::Stage;

    fn within(schedule: Schedule, seconds: f64) -> Vec<f64> {
        schedule.take_while(|at| *at < seconds).collect()
    }

    fn staged(start: f64, stages: &[(f64, u64)]) -> Schedule {
        let mut rate = Rate::constant(start);
        let stage = |&(rate, seconds)| Stage::new(rate, Duration::from_secs(seconds));
        rate.stages = stages.iter().map(stage).collect();
        Schedule::new(&rate, 0)
    }

    fn poisson(seed: u64) -> Schedule {
        let mut rate = Rate::constant(1000.0);
        rate.arrivals = Arrivals::Poisson;
        Schedule::new(&rate, seed)
    }

    #[test]
    fn a_constant_rate_is_even() {
        let times = within(Schedule::new(&Rate::constant(10.0), 0), 5.0);
        assert_eq!(times.len(), 50);
        for (place, at) in times.iter().enumerate() {
            assert!((at - place as f64 / 10.0).abs() < 1e-9, "{place}: {at}");
        }
    }

    #[test]
    fn a_constant_rate_does_not_drift() {
        let mut schedule = Schedule::new(&Rate::constant(3.0), 0);
        let at = schedule.nth(3_000_000).unwrap();
        assert!((at - 1_000_000.0).abs() < 1e-6, "{at}");
    }

    #[test]
    fn a_ramp_sends_the_area_under_it() {
        let times = within(staged(0.0, &[(100.0, 10)]), 10.0);
        assert_eq!(times.len(), 500);
        let half = times.iter().filter(|at| **at < 5.0).count();
        assert_eq!(half, 125);
    }

    #[test]
    fn stages_follow_each_other_and_the_last_rate_stays() {
        let schedule = staged(10.0, &[(10.0, 2), (30.0, 0), (30.0, 1), (0.0, 2), (5.0, 0)]);
        let times = within(schedule, 7.0);
        let between = |from: f64, to: f64| {
            let inside = |at: &&f64| (from..to).contains(*at);
            times.iter().filter(inside).count()
        };
        assert_eq!(between(0.0, 2.0), 20);
        assert_eq!(between(2.0, 3.0), 30);
        assert_eq!(between(3.0, 5.0), 30);
        assert_eq!(between(5.0, 7.0), 10);
        assert!(times.is_sorted());
    }

    #[test]
    fn a_rate_that_stays_at_zero_ends_the_schedule() {
        assert_eq!(staged(10.0, &[(0.0, 2)]).count(), 10);
        assert_eq!(staged(0.0, &[]).count(), 0);
        assert_eq!(staged(f64::NAN, &[(f64::INFINITY, 1)]).count(), 0);
    }

    #[test]
    fn poisson_arrivals_have_the_mean_and_the_spread_of_a_poisson_process() {
        let times = within(poisson(7), 100.0);
        assert!((99_000..101_000).contains(&times.len()), "{}", times.len());
        let gaps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let squares: f64 = gaps.iter().map(|gap| (gap - mean).powi(2)).sum();
        let variation = (squares / gaps.len() as f64).sqrt() / mean;
        assert!((0.98..1.02).contains(&variation), "{variation}");
    }

    #[test]
    fn a_seed_gives_the_same_arrivals_and_another_others() {
        let first = |seed| poisson(seed).take(10).collect::<Vec<_>>();
        assert_eq!(first(1), first(1));
        assert_ne!(first(1), first(2));
    }
}
