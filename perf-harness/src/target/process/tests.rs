use std::fs;
use std::net::{TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};

use nix::sys::signal::{Signal, kill};

use super::*;
use crate::target::programs::{processes, server, shell};
use crate::target::{Ready, Target};

const SHORT: Duration = Duration::from_secs(1);

fn failure(target: &Target) -> String {
    target.start().unwrap_err().to_string()
}

/// A shell that says a port, so that it counts as started, and then does as the script says.
fn started(script: &str) -> Running {
    shell(script)
        .port_in_output("port ")
        .ready(Ready::log("port "))
        .start()
        .unwrap()
}

#[test]
fn a_handed_over_port_is_where_the_server_is_reached() {
    let running = server().port_env("PORT").start().unwrap();
    TcpStream::connect(running.endpoint().address().unwrap()).unwrap();
    assert_eq!(running.identity().kind, "process");
    assert_eq!(running.identity().network, "loopback");
    running.check_alive().unwrap();
}

#[test]
fn the_port_is_found_in_the_output() {
    let running = server()
        .env("PORT", "0")
        .port_in_output("listening on 127.0.0.1:")
        .ready(Ready::http("/"))
        .start()
        .unwrap();
    TcpStream::connect(running.endpoint().address().unwrap()).unwrap();
    let line = format!("listening on {}", running.endpoint().address().unwrap());
    assert!(
        running.log_tail().contains(&line),
        "{:?}",
        running.log_tail()
    );
}

#[test]
fn the_port_is_handed_over_in_every_way_asked_for() {
    let running = shell("echo \"env $PORT $HTTP_PORT args $*\"; exec sleep 600")
        .args(["sh", "first"])
        .port_arg("--port")
        .port_arg("--listen=")
        .arg("last")
        .port_env("PORT")
        .port_env("HTTP_PORT")
        .ready(Ready::log("env"))
        .start()
        .unwrap();
    let port = running.endpoint().address().unwrap().port();
    let line = format!("env {port} {port} args first --port {port} --listen={port} last");
    assert_eq!(running.log_tail(), [line]);
}

#[test]
fn a_fixed_port_is_handed_over_too() {
    let port = free_port().unwrap();
    let running = server().port(port).port_env("PORT").start().unwrap();
    assert_eq!(running.endpoint().address(), Some(loopback(port)));
}

#[test]
fn environment_and_folder_reach_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let running = shell("echo \"$COLOUR in $PWD\"; echo port 4000; exec sleep 600")
        .env("COLOUR", "blue")
        .working_dir(folder.path())
        .port_in_output("port ")
        .ready(Ready::log("port"))
        .start()
        .unwrap();
    let folder = folder.path().canonicalize().unwrap();
    assert_eq!(
        running.log_tail()[0],
        format!("blue in {}", folder.display())
    );
}

#[test]
fn a_program_that_exits_at_once_is_an_error_with_its_last_lines() {
    let message = failure(&shell("echo one; echo two >&2; exit 7").port_env("PORT"));
    assert!(
        message.starts_with(
            "`sh` exited with status 7 before it was ready: check what it is started with"
        ),
        "{message}"
    );
    assert!(message.contains("\n  | one"), "{message}");
    assert!(message.contains("\n  | two"), "{message}");
}

#[test]
fn a_program_that_is_killed_names_the_signal() {
    let message = failure(&shell("kill -KILL $$").port_env("PORT"));
    assert_eq!(
        message,
        "`sh` was killed by SIGKILL before it was ready: check what it is started with \
         (arguments, environment, files); it wrote nothing"
    );
}

#[test]
fn an_end_while_waiting_for_the_port_is_an_error_at_once() {
    let message = failure(&shell("exit 3").port_in_output("port "));
    assert!(message.contains("exited with status 3 before"), "{message}");
}

#[test]
fn a_port_that_never_opens_is_an_error_with_what_was_seen() {
    let port = free_port().unwrap();
    let target = shell(&format!("echo port {port}; exec sleep 600")).port_in_output("port ");
    let message = failure(&target.startup_timeout(SHORT));
    let beginning = format!(
        "`sh` was not ready after 1s: a connection at 127.0.0.1:{port}: connection refused; \
         check where it listens, or raise startup_timeout; it wrote:\n  | port {port}"
    );
    assert_eq!(message, beginning);
}

#[test]
fn a_wrong_status_is_what_was_seen_last() {
    let target = server()
        .port_env("PORT")
        .ready(Ready::http("/broken"))
        .startup_timeout(SHORT * 2);
    let message = failure(&target);
    assert!(message.contains("GET /broken at 127.0.0.1:"), "{message}");
    assert!(message.contains(": status 503;"), "{message}");
}

#[test]
fn a_port_that_is_never_written_is_an_error() {
    let target = shell("echo ready; exec sleep 600")
        .port_in_output("port ")
        .startup_timeout(SHORT);
    let message = failure(&target);
    assert!(
        message.starts_with("`sh` wrote no line with \"port \" and a port after it within 1s"),
        "{message}"
    );
    assert!(message.ends_with("\n  | ready"), "{message}");
}

#[test]
fn a_program_that_is_not_there_is_named_with_the_next_step() {
    let message = failure(&Target::process("/no/such/shop").port_env("PORT"));
    assert!(
        message.contains("`/no/such/shop` is not found: write env!(\"CARGO_BIN_EXE_name\")"),
        "{message}"
    );
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let message = failure(&shell("exit 0").working_dir("/no/such").port_env("PORT"));
    assert_eq!(
        message,
        "the working folder `/no/such` of `sh` is not found: create it, or correct working_dir"
    );
}

