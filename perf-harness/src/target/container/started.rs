//! A started container: whether it lives, what it writes, what it costs, and its removal.

use std::fs;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use testcontainers::bollard::Docker;
use testcontainers::bollard::container::LogOutput;
use testcontainers::bollard::errors::Error as EngineError;
use testcontainers::bollard::models::{
    ContainerInspectResponse, ContainerState, ContainerStateStatusEnum,
};
use testcontainers::bollard::query_parameters::LogsOptionsBuilder;
use testcontainers::{ContainerAsync, GenericImage};
use tokio::task::AbortHandle;
use tokio_stream::StreamExt;

use super::super::Guard;
use super::super::logs::{Feed, Log};
use super::super::ready::Startup;
use super::super::usage::{Cgroup, UsageSource};
use super::error::{ContainerError, status_of};
use super::launch::Launch;
use super::listening::listens;
use super::run::Run;
use super::{Network, engine};

/// Lines that are fetched when somebody asks what the server wrote last.
const TAIL_LINES: &str = "50";
/// Pause between two looks for a listener.
const POLL: Duration = Duration::from_millis(5);

/// A started container; dropping it removes the container.
pub(super) struct Started {
    watch: Watch,
    /// Taken when it is removed; it must not be dropped outside the runtime.
    container: Option<ContainerAsync<GenericImage>>,
    /// Removes what the handle above does not; last, so after it.
    _run: Run,
}

/// What is known of a started container, and what follows it.
struct Watch {
    docker: Docker,
    id: String,
    pid: Option<i32>,
    published: Option<u16>,
    end: Arc<OnceLock<String>>,
    log: Arc<Log>,
    follower: AbortHandle,
}

impl Started {
    /// Starts the container of `run`, which is removed when that fails.
    pub(super) fn launch(run: Run, launch: Launch) -> Result<Self, ContainerError> {
        let steps = run.steps();
        let (container, watch) = engine::run(async move {
            let container = launch.start(&steps).await?;
            let watch = Watch::over(steps.docker().clone(), container.id(), launch.network).await?;
            Ok((container, watch))
        })?;
        Ok(Self {
            watch,
            container: Some(container),
            _run: run,
        })
    }

    /// The port of this machine that leads to the server; `None` when the container has ended.
    pub(super) fn published(&self) -> Option<u16> {
        self.watch.published
    }

    /// Where its cost is counted; nowhere that we can see when the engine runs elsewhere.
    pub(super) fn usage(&self) -> UsageSource {
        let cgroup = self.watch.pid.and_then(Cgroup::of_process);
        cgroup.map_or(UsageSource::Unseen, UsageSource::Cgroup)
    }

    /// Waits until the server listens on `port` in the container, as far as that can be seen; what
    /// became of it otherwise, the check that comes next says.
    pub(super) fn await_listener(&self, port: u16, startup: &Startup<'_>) {
        let Some(pid) = self.watch.pid else {
            return;
        };
        while listens(pid, port) == Some(false) && !startup.is_over() && self.death().is_none() {
            std::thread::sleep(POLL);
        }
    }

    pub(super) fn log(&self) -> &Log {
        &self.watch.log
    }

    /// The server is ready: a load must not pay for a log that nobody waits for a line of.
    pub(super) fn settle(&self) {
        self.watch.follower.abort();
        self.watch.log.settle();
    }
}

impl Guard for Started {
    /// Fetched when asked for: at the end of a container the engine has all that it wrote.
    fn log_tail(&self) -> Vec<String> {
        let (docker, id) = (self.watch.docker.clone(), self.watch.id.clone());
        engine::run(async move { Ok(tail(&docker, &id).await) }).unwrap_or_default()
    }

    fn death(&self) -> Option<String> {
        self.watch.end.get().cloned()
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        self.watch.follower.abort();
        let Some(container) = self.container.take() else {
            return;
        };
        let id = self.watch.id.clone();
        // What this leaves, the run removes.
        let _ = engine::run(async move {
            container
                .rm()
                .await
                .map_err(|error| ContainerError::refused("remove the container", &id, &error))
        });
    }
}

