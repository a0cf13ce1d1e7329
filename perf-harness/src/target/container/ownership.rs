//! Whose containers these are: labels that outlive us, and the removal of what nobody owns any more.
//!
//! A container is only ever found by its labels. An engine that fails half-way, a start that breaks
//! off and a test process that was killed all leave one of which no handle exists.

use std::collections::HashMap;
use std::fs;

use testcontainers::bollard::Docker;
use testcontainers::bollard::models::{ContainerSummary, ContainerSummaryStateEnum};
use testcontainers::bollard::query_parameters::{
    ListContainersOptionsBuilder, RemoveContainerOptionsBuilder,
};
use tokio::sync::OnceCell;
use tokio::task::JoinSet;

use super::super::proc_stat::ProcessId;
use super::error::{ContainerError, status_of};

/// The process that started it.
const OWNER: &str = "perf-harness.owner";
/// When that process started: numbers of processes are given away again.
const OWNER_START: &str = "perf-harness.owner-start";
/// The boot of the machine that the owner runs on.
const BOOT_ID: &str = "perf-harness.boot-id";
/// Where the number of the owner means something.
const PID_NAMESPACE: &str = "perf-harness.pid-namespace";
/// One start.
const RUN: &str = "perf-harness.run";

/// The process that containers belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Owner {
    process: ProcessId,
    boot_id: String,
    pid_namespace: String,
}

impl Owner {
    /// This process.
    pub(super) fn this() -> Option<Self> {
        Self::of(ProcessId::own()?.pid)
    }

    /// The process of this machine that has the number `pid`.
    pub(super) fn of(pid: i32) -> Option<Self> {
        Some(Self {
            process: ProcessId::of(pid)?,
            boot_id: fs::read_to_string("/proc/sys/kernel/random/boot_id")
                .ok()?
                .trim()
                .to_owned(),
            pid_namespace: fs::read_link("/proc/self/ns/pid")
                .ok()?
                .to_string_lossy()
                .into_owned(),
        })
    }

    #[cfg(test)]
    pub(super) fn in_pid_namespace(mut self, name: &str) -> Self {
        name.clone_into(&mut self.pid_namespace);
        self
    }

    #[cfg(test)]
    pub(super) fn under_boot(mut self, id: &str) -> Self {
        id.clone_into(&mut self.boot_id);
        self
    }

    fn write(&self) -> [(&'static str, String); 4] {
        [
            (OWNER, self.process.pid.to_string()),
            (OWNER_START, self.process.start.to_string()),
            (BOOT_ID, self.boot_id.clone()),
            (PID_NAMESPACE, self.pid_namespace.clone()),
        ]
    }

    fn read(labels: &HashMap<String, String>) -> Option<Self> {
        Some(Self {
            process: ProcessId {
                pid: labels.get(OWNER)?.parse().ok()?,
                start: labels.get(OWNER_START)?.parse().ok()?,
            },
            boot_id: labels.get(BOOT_ID)?.clone(),
            pid_namespace: labels.get(PID_NAMESPACE)?.clone(),
        })
    }

    /// Whether this owner is known to be gone, seen from `us`.
    ///
    /// An engine may serve several machines and several containers: whether an owner elsewhere
    /// lives cannot be seen from here.
    fn is_gone(&self, us: &Self) -> bool {
        self.boot_id == us.boot_id
            && self.pid_namespace == us.pid_namespace
            && !self.process.exists()
    }
}

/// The labels of a container that `owner` starts in `run`.
pub(super) fn labels(owner: Option<&Owner>, run: &str) -> Vec<(&'static str, String)> {
    let mut labels = vec![(RUN, run.to_owned())];
    labels.extend(owner.into_iter().flat_map(Owner::write));
    labels
}

/// A container whose owner is gone, or that was left under an earlier boot of the machine.
fn is_leftover(container: &ContainerSummary, us: &Owner) -> bool {
    let Some(owner) = container.labels.as_ref().and_then(Owner::read) else {
        return false;
    };
    owner.is_gone(us) || (owner.boot_id != us.boot_id && is_over(container))
}

/// Whether it does not run and will not: one that was created but now may belong to another
/// machine, whose process is about to start it.
fn is_over(container: &ContainerSummary) -> bool {
    use ContainerSummaryStateEnum::{CREATED, DEAD, EXITED};
    match container.state {
        Some(EXITED | DEAD) => true,
        Some(CREATED) => container
            .created
            .zip(boot_time())
            .is_some_and(|(created, boot)| created < boot),
        _ => false,
    }
}

/// When this machine was started, in seconds since 1970.
fn boot_time() -> Option<i64> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    stat.lines()
        .find_map(|line| line.strip_prefix("btime "))?
        .trim()
        .parse()
        .ok()
}

/// Removes what dead owners left behind; does so once in a process, before its first start.
///
/// That it fails hinders no start: the engine was asked for something else.
pub(super) async fn sweep_once(docker: &Docker, us: &Owner) {
    static SWEEP: OnceCell<()> = OnceCell::const_new();
    SWEEP.get_or_init(|| sweep(docker, us)).await;
}

async fn sweep(docker: &Docker, us: &Owner) {
    let Ok(containers) = labelled(docker, OWNER).await else {
        return;
    };
    let leftovers = containers
        .into_iter()
        .filter(|container| is_leftover(container, us));
    let _ = remove_all(docker, leftovers.collect()).await;
}

/// Removes the container of one start, whatever became of it; that there is none is no error.
pub(super) async fn remove_run(docker: &Docker, run: &str) -> Result<(), ContainerError> {
    let containers = labelled(docker, &format!("{RUN}={run}")).await?;
    remove_all(docker, containers).await
}

/// The containers that the process `pid` started.
#[cfg(test)]
pub(super) async fn owned(
    docker: &Docker,
    pid: i32,
) -> Result<Vec<ContainerSummary>, ContainerError> {
    labelled(docker, &format!("{OWNER}={pid}")).await
}

async fn labelled(docker: &Docker, label: &str) -> Result<Vec<ContainerSummary>, ContainerError> {
    let filters = HashMap::from([("label", vec![label])]);
    let options = ListContainersOptionsBuilder::new()
        .all(true)
        .filters(&filters)
        .build();
    docker
        .list_containers(Some(options))
        .await
        .map_err(|error| ContainerError::refused("list the containers labelled", label, &error))
}

async fn remove_all(
    docker: &Docker,
    containers: Vec<ContainerSummary>,
) -> Result<(), ContainerError> {
    let mut removals = JoinSet::new();
    for id in containers.into_iter().filter_map(|container| container.id) {
        let docker = docker.clone();
        removals.spawn(async move { remove(&docker, &id).await });
    }
    removals.join_all().await.into_iter().collect()
}

/// Kills and removes a container with its anonymous volumes.
async fn remove(docker: &Docker, id: &str) -> Result<(), ContainerError> {
    let options = RemoveContainerOptionsBuilder::new()
        .force(true)
        .v(true)
        .build();
    match docker.remove_container(id, Some(options)).await {
        Ok(()) => Ok(()),
        // It is gone, or somebody else is removing it.
        Err(error) if matches!(status_of(&error), Some(404 | 409)) => Ok(()),
        Err(error) => Err(ContainerError::refused("remove the container", id, &error)),
    }
}
