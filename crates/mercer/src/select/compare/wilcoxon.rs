//! Wilcoxon's signed-rank test.

use super::test::{Difference, Test, differences, midranks};
use crate::error::Result;
use crate::select::distribution::normal_two_sided;

/// How pairs without difference are handled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Zeros {
    /// They are left out before ranking (Wilcoxon 1945).
    #[default]
    Wilcoxon,
    /// They are ranked, and their ranks left out (Pratt 1959).
    Pratt,
}

/// Up to this many differences p is exact: 2⁵⁰ sign patterns are counted in a table of a few thousand numbers.
const EXACT: usize = 50;
/// With more pairs than this (zeros ranked as by Pratt) the table would grow without need.
const EXACT_PAIRS: usize = 2000;

/// Wilcoxon's signed-rank test of paired scores: absolute differences are ranked, and the ranks of positive ones
/// summed.
///
/// Equal differences share the mean of their ranks. Up to 50 nonzero differences, p is exact, including ties, by
/// dynamic programming over rank sums. Beyond that, p comes from the normal distribution with variance Σ rank² / 4,
/// which accounts for ties, without continuity correction. The statistic is the smaller of the two rank sums.
///
/// ```
/// use mercer::select::compare::{self, Zeros};
/// let a = [0.9, 0.8, 0.7, 0.9, 0.6, 0.8];
/// let b = [0.85, 0.7, 0.5, 0.6, 0.2, 0.3];
/// let test = compare::wilcoxon(&a, &b, Zeros::Wilcoxon)?;
/// assert_eq!(test.statistic, Some(0.0));
/// assert_eq!(test.p, Some(2.0 / 64.0));
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// F. Wilcoxon, *Individual comparisons by ranking methods*, Biometrics Bulletin 1 (1945); J. Pratt, *Remarks on zeros
/// and ties in the Wilcoxon signed rank procedures*, JASA 54 (1959).
pub fn wilcoxon(a: &[f64], b: &[f64], zeros: Zeros) -> Result<Test> {
    const NAME: &str = "Wilcoxon signed-rank";
    let mut pairs = differences(a, b)?;
    if zeros == Zeros::Wilcoxon {
        pairs.retain(|d| d.value != 0.0);
    }
    let (ranks, _) = midranks(&pairs.iter().map(|d| (d.value.abs(), d.tolerance)).collect::<Vec<_>>());
    let signed: Vec<(Difference, f64)> =
        pairs.into_iter().zip(ranks).filter(|(d, _)| d.value != 0.0).collect();
    let n = signed.len();
    if n == 0 {
        return Ok(Test { exact: true, ..Test::no_difference(NAME, 0) });
    }
    let total: f64 = signed.iter().map(|(_, rank)| rank).sum();
    let positive: f64 = signed.iter().filter(|(d, _)| d.value > 0.0).map(|(_, rank)| rank).sum();
    let smaller = positive.min(total - positive);
    let lead = 2.0 * positive - total;
    if n <= EXACT && a.len() <= EXACT_PAIRS {
        // Twice a midrank is a whole number.
        let doubled: Vec<usize> = signed.iter().map(|(_, rank)| (2.0 * rank) as usize).collect();
        let p = (2.0 * lower_tail(&doubled, (2.0 * smaller) as usize)).min(1.0);
        return Ok(Test { exact: true, ..Test::new(NAME, n, smaller, p) }.with_lead(lead));
    }
    let variance = signed.iter().map(|(_, rank)| rank * rank).sum::<f64>() / 4.0;
    let z = (smaller - total / 2.0) / variance.sqrt();
    Ok(Test::new(NAME, n, smaller, normal_two_sided(z)).with_lead(lead))
}

/// The probability that the ranks of a uniformly random subset sum to at most `limit`.
fn lower_tail(ranks: &[usize], limit: usize) -> f64 {
    let mut share = vec![0.0; limit + 1];
    share[0] = 1.0;
    for &rank in ranks {
        for sum in (0..=limit).rev() {
            // Halving is exact, so the shares are multiples of 2⁻ⁿ without rounding.
            let with = if sum >= rank { share[sum - rank] } else { 0.0 };
            share[sum] = 0.5 * (share[sum] + with);
        }
    }
    share.iter().sum()
}
