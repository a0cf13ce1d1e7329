//! One load at a time on this machine: across threads, test processes and checkouts.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use super::state_dir;

/// The right to put a load on this machine; given back when dropped, also by a crash.
///
/// It is an advisory lock on one file a user, which the kernel releases with its last holder.
#[derive(Debug)]
pub struct Lease {
    file: File,
}

/// Why the lease cannot be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LeaseError {
    /// The lock file cannot be opened or locked.
    #[error(
        "the lease file {path} cannot be used: check that the folder is writable and its file system has locks"
    )]
    File {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

impl Lease {
    /// Waits until no other load runs on this machine, then takes the lease for `holder`.
    ///
    /// `waiting` is told once, with the name of the present holder, when there is a wait.
    ///
    /// # Errors
    ///
    /// [`LeaseError`] when the lock file cannot be used.
    pub fn acquire(holder: &str, waiting: impl FnOnce(&str)) -> Result<Self, LeaseError> {
        let folder = state_dir().map_err(|source| LeaseError::File {
            path: std::env::temp_dir(),
            source,
        })?;
        Self::acquire_in(&folder, holder, waiting)
    }

    fn acquire_in(
        folder: &Path,
        holder: &str,
        waiting: impl FnOnce(&str),
    ) -> Result<Self, LeaseError> {
        let path = folder.join("lease");
        take(&path, holder, waiting).map_err(|source| LeaseError::File { path, source })
    }
}

fn take(path: &Path, holder: &str, waiting: impl FnOnce(&str)) -> io::Result<Lease> {
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            waiting(&read_holder(&mut file));
            file.lock()?;
        }
        Err(TryLockError::Error(error)) => return Err(error),
    }
    write_holder(&mut file, holder)?;
    Ok(Lease { file })
}

fn read_holder(file: &mut File) -> String {
    let mut holder = String::new();
    match file.take(200).read_to_string(&mut holder) {
        Ok(_) if !holder.trim().is_empty() => holder.trim().to_owned(),
        _ => "another test".to_owned(),
    }
}

fn write_holder(file: &mut File, holder: &str) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{holder} (process {})", std::process::id())
}

impl Drop for Lease {
    fn drop(&mut self) {
        // Closing the file releases the lock in any case; only the name of the holder is left.
        let _ = self.file.set_len(0);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, mpsc};
    use std::thread;

    use super::*;

    #[test]
    fn only_one_thread_holds_the_lease() {
        let folder = tempfile::tempdir().unwrap();
        let holders = Arc::new(AtomicUsize::new(0));
        let work = |holders: Arc<AtomicUsize>, path: PathBuf| {
            move || {
                for _ in 0..50 {
                    let _lease = Lease::acquire_in(&path, "x", |_| {}).unwrap();
                    assert_eq!(holders.fetch_add(1, Ordering::SeqCst), 0);
                    thread::yield_now();
                    holders.fetch_sub(1, Ordering::SeqCst);
                }
            }
        };
        let threads: Vec<_> = (0..4)
            .map(|_| thread::spawn(work(Arc::clone(&holders), folder.path().to_owned())))
            .collect();
        threads
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
    }

    #[test]
    fn a_waiting_scenario_is_told_who_holds_the_lease() {
        let folder = tempfile::tempdir().unwrap();
        let held =
            Lease::acquire_in(folder.path(), "shop/home", |_| panic!("nobody holds it")).unwrap();
        let (told, hears) = mpsc::channel();
        let path = folder.path().to_owned();
        let waiter = thread::spawn(move || {
            Lease::acquire_in(&path, "shop/cart", |holder| {
                told.send(holder.to_owned()).unwrap()
            })
            .unwrap();
        });
        let holder = hears.recv().unwrap();
        assert!(holder.starts_with("shop/home (process "), "{holder}");
        drop(held);
        waiter.join().unwrap();
    }
}
