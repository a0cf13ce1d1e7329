//! The workers of one phase at work, each in a task of its own.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::time::{Duration, Instant};

use tokio::task::{JoinError, JoinSet, yield_now};
use tokio::time::{sleep_until, timeout, timeout_at};

use super::failure::{Failure, Result as Outcome};
use super::source::{Intended, Source};
use super::tally::{Begun, Tally};
use super::{Notes, Worker};
use crate::driver::DriverError;
use crate::sample::ErrorKind;

/// Iterations that all workers share, and what came of them.
#[derive(Debug)]
pub(super) struct Phase {
    source: Source,
    timeout: Duration,
    tally: RefCell<Tally>,
}

impl Phase {
    /// A phase that begins at `origin`; no iteration takes longer than `timeout`.
    pub(super) fn new(source: Source, timeout: Duration, origin: Instant) -> Self {
        Self {
            source,
            timeout,
            tally: RefCell::new(Tally::new(origin)),
        }
    }

    /// Whether the deadline ended it.
    pub(super) fn was_cut(&self) -> bool {
        self.source.was_cut()
    }

    /// The outcomes; the phase has none then.
    pub(super) fn take_tally(&self) -> Tally {
        self.tally.replace(Tally::new(Instant::now()))
    }

    /// Sets every worker up at the moment that `begin` says of its place, has it work at once, and
    /// returns all when the last iteration has its outcome.
    pub(super) async fn set_up_and_work<W: Worker>(
        self: &Rc<Self>,
        workers: Vec<W>,
        begin: impl Fn(usize) -> Instant,
    ) -> Result<Vec<W>, DriverError> {
        let reserved = self.source.reserve(workers.len() as u64);
        let mut tasks = JoinSet::new();
        for (place, mut worker) in workers.into_iter().enumerate() {
            let (phase, moment) = (Rc::clone(self), begin(place));
            tasks.spawn_local(async move {
                sleep_until(moment.into()).await;
                set_up(&mut worker, place, phase.timeout).await?;
                work(worker, &phase, (place as u64) < reserved).await
            });
        }
        join(tasks).await
    }

    /// Has the workers work and returns them when the last iteration has its outcome. Each does its
    /// first iteration before any does its second.
    pub(super) async fn work<W: Worker>(
        self: &Rc<Self>,
        workers: Vec<W>,
    ) -> Result<Vec<W>, DriverError> {
        let reserved = self.source.reserve(workers.len() as u64);
        let mut tasks = JoinSet::new();
        for (place, worker) in workers.into_iter().enumerate() {
            let phase = Rc::clone(self);
            tasks.spawn_local(async move { work(worker, &phase, (place as u64) < reserved).await });
        }
        join(tasks).await
    }
}

/// Ends with the first error. The other workers are dropped with their set, also by a panic.
async fn join<W: 'static>(
    mut tasks: JoinSet<Result<W, DriverError>>,
) -> Result<Vec<W>, DriverError> {
    let mut workers = Vec::with_capacity(tasks.len());
    while let Some(joined) = tasks.join_next().await {
        workers.push(joined.unwrap_or_else(|error| pass_on_panic(error))?);
    }
    Ok(workers)
}

/// Ends the load by the panic of one worker.
fn pass_on_panic(error: JoinError) -> ! {
    std::panic::resume_unwind(error.into_panic())
}

async fn set_up<W: Worker>(
    worker: &mut W,
    place: usize,
    limit: Duration,
) -> Result<(), DriverError> {
    let late = |_| Err(Failure::of_kind(ErrorKind::Timeout, late(limit)));
    let outcome = timeout(limit, worker.set_up()).await.unwrap_or_else(late);
    outcome.map_err(|failure| DriverError::SetUp {
        user: place,
        reason: failure.to_string(),
        kind: failure.kind(),
    })
}

async fn work<W: Worker>(
    mut worker: W,
    phase: &Phase,
    mut has_one: bool,
) -> Result<W, DriverError> {
    // Lets the runtime look at the sockets, so that connections which were closed while it slept
    // are seen before they are used.
    yield_now().await;
    let mut begun = false;
    while let Some(intended) = next(phase, std::mem::take(&mut has_one)).await? {
        if !std::mem::replace(&mut begun, true) {
            phase.tally.borrow_mut().worker_is_busy(Instant::now());
        }
        iterate(&mut worker, phase, intended).await;
    }
    if begun {
        phase.tally.borrow_mut().worker_is_idle(Instant::now());
    }
    Ok(worker)
}

async fn next(phase: &Phase, has_one: bool) -> Result<Option<Intended>, DriverError> {
    let engine = |source: io::Error| DriverError::Engine { source };
    match has_one {
        true => Ok(Some(None)),
        false => phase.source.next().await.map_err(engine),
    }
}

async fn iterate<W: Worker>(worker: &mut W, phase: &Phase, intended: Intended) {
    let given_up_before = worker.counts().given_up;
    let mut notes = Notes::default();
    let start = Instant::now();
    let limit = (start + phase.timeout).min(phase.source.end());
    phase.tally.borrow_mut().start(start, intended);
    let outcome = timeout_at(limit.into(), worker.iterate(&mut notes)).await;
    let end = Instant::now();
    let begun = Begun {
        intended,
        at: notes.connected.unwrap_or(start),
    };
    let in_time = outcome.ok().filter(|done| done.is_err() || end <= limit);
    match in_time {
        Some(outcome) => phase.count(&begun, &notes, &outcome, end),
        None => {
            let connecting = worker.counts().given_up > given_up_before;
            phase.give_up(&begun, connecting, limit, end);
            worker.start_over();
        }
    }
    let mut tally = phase.tally.borrow_mut();
    worker.take_steps().iter().for_each(|step| tally.step(step));
}

impl Phase {
    fn count(&self, begun: &Begun, notes: &Notes, outcome: &Outcome<()>, end: Instant) {
        let mut tally = self.tally.borrow_mut();
        if let Some(status) = notes.status {
            tally.status(status);
        }
        match outcome {
            Ok(()) => tally.good(begun, notes, end),
            Err(failure) => tally.failed(begun, failure, end),
        }
    }

    /// Counts an iteration that was not done by `limit`, its timeout or the deadline.
    fn give_up(&self, begun: &Begun, connecting: bool, limit: Instant, end: Instant) {
        let kind = match connecting {
            true => ErrorKind::ConnectTimeout,
            false => ErrorKind::Timeout,
        };
        let message = match limit == self.source.end() {
            true => {
                self.source.cut();
                "not done when the `deadline` of the load had come".to_owned()
            }
            false => late(self.timeout),
        };
        let failure = Failure::of_kind(kind, message);
        self.tally
            .borrow_mut()
            .given_up(begun, &failure, limit, end);
    }
}

fn late(timeout: Duration) -> String {
    format!("not done within the timeout of {timeout:?}")
}
