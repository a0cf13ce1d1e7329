//! The house rules that a compiler does not know: rooms import downwards only, every module says
//! what it is for, and the top level is what was agreed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms, bottom to top: each may import those before it.
const ROOMS: [&str; 21] = [
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
    "surroundings",
    "report",
    "run",
    "terminal",
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

/// The lines that are no comments.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
}

fn first_word(text: &str) -> &str {
    text.trim_start()
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .next()
        .unwrap_or_default()
}

/// The items of the braces at the start of `text`, with all that they hold; none without braces.
fn braced(text: &str) -> Vec<&str> {
    let Some(inside) = text.strip_prefix('{') else {
        return Vec::new();
    };
    let (mut items, mut depth, mut start) = (Vec::new(), 1, 0);
    for (place, c) in inside.char_indices() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if depth == 0 || (depth == 1 && c == ',') {
            items.push(&inside[start..place]);
            start = place + 1;
        }
        if depth == 0 {
            break;
        }
    }
    items
}

/// The rooms named by `crate::room`, also inside of braces.
fn imports(text: &str) -> BTreeSet<String> {
    let code = code(text).collect::<Vec<_>>().join("\n");
    let words = code.split("crate::").skip(1).flat_map(|rest| {
        let items = braced(rest);
        if items.is_empty() {
            vec![first_word(rest)]
        } else {
            items.into_iter().map(first_word).collect()
        }
    });
    words
        .filter(|word| ROOMS.contains(word))
        .map(str::to_owned)
        .collect()
}

/// How many modules the longest path of `super::` in `text` goes up.
fn climb(text: &str) -> usize {
    let chains = text.match_indices("super::").map(|(place, _)| {
        let mut rest = &text[place..];
        let mut steps = 0;
        while let Some(after) = rest.strip_prefix("super::") {
            rest = after;
            steps += 1;
        }
        let inner = braced(rest).into_iter().map(climb).max();
        steps + inner.unwrap_or_default()
    });
    chains.max().unwrap_or_default()
}

/// How many modules deep a file stands: 1 for the root of a room, 0 for the crate's.
fn depth_of(inside: &Path) -> usize {
    let named = inside.with_extension("");
    let unnamed = named.ends_with("mod") || named.ends_with("lib");
    named.components().count() - usize::from(unnamed)
}

/// The statements of `text` that go up past the root of the room, from a file `depth` modules deep.
///
/// A module inside of a file ends, as rustfmt writes it, at the first brace as far left as its start.
fn leaving(text: &str, depth: usize) -> Vec<String> {
    let mut ends: Vec<String> = Vec::new();
    let mut left = Vec::new();
    for statement in statements(text) {
        let line = statement.lines().next().unwrap_or_default();
        if ends.last().is_some_and(|end| end == line) {
            ends.pop();
        }
        if climb(&statement) > 0 && climb(&statement) >= depth + ends.len() {
            left.push(statement.clone());
        }
        let mut words = line
            .split_whitespace()
            .skip_while(|word| word.starts_with("pub"));
        if words.next() == Some("mod") && line.ends_with('{') {
            let margin = line.len() - line.trim_start().len();
            ends.push(format!("{}}}", " ".repeat(margin)));
        }
    }
    left
}

/// Lines, but an import of several lines in one piece.
fn statements(text: &str) -> Vec<String> {
    let mut statements: Vec<String> = Vec::new();
    for line in code(text) {
        match statements.last_mut() {
            Some(open) if open.contains("use ") && open.contains('{') && !open.contains(';') => {
                open.push('\n');
                open.push_str(line);
            }
            _ => statements.push(line.to_owned()),
        }
    }
    statements
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
fn an_import_behind_inner_braces_is_found() {
    let text = "use crate::{\n    gate::{A, b::{C}},\n    cli,\n};\nuse crate::{host::{B}, run};";
    let found: Vec<String> = imports(text).into_iter().collect();
    assert_eq!(found, ["cli", "gate", "host", "run"]);
}

#[test]
fn no_path_leaves_its_room_upwards() {
    let mut found = Vec::new();
    let source = crate_folder().join("src");
    for path in sources(&source) {
        let depth = depth_of(path.strip_prefix(&source).unwrap());
        for statement in leaving(&fs::read_to_string(&path).unwrap(), depth) {
            found.push(format!("{}: {statement}", path.display()));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_path_that_leaves_its_room_upwards_is_found() {
    let depth = |path: &str| depth_of(Path::new(path));
    let depths = [
        "lib.rs",
        "gate.rs",
        "gate/mod.rs",
        "gate/judge.rs",
        "cli/accept/tests.rs",
    ];
    assert_eq!(depths.map(depth), [0, 1, 1, 2, 3]);
    let leaves = |text: &str, depth| !leaving(text, depth).is_empty();
    assert!(leaves("use super::run;", 1));
    assert!(leaves("let a = super::super::run::b();", 2));
    assert!(leaves("use super::{\n    a,\n    super::cli,\n};", 2));
    assert!(!leaves("use super::a;\n// super::super::b", 2));
    assert!(!leaves("use super::super::Desk;", 3));
    let inner = "mod tests {\n    use super::*;\n}\n";
    assert!(!leaves(inner, 1));
    assert!(!leaves(&format!("pub(super) {inner}"), 1));
    assert!(leaves(&format!("{inner}use super::run;"), 1));
    assert!(leaves("mod tests {\n    use super::super::run;\n}\n", 1));
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
