//! The passes over all variables, written so that the compiler turns them into vector code.
//!
//! Each keeps a best value and its position per lane, and settles between lanes at the end: the smallest position wins
//! among equals, so results do not depend on the width of the vectors.

use crate::gram::Scalar;
use crate::kernel::vector::math::vectorised;

/// Independent running bests: two vectors of four doubles, or one of eight.
const LANES: usize = 8;

/// The least cost of growing, where, and the greatest gain of falling.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    pub(super) rise: f64,
    pub(super) at: usize,
    pub(super) fall: f64,
}

impl Ends {
    /// How far the variables are from optimal.
    pub(super) fn gap(&self) -> f64 {
        self.fall - self.rise
    }
}

/// Running bests of [`Ends`].
#[derive(Clone, Copy)]
struct Running {
    rise: [f64; LANES],
    at: [u64; LANES],
    fall: [f64; LANES],
}

impl Running {
    const START: Running =
        Running { rise: [f64::INFINITY; LANES], at: [u64::MAX; LANES], fall: [f64::NEG_INFINITY; LANES] };

    #[inline(always)]
    fn see(&mut self, lane: usize, position: u64, product: f64, rise: f64, fall: f64) {
        let (up, down) = (product + rise, product + fall);
        let better = up < self.rise[lane];
        self.rise[lane] = if better { up } else { self.rise[lane] };
        self.at[lane] = if better { position } else { self.at[lane] };
        self.fall[lane] = if down > self.fall[lane] { down } else { self.fall[lane] };
    }

    fn settle(&self) -> Ends {
        let mut ends = Ends { rise: f64::INFINITY, at: usize::MAX, fall: f64::NEG_INFINITY };
        for lane in 0..LANES {
            let (rise, at) = (self.rise[lane], self.at[lane] as usize);
            if rise < ends.rise || rise == ends.rise && at < ends.at {
                (ends.rise, ends.at) = (rise, at);
            }
            ends.fall = ends.fall.max(self.fall[lane]);
        }
        ends
    }
}

/// The ends of a set of variables.
pub(super) fn find_ends(products: &[f64], rises: &[f64], falls: &[f64]) -> Ends {
    vectorised(
        #[inline(always)]
        || {
            let mut best = Running::START;
            let whole = products.len() / LANES * LANES;
            let chunks = products[..whole]
                .chunks_exact(LANES)
                .zip(rises.chunks_exact(LANES))
                .zip(falls.chunks_exact(LANES));
            for (c, ((p, r), f)) in chunks.enumerate() {
                for lane in 0..LANES {
                    best.see(lane, (c * LANES + lane) as u64, p[lane], r[lane], f[lane]);
                }
            }
            for k in whole..products.len() {
                best.see(k % LANES, k as u64, products[k], rises[k], falls[k]);
            }
            best.settle()
        },
    )
}

/// Adds size·(row_i - row_j) to the products and finds the ends, in one pass.
pub(super) fn update_and_find_ends<T: Scalar>(
    products: &mut [f64],
    row_i: &[T],
    row_j: &[T],
    size: f64,
    rises: &[f64],
    falls: &[f64],
) -> Ends {
    vectorised(
        #[inline(always)]
        || {
            let mut best = Running::START;
            let n = products.len();
            let whole = n / LANES * LANES;
            let (head, tail) = products.split_at_mut(whole);
            let chunks = head
                .chunks_exact_mut(LANES)
                .zip(row_i.chunks_exact(LANES))
                .zip(row_j.chunks_exact(LANES))
                .zip(rises.chunks_exact(LANES))
                .zip(falls.chunks_exact(LANES));
            for (c, ((((p, ki), kj), r), f)) in chunks.enumerate() {
                for lane in 0..LANES {
                    let product = p[lane] + size * (ki[lane].to_f64() - kj[lane].to_f64());
                    p[lane] = product;
                    best.see(lane, (c * LANES + lane) as u64, product, r[lane], f[lane]);
                }
            }
            for (at, p) in tail.iter_mut().enumerate() {
                let k = whole + at;
                *p += size * (row_i[k].to_f64() - row_j[k].to_f64());
                best.see(k % LANES, k as u64, *p, rises[k], falls[k]);
            }
            best.settle()
        },
    )
}

/// Running bests of (gain)² / curvature, compared by cross-multiplication: divisions are slow in vectors too.
struct Partners {
    squares: [f64; LANES],
    curvatures: [f64; LANES],
    at: [u64; LANES],
}

impl Partners {
    const START: Partners =
        Partners { squares: [0.0; LANES], curvatures: [1.0; LANES], at: [u64::MAX; LANES] };

    #[inline(always)]
    fn see(&mut self, lane: usize, position: u64, gain: f64, curvature: f64) {
        let gain = if gain > 0.0 { gain } else { 0.0 };
        let square = gain * gain;
        let better = square * self.curvatures[lane] > self.squares[lane] * curvature;
        self.squares[lane] = if better { square } else { self.squares[lane] };
        self.curvatures[lane] = if better { curvature } else { self.curvatures[lane] };
        self.at[lane] = if better { position } else { self.at[lane] };
    }

    fn settle(&self) -> Option<usize> {
        let mut best: Option<usize> = None;
        for lane in (0..LANES).filter(|&l| self.at[l] != u64::MAX) {
            let better = best.is_none_or(|b| {
                let (ours, theirs) =
                    (self.squares[lane] * self.curvatures[b], self.squares[b] * self.curvatures[lane]);
                ours > theirs || ours == theirs && self.at[lane] < self.at[b]
            });
            if better {
                best = Some(lane);
            }
        }
        best.map(|lane| self.at[lane] as usize)
    }
}

/// The variable that is to grow, as the search for its partner needs it.
pub(super) struct Grower<'a, T> {
    /// The cost of its growth.
    pub(super) rise: f64,
    /// Its self-similarity.
    pub(super) own: f64,
    /// Its row.
    pub(super) row: &'a [T],
    /// The least curvature.
    pub(super) tiny: f64,
}

/// The variable whose fall, paired with the growth of another, lowers the objective most: the largest
/// (gain)² / curvature. `None` when no fall gains anything.
pub(super) fn best_partner<T: Scalar>(
    products: &[f64],
    falls: &[f64],
    diagonal: &[f64],
    grower: &Grower<'_, T>,
) -> Option<usize> {
    let Grower { rise, own, row, tiny } = *grower;
    vectorised(
        #[inline(always)]
        || {
            let mut best = Partners::START;
            let curvature = |other: f64, entry: T| {
                let c = own + other - 2.0 * entry.to_f64();
                if c > tiny { c } else { tiny }
            };
            let whole = products.len() / LANES * LANES;
            let chunks = products[..whole]
                .chunks_exact(LANES)
                .zip(falls.chunks_exact(LANES))
                .zip(diagonal.chunks_exact(LANES))
                .zip(row.chunks_exact(LANES));
            for (c, (((p, f), d), k)) in chunks.enumerate() {
                for lane in 0..LANES {
                    best.see(
                        lane,
                        (c * LANES + lane) as u64,
                        p[lane] + f[lane] - rise,
                        curvature(d[lane], k[lane]),
                    );
                }
            }
            for k in whole..products.len() {
                best.see(k % LANES, k as u64, products[k] + falls[k] - rise, curvature(diagonal[k], row[k]));
            }
            best.settle()
        },
    )
}
