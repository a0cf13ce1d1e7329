//! The house rules that a compiler does not know: rooms import downwards only, every module says
//! what it is for, and the top level is what was agreed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms, bottom to top: each may import those before it.
const ROOMS: [&str; 19] = [
    "name",
    "endpoint",
    "stats",
    "host",
    "load",
    "target",
    "sample",
    "driver",
    "baseline",
    "gate",
    "outcome",
    "scenario",
    "error",
    "report",
    "run",
    "macro_support",
    "cli",
    "lib",
    "bin",
];

const TOP_LEVEL: [&str; 18] = [
    ".cargo",
    ".ci",
    ".clippy.toml",
    ".github",
    ".gitignore",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "baselines",
    "docs",
    "fixtures",
    "perf-harness",
    "perf-macros",
];

fn crate_folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn workspace() -> &'static Path {
    crate_folder().parent().unwrap()
}

/// All Rust files under `folder`.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let rust = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "rs");
    let inner = folders.iter().flat_map(|folder| sources(folder));
    files.into_iter().filter(rust).chain(inner).collect()
}

/// The first part of the path below `src`: `gate` for `gate/judge.rs` and for `gate.rs`.
fn room_of(path: &Path) -> String {
    let inside = path.strip_prefix(crate_folder().join("src")).unwrap();
    let first = inside
        .components()
        .next()
        .unwrap()
        .as_os_str()
        .to_str()
        .unwrap();
    first.trim_end_matches(".rs").to_owned()
}

fn place(room: &str) -> usize {
    let place = ROOMS.iter().position(|known| *known == room);
    place.unwrap_or_else(|| panic!("the room `{room}` has no place in the order"))
}

/// The rooms named by `crate::room`, also inside of braces.
fn imports(text: &str) -> BTreeSet<String> {
    let code = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let code = code.collect::<Vec<_>>().join("\n");
    let after = code.split("crate::").skip(1);
    let word = |text: &str| {
        text.split(|c: char| !c.is_alphanumeric() && c != '_')
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    let words = after.flat_map(|rest| match rest.strip_prefix('{') {
        Some(inside) => inside
            .split('}')
            .next()
            .unwrap_or_default()
            .split(',')
            .map(str::trim)
            .map(word)
            .collect(),
        None => vec![word(rest)],
    });
    words
        .filter(|word| ROOMS.contains(&word.as_str()))
        .collect()
}

#[test]
fn rooms_import_downwards_only() {
    let mut upwards = Vec::new();
    for path in sources(&crate_folder().join("src")) {
        let room = room_of(&path);
        for import in imports(&fs::read_to_string(&path).unwrap()) {
            if import != room && place(&import) >= place(&room) {
                upwards.push(format!("{} imports {import}", path.display()));
            }
        }
    }
    assert!(upwards.is_empty(), "{}", upwards.join("\n"));
}

#[test]
fn an_import_is_found_wherever_it_stands() {
    let text = "use crate::gate::{A, B};\nuse crate::{run, report::x};\n// use crate::cli;\nlet a = crate::stats::b();";
    let found: Vec<String> = imports(text).into_iter().collect();
    assert_eq!(found, ["gate", "report", "run", "stats"]);
}

#[test]
fn every_module_says_what_it_is_for() {
    let folders = ["perf-harness/src", "perf-macros/src", "fixtures/src"];
    let files = folders
        .iter()
        .flat_map(|folder| sources(&workspace().join(folder)));
    let silent = files.filter(|path| {
        let is_tests = path.file_name().is_some_and(|name| name == "tests.rs")
            || path
                .parent()
                .is_some_and(|folder| folder.ends_with("tests"));
        !is_tests
            && !fs::read_to_string(path)
                .unwrap()
                .trim_start()
                .starts_with("//!")
    });
    let silent: Vec<String> = silent.map(|path| path.display().to_string()).collect();
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}

#[test]
fn no_module_has_a_name_that_says_nothing() {
    let banned = [
        "util", "utils", "helper", "helpers", "common", "misc", "types", "imp", "manager",
        "handler", "info", "data",
    ];
    let folders = ["perf-harness/src", "perf-macros/src", "fixtures/src"];
    let files = folders
        .iter()
        .flat_map(|folder| sources(&workspace().join(folder)));
    let named = files.filter(|path| banned.contains(&path.file_stem().unwrap().to_str().unwrap()));
    assert_eq!(named.collect::<Vec<_>>(), [] as [PathBuf; 0]);
}

#[test]
fn the_top_level_is_what_was_agreed() {
    let listed = std::process::Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(workspace())
        .output()
        .unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let found: BTreeSet<&str> = listed
        .lines()
        .filter_map(|path| path.split('/').next())
        .collect();
    let unknown: Vec<&&str> = found
        .iter()
        .filter(|name| !TOP_LEVEL.contains(name))
        .collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}
