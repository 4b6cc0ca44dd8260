//! Weighted sums of the rows of a Gram matrix that is never stored.

use super::engine::{Engine, gram_tile};
use crate::budget;
use crate::error::Result;
use crate::numeric::math::{dot, vectorised};
use crate::parallel;
use crate::traits::{Kernel, Prepared};

/// Bands of the matrix whose sums are held at once.
const TOGETHER: usize = 32;

impl Engine {
    /// Σ_j k(x_i, x_j)·w_j for each i of a set, from one half of the pairs: half the time of
    /// [`weighted_sums`](Self::weighted_sums) of a set with itself. Memory for 32 numbers per object.
    #[doc(hidden)]
    pub fn symmetric_sums<X: ?Sized, K: Kernel<X>>(
        &self,
        kernel: &K,
        set: &K::Prepared,
        weights: &[f64],
    ) -> Result<Vec<f64>> {
        let (n, side) = (set.len(), kernel.tile_side().max(1));
        let starts: Vec<usize> = (0..n).step_by(side).collect();
        // A band of rows and its mirror image, for the objects from its first one on.
        let band = |&start: &usize| -> Result<Vec<f64>> {
            let own = start..(start + side).min(n);
            let mut sums = vec![0.0; n - start];
            let mut tile = Vec::new();
            for left in (start..n).step_by(side) {
                budget::check()?;
                let others = left..(left + side).min(n);
                tile.resize(own.len() * others.len(), 0.0);
                gram_tile(kernel, set, &own, &others, &mut tile)?;
                for (row, i) in tile.chunks_exact(others.len()).zip(own.clone()) {
                    sums[i - start] += dot(row, &weights[others.clone()]);
                }
                if left > start {
                    add_transposed(&mut sums[left - start..others.end - start], &tile, &weights[own.clone()]);
                }
            }
            Ok(sums)
        };
        let mut sums = vec![0.0; n];
        for some in starts.chunks(TOGETHER) {
            let parts = self.run(|| parallel::map(some.len(), |k| band(&some[k])));
            // In the order of the bands, for any number of threads.
            for (&start, part) in some.iter().zip(parts) {
                sums[start..].iter_mut().zip(part?).for_each(|(s, v)| *s += v);
            }
        }
        Ok(sums)
    }
}

/// Adds the rows of a tile times their weights, four at a time.
fn add_transposed(sums: &mut [f64], tile: &[f64], weights: &[f64]) {
    let width = sums.len();
    vectorised(
        #[inline(always)]
        || {
            let fours = weights.chunks_exact(4);
            let rest = fours.remainder();
            for (rows, w) in tile.chunks_exact(4 * width).zip(fours) {
                let (ab, cd) = rows.split_at(2 * width);
                let ((a, b), (c, d)) = (ab.split_at(width), cd.split_at(width));
                for ((((s, a), b), c), d) in sums.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                    *s = (((*s + w[0] * a) + w[1] * b) + w[2] * c) + w[3] * d;
                }
            }
            let last = &tile[(weights.len() - rest.len()) * width..];
            for (row, w) in last.chunks_exact(width).zip(rest) {
                sums.iter_mut().zip(row).for_each(|(s, v)| *s += w * v);
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dense, Vectors};
    use crate::kernel::vector::Rbf;

    #[test]
    fn sums_from_one_half_equal_those_of_all_pairs() {
        for n in [1, 5, 255, 600] {
            let x = Dense::new(n, 2, (0..2 * n).map(|i| (i * i % 97) as f64 / 10.0).collect()).unwrap();
            let (kernel, x) = (Rbf::new(0.3).unwrap(), Vectors::from(x));
            let engine = Engine::new();
            let set = engine.prepare(&kernel, &x).unwrap();
            let weights: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
            let want: Vec<f64> = engine.weighted_sums::<Vectors, _>(&kernel, &set, &set, &weights).unwrap();
            let found = engine.symmetric_sums::<Vectors, _>(&kernel, &set, &weights).unwrap();
            assert!(want.iter().zip(&found).all(|(a, b)| (a - b).abs() < 1e-12 * n as f64));
            let one = Engine::new().with_threads(1).unwrap();
            assert_eq!(found, one.symmetric_sums::<Vectors, _>(&kernel, &set, &weights).unwrap());
        }
    }
}
