//! One scenario after the other: shown, then accepted, rejected or skipped.

use std::io::{self, BufRead};

use super::accept::{carry_out, plan, refuse_in_ci};
use super::awaiting::is_reviewed;
use super::error::CliError;
use super::exit_code::Exit;
use super::pending_files::PendingFiles;
use super::show::page;
use super::surroundings::Surroundings;
use crate::baseline::Pending;

/// What was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Answer {
    Accept {
        reason: Option<String>,
    },
    Reject,
    Skip,
    /// The answers have ended.
    Stop,
}

/// Asks about every session that awaits review, and does at once what is answered.
pub(super) fn review(
    surroundings: &Surroundings,
    answers: &mut impl BufRead,
    out: &mut impl io::Write,
) -> Result<Exit, CliError> {
    refuse_in_ci(surroundings)?;
    if !surroundings.interactive {
        return Err(CliError::NoTerminal);
    }
    let files = PendingFiles::read(&surroundings.project.pending())?;
    let skipped = files.name_skipped(out)?;
    let pending: Vec<Pending> = files.sessions.into_iter().filter(is_reviewed).collect();
    if pending.is_empty() {
        writeln!(out, "nothing awaits review")?;
    }
    for session in pending {
        write!(out, "{}", page(&session.key(), &surroundings.project)?)?;
        let answer = ask(&session, answers, out)?;
        if answer == Answer::Stop {
            break;
        }
        follow(answer, session, surroundings, out)?;
    }
    Ok(skipped)
}

fn ask(
    pending: &Pending,
    answers: &mut impl BufRead,
    out: &mut impl io::Write,
) -> Result<Answer, CliError> {
    loop {
        let Some(line) = question("a accept, r reject, s skip? ", answers, out)? else {
            return Ok(Answer::Stop);
        };
        match line.as_str() {
            "a" | "accept" if pending.wants_reason() => return ask_reason(answers, out),
            "a" | "accept" => return Ok(Answer::Accept { reason: None }),
            "r" | "reject" => return Ok(Answer::Reject),
            "s" | "skip" => return Ok(Answer::Skip),
            _ => writeln!(out, "type a, r or s")?,
        }
    }
}

/// Without a reason worse numbers are not accepted.
fn ask_reason(answers: &mut impl BufRead, out: &mut impl io::Write) -> Result<Answer, CliError> {
    let reason = question("why is it accepted? (empty: skip) ", answers, out)?;
    Ok(match reason {
        None => Answer::Stop,
        Some(reason) if reason.is_empty() => Answer::Skip,
        reason => Answer::Accept { reason },
    })
}

/// The trimmed answer; `None` at the end of the answers.
fn question(
    text: &str,
    answers: &mut impl BufRead,
    out: &mut impl io::Write,
) -> Result<Option<String>, CliError> {
    write!(out, "{text}")?;
    out.flush()?;
    let mut line = String::new();
    if answers.read_line(&mut line)? == 0 {
        writeln!(out)?;
        return Ok(None);
    }
    Ok(Some(line.trim().to_owned()))
}

fn follow(
    answer: Answer,
    pending: Pending,
    surroundings: &Surroundings,
    out: &mut impl io::Write,
) -> Result<(), CliError> {
    let project = &surroundings.project;
    match answer {
        Answer::Accept { reason } => {
            for acceptance in plan(&project.baselines(), vec![pending], reason.as_deref())? {
                carry_out(&acceptance, &project.baselines(), &project.pending())?;
                write!(
                    out,
                    "{}",
                    acceptance.to_text(&project.baselines(), project.root())
                )?;
            }
        }
        Answer::Reject => {
            project.pending().remove(&pending.key())?;
            writeln!(out, "rejected {}", pending.scenario)?;
        }
        Answer::Skip | Answer::Stop => writeln!(out, "skipped {}", pending.scenario)?,
    }
    Ok(())
}

#[cfg(test)]
mod tests;
