//! What a run tells while it takes its time.

use crate::gate::Verdict;
use crate::host::Holder;

/// Hears how far a run is.
pub(crate) trait Progress {
    /// Another load holds the machine's lease.
    fn waiting(&mut self, holder: &Holder);
    /// Round `number` of `rounds`, from 1, begins.
    fn round(&mut self, number: usize, rounds: usize);
    /// The rounds gave this verdict and are measured again on fresh starts.
    fn again(&mut self, verdict: Verdict);
}

/// Tells nobody.
#[derive(Debug)]
pub(crate) struct Silent;

impl Progress for Silent {
    fn waiting(&mut self, _holder: &Holder) {}
    fn round(&mut self, _number: usize, _rounds: usize) {}
    fn again(&mut self, _verdict: Verdict) {}
}
