//! What can go wrong with a container before a server answers in it, each with the next step.

use std::fmt;
use std::io;
use std::path::PathBuf;

use testcontainers::bollard::errors::Error as EngineError;

/// Why a container could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ContainerError {
    /// No Docker engine answers. Tests that can do without Docker skip on this one.
    #[error("the Docker engine at {address} does not answer ({reason}): {next_step}")]
    EngineUnavailable {
        /// The value of `DOCKER_HOST`, or the default socket.
        address: String,
        /// What the attempt to reach it ended with.
        reason: String,
        /// What to do about it.
        next_step: &'static str,
    },
    /// The engine runs on another machine, where we cannot reach what it publishes.
    #[error(
        "the Docker engine at {address} runs on another machine, whose published ports are not \
         reached from here: unset DOCKER_HOST to use one of this machine, or start the server \
         there and measure it by its URL"
    )]
    EngineElsewhere {
        /// The value of `DOCKER_HOST`.
        address: String,
    },
    /// The engine was reached and refused, or broke off.
    #[error(
        "the Docker engine could not {action} `{subject}` ({reason}): the engine's own log may say more, `docker info` whether it is well"
    )]
    Refused {
        /// What was asked of it, a verb.
        action: &'static str,
        /// The image or container it was asked for.
        subject: String,
        /// What the engine said.
        reason: String,
    },
    /// The runtime that talks to the engine could not be made.
    #[error(
        "no thread can be started to talk to the Docker engine ({reason}): check the limits of threads and files with `ulimit -a`"
    )]
    Runtime {
        /// What the system said.
        reason: String,
    },
    /// A signal has told this process to end.
    #[error("no container is started any more: this process was told to end by a signal")]
    Interrupted,
    /// The container has no port that is published on this machine.
    #[error("port {port} of a container of `{image}` is not published: look at `docker ps -a`")]
    PortNotPublished {
        /// The image.
        image: String,
        /// The port inside.
        port: u16,
    },
    /// The image is not on this machine; a measurement never pulls.
    #[error(
        "there is no image `{image}` on this machine: pull it (`docker pull {image}`) or build it, \
         then run this again"
    )]
    ImageMissing {
        /// The image asked for.
        image: String,
    },
    /// The image does not say which port its server listens on.
    #[error(
        "the image `{image}` exposes {exposed}: say where its server listens, for example \
         `.port(80)`"
    )]
    PortUnknown {
        /// The image.
        image: String,
        /// The TCP ports it exposes, in words.
        exposed: String,
    },
    /// With host networking the port is one of this machine, so it is not guessed.
    #[error(
        "`.host_network()` wants the port that the server in `{image}` will take on this machine: \
         add `.port(8080)` and tell the server the same, for example by `.env(\"PORT\", \"8080\")`"
    )]
    HostPortUnknown {
        /// The image.
        image: String,
    },
    /// Another program listens where the server would; requests would reach that program.
    #[error(
        "port {port} of this machine, where `{image}` would listen, is in use by another program: \
         stop that one, or choose another port"
    )]
    HostPortInUse {
        /// The image.
        image: String,
        /// The port.
        port: u16,
    },
    /// The build context has no Dockerfile.
    #[error("there is no Dockerfile in {}: name the folder that holds it", context.display())]
    DockerfileMissing {
        /// The folder.
        context: PathBuf,
    },
    /// A file to be copied into an image or a container cannot be read.
    #[error(
        "{} cannot be read ({source}): check that it is there and its permissions",
        path.display()
    )]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The build context is far larger than a server's sources are.
    #[error(
        "the build context {} holds more than {limit_mib} MiB: exclude what the image does not \
         need in its .dockerignore",
        context.display()
    )]
    ContextTooLarge {
        /// The folder.
        context: PathBuf,
        /// The limit in MiB.
        limit_mib: u64,
    },
    /// A step of the Dockerfile failed.
    #[error(
        "the Dockerfile in {} does not build: {reason}; mend it, `docker build {}` runs the same{}{}",
        context.display(),
        context.display(),
        Step(step.as_deref()),
        Quoted(log)
    )]
    Build {
        /// The folder with the Dockerfile.
        context: PathBuf,
        /// The step that failed, as the builder names it; `None` when the Dockerfile was not understood.
        step: Option<String>,
        /// What the builder said.
        reason: String,
        /// The last lines of its log.
        log: Vec<String>,
    },
}

impl ContainerError {
    pub(super) fn refused(
        action: &'static str,
        subject: &str,
        source: &dyn std::error::Error,
    ) -> Self {
        Self::Refused {
            action,
            subject: subject.to_owned(),
            reason: chain(source),
        }
    }

    pub(super) fn build(
        context: PathBuf,
        step: Option<&str>,
        source: &EngineError,
        log: Vec<String>,
    ) -> Self {
        let reason = match source {
            EngineError::DockerStreamError { error } => one_line(error),
            error => chain(error),
        };
        Self::Build {
            context,
            step: step.map(one_line),
            reason,
            log,
        }
    }

    pub(super) fn unreachable(address: String, source: &(dyn std::error::Error + 'static)) -> Self {
        Self::EngineUnavailable {
            address,
            next_step: next_step(source),
            reason: io_error(source).map_or_else(|| chain(source), ToString::to_string),
        }
    }
}

/// The status that the engine answered with, if it answered.
pub(super) fn status_of(error: &EngineError) -> Option<u16> {
    match error {
        EngineError::DockerResponseServerError { status_code, .. } => Some(*status_code),
        _ => None,
    }
}

/// All that an error says: its own sentence and its sources', as far as they add something.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = one_line(&error.to_string());
    let mut next = error.source();
    while let Some(source) = next {
        let sentence = one_line(&source.to_string());
        if !text.contains(&sentence) {
            text = format!("{text}: {sentence}");
        }
        next = source.source();
    }
    text
}

/// Engines and package tools answer in several lines, which would look like ours.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn next_step(error: &(dyn std::error::Error + 'static)) -> &'static str {
    match io_error(error).map(io::Error::kind) {
        Some(io::ErrorKind::PermissionDenied) => {
            "add your user to the group `docker` and log in again"
        }
        _ => "start it, or set DOCKER_HOST to the address of one that runs",
    }
}

/// What the system said, at the bottom of a pile of clients.
fn io_error<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a io::Error> {
    let below = error.source().and_then(io_error);
    below.or_else(|| error.downcast_ref::<io::Error>())
}

struct Step<'a>(Option<&'a str>);

impl fmt::Display for Step<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(step) => write!(f, "\n  in step {step}"),
            None => Ok(()),
        }
    }
}

/// Foreign lines, each behind a bar: a log must not be able to give commands to a CI system.
struct Quoted<'a>(&'a [String]);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in self.0 {
            write!(f, "\n  | {line}")?;
        }
        Ok(())
    }
}
