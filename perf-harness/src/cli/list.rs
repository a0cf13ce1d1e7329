//! All scenarios that have a baseline or a pending session, by machine class.

use std::collections::BTreeSet;
use std::io;

use super::arguments::ListArguments;
use super::error::CliError;
use super::exit_code::Exit;
use super::filter::select;
use super::pending_files;
use super::surroundings::Surroundings;
use crate::baseline::{Baseline, Key, Project};
use crate::host::MachineClass;
use crate::report::{Column, Table, value};
use crate::sample::Metric;

const NOTHING: &str = "\
no baselines and nothing pending: annotate a function with `#[perf_harness::scenario(...)]`, run
`cargo test`, then look at the numbers with `cargo perf list` and take them with `cargo perf accept --all`";

pub(super) fn list(
    arguments: &ListArguments,
    surroundings: &Surroundings,
    out: &mut impl io::Write,
) -> Result<Exit, CliError> {
    let keys = known_keys(&surroundings.project)?;
    if keys.is_empty() {
        writeln!(out, "{NOTHING}")?;
        return Ok(Exit::Clean);
    }
    let keys = select(&keys, &arguments.filter, "baseline or pending session")?;
    for (place, class) in classes(&keys).into_iter().enumerate() {
        let separator = if place > 0 { "\n" } else { "" };
        let here = if *class == surroundings.class {
            " (this machine)"
        } else {
            ""
        };
        writeln!(out, "{separator}{class}{here}")?;
        let of_class = keys.iter().filter(|key| key.class == *class);
        out.write_all(
            table(of_class, &surroundings.project)
                .to_text(surroundings.style)
                .as_bytes(),
        )?;
    }
    Ok(Exit::Clean)
}

/// The keys of baselines and of pending sessions, sorted.
pub(super) fn known_keys(project: &Project) -> Result<Vec<Key>, CliError> {
    let mut keys = project.baselines().keys()?;
    keys.extend(project.pending().keys()?);
    keys.sort();
    keys.dedup();
    Ok(keys)
}

fn classes(keys: &[Key]) -> BTreeSet<&MachineClass> {
    keys.iter().map(|key| &key.class).collect()
}

fn table<'a>(keys: impl Iterator<Item = &'a Key>, project: &Project) -> Table {
    let mut table = Table::new([
        Column::Left("scenario"),
        Column::Left("package"),
        Column::Right("sessions"),
        Column::Right("throughput"),
        Column::Right("p99"),
        Column::Left("pending"),
    ]);
    for key in keys {
        table.row(row(key, project));
    }
    table
}

/// A file that cannot be used is part of the picture, not the end of it.
fn row(key: &Key, project: &Project) -> Vec<String> {
    let mut cells = vec![key.scenario.to_string(), key.package.clone()];
    cells.extend(match project.baselines().read(key) {
        Ok(baseline) => accepted(baseline.as_ref()),
        Err(_) => ["broken".to_owned(), String::new(), String::new()],
    });
    cells.push(match pending_files::read(&project.pending(), key) {
        Ok(pending) => pending.map(|pending| pending.verdict).unwrap_or_default(),
        Err(_) => "unreadable".to_owned(),
    });
    cells
}

fn accepted(baseline: Option<&Baseline>) -> [String; 3] {
    let Some(baseline) = baseline else {
        return ["none".to_owned(), String::new(), String::new()];
    };
    let shown = |metric: Metric| {
        baseline
            .accepted
            .medians
            .get(&metric)
            .map(|median| value(metric, *median))
    };
    [
        baseline.sessions.len().to_string(),
        shown(Metric::Throughput).unwrap_or_default(),
        shown(Metric::P99).unwrap_or_default(),
    ]
}
