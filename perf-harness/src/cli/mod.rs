//! The verbs of `cargo perf`: looks at what test runs left, and decides what becomes a baseline.
//!
//! Runs a load only through `run`. Tests and verbs meet only in files: baselines, pending sessions,
//! outcomes.

mod accept;
mod arguments;
mod awaiting;
mod clean;
mod error;
mod exit_code;
mod filter;
mod list;
mod load;
mod outcomes;
mod pending_files;
mod reject;
mod review;
mod show;
mod summary;
mod surroundings;
mod until_closed;

use std::ffi::OsString;
use std::io::{self, BufRead, Write};
use std::process::ExitCode;

use clap::Parser as _;

use crate::baseline::Project;
use crate::error::in_words;
use arguments::{Perf, Verb};
use error::CliError;
use exit_code::Exit;
use surroundings::Surroundings;
use until_closed::UntilClosed;

/// Runs the command that this process was started with, over its own streams.
///
/// `cargo perf VERB` starts the binary as `cargo-perf perf VERB`; `cargo-perf VERB` is the same.
#[must_use]
pub fn main() -> ExitCode {
    let mut out = UntilClosed::new(io::stdout().lock());
    let mut err = UntilClosed::new(io::stderr().lock());
    let exit = match parse(std::env::args_os(), &mut out, &mut err) {
        Ok(verb) => run_here(&verb, &mut out, &mut err),
        Err(exit) => exit,
    };
    exit.into()
}

/// The verb of the arguments; help and usage errors are printed and are the end.
fn parse(
    arguments: impl IntoIterator<Item = OsString>,
    out: &mut impl Write,
    err: &mut impl Write,
) -> Result<Verb, Exit> {
    let own = arguments.into_iter().enumerate();
    let own = own.filter(|(place, argument)| !(*place == 1 && argument == "perf"));
    let error = match Perf::try_parse_from(own.map(|(_, argument)| argument)) {
        Ok(perf) => return Ok(perf.verb),
        Err(error) => error,
    };
    let (printed, exit) = if error.use_stderr() {
        (write!(err, "{error}"), Exit::Usage)
    } else {
        (write!(out, "{error}"), Exit::Clean)
    };
    Err(printed.map_or(Exit::Failed, |()| exit))
}

fn run_here(verb: &Verb, out: &mut impl Write, err: &mut impl Write) -> Exit {
    // A load needs no project.
    if let Verb::Load(arguments) = verb {
        return load::load(arguments, out).unwrap_or_else(|error| refused(&error, err));
    }
    let project = match Project::discover(std::path::Path::new(".")) {
        Ok(project) => project,
        Err(source) => return refused(&CliError::Project { source }, err),
    };
    let surroundings = Surroundings::of_this_process(project);
    run(verb, &surroundings, &mut io::stdin().lock(), out)
        .unwrap_or_else(|error| refused(&error, err))
}

/// Runs one verb; `answers` is read only by `review`.
fn run(
    verb: &Verb,
    surroundings: &Surroundings,
    answers: &mut impl BufRead,
    out: &mut impl Write,
) -> Result<Exit, CliError> {
    match verb {
        Verb::List(arguments) => list::list(arguments, surroundings, out),
        Verb::Show(arguments) => show::show(arguments, surroundings, out),
        Verb::Accept(arguments) => accept::accept(arguments, surroundings, out),
        Verb::Reject(arguments) => reject::reject(arguments, surroundings, out),
        Verb::Review => review::review(surroundings, answers, out),
        Verb::Summary(arguments) => summary::summary(arguments, surroundings, out),
        Verb::Load(arguments) => load::load(arguments, out),
        Verb::Clean => clean::clean(surroundings, out),
    }
}

/// Prints an error with all its causes.
fn refused(error: &CliError, err: &mut impl Write) -> Exit {
    match writeln!(err, "error: {}", in_words(error)) {
        Ok(()) => error.exit(),
        Err(_) => Exit::Failed,
    }
}

#[cfg(test)]
mod tests;
