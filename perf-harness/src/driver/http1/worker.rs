//! The closed loop of one connection: take a request, send it, wait for its reply, take the next.

use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;
use std::time::Instant;

use tokio::net::TcpStream;

use super::connection::{Connection, Reply};
use super::deadline::Watch;
use super::failure::Failure;
use super::ledger::Completed;
use super::work::Work;

/// One slot of the load: it has at most one connection, and one request under way.
#[derive(Debug)]
pub(super) struct Worker {
    work: Rc<Work>,
    watch: Rc<Watch>,
    connection: Option<Connection>,
}

impl Worker {
    pub(super) fn new(work: Rc<Work>, watch: Rc<Watch>) -> Self {
        Self {
            work,
            watch,
            connection: None,
        }
    }

    /// Opens a connection unless one is open.
    pub(super) async fn connect(&mut self) -> Result<(), Failure> {
        if self.connection.is_none() {
            self.connection = Some(self.open().await?);
        }
        Ok(())
    }

    /// Sends requests one after the other until all are taken.
    pub(super) async fn run(&mut self) {
        while self.work.take_request() {
            let outcome = self.perform().await;
            self.work.record(outcome);
        }
    }

    async fn perform(&mut self) -> Result<Completed, Failure> {
        let connection = self.quiet_connection().await?;
        let repeatable = connection.is_reused() && self.work.plan.request.is_repeatable();
        let sent = Instant::now();
        self.work.note_send(sent);
        match self.exchange(connection, sent).await {
            Err(failure) if repeatable && failure.is_close_race() => {
                self.work.note_retry();
                let fresh = self.open().await?;
                self.exchange(fresh, sent).await
            }
            outcome => outcome,
        }
    }

    /// The open connection, or a new one where the server has closed it or broken its silence.
    async fn quiet_connection(&mut self) -> Result<Connection, Failure> {
        if let Some(mut connection) = self.connection.take() {
            let landing = &self.work.landing;
            if poll_fn(|cx| Poll::Ready(connection.is_quiet(landing, cx))).await {
                return Ok(connection);
            }
        }
        self.open().await
    }

    async fn open(&self) -> Result<Connection, Failure> {
        let start = Instant::now();
        let opened = self.try_open(start).await;
        match &opened {
            Ok(_) => self.work.note_connect(start.elapsed()),
            Err(failure) => self.work.note_failed_attempt(failure),
        }
        opened
    }

    async fn try_open(&self, start: Instant) -> Result<Connection, Failure> {
        let plan = &self.work.plan;
        let mut connecting = pin!(TcpStream::connect(plan.address));
        let due = start + plan.timeout;
        match self
            .watch
            .until(due, |cx| connecting.as_mut().poll(cx))
            .await
        {
            None => Err(Failure::ConnectTimeout {
                timeout: plan.timeout,
            }),
            Some(stream) => stream
                .and_then(|stream| Connection::new(stream, plan.request.asks_for_head()))
                .map_err(|source| Failure::Connect { source }),
        }
    }

    /// Exchanges the request for a reply; keeps the connection when it can carry another.
    async fn exchange(
        &mut self,
        mut connection: Connection,
        sent: Instant,
    ) -> Result<Completed, Failure> {
        let plan = &self.work.plan;
        let mut exchange = connection.exchange(plan.request.bytes(), &self.work.landing);
        let due = sent + plan.timeout;
        let replied = self.watch.until(due, |cx| exchange.poll(cx)).await;
        let reply = match replied {
            Some(Ok(reply)) if reply.done <= due => reply,
            Some(Err(failure)) => return Err(failure),
            Some(Ok(_)) | None => {
                return Err(Failure::Timeout {
                    timeout: plan.timeout,
                });
            }
        };
        if reply.reusable && plan.keep_alive {
            self.connection = Some(connection);
        }
        self.judge(&reply, sent)
    }

    fn judge(&self, reply: &Reply, sent: Instant) -> Result<Completed, Failure> {
        if !self.work.plan.request.expects(reply.status) {
            return Err(Failure::Status {
                status: reply.status,
            });
        }
        Ok(Completed {
            sent,
            first_byte: reply.first_byte,
            done: reply.done,
            body: reply.body,
        })
    }
}
