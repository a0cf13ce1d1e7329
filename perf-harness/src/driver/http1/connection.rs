//! One open connection: the request going out, the reply coming in.

use std::io;
use std::time::Instant;

use mio::event::Event;

use super::failure::{Failure, Progress};
use super::landing::Landing;
use super::reply::ReplyReader;
use super::stream::Stream;

/// Reads that one connection may make in a row, so that a peer that never stops sending does not
/// keep the thread from the others.
const READS: usize = 16;

/// An open connection that carries one request at a time.
#[derive(Debug)]
pub(super) struct Connection {
    stream: Stream,
    reader: ReplyReader,
    /// Requests sent on it.
    carried: u64,
    /// Bytes of the request that the stream has taken.
    written: usize,
    sent_whole: bool,
    send_error: Option<io::Error>,
    first_byte: Option<Instant>,
    /// Whether something may have come that was not read.
    readable: bool,
    /// Whether the end of the stream may follow what has come, which then says so by no event of
    /// its own.
    closing: bool,
}

/// A reply that came whole.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) body: u64,
    pub(super) first_byte: Instant,
    pub(super) done: Instant,
    /// Whether the connection can carry another request.
    pub(super) reusable: bool,
}

impl Connection {
    pub(super) fn new(stream: Stream) -> Self {
        Self {
            stream,
            reader: ReplyReader::new(false),
            carried: 0,
            written: 0,
            sent_whole: true,
            send_error: None,
            first_byte: None,
            readable: false,
            closing: false,
        }
    }

    /// Requests sent on it so far.
    pub(super) fn carried(&self) -> u64 {
        self.carried
    }

    /// Whether something may have come that was not read.
    pub(super) fn is_readable(&self) -> bool {
        self.readable
    }

    /// Takes note of what the poll says of it.
    pub(super) fn hear(&mut self, event: &Event) {
        let closing = event.is_read_closed() || event.is_error();
        self.closing |= closing;
        self.readable |= closing || event.is_readable();
    }

    /// Whether the server neither closed it nor sent bytes that nobody asked for, as far as the
    /// poll has seen: this costs no system call on a quiet connection.
    pub(super) fn is_quiet(&mut self, landing: &mut Landing) -> bool {
        if self.readable {
            let looked = landing.look(&mut self.stream, 0);
            self.readable = !matches!(looked, Err(error) if is_unready(&error));
        }
        !self.readable
    }

    /// Begins an exchange.
    pub(super) fn begin(&mut self, asks_for_head: bool) {
        self.reader.restart(asks_for_head);
        self.carried += 1;
        self.written = 0;
        self.sent_whole = false;
        self.first_byte = None;
    }

    /// Sends as much of `request` as the stream takes. A failed send is no outcome yet: the server
    /// may have replied before it closed.
    pub(super) fn send(&mut self, request: &[u8]) {
        if self.sent_whole || self.send_error.is_some() {
            return;
        }
        match self.try_send(request) {
            Ok(whole) => self.sent_whole = whole,
            Err(error) if is_unready(&error) => {}
            Err(error) => {
                self.send_error = Some(error);
                self.readable = true;
            }
        }
    }

    fn try_send(&mut self, request: &[u8]) -> io::Result<bool> {
        while self.written < request.len() {
            self.written += self.stream.write(&request[self.written..])?;
        }
        self.stream.flush()
    }

    /// Receives what has come; `None` when more has to come. Where `body` is to look at the body
    /// every piece of it is read, else what can be is thrown away.
    pub(super) fn receive(
        &mut self,
        landing: &mut Landing,
        mut body: Option<&mut dyn FnMut(&[u8])>,
    ) -> Option<Result<Reply, Failure>> {
        for _ in 0..READS {
            if !self.readable {
                return None;
            }
            let received = match (self.reader.skippable(), &mut body) {
                (_, Some(body)) => self.look(landing, body),
                (0, None) => self.look(landing, &mut |_| {}),
                (skippable, None) => self.skip(skippable, landing),
            };
            if let Some(outcome) = received.transpose() {
                return Some(outcome);
            }
        }
        None
    }

    fn look(
        &mut self,
        landing: &mut Landing,
        body: &mut dyn FnMut(&[u8]),
    ) -> Result<Option<Reply>, Failure> {
        let got = match landing.look(&mut self.stream, self.reader.skippable()) {
            Ok(got) if got.what.is_empty() => return self.closed().map(Some),
            Ok(got) => got,
            Err(error) => return self.unready(error),
        };
        let now = Instant::now();
        self.readable = !got.emptied || self.closing;
        let taken = self.reader.feed(got.what, &mut |piece| body(piece))?;
        let surplus = taken < got.what.len();
        if self.first_byte.is_none() && self.reader.progress() != Progress::Nothing {
            self.first_byte = Some(now);
        }
        Ok(self.reader.is_over().then(|| self.reply(now, surplus)))
    }

    /// Asks for one byte more than a body of known length has: to get less says that the socket is
    /// empty, to get it that the server sent what nobody asked for.
    fn skip(&mut self, skippable: u64, landing: &mut Landing) -> Result<Option<Reply>, Failure> {
        let most = match self.reader.ends_after_skippable() {
            true => skippable.saturating_add(1),
            false => skippable,
        };
        let got = match landing.discard(&mut self.stream, most) {
            Ok(got) if got.what == 0 => return self.closed().map(Some),
            Ok(got) => got,
            Err(error) => return self.unready(error),
        };
        self.readable = !got.emptied || self.closing;
        self.reader.skip(got.what.min(skippable));
        let surplus = got.what > skippable;
        let over = self.reader.is_over();
        Ok(over.then(|| self.reply(Instant::now(), surplus)))
    }

    fn unready(&mut self, error: io::Error) -> Result<Option<Reply>, Failure> {
        if is_unready(&error) {
            self.readable = false;
            return Ok(None);
        }
        Err(self.broken(error))
    }

    fn reply(&self, done: Instant, surplus: bool) -> Reply {
        Reply {
            status: self.reader.status(),
            body: self.reader.body(),
            first_byte: self.first_byte.unwrap_or(done),
            done,
            reusable: self.reader.keeps_alive() && self.sent_whole && !surplus,
        }
    }

    fn closed(&mut self) -> Result<Reply, Failure> {
        match (self.reader.close(), self.send_error.take()) {
            (Ok(()), _) => Ok(self.reply(Instant::now(), true)),
            (Err(_), Some(error)) => Err(self.broken(error)),
            (Err(failure), None) => Err(failure),
        }
    }

    fn broken(&self, source: io::Error) -> Failure {
        Failure::Broken {
            source,
            progress: self.reader.progress(),
        }
    }
}

/// Whether the call is only to be made again later.
fn is_unready(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::WouldBlock
}
