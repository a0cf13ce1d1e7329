//! Why a target cannot be started, reached or trusted.
//!
//! What a server wrote is shown below the message as lines that begin with `|`, so that none of
//! them can be taken for a command of a CI system.

use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::endpoint::{EndpointError, Peer};

/// Why a target cannot be started, reached or trusted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TargetError {
    /// The target was given options that its kind does not have.
    #[error(
        "a target of the kind {kind} has no option {}: remove it or use another kind",
        quoted(options)
    )]
    Misplaced {
        /// The kind, as in [`Identity::kind`](super::Identity::kind).
        kind: &'static str,
        /// The options, in the order given.
        options: Vec<&'static str>,
    },
    /// An option has a value that cannot be used.
    #[error("{option}({value:?}) cannot be used: {reason}")]
    Option {
        /// The option.
        option: &'static str,
        /// Its value.
        value: String,
        /// What is wrong, and what to write.
        reason: &'static str,
    },
    /// Nobody said which port the program listens on.
    #[error(
        "the port of {name} is not agreed on: hand one over by port_env(\"PORT\") or port_arg(\"--port\"), read it by port_in_output(\"listening on port \"), or fix it by port(8080)"
    )]
    PortNotAgreed {
        /// The program.
        name: String,
    },
    /// The fixed port is in use before the program is started.
    #[error(
        "port {port} of {name} is in use by another program: stop that one, or hand over a free port by port_env or port_arg"
    )]
    PortInUse {
        /// The program.
        name: String,
        /// The port.
        port: u16,
    },
    /// No free port could be found.
    #[error(
        "no free port on 127.0.0.1 can be found for {name} ({source}): close what holds them, `ss -tan` lists it"
    )]
    NoFreePort {
        /// The program.
        name: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// There is no such program.
    #[error(
        "the program `{}` is not found: write env!(\"CARGO_BIN_EXE_name\") for a binary of this package, or the path of a built one",
        program.display()
    )]
    ProgramNotFound {
        /// The program as given.
        program: PathBuf,
    },
    /// There is no such folder to start the program in.
    #[error(
        "the working folder `{}` of {name} is not found: create it, or correct working_dir",
        folder.display()
    )]
    WorkingDirNotFound {
        /// The program.
        name: String,
        /// The folder as given.
        folder: PathBuf,
    },
    /// The system does not start the program.
    #[error(
        "the program `{}` cannot be started ({source}): check that it is a file that may be executed on this machine",
        program.display()
    )]
    Spawn {
        /// The program as given.
        program: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The server ended before it was ready.
    #[error(
        "{name} {how} before it was ready: {}{}",
        early_end_step(how),
        wrote(log)
    )]
    EndedEarly {
        /// The target.
        name: String,
        /// How it ended: a status, a signal, a panic.
        how: String,
        /// The last lines it wrote.
        log: Vec<String>,
    },
    /// The server ended while it was in use.
    #[error(
        "{name} {how} during the round, so nothing was measured: find out why it ends under this load{}",
        wrote(log)
    )]
    Ended {
        /// The target.
        name: String,
        /// How it ended: a status, a signal, a panic.
        how: String,
        /// The last lines it wrote.
        log: Vec<String>,
    },
    /// The server did not become ready in time.
    #[error(
        "{name} was not ready after {timeout:?}: {check}: {last}; check where it listens, or raise startup_timeout{}",
        wrote(log)
    )]
    NotReady {
        /// The target.
        name: String,
        /// What was tried and where, for example `GET /health at 127.0.0.1:8080`.
        check: String,
        /// How long it was given.
        timeout: Duration,
        /// The last thing seen, for example `connection refused`.
        last: String,
        /// The last lines it wrote.
        log: Vec<String>,
    },
    /// The server did not write the line that tells its port.
    #[error(
        "{name} wrote no line with {prefix:?} and a port after it within {timeout:?}: check the text given to port_in_output{}",
        wrote(log)
    )]
    PortNotWritten {
        /// The target.
        name: String,
        /// The text that stands before the port.
        prefix: String,
        /// How long it was given.
        timeout: Duration,
        /// The last lines it wrote.
        log: Vec<String>,
    },
    /// The thread or the runtime of an in-process server cannot be made.
    #[error(
        "the in-process server cannot be started ({source}): check the limits of threads and files with `ulimit -a`"
    )]
    InProcess {
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// An in-process server keeps its thread to itself, so nothing else happens there.
    #[error(
        "the in-process server blocks its thread, it did not give way within {timeout:?}: await instead of waiting, or move what blocks into `tokio::task::spawn_blocking`"
    )]
    Blocking {
        /// How long it was given.
        timeout: Duration,
    },
    /// An earlier in-process server was told to stop and did not: it may burn the CPU time that is
    /// measured next.
    #[error(
        "the in-process server of {code} was told to stop and still blocks its thread, which would disturb what is measured now: await instead of waiting, move what blocks into `tokio::task::spawn_blocking`, or measure it as a program by Target::process"
    )]
    StillBlocking {
        /// The code that serves, as the compiler names it.
        code: String,
    },
    /// The URL means no server.
    #[error(transparent)]
    Url(#[from] EndpointError),
    /// None of the addresses of a URL answers.
    #[error(
        "no server answers at {url}: {check} failed at {}; start the server first, or correct the URL",
        attempts(tried)
    )]
    Unreachable {
        /// The URL.
        url: String,
        /// What was tried, for example `GET /health`.
        check: String,
        /// Every address of the host, or its socket, with what happened there.
        tried: Vec<(Peer, String)>,
    },
    /// The watch for Ctrl-C, which stops what was started, cannot be set up.
    #[error(
        "the signals that end a test cannot be watched ({source}): check the limits of threads and files with `ulimit -a`"
    )]
    Signals {
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// A signal has told this process to end.
    #[error("no server is started any more: this process was told to end by a signal")]
    Interrupted,
    /// A container cannot be built, started or reached.
    #[cfg(feature = "containers")]
    #[error(transparent)]
    Container(#[from] super::container::ContainerError),
}

impl TargetError {
    /// Whether the target needs Docker and no Docker engine answers.
    #[must_use]
    pub fn is_docker_unavailable(&self) -> bool {
        #[cfg(feature = "containers")]
        if let Self::Container(super::container::ContainerError::EngineUnavailable { .. }) = self {
            return true;
        }
        false
    }
}

fn quoted(options: &[&str]) -> String {
    let quoted: Vec<String> = options.iter().map(|option| format!("`{option}`")).collect();
    quoted.join(", ")
}

fn attempts(tried: &[(Peer, String)]) -> String {
    let shown: Vec<String> = tried
        .iter()
        .map(|(peer, seen)| format!("{peer} ({seen})"))
        .collect();
    shown.join(", ")
}

/// What to do about a server that ended as `how` says.
fn early_end_step(how: &str) -> &'static str {
    if how == "exited with status 0" {
        return "run it in the foreground, a program that puts itself in the background ends so";
    }
    if how.starts_with("ended by itself") {
        return "await its serving to the end, it must serve until it is dropped";
    }
    "check what it is started with (arguments, environment, files)"
}

