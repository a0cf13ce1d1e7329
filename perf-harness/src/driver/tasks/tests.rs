//! Paces and ends of a round, by workers that only count.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::PoisonError;
use std::time::Duration;

use tokio::task::yield_now;
use tokio::time::sleep;

use super::*;
use crate::driver::{DriverError, Window};
use crate::load::{Arrivals, Load, Pace, Rate};
use crate::sample::{Ended, ErrorKind, OpenLoop, Sample};

#[derive(Debug, Default)]
struct Edges(Vec<&'static str>);

impl Window for Edges {
    fn open(&mut self) {
        self.0.push("open");
    }

    fn close(&mut self) {
        self.0.push("close");
    }
}

/// A worker that does `act`, told the iterations that all workers began before.
struct Acting<F> {
    act: Rc<F>,
    begun: Rc<Cell<u64>>,
    start_overs: Rc<Cell<u64>>,
}

impl<F: AsyncFn(u64) -> Result<()> + 'static> Worker for Acting<F> {
    async fn iterate(&mut self, _: &mut Notes) -> Result<()> {
        let number = self.begun.replace(self.begun.get() + 1);
        (self.act)(number).await
    }

    fn start_over(&mut self) {
        self.start_overs.set(self.start_overs.get() + 1);
    }

    fn counts(&self) -> Counts {
        Counts::default()
    }
}

