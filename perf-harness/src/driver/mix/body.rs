//! Bodies that have to be looked at.
//!
//! A server mostly sends the same bytes again, and to compare them costs a small part of hashing
//! or searching them: a body that equals the last good one is good. Only what differs is kept.

use std::cell::RefCell;
use std::fmt::Write as _;

use hmac_sha256::Hash;
use memchr::memmem;

use crate::load::Expected;

/// Bodies up to here are remembered, to be compared with the next.
const MEMORABLE: usize = 1024 * 1024;

/// A body that must be looked at is held in memory up to here.
const MOST: usize = 64 * 1024 * 1024;

/// What of a reply was not as expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(in crate::driver) enum Fault {
    #[error("the body has {found} bytes where {expected} are expected")]
    Length { found: u64, expected: u64 },
    #[error("the body has the SHA-256 {found} where {expected} is expected")]
    Sha256 { found: String, expected: String },
    #[error("the body does not hold {expected:?}")]
    Contains { expected: String },
    #[error("the check of the body says: {reason}")]
    Check { reason: String },
    #[error("the body is longer than the {most} bytes that can be looked at")]
    TooLong { most: usize },
}

/// What one connection has read of a body.
#[derive(Debug, Default)]
pub(in crate::driver) struct Body {
    /// Bytes that are the same as those of the last good body.
    same: usize,
    /// The whole body from its first byte on, once it differs.
    own: Vec<u8>,
    differs: bool,
}

/// What the bodies of one request must be.
#[derive(Debug)]
pub(in crate::driver) struct Look {
    expected: Expected,
    last_good: RefCell<Vec<u8>>,
}

impl Body {
    fn begin(&mut self) {
        self.same = 0;
        self.differs = false;
        self.own.clear();
    }

    fn take(&mut self, piece: &[u8], last_good: &[u8]) {
        if !self.differs {
            if last_good[self.same..].starts_with(piece) {
                self.same += piece.len();
                return;
            }
            self.differs = true;
            self.own.extend_from_slice(&last_good[..self.same]);
        }
        // One byte too much is enough to be found too long.
        let room = (MOST + 1).saturating_sub(self.own.len());
        self.own.extend_from_slice(&piece[..piece.len().min(room)]);
    }

    /// The body; `None` when it is the last good one.
    fn whole(&mut self, last_good: &[u8]) -> Option<&[u8]> {
        if self.differs {
            return Some(&self.own);
        }
        if self.same == last_good.len() && self.same > 0 {
            return None;
        }
        self.own.extend_from_slice(&last_good[..self.same]);
        Some(&self.own)
    }
}

impl Look {
    pub(in crate::driver) fn new(expected: &Expected) -> Self {
        Self {
            expected: expected.clone(),
            last_good: RefCell::default(),
        }
    }

    /// Whether the bytes of the body decide, not only how many they are.
    pub(in crate::driver) fn is_needed(&self) -> bool {
        self.expected.reads_the_body()
    }

    pub(in crate::driver) fn begin(&self, body: &mut Body) {
        body.begin();
    }

    /// Takes the next bytes of a body.
    pub(in crate::driver) fn take(&self, body: &mut Body, piece: &[u8]) {
        body.take(piece, &self.last_good.borrow());
    }

    /// Judges a body that came whole.
    pub(in crate::driver) fn judge(&self, length: u64, body: &mut Body) -> Result<(), Fault> {
        if let Some(expected) = self.expected.length
            && expected != length
        {
            let found = length;
            return Err(Fault::Length { found, expected });
        }
        if !self.is_needed() {
            return Ok(());
        }
        let mut last_good = self.last_good.borrow_mut();
        let Some(bytes) = body.whole(&last_good) else {
            return Ok(());
        };
        self.look(bytes)?;
        if bytes.len() <= MEMORABLE {
            last_good.clear();
            last_good.extend_from_slice(bytes);
        }
        Ok(())
    }

    fn look(&self, bytes: &[u8]) -> Result<(), Fault> {
        if bytes.len() > MOST {
            return Err(Fault::TooLong { most: MOST });
        }
        self.look_at_hash(bytes)?;
        self.look_for_part(bytes)?;
        match &self.expected.check {
            Some(check) => check.look(bytes).map_err(|reason| Fault::Check { reason }),
            None => Ok(()),
        }
    }

    fn look_at_hash(&self, bytes: &[u8]) -> Result<(), Fault> {
        let Some(expected) = &self.expected.sha256 else {
            return Ok(());
        };
        let found = hexadecimal(&Hash::hash(bytes));
        if found.eq_ignore_ascii_case(expected) {
            return Ok(());
        }
        let expected = expected.clone();
        Err(Fault::Sha256 { found, expected })
    }

    fn look_for_part(&self, bytes: &[u8]) -> Result<(), Fault> {
        match &self.expected.contains {
            Some(part) if memmem::find(bytes, part).is_none() => Err(Fault::Contains {
                expected: String::from_utf8_lossy(part).into_owned(),
            }),
            _ => Ok(()),
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes every write");
        text
    })
}
