//! The phases of one round: connect, warm up, measure.

use std::io;
use std::thread;
use std::time::{Duration, Instant};

use nix::time::{ClockId, clock_gettime};

use super::crew::Crew;
use super::event_loop::EventLoop;
use super::failure::Failure;
use super::ledger::Ledger;
use super::plan::Plan;
use super::pool::{Pool, Share};
use super::source::{Source, Timetable};
use crate::driver::{DriverError, Window};
use crate::load::Rate;
use crate::sample::{Ended, Sample};

/// The time from the order to the start of an open loop, so that all threads are there in time.
const LEAD: Duration = Duration::from_millis(2);

/// A part of the round. Each begins when all threads have ended the one before.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// Opens the connections, from this moment on.
    Connect(Instant),
    WarmUp,
    /// Sends the measured requests, from this moment on.
    Measure(Instant),
}

/// What came of a phase on one thread.
#[derive(Debug)]
struct Outcome {
    ledger: Ledger,
    open: usize,
    unopened: Option<Failure>,
}

/// What all threads know.
#[derive(Debug)]
struct Round {
    plan: Plan,
    warm_up: Pool,
    measured: Pool,
}

/// Carries out one round, and tells `window` of the measured part.
pub(super) fn run(plan: Plan, window: &mut dyn Window) -> Result<Sample, DriverError> {
    let round = Round::new(plan);
    thread::scope(|scope| {
        let round = &round;
        let work = move |thread| {
            let mut worker = Worker::new(round, thread);
            move |phase| worker.carry_out(phase)
        };
        let crew = Crew::hire(scope, round.plan.threads, work).map_err(engine)?;
        Conductor { round, crew }.conduct(window)
    })
}

fn engine(source: io::Error) -> DriverError {
    DriverError::Engine { source }
}

impl Round {
    fn new(plan: Plan) -> Self {
        let pool = |requests| Pool::new(requests, plan.connections, plan.threads);
        Self {
            warm_up: pool(plan.warmup),
            measured: pool(plan.requests),
            plan,
        }
    }
}

/// The thread that owns the window leads the others from phase to phase.
struct Conductor<'scope, 'round> {
    round: &'round Round,
    crew: Crew<'scope, Phase, io::Result<Outcome>>,
}

impl Conductor<'_, '_> {
    fn conduct(mut self, window: &mut dyn Window) -> Result<Sample, DriverError> {
        let connected = self.connect()?;
        let warmed_up = self.warm_up()?;
        window.open();
        let mut measured = self.measure()?;
        window.close();
        measured.merge_opened(&connected);
        measured.merge_opened(&warmed_up);
        Ok(self.sample(measured))
    }

    fn connect(&mut self) -> Result<Ledger, DriverError> {
        let outcome = self.carry_out(Phase::Connect(Instant::now()))?;
        match outcome.unopened {
            None if outcome.ledger.was_cut() => Err(self.too_late("connections were opened")),
            None => Ok(outcome.ledger),
            Some(failure) if failure.is_deadline() => Err(self.too_late("connections were opened")),
            Some(failure) => Err(self.not_enough(outcome.open, failure)),
        }
    }

    fn not_enough(&self, opened: usize, failure: Failure) -> DriverError {
        let plan = &self.round.plan;
        let (peer, source) = (plan.endpoint.peer().clone(), failure.into_io());
        match opened {
            0 => DriverError::Connect { peer, source },
            _ => DriverError::TooFewConnections {
                peer,
                opened,
                wanted: plan.connections,
                source,
            },
        }
    }

    /// What cannot be opened again after it is an outcome of the requests that will try.
    fn warm_up(&mut self) -> Result<Ledger, DriverError> {
        let ledger = self.carry_out(Phase::WarmUp)?.ledger;
        self.check_lost(&self.round.warm_up, &ledger)?;
        if ledger.was_cut() {
            return Err(self.too_late("the warm-up was sent"));
        }
        match ledger.total_failure() {
            Some((reason, errors)) => Err(DriverError::warm_up(reason, errors)),
            None => Ok(ledger),
        }
    }

    fn measure(&mut self) -> Result<Ledger, DriverError> {
        let lead = match self.round.plan.rate {
            Some(_) => LEAD,
            None => Duration::ZERO,
        };
        let ledger = self
            .carry_out(Phase::Measure(Instant::now() + lead))?
            .ledger;
        self.check_lost(&self.round.measured, &ledger)?;
        match ledger.sent() {
            0 if ledger.was_cut() => Err(self.too_late("no request had an outcome")),
            _ => Ok(ledger),
        }
    }

