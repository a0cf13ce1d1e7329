//! Removes what test runs left, so that the next summary is of the next run alone.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use super::error::CliError;
use super::exit_code::Exit;
use super::surroundings::Surroundings;

pub(super) fn clean(
    surroundings: &Surroundings,
    out: &mut impl io::Write,
) -> Result<Exit, CliError> {
    let pending = surroundings.project.pending();
    for folder in [pending.root(), &surroundings.project.outcomes()] {
        if removed(folder)? {
            writeln!(out, "removed {}", folder.display())?;
        }
    }
    Ok(Exit::Clean)
}

/// Whether there was such a folder.
fn removed(folder: &Path) -> Result<bool, CliError> {
    match fs::remove_dir_all(folder) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(source) => Err(CliError::File {
            path: folder.to_owned(),
            source,
        }),
    }
}
