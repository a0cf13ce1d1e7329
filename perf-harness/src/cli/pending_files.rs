//! The pending sessions of this project, or of a folder that came from elsewhere.

use std::io;
use std::path::Path;

use super::error::CliError;
use super::exit_code::Exit;
use super::filter::{Filter, select};
use crate::baseline::{Key, Pending, PendingStore};
use crate::error::in_words;
use crate::host::MachineClass;

/// Where an unpacked artifact may have its pending files, seen from the folder that was named.
const PLACES: [&str; 4] = ["pending", "perf/pending", "target/perf/pending", "."];

/// The pending files in `folder`, which is an artifact of a workflow or a folder of such files.
///
/// # Errors
///
/// [`CliError::NoPendingFiles`] when there is none, [`CliError::Baseline`] when a folder cannot be
/// read.
pub(super) fn downloaded(folder: &Path) -> Result<PendingStore, CliError> {
    for place in PLACES {
        let store = PendingStore::new(folder.join(place));
        if !store.keys()?.is_empty() {
            return Ok(store);
        }
    }
    Err(CliError::NoPendingFiles {
        folder: folder.to_owned(),
    })
}

/// What lies in a folder of pending files, sorted by key.
#[derive(Debug)]
pub(super) struct PendingFiles {
    pub(super) sessions: Vec<Pending>,
    unreadable: Vec<(Key, CliError)>,
}

impl PendingFiles {
    /// Reads all files of `store`; one that cannot be read does not keep the others from review.
    ///
    /// # Errors
    ///
    /// [`CliError::Baseline`] when a folder cannot be read.
    pub(super) fn read(store: &PendingStore) -> Result<Self, CliError> {
        let mut files = Self {
            sessions: Vec::new(),
            unreadable: Vec::new(),
        };
        for key in store.keys()? {
            match read(store, &key) {
                Ok(pending) => files.sessions.extend(pending),
                Err(error) => files.unreadable.push((key, error)),
            }
        }
        Ok(files)
    }

    /// Those that `filters` and `class` mean; all without them.
    ///
    /// # Errors
    ///
    /// [`CliError::NoMatch`] when a filter means nothing.
    pub(super) fn meant(
        mut self,
        filters: &[Filter],
        class: Option<&MachineClass>,
    ) -> Result<Self, CliError> {
        let of_class = |key: &Key| class.is_none_or(|class| key.class == *class);
        let sessions = self.sessions.iter().map(Pending::key);
        let unreadable = self.unreadable.iter().map(|(key, _)| key.clone());
        let mut keys: Vec<Key> = sessions.chain(unreadable).filter(of_class).collect();
        keys.sort();
        let meant = select(&keys, filters, "pending session")?;
        self.sessions
            .retain(|pending| meant.contains(&pending.key()));
        self.unreadable.retain(|(key, _)| meant.contains(key));
        Ok(self)
    }

    /// Names what is left out since it cannot be read; the exit that it makes of a clean one.
    pub(super) fn name_skipped(&self, out: &mut impl io::Write) -> Result<Exit, CliError> {
        for (key, error) in &self.unreadable {
            writeln!(
                out,
                "skipped {} ({}): {}",
                key.scenario,
                key.class,
                in_words(error)
            )?;
        }
        Ok(if self.unreadable.is_empty() {
            Exit::Clean
        } else {
            Exit::Failed
        })
    }
}

/// The pending session of `key`; `None` when there is none.
///
/// # Errors
///
/// [`CliError`] when it cannot be read or lies at the place of another.
pub(super) fn read(store: &PendingStore, key: &Key) -> Result<Option<Pending>, CliError> {
    let Some(pending) = store.read(key)? else {
        return Ok(None);
    };
    if pending.key() != *key {
        return Err(CliError::Misplaced {
            says: place(&pending.key()),
            place: place(key),
        });
    }
    Ok(Some(pending))
}

fn place(key: &Key) -> String {
    format!("{}/{}/{}", key.class, key.package, key.scenario)
}
