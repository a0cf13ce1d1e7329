//! The life of a real container. Where Docker or the base image is missing these tests pass with a
//! line that says so; `PERF_REQUIRE_DOCKER=1` makes them fail instead.

use std::env;
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nix::sys::signal::Signal;
use testcontainers::bollard::models::{ContainerInspectResponse, HostConfig};

use super::super::engine;
use super::super::error::ContainerError;
use super::super::ownership::{Owner, owned};
use super::child::{self, Holder};
use crate::target::{Ready, Target, TargetError};

const BASE: &str = "debian:bookworm-slim";

/// A server that burns some CPU time for each request.
const SERVER: &str = r#"
use IO::Socket::INET;
$| = 1;
my $port = $ENV{PORT} || 80;
my $listener = IO::Socket::INET->new(
    LocalAddr => $ENV{ADDRESS} || '0.0.0.0', LocalPort => $port, Listen => 16, ReuseAddr => 1,
) or die "cannot listen: $!";
print "listening on $port\n";
while (my $client = $listener->accept) {
    while (my $line = <$client>) { last if $line =~ /^\r?$/ }
    my $sum = 0;
    $sum += $_ for 1 .. 500_000;
    print $client "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nok\n";
    close $client;
}
"#;

/// A folder with a Dockerfile, and the turn of this test: each counts the containers that are left.
struct Fixture {
    parent: tempfile::TempDir,
    _turn: MutexGuard<'static, ()>,
}

impl Fixture {
    /// `None`, with a line that says so, where containers cannot be had.
    fn new() -> Option<Self> {
        static TURN: Mutex<()> = Mutex::new(());
        if let Err(error) = base_image() {
            assert!(
                env::var_os("PERF_REQUIRE_DOCKER").is_none_or(|value| value != "1"),
                "{error}"
            );
            let line = format!("SKIPPED, no container was started: {error}\n");
            std::io::stderr().write_all(line.as_bytes()).unwrap();
            return None;
        }
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let fixture = Self {
            parent: tempfile::tempdir().unwrap(),
            _turn: turn,
        };
        fixture.write(&format!(
            "FROM {BASE}\nCOPY server.pl /\nEXPOSE 80\nCMD [\"perl\", \"/server.pl\"]\n"
        ));
        Some(fixture)
    }

    fn folder(&self) -> std::path::PathBuf {
        self.parent.path().join("test-server")
    }

    fn write(&self, dockerfile: &str) {
        fs::create_dir_all(self.folder()).unwrap();
        fs::write(self.folder().join("server.pl"), SERVER).unwrap();
        fs::write(self.folder().join("Dockerfile"), dockerfile).unwrap();
    }

    fn target(&self) -> Target {
        Target::dockerfile(self.folder())
    }
}

fn base_image() -> Result<(), ContainerError> {
    engine::run(async {
        let docker = engine::connect().await?;
        match docker.inspect_image(BASE).await {
            Ok(_) => Ok(()),
            Err(_) => Err(ContainerError::ImageMissing {
                image: BASE.to_owned(),
            }),
        }
    })
}

/// The containers that the process `pid` started and that are still there.
fn containers_of(pid: i32) -> Vec<ContainerInspectResponse> {
    engine::run(async move {
        let docker = engine::connect().await?;
        let mut found = Vec::new();
        for container in owned(&docker, pid).await? {
            found.extend(docker.inspect_container(&container.id.unwrap(), None).await);
        }
        Ok(found)
    })
    .unwrap()
}

fn own_containers() -> Vec<ContainerInspectResponse> {
    containers_of(i32::try_from(std::process::id()).unwrap())
}

fn host_config() -> HostConfig {
    let [container] = own_containers().try_into().unwrap();
    container.host_config.unwrap()
}

fn get(address: SocketAddr) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream
        .write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        .unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    reply
}

fn message(target: &Target) -> String {
    let error = target.start().map(|_| ()).unwrap_err();
    assert!(own_containers().is_empty());
    error.to_string()
}