    fn carry_out(&mut self, phase: Phase) -> Result<Outcome, DriverError> {
        let outcomes = self.crew.carry_out(phase).into_iter();
        let outcomes: Vec<Outcome> = outcomes.collect::<io::Result<_>>().map_err(engine)?;
        let merged = outcomes.into_iter().reduce(Outcome::merge);
        Ok(merged.expect("there is at least one thread"))
    }

    fn check_lost(&self, pool: &Pool, ledger: &Ledger) -> Result<(), DriverError> {
        match pool.lost() {
            None => Ok(()),
            Some(reason) => Err(DriverError::Lost {
                peer: self.round.plan.endpoint.peer().clone(),
                answered: ledger.ok(),
                reason,
            }),
        }
    }

    fn too_late(&self, phase: &'static str) -> DriverError {
        DriverError::Deadline {
            deadline: self.round.plan.deadline,
            phase,
        }
    }

    fn sample(&self, ledger: Ledger) -> Sample {
        let plan = &self.round.plan;
        let ended = match ledger.sent() {
            _ if ledger.was_cut() => Ended::Deadline,
            sent if sent == plan.requests => Ended::Requests,
            _ => Ended::Duration,
        };
        let asked = plan
            .rate
            .as_ref()
            .map(|rate| plan.asked(rate, ledger.span()));
        ledger.into_sample(ended, asked)
    }
}

impl Outcome {
    fn merge(mut self, other: Self) -> Self {
        self.ledger.merge(other.ledger);
        Self {
            ledger: self.ledger,
            open: self.open + other.open,
            unopened: self.unopened.or(other.unopened),
        }
    }
}

/// One thread's part of a round.
struct Worker<'a> {
    round: &'a Round,
    thread: usize,
    /// The loop, or why there is none.
    event_loop: io::Result<EventLoop<'a>>,
}

impl<'a> Worker<'a> {
    fn new(round: &'a Round, thread: usize) -> Self {
        Self {
            round,
            thread,
            event_loop: EventLoop::new(&round.plan, thread),
        }
    }

    fn carry_out(&mut self, phase: Phase) -> io::Result<Outcome> {
        let source = self.source(phase);
        let event_loop = match &mut self.event_loop {
            Ok(event_loop) => event_loop,
            Err(error) => return Err(error.kind().into()),
        };
        let before = thread_cpu()?;
        event_loop.begin(phase.origin(), self.round.pool(phase));
        match phase {
            Phase::Connect(_) => event_loop.open_by(source)?,
            Phase::WarmUp => {
                event_loop.send(source)?;
                event_loop.open_all()?;
            }
            Phase::Measure(_) => event_loop.send(source)?,
        }
        let (ledger, unopened) = event_loop.end(thread_cpu()?.saturating_sub(before));
        Ok(Outcome {
            ledger,
            open: event_loop.open_slots(),
            unopened,
        })
    }

    fn source(&self, phase: Phase) -> Source<'a> {
        let (round, plan) = (self.round, &self.round.plan);
        match (phase, &plan.rate) {
            (Phase::Connect(start), _) => {
                Source::Ramp(Timetable::new(start, plan.ramp(self.thread), None))
            }
            (Phase::WarmUp, _) => Source::Closed(Share::new(
                &round.warm_up,
                plan.first_of(self.thread, plan.warmup),
                None,
            )),
            (Phase::Measure(start), None) => Source::Closed(Share::new(
                &round.measured,
                plan.first_of(self.thread, plan.requests),
                plan.stop(start),
            )),
            (Phase::Measure(start), Some(rate)) => Source::Open(self.timetable(start, rate)),
        }
    }

    /// Every so many arrivals of the whole schedule, as there are threads.
    fn timetable(&self, start: Instant, rate: &Rate) -> Timetable {
        let plan = &self.round.plan;
        let own = plan.schedule(rate).skip(self.thread).step_by(plan.threads);
        Timetable::new(start, own, plan.stop(start))
    }
}

impl Round {
    fn pool(&self, phase: Phase) -> Option<&Pool> {
        match phase {
            Phase::Connect(_) => None,
            Phase::WarmUp => Some(&self.warm_up),
            Phase::Measure(_) => Some(&self.measured),
        }
    }
}

impl Phase {
    fn origin(self) -> Instant {
        match self {
            Self::Connect(start) | Self::Measure(start) => start,
            Self::WarmUp => Instant::now(),
        }
    }
}

fn thread_cpu() -> io::Result<Duration> {
    let time = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID)?;
    Ok(time.into())
}
