//! Pending sessions become baselines: all that were meant and can be read, or none.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use super::arguments::AcceptArguments;
use super::awaiting::{Choice, chosen, joining};
use super::error::CliError;
use super::exit_code::Exit;
use super::pending_files::{PendingFiles, downloaded};
use super::surroundings::Surroundings;
use crate::baseline::{
    self, AcceptError, Baseline, BaselineError, Key, Pending, PendingStore, Store,
};
use crate::report::{Column, Style, Table, counted, median_change, value};
use crate::sample::{Direction, Metric};

/// One acceptance, computed but not yet written.
#[derive(Debug)]
pub(super) struct Acceptance {
    key: Key,
    verdict: String,
    before: BTreeMap<Metric, f64>,
    now: BTreeMap<Metric, f64>,
    baseline: Baseline,
}

pub(super) fn accept(
    arguments: &AcceptArguments,
    surroundings: &Surroundings,
    out: &mut impl io::Write,
) -> Result<Exit, CliError> {
    refuse_in_ci(surroundings)?;
    let pending = match &arguments.from {
        Some(folder) => downloaded(folder)?,
        None => surroundings.project.pending(),
    };
    let files = PendingFiles::read(&pending)?;
    let files = files.meant(&arguments.filter, arguments.class.as_ref())?;
    let skipped = files.name_skipped(out)?;
    accept_these(files.sessions, &pending, arguments, surroundings, out)
        .map(|exit| exit.or(skipped))
}

fn accept_these(
    sessions: Vec<Pending>,
    pending: &PendingStore,
    arguments: &AcceptArguments,
    surroundings: &Surroundings,
    out: &mut impl io::Write,
) -> Result<Exit, CliError> {
    let joining = joining(&sessions);
    match chosen(sessions, arguments)? {
        Choice::These(meant) if !meant.is_empty() => {
            let planned = plan(
                &surroundings.project.baselines(),
                meant,
                arguments.reason.as_deref(),
            )?;
            carry_out_all(&planned, pending, surroundings, out)
        }
        Choice::Unsaid(could_be) if !could_be.is_empty() => unsaid(&could_be, out),
        Choice::These(_) | Choice::Unsaid(_) => nothing(joining, out),
    }
}

fn carry_out_all(
    planned: &[Acceptance],
    pending: &PendingStore,
    surroundings: &Surroundings,
    out: &mut impl io::Write,
) -> Result<Exit, CliError> {
    let store = surroundings.project.baselines();
    for acceptance in planned {
        carry_out(acceptance, &store, pending)?;
        out.write_all(
            acceptance
                .to_text(&store, surroundings.project.root())
                .as_bytes(),
        )?;
    }
    writeln!(
        out,
        "commit the files together with the code that they belong to"
    )?;
    Ok(Exit::Clean)
}

/// What runs in CI must not decide what CI is compared with.
pub(super) fn refuse_in_ci(surroundings: &Surroundings) -> Result<(), CliError> {
    if surroundings.in_ci {
        Err(CliError::AcceptInCi)
    } else {
        Ok(())
    }
}

/// Computes what each session makes of its baseline; writes nothing.
pub(super) fn plan(
    store: &Store,
    pending: Vec<Pending>,
    reason: Option<&str>,
) -> Result<Vec<Acceptance>, CliError> {
    let mut planned = Vec::new();
    let mut reasons = Vec::new();
    for session in pending {
        let present = present(store, &session)?;
        match Acceptance::of(session, present.as_ref(), reason) {
            Ok(acceptance) => planned.push(acceptance),
            Err(refusal) => reasons.push(refusal.to_string()),
        }
    }
    if reasons.is_empty() {
        Ok(planned)
    } else {
        Err(CliError::Refused { reasons })
    }
}

/// A file that made the verdict `broken` cannot be read again; it is what gets replaced, unless a
/// later version wrote it and only this one cannot read it.
fn present(store: &Store, pending: &Pending) -> Result<Option<Baseline>, CliError> {
    match store.read(&pending.key()) {
        Err(error @ BaselineError::Newer { .. }) => Err(error.into()),
        Err(_) if pending.is_broken() => Ok(None),
        present => Ok(present?),
    }
}

