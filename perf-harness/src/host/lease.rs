//! One load at a time on this machine: across threads, test processes and checkouts.

use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::state_dir;

/// The right to put a load on this machine; given back when dropped, also by a crash.
///
/// It is an advisory lock on one file a user, which the kernel releases with its last holder.
#[derive(Debug)]
pub struct Lease {
    file: File,
}

/// Who puts a load on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// What it is, in words.
    pub name: String,
    /// The number of its process; `None` when it cannot be read.
    pub process: Option<u32>,
}

/// Why the lease cannot be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LeaseError {
    /// The lock file cannot be opened or locked.
    #[error(
        "the lease file {path} cannot be used ({source}): check that the folder is writable and its file system has locks"
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
    /// `waiting` is told once, with the present holder, when there is a wait.
    ///
    /// # Errors
    ///
    /// [`LeaseError`] when the lock file cannot be used.
    pub fn acquire(holder: &str, waiting: impl FnOnce(&Holder)) -> Result<Self, LeaseError> {
        let folder = state_dir().map_err(|source| LeaseError::File {
            path: state_dir::location(),
            source,
        })?;
        Self::acquire_in(&folder, holder, waiting)
    }

    fn acquire_in(
        folder: &Path,
        holder: &str,
        waiting: impl FnOnce(&Holder),
    ) -> Result<Self, LeaseError> {
        let path = folder.join("lease");
        take(&path, holder, waiting).map_err(|source| LeaseError::File { path, source })
    }
}

/// A cleaner of temporary files may remove the file while we wait for it: what we then hold is the
/// lease of nobody, and the next one makes a new file.
fn take(path: &Path, holder: &str, waiting: impl FnOnce(&Holder)) -> io::Result<Lease> {
    let mut waiting = Some(waiting);
    loop {
        let mut file = open(path)?;
        lock(&mut file, &mut waiting)?;
        if is_at(&file, path)? {
            write_holder(&mut file, holder)?;
            return Ok(Lease { file });
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
}

fn lock(file: &mut File, waiting: &mut Option<impl FnOnce(&Holder)>) -> io::Result<()> {
    match file.try_lock() {
        Ok(()) => return Ok(()),
        Err(TryLockError::WouldBlock) => {}
        Err(TryLockError::Error(error)) => return Err(error),
    }
    if let Some(waiting) = waiting.take() {
        waiting(&read_holder(file));
    }
    file.lock()
}

/// Whether the open file is the one that others find at `path`.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let ours = file.metadata()?;
    match fs::metadata(path) {
        Ok(found) => Ok((found.dev(), found.ino()) == (ours.dev(), ours.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Two lines, name and process; the holder may be just about to write them.
fn read_holder(file: &mut File) -> Holder {
    let mut text = String::new();
    let text = file
        .take(200)
        .read_to_string(&mut text)
        .map_or("", |_| &text);
    let mut lines = text.lines();
    let name = lines
        .next()
        .filter(|name| !name.is_empty())
        .unwrap_or("another test");
    Holder {
        name: name.to_owned(),
        process: lines.next().and_then(|process| process.parse().ok()),
    }
}

fn write_holder(file: &mut File, holder: &str) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    write!(file, "{holder}\n{}\n", std::process::id())
}

impl Holder {
    /// Whether it is another test of this very process.
    #[must_use]
    pub fn is_this_process(&self) -> bool {
        self.process == Some(std::process::id())
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        self.process
            .iter()
            .try_for_each(|process| write!(f, " (process {process})"))
    }
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
                told.send(holder.clone()).unwrap()
            })
            .unwrap();
        });
        let holder = hears.recv().unwrap();
        assert_eq!(holder.name, "shop/home");
        assert!(holder.is_this_process(), "{holder}");
        drop(held);
        waiter.join().unwrap();
    }

    #[test]
    fn a_removed_file_is_no_lease() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lease");
        let held = take(&path, "shop/home", |_| panic!("nobody holds it")).unwrap();
        let (told, hears) = mpsc::channel();
        let waiter = thread::spawn({
            let path = path.clone();
            move || take(&path, "shop/cart", |_| told.send(()).unwrap()).unwrap()
        });
        hears.recv().unwrap();
        fs::remove_file(&path).unwrap();
        drop(held);
        let _taken = waiter.join().unwrap();
        let seen_by_others = open(&path).unwrap().try_lock();
        assert!(matches!(seen_by_others, Err(TryLockError::WouldBlock)));
    }
}
