//! SMO steps: two variables at a time, chosen by second-order information.
//!
//! One iteration needs two rows of the matrix. Updating the products g = Kβ and searching for the next variable are one
//! pass over memory. The rows come from a cache of rows of the whole matrix, or from a block small enough for the
//! processor's cache.
//!
//! Reference: Fan, Chen & Lin 2005, Working set selection using second order information for training SVMs.

use super::problem::Bank;
use super::scan::{Ends, Grower, Real, best_partner, find_ends, update_and_find_ends};
use crate::error::Result;

/// The minimum curvature relative to the self-similarity, so that equal objects do not divide by zero.
const TINY: f64 = 1e-12;

/// The minimum self-similarity relative to the largest.
const SHARE: f64 = 1e-6;

/// A curvature below minus this fraction of the self-similarities is more than rounding of single precision.
const NEGATIVE: f64 = 1e-5;

/// A violation up to this many roundings of the products counts as none.
const ROUNDINGS: f64 = 8.0;

/// The source of rows.
pub(super) trait Rows<T> {
    /// Ensures that the row at a position is available, without evicting the one at `keep`.
    fn ensure(&mut self, position: usize, keep: usize) -> Result<()>;

    /// The row at a position, after `ensure`.
    fn row(&self, position: usize) -> &[T];
}

/// Why a run over pairs ended.
pub(super) enum Ended {
    /// No violating pair is left, as far as this precision allows to tell.
    Quiet,
    /// The iteration limit was reached.
    Spent,
    /// The matrix is not positive semidefinite on these two positions.
    Curved { first: usize, second: usize, curvature: f64 },
}

/// Variables with the data of the passes over them, by position. Positions from `active` on are shrunk.
pub(super) struct Pairs<T> {
    pub(super) banks: Vec<Bank>,
    pub(super) active: usize,
    pub(super) iterations: u64,
    /// Whether pairs of negative curvature are moved to a bound.
    pub(super) concave: bool,
    products: Vec<T>,
    diagonal: Vec<T>,
    /// [`Bank::rise`] and [`Bank::fall`] of each bank.
    rises: Vec<Vec<T>>,
    falls: Vec<Vec<T>>,
}

impl<T: Real> Pairs<T> {
    pub(super) fn new(banks: Vec<Bank>, products: &[f64], diagonal: &[f64]) -> Self {
        let n = products.len();
        let all = |f: &dyn Fn(usize) -> f64| (0..n).map(|k| T::from_f64(f(k))).collect::<Vec<T>>();
        Pairs {
            active: n,
            iterations: 0,
            concave: false,
            products: all(&|k| products[k]),
            diagonal: all(&|k| diagonal[k]),
            rises: banks.iter().map(|b| all(&|k| b.rise(k))).collect(),
            falls: banks.iter().map(|b| all(&|k| b.fall(k))).collect(),
            banks,
        }
    }

    /// Replaces the products, by position.
    pub(super) fn set_products(&mut self, products: impl Iterator<Item = f64>) {
        self.products.iter_mut().zip(products).for_each(|(p, v)| *p = T::from_f64(v));
    }

    /// The extreme slopes of every bank.
    pub(super) fn ends(&self) -> Vec<Ends<T>> {
        let n = self.active;
        let of = |b: usize| find_ends(&self.products[..n], &self.rises[b][..n], &self.falls[b][..n]);
        (0..self.banks.len()).map(of).collect()
    }

    /// Moves pairs until the violation is within the tolerance or `most` pairs were moved.
    pub(super) fn run(&mut self, rows: &mut impl Rows<T>, tolerance: f64, most: u64) -> Result<Ended> {
        let n = self.active;
        let largest = self.products[..n].iter().fold(0.0, |most, p| p.to_f64().abs().max(most));
        let tolerance = tolerance.max(ROUNDINGS * T::EPSILON * largest);
        // Rows of zeros use the size of the others, with a lower limit against underflow.
        let sizes = self.diagonal[..n].iter().fold(0.0, |most, d| d.to_f64().abs().max(most));
        let least = (SHARE * sizes).max(T::SMALLEST / TINY);
        let mut ends = self.ends();
        for _ in 0..most {
            let bank =
                (1..ends.len()).fold(0, |best, b| if ends[b].gap() > ends[best].gap() { b } else { best });
            let worst = ends[bank];
            // If products overflowed, the gap is NaN or there is no worst position: they are recomputed.
            if worst.gap() <= tolerance || worst.gap().is_nan() || worst.at >= n {
                return Ok(Ended::Quiet);
            }
            let i = worst.at;
            rows.ensure(i, i)?;
            let own = self.diagonal[i];
            let tiny = T::from_f64(TINY * own.to_f64().abs().max(least));
            let grower = Grower { rise: worst.rise, own, row: &rows.row(i)[..n], tiny };
            let partner =
                best_partner(&self.products[..n], &self.falls[bank][..n], &self.diagonal[..n], &grower);
            let Some(j) = partner else { return Ok(Ended::Quiet) };
            rows.ensure(j, i)?;
            let (row_i, row_j) = (&rows.row(i)[..n], &rows.row(j)[..n]);
            let size = match self.step(bank, i, j, row_i[j].to_f64(), tiny.to_f64()) {
                Ok(Some(size)) => size,
                // Overflowed products are recomputed, then in double precision.
                Ok(None) => return Ok(Ended::Quiet),
                Err(curvature) => return Ok(Ended::Curved { first: i, second: j, curvature }),
            };
            self.iterations += 1;
            let (rises, falls) = (&self.rises, &self.falls);
            let products = &mut self.products[..n];
            let size = T::from_f64(size);
            ends[0] = update_and_find_ends(products, row_i, row_j, size, &rises[0][..n], &falls[0][..n]);
            for b in 1..ends.len() {
                ends[b] = find_ends(products, &rises[b][..n], &falls[b][..n]);
            }
        }
        Ok(Ended::Spent)
    }

