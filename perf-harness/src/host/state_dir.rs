//! The folder of one user on one machine for what must be shared between test processes.

use std::fs::{DirBuilder, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::PathBuf;

use nix::unistd::Uid;

/// The folder, made when it is not there; readable and writable by its owner only.
///
/// It lies in `XDG_RUNTIME_DIR`, or in the folder for temporary files, never in a target folder:
/// two checkouts of two projects share one machine, and so one lease.
pub(crate) fn state_dir() -> io::Result<PathBuf> {
    let folder = location();
    match DirBuilder::new().mode(0o700).create(&folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    check_owner(&folder.symlink_metadata()?)?;
    Ok(folder)
}

fn location() -> PathBuf {
    match std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from) {
        Some(runtime) if runtime.is_dir() => runtime.join("perf-harness"),
        _ => std::env::temp_dir().join(format!("perf-harness-{}", Uid::current())),
    }
}

/// A folder in a shared place could have been put there by somebody else.
fn check_owner(metadata: &Metadata) -> io::Result<()> {
    if metadata.is_dir() && metadata.uid() == Uid::current().as_raw() {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::PermissionDenied,
        format!(
            "{} is not a folder of this user: remove it",
            location().display()
        ),
    ))
}
