//! What a run leaves for review, under cargo's target folder.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::BaselineError;
use super::format::{check_session, from_text, to_text};
use super::record::{Build, TargetRecord};
use super::session::Session;
use super::tree::{Key, keys, read_if_there, write_whole};
use crate::host::MachineClass;
use crate::name::ScenarioName;
use crate::sample::Metric;

/// One measured session that awaits review.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pending {
    /// The judged metrics that were worse by their threshold or more, whatever the verdict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub breached: Vec<Metric>,
    /// How the code under test was built.
    pub build: Build,
    /// The machine class it was measured on.
    pub class: MachineClass,
    /// The load in readable form.
    pub load: BTreeMap<String, Value>,
    /// A hash of the load.
    pub load_hash: String,
    /// The package.
    pub package: String,
    /// A former name of the scenario.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<ScenarioName>,
    /// The scenario.
    pub scenario: ScenarioName,
    /// The version of this format.
    pub schema: u32,
    /// What was measured.
    pub session: Session,
    /// The target.
    pub target: TargetRecord,
    /// The verdict it came with, by its name.
    pub verdict: String,
}

/// The names of the verdicts on which it depends what an acceptance does. The verdicts themselves
/// are a matter of `gate`, which stands above and checks that the names are theirs.
pub(crate) mod verdict_name {
    pub(crate) const BROKEN: &str = "broken";
    pub(crate) const INCONCLUSIVE: &str = "inconclusive";
    pub(crate) const PASS: &str = "pass";
    pub(crate) const REGRESSED: &str = "regressed";
}

impl Pending {
    /// Whether its numbers are only accepted with a reason: something got worse by its threshold.
    #[must_use]
    pub fn wants_reason(&self) -> bool {
        self.verdict == verdict_name::REGRESSED || !self.breached.is_empty()
    }

    /// Whether the run could not trust its own numbers or its baseline, which may then be replaced
    /// unread.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.verdict == verdict_name::BROKEN
    }

    /// Whether an acceptance adds it to the sessions of its baseline, since it is of their kind;
    /// otherwise it replaces them.
    #[must_use]
    pub fn joins(&self) -> bool {
        [verdict_name::PASS, verdict_name::INCONCLUSIVE].contains(&self.verdict.as_str())
    }

    /// Which record it is about.
    #[must_use]
    pub fn key(&self) -> Key {
        Key {
            class: self.class.clone(),
            package: self.package.clone(),
            scenario: self.scenario.clone(),
        }
    }
}

/// The folder of pending files.
#[derive(Clone, Debug)]
pub struct PendingStore {
    root: PathBuf,
}

impl PendingStore {
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

    /// The pending session of `key`; `None` when there is none.
    ///
    /// # Errors
    ///
    /// [`BaselineError`] when there is a file that cannot be read or trusted.
    pub fn read(&self, key: &Key) -> Result<Option<Pending>, BaselineError> {
        let path = key.path(&self.root);
        let Some(text) = read_if_there(&path)? else {
            return Ok(None);
        };
        let pending: Pending = from_text(&text, &path)?;
        check_session(&pending.session)
            .map_err(|reason| BaselineError::Invalid { path, reason })?;
        Ok(Some(pending))
    }

    /// The keys of all pending files, sorted.
    ///
    /// # Errors
    ///
    /// [`BaselineError::Read`] when a folder cannot be read.
    pub fn keys(&self) -> Result<Vec<Key>, BaselineError> {
        keys(&self.root)
    }

    /// Writes `pending`, in the place of an earlier one of the same scenario.
    ///
    /// # Errors
    ///
    /// [`BaselineError::Write`] when the system refuses.
    pub fn write(&self, pending: &Pending) -> Result<PathBuf, BaselineError> {
        let path = pending.key().path(&self.root);
        write_whole(&path, &to_text(pending))?;
        Ok(path)
    }

    /// Removes the pending file of `key`, if there is one.
    ///
    /// # Errors
    ///
    /// [`BaselineError::Write`] when the system refuses.
    pub fn remove(&self, key: &Key) -> Result<(), BaselineError> {
        let path = key.path(&self.root);
        match fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(BaselineError::Write { path, source })
            }
            _ => Ok(()),
        }
    }
}
