use super::programs::shell;
use super::*;

fn refusal(target: &Target) -> String {
    target.start().unwrap_err().to_string()
}

#[test]
fn all_misplaced_options_are_named_and_nothing_is_started() {
    let target = Target::url("http://127.0.0.1:1")
        .arg("x")
        .env("X", "1")
        .port(80)
        .working_dir("/")
        .port_env("PORT")
        .port_arg("--port")
        .port_in_output("port ")
        .ready(Ready::log("up"));
    assert_eq!(
        refusal(&target),
        "a target of the kind url has no option `arg`, `env`, `port`, `working_dir`, `port_env`, \
         `port_arg`, `port_in_output`, `ready(Ready::log(..))`: remove it or use another kind"
    );
}

#[test]
fn an_in_process_server_has_no_environment() {
    let target = Target::in_process(|_| std::future::pending::<()>()).env("X", "1");
    assert!(refusal(&target).contains("kind in-process has no option `env`"));
}

#[cfg(feature = "containers")]
#[test]
fn a_program_has_no_options_of_containers() {
    let target = shell("exit 0")
        .cpus(1.0)
        .memory(1)
        .cpu_set("0")
        .file("/a", "/b")
        .command(["x"]);
    let message = refusal(&target.host_network().build_arg("A", "1"));
    assert!(
        message.contains(
            "`cpus`, `memory`, `cpu_set`, `file`, `command`, `host_network`, `build_arg`"
        ),
        "{message}"
    );
}

#[test]
fn a_readiness_check_that_makes_no_sense_is_refused_before_the_start() {
    let target = shell("exit 0")
        .port_env("PORT")
        .ready(Ready::http("health"));
    assert!(refusal(&target).starts_with("Ready::http(\"health\") cannot be used"));
}

#[test]
fn a_target_can_be_shared_by_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Target>();
}

#[cfg(feature = "service")]
mod service {
    use std::convert::Infallible;
    use std::future::{Ready as Done, ready};
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::{Context, Poll};

    use http::{Request, Response};

    use super::*;

    #[derive(Clone)]
    struct Counting(Arc<AtomicUsize>);

    impl<B> tower_service::Service<Request<B>> for Counting {
        type Response = Response<String>;
        type Error = Infallible;
        type Future = Done<Result<Response<String>, Infallible>>;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
            Poll::Ready(Ok(()))
        }

        fn call(&mut self, request: Request<B>) -> Self::Future {
            let count = self.0.fetch_add(1, Ordering::SeqCst);
            ready(Ok(Response::new(format!(
                "{} {count}",
                request.uri().path()
            ))))
        }
    }

    #[test]
    fn a_tower_service_is_served_with_connections_kept_alive() {
        let target = Target::service(|| Counting(Arc::default()));
        let running = target.start().unwrap();
        let mut stream = TcpStream::connect(running.endpoint().address().unwrap()).unwrap();
        for path in ["/a 0", "/b 1"] {
            let (path, _) = path.split_once(' ').unwrap();
            write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
            let mut reply = [0; 1_024];
            let read = stream.read(&mut reply).unwrap();
            let reply = String::from_utf8_lossy(&reply[..read]).into_owned();
            assert!(reply.starts_with("HTTP/1.1 200 OK\r\n"), "{reply}");
        }
        write!(
            stream,
            "GET /c HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        )
        .unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        assert!(reply.ends_with("/c 2"), "{reply}");
    }

    #[test]
    fn every_start_gets_a_service_of_its_own() {
        let made = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&made);
        let target = Target::service(move || {
            count.fetch_add(1, Ordering::SeqCst);
            Counting(Arc::default())
        });
        for start in 1..=2 {
            drop(target.start().unwrap());
            assert_eq!(made.load(Ordering::SeqCst), start);
        }
    }
}
