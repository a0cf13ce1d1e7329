//! Seeded draws.

/// SplitMix64 (Steele, Lea and Flood 2014): small, and its streams of different seeds differ.
#[derive(Clone, Debug)]
pub(super) struct Chance(u64);

/// The stream that the arrivals of an open loop are drawn from; those of threads count up from 0.
pub(super) const ARRIVALS: u64 = u64::MAX;

impl Chance {
    /// One of the streams of a load's seed.
    pub(super) fn new(seed: u64, stream: u64) -> Self {
        let mut chance = Self(seed);
        let own = chance
            .next()
            .wrapping_add(stream.wrapping_mul(0x2545_f491_4f6c_dd1d));
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

    /// Exponentially distributed with mean 1.
    pub(super) fn exponential(&mut self) -> f64 {
        const UNIT: f64 = 1.0 / (1_u64 << 53) as f64;
        let above_zero = ((self.next() >> 11) + 1) as f64 * UNIT;
        -above_zero.ln()
    }
}
