//! The folder of one user on one machine for what must be shared between test processes.

use std::ffi::OsString;
use std::fs::{DirBuilder, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use nix::unistd::Uid;

/// Names another folder, for tests of the harness and for unusual machines.
const VARIABLE: &str = "PERF_STATE_DIR";

/// The folder, made when it is not there; readable and writable by its owner only.
///
/// It is one fixed place a user: two shells, a remote login and two checkouts share one machine,
/// and so one lease, whatever their environment says of folders for temporary files.
/// `PERF_STATE_DIR` names another, which all processes that put a load on the machine must share.
pub(crate) fn state_dir() -> io::Result<PathBuf> {
    match std::env::var_os(VARIABLE).filter(|folder| !folder.is_empty()) {
        Some(folder) => named(folder),
        None => shared(location()),
    }
}

/// Where the folder is, as far as it can be said.
pub(super) fn location() -> PathBuf {
    match std::env::var_os(VARIABLE).filter(|folder| !folder.is_empty()) {
        Some(folder) => PathBuf::from(folder),
        None => temporary_files().join(format!("perf-harness-{}", Uid::current())),
    }
}

/// `TMPDIR` may differ from shell to shell, so it is asked only where there is no `/tmp`.
fn temporary_files() -> PathBuf {
    let fixed = Path::new("/tmp");
    if fixed.is_dir() {
        return fixed.to_owned();
    }
    std::env::temp_dir()
}

fn named(folder: OsString) -> io::Result<PathBuf> {
    let folder = PathBuf::from(folder);
    if folder.is_relative() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!(
                "{VARIABLE} is a relative path, which means another folder in each package: write an absolute one"
            ),
        ));
    }
    make(&folder)?;
    Ok(folder)
}

/// A folder in a shared place could have been put there by somebody else.
fn shared(folder: PathBuf) -> io::Result<PathBuf> {
    make(&folder)?;
    if is_ours(&folder.symlink_metadata()?) {
        return Ok(folder);
    }
    Err(io::Error::new(
        io::ErrorKind::PermissionDenied,
        format!(
            "{} is not a folder of this user: remove it, or name another by {VARIABLE}",
            folder.display()
        ),
    ))
}

fn make(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

fn is_ours(metadata: &Metadata) -> bool {
    metadata.is_dir() && metadata.uid() == Uid::current().as_raw()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_new_folder_is_its_owners_alone() {
        let parent = tempfile::tempdir().unwrap();
        let folder = shared(parent.path().join("state")).unwrap();
        assert_eq!(
            folder.metadata().unwrap().permissions().mode() & 0o777,
            0o700
        );
        assert_eq!(shared(folder.clone()).unwrap(), folder);
    }

    #[test]
    fn a_link_in_a_shared_place_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        let link = parent.path().join("state");
        symlink(parent.path(), &link).unwrap();
        let message = shared(link).unwrap_err().to_string();
        assert!(
            message.contains("state is not a folder of this user"),
            "{message}"
        );
        assert!(message.contains("PERF_STATE_DIR"), "{message}");
    }

    #[test]
    fn a_named_folder_is_taken_as_it_is() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("a/b");
        assert_eq!(named(folder.clone().into_os_string()).unwrap(), folder);
        assert!(folder.is_dir());
    }

    #[test]
    fn a_relative_folder_is_refused() {
        let message = named("state".into()).unwrap_err().to_string();
        assert!(message.contains("write an absolute one"), "{message}");
    }

    #[test]
    fn no_variable_of_one_shell_moves_the_folder() {
        const ROLE: &str = "PERF_HARNESS_TEST_STATE_DIR";
        if std::env::var_os(ROLE).is_some() {
            println!("\nat {}", location().display());
            return;
        }
        let (_, module) = module_path!().split_once("::").unwrap();
        let name = format!("{module}::no_variable_of_one_shell_moves_the_folder");
        let place = |variable: &str| {
            let output = std::process::Command::new(std::env::current_exe().unwrap())
                .args(["--exact", &name, "--nocapture"])
                .env_remove(VARIABLE)
                .env(ROLE, "1")
                .env(variable, "/var/tmp")
                .output()
                .unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            let place = text.lines().find_map(|line| line.strip_prefix("at "));
            place.expect("the child says where").to_owned()
        };
        let places = ["XDG_RUNTIME_DIR", "TMPDIR", "HOME"].map(place);
        let expected = format!("/tmp/perf-harness-{}", Uid::current());
        assert_eq!(places, [(); 3].map(|()| expected.clone()));
    }
}
