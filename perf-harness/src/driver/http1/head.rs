//! The head of one reply: its status, how its body ends, and whether the connection stays.

use std::mem::MaybeUninit;

use httparse::{Header, ParserConfig, Response, Status};

use super::failure::Malformed;

/// Header fields that a reply may have.
pub(super) const FIELD_LIMIT: usize = 300;

/// Bytes of a head that is worth remembering.
const MEMORABLE: usize = 2048;

/// A final reply, unlike its neighbours: after it the connection speaks another protocol.
const SWITCHING_PROTOCOLS: u16 = 101;

/// What the engine needs to know of a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) status: u16,
    /// Bytes of the head, the empty line included.
    pub(super) length: usize,
    pub(super) framing: Framing,
    pub(super) keep_alive: bool,
}

/// How the body of a reply ends (RFC 9112, 6.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// No body at all.
    Empty,
    Length(u64),
    Chunked,
    UntilClose,
}

/// Parses heads, and remembers the last one: a server sends the same bytes again and again, and to
/// compare them costs a small part of parsing them.
#[derive(Debug)]
pub(super) struct HeadParser {
    asked_for_head: bool,
    last: Option<Head>,
    last_bytes: Vec<u8>,
}

impl HeadParser {
    pub(super) fn new(asked_for_head: bool) -> Self {
        Self {
            asked_for_head,
            last: None,
            last_bytes: Vec::new(),
        }
    }

    /// The next head answers another request: one that was remembered for a request of the other
    /// kind means another framing.
    pub(super) fn restart(&mut self, asked_for_head: bool) {
        if self.asked_for_head != asked_for_head {
            self.asked_for_head = asked_for_head;
            self.last = None;
        }
    }

    /// Reads the head at the front of `bytes`; `None` when more bytes are needed.
    pub(super) fn parse(&mut self, bytes: &[u8]) -> Result<Option<Head>, Malformed> {
        if self.last.is_some() && bytes.starts_with(&self.last_bytes) {
            return Ok(self.last);
        }
        let head = Head::parse(bytes, self.asked_for_head)?;
        if let Some(head) = head {
            self.remember(head, bytes);
        }
        Ok(head)
    }

    fn remember(&mut self, head: Head, bytes: &[u8]) {
        self.last = Some(head).filter(|head| head.length <= MEMORABLE);
        self.last_bytes.clear();
        self.last_bytes
            .extend_from_slice(&bytes[..head.length.min(MEMORABLE)]);
    }
}

impl Head {
    /// Reads the head at the front of `bytes`; `None` when more bytes are needed.
    fn parse(bytes: &[u8], asked_for_head: bool) -> Result<Option<Self>, Malformed> {
        let mut fields = [const { MaybeUninit::uninit() }; FIELD_LIMIT];
        let mut response = Response::new(&mut []);
        match ParserConfig::default().parse_response_with_uninit_headers(
            &mut response,
            bytes,
            &mut fields,
        ) {
            Ok(Status::Complete(length)) => Self::of(&response, length, asked_for_head).map(Some),
            Ok(Status::Partial) => Ok(None),
            Err(httparse::Error::TooManyHeaders) => {
                Err(Malformed::TooManyFields { limit: FIELD_LIMIT })
            }
            Err(error) => Err(Malformed::Head(error)),
        }
    }

    fn of(
        response: &Response<'_, '_>,
        length: usize,
        asked_for_head: bool,
    ) -> Result<Self, Malformed> {
        let status = response.code.unwrap_or_default();
        let mut fields = Fields::default();
        for header in response.headers.iter() {
            fields.read(header)?;
        }
        let framing = fields.framing(status, asked_for_head);
        let stays_http = status != SWITCHING_PROTOCOLS && framing != Framing::UntilClose;
        Ok(Self {
            status,
            length,
            framing,
            keep_alive: stays_http && fields.keep_alive(response.version == Some(1)),
        })
    }

    /// Whether this head only announces the reply.
    pub(super) fn is_interim(&self) -> bool {
        (100..200).contains(&self.status) && self.status != SWITCHING_PROTOCOLS
    }
}

/// The fields that say how a reply ends and whether the connection stays.
#[derive(Default)]
struct Fields {
    length: Option<u64>,
    coding: Option<Coding>,
    says_close: bool,
    says_keep_alive: bool,
}

/// The last transfer coding of a message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Coding {
    Chunked,
    Other,
}

impl Fields {
    fn read(&mut self, header: &Header<'_>) -> Result<(), Malformed> {
        match header.name.len() {
            10 if header.name.eq_ignore_ascii_case("connection") => {
                self.read_connection(header.value)
            }
            14 if header.name.eq_ignore_ascii_case("content-length") => {
                self.read_length(header.value)?
            }
            17 if header.name.eq_ignore_ascii_case("transfer-encoding") => {
                self.read_coding(header.value)
            }
            _ => {}
        }
        Ok(())
    }

    fn read_connection(&mut self, value: &[u8]) {
        for option in elements(value) {
            self.says_close |= option.eq_ignore_ascii_case(b"close");
            self.says_keep_alive |= option.eq_ignore_ascii_case(b"keep-alive");
        }
    }

    fn read_length(&mut self, value: &[u8]) -> Result<(), Malformed> {
        for element in elements(value) {
            let length = decimal(element).ok_or(Malformed::ContentLength)?;
            if self.length.is_some_and(|earlier| earlier != length) {
                return Err(Malformed::ContentLength);
            }
            self.length = Some(length);
        }
        Ok(())
    }

    fn read_coding(&mut self, value: &[u8]) {
        let Some(last) = elements(value).last() else {
            return;
        };
        let chunked = last.eq_ignore_ascii_case(b"chunked");
        self.coding = Some(if chunked {
            Coding::Chunked
        } else {
            Coding::Other
        });
    }

    fn framing(&self, status: u16, asked_for_head: bool) -> Framing {
        if asked_for_head || status < 200 || status == 204 || status == 304 {
            return Framing::Empty;
        }
        match (self.coding, self.length) {
            (Some(Coding::Chunked), _) => Framing::Chunked,
            (None, Some(0)) => Framing::Empty,
            (None, Some(length)) => Framing::Length(length),
            (Some(Coding::Other), _) | (None, None) => Framing::UntilClose,
        }
    }

    /// A message with both a coding and a length is suspect: it is read, then the connection goes.
    fn keep_alive(&self, is_version_1_1: bool) -> bool {
        let contradicts_itself = self.coding.is_some() && self.length.is_some();
        !self.says_close && !contradicts_itself && (is_version_1_1 || self.says_keep_alive)
    }
}

fn elements(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii)
}

/// Digits alone: `u64::from_str` would take a leading `+`.
fn decimal(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u64, |value, digit| {
        let digit = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
        value.checked_mul(10)?.checked_add(digit)
    })
}
