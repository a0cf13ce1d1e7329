//! The closed loop: so many users at a time, each beginning its next iteration when the last has
//! its outcome. All of them run in one current-thread runtime on a thread of its own, so futures
//! need not be `Send` and the cost of the client is that of one thread.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use nix::time::{ClockId, clock_gettime};
use tokio::task::{JoinError, JoinSet, yield_now};
use tokio::time::timeout;

use super::engine::Shutters;
use super::failure::Failure;
use super::tally::Tally;
use super::traffic::{ConnectTimes, Traffic};
use crate::driver::DriverError;
use crate::load::Load;
use crate::sample::{ErrorKind, Sample};

/// One user of a closed loop.
pub(in crate::driver) trait Worker: 'static {
    /// Does one iteration; dropped when it takes longer than the load's timeout.
    async fn iterate(&mut self) -> Result<Good, Failure>;

    /// Gives up what the dropped iteration left behind.
    fn start_over(&mut self);

    /// What the user's connections did so far.
    fn traffic(&self) -> &Traffic;
}

/// What is counted of an iteration that went well.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::driver) struct Good {
    /// Body bytes of the replies.
    pub(in crate::driver) bytes: u64,
    /// Until the first byte of the reply, where an iteration is one request.
    pub(in crate::driver) first_byte: Option<Duration>,
}

/// Warms up, then does exactly `load.requests` iterations by `load.concurrency` of the workers
/// that `make` makes.
///
/// Every worker does at least one iteration of a warm-up, so that all connections are open when
/// the window is; a warm-up of fewer iterations than workers is raised to their number.
pub(super) async fn run<W: Worker>(
    load: &Load,
    shutters: &Shutters,
    make: impl Fn(usize, ConnectTimes) -> Result<W, DriverError>,
) -> Result<Sample, DriverError> {
    let connect_times = ConnectTimes::default();
    let workers = (0..load.concurrency).map(|id| make(id, ConnectTimes::clone(&connect_times)));
    let workers = warm_up(load, workers.collect::<Result<_, _>>()?).await?;
    let retries_before = total(&workers, Traffic::retries);
    let reconnects_before = total(&workers, Traffic::opened_again);
    let (workers, sample) = measure(load, shutters, workers).await?;
    let connect = connect_times.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(Sample {
        retries: total(&workers, Traffic::retries) - retries_before,
        reconnects: total(&workers, Traffic::opened_again) - reconnects_before,
        connect: connect.clone(),
        ..sample
    })
}

async fn warm_up<W: Worker>(load: &Load, workers: Vec<W>) -> Result<Vec<W>, DriverError> {
    if load.warmup_requests() == 0 {
        return Ok(workers);
    }
    let iterations = load.warmup_requests().max(load.concurrency as u64);
    let (workers, tally) = iterate_all(workers, iterations, load.timeout).await;
    let sample = tally.into_sample();
    match sample.first_error {
        Some(reason) if sample.ok == 0 => Err(DriverError::warm_up(reason, &sample.errors)),
        _ => Ok(workers),
    }
}

async fn measure<W: Worker>(
    load: &Load,
    shutters: &Shutters,
    workers: Vec<W>,
) -> Result<(Vec<W>, Sample), DriverError> {
    shutters.open()?;
    let cpu_before = thread_cpu();
    let (workers, tally) = iterate_all(workers, load.requests, load.timeout).await;
    let client_cpu = thread_cpu().saturating_sub(cpu_before);
    shutters.close()?;
    let sample = tally.into_sample();
    Ok((
        workers,
        Sample {
            client_cpu,
            busiest_thread: client_cpu,
            ..sample
        },
    ))
}

fn total<W: Worker>(workers: &[W], count: impl Fn(&Traffic) -> u64) -> u64 {
    workers.iter().map(|worker| count(worker.traffic())).sum()
}

/// Does exactly `iterations`, the first ones by a worker each, and returns the workers when the
/// last iteration has its outcome.
async fn iterate_all<W: Worker>(
    mut workers: Vec<W>,
    iterations: u64,
    timeout: Duration,
) -> (Vec<W>, Tally) {
    let busy = usize::try_from(iterations).map_or(workers.len(), |most| most.min(workers.len()));
    let mut finished = workers.split_off(busy);
    let phase = Rc::new(Phase {
        left: Cell::new(iterations - busy as u64),
        timeout,
        tally: RefCell::default(),
    });
    let mut tasks = JoinSet::new();
    for worker in workers {
        tasks.spawn_local(work(worker, Rc::clone(&phase)));
    }
    while let Some(joined) = tasks.join_next().await {
        finished.push(joined.unwrap_or_else(|error| pass_on_panic(error)));
    }
    (finished, phase.tally.take())
}

/// Ends the load by the panic of one worker. The other workers are dropped with their set.
fn pass_on_panic(error: JoinError) -> ! {
    std::panic::resume_unwind(error.into_panic())
}

/// A number of iterations shared by all workers, and what came of them.
struct Phase {
    /// Iterations that no worker has taken yet, beside the first of each.
    left: Cell<u64>,
    timeout: Duration,
    tally: RefCell<Tally>,
}

impl Phase {
    fn take_one(&self) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        left > 0
    }
}

async fn work<W: Worker>(mut worker: W, phase: Rc<Phase>) -> W {
    // Lets the runtime look at the sockets, so that connections which were closed while it slept
    // are seen before they are used.
    yield_now().await;
    phase.tally.borrow_mut().user_is_busy(Instant::now());
    loop {
        iterate_once(&mut worker, &phase).await;
        if !phase.take_one() {
            break;
        }
    }
    phase.tally.borrow_mut().user_is_idle(Instant::now());
    worker
}

async fn iterate_once<W: Worker>(worker: &mut W, phase: &Phase) {
    let given_up_before = worker.traffic().given_up();
    let start = Instant::now();
    phase.tally.borrow_mut().start(start);
    let outcome = timeout(phase.timeout, worker.iterate()).await;
    let end = Instant::now();
    let mut tally = phase.tally.borrow_mut();
    match outcome {
        Ok(Ok(good)) if end - start <= phase.timeout => tally.good(&good, start, end),
        Ok(Err(failure)) => tally.failed(&failure, end),
        Ok(Ok(_)) | Err(_) => {
            let connecting = worker.traffic().given_up() > given_up_before;
            tally.timed_out(timeout_kind(connecting), phase.timeout, end);
            worker.start_over();
        }
    }
}

fn timeout_kind(connecting: bool) -> ErrorKind {
    if connecting {
        return ErrorKind::ConnectTimeout;
    }
    ErrorKind::Timeout
}

/// CPU time of this thread so far.
fn thread_cpu() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}
