//! The phases of one round: set up and warm up, then measure.

use std::io;
use std::rc::Rc;
use std::time::{Duration, Instant};

use nix::time::{ClockId, clock_gettime};
use tokio::time::timeout_at;

use super::engine::Shutters;
use super::phase::Phase;
use super::source::Source;
use super::{Counts, Worker};
use crate::driver::{DriverError, schedule};
use crate::load::{Load, Pace};
use crate::sample::{Ended, Sample};

/// Longer than any run: what is added to a clock stays within its range.
const EVER: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// One round of a load.
#[derive(Debug)]
pub(super) struct Round<'a> {
    load: &'a Load,
    start: Instant,
    /// The deadline.
    end: Instant,
}

impl<'a> Round<'a> {
    /// A round of `load` that begins now.
    pub(super) fn new(load: &'a Load) -> Self {
        let start = Instant::now();
        Self {
            load,
            start,
            end: start + load.deadline.min(EVER),
        }
    }

    /// Sets the workers up and warms them up, then measures what they do.
    ///
    /// Every worker does at least one iteration of a warm-up, so that all connections are open when
    /// the window is; a warm-up of fewer iterations than workers is raised to their number.
    pub(super) async fn run<W: Worker>(
        &self,
        shutters: &Shutters,
        workers: Vec<W>,
    ) -> Result<Sample, DriverError> {
        let prepared = timeout_at(self.end.into(), self.prepare(workers)).await;
        let workers =
            prepared.unwrap_or_else(|_| Err(self.too_late("set-up and warm-up were under way")))?;
        // Code that never waits cannot be stopped while it runs.
        if Instant::now() >= self.end {
            return Err(self.too_late("set-up and warm-up were under way"));
        }
        let before = total(&workers);
        let (workers, sample) = self.measure(shutters, workers).await?;
        let after = total(&workers);
        Ok(Sample {
            retries: after.retries - before.retries,
            reconnects: after.reconnects - before.reconnects,
            ..sample
        })
    }

    async fn prepare<W: Worker>(&self, workers: Vec<W>) -> Result<Vec<W>, DriverError> {
        let iterations = match self.load.warmup_requests() {
            0 => 0,
            warmup => warmup.max(workers.len() as u64),
        };
        let source = Source::closed(iterations, None, self.end);
        let phase = self.phase(source, self.start);
        let ramp_up = self.load.ramp_up.min(EVER).as_secs_f64();
        let pause = ramp_up / workers.len().max(1) as f64;
        let begin = |place| self.start + Duration::from_secs_f64(pause * place as f64);
        let workers = phase.set_up_and_work(workers, begin).await?;
        let sample = phase.take_tally().into_sample(None);
        match sample.first_error {
            Some(reason) if sample.ok == 0 => Err(DriverError::warm_up(reason, &sample.errors)),
            _ => Ok(workers),
        }
    }

    async fn measure<W: Worker>(
        &self,
        shutters: &Shutters,
        workers: Vec<W>,
    ) -> Result<(Vec<W>, Sample), DriverError> {
        shutters.open()?;
        let origin = Instant::now();
        let phase = self.phase(self.source(origin).map_err(engine)?, origin);
        let cpu_before = thread_cpu().map_err(engine)?;
        let workers = phase.work(workers).await?;
        let client_cpu = thread_cpu().map_err(engine)?.saturating_sub(cpu_before);
        shutters.close()?;
        let sample = self.sample(&phase);
        if sample.sent == 0 && sample.ended == Ended::Deadline {
            return Err(self.too_late("the first iterations were under way"));
        }
        Ok((
            workers,
            Sample {
                client_cpu,
                busiest_thread: client_cpu,
                ..sample
            },
        ))
    }

    fn phase(&self, source: Source, origin: Instant) -> Rc<Phase> {
        Rc::new(Phase::new(source, self.load.timeout.min(EVER), origin))
    }

    fn source(&self, origin: Instant) -> io::Result<Source> {
        let load = self.load;
        let stop = load.duration.map(|duration| origin + duration.min(EVER));
        match &load.pace {
            Pace::Closed if load.requests == 0 => Ok(Source::closed(u64::MAX, stop, self.end)),
            Pace::Closed => Ok(Source::closed(load.requests, stop, self.end)),
            Pace::Open(rate) => {
                let times = schedule::times(load, rate);
                Source::open(origin, times, stop, self.end)
            }
        }
    }

    fn sample(&self, phase: &Phase) -> Sample {
        let tally = phase.take_tally();
        let asked = match &self.load.pace {
            Pace::Closed => None,
            Pace::Open(rate) => Some(schedule::asked(self.load, rate, tally.span())),
        };
        let sample = tally.into_sample(asked);
        Sample {
            ended: match sample.sent {
                _ if phase.was_cut() => Ended::Deadline,
                sent if sent == self.load.requests => Ended::Requests,
                _ => Ended::Duration,
            },
            ..sample
        }
    }

    fn too_late(&self, phase: &'static str) -> DriverError {
        DriverError::Deadline {
            deadline: self.load.deadline,
            phase,
        }
    }
}

fn total<W: Worker>(workers: &[W]) -> Counts {
    let add = |total: Counts, more: Counts| Counts {
        retries: total.retries + more.retries,
        reconnects: total.reconnects + more.reconnects,
        given_up: total.given_up + more.given_up,
    };
    workers
        .iter()
        .map(Worker::counts)
        .fold(Counts::default(), add)
}

/// CPU time of this thread so far.
fn thread_cpu() -> io::Result<Duration> {
    Ok(clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID)?.into())
}

fn engine(source: io::Error) -> DriverError {
    DriverError::Engine { source }
}
