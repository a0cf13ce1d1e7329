//! A program as the server: started in a process group of its own, watched, killed with all that
//! it started.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;

use super::leftovers::{self, Record};
use super::logs::Log;
use super::ports::{free_port, is_taken, loopback, port_after};
use super::proc_stat::ProcessId;
use super::ready::Startup;
use super::signals::{self, Registration};
use super::tree::{MARK_VARIABLE, Mark, Tree};
use super::usage::UsageSource;
use super::{Guard, Identity, Options, Running, TargetError};
use crate::endpoint::Endpoint;

/// Starts in all when a chosen port is taken by somebody else before the program gets there.
const PORT_ATTEMPTS: u32 = 3;
/// How long the last lines of an ended program are waited for; only a process that has escaped and
/// holds its output open makes us wait so long.
const LOG_WAIT: Duration = Duration::from_secs(1);
/// The end of a program is noticed between two looks for its port.
const PORT_LOOK: Duration = Duration::from_millis(50);

/// The description of a program.
#[derive(Debug)]
pub(super) struct Process {
    program: PathBuf,
    arguments: Vec<Argument>,
    environment: Vec<(String, String)>,
    working_dir: Option<PathBuf>,
    port_variables: Vec<String>,
    port_prefix: Option<String>,
    fixed_port: Option<u16>,
}

#[derive(Debug)]
enum Argument {
    Text(String),
    /// The port by this name: `--port 80`, or `--port=80` when the name ends with `=`.
    Port(String),
}

impl Process {
    pub(super) fn new(program: PathBuf) -> Self {
        Self {
            program,
            arguments: Vec::new(),
            environment: Vec::new(),
            working_dir: None,
            port_variables: Vec::new(),
            port_prefix: None,
            fixed_port: None,
        }
    }

    pub(super) fn arg(&mut self, argument: String) {
        self.arguments.push(Argument::Text(argument));
    }

    pub(super) fn env(&mut self, name: String, value: String) {
        self.environment.push((name, value));
    }

    pub(super) fn working_dir(&mut self, folder: PathBuf) {
        self.working_dir = Some(folder);
    }

    pub(super) fn port_env(&mut self, name: String) {
        self.port_variables.push(name);
    }

    pub(super) fn port_arg(&mut self, name: String) {
        self.arguments.push(Argument::Port(name));
    }

    pub(super) fn port_in_output(&mut self, prefix: String) {
        self.port_prefix = Some(prefix);
    }

    pub(super) fn port(&mut self, port: u16) {
        self.fixed_port = Some(port);
    }

    pub(super) fn start(&self, options: &Options) -> Result<Running, TargetError> {
        leftovers::sweep_once();
        let mut attempt = 1;
        loop {
            let port = self.choose_port()?;
            match self.start_at(port, options) {
                Err(error) if attempt < PORT_ATTEMPTS && self.has_lost_port(port, &error) => {
                    attempt += 1
                }
                started => return started,
            }
        }
    }

    /// The port to hand over; `None` when only the program knows it.
    fn choose_port(&self) -> Result<Option<u16>, TargetError> {
        match self.fixed_port {
            Some(port) if is_taken(port) => Err(TargetError::PortInUse {
                name: self.name(),
                port,
            }),
            Some(port) => Ok(Some(port)),
            None if self.hands_port_over() => {
                free_port()
                    .map(Some)
                    .map_err(|source| TargetError::NoFreePort {
                        name: self.name(),
                        source,
                    })
            }
            None if self.port_prefix.is_some() => Ok(None),
            None => Err(TargetError::PortNotAgreed { name: self.name() }),
        }
    }

    fn hands_port_over(&self) -> bool {
        let by_argument = self
            .arguments
            .iter()
            .any(|argument| matches!(argument, Argument::Port(_)));
        by_argument || !self.port_variables.is_empty()
    }

    /// Whether a start failed because somebody else took the port that was free when we chose it.
    fn has_lost_port(&self, port: Option<u16>, error: &TargetError) -> bool {
        let TargetError::EndedEarly { log, .. } = error else {
            return false;
        };
        let Some(port) = port.filter(|_| self.fixed_port.is_none()) else {
            return false;
        };
        is_taken(port)
            || log
                .iter()
                .any(|line| line.to_ascii_lowercase().contains("address already in use"))
    }

    fn start_at(&self, port: Option<u16>, options: &Options) -> Result<Running, TargetError> {
        let started = self.spawn(port)?;
        let name = self.name();
        let mut startup = Startup::new(&name, options.startup_timeout, &started);
        startup.log = Some(&started.log);
        let port = match &self.port_prefix {
            Some(prefix) => await_port(prefix, &startup, &started.log)?,
            None => {
                port.expect("a port that is not read from the output is chosen before the start")
            }
        };
        let endpoint = Endpoint::new(loopback(port));
        options.ready.wait(&endpoint, &startup)?;
        started.log.settle();
        Ok(Running {
            name,
            endpoint,
            usage: UsageSource::Processes(started.tree.clone()),
            identity: Identity {
                kind: "process",
                network: "loopback",
                image: None,
            },
            guard: Box::new(started),
        })
    }