#[test]
fn a_program_without_a_port_is_refused() {
    let message = failure(&shell("exit 0"));
    assert!(
        message.starts_with("the port of `sh` is not agreed on: "),
        "{message}"
    );
}

#[test]
fn a_fixed_port_in_use_is_refused_before_the_start() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let message = failure(&shell("exit 0").port(port));
    assert!(
        message.starts_with(&format!("port {port} of `sh` is in use by another program")),
        "{message}"
    );
}

/// How often the program was started; it writes a line into a file each time.
fn starts_of(script: &str) -> (Result<Running, TargetError>, usize) {
    let folder = tempfile::tempdir().unwrap();
    let started = shell(&format!("echo x >> starts; {script}"))
        .working_dir(folder.path())
        .port_env("PORT")
        .ready(Ready::log("up"))
        .start();
    let starts = fs::read_to_string(folder.path().join("starts"))
        .unwrap()
        .lines()
        .count();
    (started, starts)
}

#[test]
fn a_port_that_was_lost_to_somebody_else_is_replaced() {
    let lost_once = "test $(wc -l < starts) = 2 && echo up && exec sleep 600; \
                     echo 'Address already in use'; exit 1";
    let (started, starts) = starts_of(lost_once);
    started.unwrap();
    assert_eq!(starts, 2);
}

#[test]
fn a_port_that_is_always_lost_is_an_error_in_the_end() {
    let (started, starts) = starts_of("echo 'Address already in use'; exit 1");
    assert!(
        started
            .unwrap_err()
            .to_string()
            .contains("| Address already in use")
    );
    assert_eq!(starts, 3);
}

#[test]
fn another_failure_is_not_tried_again() {
    let (started, starts) = starts_of("exit 1");
    started.unwrap_err();
    assert_eq!(starts, 1);
}

#[test]
fn the_input_of_a_program_stays_open() {
    let target = shell("cat; echo ended")
        .port_env("PORT")
        .ready(Ready::log("ended"));
    let message = failure(&target.startup_timeout(SHORT));
    assert!(
        message.starts_with("`sh` was not ready after 1s: a line with \"ended\""),
        "{message}"
    );
}

#[test]
fn an_end_during_the_round_is_told_with_the_last_lines() {
    let running = started("echo port 4000; echo last words >&2; exec sleep 600");
    let pid = Pid::from_raw(processes(&running)[0].pid);
    running.check_alive().unwrap();
    kill(pid, Signal::SIGTERM).unwrap();
    waitid(Id::Pid(pid), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT).unwrap();
    let message = running.check_alive().unwrap_err().to_string();
    assert!(
        message.starts_with("`sh` was killed by SIGTERM during the round, so nothing was measured"),
        "{message}"
    );
    assert!(message.contains("\n  | last words"), "{message}");
}

/// Starts a shell with descendants, has it dropped by `drop_it`, and checks that all are gone.
fn all_are_gone_after(script: &str, drop_it: impl FnOnce(Running)) {
    let running = started(script);
    let processes = processes(&running);
    assert_eq!(processes.len(), 3, "{processes:?}");
    assert!(processes.iter().all(|process| process.runs()));
    drop_it(running);
    assert!(
        !processes.iter().any(|process| process.runs()),
        "{processes:?}"
    );
}

/// A command in a group of its own, and with it running when the port is written.
const LEFT_THE_GROUP: &str = "setsid sh -c 'sleep 600 & echo port 4000; exec sleep 600' & wait";

#[test]
fn descendants_are_gone_after_the_drop() {
    all_are_gone_after("sleep 600 & sleep 600 & echo port 4000; wait", drop);
}

#[test]
fn descendants_that_left_the_group_are_gone_after_the_drop() {
    all_are_gone_after(LEFT_THE_GROUP, drop);
}

#[test]
fn a_panic_leaves_no_process() {
    all_are_gone_after(LEFT_THE_GROUP, |running| {
        let panicked = catch_unwind(AssertUnwindSafe(move || {
            running.check_alive().unwrap();
            panic!("on purpose, with {running:?}");
        }));
        panicked.unwrap_err();
    });
}

#[test]
fn a_daemon_that_cut_all_links_is_gone_after_the_drop() {
    let running = started("(setsid sh -c 'echo port 4000; exec sleep 600' &); exec sleep 600");
    let leader = processes(&running)[0];
    let all = crate::target::proc_stat::ProcStat::all();
    let daemon = processes(&running).into_iter().find(|process| {
        let stat = all.iter().find(|stat| stat.id == *process);
        stat.is_some_and(|stat| stat.parent != leader.pid && stat.group != leader.pid)
    });
    let daemon = daemon.expect("the daemon is found by its mark");
    drop(running);
    assert!(!daemon.runs());
    assert!(!leader.runs());
}

#[test]
fn a_program_is_noted_before_it_runs() {
    let notes = crate::host::state_dir().unwrap().join("targets");
    let running =
        shell("cat \"$NOTES/$PERF_HARNESS_TARGET.json\"; echo; echo port 4000; exec sleep 600")
            .env("NOTES", notes.display().to_string())
            .port_in_output("port ")
            .ready(Ready::log("port "))
            .start()
            .unwrap();
    let log = running.log_tail();
    assert!(log[0].contains("\"owner\":{\"pid\":"), "{log:?}");
}
