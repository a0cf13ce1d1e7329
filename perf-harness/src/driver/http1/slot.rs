//! One slot of the load: it has at most one connection, and one request under way.

use std::time::Instant;

use mio::event::Event;
use mio::{Registry, Token};

use super::connection::{Connection, Reply};
use super::failure::Failure;
use super::landing::Landing;
use super::ledger::{Completed, Ledger, Sent};
use super::opening::{Opening, Taken};
use super::plan::Plan;
use super::pool::Pool;
use super::script::{Asked, Body, Script, Turn};

/// What the slots of one thread share.
#[derive(Debug)]
pub(super) struct Desk<'a> {
    pub(super) plan: &'a Plan,
    /// The pool of the phase, whose books say when the server is lost.
    pub(super) pool: Option<&'a Pool>,
    pub(super) registry: Registry,
    pub(super) landing: Landing,
    pub(super) script: Script,
    pub(super) ledger: Ledger,
    /// Slots that stopped reading for the others' sake.
    pub(super) unfinished: Vec<usize>,
    /// What happened to the first connection that was opened for no request and failed.
    pub(super) unopened: Option<Failure>,
}

/// A connection's place, kept from one connection to the next.
#[derive(Debug)]
pub(super) struct Slot {
    place: usize,
    opening: Option<Opening>,
    connection: Option<Connection>,
    errand: Option<Errand>,
    turn: Turn,
    body: Body,
    /// When what is under way has taken too long.
    due: Instant,
}

/// A request under way.
#[derive(Debug)]
struct Errand {
    intended: Option<Instant>,
    sent: Option<Instant>,
    retried: bool,
}

impl Slot {
    /// An empty slot that the poll knows by `place`.
    pub(super) fn new(place: usize) -> Self {
        Self {
            place,
            opening: None,
            connection: None,
            errand: None,
            turn: Turn::default(),
            body: Body::default(),
            due: Instant::now(),
        }
    }

    pub(super) fn is_busy(&self) -> bool {
        self.errand.is_some() || self.opening.is_some()
    }

    pub(super) fn is_open(&self) -> bool {
        self.connection.is_some()
    }

    /// Begins to open a connection unless one is open.
    pub(super) fn open(&mut self, desk: &mut Desk<'_>) {
        if self.connection.is_some() {
            return;
        }
        self.due = Instant::now() + desk.plan.timeout;
        match Opening::begin(desk.plan, &desk.registry, Token(self.place)) {
            Ok(opening) => self.opening = Some(opening),
            Err(source) => self.not_opened(&mut *desk, Failure::Connect { source }),
        }
    }

    /// Begins with the next request of the script.
    pub(super) fn start(&mut self, intended: Option<Instant>, desk: &mut Desk<'_>) {
        desk.script.go_on(&mut self.turn);
        self.errand = Some(Errand {
            intended,
            sent: None,
            retried: false,
        });
        let landing = &mut desk.landing;
        let connection = self.connection.as_mut();
        if connection.is_some_and(|connection| connection.is_quiet(landing)) {
            self.send(desk);
        } else {
            self.reopen(desk);
        }
    }

    fn reopen(&mut self, desk: &mut Desk<'_>) {
        self.connection = None;
        self.open(desk);
    }

    /// Goes on after the poll has reported the slot's stream.
    pub(super) fn on_event(&mut self, event: &Event, desk: &mut Desk<'_>) {
        if let Some(connection) = &mut self.connection {
            connection.hear(event);
            self.exchange(desk);
        } else if self.opening.is_some() {
            self.advance_opening(desk);
        }
    }

    fn advance_opening(&mut self, desk: &mut Desk<'_>) {
        let Some(opening) = &mut self.opening else {
            return;
        };
        match opening.advance() {
            Ok(None) => {}
            Ok(Some(taken)) => self.opened(taken, desk),
            Err(failure) => self.not_opened(desk, failure),
        }
    }

    fn opened(&mut self, taken: Taken, desk: &mut Desk<'_>) {
        if let Some(pool) = desk.pool {
            pool.note_opened();
        }
        desk.ledger.note_opened(taken);
        let opening = self.opening.take();
        self.connection = opening.map(|opening| Connection::new(opening.into_stream()));
        if self.errand.is_some() {
            self.send(desk);
        }
    }

    fn not_opened(&mut self, desk: &mut Desk<'_>, failure: Failure) {
        self.opening = None;
        if let Some(pool) = desk.pool {
            pool.note_failed_attempt(&failure);
        }
        match self.errand {
            Some(_) => self.fail(&failure, desk),
            None => drop(desk.unopened.get_or_insert(failure)),
        }
    }