    fn spawn(&self, port: Option<u16>) -> Result<Started, TargetError> {
        let mark = Mark::unique();
        let mut command = self.command(port, &mark);
        let mut record = leftovers::announce(&mark);
        let ((child, tree), registration) = signals::start_registered(|| {
            let mut child = command.spawn().map_err(|source| self.spawn_error(source))?;
            let tree = tree_of(&mut child, mark).map_err(|source| self.spawn_error(source))?;
            let doomed = tree.clone();
            Ok(((child, tree), Box::new(move || doomed.kill())))
        })?;
        if let Some(record) = &mut record {
            record.name_leader(tree.leader());
        }
        let mut started = Started {
            log: Log::new(),
            stdin: None,
            readers: Vec::new(),
            child,
            tree,
            _registration: registration,
            _record: record,
        };
        started
            .follow_output()
            .map_err(|source| self.spawn_error(source))?;
        Ok(started)
    }

    fn command(&self, port: Option<u16>, mark: &Mark) -> Command {
        let port = port.map(|port| port.to_string());
        let mut command = Command::new(&self.program);
        command
            .args(
                self.arguments
                    .iter()
                    .flat_map(|argument| argument.with_port(port.as_deref())),
            )
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .envs(self.port_variables.iter().zip(port.iter().cycle()))
            .env(MARK_VARIABLE, mark.as_str())
            .process_group(0)
            // Held open: many a program ends when its input does.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(folder) = &self.working_dir {
            command.current_dir(folder);
        }
        command
    }

    fn spawn_error(&self, source: io::Error) -> TargetError {
        if source.kind() != io::ErrorKind::NotFound {
            return TargetError::Spawn {
                program: self.program.clone(),
                source,
            };
        }
        match &self.working_dir {
            Some(folder) if !folder.is_dir() => TargetError::WorkingDirNotFound {
                name: self.name(),
                folder: folder.clone(),
            },
            _ => TargetError::ProgramNotFound {
                program: self.program.clone(),
            },
        }
    }

    /// The program as it is called in messages.
    fn name(&self) -> String {
        let file = self.program.file_name().unwrap_or(self.program.as_os_str());
        format!("`{}`", file.display())
    }
}

impl Argument {
    fn with_port(&self, port: Option<&str>) -> Vec<String> {
        match (self, port) {
            (Self::Text(text), _) => vec![text.clone()],
            (Self::Port(name), Some(port)) if name.ends_with('=') => vec![format!("{name}{port}")],
            (Self::Port(name), Some(port)) => vec![name.clone(), port.to_owned()],
            (Self::Port(_), None) => Vec::new(),
        }
    }
}

/// The tree of a child that has just been started and leads its group.
fn tree_of(child: &mut Child, mark: Mark) -> io::Result<Tree> {
    let leader = i32::try_from(child.id()).ok().and_then(ProcessId::of);
    match leader {
        Some(leader) => Ok(Tree::new(leader, mark)),
        None => {
            child.kill()?;
            child.wait()?;
            Err(io::Error::other("its process cannot be seen in /proc"))
        }
    }
}

fn await_port(prefix: &str, startup: &Startup<'_>, log: &Log) -> Result<u16, TargetError> {
    loop {
        if let Some(port) = log.find(startup.left().min(PORT_LOOK), |line| {
            port_after(prefix, line)
        }) {
            return Ok(port);
        }
        startup.check_alive()?;
        if startup.is_over() {
            return Err(TargetError::PortNotWritten {
                name: startup.name.to_owned(),
                prefix: prefix.to_owned(),
                timeout: startup.timeout(),
                log: log.tail(),
            });
        }
    }
}

/// A started program; dropping it kills all its processes.
struct Started {
    child: Child,
    tree: Tree,
    log: Arc<Log>,
    readers: Vec<JoinHandle<()>>,
    /// Held open as long as the program may run.
    stdin: Option<ChildStdin>,
    _registration: Registration,
    _record: Option<Record>,
}

impl Started {
    fn follow_output(&mut self) -> io::Result<()> {
        self.stdin = self.child.stdin.take();
        if let Some(stdout) = self.child.stdout.take() {
            self.readers.push(self.log.follow(stdout)?);
        }
        if let Some(stderr) = self.child.stderr.take() {
            self.readers.push(self.log.follow(stderr)?);
        }
        Ok(())
    }
}

impl Guard for Started {
    fn log_tail(&self) -> Vec<String> {
        if self.death().is_some() {
            self.log.wait_ended(LOG_WAIT);
        }
        self.log.tail()
    }

    /// Looks without taking the status: as long as nobody takes it, the number of the process and
    /// of its group belongs to no other.
    fn death(&self) -> Option<String> {
        let id = Id::Pid(Pid::from_raw(self.tree.leader().pid));
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        match waitid(id, flags) {
            Ok(WaitStatus::Exited(_, status)) => Some(format!("exited with status {status}")),
            Ok(WaitStatus::Signaled(_, signal, _)) => Some(format!("was killed by {signal}")),
            Ok(_) => None,
            Err(_) => Some("ended, its status was taken by other code of this process,".to_owned()),
        }
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        self.tree.kill();
        // An error means that somebody else has waited for it.
        let _ = self.child.wait();
        if self.log.wait_ended(LOG_WAIT) {
            self.readers
                .drain(..)
                .for_each(|reader| drop(reader.join()));
        }
        // Else an escaped process holds the output open, and the reader is left to itself.
    }
}

#[cfg(test)]
mod tests;
