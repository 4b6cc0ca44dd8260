//! A small generator of pseudorandom numbers, the same on every machine.

/// SplitMix64 (Steele, Lea & Flood 2014): one addition and a mixing of bits per number.
#[derive(Clone, Debug)]
pub(super) struct SplitMix64(u64);

impl SplitMix64 {
    /// A generator; every seed is good.
    pub(super) fn new(seed: u64) -> Self {
        SplitMix64(seed)
    }

    /// The next number.
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Puts values in random order.
    pub(super) fn shuffle<T>(&mut self, values: &mut [T]) {
        for last in (1..values.len()).rev() {
            // The high half of a product is below `last + 1`; the bias is below 2⁻³² for any list that fits in memory.
            let at = (u128::from(self.next()) * (last as u128 + 1)) >> 64;
            values.swap(last, at as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_numbers() {
        // Known outputs of the generator for the seed 1234567.
        let mut random = SplitMix64::new(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn a_shuffle_keeps_all_values() {
        let mut values: Vec<usize> = (0..100).collect();
        SplitMix64::new(1).shuffle(&mut values);
        assert_ne!(values, (0..100).collect::<Vec<_>>());
        values.sort_unstable();
        assert_eq!(values, (0..100).collect::<Vec<_>>());
    }
}