    fn send(&mut self, desk: &mut Desk<'_>) {
        let (Some(connection), Some(errand)) = (&mut self.connection, &mut self.errand) else {
            return;
        };
        let asked = desk.script.asked(&self.turn);
        connection.begin(asked.asks_for_head());
        asked.begin(&mut self.body);
        let now = Instant::now();
        let sent = *errand.sent.get_or_insert_with(|| {
            desk.ledger.note_send(now, errand.intended);
            now
        });
        self.due = sent + desk.plan.timeout;
        connection.send(desk.script.bytes(&self.turn));
        if connection.is_readable() {
            self.exchange(desk);
        }
    }

    /// Sends what is unsent and receives what has come.
    pub(super) fn exchange(&mut self, desk: &mut Desk<'_>) {
        let (Some(connection), Some(_)) = (&mut self.connection, &self.errand) else {
            return;
        };
        connection.send(desk.script.bytes(&self.turn));
        let asked = desk.script.asked(&self.turn);
        let mut look = |piece: &[u8]| asked.take(&mut self.body, piece);
        let look: Option<&mut dyn FnMut(&[u8])> = match asked.looks_at_the_body() {
            true => Some(&mut look),
            false => None,
        };
        match connection.receive(&mut desk.landing, look) {
            None if connection.is_readable() => desk.unfinished.push(self.place),
            None => {}
            Some(Ok(reply)) => self.replied(&reply, desk),
            Some(Err(failure)) => self.broken(&failure, desk),
        }
    }

    fn replied(&mut self, reply: &Reply, desk: &mut Desk<'_>) {
        if reply.done > self.due {
            return self.time_out(desk);
        }
        let sent = self.sent();
        if !reply.reusable || !desk.plan.keep_alive {
            self.connection = None;
        }
        let (Some(_), Some(sent)) = (self.errand.take(), sent) else {
            return;
        };
        desk.ledger.note_status(reply.status);
        if let Err(failure) = judge(reply, desk.script.asked(&self.turn), &mut self.body) {
            return desk.ledger.record_failed(Some(&sent), &failure);
        }
        let completed = Completed {
            first_byte: reply.first_byte,
            done: reply.done,
            body: reply.body,
        };
        desk.ledger.record_good(&sent, &completed);
    }

    /// A kept-alive connection that ends before any byte of the reply may have been closed while
    /// the request was on its way: what may be repeated is sent once more on a fresh one.
    fn broken(&mut self, failure: &Failure, desk: &mut Desk<'_>) {
        let reused = |connection: &Connection| connection.carried() > 1;
        let reused = self.connection.as_ref().is_some_and(reused);
        let repeatable = desk.script.asked(&self.turn).is_repeatable();
        match &mut self.errand {
            Some(errand) if reused && repeatable && failure.is_close_race() => {
                errand.retried = true;
                desk.ledger.note_retry();
                self.reopen(desk);
            }
            _ => self.fail(failure, desk),
        }
    }

    /// Gives up what has taken too long by `now`.
    pub(super) fn expire(&mut self, now: Instant, desk: &mut Desk<'_>) {
        if now < self.due {
            return;
        }
        let timeout = desk.plan.timeout;
        if self.opening.is_some() {
            self.not_opened(desk, Failure::ConnectTimeout { timeout });
        } else if self.errand.is_some() {
            self.time_out(desk);
        }
    }

    fn time_out(&mut self, desk: &mut Desk<'_>) {
        let timeout = desk.plan.timeout;
        self.fail(&Failure::Timeout { timeout }, desk);
    }

    /// Gives up whatever is under way since the deadline has come. A request that still waits for
    /// its connection has waited since that was begun.
    pub(super) fn cut(&mut self, desk: &mut Desk<'_>) {
        let began = self.due.checked_sub(desk.plan.timeout);
        if let (Some(errand), Some(began)) = (&mut self.errand, began) {
            errand.sent.get_or_insert(began);
        }
        self.opening = None;
        match self.errand {
            Some(_) => self.fail(&Failure::Deadline, desk),
            None => drop(desk.unopened.get_or_insert(Failure::Deadline)),
        }
    }

    fn fail(&mut self, failure: &Failure, desk: &mut Desk<'_>) {
        let sent = self.sent();
        self.connection = None;
        self.errand = None;
        desk.ledger.record_failed(sent.as_ref(), failure);
    }

    fn sent(&self) -> Option<Sent> {
        let errand = self.errand.as_ref()?;
        let first = |connection: &Connection| connection.carried() == 1;
        Some(Sent {
            intended: errand.intended,
            at: errand.sent?,
            fresh: !errand.retried && self.connection.as_ref().is_some_and(first),
        })
    }
}

fn judge(reply: &Reply, asked: &Asked, body: &mut Body) -> Result<(), Failure> {
    let status = reply.status;
    if !asked.expects(status) {
        return Err(Failure::Status { status });
    }
    Ok(asked.judge(reply.body, body)?)
}
