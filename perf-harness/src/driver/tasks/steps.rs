//! The named steps of one iteration, from when they begin until they are counted.

use std::time::Duration;
#[cfg(feature = "journeys")]
use std::time::Instant;

/// One step that was begun.
#[derive(Clone, Copy, Debug)]
pub(in crate::driver) struct Taken {
    pub(in crate::driver) name: &'static str,
    /// How long it took; `None` when it failed or was dropped.
    pub(in crate::driver) took: Option<Duration>,
}

/// The steps of the iteration under way, in the order in which they were begun.
#[cfg(feature = "journeys")]
#[derive(Debug, Default)]
pub(in crate::driver) struct Steps(Vec<Taken>);

/// A step under way.
#[cfg(feature = "journeys")]
#[derive(Debug)]
pub(in crate::driver) struct Begun {
    place: usize,
    at: Instant,
}

#[cfg(feature = "journeys")]
impl Steps {
    /// A step begins.
    pub(in crate::driver) fn begin(&mut self, name: &'static str) -> Begun {
        self.0.push(Taken { name, took: None });
        Begun {
            place: self.0.len() - 1,
            at: Instant::now(),
        }
    }

    /// A step went well. One that does not is left as it was begun.
    pub(in crate::driver) fn end(&mut self, begun: &Begun) {
        if let Some(step) = self.0.get_mut(begun.place) {
            step.took = Some(begun.at.elapsed());
        }
    }

    /// The steps of an iteration that has ended.
    pub(in crate::driver) fn take(&mut self) -> Vec<Taken> {
        std::mem::take(&mut self.0)
    }
}