impl Watch {
    async fn over(docker: Docker, id: &str, network: Network) -> Result<Self, ContainerError> {
        let id = id.to_owned();
        let inspect = docker
            .inspect_container(&id, None)
            .await
            .map_err(|error| ContainerError::refused("inspect the container", &id, &error))?;
        let end = Arc::new(OnceLock::new());
        tokio::spawn(note_end(docker.clone(), id.clone(), Arc::clone(&end)));
        let log = Log::new();
        let follower = tokio::spawn(follow(docker.clone(), id.clone(), log.feed(), log.feed()));
        if let Some(how) = inspect.state.as_ref().and_then(end_in_words) {
            // Whoever notes it first, it is the same.
            let _ = end.set(how);
        }
        Ok(Self {
            pid: visible_pid(&inspect, &id),
            published: published_port(inspect, network),
            docker,
            id,
            end,
            log,
            follower: follower.abort_handle(),
        })
    }
}

/// Notes how the container ended, as soon as it has.
async fn note_end(docker: Docker, id: String, end: Arc<OnceLock<String>>) {
    await_end(&docker, &id).await;
    let how = match docker.inspect_container(&id, None).await {
        Ok(inspect) => inspect.state.as_ref().and_then(end_in_words),
        Err(error) if status_of(&error) == Some(404) => Some("was removed".to_owned()),
        Err(_) => None,
    };
    if let Some(how) = how {
        // Whoever notes it first, it is the same.
        let _ = end.set(how);
    }
}

/// Waits until the engine says that the container does not run, however long that takes.
async fn await_end(docker: &Docker, id: &str) {
    loop {
        let mut outcome = std::pin::pin!(docker.wait_container(id, None));
        match outcome.next().await {
            // The engine has not answered for minutes; it may wait all the same.
            Some(Err(EngineError::RequestTimeoutError)) => {}
            _ => return,
        }
    }
}

/// How the container ended; `None` while it has not.
fn end_in_words(state: &ContainerState) -> Option<String> {
    use ContainerStateStatusEnum::{DEAD, EXITED};
    if !matches!(state.status, Some(EXITED | DEAD)) {
        return None;
    }
    let status = state.exit_code.unwrap_or_default();
    match state.oom_killed {
        Some(true) => Some(format!("exited with status {status}, out of memory")),
        _ => Some(format!("exited with status {status}")),
    }
}

/// The first process, when it can be seen from here and is indeed one of this container: an engine
/// elsewhere counts its processes anew.
fn visible_pid(inspect: &ContainerInspectResponse, id: &str) -> Option<i32> {
    let pid = inspect.state.as_ref()?.pid.filter(|pid| *pid > 0)?;
    let cgroup = fs::read_to_string(format!("/proc/{pid}/cgroup")).ok()?;
    cgroup.contains(id).then_some(i32::try_from(pid).ok()?)
}

fn published_port(inspect: ContainerInspectResponse, network: Network) -> Option<u16> {
    let Network::Published { .. } = network else {
        return Some(network.port());
    };
    let mut ports = inspect.network_settings?.ports?;
    let bindings = ports.remove(&network.key())??;
    bindings.first()?.host_port.as_ref()?.parse().ok()
}

async fn follow(docker: Docker, id: String, mut stdout: Feed, mut stderr: Feed) {
    let options = log_options().follow(true).build();
    let mut chunks = std::pin::pin!(docker.logs(&id, Some(options)));
    while let Some(Ok(chunk)) = chunks.next().await {
        match chunk {
            LogOutput::StdErr { message } => stderr.write(&message),
            LogOutput::StdOut { message } | LogOutput::Console { message } => {
                stdout.write(&message)
            }
            LogOutput::StdIn { .. } => {}
        }
    }
}

async fn tail(docker: &Docker, id: &str) -> Vec<String> {
    let log = Log::new();
    let mut feed = log.feed();
    let mut chunks = std::pin::pin!(docker.logs(id, Some(log_options().tail(TAIL_LINES).build())));
    while let Some(Ok(chunk)) = chunks.next().await {
        feed.write(&chunk.into_bytes());
    }
    drop(feed);
    log.tail()
}

fn log_options() -> LogsOptionsBuilder {
    LogsOptionsBuilder::new().stdout(true).stderr(true)
}
