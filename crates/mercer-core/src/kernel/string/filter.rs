//! Filters that estimate counts of l-mers from counts of gapped k-mers.
//!
//! The functions of an l-mer are spanned by products of functions of single symbols with mean 0. Those with s factors
//! form the levels s = 0..l. Functions of the number d of differing positions act on a level as a number (the Hamming
//! scheme): f acts as Σ_d f(d)·K_d(s), and numbers λ_s belong to f(d) = b^-l·Σ_s λ_s·K_s(d), with Krawtchouk polynomials K.
//! Gapped k-mers know the levels up to k, so the best estimate of l-mer counts is the projection on these.
//!
//! Everything is a whole number over b^l, so kernels with these weights are counted exactly.

use super::masks::binomial;
use crate::data::Alphabet;
use crate::error::{Error, Result};

/// The largest number of l-mers whose weights are whole numbers of moderate size.
const MOST_WORDS: u64 = 1 << 24;

/// The weights of pairs of l-mers.
pub(super) struct Filter {
    /// Pairs of (j, weight): pairs of l-mers that agree on a set of j positions count `weight` times, for every set.
    pub(super) weights: Vec<(usize, i128)>,
    /// What these counts are multiplied by.
    pub(super) scale: f64,
}

/// The weights h(d) of the projection on levels up to k.
pub(super) fn estimated(l: usize, k: usize, alphabet: Alphabet) -> Result<Filter> {
    let words = number_of_words(l, alphabet)?;
    Ok(Filter::of(&projection(l, k, alphabet.size()), 1.0 / words as f64))
}

/// The weights of the projection up to its first value that is not positive, applied to both l-mers.
pub(super) fn truncated(l: usize, k: usize, alphabet: Alphabet) -> Result<Filter> {
    let (words, b) = (number_of_words(l, alphabet)?, alphabet.size());
    let mut kept = true;
    let positive = projection(l, k, b).into_iter().map(|h| {
        kept &= h > 0;
        if kept { h } else { 0 }
    });
    let filter: Vec<i128> = positive.collect();
    let levels: Vec<i128> =
        (0..=l).map(|s| (0..=l).map(|d| filter[d] * krawtchouk(l, b, d, s)).sum()).collect();
    let twice =
        |d: usize| (0..=l).map(|s| levels[s] * levels[s] * krawtchouk(l, b, s, d)).sum::<i128>() / words;
    let values: Vec<i128> = (0..=l).map(twice).collect();
    Ok(Filter::of(&values, 1.0 / (words as f64 * words as f64)))
}

impl Filter {
    /// The number of positions of an l-mer: all of them agree for equal l-mers.
    #[cfg(test)]
    pub(super) fn length(&self) -> usize {
        self.weights.iter().map(|w| w.0).max().unwrap_or(0)
    }

    /// From weights by the number of positions that differ, times a scale.
    fn of(values: &[i128], scale: f64) -> Self {
        let l = values.len() - 1;
        let divisor = values.iter().fold(0, |g, v| gcd(g, v.abs())).max(1);
        let sign = |n: usize| if n.is_multiple_of(2) { 1 } else { -1 };
        // The weight by the number t of equal positions is Σ_j weight_j·C(t, j).
        let weight = |j: usize| {
            (0..=j).map(|t| sign(j - t) * binomial(j, t) * (values[l - t] / divisor)).sum::<i128>()
        };
        Filter {
            weights: (0..=l).map(|j| (j, weight(j))).filter(|(_, w)| *w != 0).collect(),
            scale: scale * divisor as f64,
        }
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// b^l.
fn number_of_words(l: usize, alphabet: Alphabet) -> Result<i128> {
    let most = (1..).take_while(|&l| alphabet.size().checked_pow(l).is_some_and(|words| words <= MOST_WORDS));
    let most = most.last().unwrap_or(0) as usize;
    if l > most {
        let domain = format!("at most {most} for these weights with the alphabet {alphabet}");
        return Err(Error::param("l", l, &domain));
    }
    Ok((0..l).fold(1, |words, _| words * i128::from(alphabet.size())))
}

/// b^l·h(d) for all d, where h projects on levels up to k.
fn projection(l: usize, k: usize, b: u64) -> Vec<i128> {
    (0..=l).map(|d| (0..=k).map(|s| krawtchouk(l, b, s, d)).sum()).collect()
}

/// The Krawtchouk polynomial Σ_i (-1)^i (b-1)^(s-i) C(d, i) C(l-d, s-i).
fn krawtchouk(l: usize, b: u64, s: usize, d: usize) -> i128 {
    let power = |n: usize| (0..n).fold(1i128, |p, _| p * i128::from(b - 1));
    let sign = |i: usize| if i.is_multiple_of(2) { 1 } else { -1 };
    (0..=s.min(d)).map(|i| sign(i) * power(s - i) * binomial(d, i) * binomial(l - d, s - i)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The weight of two l-mers by the number of positions that differ.
    fn values(filter: &Filter, l: usize) -> Vec<f64> {
        let value = |t: usize| filter.weights.iter().map(|(j, w)| w * binomial(t, *j)).sum::<i128>();
        (0..=l).map(|d| filter.scale * value(l - d) as f64).collect()
    }

    /// Printed by LS-GKM (commit of 2021) for `-t 1` and `-t 2` in its debug log: c[0], c[1], …
    #[test]
    fn weights_are_those_of_ls_gkm() {
        for (l, k, is_truncated, expected) in super::super::tests::LS_GKM_WEIGHTS {
            let filter = if *is_truncated { truncated } else { estimated };
            let found = values(&filter(*l, *k, Alphabet::Dna).unwrap(), *l);
            for (found, expected) in found.iter().zip(*expected) {
                assert!((found - expected).abs() <= 6e-7, "{l} {k}: {found} {expected}");
            }
        }
    }

    #[test]
    fn the_projection_is_idempotent_and_k_equal_to_l_counts_equal_words() {
        for (l, k) in [(3, 2), (6, 4), (8, 5)] {
            let h = projection(l, k, 4);
            let words = 4i128.pow(l as u32);
            for d in 0..=l {
                // Level by level: applied twice, numbers 0 and 1 are the same.
                let level: i128 = (0..=l).map(|e| h[e] * krawtchouk(l, 4, e, d)).sum();
                assert_eq!(level, if d <= k { words } else { 0 });
            }
        }
        for filter in [estimated, truncated] {
            let equal = filter(5, 5, Alphabet::Dna).unwrap();
            assert_eq!(values(&equal, 5), [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        }
        assert!(truncated(13, 6, Alphabet::Dna).is_err() && truncated(12, 6, Alphabet::Dna).is_ok());
        assert!(truncated(6, 3, Alphabet::Protein).is_err() && truncated(5, 3, Alphabet::Protein).is_ok());
    }
}