/// The last lines of a log as they stand below a message.
pub(super) fn wrote(log: &[String]) -> String {
    if log.is_empty() {
        return "; it wrote nothing".to_owned();
    }
    let mut text = "; it wrote:".to_owned();
    for line in log {
        write!(text, "\n  | {line}").expect("writing into a text cannot fail");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_lines_are_never_at_the_start_of_a_line() {
        let error = TargetError::Ended {
            name: "`shop`".to_owned(),
            how: "exited with status 1".to_owned(),
            log: vec!["::error::forged".to_owned(), "second".to_owned()],
        };
        let message = error.to_string();
        assert_eq!(
            message,
            "`shop` exited with status 1 during the round, so nothing was measured: find out why it \
             ends under this load; it wrote:\n  | ::error::forged\n  | second"
        );
    }

    #[test]
    fn all_misplaced_options_are_named() {
        let error = TargetError::Misplaced {
            kind: "url",
            options: vec!["env", "cpus"],
        };
        assert!(
            error
                .to_string()
                .contains("kind url has no option `env`, `cpus`"),
            "{error}"
        );
    }

    #[test]
    fn a_program_that_puts_itself_in_the_background_is_told_not_to() {
        let error = TargetError::EndedEarly {
            name: "`shop`".to_owned(),
            how: "exited with status 0".to_owned(),
            log: Vec::new(),
        };
        let message = error.to_string();
        assert!(
            message.contains("before it was ready: run it in the foreground"),
            "{message}"
        );
    }
}
