//! What can be typed, and the help that teaches it.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::exit_code;
use super::filter::Filter;
use super::load::LoadArguments;
use crate::host::MachineClass;
use crate::name::ScenarioName;

/// Reviews what performance scenarios measured, and puts a load on a server by hand.
///
/// A test run compares with committed baselines and never writes one. What it measured waits as a
/// pending session under cargo's target folder until you accept it (it becomes the baseline, a
/// file to commit) or reject it.
#[derive(Debug, Parser)]
#[command(name = "perf", bin_name = "cargo perf", version, after_help = exit_code::HELP)]
pub(super) struct Perf {
    #[command(subcommand)]
    pub(super) verb: Verb,
}

#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Lists baselines and what awaits review.
    ///
    /// To see at a glance which scenarios have accepted numbers, on which machines, and which of
    /// them wait for you.
    #[command(after_help = "Example:\n  cargo perf list checkout")]
    List(ListArguments),
    /// Shows a baseline beside its pending session.
    ///
    /// To look before you accept: the medians of every accepted session, why the last change was
    /// accepted, and what the pending session would change.
    #[command(after_help = "Example:\n  cargo perf show shop/checkout")]
    Show(ShowArguments),
    /// Makes pending sessions baselines.
    ///
    /// After a change of speed that you meant: the pending numbers become what later runs are
    /// compared with. Numbers that are worse by their threshold want a reason, which is committed
    /// with them. Either all that you named is accepted, or nothing; a file that cannot be read is
    /// named and left out.
    #[command(after_help = "\
Examples:
  cargo perf accept shop/checkout
  cargo perf accept shop/cart --reason \"taxes are computed per item now\"
  cargo perf accept --sessions       passes join their baselines: from three on the bound is firm
  cargo perf accept --all --from ~/Downloads/perf")]
    Accept(AcceptArguments),
    /// Throws pending sessions away.
    ///
    /// When the numbers are not to be kept: the baseline stays as it is.
    #[command(after_help = "Example:\n  cargo perf reject shop/checkout")]
    Reject(RejectArguments),
    /// Walks through what awaits review and asks.
    ///
    /// The same as `show` and then `accept` or `reject` for one scenario after the other, on a
    /// terminal.
    #[command(after_help = "Example:\n  cargo perf review")]
    Review,
    /// Sums up the last run, reds first.
    ///
    /// To end a pull request's job with one page and one exit code over all scenarios.
    #[command(after_help = "\
Examples:
  cargo perf summary
  cargo perf summary --github --complete    in a workflow, after all scenarios ran
  cargo perf summary --format json | jq '.outcomes[].judgement.verdict'")]
    Summary(SummaryArguments),
    /// Puts a load on a server that already runs, and reports what came of it.
    ///
    /// To look at a server by hand, or to compare this engine with ab, wrk or oha. Nothing is
    /// compared with a baseline and nothing is kept. One load runs on a machine at a time: while
    /// another one runs, this waits and says so. Ctrl-C stops at once and reports nothing; for a
    /// report after some time use -d.
    #[command(after_help = super::load::EXAMPLES)]
    Load(Box<LoadArguments>),
    /// Removes pending sessions and outcomes.
    ///
    /// Before a run whose summary must not show scenarios of an earlier one. Baselines stay.
    #[command(after_help = "Example:\n  cargo perf clean && cargo test && cargo perf summary")]
    Clean,
}

#[derive(Args, Debug)]
pub(super) struct ListArguments {
    /// Part of a scenario's name, or `=NAME` for exactly this one
    pub(super) filter: Vec<Filter>,
}

#[derive(Args, Debug)]
pub(super) struct ShowArguments {
    /// A scenario's name, or part of it
    #[arg(required = true)]
    pub(super) filter: Vec<Filter>,
}

#[derive(Args, Debug, Default)]
pub(super) struct AcceptArguments {
    /// Part of a scenario's name, or `=NAME` for exactly this one
    pub(super) filter: Vec<Filter>,
    /// Everything that awaits review
    #[arg(long, conflicts_with = "filter")]
    pub(super) all: bool,
    /// Why worse numbers are accepted; committed with them
    #[arg(long, value_name = "TEXT")]
    pub(super) reason: Option<String>,
    /// Also sessions that passed or do not decide: they join their baseline's sessions
    #[arg(long)]
    pub(super) sessions: bool,
    /// Only sessions that were measured on this class of machines
    #[arg(long, value_name = "NAME", value_parser = class)]
    pub(super) class: Option<MachineClass>,
    /// A folder with pending files, such as an unpacked artifact of a workflow
    #[arg(long, value_name = "DIR")]
    pub(super) from: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(super) struct RejectArguments {
    /// Part of a scenario's name, or `=NAME` for exactly this one
    pub(super) filter: Vec<Filter>,
    /// Everything that is pending
    #[arg(long, conflicts_with = "filter")]
    pub(super) all: bool,
}

#[derive(Args, Debug, Default)]
pub(super) struct SummaryArguments {
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
    /// Also append it to the step summary of GitHub Actions, and annotate what is missing
    #[arg(long)]
    pub(super) github: bool,
    /// A scenario that must have run; it is missing otherwise
    #[arg(long, value_name = "NAME")]
    pub(super) require: Vec<ScenarioName>,
    /// All scenarios ran: a baseline of this machine class without an outcome is missing
    #[arg(long)]
    pub(super) complete: bool,
    /// Exit code 3 when nothing is red but something is inconclusive
    #[arg(long)]
    pub(super) strict: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// A table for people
    #[default]
    Text,
    /// The page of the step summary
    Markdown,
    /// All outcomes whole, for programs
    Json,
}

fn class(name: &str) -> Result<MachineClass, String> {
    let class = MachineClass::named(name);
    if class.as_str().is_empty() {
        Err("a machine class has letters or digits".to_owned())
    } else {
        Ok(class)
    }
}
