//! The chunked coding of a body (RFC 9112, 7.1), counted and skipped as it arrives.

use super::failure::Malformed;

/// Bytes of chunk extensions and trailers that one reply may have.
const OVERHEAD_LIMIT: usize = 64 * 1024;

/// 16 hexadecimal digits fill a `u64`.
const SIZE_DIGITS: u32 = 16;

/// Where in the coding the next byte belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Size { digits: u32 },
    Extension,
    SizeEnd,
    Data,
    DataReturn,
    DataEnd,
    TrailerStart,
    Trailer,
    LastEnd,
    Over,
}

/// An incremental reader of one chunked body.
#[derive(Debug)]
pub(super) struct Chunks {
    place: Place,
    /// Bytes that the chunk at hand still has.
    left: u64,
    body: u64,
    overhead: usize,
}

impl Chunks {
    pub(super) fn new() -> Self {
        Self {
            place: Place::Size { digits: 0 },
            left: 0,
            body: 0,
            overhead: 0,
        }
    }

    /// Body bytes so far, framing not counted.
    pub(super) fn body(&self) -> u64 {
        self.body
    }

    pub(super) fn is_over(&self) -> bool {
        self.place == Place::Over
    }

    /// Body bytes that come next for certain: they need not be looked at.
    pub(super) fn skippable(&self) -> u64 {
        if self.place == Place::Data {
            self.left
        } else {
            0
        }
    }

    /// Counts `count` body bytes, at most [`skippable`](Self::skippable), that nobody looked at.
    pub(super) fn skip(&mut self, count: u64) {
        self.left -= count;
        self.body += count;
        if self.left == 0 {
            self.place = Place::DataReturn;
        }
    }

    /// Takes bytes up to the end of the body and says how many; the rest belongs to no chunk. Hands
    /// on what lies in chunks to `body`.
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
        if self.place == Place::Data {
            let count = self.left.min(bytes.len() as u64);
            body(&bytes[..count as usize]);
            self.skip(count);
            return Ok(count as usize);
        }
        self.place = self.after(bytes[0])?;
        Ok(1)
    }

    fn after(&mut self, byte: u8) -> Result<Place, Malformed> {
        match (self.place, byte) {
            (Place::Size { digits }, _) => self.after_size(digits, byte),
            (Place::Extension, b'\r') => Ok(Place::SizeEnd),
            (Place::Extension, _) => self.overhead(Place::Extension),
            (Place::SizeEnd, b'\n') if self.left == 0 => Ok(Place::TrailerStart),
            (Place::SizeEnd, b'\n') => Ok(Place::Data),
            (Place::DataReturn, b'\r') => Ok(Place::DataEnd),
            (Place::DataEnd, b'\n') => Ok(Place::Size { digits: 0 }),
            (Place::TrailerStart, b'\r') => Ok(Place::LastEnd),
            (Place::Trailer, b'\n') => Ok(Place::TrailerStart),
            (Place::TrailerStart | Place::Trailer, _) => self.overhead(Place::Trailer),
            (Place::LastEnd, b'\n') => Ok(Place::Over),
            (Place::SizeEnd | Place::Data | Place::DataReturn | Place::DataEnd, _) => {
                Err(Malformed::ChunkEnd)
            }
            (Place::LastEnd | Place::Over, _) => Err(Malformed::ChunkEnd),
        }
    }

    /// Old servers pad the size with blanks; an extension starts with a semicolon.
    fn after_size(&mut self, digits: u32, byte: u8) -> Result<Place, Malformed> {
        if let Some(digit) = char::from(byte).to_digit(16) {
            return self.after_digit(digits, digit);
        }
        match byte {
            _ if digits == 0 => Err(Malformed::ChunkSize),
            b'\r' => Ok(Place::SizeEnd),
            b';' | b' ' | b'\t' => self.overhead(Place::Extension),
            _ => Err(Malformed::ChunkSize),
        }
    }

    fn after_digit(&mut self, digits: u32, digit: u32) -> Result<Place, Malformed> {
        if digits == SIZE_DIGITS {
            return Err(Malformed::ChunkSize);
        }
        self.left = self.left << 4 | u64::from(digit);
        Ok(Place::Size { digits: digits + 1 })
    }

    fn overhead(&mut self, next: Place) -> Result<Place, Malformed> {
        self.overhead += 1;
        if self.overhead > OVERHEAD_LIMIT {
            return Err(Malformed::ChunkOverhead {
                limit: OVERHEAD_LIMIT,
            });
        }
        Ok(next)
    }
}
