//! What a build context is named by, and what is in it.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use tokio_stream::StreamExt;

use super::super::context::BuildContext;
use super::super::engine;
use super::super::error::ContainerError;

fn folder(files: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("My Shop");
    for (path, text) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    (parent, folder)
}

fn read(folder: &Path) -> Result<BuildContext, ContainerError> {
    let folder = folder.to_owned();
    engine::run(async move { BuildContext::read(&folder).await })
}

fn image(folder: &Path) -> String {
    read(folder).unwrap().image(&BTreeMap::new())
}

/// The paths in the archive, as a builder would read them.
fn paths(folder: &Path) -> Vec<String> {
    let bytes = read(folder).unwrap().into_archive();
    engine::run(async move {
        let mut archive = tokio_tar::Archive::new(bytes.as_slice());
        let mut entries = archive.entries().unwrap();
        let mut paths = Vec::new();
        while let Some(entry) = entries.next().await {
            paths.push(entry.unwrap().path().unwrap().display().to_string());
        }
        Ok(paths)
    })
    .unwrap()
}

const DOCKERFILE: (&str, &str) = ("Dockerfile", "FROM scratch\n");

#[test]
fn the_name_tells_the_folder() {
    let (_parent, folder) = folder(&[DOCKERFILE]);
    let image = image(&folder);
    assert!(image.starts_with("perf-harness/my-shop:"), "{image}");
}

#[test]
fn the_name_stays_when_nothing_but_times_and_the_umask_differ() {
    let (_parent, folder) = folder(&[DOCKERFILE, ("a/b", "text")]);
    let before = image(&folder);
    fs::write(folder.join("a/b"), "text").unwrap();
    fs::set_permissions(folder.join("a/b"), Permissions::from_mode(0o664)).unwrap();
    assert_eq!(image(&folder), before);
}

#[test]
fn content_path_mode_and_build_argument_each_change_the_name() {
    let (_parent, folder) = folder(&[DOCKERFILE, ("a", "text")]);
    let mut names = vec![image(&folder)];
    fs::write(folder.join("a"), "texT").unwrap();
    names.push(image(&folder));
    fs::set_permissions(folder.join("a"), Permissions::from_mode(0o755)).unwrap();
    names.push(image(&folder));
    fs::rename(folder.join("a"), folder.join("b")).unwrap();
    names.push(image(&folder));
    let build_args = BTreeMap::from([("VARIANT".to_owned(), "slow".to_owned())]);
    names.push(read(&folder).unwrap().image(&build_args));
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count, "{names:?}");
}

#[test]
fn what_is_ignored_is_neither_sent_nor_part_of_the_name() {
    let ignore = (".dockerignore", "*\n!src\n**/*.log\n");
    let (_parent, folder) = folder(&[
        DOCKERFILE,
        ignore,
        ("src/main", "x"),
        ("src/a.log", "x"),
        ("big", "x"),
    ]);
    assert_eq!(paths(&folder), ["Dockerfile", "src", "src/main"]);
    let before = image(&folder);
    fs::write(folder.join("big"), "changed").unwrap();
    assert_eq!(image(&folder), before);
}

#[test]
fn links_are_kept_as_links_and_long_paths_whole() {
    let long = format!("{}/{}/file", "a".repeat(120), "b".repeat(120));
    let (_parent, folder) = folder(&[DOCKERFILE, (&long, "x")]);
    symlink("/nowhere", folder.join("link")).unwrap();
    let paths = paths(&folder);
    assert!(paths.contains(&long), "{paths:?}");
    assert!(paths.contains(&"link".to_owned()), "{paths:?}");
}

#[test]
fn a_folder_without_a_dockerfile_is_named() {
    let (_parent, folder) = folder(&[("main", "x")]);
    let message = read(&folder).unwrap_err().to_string();
    assert!(
        message.contains("no Dockerfile in") && message.contains("My Shop"),
        "{message}"
    );
    let message = read(&folder.join("missing")).unwrap_err().to_string();
    assert!(message.contains("missing cannot be read"), "{message}");
}
