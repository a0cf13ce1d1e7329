//! Ctrl-C and its kin: what was started is stopped first, then the process dies by the signal.
//!
//! Child processes have groups of their own and containers belong to a daemon, so neither would
//! end with the test process. Test runners kill what does not end within some ten seconds.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::sync::mpsc;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use super::TargetError;

/// What all clean-ups together may take.
const CLEAN_UP_TIME: Duration = Duration::from_secs(8);

type CleanUp = Box<dyn FnOnce() + Send>;

struct Registry {
    is_installed: bool,
    is_interrupted: bool,
    next: u64,
    clean_ups: BTreeMap<u64, CleanUp>,
}

static REGISTRY: Mutex<Registry> = Mutex::new(Registry {
    is_installed: false,
    is_interrupted: false,
    next: 0,
    clean_ups: BTreeMap::new(),
});

/// A clean-up that is run when a signal ends the process; dropping this forgets it.
#[derive(Debug)]
pub(super) struct Registration {
    key: u64,
}

/// Fails once a signal has told the process to end.
pub(super) fn refuse_if_interrupted() -> Result<(), TargetError> {
    if registry().is_interrupted {
        return Err(TargetError::Interrupted);
    }
    Ok(())
}

/// Has `clean_up` run when a signal ends the process.
#[cfg(feature = "containers")]
pub(super) fn register(
    clean_up: impl FnOnce() + Send + 'static,
) -> Result<Registration, TargetError> {
    start_registered(|| Ok(((), Box::new(clean_up) as CleanUp)))
        .map(|((), registration)| registration)
}

/// Starts something that lives on its own, and registers what stops it, in one step: no signal can
/// come between the two.
///
/// `start` must be short, it keeps the clean-ups waiting.
pub(super) fn start_registered<T>(
    start: impl FnOnce() -> Result<(T, CleanUp), TargetError>,
) -> Result<(T, Registration), TargetError> {
    registry().start(start)
}

impl Registry {
    fn start<T>(
        &mut self,
        start: impl FnOnce() -> Result<(T, CleanUp), TargetError>,
    ) -> Result<(T, Registration), TargetError> {
        if self.is_interrupted {
            return Err(TargetError::Interrupted);
        }
        self.install()?;
        let (started, clean_up) = start()?;
        let key = self.next;
        self.next += 1;
        self.clean_ups.insert(key, clean_up);
        Ok((started, Registration { key }))
    }

    fn install(&mut self) -> Result<(), TargetError> {
        if self.is_installed {
            return Ok(());
        }
        watch().map_err(|source| TargetError::Signals { source })?;
        self.is_installed = true;
        Ok(())
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let clean_up = registry().clean_ups.remove(&self.key);
        // Dropped here, after the lock: what it holds may have a clean-up of its own.
        drop(clean_up);
    }
}

fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

fn watch() -> io::Result<()> {
    let ignored = ignored_signals();
    let watched = [SIGINT, SIGTERM, SIGHUP]
        .into_iter()
        .filter(|signal| !is_in(ignored, *signal));
    let mut signals = Signals::new(watched)?;
    std::thread::Builder::new()
        .name("perf-signals".to_owned())
        .spawn(move || {
            if let Some(signal) = signals.forever().next() {
                clean_up_and_die(signal);
            }
        })?;
    Ok(())
}

/// What the process was told to ignore (`nohup`, a background job) stays ignored.
fn ignored_signals() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}

fn is_in(mask: u64, signal: i32) -> bool {
    mask >> (signal - 1) & 1 == 1
}

fn clean_up_and_die(signal: i32) {
    let clean_ups = close_registry();
    run_all(clean_ups, CLEAN_UP_TIME);
    // It returns only for a signal that ends no process, and there is none such among ours.
    let _ = emulate_default_handler(signal);
    std::process::abort();
}

fn close_registry() -> Vec<CleanUp> {
    let mut registry = registry();
    registry.is_interrupted = true;
    std::mem::take(&mut registry.clean_ups)
        .into_values()
        .collect()
}

/// Runs all at once, each on its own thread, and waits for them at most `within`.
///
/// The lock is not held: a clean-up that panics or blocks stops neither the others nor the end.
fn run_all(clean_ups: Vec<CleanUp>, within: Duration) {
    let until = Instant::now() + within;
    let (running, ended) = mpsc::channel::<()>();
    for clean_up in clean_ups {
        let running = running.clone();
        std::thread::spawn(move || {
            clean_up();
            drop(running);
        });
    }
    drop(running);
    // Nothing is ever sent: the wait ends when the last thread has dropped its end.
    let _ = ended.recv_timeout(until.saturating_duration_since(Instant::now()));
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use nix::sys::signal::Signal;

    use super::super::programs::Holder;
    use super::*;

    fn counting(count: &Arc<AtomicU32>) -> CleanUp {
        let count = Arc::clone(count);
        Box::new(move || {
            count.fetch_add(1, Ordering::SeqCst);
        })
    }

    #[test]
    fn a_clean_up_that_panics_does_not_stop_the_others() {
        let count = Arc::new(AtomicU32::new(0));
        let broken: CleanUp = Box::new(|| assert_eq!(1, 2, "broken on purpose"));
        let clean_ups = vec![counting(&count), broken, counting(&count)];
        run_all(clean_ups, Duration::from_secs(3_600));
        assert_eq!(count.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn a_clean_up_that_blocks_does_not_keep_the_process() {
        let (_never, blocked) = mpsc::channel::<()>();
        let clean_up = Box::new(move || blocked.recv().unwrap_or_default()) as CleanUp;
        run_all(vec![clean_up], Duration::from_millis(1));
    }

    #[test]
    fn a_dropped_registration_is_forgotten() {
        let count = Arc::new(AtomicU32::new(0));
        let ((), registration) = start_registered(|| Ok(((), counting(&count)))).unwrap();
        let key = registration.key;
        assert!(registry().clean_ups.contains_key(&key));
        drop(registration);
        assert!(!registry().clean_ups.contains_key(&key));
        assert_eq!(Arc::strong_count(&count), 1);
    }

    #[test]
    fn nothing_starts_once_a_signal_has_come() {
        let mut registry = Registry {
            is_installed: true,
            is_interrupted: true,
            next: 0,
            clean_ups: BTreeMap::new(),
        };
        let refused = registry.start::<()>(|| unreachable!("it must not be started"));
        assert!(matches!(refused, Err(TargetError::Interrupted)));
    }

    #[test]
    fn a_signal_stops_the_server_and_then_ends_the_process_as_ever() {
        for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
            let folder = tempfile::tempdir().unwrap();
            let mut holder = Holder::start(folder.path());
            holder.send(signal);
            assert_eq!(holder.end().signal(), Some(signal as i32));
            assert!(!holder.server.runs(), "{signal}");
        }
    }

    #[test]
    fn what_a_killed_process_leaves_is_stopped_by_the_next_start() {
        let folder = tempfile::tempdir().unwrap();
        let mut killed = Holder::start(folder.path());
        killed.send(Signal::SIGKILL);
        assert_eq!(killed.end().signal(), Some(9));
        assert!(killed.server.runs());
        let mut next = Holder::start(folder.path());
        assert!(!killed.server.runs());
        assert!(next.server.runs());
        next.send(Signal::SIGTERM);
        next.end();
    }

    #[test]
    fn an_ignored_signal_is_read_from_the_mask() {
        assert!(is_in(0b1, SIGHUP));
        assert!(!is_in(0b1, SIGINT));
        assert!(is_in(0x4000, SIGTERM));
    }
}