#[test]
fn a_server_in_a_container_answers_and_is_removed() {
    let Some(fixture) = Fixture::new() else {
        return;
    };
    let running = fixture.target().ready(Ready::http("/")).start().unwrap();
    assert_eq!(running.identity().kind, "container");
    assert_eq!(running.identity().network, "published-port");
    let image = running.identity().image.as_deref().unwrap();
    assert!(image.starts_with("perf-harness/test-server:"), "{image}");
    let address = running.endpoint().address().unwrap();
    assert!(address.ip().is_loopback());

    let window = running.open_window();
    assert!(get(address).ends_with("ok\n"));
    let usage = window.close().unwrap();
    assert!(usage.cpu.unwrap() > Duration::from_millis(1), "{usage:?}");
    assert!(usage.peak_memory.unwrap() > 1 << 20, "{usage:?}");

    assert_eq!(running.log_tail(), ["listening on 80"]);
    running.check_alive().unwrap();
    drop(running);
    assert!(own_containers().is_empty());
}

#[test]
fn the_engine_knows_the_limits_the_environment_and_the_files() {
    let Some(fixture) = Fixture::new() else {
        return;
    };
    let file = fixture.folder().join("server.pl");
    let target = fixture
        .target()
        .cpus(0.5)
        .memory(128 << 20)
        .cpu_set("0")
        .env("PORT", "8080")
        .port(8080)
        .file(&file, "/copied.pl")
        .command(["perl"])
        .arg("/copied.pl");
    let running = target.start().unwrap();
    let host = host_config();
    assert_eq!(host.nano_cpus, Some(500_000_000));
    assert_eq!(host.memory, Some(128 << 20));
    assert_eq!(host.cpuset_cpus.as_deref(), Some("0"));
    assert_eq!(running.log_tail(), ["listening on 8080"]);
    assert!(get(running.endpoint().address().unwrap()).ends_with("ok\n"));
}

#[test]
fn on_the_host_network_the_server_is_reached_without_a_proxy() {
    let Some(fixture) = Fixture::new() else {
        return;
    };
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let target = fixture
        .target()
        .host_network()
        .port(port)
        .env("PORT", port.to_string())
        .env("ADDRESS", "127.0.0.1");
    let running = target.start().unwrap();
    assert_eq!(running.identity().network, "host-network");
    assert_eq!(running.endpoint().address().unwrap().port(), port);
    assert!(get(running.endpoint().address().unwrap()).ends_with("ok\n"));
    assert_eq!(host_config().network_mode.as_deref(), Some("host"));

    let again = target.start().map(|_| ()).unwrap_err().to_string();
    assert!(
        again.contains(&format!("port {port} of this machine")),
        "{again}"
    );
}

#[test]
fn on_the_host_network_the_port_must_be_given() {
    let Some(fixture) = Fixture::new() else {
        return;
    };
    let said = message(&fixture.target().host_network());
    assert!(said.contains(".port(8080)"), "{said}");
}

#[test]
fn a_server_that_ends_early_shows_its_status_and_last_words() {
    let Some(fixture) = Fixture::new() else {
        return;
    };
    let command = [
        "sh",
        "-c",
        "echo to the output; echo ::error::to the errors >&2; exit 3",
    ];
    for ready in [Ready::tcp(), Ready::http("/"), Ready::log("never")] {
        let said = message(&fixture.target().command(command).ready(ready));
        assert!(
            said.contains("exited with status 3 before it was ready"),
            "{said}"
        );
        assert!(said.contains("\n  | to the output"), "{said}");
        assert!(said.contains("\n  | ::error::to the errors"), "{said}");
    }
}

#[test]
fn a_server_that_never_listens_is_not_ready_though_the_proxy_takes_connections() {
    let Some(fixture) = Fixture::new() else {
        return;
    };
    let target = fixture
        .target()
        .startup_timeout(Duration::from_millis(1_500));
    let said = message(&target.command(["sh", "-c", "echo waiting; exec sleep 600"]));
    assert!(said.contains("was not ready after 1.5s"), "{said}");
    assert!(said.contains("\n  | waiting"), "{said}");
}

#[test]
fn a_server_that_listens_only_within_its_container_is_not_ready() {
    let Some(fixture) = Fixture::new() else {
        return;
    };
    let target = fixture
        .target()
        .startup_timeout(Duration::from_millis(1_500));
    let said = message(&target.env("ADDRESS", "127.0.0.1"));
    assert!(said.contains("was not ready"), "{said}");
    assert!(said.contains("\n  | listening on 80"), "{said}");
}

#[test]
fn a_line_of_the_log_is_waited_for() {
    let Some(fixture) = Fixture::new() else {
        return;
    };
    let running = fixture
        .target()
        .ready(Ready::log("listening on"))
        .start()
        .unwrap();
    assert!(get(running.endpoint().address().unwrap()).ends_with("ok\n"));
}

