//! The outcomes that the last run left.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::error::CliError;
use crate::baseline::Project;
use crate::outcome::Outcome;
use crate::report::json;

/// All outcomes of the project, sorted by key; none when there is no such folder.
///
/// A target folder may be shared: outcomes of other workspaces are not this project's.
///
/// # Errors
///
/// [`CliError`] when one cannot be read: what cannot be read is never taken for a pass.
pub(super) fn read_all(project: &Project) -> Result<Vec<Outcome>, CliError> {
    let folder = &project.outcomes();
    let mut paths = Vec::new();
    collect(folder, &mut paths).map_err(|source| unusable(folder, source))?;
    let outcomes: Result<Vec<Outcome>, CliError> = paths.iter().map(|path| read(path)).collect();
    let mut outcomes = outcomes?;
    outcomes.retain(|outcome| is_same_folder(&outcome.workspace, project.root()));
    outcomes.sort_by(|a, b| a.key.cmp(&b.key));
    Ok(outcomes)
}

/// Links may give one folder two names.
fn is_same_folder(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).ok();
    one == other || real(one).is_some_and(|one| real(other) == Some(one))
}

fn read(path: &Path) -> Result<Outcome, CliError> {
    let text = fs::read_to_string(path).map_err(|source| unusable(path, source))?;
    json::from_text(&text).map_err(|source| CliError::Outcome {
        path: path.to_owned(),
        source,
    })
}

fn unusable(path: &Path, source: io::Error) -> CliError {
    CliError::File {
        path: path.to_owned(),
        source,
    }
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, paths)?;
        } else if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            paths.push(path);
        }
    }
    Ok(())
}
