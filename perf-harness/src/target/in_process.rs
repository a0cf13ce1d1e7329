//! A server within the test process, on a thread and a runtime of its own.
//!
//! The runtime is a single-threaded one: a server that needs more cores than one is a program of
//! its own, and is measured as one.

use std::any::{Any, type_name};
use std::fmt;
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::Poll;
use std::thread;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::task::{JoinError, JoinHandle};

use super::ports::loopback;
use super::ready::Startup;
use super::usage::{Threads, UsageSource};
use super::{Guard, Identity, Options, Running, TargetError};
use crate::endpoint::Endpoint;

const NAME: &str = "the in-process server";
/// Connections that may wait to be accepted: a load opens all of its own at once.
const BACKLOG: u32 = 4_096;
/// How long a server that blocks its thread is waited for before the thread is left to itself.
const STOP_WAIT: Duration = Duration::from_secs(2);

/// The description of a server within this process.
pub(super) struct InProcess {
    serve: Arc<Serve>,
    /// The code that serves, as the compiler names it.
    code: &'static str,
}

type Serve = dyn Fn(TcpListener) -> Serving + Send + Sync;
/// Serves until it is dropped; what it returns, in words, is an early end.
type Serving = Pin<Box<dyn Future<Output = String> + Send>>;

impl InProcess {
    pub(super) fn new<F, S, T>(serve: F) -> Self
    where
        F: Fn(TcpListener) -> S + Send + Sync + 'static,
        S: Future<Output = T> + Send + 'static,
        T: fmt::Debug,
    {
        let serve = Arc::new(serve);
        Self {
            serve: Arc::new(move |listener| {
                let serve = Arc::clone(&serve);
                Box::pin(async move { format!("{:?}", serve(listener).await) })
            }),
            code: type_name::<F>(),
        }
    }

    pub(super) fn start(&self, options: &Options) -> Result<Running, TargetError> {
        refuse_beside_given_up()?;
        let threads = Arc::new(Threads::default());
        let timeout = options.startup_timeout;
        let (server, address) = ServerThread::start(self, Arc::clone(&threads), timeout)?;
        let endpoint = Endpoint::new(address);
        let startup = Startup::new(NAME, timeout, &server);
        options.ready.wait(&endpoint, &startup)?;
        Ok(Running {
            name: NAME.to_owned(),
            endpoint,
            usage: UsageSource::Threads(threads),
            identity: Identity {
                kind: "in-process",
                network: "loopback",
                image: None,
            },
            guard: Box::new(server),
        })
    }
}

impl fmt::Debug for InProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InProcess").finish_non_exhaustive()
    }
}

/// The thread of a started server; dropping it stops the server.
struct ServerThread {
    stop: Option<oneshot::Sender<()>>,
    /// Taken when its end is waited for.
    life: Option<Life>,
    /// How the server ended by itself.
    death: Arc<OnceLock<String>>,
}

/// A thread from its start to its end.
struct Life {
    code: &'static str,
    /// Nothing is ever sent: it is closed when the thread has ended.
    ended: Receiver<()>,
    thread: thread::JoinHandle<()>,
}

/// Threads that did not end when they were told to.
static GIVEN_UP: Mutex<Vec<Life>> = Mutex::new(Vec::new());

fn given_up() -> MutexGuard<'static, Vec<Life>> {
    GIVEN_UP.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Fails while a server that was given up still blocks its thread.
fn refuse_beside_given_up() -> Result<(), TargetError> {
    let mut given_up = given_up();
    given_up.retain(Life::goes_on);
    match given_up.first() {
        None => Ok(()),
        Some(life) => Err(TargetError::StillBlocking {
            code: format!("`{}`", life.code.trim_end_matches("::{{closure}}")),
        }),
    }
}

impl Life {
    fn goes_on(&self) -> bool {
        self.ended.try_recv() == Err(TryRecvError::Empty)
    }

    /// Waits for the end; one that does not come is remembered.
    fn end(self) {
        if self.ended.recv_timeout(STOP_WAIT) == Err(RecvTimeoutError::Timeout) {
            given_up().push(self);
            return;
        }
        // A panic of the server itself is caught within; there is nothing left to tell.
        let _ = self.thread.join();
    }
}

/// What a server's thread tells of itself.
struct Reports {
    /// Where it listens, or why it cannot.
    address: Sender<io::Result<SocketAddr>>,
    /// How the server ended by itself.
    death: Arc<OnceLock<String>>,
    /// Dropped at the end of the thread.
    _running: Sender<()>,
}

impl Reports {
    fn tell(&self, listening: io::Result<SocketAddr>) {
        // A start that has waited too long listens no more.
        let _ = self.address.send(listening);
    }

