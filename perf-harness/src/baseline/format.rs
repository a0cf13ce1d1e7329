//! The text of a file: what is written, and what is refused when read.

use std::io;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};

use super::error::BaselineError;
use super::record::Baseline;
use super::session::{Round, Session};
use crate::sample::Metric;

/// The version of the format that is written, and the newest that is read.
pub const SCHEMA: u32 = 1;

/// The JSON text of `record`: sorted keys, a round on a line, a trailing newline.
///
/// The same record always gives the same bytes.
///
/// # Panics
///
/// Never for the records of this crate: they are plain data.
#[must_use]
pub fn to_text(record: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, RoundsOnALine::default());
    record
        .serialize(&mut serializer)
        .expect("a record is plain data");
    bytes.push(b'\n');
    String::from_utf8(bytes).expect("JSON is UTF-8")
}

/// Reads a record; `path` is for messages.
pub(super) fn from_text<T: DeserializeOwned>(text: &str, path: &Path) -> Result<T, BaselineError> {
    let path = || path.to_owned();
    if text.trim().is_empty() {
        return Err(BaselineError::Empty { path: path() });
    }
    if has_conflict_markers(text) {
        return Err(BaselineError::Conflict { path: path() });
    }
    let malformed = |source| BaselineError::Malformed {
        path: path(),
        source,
    };
    let value: Value = serde_json::from_str(text).map_err(malformed)?;
    if let Some(found) = value["schema"]
        .as_u64()
        .filter(|found| *found > u64::from(SCHEMA))
    {
        return Err(BaselineError::Newer {
            path: path(),
            found,
            known: SCHEMA,
        });
    }
    serde_json::from_str(text).map_err(malformed)
}

fn has_conflict_markers(text: &str) -> bool {
    let marks = ["<<<<<<<", "=======", ">>>>>>>", "|||||||"];
    text.lines()
        .any(|line| marks.iter().any(|mark| line.starts_with(mark)))
}

/// Refuses what no measurement can give: a baseline that was cut or edited must not pass.
pub(super) fn check_baseline(baseline: &Baseline) -> Result<(), String> {
    if baseline.sessions.is_empty() {
        return Err("it has no sessions".to_owned());
    }
    if baseline.sessions.len() > Baseline::MOST_SESSIONS {
        return Err(format!(
            "it has more than {} sessions",
            Baseline::MOST_SESSIONS
        ));
    }
    baseline.sessions.iter().try_for_each(check_session)
}

pub(super) fn check_session(session: &Session) -> Result<(), String> {
    if session.rounds.is_empty() {
        return Err("a session has no rounds".to_owned());
    }
    session.rounds.iter().try_for_each(check_round)
}

fn check_round(round: &Round) -> Result<(), String> {
    if round.sent != round.ok + round.failed() {
        return Err("a round's replies and errors are not what was sent".to_owned());
    }
    for metric in Metric::ALL {
        if let Some(value) = round
            .value(metric)
            .filter(|value| !value.is_finite() || *value <= 0.0)
        {
            return Err(format!("a round has the {metric} {value}"));
        }
    }
    if round.throughput.is_none() {
        return Err("a round has no throughput".to_owned());
    }
    Ok(())
}

/// `serde_json`'s pretty form, but from the depth of a session's rounds on all on one line.
#[derive(Default)]
struct RoundsOnALine {
    pretty: PrettyFormatter<'static>,
    depth: usize,
}

/// A baseline's `sessions` → session → `rounds` → round.
const ROUND_DEPTH: usize = 5;

impl RoundsOnALine {
    fn inline(&self) -> bool {
        self.depth >= ROUND_DEPTH
    }
}

impl Formatter for RoundsOnALine {
    fn begin_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        if self.inline() {
            writer.write_all(b"[")
        } else {
            self.pretty.begin_array(writer)
        }
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        let inline = self.inline();
        self.depth -= 1;
        if inline {
            writer.write_all(b"]")
        } else {
            self.pretty.end_array(writer)
        }
    }

    fn begin_array_value<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        if self.inline() {
            separate(writer, first)
        } else {
            self.pretty.begin_array_value(writer, first)
        }
    }

    fn end_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        if self.inline() {
            Ok(())
        } else {
            self.pretty.end_array_value(writer)
        }
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        if self.inline() {
            writer.write_all(b"{")
        } else {
            self.pretty.begin_object(writer)
        }
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        let inline = self.inline();
        self.depth -= 1;
        if inline {
            writer.write_all(b"}")
        } else {
            self.pretty.end_object(writer)
        }
    }

    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        if self.inline() {
            separate(writer, first)
        } else {
            self.pretty.begin_object_key(writer, first)
        }
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        if self.inline() {
            Ok(())
        } else {
            self.pretty.end_object_value(writer)
        }
    }
}

fn separate<W: ?Sized + io::Write>(writer: &mut W, first: bool) -> io::Result<()> {
    if first {
        Ok(())
    } else {
        writer.write_all(b", ")
    }
}
