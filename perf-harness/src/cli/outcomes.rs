//! The outcomes that the last run left.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::error::CliError;
use crate::outcome::Outcome;
use crate::report::json;

/// All outcomes under `folder`, sorted by key; none when there is no such folder.
///
/// # Errors
///
/// [`CliError`] when one cannot be read: what cannot be read is never taken for a pass.
pub(super) fn read_all(folder: &Path) -> Result<Vec<Outcome>, CliError> {
    let mut paths = Vec::new();
    collect(folder, &mut paths).map_err(|source| unusable(folder, source))?;
    let outcomes: Result<Vec<Outcome>, CliError> = paths.iter().map(|path| read(path)).collect();
    let mut outcomes = outcomes?;
    outcomes.sort_by(|a, b| a.key.cmp(&b.key));
    Ok(outcomes)
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
