//! The loop of one thread: it waits for the sockets and the clocks, and keeps the slots busy.

use std::collections::VecDeque;
use std::io;
use std::time::{Duration, Instant};

use mio::event::Event;
use mio::{Events, Poll, Token};

use super::alarm::Alarm;
use super::failure::Failure;
use super::landing::Landing;
use super::ledger::Ledger;
use super::plan::Plan;
use super::pool::Pool;
use super::slot::{Desk, Slot};
use super::source::{Due, Source};

/// Events that one call of the poll reports at most.
const EVENTS: usize = 1024;

/// The tokens below are those of the slots.
const TICK: Token = Token(usize::MAX);
const PACE: Token = Token(usize::MAX - 1);

/// How long before a request's time the thread stops sleeping and looks at the clock itself: a
/// sleeping thread is woken late by about this.
const SPIN: Duration = Duration::from_micros(80);

/// The slots of one thread and all that moves them.
#[derive(Debug)]
pub(super) struct EventLoop<'a> {
    poll: Poll,
    events: Events,
    floor: Floor<'a>,
    tick: Alarm,
    pace: Alarm,
}

/// The slots, and what they are kept busy with.
#[derive(Debug)]
struct Floor<'a> {
    plan: &'a Plan,
    slots: Vec<Slot>,
    desk: Desk<'a>,
    source: Source<'a>,
    busy: usize,
    /// Slots without anything to do, the one that has been so for longest first.
    idle: VecDeque<usize>,
    /// Whether deadlines are to be looked at.
    ticked: bool,
}

/// What the poll is to wait for.
#[derive(Clone, Copy, Debug)]
enum Wait {
    Event,
    Until(Instant),
    Nothing,
}

impl<'a> EventLoop<'a> {
    pub(super) fn new(plan: &'a Plan, thread: usize) -> io::Result<Self> {
        let poll = Poll::new()?;
        Ok(Self {
            events: Events::with_capacity(EVENTS),
            tick: Alarm::new(poll.registry(), TICK)?,
            pace: Alarm::new(poll.registry(), PACE)?,
            floor: Floor::new(plan, thread, poll.registry().try_clone()?),
            poll,
        })
    }

    /// Opens the books of a phase; connections that fail are told to `pool`.
    pub(super) fn begin(&mut self, origin: Instant, pool: Option<&'a Pool>) {
        self.floor.desk.ledger.begin(origin);
        self.floor.desk.pool = pool;
    }

    /// Closes the books: what came of the requests, and why a connection was not opened.
    pub(super) fn end(&mut self, cpu: Duration) -> (Ledger, Option<Failure>) {
        let connections = self.floor.slots.len();
        let desk = &mut self.floor.desk;
        let mut ledger = std::mem::replace(&mut desk.ledger, Ledger::new(Instant::now()));
        ledger.close(connections, desk.landing.take_received(), cpu);
        (ledger, desk.unopened.take())
    }

    pub(super) fn open_slots(&self) -> usize {
        self.floor
            .slots
            .iter()
            .filter(|slot| slot.is_open())
            .count()
    }

    /// Opens a connection in every slot that has none, all at once.
    pub(super) fn open_all(&mut self) -> io::Result<()> {
        self.floor.desk.pool = None;
        for place in 0..self.floor.slots.len() {
            self.floor.open(place);
        }
        self.run(Source::Nothing)
    }

    /// Opens the connections one by one at their times.
    pub(super) fn open_by(&mut self, source: Source<'a>) -> io::Result<()> {
        self.floor.idle.extend(0..self.floor.slots.len());
        self.run(source)
    }

    /// Sends what `source` says until all has its outcome.
    pub(super) fn send(&mut self, source: Source<'a>) -> io::Result<()> {
        self.take_notice()?;
        self.floor.source = source;
        for place in 0..self.floor.slots.len() {
            self.floor.employ(place);
        }
        self.run_on()
    }

    /// Looks at the sockets once, so that connections which were closed while the thread slept are
    /// seen before they are used.
    fn take_notice(&mut self) -> io::Result<()> {
        loop {
            self.wait(Wait::Nothing)?;
            if self.dispatch() < EVENTS {
                return Ok(());
            }
        }
    }

    fn run(&mut self, source: Source<'a>) -> io::Result<()> {
        self.floor.source = source;
        self.run_on()
    }

    fn run_on(&mut self) -> io::Result<()> {
        self.tick.set(self.floor.plan.tick())?;
        while !self.floor.is_done() {
            let wait = self.floor.launch();
            self.wait(wait)?;
            self.dispatch();
            self.floor.go_on();
            if std::mem::take(&mut self.floor.ticked) {
                self.floor.look_at_deadlines();
                self.tick.set(self.floor.plan.tick())?;
            }
        }
        self.floor.idle.clear();
        Ok(())
    }