    fn note_end(&self, end: Result<String, JoinError>) {
        self.death.get_or_init(|| match end {
            Ok(returned) => format!("ended by itself with `{returned}`"),
            Err(error) => format!("panicked: {}", panic_message(error)),
        });
    }
}

impl ServerThread {
    fn start(
        description: &InProcess,
        threads: Arc<Threads>,
        timeout: Duration,
    ) -> Result<(Self, SocketAddr), TargetError> {
        let serve = Arc::clone(&description.serve);
        let in_process = |source| TargetError::InProcess { source };
        let (stop, stopped) = oneshot::channel();
        let (running, ended) = mpsc::channel();
        let (address, told_address) = mpsc::channel();
        let death = Arc::new(OnceLock::new());
        let reports = Reports {
            address,
            death: Arc::clone(&death),
            _running: running,
        };
        let thread = thread::Builder::new()
            .name("perf-server".to_owned())
            .spawn(move || run(&reports, stopped, &*serve, &threads))
            .map_err(in_process)?;
        let server = Self {
            stop: Some(stop),
            life: Some(Life {
                code: description.code,
                ended,
                thread,
            }),
            death,
        };
        match told_address.recv_timeout(timeout) {
            Ok(address) => Ok((server, address.map_err(in_process)?)),
            Err(RecvTimeoutError::Timeout) => Err(TargetError::Blocking { timeout }),
            Err(gone) => Err(in_process(io::Error::other(gone))),
        }
    }
}

/// The life of the thread. The runtime is made here: its owner may be within another one.
fn run(reports: &Reports, stopped: oneshot::Receiver<()>, serve: &Serve, threads: &Arc<Threads>) {
    threads.enter();
    let runtime = match runtime(threads) {
        Ok(runtime) => runtime,
        Err(error) => return reports.tell(Err(error)),
    };
    runtime.block_on(async {
        match listen() {
            Ok((listener, address)) => live(reports, stopped, serve(listener), address).await,
            Err(error) => reports.tell(Err(error)),
        }
    });
    runtime.shutdown_timeout(STOP_WAIT / 2);
    threads.leave();
}

/// Serves until told to stop, or until the server ends by itself.
async fn live(
    reports: &Reports,
    stopped: oneshot::Receiver<()>,
    serving: Serving,
    address: SocketAddr,
) {
    let served = begin(serving).await;
    if served.is_finished() {
        reports.note_end(served.await);
        return reports.tell(Ok(address));
    }
    reports.tell(Ok(address));
    if let Some(end) = end_or_stop(served, stopped).await {
        reports.note_end(end);
    }
}

/// Serves in a task, so that a panic is an answer, and waits until the server has taken its first
/// step: the listener alone would take connections before.
async fn begin(mut serving: Serving) -> JoinHandle<String> {
    let (stepped, first_step) = oneshot::channel::<()>();
    let mut stepped = Some(stepped);
    let served = tokio::spawn(poll_fn(move |context| {
        let step = serving.as_mut().poll(context);
        drop(stepped.take());
        step
    }));
    // Nothing is ever sent: it ends when the sender is dropped, by a panic too.
    let _ = first_step.await;
    served
}

/// How the server ended; `None` when it was told to stop.
async fn end_or_stop(
    mut served: JoinHandle<String>,
    stopped: oneshot::Receiver<()>,
) -> Option<Result<String, JoinError>> {
    let mut stopped = pin!(stopped);
    poll_fn(|context| {
        if stopped.as_mut().poll(context).is_ready() {
            return Poll::Ready(None);
        }
        Pin::new(&mut served).poll(context).map(Some)
    })
    .await
}

/// A runtime whose threads are all counted.
fn runtime(threads: &Arc<Threads>) -> io::Result<Runtime> {
    let (entered, left) = (Arc::clone(threads), Arc::clone(threads));
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .thread_name("perf-server")
        .on_thread_start(move || entered.enter())
        .on_thread_stop(move || left.leave())
        .build()
}

fn listen() -> io::Result<(TcpListener, SocketAddr)> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(loopback(0))?;
    let address = socket.local_addr()?;
    Ok((socket.listen(BACKLOG)?, address))
}

fn panic_message(error: JoinError) -> String {
    match error.try_into_panic() {
        Ok(payload) => payload_text(&*payload).to_owned(),
        Err(error) => error.to_string(),
    }
}

fn payload_text(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("with no message")
}

impl Guard for ServerThread {
    /// What the server prints belongs to the test.
    fn log_tail(&self) -> Vec<String> {
        Vec::new()
    }

    fn death(&self) -> Option<String> {
        self.death.get().cloned()
    }
}

impl Drop for ServerThread {
    fn drop(&mut self) {
        // Dropping the sender tells the thread to stop.
        drop(self.stop.take());
        if let Some(life) = self.life.take() {
            life.end();
        }
    }
}

#[cfg(test)]
mod tests;
