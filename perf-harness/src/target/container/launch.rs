//! What testcontainers is asked for, and the start itself.

use std::collections::HashMap;
use std::time::Duration;

use testcontainers::bollard::models::{HostConfig, PortBinding};
use testcontainers::core::{ContainerPort, CopyDataSource};
use testcontainers::runners::AsyncRunner;
use testcontainers::{ContainerAsync, ContainerRequest, GenericImage, ImageExt};

use super::error::ContainerError;
use super::image::Image;
use super::ownership::{Owner, labels};
use super::run::Steps;
use super::{Network, Setup};

/// All that is decided before a container is created.
#[derive(Debug)]
pub(super) struct Launch {
    pub(super) image: Image,
    pub(super) network: Network,
    pub(super) setup: Setup,
    pub(super) owner: Option<Owner>,
    pub(super) timeout: Duration,
}

impl Launch {
    /// Creates and starts the container.
    pub(super) async fn start(
        &self,
        steps: &Steps,
    ) -> Result<ContainerAsync<GenericImage>, ContainerError> {
        for (path, _) in &self.setup.files {
            std::fs::metadata(path).map_err(|source| ContainerError::Read {
                path: path.clone(),
                source,
            })?;
        }
        let request = self.request(steps.label());
        steps
            .take(async {
                request.start().await.map_err(|error| {
                    ContainerError::refused("start a container of", &self.image.name, &error)
                })
            })
            .await
    }

    fn request(&self, run: &str) -> ContainerRequest<GenericImage> {
        let (name, tag) = self.image.reference();
        let port = ContainerPort::Tcp(self.network.port());
        let mut request = GenericImage::new(name, tag)
            .with_exposed_port(port)
            .with_startup_timeout(self.timeout)
            .with_labels(labels(self.owner.as_ref(), run));
        for (name, value) in &self.setup.environment {
            request = request.with_env_var(name, value);
        }
        for (from, to) in &self.setup.files {
            request = request.with_copy_to(to, CopyDataSource::from(from.as_path()));
        }
        let command = self.setup.command.iter().chain(&self.setup.arguments);
        let limits = self.setup.limits();
        let network = self.network;
        request
            .with_cmd(command)
            .with_host_config_modifier(move |host| {
                limits.apply(host);
                network.apply(host);
            })
    }
}

/// The limits of a container in the engine's units.
#[derive(Clone, Debug)]
struct Limits {
    nano_cpus: Option<i64>,
    memory: Option<i64>,
    cpu_set: Option<String>,
}

impl Setup {
    fn limits(&self) -> Limits {
        Limits {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "saturates, and was validated"
            )]
            nano_cpus: self.cpus.map(|cpus| (cpus * 1e9).round() as i64),
            memory: self
                .memory
                .map(|bytes| i64::try_from(bytes).unwrap_or(i64::MAX)),
            cpu_set: self.cpu_set.clone(),
        }
    }
}

impl Limits {
    /// Memory and swap together are limited to the same number: a server that swaps is slow for a
    /// reason that nobody would look for.
    fn apply(&self, host: &mut HostConfig) {
        host.nano_cpus = self.nano_cpus;
        host.memory = self.memory;
        host.memory_swap = self.memory;
        host.cpuset_cpus.clone_from(&self.cpu_set);
    }
}

impl Network {
    /// Without this, testcontainers publishes every exposed port on every interface of the machine.
    fn apply(self, host: &mut HostConfig) {
        host.publish_all_ports = Some(false);
        match self {
            Self::Host { .. } => {
                host.network_mode = Some("host".to_owned());
                host.port_bindings = None;
            }
            Self::Published { .. } => host.port_bindings = Some(self.bindings()),
        }
    }

    /// On a port of the loopback interface that the engine chooses.
    fn bindings(self) -> HashMap<String, Option<Vec<PortBinding>>> {
        let binding = PortBinding {
            host_ip: Some("127.0.0.1".to_owned()),
            host_port: None,
        };
        HashMap::from([(self.key(), Some(vec![binding]))])
    }
}
