use std::hint::black_box;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::sync::PoisonError;
use std::time::Instant;

use nix::time::{ClockId, clock_gettime};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::*;
use crate::target::Target;

const BURN: Duration = Duration::from_millis(50);

/// Answers every request, one a connection, after doing `work`.
async fn serve(listener: TcpListener, work: fn()) -> io::Result<()> {
    loop {
        let (mut stream, _) = listener.accept().await?;
        if stream.read(&mut [0; 1_024]).await? > 0 {
            work();
            stream
                .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                .await?;
        }
    }
}

fn server(work: fn()) -> Running {
    Target::in_process(move |listener| serve(listener, work))
        .start()
        .unwrap()
}

fn get(running: &Running) -> String {
    let mut stream = TcpStream::connect(running.endpoint().address().unwrap()).unwrap();
    stream
        .write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        .unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    reply
}

fn burn() {
    let clock = ClockId::CLOCK_THREAD_CPUTIME_ID;
    let now = || Duration::from(clock_gettime(clock).unwrap());
    let start = now();
    while now() - start < BURN {
        for number in 0..1_000 {
            black_box(number);
        }
    }
}

fn failure<S, T>(serve: impl Fn(TcpListener) -> S + Send + Sync + 'static) -> String
where
    S: Future<Output = T> + Send + 'static,
    T: fmt::Debug,
{
    let target = Target::in_process(serve);
    target.start().unwrap_err().to_string()
}

#[test]
fn it_answers_until_it_is_dropped() {
    let running = server(|| {});
    assert!(get(&running).starts_with("HTTP/1.1 200"));
    running.check_alive().unwrap();
    let address = running.endpoint().address().unwrap();
    drop(running);
    assert_eq!(
        TcpStream::connect(address).unwrap_err().kind(),
        io::ErrorKind::ConnectionRefused
    );
}

#[test]
fn each_start_is_a_fresh_server() {
    let target = Target::in_process(|listener| serve(listener, || {}));
    let (first, second) = (target.start().unwrap(), target.start().unwrap());
    assert_ne!(first.endpoint(), second.endpoint());
    drop(first);
    assert!(get(&second).starts_with("HTTP/1.1 200"));
}

#[test]
fn the_cpu_time_of_its_thread_is_counted_and_that_of_others_is_not() {
    let running = server(burn);
    let window = running.open_window();
    get(&running);
    burn();
    let usage = window.close().unwrap();
    let cpu = usage.cpu.unwrap();
    assert!(cpu >= BURN && cpu < BURN * 2, "{cpu:?}");
    assert_eq!(usage.peak_memory, None);
}

#[test]
fn the_cpu_time_of_its_blocking_threads_is_counted() {
    let target = Target::in_process(|listener| async move {
        loop {
            let (mut stream, _) = listener.accept().await?;
            if stream.read(&mut [0; 1_024]).await? > 0 {
                tokio::task::spawn_blocking(burn).await?;
            }
            // The type of what is never returned.
            if false {
                return io::Result::Ok(());
            }
        }
    });
    let running = target.start().unwrap();
    let window = running.open_window();
    assert_eq!(get(&running), "");
    let cpu = window.close().unwrap().cpu.unwrap();
    assert!(cpu >= BURN && cpu < BURN * 2, "{cpu:?}");
}

#[test]
fn an_early_end_is_an_error_with_what_it_returned() {
    let message = failure(|_| async { Err::<(), _>("no database") });
    assert_eq!(
        message,
        "the in-process server ended by itself with `Err(\"no database\")` before it was ready: await its serving to the end, it must serve until it is dropped; it wrote nothing"
    );
}

#[test]
fn a_panic_is_an_error_with_its_message() {
    let message = failure(|_| async { panic!("no {}", "database") });
    assert!(
        message.starts_with("the in-process server panicked: no database before"),
        "{message}"
    );
}

#[test]
fn a_panic_before_anything_is_awaited_is_an_error_too() {
    let message = failure(|listener| {
        assert!(listener.local_addr().is_err(), "always has one");
        std::future::ready(())
    });
    assert!(
        message.starts_with("the in-process server panicked: always has one before"),
        "{message}"
    );
}

#[test]
fn it_can_be_started_within_another_runtime() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async {
        let running = server(|| {});
        assert!(get(&running).starts_with("HTTP/1.1 200"));
    });
}

const ROLE: &str = "PERF_HARNESS_TEST_BLOCKED";

/// Does the part of the test `name` in a process of its own: beside a server that blocks
/// its thread no other test could start one.
fn in_own_process(name: &str, part: impl FnOnce()) {
    if std::env::var_os(ROLE).is_some() {
        part();
        eprintln!("the part is done");
        return;
    }
    let (_, module) = module_path!().split_once("::").unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("{module}::{name}"), "--nocapture"])
        .env(ROLE, "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("the part is done"), "{text}");
}

/// A server that blocks its thread, from its first step on or once it has taken a connection.
struct Blocking {
    target: Target,
    /// Told when the thread is about to be blocked.
    blocks: Receiver<()>,
    /// Dropped to end it.
    release: Sender<()>,
}

fn blocking(after_a_connection: bool) -> Blocking {
    let (release, released) = mpsc::channel::<()>();
    let (tell, blocks) = mpsc::channel();
    let released = Arc::new(Mutex::new(released));
    let target = Target::in_process(move |listener| {
        let (released, tell) = (Arc::clone(&released), tell.clone());
        async move {
            if after_a_connection {
                drop(listener.accept().await);
            }
            tell.send(()).unwrap();
            let released = released.lock().unwrap_or_else(PoisonError::into_inner);
            released.recv()
        }
    });
    Blocking {
        target,
        blocks,
        release,
    }
}

#[test]
fn a_server_that_blocks_its_thread_is_an_error_and_no_endless_wait() {
    let name = "a_server_that_blocks_its_thread_is_an_error_and_no_endless_wait";
    in_own_process(name, || {
        let server = blocking(false);
        let timeout = Duration::from_millis(200);
        let error = server.target.startup_timeout(timeout).start().unwrap_err();
        let message = error.to_string();
        assert!(
            message.starts_with(
                "the in-process server blocks its thread, it did not give way within 200ms: "
            ),
            "{message}"
        );
    });
}

#[test]
fn no_server_is_started_beside_one_that_blocks_its_thread() {
    let name = "no_server_is_started_beside_one_that_blocks_its_thread";
    in_own_process(name, || {
        let server = blocking(true);
        let running = server.target.start().unwrap();
        server.blocks.recv().unwrap();
        drop(running);
        let message = failure(|listener| serve(listener, || {}));
        let beginning = "the in-process server of `";
        assert!(message.starts_with(beginning), "{message}");
        assert!(
            message.contains("in_process::tests::blocking` was told to stop"),
            "{message}"
        );
        drop(server.release);
        let deadline = Instant::now() + Duration::from_secs(60);
        let target = Target::in_process(|listener| serve(listener, || {}));
        while let Err(error) = target.start() {
            assert!(Instant::now() < deadline, "{error}");
            thread::yield_now();
        }
    });
}