    fn wait(&mut self, wait: Wait) -> io::Result<()> {
        let timeout = match wait {
            Wait::Event => None,
            Wait::Nothing => Some(Duration::ZERO),
            Wait::Until(at) => self.sleep_until(at)?,
        };
        match self.poll.poll(&mut self.events, timeout) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            result => result,
        }
    }

    /// Sets the alarm to shortly before `at`, or says not to sleep any more.
    fn sleep_until(&self, at: Instant) -> io::Result<Option<Duration>> {
        let left = at.saturating_duration_since(Instant::now());
        if left <= SPIN {
            return Ok(Some(Duration::ZERO));
        }
        self.pace.set(left - SPIN)?;
        Ok(None)
    }

    /// Hands the events to their slots and says how many there were.
    fn dispatch(&mut self) -> usize {
        let mut count = 0;
        for event in &self.events {
            self.floor.on_event(event);
            count += 1;
        }
        count
    }
}

impl<'a> Floor<'a> {
    fn new(plan: &'a Plan, thread: usize, registry: mio::Registry) -> Self {
        let slots: Vec<_> = (0..plan.slots_of(thread).count()).map(Slot::new).collect();
        Self {
            plan,
            idle: VecDeque::with_capacity(slots.len()),
            slots,
            desk: Desk {
                plan,
                pool: None,
                registry,
                landing: Landing::new(),
                script: plan.script(thread),
                ledger: Ledger::new(Instant::now()),
                unfinished: Vec::new(),
                unopened: None,
            },
            source: Source::Nothing,
            busy: 0,
            ticked: false,
        }
    }

    fn is_done(&self) -> bool {
        self.busy == 0 && self.source.is_exhausted()
    }

    fn on_event(&mut self, event: &Event) {
        match event.token() {
            TICK => self.ticked = true,
            PACE => {}
            Token(place) => self.attend(place, |slot, desk| slot.on_event(event, desk)),
        }
    }

    /// Has a slot do something; one that is done with what it did gets something else.
    fn attend(&mut self, place: usize, act: impl FnOnce(&mut Slot, &mut Desk<'a>)) {
        let slot = &mut self.slots[place];
        let was_busy = slot.is_busy();
        act(slot, &mut self.desk);
        if was_busy && !slot.is_busy() {
            self.busy -= 1;
            self.employ(place);
        }
    }

    /// Gives a slot requests until one is under way or there is none.
    fn employ(&mut self, place: usize) {
        let slot = &mut self.slots[place];
        while !slot.is_busy() {
            let Some(intended) = self.source.take() else {
                self.desk.ledger.note_drained();
                return self.idle.push_back(place);
            };
            slot.start(intended, &mut self.desk);
        }
        self.busy += 1;
    }

    fn open(&mut self, place: usize) {
        let slot = &mut self.slots[place];
        slot.open(&mut self.desk);
        self.busy += usize::from(slot.is_busy());
    }

    /// Starts what is to be started by the clock, and says until when nothing else is.
    fn launch(&mut self) -> Wait {
        if !self.desk.unfinished.is_empty() {
            return Wait::Nothing;
        }
        match &self.source {
            Source::Nothing | Source::Closed(_) => Wait::Event,
            Source::Ramp(_) | Source::Open(_) => self.launch_due(),
        }
    }

    /// The connection that has been idle for longest carries the next request: so all are used in
    /// turn, as many clients would use them, and none is idle for so long that the server closes it.
    fn launch_due(&mut self) -> Wait {
        while let Some(&place) = self.idle.front() {
            let (Source::Ramp(timetable) | Source::Open(timetable)) = &mut self.source else {
                return Wait::Event;
            };
            match timetable.peek(Instant::now()) {
                Due::Now(_) => {}
                Due::Later(at) => return Wait::Until(at),
                Due::Never => return Wait::Event,
            }
            self.idle.pop_front();
            self.launch_in(place);
        }
        Wait::Event
    }

    fn launch_in(&mut self, place: usize) {
        match &mut self.source {
            Source::Ramp(timetable) => {
                timetable.take(Instant::now());
                self.open(place);
            }
            _ => self.employ(place),
        }
    }

    /// Goes on with the slots that stopped reading for the others' sake.
    fn go_on(&mut self) {
        for place in std::mem::take(&mut self.desk.unfinished) {
            self.attend(place, |slot, desk| slot.exchange(desk));
        }
    }

    fn look_at_deadlines(&mut self) {
        let now = Instant::now();
        if now >= self.plan.end {
            return self.cut();
        }
        for place in 0..self.slots.len() {
            self.attend(place, |slot, desk| slot.expire(now, desk));
        }
    }

    /// The deadline of the round has come: nothing more is sent, nothing more is waited for.
    fn cut(&mut self) {
        self.source = Source::Nothing;
        self.desk.ledger.note_cut();
        for slot in self.slots.iter_mut().filter(|slot| slot.is_busy()) {
            slot.cut(&mut self.desk);
        }
        self.busy = 0;
    }
}
