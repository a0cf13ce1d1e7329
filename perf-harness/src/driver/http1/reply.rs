//! An incremental reader of one reply: bytes go in as they arrive, nothing is kept but counts.

use super::chunks::Chunks;
use super::failure::{Failure, Malformed, Progress};
use super::head::{Framing, Head, HeadParser};

/// Bytes that the head of a reply may have.
pub(super) const HEAD_LIMIT: usize = 64 * 1024;

/// Reads one reply after the other, one at a time.
#[derive(Debug)]
pub(super) struct ReplyReader {
    heads: HeadParser,
    part: Part,
    /// The front of a head that did not come whole; empty almost always.
    unfinished: Vec<u8>,
    status: u16,
    keep_alive: bool,
    body: u64,
}

/// The part of the reply that comes next.
#[derive(Debug)]
enum Part {
    Head,
    Sized { left: u64 },
    Chunked(Chunks),
    UntilClose,
    Over,
}

impl ReplyReader {
    pub(super) fn new(asked_for_head: bool) -> Self {
        Self {
            heads: HeadParser::new(asked_for_head),
            part: Part::Head,
            unfinished: Vec::new(),
            status: 0,
            keep_alive: false,
            body: 0,
        }
    }

    /// Forgets the reply that was read; the next byte is the first of another, which has no body
    /// when the request `asked_for_head`.
    pub(super) fn restart(&mut self, asked_for_head: bool) {
        self.heads.restart(asked_for_head);
        self.part = Part::Head;
        self.unfinished.clear();
        self.body = 0;
    }

    pub(super) fn is_over(&self) -> bool {
        matches!(self.part, Part::Over)
    }

    pub(super) fn status(&self) -> u16 {
        self.status
    }

    /// Whether the server leaves the connection open after this reply.
    pub(super) fn keeps_alive(&self) -> bool {
        self.keep_alive
    }

    /// Body bytes so far, framing not counted.
    pub(super) fn body(&self) -> u64 {
        match &self.part {
            Part::Chunked(chunks) => chunks.body(),
            _ => self.body,
        }
    }

    /// How much of the reply has come; interim replies are none of it.
    pub(super) fn progress(&self) -> Progress {
        match self.part {
            Part::Head if self.unfinished.is_empty() => Progress::Nothing,
            Part::Head => Progress::Head,
            _ => Progress::Body {
                received: self.body(),
            },
        }
    }

    /// Body bytes that come next for certain: they need not be looked at.
    pub(super) fn skippable(&self) -> u64 {
        match &self.part {
            Part::Sized { left } => *left,
            Part::Chunked(chunks) => chunks.skippable(),
            Part::UntilClose => u64::MAX,
            Part::Head | Part::Over => 0,
        }
    }

    /// Whether the reply is over when [`skippable`](Self::skippable) bytes more have come.
    pub(super) fn ends_after_skippable(&self) -> bool {
        matches!(self.part, Part::Sized { .. })
    }

    /// Counts `count` body bytes, at most [`skippable`](Self::skippable), that nobody looked at.
    pub(super) fn skip(&mut self, count: u64) {
        match &mut self.part {
            Part::Sized { left } => {
                *left -= count;
                self.body += count;
                if *left == 0 {
                    self.part = Part::Over;
                }
            }
            Part::Chunked(chunks) => chunks.skip(count),
            Part::UntilClose => self.body += count,
            Part::Head | Part::Over => {}
        }
    }

    /// Takes bytes up to the end of the reply and says how many; the rest was not asked for. Hands
    /// on those of the body, without their framing, to `body`.
    pub(super) fn feed(
        &mut self,
        bytes: &[u8],
        body: &mut impl FnMut(&[u8]),
    ) -> Result<usize, Malformed> {
        let mut taken = 0;
        while taken < bytes.len() && !self.is_over() {
            taken += self.feed_some(&bytes[taken..], body)?;
        }
        Ok(taken)
    }

    fn feed_some(
        &mut self,
        bytes: &[u8],
        body: &mut impl FnMut(&[u8]),
    ) -> Result<usize, Malformed> {
        match &mut self.part {
            Part::Head if self.unfinished.is_empty() => self.feed_head(bytes),
            Part::Head => self.feed_unfinished_head(bytes),
            Part::Chunked(chunks) => {
                let taken = chunks.feed(bytes, body)?;
                self.end_chunks();
                Ok(taken)
            }
            Part::Sized { .. } | Part::UntilClose | Part::Over => {
                let count = self.skippable().min(bytes.len() as u64);
                body(&bytes[..count as usize]);
                self.skip(count);
                Ok(count as usize)
            }
        }
    }

    fn end_chunks(&mut self) {
        if let Part::Chunked(chunks) = &self.part
            && chunks.is_over()
        {
            self.body = chunks.body();
            self.part = Part::Over;
        }
    }

    fn feed_head(&mut self, bytes: &[u8]) -> Result<usize, Malformed> {
        if let Some(head) = self.heads.parse(bytes)? {
            self.begin_body(&head)?;
            return Ok(head.length);
        }
        self.unfinished.extend_from_slice(bytes);
        self.check_unfinished()?;
        Ok(bytes.len())
    }

    /// A head is parsed again only when a line was completed, so that one that comes byte by byte
    /// costs no more than its lines.
    fn feed_unfinished_head(&mut self, bytes: &[u8]) -> Result<usize, Malformed> {
        let before = self.unfinished.len();
        self.unfinished.extend_from_slice(bytes);
        let head = match bytes.contains(&b'\n') {
            true => self.heads.parse(&self.unfinished)?,
            false => None,
        };
        let Some(head) = head else {
            self.check_unfinished()?;
            return Ok(bytes.len());
        };
        self.unfinished.clear();
        self.begin_body(&head)?;
        Ok(head.length - before)
    }

    fn check_unfinished(&self) -> Result<(), Malformed> {
        if self.unfinished.len() >= HEAD_LIMIT {
            return Err(Malformed::HeadTooLong { limit: HEAD_LIMIT });
        }
        Ok(())
    }

    fn begin_body(&mut self, head: &Head) -> Result<(), Malformed> {
        if head.length > HEAD_LIMIT {
            return Err(Malformed::HeadTooLong { limit: HEAD_LIMIT });
        }
        if head.is_interim() {
            return Ok(());
        }
        self.status = head.status;
        self.keep_alive = head.keep_alive;
        self.part = match head.framing {
            Framing::Empty => Part::Over,
            Framing::Length(left) => Part::Sized { left },
            Framing::Chunked => Part::Chunked(Chunks::new()),
            Framing::UntilClose => Part::UntilClose,
        };
        Ok(())
    }

    /// The server closed: the end of a body without a length, a failure anywhere else.
    pub(super) fn close(&mut self) -> Result<(), Failure> {
        match self.part {
            Part::UntilClose | Part::Over => {
                self.part = Part::Over;
                Ok(())
            }
            Part::Head | Part::Sized { .. } | Part::Chunked(_) => Err(Failure::Closed {
                progress: self.progress(),
            }),
        }
    }
}
