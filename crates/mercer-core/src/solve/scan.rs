//! The passes over all variables, written so that the compiler vectorises them.
//!
//! Each keeps a best value and the number of its chunk per lane, and compares lanes at the end. The smallest position
//! wins a tie, so results do not depend on the vector width. Chunks are counted in the precision of the values, so that
//! counts and values share vector registers; single precision counts exactly beyond 2²⁸ variables.

use std::ops::{Add, Mul, Sub};

use super::columns::Precision;
use crate::numeric::math::vectorised;

/// The number of independent running bests.
const LANES: usize = 16;

/// The two precisions, with the arithmetic the passes need.
pub(super) trait Real:
    Precision + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + PartialOrd
{
    const ZERO: Self;
    const ONE: Self;
    const INFINITY: Self;
    const MINUS_INFINITY: Self;
    /// The distance from 1 to the next number.
    const EPSILON: f64;
    /// The smallest normal number.
    const SMALLEST: f64;
}

impl Real for f32 {
    const ZERO: f32 = 0.0;
    const ONE: f32 = 1.0;
    const INFINITY: f32 = f32::INFINITY;
    const MINUS_INFINITY: f32 = f32::NEG_INFINITY;
    const EPSILON: f64 = f32::EPSILON as f64;
    const SMALLEST: f64 = f32::MIN_POSITIVE as f64;
}

impl Real for f64 {
    const ZERO: f64 = 0.0;
    const ONE: f64 = 1.0;
    const INFINITY: f64 = f64::INFINITY;
    const MINUS_INFINITY: f64 = f64::NEG_INFINITY;
    const EPSILON: f64 = f64::EPSILON;
    const SMALLEST: f64 = f64::MIN_POSITIVE;
}

/// The smallest slope for growing, its position, and the largest slope for decreasing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends<T> {
    pub(super) rise: T,
    pub(super) at: usize,
    pub(super) fall: T,
}

impl<T: Real> Ends<T> {
    /// The violation of optimality.
    pub(super) fn gap(&self) -> f64 {
        self.fall.to_f64() - self.rise.to_f64()
    }
}

/// Running bests of [`Ends`].
struct Running<T> {
    rise: [T; LANES],
    chunk: [T; LANES],
    fall: [T; LANES],
}

impl<T: Real> Running<T> {
    #[inline(always)]
    fn start() -> Self {
        Running { rise: [T::INFINITY; LANES], chunk: [T::ZERO; LANES], fall: [T::MINUS_INFINITY; LANES] }
    }

    #[inline(always)]
    fn update(&mut self, lane: usize, chunk: T, product: T, rise: T, fall: T) {
        let (up, down) = (product + rise, product + fall);
        let better = up < self.rise[lane];
        self.rise[lane] = if better { up } else { self.rise[lane] };
        self.chunk[lane] = if better { chunk } else { self.chunk[lane] };
        self.fall[lane] = if down > self.fall[lane] { down } else { self.fall[lane] };
    }

    fn reduce(&self) -> Ends<T> {
        let mut ends = Ends { rise: T::INFINITY, at: usize::MAX, fall: T::MINUS_INFINITY };
        for lane in 0..LANES {
            let (rise, at) = (self.rise[lane], position(self.chunk[lane], lane));
            if rise < ends.rise || rise == ends.rise && rise < T::INFINITY && at < ends.at {
                (ends.rise, ends.at) = (rise, at);
            }
            if self.fall[lane] > ends.fall {
                ends.fall = self.fall[lane];
            }
        }
        ends
    }
}

fn position<T: Real>(chunk: T, lane: usize) -> usize {
    chunk.to_f64() as usize * LANES + lane
}

/// The extreme slopes of a set of variables.
pub(super) fn find_ends<T: Real>(products: &[T], rises: &[T], falls: &[T]) -> Ends<T> {
    vectorised(
        #[inline(always)]
        || {
            let mut best = Running::start();
            let chunks =
                products.chunks_exact(LANES).zip(rises.chunks_exact(LANES)).zip(falls.chunks_exact(LANES));
            let mut chunk = T::ZERO;
            for ((p, r), f) in chunks {
                for lane in 0..LANES {
                    best.update(lane, chunk, p[lane], r[lane], f[lane]);
                }
                chunk = chunk + T::ONE;
            }
            let whole = products.len() / LANES * LANES;
            for k in whole..products.len() {
                best.update(k - whole, chunk, products[k], rises[k], falls[k]);
            }
            best.reduce()
        },
    )
}

/// Adds size·(row_i - row_j) to the products and finds the extreme slopes, in one pass.
pub(super) fn update_and_find_ends<T: Real>(
    products: &mut [T],
    row_i: &[T],
    row_j: &[T],
    size: T,
    rises: &[T],
    falls: &[T],
) -> Ends<T> {
    vectorised(
        #[inline(always)]
        || {
            let mut best = Running::start();
            let whole = products.len() / LANES * LANES;
            let (head, tail) = products.split_at_mut(whole);
            let chunks = head
                .chunks_exact_mut(LANES)
                .zip(row_i.chunks_exact(LANES))
                .zip(row_j.chunks_exact(LANES))
                .zip(rises.chunks_exact(LANES))
                .zip(falls.chunks_exact(LANES));
            let mut chunk = T::ZERO;
            for ((((p, ki), kj), r), f) in chunks {
                for lane in 0..LANES {
                    let product = p[lane] + size * (ki[lane] - kj[lane]);
                    p[lane] = product;
                    best.update(lane, chunk, product, r[lane], f[lane]);
                }
                chunk = chunk + T::ONE;
            }
            for (lane, p) in tail.iter_mut().enumerate() {
                let k = whole + lane;
                *p = *p + size * (row_i[k] - row_j[k]);
                best.update(lane, chunk, *p, rises[k], falls[k]);
            }
            best.reduce()
        },
    )
}

