//! The build context: a folder with a Dockerfile, as the archive that the builder is sent.
//!
//! The archive depends on nothing but the paths, modes and contents in the folder, so its
//! fingerprint can name the image. Modification times are left out, and so is the permission of
//! others to write, which depends on the umask of whoever checked the folder out.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::hash::Hasher;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use siphasher::sip128::{Hasher128, SipHasher13};
use tokio_tar::{Builder, EntryType, Header};

use super::error::ContainerError;
use super::ignore::IgnoreRules;

/// The archive is held in memory while it is sent.
const LIMIT_MIB: u64 = 512;

/// A build context, read into memory.
#[derive(Debug)]
pub(super) struct BuildContext {
    folder: PathBuf,
    archive: Vec<u8>,
}

struct Entry {
    path: PathBuf,
    metadata: Metadata,
}

impl BuildContext {
    /// Reads the context in `folder`.
    pub(super) async fn read(folder: &Path) -> Result<Self, ContainerError> {
        let folder = fs::canonicalize(folder).map_err(unreadable(folder))?;
        if !folder.join("Dockerfile").is_file() {
            return Err(ContainerError::DockerfileMissing { context: folder });
        }
        let entries = entries(&folder)?;
        let bytes: u64 = entries.iter().map(|entry| entry.metadata.len()).sum();
        if bytes > LIMIT_MIB << 20 {
            return Err(ContainerError::ContextTooLarge {
                context: folder,
                limit_mib: LIMIT_MIB,
            });
        }
        let archive = archive(&folder, &entries).await?;
        Ok(Self { folder, archive })
    }

    /// The name that an image built from this context with `build_args` goes by.
    pub(super) fn image(&self, build_args: &BTreeMap<String, String>) -> String {
        let mut hasher = SipHasher13::new();
        hasher.write(&self.archive);
        for (name, value) in build_args {
            hasher.write(format!("{name}={value}\0").as_bytes());
        }
        let fingerprint = hasher.finish128().h1;
        format!(
            "perf-harness/{}:{fingerprint:016x}",
            repository(&self.folder)
        )
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn into_archive(self) -> Vec<u8> {
        self.archive
    }
}

/// The folder's name, as far as a repository may be called so.
fn repository(folder: &Path) -> String {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let name: String = name
        .to_ascii_lowercase()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    let parts: Vec<&str> = name.split('-').filter(|part| !part.is_empty()).collect();
    match parts.is_empty() {
        true => "image".to_owned(),
        false => parts.join("-"),
    }
}

fn entries(folder: &Path) -> Result<Vec<Entry>, ContainerError> {
    let rules = ignore_rules(folder)?;
    let mut found = Vec::new();
    collect(folder, Path::new(""), &rules, &mut found)?;
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

fn ignore_rules(folder: &Path) -> Result<IgnoreRules, ContainerError> {
    let path = folder.join(".dockerignore");
    match fs::read_to_string(&path) {
        Ok(text) => Ok(IgnoreRules::parse(&text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(IgnoreRules::default()),
        Err(error) => Err(unreadable(&path)(error)),
    }
}

fn collect(
    folder: &Path,
    below: &Path,
    rules: &IgnoreRules,
    found: &mut Vec<Entry>,
) -> Result<(), ContainerError> {
    let here = folder.join(below);
    for entry in fs::read_dir(&here).map_err(unreadable(&here))? {
        let entry = entry.map_err(unreadable(&here))?;
        let path = below.join(entry.file_name());
        let metadata = entry.metadata().map_err(unreadable(&entry.path()))?;
        let excluded = path != Path::new("Dockerfile") && rules.excludes(&path.to_string_lossy());
        if metadata.is_dir() && (!excluded || rules.has_exceptions()) {
            collect(folder, &path, rules, found)?;
        }
        if !excluded {
            found.push(Entry { path, metadata });
        }
    }
    Ok(())
}

async fn archive(folder: &Path, entries: &[Entry]) -> Result<Vec<u8>, ContainerError> {
    let mut builder = Builder::new(Vec::new());
    for entry in entries {
        append(&mut builder, folder, entry)
            .await
            .map_err(unreadable(&folder.join(&entry.path)))?;
    }
    builder.into_inner().await.map_err(unreadable(folder))
}

/// Sockets and pipes have no place in an image and are passed over.
async fn append(builder: &mut Builder<Vec<u8>>, folder: &Path, entry: &Entry) -> io::Result<()> {
    let kind = entry.metadata.file_type();
    let mut header = Header::new_gnu();
    header.set_mode(entry.metadata.permissions().mode() & 0o7755);
    if kind.is_symlink() {
        header.set_entry_type(EntryType::Symlink);
        header.set_size(0);
        let to = fs::read_link(folder.join(&entry.path))?;
        header.set_link_name(to)?;
        return builder
            .append_data(&mut header, &entry.path, [].as_slice())
            .await;
    }
    if kind.is_dir() {
        header.set_entry_type(EntryType::Directory);
        header.set_size(0);
        return builder
            .append_data(&mut header, &entry.path, [].as_slice())
            .await;
    }
    if kind.is_file() {
        let bytes = fs::read(folder.join(&entry.path))?;
        header.set_size(bytes.len() as u64);
        return builder
            .append_data(&mut header, &entry.path, bytes.as_slice())
            .await;
    }
    Ok(())
}

fn unreadable(path: &Path) -> impl Fn(io::Error) -> ContainerError {
    let path = path.to_owned();
    move |source| ContainerError::Read {
        path: path.clone(),
        source,
    }
}
