//! How an invented round goes by: how many requests in which time.

use std::time::Duration;

use crate::load::{Load, Pace};
use crate::sample::Ended;

/// One round, with the requests evenly in time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Course {
    pub(super) sent: u64,
    pub(super) ended: Ended,
    /// Requests a second that an open loop asked for.
    pub(super) asked: Option<f64>,
    /// Requests a second that were sent.
    pub(super) speed: f64,
}

impl Course {
    /// The course of `load` on a server that answers `capacity` requests a second.
    pub(super) fn of(load: &Load, capacity: f64) -> Self {
        let asked = asked(load);
        let speed = asked.unwrap_or(f64::INFINITY).min(capacity);
        let duration = load.duration.unwrap_or(Duration::MAX);
        let in_time = (speed * duration.min(load.deadline).as_secs_f64()) as u64;
        let (sent, ended) = match load.requests {
            1.. if load.requests <= in_time => (load.requests, Ended::Requests),
            _ if duration <= load.deadline => (in_time, Ended::Duration),
            _ => (in_time, Ended::Deadline),
        };
        Self {
            sent,
            ended,
            asked,
            speed,
        }
    }

    /// The first send to the last completion, in seconds.
    pub(super) fn seconds(&self) -> f64 {
        self.sent as f64 / self.speed
    }

    /// How much later than intended the request number `place` is sent, in seconds.
    pub(super) fn lag(&self, place: u64) -> f64 {
        let intended = self.asked.map(|asked| place as f64 / asked);
        intended.map_or(0.0, |intended| place as f64 / self.speed - intended)
    }
}

/// The mean rate of an open loop over its duration, or else the one at its start.
fn asked(load: &Load) -> Option<f64> {
    let Pace::Open(rate) = &load.pace else {
        return None;
    };
    let mean = |duration: Duration| rate.requests_in(duration) / duration.as_secs_f64();
    Some(load.duration.map_or(rate.start, mean))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::Rate;

    fn load(requests: u64, duration: Option<u64>) -> Load {
        Load {
            requests,
            duration: duration.map(Duration::from_secs),
            ..Load::default()
        }
    }

    fn ends(load: &Load) -> (u64, Ended) {
        let course = Course::of(load, 1_000.0);
        (course.sent, course.ended)
    }

    #[test]
    fn a_round_ends_by_what_comes_first() {
        assert_eq!(ends(&load(500, None)), (500, Ended::Requests));
        assert_eq!(ends(&load(0, Some(2))), (2_000, Ended::Duration));
        assert_eq!(ends(&load(5_000, Some(2))), (2_000, Ended::Duration));
        assert_eq!(ends(&load(500, Some(2))), (500, Ended::Requests));
        let cut = Load {
            deadline: Duration::from_secs(1),
            ..load(5_000, None)
        };
        assert_eq!(ends(&cut), (1_000, Ended::Deadline));
    }

    #[test]
    fn an_open_loop_is_late_once_the_server_cannot_follow() {
        let at = |rate: f64| {
            let load = Load {
                pace: Pace::Open(Rate::constant(rate)),
                ..load(1_000, None)
            };
            Course::of(&load, 1_000.0)
        };
        let (kept, missed) = (at(500.0), at(2_000.0));
        assert_eq!((kept.seconds(), kept.lag(999)), (2.0, 0.0));
        assert_eq!((missed.seconds(), missed.lag(1_000)), (1.0, 0.5));
    }
}
