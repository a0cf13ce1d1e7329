//! The CPU time of a server within this process: that of the threads of its runtime.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nix::time::ClockId;
use nix::unistd::{Pid, gettid};

use super::cpu_time;

/// The threads of one runtime, each of which enters when it starts and leaves when it ends.
///
/// Threads that the server makes by other means are not seen.
#[derive(Debug, Default)]
pub(in crate::target) struct Threads {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    living: Vec<Pid>,
    ended: Duration,
}

impl Threads {
    /// The calling thread belongs to the server from now on.
    pub(in crate::target) fn enter(&self) {
        self.state().living.push(gettid());
    }

    /// The calling thread is about to end.
    pub(in crate::target) fn leave(&self) {
        let thread = gettid();
        let mut state = self.state();
        state.living.retain(|living| *living != thread);
        state.ended += thread_cpu(thread).unwrap_or_default();
    }

    /// CPU time of all threads that have ever entered.
    pub(super) fn cpu(&self) -> Duration {
        let state = self.state();
        let living = state.living.iter().filter_map(|thread| thread_cpu(*thread));
        living.sum::<Duration>() + state.ended
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The clock of any thread of this process, which no function of the C library names: the inverted
/// number above three bits that say "one thread, by the scheduler's nanoseconds".
fn thread_cpu(thread: Pid) -> Option<Duration> {
    cpu_time(ClockId::from_raw(!thread.as_raw() << 3 | 0b110))
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;
    use std::sync::mpsc;

    use super::*;

    fn burn(span: Duration) {
        let start = thread_cpu(gettid()).unwrap();
        while thread_cpu(gettid()).unwrap() - start < span {
            for number in 0..1_000 {
                black_box(number);
            }
        }
    }

    #[test]
    fn a_living_and_an_ended_thread_are_both_counted() {
        const SPAN: Duration = Duration::from_millis(50);
        let threads = Threads::default();
        let (stop, stopped) = mpsc::channel::<()>();
        let (burnt, wait_burnt) = mpsc::channel::<()>();
        std::thread::scope(|scope| {
            let ended = scope.spawn(|| {
                threads.enter();
                burn(SPAN);
                threads.leave();
            });
            ended.join().unwrap();
            let ended = threads.cpu();
            assert!(ended >= SPAN && ended < SPAN * 2, "{ended:?}");
            let counted = &threads;
            scope.spawn(move || {
                counted.enter();
                burn(SPAN);
                burnt.send(()).unwrap();
                stopped.recv().unwrap_err();
            });
            wait_burnt.recv().unwrap();
            let both = threads.cpu();
            assert!(both >= SPAN * 2 && both < SPAN * 4, "{both:?}");
            drop(stop);
        });
    }
}
