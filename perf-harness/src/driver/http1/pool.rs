//! The requests that are still to be sent, shared by all threads.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::failure::Failure;

/// Connections in a row that could not be opened, after which the server is taken for lost: a dead
/// server refuses so fast that a long load would only heat the machine.
const ATTEMPTS: u32 = 1000;

/// Requests that a thread takes at once at most: what it holds nobody else can send.
const BATCH: u64 = 64;

/// Parts of its even share of what is left that a thread takes at once.
const PARTS: u64 = 4;

/// The requests of one phase.
#[derive(Debug)]
pub(super) struct Pool {
    left: AtomicU64,
    threads: u64,
    /// Failed attempts to connect since one succeeded.
    failed_attempts: AtomicU32,
    lost: Mutex<Option<String>>,
}

/// One thread's hold on the requests of a closed loop.
#[derive(Debug)]
pub(super) struct Share<'a> {
    pool: &'a Pool,
    in_hand: u64,
    stop: Option<Instant>,
}

impl Pool {
    /// Holds what is left of `requests` when every connection has taken its first.
    pub(super) fn new(requests: u64, connections: usize, threads: usize) -> Self {
        Self {
            left: AtomicU64::new(requests.saturating_sub(connections as u64)),
            threads: threads as u64,
            failed_attempts: AtomicU32::new(0),
            lost: Mutex::new(None),
        }
    }

    /// Takes a batch; 0 when nothing is left. Batches end as single requests, so that no thread is
    /// left with many when the others are done.
    fn take(&self) -> u64 {
        let batch = |left: u64| (left / (self.threads * PARTS)).clamp(1, BATCH).min(left);
        let taken = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                Some(left - batch(left))
            });
        taken.map_or(0, batch)
    }

    pub(super) fn note_opened(&self) {
        self.failed_attempts.store(0, Ordering::Relaxed);
    }

    /// A connection could not be opened.
    pub(super) fn note_failed_attempt(&self, failure: &Failure) {
        if self.failed_attempts.fetch_add(1, Ordering::Relaxed) + 1 == ATTEMPTS {
            self.left.store(0, Ordering::Relaxed);
            let mut lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
            lost.get_or_insert_with(|| failure.to_string());
        }
    }

    /// Why the server was given up, if it was.
    pub(super) fn lost(&self) -> Option<String> {
        let lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        lost.clone()
    }
}

impl<'a> Share<'a> {
    /// A share that begins with `first` requests, one for each connection that is to have one.
    pub(super) fn new(pool: &'a Pool, first: u64, stop: Option<Instant>) -> Self {
        Self {
            pool,
            in_hand: first,
            stop,
        }
    }

    /// Takes one request; false when all are taken, or their time is over.
    pub(super) fn take(&mut self) -> bool {
        if self.in_hand == 0 {
            self.in_hand = self.pool.take();
        }
        if self.in_hand == 0 || self.stop.is_some_and(|stop| Instant::now() >= stop) {
            return false;
        }
        self.in_hand -= 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each of `shares` gets when they take in turns.
    fn in_turns(mut shares: Vec<Share<'_>>) -> Vec<u64> {
        let mut taken = vec![0; shares.len()];
        loop {
            let before: u64 = taken.iter().sum();
            for (share, count) in shares.iter_mut().zip(&mut taken) {
                *count += u64::from(share.take());
            }
            if taken.iter().sum::<u64>() == before {
                return taken;
            }
        }
    }

    #[test]
    fn shares_hand_out_each_request_once() {
        for requests in [7, 8, 100, 12_345] {
            let pool = Pool::new(requests, 7, 3);
            let shares = [3, 2, 2].map(|first| Share::new(&pool, first, None));
            let taken = in_turns(shares.into());
            assert_eq!(taken.iter().sum::<u64>(), requests);
        }
    }

    #[test]
    fn no_thread_is_left_with_many() {
        let pool = Pool::new(12_000, 3, 3);
        let shares = (0..3).map(|_| Share::new(&pool, 1, None)).collect();
        let taken = in_turns(shares);
        assert!(
            taken.iter().all(|count| (3_990..=4_010).contains(count)),
            "{taken:?}"
        );
    }

    #[test]
    fn nothing_is_taken_after_the_stop() {
        let pool = Pool::new(10, 1, 1);
        let mut share = Share::new(&pool, 1, Some(Instant::now()));
        assert!(!share.take());
    }
}
