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
        "cargo cannot be asked for the workspace of {folder} ({source}): check that `cargo` is on the PATH"
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
    /// A pull request's run that did not check out the merge with its base.
    #[error(
        "this run of a pull request has not checked out its merge commit, so its base is not known: leave `ref` of the checkout step alone, or name the base by PERF_BASE"
    )]
    NoMerge,
    /// Git refuses to answer.
    #[error("git cannot be asked about {file}: {message}")]
    Git {
        /// About what.
        file: String,
        /// What git said.
        message: String,
    },
}

/// The revision whose baselines judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Base {
    /// A revision by name.
    Named(String),
    /// The first parent of the merge commit that is checked out, as on a pull request of GitHub.
    OfMerge,
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
        let baselines = env::var_os("PERF_BASELINES_DIR").filter(|folder| !folder.is_empty());
        let baselines = baselines.unwrap_or_else(|| "baselines".into());
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

    /// The project with its baselines in another folder, relative to the workspace.
    #[must_use]
    pub fn with_baselines(mut self, folder: impl AsRef<Path>) -> Self {
        self.baselines = self.root.join(folder);
        self
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
        let head = self.git(&["rev-parse", "--short=12", "HEAD"]).ok()?;
        let changes = self.git(&["status", "--porcelain", "--untracked-files=no"]);
        let clean = changes.ok()?.is_empty();
        Some(if clean { head } else { format!("{head}+dirty") })
    }

    /// Where the baseline of `key` is or would be, relative to the workspace where it lies in it.
    #[must_use]
    pub fn baseline_file(&self, key: &Key) -> String {
        let path = self.baselines().path(key);
        self.file_in_workspace(key)
            .unwrap_or_else(|| path.display().to_string())
    }

    /// `None` where the baselines lie outside of the workspace: no revision has them.
    fn file_in_workspace(&self, key: &Key) -> Option<String> {
        let path = self.baselines().path(key);
        let inside = path.strip_prefix(&self.root).ok()?;
        Some(inside.display().to_string())
    }

    /// Whether the last commit has a baseline of `key`; false outside git.
    ///
    /// # Errors
    ///
    /// [`ProjectError::Git`] when git refuses to answer.
    pub fn is_committed(&self, key: &Key) -> Result<bool, ProjectError> {
        match self.file_in_workspace(key) {
            Some(file) if self.is_in_git() && self.commit("HEAD").is_some() => {
                self.has_file("HEAD", &file)
            }
            _ => Ok(false),
        }
    }

    /// The baseline of `key` as it was at `base`; `None` inside when there was none.
    ///
    /// # Errors
    ///
    /// Outside, [`ProjectError`] when the checkout does not have the revision, or git refuses to
    /// answer; inside, [`BaselineError`] when the file of that revision cannot be trusted.
    pub fn baseline_at(
        &self,
        base: &Base,
        key: &Key,
    ) -> Result<Result<Option<Baseline>, BaselineError>, ProjectError> {
        let revision = self.revision_of(base)?;
        let Some(file) = self.file_in_workspace(key) else {
            return Ok(Ok(None));
        };
        if !self.has_file(&revision, &file)? {
            return Ok(Ok(None));
        }
        let text = self.git(&["show", &format!("{revision}:./{file}")]);
        let text = text.map_err(|message| ProjectError::Git { file, message })?;
        Ok(self.baselines().parse(key, &text).map(Some))
    }

    fn revision_of(&self, base: &Base) -> Result<String, ProjectError> {
        let revision = match base {
            Base::Named(revision) => revision.clone(),
            Base::OfMerge if self.commit("HEAD^1").is_none() => {
                return Err(ProjectError::NoRevision {
                    revision: "HEAD^1".to_owned(),
                });
            }
            Base::OfMerge if self.commit("HEAD^2").is_none() => return Err(ProjectError::NoMerge),
            Base::OfMerge => "HEAD^1".to_owned(),
        };
        self.commit(&revision)
            .ok_or(ProjectError::NoRevision { revision })
    }

    /// The full name of a commit; `None` when the checkout does not have it.
    fn commit(&self, revision: &str) -> Option<String> {
        let commit = format!("{revision}^{{commit}}");
        self.git(&["rev-parse", "--verify", "--quiet", &commit])
            .ok()
    }

    fn has_file(&self, revision: &str, file: &str) -> Result<bool, ProjectError> {
        let listed = self.git(&["ls-tree", "--name-only", revision, "--", file]);
        let listed = listed.map_err(|message| ProjectError::Git {
            file: file.to_owned(),
            message,
        })?;
        Ok(!listed.is_empty())
    }

    fn is_in_git(&self) -> bool {
        self.root
            .ancestors()
            .any(|folder| folder.join(".git").exists())
    }

    /// What git prints, or what it says when it fails.
    fn git(&self, arguments: &[&str]) -> Result<String, String> {
        let output = Command::new("git")
            .arg("-C")
            .arg(&self.root)
            .args(arguments)
            .output()
            .map_err(|error| error.to_string())?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        if output.status.success() {
            Ok(text(&output.stdout))
        } else {
            Err(text(&output.stderr))
        }
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
