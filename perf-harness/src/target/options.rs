//! What can be said of a target: each option goes to the kind that has it, and is kept as misplaced
//! by the others.

use std::path::PathBuf;
use std::time::Duration;

use super::{Kind, Ready, Target};

/// Options that several kinds have.
impl Target {
    /// When the server may be asked; by default as soon as it takes a connection.
    #[must_use]
    pub fn ready(mut self, ready: Ready) -> Self {
        self.options.ready = ready;
        self
    }

    /// How long the server may take until it is [`ready`](Self::ready): 10 seconds by default, 60
    /// for a container.
    #[must_use]
    pub fn startup_timeout(mut self, timeout: Duration) -> Self {
        self.options.startup_timeout = timeout;
        self
    }

    /// One more argument of a program, or of a container's command.
    #[must_use]
    pub fn arg(mut self, argument: impl Into<String>) -> Self {
        match &mut self.kind {
            Kind::Process(process) => process.arg(argument.into()),
            #[cfg(feature = "containers")]
            Kind::Container(container) => container.arg(argument.into()),
            Kind::InProcess(_) | Kind::Url(_) => self.misplace("arg"),
        }
        self
    }

    /// More arguments of a program, or of a container's command.
    #[must_use]
    pub fn args<A: Into<String>>(self, arguments: impl IntoIterator<Item = A>) -> Self {
        arguments.into_iter().fold(self, Self::arg)
    }

    /// One environment variable of a program, beside those of the test, or of a container.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        match &mut self.kind {
            Kind::Process(process) => process.env(name.into(), value.into()),
            #[cfg(feature = "containers")]
            Kind::Container(container) => container.env(name.into(), value.into()),
            Kind::InProcess(_) | Kind::Url(_) => self.misplace("env"),
        }
        self
    }

    /// The port that a program always listens on, or the port within a container.
    ///
    /// For a program, a port that is handed over is the better choice: a fixed one may be in use.
    /// With [`port_env`](Self::port_env) or [`port_arg`](Self::port_arg), this is the port handed over.
    #[must_use]
    pub fn port(mut self, port: u16) -> Self {
        match &mut self.kind {
            Kind::Process(process) => process.port(port),
            #[cfg(feature = "containers")]
            Kind::Container(container) => container.port(port),
            Kind::InProcess(_) | Kind::Url(_) => self.misplace("port"),
        }
        self
    }

    /// Kept for [`Target::start`], which refuses it: a builder has no way to fail.
    fn misplace(&mut self, option: &'static str) {
        self.options.misplaced.push(option);
    }
}

/// Options of programs.
impl Target {
    /// The folder that a program is started in; the test's own by default.
    #[must_use]
    pub fn working_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        match &mut self.kind {
            Kind::Process(process) => process.working_dir(folder.into()),
            _ => self.misplace("working_dir"),
        }
        self
    }

    /// Hands a free port to a program in the environment variable `name`.
    #[must_use]
    pub fn port_env(mut self, name: impl Into<String>) -> Self {
        match &mut self.kind {
            Kind::Process(process) => process.port_env(name.into()),
            _ => self.misplace("port_env"),
        }
        self
    }

    /// Hands a free port to a program as the next argument: `--port 80` for the name `--port`,
    /// `--port=80` for `--port=`.
    #[must_use]
    pub fn port_arg(mut self, name: impl Into<String>) -> Self {
        match &mut self.kind {
            Kind::Process(process) => process.port_arg(name.into()),
            _ => self.misplace("port_arg"),
        }
        self
    }

    /// Reads the port from what a program writes: it follows `prefix` in a line of its output or
    /// its errors, `listening on 127.0.0.1:` for instance.
    #[must_use]
    pub fn port_in_output(mut self, prefix: impl Into<String>) -> Self {
        match &mut self.kind {
            Kind::Process(process) => process.port_in_output(prefix.into()),
            _ => self.misplace("port_in_output"),
        }
        self
    }
}

/// Options of containers.
#[cfg(feature = "containers")]
impl Target {
    /// The most CPU cores that a container may use, 1.5 for one and a half; no limit by default.
    #[must_use]
    pub fn cpus(mut self, cores: f64) -> Self {
        match &mut self.kind {
            Kind::Container(container) => container.cpus(cores),
            _ => self.misplace("cpus"),
        }
        self
    }

    /// The most memory that a container may use, in bytes; no limit by default.
    #[must_use]
    pub fn memory(mut self, bytes: u64) -> Self {
        match &mut self.kind {
            Kind::Container(container) => container.memory(bytes),
            _ => self.misplace("memory"),
        }
        self
    }

    /// The CPUs that a container may run on, as in `0-1` or `0,2`; all by default.
    #[must_use]
    pub fn cpu_set(mut self, cpus: impl Into<String>) -> Self {
        match &mut self.kind {
            Kind::Container(container) => container.cpu_set(cpus.into()),
            _ => self.misplace("cpu_set"),
        }
        self
    }

    /// Copies the file or folder `host_path` into a container, before it starts.
    #[must_use]
    pub fn file(
        mut self,
        host_path: impl Into<PathBuf>,
        container_path: impl Into<String>,
    ) -> Self {
        match &mut self.kind {
            Kind::Container(container) => container.file(host_path.into(), container_path.into()),
            _ => self.misplace("file"),
        }
        self
    }

    /// The command of a container, in place of the image's own.
    #[must_use]
    pub fn command<A: Into<String>>(mut self, command: impl IntoIterator<Item = A>) -> Self {
        match &mut self.kind {
            Kind::Container(container) => {
                container.command(command.into_iter().map(Into::into).collect())
            }
            _ => self.misplace("command"),
        }
        self
    }

    /// Reaches a container without a proxy in the way: it shares the network of the host and
    /// listens there on its [`port`](Self::port), which must be given.
    ///
    /// Numbers taken this way are never compared with those through a published port.
    #[must_use]
    pub fn host_network(mut self) -> Self {
        match &mut self.kind {
            Kind::Container(container) => container.host_network(),
            _ => self.misplace("host_network"),
        }
        self
    }

    /// An `ARG` of the Dockerfile.
    #[must_use]
    pub fn build_arg(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        match &mut self.kind {
            Kind::Container(container) => container.build_arg(name.into(), value.into()),
            _ => self.misplace("build_arg"),
        }
        self
    }
}
