//! What gives the connections of one thread something to do, and when.

use std::fmt;
use std::time::{Duration, Instant};

use super::pool::Share;

/// Where the work of a phase comes from.
#[derive(Debug)]
pub(super) enum Source<'a> {
    /// There is none.
    Nothing,
    /// The connections themselves are to be opened, evenly in time.
    Ramp(Timetable),
    /// Requests, as fast as replies come.
    Closed(Share<'a>),
    /// Requests at their times.
    Open(Timetable),
}

/// Intended times, taken one by one. Those that have passed untaken wait here, in order: the memory
/// of a queue would grow with it, a schedule that lags behind does not.
pub(super) struct Timetable {
    origin: Instant,
    times: Box<dyn Iterator<Item = f64> + Send>,
    next: Option<Instant>,
    stop: Option<Instant>,
}

/// The next entry of a timetable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// Its time has come; it was this.
    Now(Instant),
    Later(Instant),
    Never,
}

impl Timetable {
    /// A timetable of `times` in seconds from `origin`, of which none is taken after `stop`.
    pub(super) fn new(
        origin: Instant,
        times: impl Iterator<Item = f64> + Send + 'static,
        stop: Option<Instant>,
    ) -> Self {
        let mut timetable = Self {
            origin,
            times: Box::new(times),
            next: None,
            stop,
        };
        timetable.advance();
        timetable
    }

    /// The next entry as it stands by `now`.
    pub(super) fn peek(&mut self, now: Instant) -> Due {
        if self.stop.is_some_and(|stop| now >= stop) {
            self.end();
        }
        match self.next {
            None => Due::Never,
            Some(at) if at > now => Due::Later(at),
            Some(at) => Due::Now(at),
        }
    }

    /// Takes the next entry if its time has come by `now`.
    pub(super) fn take(&mut self, now: Instant) -> Due {
        let due = self.peek(now);
        if matches!(due, Due::Now(_)) {
            self.advance();
        }
        due
    }

    /// Gives up all entries that are left.
    fn end(&mut self) {
        self.next = None;
        self.times = Box::new(std::iter::empty());
    }

    fn advance(&mut self) {
        let at = self.times.next().map(Duration::try_from_secs_f64);
        self.next = at
            .and_then(Result::ok)
            .and_then(|at| self.origin.checked_add(at));
    }
}

impl Source<'_> {
    /// Whether nothing will come any more, provided that every connection is idle.
    pub(super) fn is_exhausted(&self) -> bool {
        match self {
            Self::Nothing | Self::Closed(_) => true,
            Self::Ramp(timetable) | Self::Open(timetable) => timetable.next.is_none(),
        }
    }

    /// The request for a connection that has become free: `Some` of its intended time, if any.
    pub(super) fn take(&mut self) -> Option<Option<Instant>> {
        match self {
            Self::Nothing | Self::Ramp(_) => None,
            Self::Closed(share) => share.take().then_some(None),
            Self::Open(timetable) => match timetable.take(Instant::now()) {
                Due::Now(at) => Some(Some(at)),
                Due::Later(_) | Due::Never => None,
            },
        }
    }
}

impl fmt::Debug for Timetable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timetable")
            .field("next", &self.next)
            .field("stop", &self.stop)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(origin: Instant, seconds: u64) -> Instant {
        origin + Duration::from_secs(seconds)
    }

    #[test]
    fn entries_are_taken_in_order_when_their_time_has_come() {
        let origin = Instant::now();
        let mut timetable = Timetable::new(origin, [1.0, 2.0].into_iter(), None);
        assert_eq!(timetable.take(origin), Due::Later(second(origin, 1)));
        let late = second(origin, 5);
        assert_eq!(timetable.take(late), Due::Now(second(origin, 1)));
        assert_eq!(timetable.take(late), Due::Now(second(origin, 2)));
        assert_eq!(timetable.take(late), Due::Never);
    }

    #[test]
    fn what_waits_at_the_stop_is_never_taken() {
        let origin = Instant::now();
        let stop = Some(second(origin, 3));
        let mut timetable = Timetable::new(origin, [1.0, 2.0].into_iter(), stop);
        assert_eq!(timetable.take(second(origin, 3)), Due::Never);
        assert!(Source::Open(timetable).is_exhausted());
    }
}
