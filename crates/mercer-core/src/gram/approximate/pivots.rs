//! Incomplete Cholesky factorisation, one column at a time.

use rayon::prelude::*;

use crate::budget;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::random::Random;

/// How the next pivot is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pivot {
    /// The object with the largest residual; the first in a tie.
    Greedy,
    /// An object drawn at random in proportion to its residual, with this seed.
    Random(u64),
}

/// An incomplete Cholesky factor.
#[derive(Clone, Debug, PartialEq)]
pub struct Pivoted {
    /// The objects taken as pivots, in order.
    pub pivots: Vec<usize>,
    /// F with K ≈ F·Fᵀ: a row per object, a column per pivot.
    pub factor: Dense,
    /// The trace of K.
    pub trace: f64,
    /// The trace of K - F·Fᵀ.
    pub left: f64,
}

impl Pivoted {
    /// The fraction of the trace that is left out. K - F·Fᵀ has no negative eigenvalue, so this bounds its largest
    /// eigenvalue and its entries, relative to the trace of K.
    pub fn error(&self) -> f64 {
        if self.trace > 0.0 { self.left / self.trace } else { 0.0 }
    }
}

/// A residual below this fraction of the largest self-similarity is rounding.
const ROUNDING: f64 = 1e-14;

/// An incomplete Cholesky factor of a Gram matrix whose rows are computed on demand.
///
/// `row(p)` returns K_p. Stops at `rank` pivots, or when at most `tolerance` times the trace is left. Costs `rank` rows
/// and O(n·rank²) operations; no other entry of K is used. Fails on a self-similarity that is negative or not finite.
///
/// ```
/// use mercer_core::{data::Dense, gram::{Pivot, pivoted_cholesky}};
/// let k = Dense::from_rows(&[[2.0, 2.0, 0.0], [2.0, 2.0, 0.0], [0.0, 0.0, 1.0]]);
/// let found = pivoted_cholesky(&[2.0, 2.0, 1.0], |p| Ok(k.row(p).to_vec()), 1, Pivot::Greedy, 0.0)?;
/// assert_eq!(found.pivots, [0]);
/// assert!((found.left - 1.0).abs() < 1e-12); // two of three objects are the same
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// References: Fine & Scheinberg 2001, Efficient SVM training using low-rank kernel representations (greedy); Chen,
/// Epperly, Tropp & Webber 2025, Randomly pivoted Cholesky.
pub fn pivoted_cholesky(
    diagonal: &[f64],
    mut row: impl FnMut(usize) -> Result<Vec<f64>>,
    rank: usize,
    rule: Pivot,
    tolerance: f64,
) -> Result<Pivoted> {
    if let Some(index) = diagonal.iter().position(|d| !(d.is_finite() && *d >= 0.0)) {
        let reason = format!("its self-similarity {} is negative or not finite", diagonal[index]);
        return Err(Error::Object { index, reason, hint: None });
    }
    let (n, rank) = (diagonal.len(), rank.min(diagonal.len()));
    let trace: f64 = diagonal.iter().sum();
    let noise = ROUNDING * diagonal.iter().copied().fold(0.0, f64::max);
    let mut random = match rule {
        Pivot::Greedy => None,
        Pivot::Random(seed) => Some(Random::new(seed)),
    };
    let mut left = diagonal.to_vec();
    budget::ask(&format!("a factor ({n} × {rank})"), budget::matrix_bytes(n, rank, size_of::<f64>()))?;
    let mut factor = Dense::zeros(n, rank);
    let mut pivots = Vec::with_capacity(rank);
    while pivots.len() < rank && left.iter().sum::<f64>() > tolerance * trace {
        let next = match &mut random {
            None => greatest(&left),
            Some(random) => drawn(&left, random),
        };
        budget::check()?;
        let Some(p) = next.filter(|&p| left[p] > noise) else { break };
        let (values, k) = (row(p)?, pivots.len());
        if values.len() != n {
            return Err(Error::usage(format!(
                "a row of {} entries in a matrix of {n} columns",
                values.len()
            )));
        }
        let (own, root) = (factor.row(p)[..k].to_vec(), left[p].sqrt());
        let rows = factor.values_mut().par_chunks_mut(rank.max(1)).with_min_len(256);
        rows.zip(&mut left).zip(&values).for_each(|((row, left), value)| {
            let known: f64 = row[..k].iter().zip(&own).map(|(a, b)| a * b).sum();
            row[k] = (value - known) / root;
            *left = (*left - row[k] * row[k]).max(0.0);
        });
        left[p] = 0.0;
        pivots.push(p);
    }
    if pivots.len() < rank {
        let kept: Vec<f64> = (0..n).flat_map(|i| factor.row(i)[..pivots.len()].to_vec()).collect();
        factor = Dense::new(n, pivots.len(), kept)?;
    }
    Ok(Pivoted { pivots, factor, trace, left: left.iter().sum() })
}

/// The position of the largest value; the first in a tie.
fn greatest(values: &[f64]) -> Option<usize> {
    let best = |best: Option<usize>, i: usize| match best {
        Some(b) if values[b] >= values[i] => Some(b),
        _ => Some(i),
    };
    (0..values.len()).fold(None, best)
}

/// A position drawn in proportion to its weight; `None` if all weights are 0.
pub(super) fn drawn(weights: &[f64], random: &mut Random) -> Option<usize> {
    let total: f64 = weights.iter().sum();
    let mut at = random.unit() * total;
    let mut last = None;
    for (i, &w) in weights.iter().enumerate().filter(|(_, w)| **w > 0.0) {
        last = Some(i);
        at -= w;
        if at < 0.0 {
            break;
        }
    }
    last
}
