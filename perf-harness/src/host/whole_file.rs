//! Files that are written whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Makes `text` the content of the file at `path`; its folder is made when it is not there.
///
/// A reader, or a crash, sees either all of it or what was there: the text is written beside its
/// place, brought to the disk and moved.
pub(crate) fn replace_file(path: &Path, text: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let temporary = Temporary::in_folder(folder);
    let mut file = File::create_new(&temporary.path)?;
    file.write_all(text)?;
    file.sync_all()?;
    fs::rename(&temporary.path, path)?;
    File::open(folder)?.sync_all()
}

/// A file that is gone when it was not moved to its place.
struct Temporary {
    path: PathBuf,
}

impl Temporary {
    /// A name that no other thread or process uses at the same time.
    fn in_folder(folder: &Path) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        Self {
            path: folder.join(format!(".perf-{}-{number}.tmp", std::process::id())),
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // It is not there any more once it was moved.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b.json");
        replace_file(&path, b"one").unwrap();
        replace_file(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn a_place_that_cannot_be_taken_is_left_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("taken");
        fs::create_dir(&path).unwrap();
        assert!(replace_file(&path, b"one").is_err());
        assert!(path.is_dir());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
