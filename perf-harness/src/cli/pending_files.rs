//! The pending sessions of this project, or of a folder that came from elsewhere.

use std::path::Path;

use super::error::CliError;
use crate::baseline::{Key, Pending, PendingStore};

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

/// All pending sessions, sorted by key.
///
/// # Errors
///
/// [`CliError`] when one of them cannot be read or lies at the place of another.
pub(super) fn read_all(store: &PendingStore) -> Result<Vec<Pending>, CliError> {
    let read = |key: Key| read(store, &key).transpose();
    store.keys()?.into_iter().filter_map(read).collect()
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