/// Running bests of (gain)² / curvature, compared by cross-multiplication because divisions are slow.
struct Partners<T> {
    squares: [T; LANES],
    curvatures: [T; LANES],
    chunk: [T; LANES],
}

impl<T: Real> Partners<T> {
    #[inline(always)]
    fn start() -> Self {
        Partners { squares: [T::ZERO; LANES], curvatures: [T::ONE; LANES], chunk: [T::ZERO; LANES] }
    }

    #[inline(always)]
    fn update(&mut self, lane: usize, chunk: T, gain: T, curvature: T) {
        let gain = if gain > T::ZERO { gain } else { T::ZERO };
        let square = gain * gain;
        let better = square * self.curvatures[lane] > self.squares[lane] * curvature;
        self.squares[lane] = if better { square } else { self.squares[lane] };
        self.curvatures[lane] = if better { curvature } else { self.curvatures[lane] };
        self.chunk[lane] = if better { chunk } else { self.chunk[lane] };
    }

    fn reduce(&self) -> Option<usize> {
        let at = |lane: usize| position(self.chunk[lane], lane);
        let better = |a: usize, b: usize| {
            let (ours, theirs) = (self.squares[a] * self.curvatures[b], self.squares[b] * self.curvatures[a]);
            ours > theirs || ours == theirs && at(a) < at(b)
        };
        let seen = (0..LANES).filter(|&lane| self.squares[lane] > T::ZERO);
        seen.reduce(|best, lane| if better(lane, best) { lane } else { best }).map(at)
    }
}

/// The variable that grows, with the data needed to find its partner.
pub(super) struct Grower<'a, T> {
    /// The slope for growing.
    pub(super) rise: T,
    /// Its self-similarity.
    pub(super) own: T,
    /// The row of the variable.
    pub(super) row: &'a [T],
    /// The minimum curvature.
    pub(super) tiny: T,
}

/// The variable whose decrease, paired with the growth of another, lowers the objective most: the largest (gain)² /
/// curvature. `None` if no decrease gains anything.
pub(super) fn best_partner<T: Real>(
    products: &[T],
    falls: &[T],
    diagonal: &[T],
    grower: &Grower<'_, T>,
) -> Option<usize> {
    let Grower { rise, own, row, tiny } = *grower;
    vectorised(
        #[inline(always)]
        || {
            let mut best = Partners::start();
            let curvature = |other: T, entry: T| {
                let c = (own + other) - (entry + entry);
                if c > tiny { c } else { tiny }
            };
            let chunks = products
                .chunks_exact(LANES)
                .zip(falls.chunks_exact(LANES))
                .zip(diagonal.chunks_exact(LANES))
                .zip(row.chunks_exact(LANES));
            let mut chunk = T::ZERO;
            for (((p, f), d), k) in chunks {
                for lane in 0..LANES {
                    best.update(lane, chunk, (p[lane] + f[lane]) - rise, curvature(d[lane], k[lane]));
                }
                chunk = chunk + T::ONE;
            }
            let whole = products.len() / LANES * LANES;
            for k in whole..products.len() {
                let gain = (products[k] + falls[k]) - rise;
                best.update(k - whole, chunk, gain, curvature(diagonal[k], row[k]));
            }
            best.reduce()
        },
    )
}

/// Adds Σ_r weight_r · row_r to the sums, row after row for each entry, so that splitting the entries among threads
/// changes nothing.
pub(super) fn add_rows<T: Real>(sums: &mut [f64], rows: &[&[T]], weights: &[f64]) {
    vectorised(
        #[inline(always)]
        || {
            let groups = rows.chunks_exact(4).zip(weights.chunks_exact(4));
            for (r, w) in groups {
                let (a, b, c, d) = (r[0], r[1], r[2], r[3]);
                let entries = sums.iter_mut().zip(a).zip(b).zip(c).zip(d);
                for ((((sum, a), b), c), d) in entries {
                    *sum = (((*sum + w[0] * a.to_f64()) + w[1] * b.to_f64()) + w[2] * c.to_f64())
                        + w[3] * d.to_f64();
                }
            }
            let whole = rows.len() / 4 * 4;
            for (row, w) in rows[whole..].iter().zip(&weights[whole..]) {
                sums.iter_mut().zip(*row).for_each(|(sum, v)| *sum += w * v.to_f64());
            }
        },
    );
}

/// Adds Σ_r weight_r · row_r's entry at each place to the sums, in the order of [`add_rows`].
pub(super) fn add_picked(sums: &mut [f64], rows: &[&[f64]], weights: &[f64], places: &[u32]) {
    vectorised(
        #[inline(always)]
        || {
            for (row, w) in rows.iter().zip(weights) {
                sums.iter_mut().zip(places).for_each(|(sum, &at)| *sum += w * row[at as usize]);
            }
        },
    );
}
