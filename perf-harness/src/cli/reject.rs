//! Pending sessions are thrown away; baselines stay.

use std::io;

use super::arguments::RejectArguments;
use super::error::CliError;
use super::exit_code::Exit;
use super::filter::select;
use super::surroundings::Surroundings;
use crate::baseline::Key;

pub(super) fn reject(
    arguments: &RejectArguments,
    surroundings: &Surroundings,
    out: &mut impl io::Write,
) -> Result<Exit, CliError> {
    let store = surroundings.project.pending();
    let keys = store.keys()?;
    if keys.is_empty() {
        writeln!(out, "nothing is pending")?;
        return Ok(Exit::Clean);
    }
    let said = arguments.all || !arguments.filter.is_empty();
    if !said && keys.len() > 1 {
        return unsaid(&keys, out);
    }
    for key in select(&keys, &arguments.filter, "pending session")? {
        store.remove(&key)?;
        writeln!(out, "rejected {} ({})", key.scenario, key.class)?;
    }
    Ok(Exit::Clean)
}

fn unsaid(keys: &[Key], out: &mut impl io::Write) -> Result<Exit, CliError> {
    for key in keys {
        writeln!(out, "  {}  {}", key.scenario, key.class)?;
    }
    writeln!(
        out,
        "nothing was rejected: name the scenarios, or type `cargo perf reject --all`"
    )?;
    Ok(Exit::Usage)
}
