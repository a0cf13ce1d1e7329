//! `cargo perf load`: a load by hand.

mod arguments;
mod listener;
mod notation;

use std::fs;
use std::io;

use super::error::CliError;
use super::exit_code::Exit;
use crate::load::Load;
use crate::report::load::{LoadReport, ab, csv, json, text, time_series, wrk};
use crate::run::ad_hoc;
use crate::sample::{Ended, Sample};
use arguments::Format;
pub(super) use arguments::{EXAMPLES, LoadArguments};
use listener::StandardError;

pub(super) fn load(arguments: &LoadArguments, out: &mut impl io::Write) -> Result<Exit, CliError> {
    let (server, target) = notation::split(&arguments.url);
    let load = arguments.to_load(target)?;
    let given = ad_hoc(&server, &load, &mut StandardError::new(&arguments.url))
        .map_err(|error| CliError::Load(Box::new(error)))?;
    let report = LoadReport {
        url: &arguments.url,
        address: &given.address,
        load: &load,
        sample: &given.sample,
        warnings: &given.warnings,
    };
    out.write_all(rendered(arguments.format, &report).as_bytes())?;
    if let Some(path) = &arguments.gnuplot {
        fs::write(path, time_series(report.sample)).map_err(|source| CliError::File {
            path: path.clone(),
            source,
        })?;
    }
    Ok(exit(&load, &given.sample))
}

fn rendered(format: Format, report: &LoadReport<'_>) -> String {
    match format {
        Format::Text => text(report),
        Format::Ab => ab(report),
        Format::Wrk => wrk(report),
        Format::Json => json(report),
        Format::Csv => csv(report.sample),
    }
}

/// Clean only for a whole load with good replies and no more failures than the budget allows.
fn exit(load: &Load, sample: &Sample) -> Exit {
    let within = sample.failed() as f64 <= load.error_budget * sample.sent as f64;
    if within && sample.ok > 0 && sample.ended != Ended::Deadline {
        Exit::Clean
    } else {
        Exit::Red
    }
}

#[cfg(test)]
mod tests;