#[test]
fn a_server_that_ends_amid_a_round_is_noticed() {
    let Some(fixture) = Fixture::new() else {
        return;
    };
    let script = "perl /server.pl & wait -n; sleep 0; perl -e 1";
    let running = fixture
        .target()
        .command(["bash", "-c", script])
        .start()
        .unwrap();
    let container = own_containers().remove(0);
    engine::run(async move {
        let docker = engine::connect().await?;
        let killed = docker.kill_container(&container.id.unwrap(), None).await;
        killed.map_err(|error| ContainerError::refused("kill", "it", &error))
    })
    .unwrap();
    let error = loop {
        if let Err(error) = running.check_alive() {
            break error;
        }
        std::thread::yield_now();
    };
    assert!(matches!(error, TargetError::Ended { .. }), "{error}");
    assert!(
        error.to_string().contains("exited with status 137"),
        "{error}"
    );
    assert!(error.to_string().contains("| listening on 80"), "{error}");
}

#[test]
fn a_step_that_fails_is_shown_with_the_end_of_the_log() {
    let Some(fixture) = Fixture::new() else {
        return;
    };
    // In one stream: the builder does not keep the order between two.
    for stream in [1, 2] {
        let script = format!("for i in $(seq 100); do echo line $i; done >&{stream}; exit 7");
        fixture.write(&format!("FROM {BASE}\nRUN true\nRUN {script}\n"));
        let said = message(&fixture.target());
        assert!(
            said.contains("test-server does not build: executor failed"),
            "{said}"
        );
        assert!(
            said.contains("exit code: 7; mend it, ")
                && said.contains("runs the same\n  in step [3/3] RUN for i"),
            "{said}"
        );
        assert!(said.ends_with("\n  | line 99\n  | line 100"), "{said}");
        assert_eq!(said.matches("\n  | ").count(), 20, "{said}");
    }
}

#[test]
fn a_dockerfile_that_makes_no_sense_is_refused_with_its_line() {
    let Some(fixture) = Fixture::new() else {
        return;
    };
    fixture.write(&format!("FROM {BASE}\nRUNN true\n"));
    let said = message(&fixture.target());
    assert!(said.contains("test-server does not build"), "{said}");
    assert!(said.contains("unknown instruction: RUNN"), "{said}");
}

#[test]
fn a_panic_leaves_no_container() {
    let Some(fixture) = Fixture::new() else {
        return;
    };
    let target = fixture.target();
    let failing = std::thread::spawn(move || {
        let _running = target.start().unwrap();
        assert_eq!(own_containers().len(), 1);
        std::panic::resume_unwind(Box::new("the test fails"));
    });
    assert!(failing.join().is_err());
    assert!(own_containers().is_empty());
}

#[test]
fn a_start_within_a_runtime_works_and_is_cleaned_up_there() {
    let Some(fixture) = Fixture::new() else {
        return;
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async { drop(fixture.target().start().unwrap()) });
    assert!(own_containers().is_empty());
}

/// Has a process of its own start a container, ends that process and says how it ended.
fn end_holder(folder: &Path, signal: Signal) -> (i32, ExitStatus) {
    let mut command = child::command(module_path!(), "an_interrupted_process_leaves_no_container");
    let holder = Holder::start(command.env("FOLDER", folder));
    let pid = holder.pid();
    assert_eq!(containers_of(pid).len(), 1);
    (pid, holder.end(signal))
}

#[test]
fn an_interrupted_process_leaves_no_container() {
    if child::is_child() {
        return child::hold(Target::dockerfile(env::var_os("FOLDER").unwrap()).start());
    }
    let Some(fixture) = Fixture::new() else {
        return;
    };
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let (pid, status) = end_holder(&fixture.folder(), signal);
        assert_eq!(status.signal(), Some(signal as i32));
        assert!(containers_of(pid).is_empty());
    }
}

#[test]
fn what_a_killed_process_leaves_the_next_one_removes() {
    let Some(fixture) = Fixture::new() else {
        return;
    };
    let (pid, _) = end_holder(&fixture.folder(), Signal::SIGKILL);
    assert_eq!(containers_of(pid).len(), 1);
    end_holder(&fixture.folder(), Signal::SIGINT);
    assert!(containers_of(pid).is_empty());
    assert!(Owner::of(pid).is_none());
}
