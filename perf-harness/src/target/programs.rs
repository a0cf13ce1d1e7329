//! The programs that the tests start: this test binary, asked for one of the ignored tests below.
//!
//! Each does nothing unless it is started by the tests: it is told so by an environment variable.

use std::hint::black_box;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::proc_stat::ProcessId;
use super::usage::UsageSource;
use super::{Ready, Running, Target};

/// CPU time that one `burn` takes.
pub(super) const BURN: Duration = Duration::from_millis(200);
/// Memory that one `grow` touches and gives back.
pub(super) const GROWTH: usize = 64 << 20;

const ROLE: &str = "PERF_HARNESS_TEST_ROLE";

/// A small HTTP server: `/` is answered with 200, `/broken` with 503.
///
/// It listens on `PORT`, a free port for 0, and writes `listening on 127.0.0.1:` and the port.
pub(super) fn server() -> Target {
    let program = std::env::current_exe().unwrap();
    Target::process(program)
        .args(arguments("serve"))
        .env(ROLE, "serve")
}

/// A target that is one line of shell.
pub(super) fn shell(script: &str) -> Target {
    Target::process("/bin/sh").args(["-c", script])
}

/// Every process of a started program.
pub(super) fn processes(running: &Running) -> Vec<ProcessId> {
    let UsageSource::Processes(tree) = &running.usage else {
        panic!("not a program");
    };
    tree.members().iter().map(|stat| stat.id).collect()
}

fn arguments(role: &str) -> [String; 4] {
    let (_, module) = module_path!().split_once("::").unwrap();
    let name = format!("{module}::{role}");
    [
        "--exact".to_owned(),
        name,
        "--ignored".to_owned(),
        "--nocapture".to_owned(),
    ]
}

fn has_role(role: &str) -> bool {
    std::env::var(ROLE).is_ok_and(|value| value == role)
}

/// A program that is told what to do, line by line.
pub(super) struct Program {
    pub(super) child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Program {
    /// A program that burns CPU and memory as told: see `obey`.
    pub(super) fn worker() -> Self {
        Self::start("work", |_| {})
    }

    fn start(role: &str, setup: impl FnOnce(&mut Command)) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(arguments(role))
            .env(ROLE, role)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        setup(&mut command);
        let mut child = command.spawn().unwrap();
        Self {
            stdin: child.stdin.take(),
            stdout: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    pub(super) fn id(&self) -> ProcessId {
        ProcessId::of(i32::try_from(self.child.id()).unwrap()).unwrap()
    }

    /// Has one thing done, and waits until it is.
    pub(super) fn tell(&mut self, order: &str) {
        writeln!(self.stdin.as_ref().unwrap(), "{order}").unwrap();
        self.read_after("done");
    }

    fn read_after(&mut self, prefix: &str) -> String {
        let lines = self.stdout.by_ref().lines().map(Result::unwrap);
        let found = lines
            .into_iter()
            .find_map(|line| line.strip_prefix(prefix).map(str::to_owned));
        found.expect("the program ended without an answer")
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        drop(self.stdin.take());
        self.child.wait().unwrap();
    }
}

/// A process that has started a server and waits.
pub(super) struct Holder {
    program: Program,
    /// The server's process.
    pub(super) server: ProcessId,
}

impl Holder {
    /// A holder whose state is kept below `folder`, apart from that of other tests.
    pub(super) fn start(folder: &Path) -> Self {
        let mut program = Program::start("hold", |command| {
            command.env("PERF_STATE_DIR", folder);
        });
        let server = program.read_after("holding ").parse().unwrap();
        Self {
            program,
            server: ProcessId::of(server).unwrap(),
        }
    }

    pub(super) fn send(&self, signal: Signal) {
        kill(Pid::from_raw(self.program.id().pid), signal).unwrap();
    }

    pub(super) fn end(&mut self) -> ExitStatus {
        self.program.child.wait().unwrap()
    }
}

#[test]
#[ignore = "a server for the other tests, which start it"]
fn serve() {
    if !has_role("serve") {
        return;
    }
    let port: u16 = std::env::var("PORT").map_or(0, |port| port.parse().unwrap());
    let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
    println!("listening on {}", listener.local_addr().unwrap());
    listener
        .incoming()
        .for_each(|stream| answer(&stream.unwrap()));
}

fn answer(stream: &TcpStream) {
    let mut request = String::new();
    // A check for a listener only connects, and is gone.
    let _ = BufReader::new(stream).read_line(&mut request);
    let status = match request.split(' ').nth(1) {
        Some("/broken") => "503 Service Unavailable",
        _ => "200 OK",
    };
    let mut writer = stream;
    let _ = write!(writer, "HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
}

#[test]
#[ignore = "a program for the other tests, which start it"]
fn hold() {
    if !has_role("hold") {
        return;
    }
    let running = shell("echo port 4000; exec sleep 600")
        .port_in_output("port ")
        .ready(Ready::log("port"))
        .start()
        .unwrap();
    println!("\nholding {}", processes(&running)[0].pid);
    io::stdin().read_to_end(&mut Vec::new()).unwrap();
}

#[test]
#[ignore = "a program for the other tests, which start it"]
fn work() {
    if !has_role("work") {
        return;
    }
    let mut children = Vec::new();
    for order in io::stdin().lines() {
        obey(&order.unwrap(), &mut children);
        println!("\ndone");
    }
}

fn obey(order: &str, children: &mut Vec<Program>) {
    match order {
        "burn" => burn(),
        "grow" => grow(),
        "burn in a child that stays" => {
            children.push(Program::worker());
            children.last_mut().unwrap().tell("burn");
        }
        "burn in a child that ends" => Program::worker().tell("burn"),
        "end the children" => children.clear(),
        order => panic!("unknown order {order:?}"),
    }
}

fn burn() {
    let until = own_cpu() + BURN;
    while own_cpu() < until {
        for number in 0..10_000 {
            black_box(number);
        }
    }
}

fn own_cpu() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_SELF).unwrap();
    let micros = |time: nix::sys::time::TimeVal| time.tv_sec() * 1_000_000 + time.tv_usec();
    let total = micros(usage.user_time()) + micros(usage.system_time());
    Duration::from_micros(total.unsigned_abs())
}

fn grow() {
    let mut memory = vec![0_u8; GROWTH];
    memory.iter_mut().step_by(4_096).for_each(|byte| *byte = 1);
    black_box(&memory);
}
