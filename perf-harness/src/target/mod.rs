//! The server under test: how it is described, started, watched and stopped.
//!
//! A [`Target`] is a description and costs nothing. [`Target::start`] gives a [`Running`], whose
//! guard stops everything it started, whatever happens: failure, panic, Ctrl-C. What a killed
//! process leaves behind is removed by the next start.

#[cfg(feature = "containers")]
mod container;
mod error;
mod in_process;
mod leftovers;
mod logs;
mod options;
mod ports;
mod proc_stat;
mod process;
#[cfg(test)]
mod programs;
mod ready;
#[cfg(feature = "service")]
mod service;
mod signals;
mod tree;
mod url;
mod usage;

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

#[cfg(feature = "containers")]
pub use container::ContainerError;
pub use error::TargetError;
pub use ready::Ready;
pub use usage::Usage;
pub(crate) use usage::UsageWindow;

use crate::endpoint::Endpoint;
use usage::UsageSource;

/// A server under test, as described: a child process, a server within this process, a container,
/// or one that already runs at a URL.
///
/// Every round starts the target afresh. Options that a kind of target does not have are refused
/// when it is started, with a message that names the option.
#[derive(Debug)]
pub struct Target {
    kind: Kind,
    options: Options,
}

#[derive(Debug)]
enum Kind {
    Process(process::Process),
    InProcess(in_process::InProcess),
    Url(url::Url),
    #[cfg(feature = "containers")]
    Container(container::Container),
}

/// What all kinds have in common.
#[derive(Clone, Debug)]
struct Options {
    ready: Ready,
    startup_timeout: Duration,
    /// Options that this kind of target does not have, reported by [`Target::start`].
    misplaced: Vec<&'static str>,
}

/// A started target. Dropping it stops what was started.
pub struct Running {
    /// The target as it is called in messages.
    name: String,
    endpoint: Endpoint,
    usage: UsageSource,
    identity: Identity,
    /// Dropped with the target; its `Drop` stops what was started.
    guard: Box<dyn Guard>,
}

/// Stops what a target started, in its `Drop`, and watches it until then.
trait Guard: Send {
    /// The last lines that the server wrote, oldest first; the very last ones when it has ended.
    fn log_tail(&self) -> Vec<String>;

    /// How the server ended, as in `exited with status 1`; `None` while it lives.
    fn death(&self) -> Option<String>;
}

/// What a baseline keeps of a target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// `process`, `in-process`, `url` or `container`.
    pub kind: &'static str,
    /// How requests reach it: `loopback`, `published-port`, `host-network` or `unix`, and `remote`
    /// for a URL that is not on this machine. Never compared with another.
    pub network: &'static str,
    /// The image digest of a container; `None` for the others.
    pub image: Option<String>,
}

impl Target {
    /// A program that is started as a child process, `env!("CARGO_BIN_EXE_name")` for a binary of
    /// the package under test.
    ///
    /// Say how its port is agreed on: [`port_env`](Self::port_env), [`port_arg`](Self::port_arg),
    /// [`port_in_output`](Self::port_in_output) or a fixed [`port`](Self::port).
    #[must_use]
    pub fn process(program: impl Into<PathBuf>) -> Self {
        Self::of(Kind::Process(process::Process::new(program.into())))
    }

    /// A server within the test process, on a single-threaded runtime and a thread of its own.
    ///
    /// `serve` gets a listener on a free loopback port and serves until it is dropped; what it
    /// returns is an early end, and is shown in the error:
    ///
    /// ```ignore
    /// Target::in_process(|listener| async move { axum::serve(listener, router()).await })
    /// ```
    #[must_use]
    pub fn in_process<F, S, T>(serve: F) -> Self
    where
        F: Fn(tokio::net::TcpListener) -> S + Send + Sync + 'static,
        S: Future<Output = T> + Send + 'static,
        T: fmt::Debug,
    {
        Self::of(Kind::InProcess(in_process::InProcess::new(serve)))
    }

