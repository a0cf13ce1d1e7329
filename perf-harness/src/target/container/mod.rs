//! A server in a container, run through testcontainers.
//!
//! This is the only module that knows testcontainers and the engine's client. It adds what a
//! measurement needs: ports on the loopback interface only, no pull in the middle of a run, a build
//! whose log is seen, and no container left behind, whichever step fails.
//!
//! What is asked of the engine, in order: an answer, the removal of what dead owners left behind,
//! the image, a container of it. Then the server is waited for as any other.

mod build;
mod context;
mod engine;
mod error;
mod ignore;
mod image;
mod launch;
mod listening;
mod ownership;
mod run;
mod started;

use std::collections::BTreeMap;
use std::path::PathBuf;

use testcontainers::bollard::Docker;

pub use error::ContainerError;

use self::image::{Image, ImageSource};
use self::launch::Launch;
use self::ownership::{Owner, sweep_once};
use self::run::Run;
use self::started::Started;
use super::ports::{is_taken, loopback};
use super::ready::{Reach, Startup};
use super::{Identity, Options, Running, TargetError};
use crate::endpoint::Endpoint;

/// The description of a container.
#[derive(Debug)]
pub(super) struct Container {
    image: ImageSource,
    build_args: BTreeMap<String, String>,
    port: Option<u16>,
    is_on_host_network: bool,
    setup: Setup,
}

/// What the container of an image is given.
#[derive(Clone, Debug, Default)]
struct Setup {
    environment: Vec<(String, String)>,
    command: Vec<String>,
    arguments: Vec<String>,
    files: Vec<(PathBuf, String)>,
    cpus: Option<f64>,
    memory: Option<u64>,
    cpu_set: Option<String>,
}

/// How requests reach the server, with the port that it listens on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Network {
    /// Through a port of this machine's loopback interface and the engine's proxy.
    Published { port: u16 },
    /// The container has this machine's network.
    Host { port: u16 },
}

impl Container {
    /// A container of the image `name`, which must be on this machine.
    pub(super) fn image(name: String) -> Self {
        Self::of(ImageSource::Name(name))
    }

    /// A container of the image that the Dockerfile in `folder` describes.
    pub(super) fn dockerfile(folder: PathBuf) -> Self {
        Self::of(ImageSource::Dockerfile(folder))
    }

    fn of(image: ImageSource) -> Self {
        Self {
            image,
            build_args: BTreeMap::new(),
            port: None,
            is_on_host_network: false,
            setup: Setup::default(),
        }
    }

    pub(super) fn arg(&mut self, argument: String) {
        self.setup.arguments.push(argument);
    }

    pub(super) fn env(&mut self, name: String, value: String) {
        self.setup.environment.push((name, value));
    }

    pub(super) fn port(&mut self, port: u16) {
        self.port = Some(port);
    }

    pub(super) fn command(&mut self, command: Vec<String>) {
        self.setup.command = command;
    }

    pub(super) fn cpus(&mut self, cpus: f64) {
        self.setup.cpus = Some(cpus);
    }

    pub(super) fn memory(&mut self, bytes: u64) {
        self.setup.memory = Some(bytes);
    }

    pub(super) fn cpu_set(&mut self, cpus: String) {
        self.setup.cpu_set = Some(cpus);
    }

    pub(super) fn file(&mut self, from: PathBuf, to: String) {
        self.setup.files.push((from, to));
    }

    pub(super) fn host_network(&mut self) {
        self.is_on_host_network = true;
    }

    pub(super) fn network_name(&self) -> &'static str {
        if self.is_on_host_network {
            "host-network"
        } else {
            "published-port"
        }
    }

    pub(super) fn build_arg(&mut self, name: String, value: String) {
        self.build_args.insert(name, value);
    }

    /// Fails when no engine answers.
    pub(super) fn check_engine() -> Result<(), TargetError> {
        Ok(engine::run(async { engine::connect().await.map(drop) })?)
    }

    /// Starts a container and waits until its server is ready.
    pub(super) fn start(&self, options: &Options) -> Result<Running, TargetError> {
        self.validate()?;
        let (docker, owner, image) = self.prepare()?;
        let network = self.network(&image)?;
        let name = format!("`{}`", image.name);
        let identity = Identity {
            kind: "container",
            network: network.name(),
            image: Some(image.identity.clone()),
        };
        let started = Started::launch(
            Run::new(docker)?,
            Launch {
                image,
                network,
                setup: self.setup.clone(),
                owner,
                timeout: options.startup_timeout,
            },
        )?;
        let endpoint = await_ready(&name, &started, network, options)?;
        Ok(Running {
            name,
            endpoint,
            usage: started.usage(),
            identity,
            guard: Box::new(started),
        })
    }

    fn validate(&self) -> Result<(), TargetError> {
        match self.setup.cpus {
            Some(cpus) if !(cpus.is_finite() && cpus > 0.0) => Err(TargetError::Option {
                option: "cpus",
                value: cpus.to_string(),
                reason: "write a number of processors above 0, for example 1.5",
            }),
            _ => Ok(()),
        }
    }

    /// The engine, ready for a start: nothing of dead owners is left, and the image is there.
    fn prepare(&self) -> Result<(Docker, Option<Owner>, Image), ContainerError> {
        let (source, build_args) = (self.image.clone(), self.build_args.clone());
        engine::run(async move {
            let docker = engine::connect().await?;
            let owner = Owner::this();
            if let Some(owner) = &owner {
                sweep_once(&docker, owner).await;
            }
            let image = source.resolve(&docker, &build_args).await?;
            Ok((docker, owner, image))
        })
    }

    fn network(&self, image: &Image) -> Result<Network, ContainerError> {
        if !self.is_on_host_network {
            let port = self.port.map_or_else(|| image.port(), Ok)?;
            return Ok(Network::Published { port });
        }
        let image = image.name.clone();
        match self.port {
            None => Err(ContainerError::HostPortUnknown { image }),
            Some(port) if is_taken(port) => Err(ContainerError::HostPortInUse { image, port }),
            Some(port) => Ok(Network::Host { port }),
        }
    }
}

impl Network {
    /// The name that a baseline keeps.
    fn name(self) -> &'static str {
        match self {
            Self::Published { .. } => "published-port",
            Self::Host { .. } => "host-network",
        }
    }

    /// The port that the server listens on.
    fn port(self) -> u16 {
        match self {
            Self::Published { port } | Self::Host { port } => port,
        }
    }

    /// The port as the engine writes it.
    fn key(self) -> String {
        format!("{}/tcp", self.port())
    }

    fn reach(self) -> Reach {
        match self {
            Self::Published { .. } => Reach::Proxied,
            Self::Host { .. } => Reach::Direct,
        }
    }
}

/// Waits until the server in the container is ready, and says where it is reached.
fn await_ready(
    name: &str,
    started: &Started,
    network: Network,
    options: &Options,
) -> Result<Endpoint, TargetError> {
    let mut startup = Startup::new(name, options.startup_timeout, started);
    startup.reach = network.reach();
    startup.log = Some(started.log());
    startup.check_alive()?;
    let published = started
        .published()
        .ok_or_else(|| ContainerError::PortNotPublished {
            image: name.to_owned(),
            port: network.port(),
        })?;
    let endpoint = Endpoint::new(loopback(published));
    if let Network::Published { port } = network {
        started.await_listener(port, &startup);
    }
    options.ready.wait(&endpoint, &startup)?;
    started.settle();
    Ok(endpoint)
}

#[cfg(test)]
mod tests;
