//! What a person sees while tests run: progress, tables, and the commands of a CI system.
//!
//! All of it goes straight to standard error, which the test harness does not capture.

use std::env;
use std::io::{self, IsTerminal as _, Write as _};

use crate::gate::Verdict;
use crate::host::Holder;
use crate::report::Style;
use crate::run::Progress;
use crate::surroundings::{in_ci, wants_colours};

/// Writes whole lines at once: tests run side by side, and none may break into another's table.
pub(crate) fn show(text: &str) {
    // A closed terminal is no reason to fail a test.
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Gives a workflow command to GitHub's runner, at the start of a line; elsewhere nothing.
pub(crate) fn announce(command: &str) {
    let on_github = env::var("GITHUB_ACTIONS").is_ok_and(|value| value == "true");
    if on_github && !command.is_empty() {
        show(&format!("\n{command}\n"));
    }
}

/// How a table may look.
pub(crate) fn style() -> Style {
    if wants_colours(io::stderr().is_terminal()) {
        Style::Ansi
    } else {
        Style::Plain
    }
}

/// A line that moves on a terminal; elsewhere only what can take long is told.
pub(crate) fn progress() -> Box<dyn Progress> {
    if io::stderr().is_terminal() && !in_ci() {
        Box::new(Line)
    } else {
        Box::new(Told)
    }
}

/// One line of a terminal, written over and over, and gone at the end.
struct Line;

impl Line {
    fn say(text: &str) {
        show(&format!("\r\x1b[2K{text}"));
    }
}

impl Progress for Line {
    fn waiting(&mut self, holder: &Holder) {
        Self::say(&format!("  waiting: {holder} puts a load on this machine"));
    }

    fn round(&mut self, number: usize, rounds: usize) {
        let bar = "#".repeat(number) + &".".repeat(rounds - number);
        Self::say(&format!("  [{bar}] round {number} of {rounds}"));
    }

    fn again(&mut self, verdict: Verdict) {
        Self::say(&format!("  {verdict}: measuring again on fresh starts"));
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        Self::say("");
    }
}

struct Told;

impl Progress for Told {
    fn waiting(&mut self, holder: &Holder) {
        // Tests of one process take turns as a matter of course.
        if !holder.is_this_process() {
            show(&format!(
                "perf-harness: waiting, {holder} puts a load on this machine\n"
            ));
        }
    }

    fn round(&mut self, _number: usize, _rounds: usize) {}
    fn again(&mut self, _verdict: Verdict) {}
}