    /// A tower service, such as an axum router, served within the test process over HTTP/1.
    ///
    /// `make` is asked for a new one at every start:
    ///
    /// ```ignore
    /// Target::service(|| axum::Router::new().route("/", get(home)))
    /// ```
    #[cfg(feature = "service")]
    #[must_use]
    pub fn service<M, S, B>(make: M) -> Self
    where
        M: Fn() -> S + Send + Sync + 'static,
        S: tower_service::Service<
                http::Request<hyper::body::Incoming>,
                Response = http::Response<B>,
            >,
        S: Clone + Send + 'static,
        S::Future: Send + 'static,
        S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
        B: http_body::Body + Send + 'static,
        B::Data: Send,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        Self::in_process(move |listener| service::serve(listener, make()))
    }

    /// A server that already runs at `url`; it is neither started nor stopped, and its cost is unknown.
    ///
    /// `http://…`, `https://…` (feature `tls`) or `unix:/run/app.sock`, see
    /// [`Endpoint::resolve`](crate::Endpoint::resolve). An `https` server is ready when its port
    /// takes a connection, see [`Ready::http`].
    #[must_use]
    pub fn url(url: impl Into<String>) -> Self {
        Self::of(Kind::Url(url::Url::new(url.into())))
    }

    /// A container of `image`, `name:tag`, reached through a published loopback port.
    ///
    /// The image must be on this machine: a measurement never pulls.
    #[cfg(feature = "containers")]
    #[must_use]
    pub fn container(image: impl Into<String>) -> Self {
        Self::of(Kind::Container(container::Container::image(image.into())))
    }

    /// A container built from the `Dockerfile` in the folder `context`, by BuildKit.
    ///
    /// It is built on the first start and tagged by the paths, modes and contents of the folder and
    /// the build arguments; an image that has the tag is not built again, even when its base changed.
    /// In a `.dockerignore`, character classes and `\\` are taken literally.
    #[cfg(feature = "containers")]
    #[must_use]
    pub fn dockerfile(context: impl Into<PathBuf>) -> Self {
        Self::of(Kind::Container(container::Container::dockerfile(
            context.into(),
        )))
    }

    /// What a baseline calls this kind of target: `process`, `in-process`, `url` or `container`.
    #[must_use]
    pub fn kind_name(&self) -> &'static str {
        match &self.kind {
            Kind::Process(_) => "process",
            Kind::InProcess(_) => "in-process",
            Kind::Url(_) => "url",
            #[cfg(feature = "containers")]
            Kind::Container(_) => "container",
        }
    }

    /// What a baseline calls the way to this target, as in [`Identity::network`].
    #[must_use]
    pub fn network_name(&self) -> &'static str {
        match &self.kind {
            Kind::Process(_) | Kind::InProcess(_) => "loopback",
            Kind::Url(url) => url.network_name(),
            #[cfg(feature = "containers")]
            Kind::Container(container) => container.network_name(),
        }
    }

    /// The URL of a server that already runs; `None` for a target that is started.
    #[must_use]
    pub fn url_name(&self) -> Option<&str> {
        match &self.kind {
            Kind::Url(url) => Some(url.name()),
            Kind::Process(_) | Kind::InProcess(_) => None,
            #[cfg(feature = "containers")]
            Kind::Container(_) => None,
        }
    }

    /// Fails when this machine lacks what the kind of target needs to be started at all.
    ///
    /// # Errors
    ///
    /// A [`TargetError`] whose [`is_docker_unavailable`](TargetError::is_docker_unavailable) holds,
    /// for a container where no Docker engine answers.
    pub fn check_available(&self) -> Result<(), TargetError> {
        match &self.kind {
            Kind::Process(_) | Kind::InProcess(_) | Kind::Url(_) => Ok(()),
            #[cfg(feature = "containers")]
            Kind::Container(_) => container::Container::check_engine(),
        }
    }

    /// Starts the server and waits until it is ready; blocks meanwhile.
    ///
    /// The first start of a process also stops what earlier test processes left behind when they
    /// were killed, and has Ctrl-C stop what this one starts.
    ///
    /// # Errors
    ///
    /// [`TargetError`] says what is wrong, with the last lines that the server wrote. Nothing that
    /// was started is left then.
    pub fn start(&self) -> Result<Running, TargetError> {
        self.refuse_misplaced()?;
        self.options.ready.validate()?;
        signals::refuse_if_interrupted()?;
        match &self.kind {
            Kind::Process(process) => process.start(&self.options),
            Kind::InProcess(in_process) => in_process.start(&self.options),
            Kind::Url(url) => url.start(&self.options),
            #[cfg(feature = "containers")]
            Kind::Container(container) => container.start(&self.options),
        }
    }

    fn refuse_misplaced(&self) -> Result<(), TargetError> {
        let mut options = self.options.misplaced.clone();
        if self.options.ready.needs_log() && matches!(self.kind, Kind::InProcess(_) | Kind::Url(_))
        {
            options.push("ready(Ready::log(..))");
        }
        if options.is_empty() {
            return Ok(());
        }
        Err(TargetError::Misplaced {
            kind: self.kind_name(),
            options,
        })
    }

    fn of(kind: Kind) -> Self {
        let startup_timeout = match &kind {
            #[cfg(feature = "containers")]
            Kind::Container(_) => Duration::from_secs(60),
            Kind::Process(_) | Kind::InProcess(_) | Kind::Url(_) => Duration::from_secs(10),
        };
        Self {
            kind,
            options: Options {
                ready: Ready::tcp(),
                startup_timeout,
                misplaced: Vec::new(),
            },
        }
    }
}

impl Running {
    /// Where requests go.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// What a baseline keeps of the target.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// The last lines that the server wrote, oldest first.
    #[must_use]
    pub fn log_tail(&self) -> Vec<String> {
        self.guard.log_tail()
    }

    /// Fails when the server has ended by itself; what is at a URL is always taken to live.
    ///
    /// # Errors
    ///
    /// [`TargetError::Ended`] says how it ended, with the last lines that it wrote.
    pub fn check_alive(&self) -> Result<(), TargetError> {
        match self.guard.death() {
            None => Ok(()),
            Some(how) => Err(TargetError::Ended {
                name: self.name.clone(),
                how,
                log: self.guard.log_tail(),
            }),
        }
    }

    /// Opens the measured window: what the server uses from now on counts.
    ///
    /// Takes some milliseconds, so it belongs before the first measured request.
    pub(crate) fn open_window(&self) -> UsageWindow<'_> {
        self.usage.open()
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running")
            .field("endpoint", &self.endpoint)
            .field("identity", &self.identity)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
