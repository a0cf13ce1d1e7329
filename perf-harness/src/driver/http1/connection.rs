//! One connection: its socket, the request going out, the reply coming in.

use std::cell::RefCell;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use tokio::io::AsyncWrite as _;
use tokio::net::TcpStream;

use super::failure::{Failure, Progress};
use super::landing::Landing;
use super::reply::ReplyReader;

/// An open connection that carries one request at a time.
#[derive(Debug)]
pub(super) struct Connection {
    stream: TcpStream,
    asked_for_head: bool,
    reader: ReplyReader,
    reused: bool,
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

/// One request and its reply on one connection.
///
/// Sending and receiving go on side by side: a server may answer before it has read everything.
#[derive(Debug)]
pub(super) struct Exchange<'a> {
    connection: &'a mut Connection,
    landing: &'a RefCell<Landing>,
    unsent: &'a [u8],
    send_error: Option<io::Error>,
    first_byte: Option<Instant>,
}

impl Connection {
    pub(super) fn new(stream: TcpStream, asked_for_head: bool) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            asked_for_head,
            reader: ReplyReader::new(asked_for_head),
            reused: false,
        })
    }

    /// Whether a request was sent on it before.
    pub(super) fn is_reused(&self) -> bool {
        self.reused
    }

    /// Whether the server neither closed it nor sent bytes that nobody asked for, as far as the
    /// runtime has seen: this costs no system call on a quiet connection.
    pub(super) fn is_quiet(&mut self, landing: &RefCell<Landing>, cx: &mut Context<'_>) -> bool {
        landing
            .borrow_mut()
            .poll_look(&mut self.stream, cx)
            .is_pending()
    }

    /// Begins the exchange of one request, given as its bytes, for its reply.
    pub(super) fn exchange<'a>(
        &'a mut self,
        request: &'a [u8],
        landing: &'a RefCell<Landing>,
    ) -> Exchange<'a> {
        self.reader.restart(self.asked_for_head);
        self.reused = true;
        Exchange {
            connection: self,
            landing,
            unsent: request,
            send_error: None,
            first_byte: None,
        }
    }
}

impl Exchange<'_> {
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<Reply, Failure>> {
        self.send(cx);
        loop {
            match ready!(self.poll_receive(cx)) {
                Ok(Some(reply)) => return Poll::Ready(Ok(reply)),
                Ok(None) => {}
                Err(failure) => return Poll::Ready(Err(failure)),
            }
        }
    }

    /// Sends as much as the socket takes. A failed send is no outcome yet: the server may have
    /// replied before it closed.
    fn send(&mut self, cx: &mut Context<'_>) {
        while !self.unsent.is_empty() {
            match Pin::new(&mut self.connection.stream).poll_write(cx, self.unsent) {
                Poll::Ready(Ok(count)) => self.unsent = &self.unsent[count..],
                Poll::Ready(Err(error)) => {
                    self.send_error = Some(error);
                    self.unsent = &[];
                }
                Poll::Pending => return,
            }
        }
    }

    /// Receives once: the reply when it is whole, `None` when more has to come.
    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Reply>, Failure>> {
        match self.connection.reader.skippable() {
            0 => self.poll_look(cx),
            skippable => self.poll_skip(skippable, cx),
        }
    }

    fn poll_look(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Reply>, Failure>> {
        let Connection { stream, reader, .. } = &mut *self.connection;
        let mut landing = self.landing.borrow_mut();
        let bytes = match ready!(landing.poll_look(stream, cx)) {
            Ok([]) => return Poll::Ready(self.closed().map(Some)),
            Ok(bytes) => bytes,
            Err(error) => return Poll::Ready(Err(self.broken(error))),
        };
        let now = Instant::now();
        let taken = reader.feed(bytes, &mut |_| {})?;
        if self.first_byte.is_none() && reader.progress() != Progress::Nothing {
            self.first_byte = Some(now);
        }
        let surplus = taken < bytes.len();
        Poll::Ready(Ok(reader.is_over().then(|| self.reply(now, surplus))))
    }

    /// Asks for one byte more than a body of known length has: to get less says that the socket is
    /// empty, to get it that the server sent what nobody asked for.
    fn poll_skip(
        &mut self,
        skippable: u64,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Option<Reply>, Failure>> {
        let Connection { stream, reader, .. } = &mut *self.connection;
        let most = match reader.ends_after_skippable() {
            true => skippable.saturating_add(1),
            false => skippable,
        };
        let count = match ready!(self.landing.borrow_mut().poll_discard(stream, most, cx)) {
            Ok(0) => return Poll::Ready(self.closed().map(Some)),
            Ok(count) => count as u64,
            Err(error) => return Poll::Ready(Err(self.broken(error))),
        };
        reader.skip(count.min(skippable));
        let surplus = count > skippable;
        Poll::Ready(Ok(reader
            .is_over()
            .then(|| self.reply(Instant::now(), surplus))))
    }

    fn reply(&self, done: Instant, surplus: bool) -> Reply {
        let reader = &self.connection.reader;
        let sent_whole = self.unsent.is_empty() && self.send_error.is_none();
        Reply {
            status: reader.status(),
            body: reader.body(),
            first_byte: self.first_byte.unwrap_or(done),
            done,
            reusable: reader.keeps_alive() && sent_whole && !surplus,
        }
    }

    fn closed(&mut self) -> Result<Reply, Failure> {
        match (self.connection.reader.close(), self.send_error.take()) {
            (Ok(()), _) => Ok(self.reply(Instant::now(), false)),
            (Err(_), Some(error)) => Err(self.broken(error)),
            (Err(failure), None) => Err(failure),
        }
    }

    fn broken(&self, source: io::Error) -> Failure {
        Failure::Broken {
            source,
            progress: self.connection.reader.progress(),
        }
    }
}
