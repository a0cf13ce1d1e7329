//! The only path that generated code names: joins a run to its report, and makes a verdict a
//! failed test.

use std::env;
use std::fmt;
use std::panic::Location;
use std::path::PathBuf;

use crate::error::{Error, in_words};
use crate::outcome::{Outcome, Place};
use crate::report;
use crate::run::{self, Silent};
use crate::scenario::Scenario;
use crate::terminal;

/// Where generated code stands, and how its crate was built.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "filled in by generated code only")]
pub struct Site {
    pub package: &'static str,
    pub manifest_dir: &'static str,
    pub file: &'static str,
    pub line: u32,
    pub debug: bool,
}

/// Why a test failed. Its `Debug` is the text that people read, since that is what the test
/// harness prints.
pub struct Report(String);

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The name of an annotated function's scenario: its path without the crate's own root module.
#[must_use]
pub fn scenario_name(module: &str, function: &str) -> String {
    format!("{}/{function}", module.replace("::", "/"))
}

/// Runs a scenario of an annotated function.
///
/// # Errors
///
/// A [`Report`] when the verdict fails the test, or nothing could be measured.
pub fn run(scenario: Scenario, site: Site) -> Result<(), Report> {
    let site = run::Site {
        package: site.package.to_owned(),
        manifest_dir: PathBuf::from(site.manifest_dir),
        place: Place {
            file: site.file.to_owned(),
            line: site.line,
        },
        debug: site.debug,
    };
    checked(scenario, &site)
}

impl Scenario {
    /// Runs the scenario and makes its verdict the result of a test: what the attribute does.
    ///
    /// The package and its folder are those that cargo tells the test process.
    ///
    /// # Errors
    ///
    /// A [`Report`] when the verdict fails the test, or nothing could be measured.
    #[track_caller]
    pub fn check(self) -> Result<(), Report> {
        let site = site_of(Location::caller());
        checked(self, &site)
    }

    /// Runs the scenario and gives what it came to, for a test that has its own idea of it.
    ///
    /// # Errors
    ///
    /// [`Error`] when nothing could be measured. A regression is no error.
    #[track_caller]
    pub fn run(self) -> Result<Outcome, Error> {
        let site = site_of(Location::caller());
        run::run(self, &site, &mut Silent)
    }
}

fn site_of(caller: &Location<'_>) -> run::Site {
    let variable = |name| env::var(name).unwrap_or_default();
    let manifest_dir = match variable("CARGO_MANIFEST_DIR") {
        folder if folder.is_empty() => PathBuf::from("."),
        folder => PathBuf::from(folder),
    };
    run::Site {
        package: variable("CARGO_PKG_NAME"),
        manifest_dir,
        place: Place {
            file: caller.file().to_owned(),
            line: caller.line(),
        },
        debug: cfg!(debug_assertions),
    }
}

fn checked(scenario: Scenario, site: &run::Site) -> Result<(), Report> {
    let mut progress = terminal::progress();
    let result = run::run(scenario, site, progress.as_mut());
    drop(progress);
    report_of(result, &site.place)
}

/// A failure goes the way of the test harness; everything else straight to the terminal, where it
/// is seen without `--nocapture`.
fn report_of(result: Result<Outcome, Error>, place: &Place) -> Result<(), Report> {
    let outcome = match result {
        Ok(outcome) => outcome,
        Err(error) => {
            let text = in_words(&error);
            terminal::announce(&report::github::error_at(
                place,
                "perf-harness could not measure",
                &text,
            ));
            return Err(Report(text));
        }
    };
    terminal::announce(&report::github::annotation(&outcome).unwrap_or_default());
    let text = report::console::scenario(&outcome, terminal::style());
    if outcome.fails() {
        return Err(Report(format!("\n{text}")));
    }
    terminal::show(&format!("\n{text}"));
    Ok(())
}
