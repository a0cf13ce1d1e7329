//! Test processes of a test: the engine's address is read from the environment, which belongs to
//! all tests of a process, and some tests kill the process that started a container.

use std::env;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};

use crate::target::{Running, Target, TargetError};

const ROLE: &str = "PERF_HARNESS_TEST_CHILD";
const SAID: &str = "the start said: ";
const READY: &str = "the server is ready";

/// Whether this process is a child that shall play its part of the running test.
pub(super) fn is_child() -> bool {
    env::var_os(ROLE).is_some()
}

/// The test `name` of `module`, in a process of its own.
pub(super) fn command(module: &str, name: &str) -> Command {
    let (_crate, module) = module.split_once("::").unwrap();
    let mut command = Command::new(env::current_exe().unwrap());
    command
        .args(["--exact", "--nocapture", &format!("{module}::{name}")])
        .env(ROLE, "1");
    command
}

/// The child's part: starts `target` and says what came of it.
pub(super) fn say(target: &Target) {
    match target.start() {
        Ok(_) => println!("{SAID}it runs"),
        Err(error) => println!("{SAID}{}", error.to_string().replace('\n', "\u{b6}")),
    }
}

/// The parent's part: what the child said.
pub(super) fn said(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let said = text
        .lines()
        .find_map(|line| Some(line.split_once(SAID)?.1.replace('\u{b6}', "\n")));
    said.unwrap_or_else(|| panic!("{text}\n{}", String::from_utf8_lossy(&output.stderr)))
}

/// The child's part: says that the server is ready and waits to be killed.
pub(super) fn hold(started: Result<Running, TargetError>) {
    let _running = started.unwrap();
    println!("{READY}");
    // Ends with the parent, whatever becomes of it.
    let _ = std::io::stdin().read(&mut [0]);
}

/// A child whose server is ready.
pub(super) struct Holder {
    child: Child,
    _stdin: ChildStdin,
}

impl Holder {
    pub(super) fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.map_while(Result::ok).any(|line| line.contains(READY)));
        Self {
            _stdin: child.stdin.take().unwrap(),
            child,
        }
    }

    pub(super) fn pid(&self) -> i32 {
        i32::try_from(self.child.id()).unwrap()
    }

    /// Ends it by `signal` and says how it ended.
    pub(super) fn end(mut self, signal: nix::sys::signal::Signal) -> ExitStatus {
        nix::sys::signal::kill(nix::unistd::Pid::from_raw(self.pid()), signal).unwrap();
        self.child.wait().unwrap()
    }
}
