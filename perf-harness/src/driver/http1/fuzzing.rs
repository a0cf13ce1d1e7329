//! What must hold of the reader of replies whatever bytes come, and however they are cut.

use super::failure::{Failure, Progress};
use super::reply::ReplyReader;
use crate::sample::ErrorKind;

/// Bytes at the front of an input that say how the rest is read.
const SETTINGS: usize = 5;

/// What one reading of the bytes came to.
#[derive(Debug, PartialEq, Eq)]
struct Reading {
    /// Status and keep-alive of a whole reply, or how it failed.
    end: Result<(u16, bool), ErrorKind>,
    /// Bytes that belong to the reply; 0 when there is none.
    taken: usize,
    body: u64,
}

/// Reads `data` as a reply, whole and in parts, and compares.
///
/// Its first byte is odd for the reply to a HEAD request; the next four are the sizes of the parts,
/// used in turn.
///
/// # Panics
///
/// When the readings differ, or one of them breaks a promise of the reader.
pub fn reply(data: &[u8]) {
    let Some((settings, bytes)) = data.split_at_checked(SETTINGS) else {
        return;
    };
    let asked_for_head = settings[0] & 1 == 1;
    let mut reader = ReplyReader::new(!asked_for_head);
    let mut whole_body = Vec::new();
    let whole = fed(&mut reader, asked_for_head, &[bytes], &mut whole_body);
    for parts in [cut(bytes, &settings[1..]), cut(bytes, &[0])] {
        let mut body = Vec::new();
        assert_eq!(fed(&mut reader, asked_for_head, &parts, &mut body), whole);
        assert_eq!(body, whole_body);
        assert_eq!(skipped(&mut reader, asked_for_head, &parts), whole);
    }
}

/// Cuts `bytes` into parts, each one byte longer than its size says, so that none is empty.
fn cut<'a>(mut bytes: &'a [u8], sizes: &[u8]) -> Vec<&'a [u8]> {
    let mut parts = Vec::new();
    for size in sizes.iter().cycle() {
        if bytes.is_empty() {
            break;
        }
        let (part, rest) = bytes.split_at(bytes.len().min(usize::from(*size) + 1));
        parts.push(part);
        bytes = rest;
    }
    parts
}

/// Reads all parts by looking at every byte.
fn fed(
    reader: &mut ReplyReader,
    asked_for_head: bool,
    parts: &[&[u8]],
    body: &mut Vec<u8>,
) -> Reading {
    reader.restart(asked_for_head);
    let mut taken = 0;
    let mut outcome = Ok(());
    for part in parts {
        let before = reader.progress();
        match reader.feed(part, &mut |bytes| body.extend_from_slice(bytes)) {
            Ok(count) => taken += checked(reader, count, part),
            Err(malformed) => outcome = Err(Failure::from(malformed)),
        }
        assert_grows(before, reader.progress());
        assert_eq!(body.len() as u64, reader.body());
        if outcome.is_err() {
            break;
        }
    }
    ended(reader, outcome, taken)
}

/// Reads all parts but passes over what need not be looked at.
fn skipped(reader: &mut ReplyReader, asked_for_head: bool, parts: &[&[u8]]) -> Reading {
    reader.restart(asked_for_head);
    let mut taken = 0;
    for part in parts {
        let count = match reader.skippable().min(part.len() as u64) as usize {
            0 => 0,
            count => {
                reader.skip(count as u64);
                count
            }
        };
        match reader.feed(&part[count..], &mut |_| {}) {
            Ok(fed) => taken += count + checked(reader, fed, &part[count..]),
            Err(malformed) => return ended(reader, Err(malformed.into()), taken),
        }
    }
    ended(reader, Ok(()), taken)
}

/// A reader takes all there is, unless the reply is over.
fn checked(reader: &ReplyReader, count: usize, part: &[u8]) -> usize {
    assert!(count == part.len() || count < part.len() && reader.is_over());
    count
}

/// A body is never taken back; a head may turn out to be one of an interim reply.
fn assert_grows(before: Progress, after: Progress) {
    if let Progress::Body { received: earlier } = before {
        assert!(matches!(after, Progress::Body { received } if received >= earlier));
    }
}

fn ended(reader: &mut ReplyReader, outcome: Result<(), Failure>, taken: usize) -> Reading {
    let body = reader.body();
    let end = outcome
        .and_then(|()| reader.close())
        .map(|()| (reader.status(), reader.keeps_alive()))
        .map_err(|failure| failure.kind());
    let taken = if end == Err(ErrorKind::Parse) {
        0
    } else {
        taken
    };
    assert!(end.is_err() || body <= taken as u64);
    Reading { end, taken, body }
}
