//! Seeded draws.

/// SplitMix64 (Steele, Lea and Flood 2014): small, and its streams of different seeds differ.
#[derive(Debug)]
pub(super) struct Chance(u64);

impl Chance {
    /// The draws of one thread of a load.
    pub(super) fn new(seed: u64, thread: u64) -> Self {
        let mut chance = Self(seed);
        let own = chance
            .next()
            .wrapping_add(thread.wrapping_mul(0x2545_f491_4f6c_dd1d));
        Self(own)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to `end`, exclusive, by the high half of a product (Lemire 2019); its bias
    /// is below `end` / 2^64.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }
}
