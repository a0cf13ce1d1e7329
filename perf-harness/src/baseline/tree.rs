//! Folders of records: `<class>/<package>/<scenario>.json` under a root.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::BaselineError;
use crate::host::{MachineClass, replace_file};
use crate::name::ScenarioName;

/// Which record: of which scenario, in which package, on which class of machines.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Key {
    /// The machine class.
    pub class: MachineClass,
    /// The package.
    pub package: String,
    /// The scenario.
    pub scenario: ScenarioName,
}

impl Key {
    /// Where the record is or would be under `root`.
    #[must_use]
    pub fn path(&self, root: &Path) -> PathBuf {
        root.join(self.class.as_str())
            .join(&self.package)
            .join(format!("{}.json", self.scenario))
    }

    /// The key of the record at `path` under `root`; `None` for a file that is no record.
    fn of(path: &Path, root: &Path) -> Option<Self> {
        let inside = path
            .strip_prefix(root)
            .ok()?
            .to_str()?
            .strip_suffix(".json")?;
        let mut parts = inside.splitn(3, '/');
        Some(Self {
            class: MachineClass::named(parts.next()?),
            package: parts.next()?.to_owned(),
            scenario: ScenarioName::parse(parts.next()?).ok()?,
        })
    }
}

/// The text of the file at `path`; `None` when there is none.
pub(super) fn read_if_there(path: &Path) -> Result<Option<String>, BaselineError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(BaselineError::Read {
            path: path.to_owned(),
            source,
        }),
    }
}

/// Writes `text` to `path` so that a reader, or a crash, sees either all of it or what was there.
///
/// A file that already holds `text` is left alone.
pub(crate) fn write_whole(path: &Path, text: &str) -> Result<(), BaselineError> {
    if fs::read_to_string(path).is_ok_and(|present| present == text) {
        return Ok(());
    }
    replace_file(path, text.as_bytes()).map_err(|source| BaselineError::Write {
        path: path.to_owned(),
        source,
    })
}

/// The keys of all records under `root`, sorted; none when there is no such folder.
pub(super) fn keys(root: &Path) -> Result<Vec<Key>, BaselineError> {
    let mut found = Vec::new();
    collect(root, root, &mut found).map_err(|source| BaselineError::Read {
        path: root.to_owned(),
        source,
    })?;
    found.sort();
    Ok(found)
}

fn collect(folder: &Path, root: &Path, found: &mut Vec<Key>) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), root, found)?;
        } else {
            found.extend(Key::of(&entry.path(), root));
        }
    }
    Ok(())
}