    /// Moves variable i up and j down by the same amount, as far as the objective decreases, and returns the amount; or
    /// the curvature if it is negative. With curvature 0 it stops at a bound: `tiny` is above 0, and all bounds are
    /// finite.
    fn step(&mut self, bank: usize, i: usize, j: usize, entry: f64, tiny: f64) -> Result<Option<f64>, f64> {
        let (own, other) = (self.diagonal[i].to_f64(), self.diagonal[j].to_f64());
        let curvature = own + other - 2.0 * entry;
        // Subnormal numbers have lost their digits.
        if curvature < -NEGATIVE * (own.abs() + other.abs()) - 8.0 * T::SMALLEST && !self.concave {
            return Err(curvature);
        }
        let down = self.products[j].to_f64() + self.falls[bank][j].to_f64();
        let up = self.products[i].to_f64() + self.rises[bank][i].to_f64();
        let b = &mut self.banks[bank];
        let ((room_i, end_i), (room_j, end_j)) = (b.room_up(i), b.room_down(j));
        let wanted = (down - up) / if curvature > tiny { curvature } else { tiny };
        if !(wanted > 0.0 && room_i > 0.0 && room_j > 0.0) {
            return Ok(None);
        }
        let size = wanted.min(room_i).min(room_j);
        // A variable that reaches its bound is set to it exactly.
        b.beta[i] = if size == room_i { end_i } else { b.beta[i] + size };
        b.beta[j] = if size == room_j { end_j } else { b.beta[j] - size };
        for k in [i, j] {
            self.rises[bank][k] = T::from_f64(b.rise(k));
            self.falls[bank][k] = T::from_f64(b.fall(k));
        }
        Ok(Some(size))
    }

    /// The order that puts variables which cannot take part in a violating pair last, and how many stay; `None` if too
    /// few can be removed.
    pub(super) fn idle_last(&self) -> Option<(Vec<u32>, usize)> {
        let ends = self.ends();
        let idle = |k: usize| {
            (0..ends.len()).all(|b| {
                let (up, down) = (self.products[k] + self.rises[b][k], self.products[k] + self.falls[b][k]);
                up > ends[b].fall && down < ends[b].rise
            })
        };
        let (kept, idle): (Vec<u32>, Vec<u32>) = (0..self.active as u32).partition(|&k| !idle(k as usize));
        // Moving everything is only worth it if rows become clearly shorter.
        if kept.is_empty() || idle.len() * 10 < self.active {
            return None;
        }
        let stay = kept.len();
        Some(([kept, idle].concat(), stay))
    }

    /// Rearranges the first positions: the new variable k is the old variable `moves[k]`.
    pub(super) fn rearrange(&mut self, moves: &[u32], active: usize) {
        rearrange(&mut self.products, moves);
        rearrange(&mut self.diagonal, moves);
        self.rises.iter_mut().chain(&mut self.falls).for_each(|v| rearrange(v, moves));
        for b in &mut self.banks {
            let parts = [&mut b.beta, &mut b.lower, &mut b.upper, &mut b.linear];
            parts.into_iter().for_each(|v| rearrange(v, moves));
        }
        self.active = active;
    }
}

/// The new entry k is the old entry `moves[k]`; entries beyond stay.
pub(super) fn rearrange<V: Copy>(values: &mut [V], moves: &[u32]) {
    let moved: Vec<V> = moves.iter().map(|&m| values[m as usize]).collect();
    values[..moved.len()].copy_from_slice(&moved);
}