fn try_run<F>(load: &Load, act: F) -> (std::result::Result<Sample, DriverError>, Vec<&'static str>)
where
    F: AsyncFn(u64) -> Result<()> + Send + 'static,
{
    let mut edges = Edges::default();
    let result = drive(load, &mut edges, |_| {
        let act = Rc::new(act);
        let (begun, start_overs) = (Rc::default(), Rc::default());
        let worker = |_| Acting {
            act: Rc::clone(&act),
            begun: Rc::clone(&begun),
            start_overs: Rc::clone(&start_overs),
        };
        Ok((0..load.concurrency).map(worker).collect())
    });
    (result, edges.0)
}

fn run<F>(load: &Load, act: F) -> Sample
where
    F: AsyncFn(u64) -> Result<()> + Send + 'static,
{
    let (result, edges) = try_run(load, act);
    let sample = result.unwrap();
    assert_eq!(edges, ["open", "close"]);
    assert_eq!(sample.sent, sample.ok + sample.failed());
    assert_eq!(
        sample.series.intervals.iter().map(|i| i.ok).sum::<u64>(),
        sample.ok
    );
    sample
}

async fn nothing(_: u64) -> Result<()> {
    yield_now().await;
    Ok(())
}

async fn hang(_: u64) -> Result<()> {
    std::future::pending().await
}

fn load(requests: u64, concurrency: usize) -> Load {
    Load {
        requests,
        concurrency,
        warmup: Some(0),
        ..Load::default()
    }
}

fn at_rate(per_second: f64, load: Load) -> Load {
    Load {
        pace: Pace::Open(Rate::constant(per_second)),
        ..load
    }
}

fn open_loop(sample: &Sample) -> &OpenLoop {
    sample.open_loop.as_ref().expect("the loop was open")
}

#[test]
fn a_count_at_a_rate_is_exact() {
    for concurrency in [1, 7] {
        let start = Instant::now();
        let sample = run(&at_rate(1000.0, load(200, concurrency)), nothing);
        assert!(
            start.elapsed() >= Duration::from_millis(199),
            "199 gaps of 1 ms"
        );
        assert_eq!((sample.ok, sample.ended), (200, Ended::Requests));
        let open = open_loop(&sample);
        assert_eq!((open.lag.count(), open.uncorrected.count()), (200, 200));
        assert!((open.asked - 1000.0).abs() < 1e-6, "{}", open.asked);
        assert!(open.sent > 0.0 && sample.steady_throughput.is_none());
    }
}

#[test]
fn poisson_arrivals_are_all_begun() {
    let mut rate = Rate::constant(2000.0);
    rate.arrivals = Arrivals::Poisson;
    let load = Load {
        pace: Pace::Open(rate),
        ..load(100, 5)
    };
    assert_eq!(run(&load, nothing).ok, 100);
}

#[test]
fn nothing_begins_before_its_time() {
    let load = Load {
        duration: Some(Duration::from_secs(1)),
        ..at_rate(50.0, load(0, 50))
    };
    let sample = run(&load, nothing);
    assert_eq!(sample.ended, Ended::Duration);
    assert!((49..=50).contains(&sample.sent), "{}", sample.sent);
}

#[test]
fn latency_counts_from_the_intended_time_while_all_workers_are_busy() {
    const STALL: Duration = Duration::from_millis(300);
    let sample = run(&at_rate(200.0, load(100, 1)), async |number| {
        if number == 20 {
            sleep(STALL).await;
        }
        Ok(())
    });
    let stall = STALL.as_nanos() as u64;
    let open = open_loop(&sample);
    // Of 60 arrivals that fell into the stall, those of its first half waited at least a half of it.
    assert!(sample.latency.percentile(80.0).unwrap() >= stall / 2);
    assert!(open.uncorrected.max().unwrap() >= stall * 99 / 100);
    assert!(open.lag.max().unwrap() >= stall * 9 / 10);
    assert!(sample.latency.mean() > open.uncorrected.mean());
}

#[test]
fn a_timeout_counts_from_the_start_and_its_latency_from_the_intended_time() {
    let load = Load {
        timeout: Duration::from_millis(100),
        ..at_rate(1000.0, load(3, 1))
    };
    let sample = run(&load, hang);
    assert_eq!(sample.errors, [(ErrorKind::Timeout, 3)].into());
    let open = open_loop(&sample);
    assert!(open.uncorrected.max().unwrap() < 101_000_000, "{open:?}");
    assert!(sample.latency.max().unwrap() >= 297_000_000);
}

#[test]
fn what_waits_when_the_duration_ends_is_not_begun() {
    let load = Load {
        duration: Some(Duration::from_millis(200)),
        ..at_rate(1000.0, load(0, 1))
    };
    let sample = run(&load, async |_| {
        sleep(Duration::from_millis(400)).await;
        Ok(())
    });
    assert_eq!((sample.ok, sample.ended), (1, Ended::Duration));
}

#[test]
fn a_duration_ends_a_closed_loop_and_what_was_begun_is_counted() {
    let load = Load {
        duration: Some(Duration::from_millis(200)),
        ..load(0, 4)
    };
    let sample = run(&load, async |_| {
        sleep(Duration::from_millis(1)).await;
        Ok(())
    });
    assert_eq!((sample.ended, sample.failed()), (Ended::Duration, 0));
    assert!(sample.ok >= 4);
}

#[test]
fn the_count_ends_a_round_before_its_duration() {
    let load = Load {
        duration: Some(Duration::from_secs(60)),
        ..load(6, 2)
    };
    let sample = run(&load, nothing);
    assert_eq!((sample.ok, sample.ended), (6, Ended::Requests));
}

#[test]
fn the_deadline_cuts_what_is_under_way() {
    for pace in [Pace::Closed, Pace::Open(Rate::constant(100.0))] {
        let load = Load {
            deadline: Duration::from_millis(300),
            pace,
            ..load(1000, 2)
        };
        let sample = run(&load, async |number| match number {
            0..4 => Ok(()),
            _ => hang(number).await,
        });
        assert_eq!(
            (sample.ok, sample.sent, sample.ended),
            (4, 6, Ended::Deadline)
        );
        assert_eq!(sample.errors, [(ErrorKind::Timeout, 2)].into());
        assert_eq!(sample.latency.count(), 6);
        assert!(sample.latency.max().unwrap() <= 301_000_000);
        let message = sample.first_error.unwrap();
        assert!(message.contains("`deadline`"), "{message}");
    }
}

#[test]
fn the_deadline_ends_a_load_that_goes_well() {
    let load = Load {
        deadline: Duration::from_millis(200),
        ..at_rate(1.0, load(1000, 3))
    };
    let sample = run(&load, nothing);
    assert_eq!((sample.ok, sample.ended), (1, Ended::Deadline));
    let load = Load {
        pace: Pace::Closed,
        requests: u64::MAX,
        ..load
    };
    let sample = run(&load, nothing);
    assert_eq!(sample.ended, Ended::Deadline);
    let cut = sample.errors.get(&ErrorKind::Timeout).copied();
    assert_eq!(sample.failed(), cut.unwrap_or(0));
    assert!(sample.ok > 0 && sample.failed() <= 3, "{:?}", sample.errors);
}

#[test]
fn a_deadline_before_the_window_is_no_measurement() {
    let hanging = Load {
        deadline: Duration::from_millis(200),
        warmup: Some(2),
        ..load(10, 2)
    };
    let ramping = Load {
        ramp_up: Duration::from_secs(60),
        ..hanging.clone()
    };
    for (result, edges) in [try_run(&hanging, hang), try_run(&ramping, nothing)] {
        let message = result.unwrap_err().to_string();
        assert!(
            message.contains("`deadline` of 200ms came while set-up and warm-up were under way"),
            "{message}"
        );
        assert!(edges.is_empty());
    }
}

#[test]
fn a_ramp_up_begins_the_workers_one_after_the_other() {
    let began: Arc<Mutex<Vec<Instant>>> = Arc::default();
    let notes = Arc::clone(&began);
    let start = Instant::now();
    let load = Load {
        ramp_up: Duration::from_millis(200),
        warmup: Some(4),
        ..load(4, 4)
    };
    let sample = run(&load, async move |_| {
        let mut notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.push(Instant::now());
        Ok(())
    });
    assert_eq!(sample.ok, 4);
    let began = began.lock().unwrap();
    for (place, at) in (0..4).zip(began.iter()) {
        let least = Duration::from_millis(50) * place;
        assert!(*at - start >= least, "{place} after {:?}", *at - start);
    }
}

#[test]
fn failures_are_timed_apart_unless_nothing_was_sent() {
    let sample = run(&load(10, 1), async |number| match number {
        0..3 => Err(Failure::new("no")),
        3..5 => Err(Failure::of_kind(ErrorKind::Refused, "nobody there")),
        _ => Ok(()),
    });
    assert_eq!((sample.ok, sample.failed()), (5, 5));
    assert_eq!(
        (sample.latency.count(), sample.failed_latency.count()),
        (5, 3)
    );
    let failed: u64 = sample.series.intervals.iter().map(|i| i.failed).sum();
    assert_eq!(failed, 5);
}
