//! Where a project keeps its baselines and its target folder, and at which revision it is.

use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use super::error::BaselineError;
use super::pending::PendingStore;
use super::record::Baseline;
use super::store::Store;
use super::tree::Key;

/// The cargo workspace that a scenario belongs to.
#[derive(Clone, Debug)]
pub struct Project {
    root: PathBuf,
    target: PathBuf,
    baselines: PathBuf,
}

/// Why the workspace cannot be found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProjectError {
    /// Cargo could not be asked.
    #[error(
        "cargo cannot be asked for the workspace of {folder}: check that `cargo` is on the PATH"
    )]
    Cargo {
        /// Where it was asked.
        folder: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Cargo refused.
    #[error("cargo finds no workspace in {folder}: {message}")]
    NoWorkspace {
        /// Where it was asked.
        folder: PathBuf,
        /// What cargo said.
        message: String,
    },
    /// The base revision is not in this checkout.
    #[error(
        "the base revision {revision} is not in this checkout: check out with `fetch-depth: 2` or more, or name another by PERF_BASE"
    )]
    NoRevision {
        /// The revision asked for.
        revision: String,
    },
}

#[derive(Deserialize)]
struct Metadata {
    target_directory: PathBuf,
    workspace_root: PathBuf,
}

impl Project {
    /// Asks cargo for the workspace of the package in `folder`.
    ///
    /// `PERF_BASELINES_DIR` names another folder for the baselines, relative to the workspace.
    ///
    /// # Errors
    ///
    /// [`ProjectError`] when cargo cannot be run or finds no workspace.
    pub fn discover(folder: &Path) -> Result<Self, ProjectError> {
        let metadata = cargo_metadata(folder)?;
        let baselines = env::var_os("PERF_BASELINES_DIR").unwrap_or_else(|| "baselines".into());
        Ok(Self {
            baselines: metadata.workspace_root.join(baselines),
            root: metadata.workspace_root,
            target: metadata.target_directory,
        })
    }

    /// A project with the given folders, for tools and tests.
    #[must_use]
    pub fn at(root: impl Into<PathBuf>, target: impl Into<PathBuf>) -> Self {
        let root = root.into();
        Self {
            baselines: root.join("baselines"),
            root,
            target: target.into(),
        }
    }

    /// The root of the workspace.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The committed baselines.
    #[must_use]
    pub fn baselines(&self) -> Store {
        Store::new(&self.baselines)
    }

    /// The pending files.
    #[must_use]
    pub fn pending(&self) -> PendingStore {
        PendingStore::new(self.target.join("perf/pending"))
    }

    /// The folder of outcomes: one JSON file a scenario that ran.
    #[must_use]
    pub fn outcomes(&self) -> PathBuf {
        self.target.join("perf/outcomes")
    }

    /// The checked-out revision, `+dirty` when tracked files have changed; `None` outside git.
    #[must_use]
    pub fn revision(&self) -> Option<String> {
        let head = self.git(&["rev-parse", "--short=12", "HEAD"])?;
        let clean = self
            .git(&["status", "--porcelain", "--untracked-files=no"])?
            .is_empty();
        Some(if clean { head } else { format!("{head}+dirty") })
    }

    /// The committed baseline file of `key`, relative to the workspace, if the working tree lacks it.
    #[must_use]
    pub fn removed_baseline(&self, key: &Key) -> Option<String> {
        let path = self.baselines().path(key);
        let file = path.strip_prefix(&self.root).ok()?.to_str()?.to_owned();
        self.git(&["cat-file", "-e", &format!("HEAD:./{file}")])?;
        (!path.exists()).then_some(file)
    }

    /// The baseline of `key` as it was at `revision`; `None` inside when there was none.
    ///
    /// # Errors
    ///
    /// Outside, [`ProjectError::NoRevision`] when the checkout does not have the revision; inside,
    /// [`BaselineError`] when the file of that revision cannot be trusted.
    pub fn baseline_at(
        &self,
        revision: &str,
        key: &Key,
    ) -> Result<Result<Option<Baseline>, BaselineError>, ProjectError> {
        let commit = format!("{revision}^{{commit}}");
        if self
            .git(&["rev-parse", "--verify", "--quiet", &commit])
            .is_none()
        {
            return Err(ProjectError::NoRevision {
                revision: revision.to_owned(),
            });
        }
        let store = self.baselines();
        let path = store.path(key);
        let file = path.strip_prefix(&self.root).ok().and_then(Path::to_str);
        let text = file.and_then(|file| self.git(&["show", &format!("{revision}:./{file}")]));
        Ok(text.map(|text| store.parse(key, &text)).transpose())
    }

    fn git(&self, arguments: &[&str]) -> Option<String> {
        let output = Command::new("git")
            .arg("-C")
            .arg(&self.root)
            .args(arguments)
            .output()
            .ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    }
}

fn cargo_metadata(folder: &Path) -> Result<Metadata, ProjectError> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args([
            "metadata",
            "--no-deps",
            "--offline",
            "--format-version",
            "1",
        ])
        .current_dir(folder)
        .output()
        .map_err(|source| ProjectError::Cargo {
            folder: folder.to_owned(),
            source,
        })?;
    serde_json::from_slice(&output.stdout).map_err(|_| ProjectError::NoWorkspace {
        folder: folder.to_owned(),
        message: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
    })
}