/// Writes the baseline, then removes the pending file.
pub(super) fn carry_out(
    acceptance: &Acceptance,
    store: &Store,
    pending: &PendingStore,
) -> Result<(), CliError> {
    store.write(&acceptance.baseline)?;
    pending.remove(&acceptance.key)?;
    Ok(())
}

impl Acceptance {
    fn of(
        pending: Pending,
        present: Option<&Baseline>,
        reason: Option<&str>,
    ) -> Result<Self, AcceptError> {
        Ok(Self {
            key: pending.key(),
            verdict: pending.verdict.clone(),
            before: present.map(Baseline::medians).unwrap_or_default(),
            now: pending.session.medians(),
            baseline: baseline::accept(pending, present, reason)?,
        })
    }

    /// What was accepted, with the old and the new medians.
    pub(super) fn to_text(&self, store: &Store, root: &Path) -> String {
        let path = store.path(&self.key);
        let path = path.strip_prefix(root).unwrap_or(&path).display();
        let headline = format!(
            "accepted {} ({}): {}",
            self.key.scenario,
            self.verdict,
            self.effect()
        );
        format!(
            "{headline}\n{}  written to {path}\n",
            self.table().to_text(Style::Plain)
        )
    }

    fn effect(&self) -> String {
        match self.baseline.sessions.len() {
            1 if self.before.is_empty() => "a new baseline".to_owned(),
            1 => "replaces the baseline".to_owned(),
            sessions => format!(
                "its baseline has {} now",
                counted(sessions as u64, "session")
            ),
        }
    }

    /// Which way a metric goes where numbers are replaced, however little it is.
    fn effect_on(&self, metric: Metric) -> &'static str {
        let replaced = self.baseline.sessions.len() == 1;
        let (Some(before), Some(now), true) =
            (self.before.get(&metric), self.now.get(&metric), replaced)
        else {
            return "";
        };
        let more_is_better = metric.direction() == Direction::HigherIsBetter;
        match now.total_cmp(before) {
            Ordering::Equal => "",
            Ordering::Greater if more_is_better => "better",
            Ordering::Less if !more_is_better => "better",
            Ordering::Greater | Ordering::Less => "worse",
        }
    }

    fn table(&self) -> Table {
        let mut table = Table::new([
            Column::Left("metric"),
            Column::Right("before"),
            Column::Right("accepted"),
            Column::Right("change"),
            Column::Left("effect"),
        ]);
        for metric in Metric::ALL {
            let (before, now) = (
                self.before.get(&metric).copied(),
                self.now.get(&metric).copied(),
            );
            let shown = |number: Option<f64>| {
                number.map_or_else(String::new, |number| value(metric, number))
            };
            if now.is_some() {
                table.row([
                    metric.to_string(),
                    shown(before),
                    shown(now),
                    median_change(before, now),
                    self.effect_on(metric).to_owned(),
                ]);
            }
        }
        table
    }
}

fn unsaid(could_be: &[Pending], out: &mut impl io::Write) -> Result<Exit, CliError> {
    writeln!(
        out,
        "{} for review:",
        counted(could_be.len() as u64, "session")
    )?;
    for pending in could_be {
        writeln!(
            out,
            "  {}  {}  {}",
            pending.scenario, pending.verdict, pending.class
        )?;
    }
    writeln!(
        out,
        "nothing was accepted: name the scenarios, or type `cargo perf accept --all`"
    )?;
    Ok(Exit::Usage)
}

fn nothing(joining: usize, out: &mut impl io::Write) -> Result<Exit, CliError> {
    writeln!(out, "nothing awaits review")?;
    if joining > 0 {
        let sessions = counted(joining as u64, "session");
        writeln!(
            out,
            "{sessions} could join their baselines: `cargo perf accept --sessions`"
        )?;
    }
    Ok(Exit::Clean)
}

#[cfg(test)]
mod tests;
