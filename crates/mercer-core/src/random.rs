//! Random numbers that are the same for the same seed on every platform and in every version.
//!
//! The library and the program use this generator only. A change here changes every seeded result.

/// SplitMix64: one addition and a mixing of bits per number. Any seed will do.
///
/// G. Steele, D. Lea and C. Flood, *Fast splittable pseudorandom number generators*, OOPSLA 2014.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The random stream of a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// A separate stream for each part of a computation, such as a repetition or a resample. Parts can then run in any
    /// order, on any thread.
    pub fn derived(seed: u64, part: u64) -> Self {
        Random(derive_seed(seed, part))
    }

    /// Sixty-four random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to n - 1; 0 when n is 0. The bias is below n / 2⁶⁴.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// A number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number from the standard normal distribution (Box and Muller 1958).
    pub fn normal(&mut self) -> f64 {
        // 1 - u is never 0, so its logarithm is finite.
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// Puts the items in a random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            let j = self.below(i + 1);
            items.swap(i, j);
        }
    }

    /// `count` distinct numbers below n, ascending. When `count` ≥ n: all n numbers, without drawing any.
    pub fn sample(&mut self, n: usize, count: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..n).collect();
        if n > count {
            self.shuffle(&mut all);
            all.truncate(count);
            all.sort_unstable();
        }
        all
    }
}

/// A seed for one part of a computation, derived from the main seed.
pub fn derive_seed(seed: u64, part: u64) -> u64 {
    // Mixing the part first separates neighbouring parts of neighbouring seeds.
    Random(seed ^ Random(part).bits()).bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_distinct_and_ascending() {
        let some = Random::new(1).sample(100, 10);
        assert!(some.len() == 10 && some.is_sorted_by(|a, b| a < b) && some[9] < 100);
        assert_eq!(Random::new(1).sample(3, 5), [0, 1, 2]);
        assert!(Random::new(1).sample(3, 0).is_empty());
    }

    /// The first values of the published generator for seed 1234567.
    #[test]
    fn published_values() {
        let mut random = Random::new(1234567);
        assert_eq!(random.bits(), 6457827717110365317);
        assert_eq!(random.bits(), 3203168211198807973);
        assert_eq!(random.bits(), 9817491932198370423);
    }

    #[test]
    fn ranges_and_orders() {
        let mut random = Random::new(7);
        assert!((0..1000).all(|_| random.below(3) < 3 && (0.0..1.0).contains(&random.unit())));
        assert_eq!(random.below(0), 0);
        let mut items: Vec<usize> = (0..50).collect();
        random.shuffle(&mut items);
        assert!(!items.is_sorted());
        items.sort_unstable();
        assert!(items.iter().enumerate().all(|(i, &item)| i == item));
    }

    #[test]
    fn normal_moments() {
        let mut random = Random::new(1);
        let x: Vec<f64> = (0..20_000).map(|_| random.normal()).collect();
        let moment = |p: i32| x.iter().map(|v| v.powi(p)).sum::<f64>() / x.len() as f64;
        // Standard errors: 1/√n, √2/√n, √96/√n.
        assert!(moment(1).abs() < 0.03);
        assert!((moment(2) - 1.0).abs() < 0.05);
        assert!((moment(4) - 3.0).abs() < 0.3);
    }

    #[test]
    fn parts_and_seeds_differ() {
        let mut seen: Vec<u64> = (0..40).flat_map(|s| (0..40).map(move |p| derive_seed(s, p))).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 1600);
    }
}
