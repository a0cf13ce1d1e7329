//! What gives the workers of a phase their next iteration, and when.

use std::cell::Cell;
use std::fmt;
use std::io;
use std::time::{Duration, Instant};

use tokio::sync::Mutex;

use super::timer::Timer;

/// The iterations of one phase.
#[derive(Debug)]
pub(super) struct Source {
    pace: Pace,
    /// When no more iteration begins, by the load's duration.
    stop: Option<Instant>,
    /// The deadline of the round.
    end: Instant,
    cut: Cell<bool>,
}

#[derive(Debug)]
enum Pace {
    /// As fast as the workers are: iterations that none has taken yet.
    Closed(Cell<u64>),
    Open(Mutex<Door>),
}

/// Where the workers without work wait in line. The first of them waits for the next intended
/// time; a time that passes while all are busy stays in the timetable until one is free again.
struct Door {
    origin: Instant,
    times: Box<dyn Iterator<Item = f64>>,
    timer: Timer,
}

/// When an iteration was to begin, where that was by the clock.
pub(super) type Intended = Option<Instant>;

impl Source {
    /// Gives out `iterations` as fast as they are asked for, none after `stop` or `end`.
    pub(super) fn closed(iterations: u64, stop: Option<Instant>, end: Instant) -> Self {
        Self::new(Pace::Closed(Cell::new(iterations)), stop, end)
    }

    /// Gives out an iteration at each of `times`, in seconds from `origin`.
    pub(super) fn open(
        origin: Instant,
        times: impl Iterator<Item = f64> + 'static,
        stop: Option<Instant>,
        end: Instant,
    ) -> io::Result<Self> {
        let door = Door {
            origin,
            times: Box::new(times),
            timer: Timer::new()?,
        };
        Ok(Self::new(Pace::Open(Mutex::new(door)), stop, end))
    }

    fn new(pace: Pace, stop: Option<Instant>, end: Instant) -> Self {
        Self {
            pace,
            stop,
            end,
            cut: Cell::new(false),
        }
    }

    /// The deadline of the round.
    pub(super) fn end(&self) -> Instant {
        self.end
    }

    /// The deadline ends the phase before its time.
    pub(super) fn cut(&self) {
        self.cut.set(true);
    }

    /// Whether the deadline ended it.
    pub(super) fn was_cut(&self) -> bool {
        self.cut.get()
    }

    /// The next iteration, once its time has come; `None` when there is none any more.
    pub(super) async fn next(&self) -> io::Result<Option<Intended>> {
        match &self.pace {
            Pace::Closed(left) => Ok(self.take(left).then_some(None)),
            Pace::Open(door) => {
                let mut door = door.lock().await;
                match door.next_within(self.end).await? {
                    Some(_) if self.is_over() => Ok(None),
                    intended => Ok(intended.map(Some)),
                }
            }
        }
    }

    /// Sets the first iterations of so many `workers` aside and says of how many there are any:
    /// of none in an open loop, where the clock says who begins.
    pub(super) fn reserve(&self, workers: u64) -> u64 {
        match &self.pace {
            Pace::Closed(left) => {
                let reserved = workers.min(left.get());
                left.set(left.get() - reserved);
                reserved
            }
            Pace::Open(_) => 0,
        }
    }

    fn take(&self, left: &Cell<u64>) -> bool {
        if left.get() == 0 || self.is_over() {
            return false;
        }
        left.set(left.get() - 1);
        true
    }

    /// Whether time is up while there is something left.
    fn is_over(&self) -> bool {
        let now = Instant::now();
        if now >= self.end {
            self.cut();
        }
        now >= self.end || self.stop.is_some_and(|stop| now >= stop)
    }
}

impl Door {
    /// Waits for the next time, at most until `end`.
    async fn next_within(&mut self, end: Instant) -> io::Result<Option<Instant>> {
        let next = self.times.next();
        let Some(after) = next.and_then(|at| Duration::try_from_secs_f64(at).ok()) else {
            return Ok(None);
        };
        let at = self.origin.checked_add(after).unwrap_or(end);
        self.timer.until(at.min(end)).await?;
        Ok(Some(at))
    }
}

impl fmt::Debug for Door {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Door").finish_non_exhaustive()
    }
}
