//! The committed files: the only code that touches `baselines/`.

use std::path::{Path, PathBuf};

use super::error::BaselineError;
use super::format::{check_baseline, from_text, to_text};
use super::record::Baseline;
use super::tree::{Key, keys, read_if_there, write_whole};

/// The folder of committed baselines, usually `baselines/` in the root of the workspace.
#[derive(Clone, Debug)]
pub struct Store {
    root: PathBuf,
}

impl Store {
    /// The store in the folder `root`, which need not exist yet.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The folder.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where the baseline of `key` is or would be.
    #[must_use]
    pub fn path(&self, key: &Key) -> PathBuf {
        key.path(&self.root)
    }

    /// The baseline of `key`; `None` when there is none.
    ///
    /// # Errors
    ///
    /// [`BaselineError`] when there is a file that cannot be read or trusted.
    pub fn read(&self, key: &Key) -> Result<Option<Baseline>, BaselineError> {
        let text = read_if_there(&self.path(key))?;
        text.map(|text| self.parse(key, &text)).transpose()
    }

    /// The baseline that `text` is, checked as that of `key`.
    ///
    /// # Errors
    ///
    /// [`BaselineError`] when the text is no baseline, or cannot be trusted as that of `key`.
    pub fn parse(&self, key: &Key, text: &str) -> Result<Baseline, BaselineError> {
        let path = self.path(key);
        let baseline: Baseline = from_text(text, &path)?;
        let sound = check_baseline(&baseline).and_then(|()| check_place(&baseline, key));
        sound.map_err(|reason| BaselineError::Invalid { path, reason })?;
        Ok(baseline)
    }

    /// The keys of all baselines, sorted.
    ///
    /// # Errors
    ///
    /// [`BaselineError::Read`] when a folder cannot be read.
    pub fn keys(&self) -> Result<Vec<Key>, BaselineError> {
        keys(&self.root)
    }

    /// Writes `baseline` to its place, whole or not at all; equal content is left alone.
    ///
    /// # Errors
    ///
    /// [`BaselineError::Write`] when the system refuses.
    pub fn write(&self, baseline: &Baseline) -> Result<PathBuf, BaselineError> {
        let key = Key {
            class: baseline.class.clone(),
            package: baseline.package.clone(),
            scenario: baseline.scenario.clone(),
        };
        let path = self.path(&key);
        write_whole(&path, &to_text(baseline))?;
        Ok(path)
    }
}

/// A file that was copied or renamed by hand speaks of something else.
fn check_place(baseline: &Baseline, key: &Key) -> Result<(), String> {
    let differs = |field: &str, says: &str, place: &str| {
        Err(format!(
            "it says {field} `{says}` but lies at the place of `{place}`"
        ))
    };
    if baseline.class != key.class {
        return differs("class", baseline.class.as_str(), key.class.as_str());
    }
    if baseline.package != key.package {
        return differs("package", &baseline.package, &key.package);
    }
    if baseline.scenario != key.scenario {
        return differs(
            "scenario",
            baseline.scenario.as_str(),
            key.scenario.as_str(),
        );
    }
    Ok(())
}
