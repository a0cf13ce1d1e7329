//! Where received bytes land: one buffer for all connections of the thread.
//!
//! Nothing of a reply is kept, so the connections can share it and it stays in the cache. Body
//! bytes that need not be looked at are thrown away within the kernel where it can do that.

use std::io;

use super::stream::Stream;

/// What one look at a reply reads: any usual head, and small replies whole. More would copy bytes
/// of large bodies that are cheaper to discard.
pub(super) const LOOK: usize = 4 * 1024;

/// What one look at a body reads at most.
const LOOK_AT_BODY: u64 = 64 * 1024;

/// What one call throws away at most.
const DISCARD: usize = 1024 * 1024;

/// The buffer that all connections of a thread share.
#[derive(Debug)]
pub(super) struct Landing {
    bytes: Vec<u8>,
    received: u64,
}

/// What one call got.
#[derive(Clone, Copy, Debug)]
pub(super) struct Got<T> {
    pub(super) what: T,
    /// Whether nothing more had come by then.
    pub(super) emptied: bool,
}

impl Landing {
    pub(super) fn new() -> Self {
        Self {
            bytes: vec![0; DISCARD],
            received: 0,
        }
    }

    /// Reads what has come, to be looked at; empty at the end of the stream. `body` bytes are known
    /// to come and to be looked at too.
    pub(super) fn look(&mut self, stream: &mut Stream, body: u64) -> io::Result<Got<&[u8]>> {
        let most = LOOK.max(body.saturating_add(1).min(LOOK_AT_BODY) as usize);
        let count = stream.read(&mut self.bytes[..most])?;
        self.received += count as u64;
        Ok(Got {
            what: &self.bytes[..count],
            emptied: count < most && stream.short_read_empties(),
        })
    }

    /// Throws away up to `most` bytes that have come, and says how many; 0 at the end of the stream.
    pub(super) fn discard(&mut self, stream: &mut Stream, most: u64) -> io::Result<Got<u64>> {
        let most = most.min(DISCARD as u64) as usize;
        let count = stream.discard(&mut self.bytes[..most])?;
        self.received += count as u64;
        Ok(Got {
            what: count as u64,
            emptied: count < most && stream.short_read_empties(),
        })
    }

    /// All bytes received since the last call.
    pub(super) fn take_received(&mut self) -> u64 {
        std::mem::take(&mut self.received)
    }
}
