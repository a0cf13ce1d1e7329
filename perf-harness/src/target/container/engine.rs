//! The Docker engine: one runtime for all that is asked of it, and the client.
//!
//! Everything asked of the engine runs as a task that nobody cancels: a request that is dropped
//! half-way may leave a container behind that no one knows of.

use std::io;
use std::net::IpAddr;
use std::panic::resume_unwind;
use std::sync::LazyLock;
use std::sync::mpsc;

use http::Uri;
use testcontainers::bollard::Docker;
use testcontainers::core::client::docker_client_instance;
use tokio::runtime::{Builder, Runtime};

use super::error::ContainerError;

/// Kept for the life of the process: containers are removed through it until the very end.
static RUNTIME: LazyLock<io::Result<Runtime>> = LazyLock::new(|| {
    Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("perf-docker")
        .enable_all()
        .build()
});

/// Runs `task` on the runtime and waits for its end, from any thread, also from one of another runtime.
pub(super) fn run<T: Send + 'static>(
    task: impl Future<Output = Result<T, ContainerError>> + Send + 'static,
) -> Result<T, ContainerError> {
    let runtime = RUNTIME.as_ref().map_err(|error| ContainerError::Runtime {
        reason: error.to_string(),
    })?;
    let (ended, outcome) = mpsc::sync_channel(1);
    let task = runtime.spawn(task);
    runtime.spawn(async move {
        // The receiver waits below until it has been sent to.
        let _ = ended.send(task.await);
    });
    let outcome = outcome.recv().expect("the task sends its outcome");
    outcome.unwrap_or_else(|panicked| resume_unwind(panicked.into_panic()))
}

/// A client of the engine that `DOCKER_HOST` or the default socket leads to, which has answered.
pub(super) async fn connect() -> Result<Docker, ContainerError> {
    refuse_elsewhere(&std::env::var("DOCKER_HOST").unwrap_or_default())?;
    let docker = docker_client_instance()
        .await
        .map_err(|error| ContainerError::unreachable(address(), &error))?;
    docker
        .ping()
        .await
        .map_err(|error| ContainerError::unreachable(address(), &error))?;
    Ok(docker)
}

/// Ports are published on the loopback interface of the engine's machine, which must be ours.
fn refuse_elsewhere(docker_host: &str) -> Result<(), ContainerError> {
    let uri = docker_host.parse::<Uri>().unwrap_or_default();
    let is_network = matches!(uri.scheme_str(), Some("tcp" | "http" | "https"));
    match uri.host() {
        Some(host) if is_network && !is_this_machine(host) => {
            Err(ContainerError::EngineElsewhere {
                address: docker_host.to_owned(),
            })
        }
        _ => Ok(()),
    }
}

fn is_this_machine(host: &str) -> bool {
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    address.map_or(host == "localhost", |address| address.is_loopback())
}

fn address() -> String {
    match std::env::var("DOCKER_HOST") {
        Ok(host) => format!("DOCKER_HOST={host}"),
        Err(_) => "/var/run/docker.sock".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_of_another_machine_is_refused() {
        for host in [
            "tcp://docker:2375",
            "tcp://192.0.2.1:2375",
            "https://engine.example",
        ] {
            let message = refuse_elsewhere(host).unwrap_err().to_string();
            assert!(message.contains(host), "{message}");
        }
    }

    #[test]
    fn an_engine_of_this_machine_is_taken() {
        for host in [
            "",
            "unix:///run/user/1000/docker.sock",
            "tcp://127.0.0.1:2375",
            "tcp://[::1]:2375",
            "tcp://localhost:2375",
        ] {
            assert!(refuse_elsewhere(host).is_ok(), "{host}");
        }
    }
}
