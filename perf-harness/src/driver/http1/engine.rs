//! The phases of one round on the engine's own thread: connect, warm up, measure.

use std::io;
use std::panic::resume_unwind;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use tokio::runtime::{Builder, LocalOptions, LocalRuntime};
use tokio::task::{JoinError, spawn_local, yield_now};

use super::deadline::{self, Watch};
use super::failure::Failure;
use super::work::{Plan, Work};
use super::worker::Worker;
use crate::driver::DriverError;
use crate::sample::Sample;

/// A moment that the window is told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Open,
    Close,
}

/// The engine's end of the talk with the thread that owns the window.
#[derive(Debug)]
pub(super) struct WindowSide {
    steps: SyncSender<Step>,
    allowed: Receiver<()>,
}

impl WindowSide {
    pub(super) fn new(steps: SyncSender<Step>, allowed: Receiver<()>) -> Self {
        Self { steps, allowed }
    }

    /// Returns when the window has been told; an error when nobody listens any more.
    fn tell(&self, step: Step) -> Result<(), DriverError> {
        let gone = || DriverError::Engine {
            source: io::ErrorKind::BrokenPipe.into(),
        };
        self.steps.send(step).map_err(|_| gone())?;
        self.allowed.recv().map_err(|_| gone())
    }
}

/// Carries out one round. The calling thread is the engine's and does nothing else.
pub(super) fn run(plan: Plan, window: &WindowSide) -> Result<Sample, DriverError> {
    let runtime = Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .build_local(LocalOptions::default())
        .map_err(|source| DriverError::Engine { source })?;
    let work = Rc::new(Work::new(plan));
    let workers = runtime.block_on(prepare(&work))?;
    window.tell(Step::Open)?;
    let sample = measure(&runtime, &work, workers)?;
    window.tell(Step::Close)?;
    Ok(sample)
}

/// Opens all connections and warms up; leaves every connection open and idle.
async fn prepare(work: &Rc<Work>) -> Result<Vec<Worker>, DriverError> {
    let watches: Vec<Rc<Watch>> = (0..work.plan.connections).map(|_| Rc::default()).collect();
    let workers = watches
        .iter()
        .map(|watch| Worker::new(Rc::clone(work), Rc::clone(watch)))
        .collect();
    spawn_local(deadline::tick(watches, work.plan.timeout));
    let workers = warm_up(work, connect(work, workers).await?).await?;
    // What cannot be opened again now is an outcome of the requests that will try.
    let reopened = every(workers, async |worker| worker.connect().await.is_ok()).await;
    Ok(reopened.into_iter().map(|(worker, _)| worker).collect())
}

async fn connect(work: &Work, workers: Vec<Worker>) -> Result<Vec<Worker>, DriverError> {
    let wanted = workers.len();
    let mut opened = Vec::with_capacity(wanted);
    let mut first_failure = None;
    for (worker, outcome) in every(workers, async |worker| worker.connect().await).await {
        match outcome {
            Ok(()) => opened.push(worker),
            Err(failure) => drop(first_failure.get_or_insert(failure)),
        }
    }
    match first_failure {
        None => Ok(opened),
        Some(failure) => Err(not_enough(work, opened.len(), failure)),
    }
}

fn not_enough(work: &Work, opened: usize, failure: Failure) -> DriverError {
    let (address, source) = (work.plan.address, failure.into_io());
    match opened {
        0 => DriverError::Connect { address, source },
        _ => DriverError::TooFewConnections {
            address,
            opened,
            wanted: work.plan.connections,
            source,
        },
    }
}

async fn warm_up(work: &Work, workers: Vec<Worker>) -> Result<Vec<Worker>, DriverError> {
    work.begin(work.plan.warmup);
    let workers = run_all(workers).await;
    match work.finish()?.into_total_failure() {
        Some((reason, errors)) => Err(DriverError::warm_up(reason, &errors)),
        None => Ok(workers),
    }
}

fn measure(
    runtime: &LocalRuntime,
    work: &Work,
    workers: Vec<Worker>,
) -> Result<Sample, DriverError> {
    work.begin(work.plan.requests);
    let before = thread_cpu()?;
    let workers = runtime.block_on(run_all(workers));
    let client_cpu = thread_cpu()?.saturating_sub(before);
    let ledger = work.finish()?;
    Ok(ledger.into_sample(workers.len(), work.take_connect(), client_cpu))
}

/// Has the workers send until all requests are taken. Each takes its first before any takes another.
async fn run_all(workers: Vec<Worker>) -> Vec<Worker> {
    // Lets the runtime look at the sockets once, so that connections which were closed while the
    // engine slept are seen before they are used.
    yield_now().await;
    let done = every(workers, async |worker| worker.run().await).await;
    done.into_iter().map(|(worker, ())| worker).collect()
}

/// Does `act` with every worker, each in a task of its own.
async fn every<T: 'static>(
    workers: Vec<Worker>,
    act: impl AsyncFn(&mut Worker) -> T + Copy + 'static,
) -> Vec<(Worker, T)> {
    let spawn = |mut worker| {
        spawn_local(async move {
            let outcome = act(&mut worker).await;
            (worker, outcome)
        })
    };
    let tasks: Vec<_> = workers.into_iter().map(spawn).collect();
    let mut outcomes = Vec::with_capacity(tasks.len());
    for task in tasks {
        outcomes.push(task.await.unwrap_or_else(|error| go_on_panicking(error)));
    }
    outcomes
}

/// A task ends early only by a panic: none is ever cancelled while it is awaited.
fn go_on_panicking(error: JoinError) -> ! {
    resume_unwind(error.into_panic())
}

fn thread_cpu() -> Result<Duration, DriverError> {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID)
        .map(Duration::from)
        .map_err(|errno| DriverError::Engine {
            source: errno.into(),
        })
}
