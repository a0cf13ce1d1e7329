//! The thread that a load runs on, and how it tells the caller's thread of the window.

use std::any::Any;
use std::io;
use std::sync::PoisonError;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use tokio::runtime::{Builder, LocalOptions};

use super::round::Round;
use super::{ConnectTimes, Worker};
use crate::driver::{DriverError, Window, file_limit};
use crate::load::Load;
use crate::sample::Sample;

/// Runs `load` by the workers that `make` makes, on a new thread with a runtime of its own, so that
/// a caller within another runtime can wait for it; `window` is told on the caller's thread.
///
/// The limit of open files is raised for one connection a worker; code that holds more than that
/// is on its own. A panic of a worker ends the load and goes on in the caller.
pub(in crate::driver) fn drive<W: Worker>(
    load: &Load,
    window: &mut dyn Window,
    make: impl FnOnce(&ConnectTimes) -> Result<Vec<W>, DriverError> + Send,
) -> Result<Sample, DriverError> {
    file_limit::raise(load.concurrency)?;
    let (shutters, frames) = shutters();
    thread::scope(|scope| {
        let engine = thread::Builder::new()
            .name("perf-load".to_owned())
            .spawn_scoped(scope, move || run(load, &shutters, make))
            .map_err(|source| DriverError::Engine { source })?;
        frames.tell(window);
        engine.join().unwrap_or_else(pass_on)
    })
}

fn run<W: Worker>(
    load: &Load,
    shutters: &Shutters,
    make: impl FnOnce(&ConnectTimes) -> Result<Vec<W>, DriverError>,
) -> Result<Sample, DriverError> {
    let round = Round::new(load);
    let runtime = Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .build_local(LocalOptions::default())
        .map_err(|source| DriverError::Engine { source })?;
    let connect_times = ConnectTimes::default();
    let workers = make(&connect_times)?;
    let sample = runtime.block_on(round.run(shutters, workers))?;
    let connect = connect_times.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(Sample {
        connect: connect.clone(),
        ..sample
    })
}

fn pass_on(panic: Box<dyn Any + Send>) -> Result<Sample, DriverError> {
    std::panic::resume_unwind(panic)
}

/// The edges of the window.
#[derive(Clone, Copy, Debug)]
enum Edge {
    Open,
    Close,
}

/// The engine's end: announces an edge and waits until the window was told of it.
pub(super) struct Shutters {
    edges: Sender<Edge>,
    told: Receiver<()>,
}

/// The caller's end.
struct Frames {
    edges: Receiver<Edge>,
    told: Sender<()>,
}

fn shutters() -> (Shutters, Frames) {
    let (edge_sender, edges) = channel();
    let (told_sender, told) = channel();
    let shutters = Shutters {
        edges: edge_sender,
        told,
    };
    let frames = Frames {
        edges,
        told: told_sender,
    };
    (shutters, frames)
}

impl Shutters {
    /// Opens the window.
    pub(super) fn open(&self) -> Result<(), DriverError> {
        self.announce(Edge::Open)
    }

    /// Closes the window.
    pub(super) fn close(&self) -> Result<(), DriverError> {
        self.announce(Edge::Close)
    }

    /// Fails when the caller's thread panicked, so that nobody waits for the sample any more.
    fn announce(&self, edge: Edge) -> Result<(), DriverError> {
        let told = self.edges.send(edge).is_ok() && self.told.recv().is_ok();
        told.then_some(()).ok_or_else(|| DriverError::Engine {
            source: io::Error::other("the thread that waits for the load is gone"),
        })
    }
}

impl Frames {
    /// Tells `window` of every edge until the engine's end is dropped.
    fn tell(self, window: &mut dyn Window) {
        while let Ok(edge) = self.edges.recv() {
            match edge {
                Edge::Open => window.open(),
                Edge::Close => window.close(),
            }
            if self.told.send(()).is_err() {
                return;
            }
        }
    }
}
