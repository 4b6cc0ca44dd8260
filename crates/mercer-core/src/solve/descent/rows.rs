//! Rows of explicit features for the descent: inner products, additions, squared norms.

use rayon::prelude::*;

use crate::data::{Dense, FeatureRows, Sparse, Vectors};
use crate::numeric::math::vectorised;

/// Partial sums in an inner product of dense rows, enough to hide the latency of additions.
const LANES: usize = 8;

/// Rows of features. Weights may be longer than a row; extra weights are ignored.
pub(super) trait Rows {
    /// The inner product of row i with the weights.
    fn dot(&self, i: usize, weights: &[f64]) -> f64;

    /// Adds a multiple of row i to the weights.
    fn add(&self, i: usize, factor: f64, weights: &mut [f64]);

    /// The squared norm of row i.
    fn square(&self, i: usize) -> f64;

    /// The number of stored values of row i.
    fn stored(&self, i: usize) -> usize;
}

impl Rows for Dense {
    fn dot(&self, i: usize, weights: &[f64]) -> f64 {
        dense_dot(self.row(i), weights)
    }

    fn add(&self, i: usize, factor: f64, weights: &mut [f64]) {
        for (w, x) in weights.iter_mut().zip(self.row(i)) {
            *w += factor * x;
        }
    }

    fn square(&self, i: usize) -> f64 {
        dense_dot(self.row(i), self.row(i))
    }

    fn stored(&self, _i: usize) -> usize {
        self.cols()
    }
}

impl Rows for Dense<f32> {
    fn dot(&self, i: usize, weights: &[f64]) -> f64 {
        let row = self.row(i);
        vectorised(
            #[inline(always)]
            || single_dot(row, weights),
        )
    }

    fn add(&self, i: usize, factor: f64, weights: &mut [f64]) {
        let row = self.row(i);
        vectorised(
            #[inline(always)]
            || {
                for (w, &x) in weights.iter_mut().zip(row) {
                    *w += factor * f64::from(x);
                }
            },
        );
    }

    fn square(&self, i: usize) -> f64 {
        self.row(i).iter().map(|&x| f64::from(x) * f64::from(x)).sum()
    }

    fn stored(&self, _i: usize) -> usize {
        self.cols()
    }
}

#[inline(always)]
fn single_dot(x: &[f32], y: &[f64]) -> f64 {
    const WIDE: usize = 2 * LANES;
    let n = x.len().min(y.len());
    let mut sums = [0.0; WIDE];
    let (mut xs, mut ys) = (x[..n].chunks_exact(WIDE), y[..n].chunks_exact(WIDE));
    for (a, b) in xs.by_ref().zip(ys.by_ref()) {
        for k in 0..WIDE {
            sums[k] += f64::from(a[k]) * b[k];
        }
    }
    let rest: f64 = xs.remainder().iter().zip(ys.remainder()).map(|(&a, b)| f64::from(a) * b).sum();
    sums.iter().sum::<f64>() + rest
}

impl Rows for Sparse {
    fn dot(&self, i: usize, weights: &[f64]) -> f64 {
        let (features, values) = self.row(i);
        features.iter().zip(values).map(|(&f, x)| x * weights[f as usize]).sum()
    }

    fn add(&self, i: usize, factor: f64, weights: &mut [f64]) {
        let (features, values) = self.row(i);
        for (&f, x) in features.iter().zip(values) {
            weights[f as usize] += factor * x;
        }
    }

    fn square(&self, i: usize) -> f64 {
        self.row(i).1.iter().map(|x| x * x).sum()
    }

    fn stored(&self, i: usize) -> usize {
        self.row(i).0.len()
    }
}

/// The inner product of every row with the weights, rows in parallel.
pub(crate) fn products(vectors: FeatureRows<'_>, weights: &[f64]) -> Vec<f64> {
    fn all<R: Rows + Sync>(n: usize, rows: &R, weights: &[f64]) -> Vec<f64> {
        (0..n).into_par_iter().with_min_len(256).map(|i| rows.dot(i, weights)).collect()
    }
    match vectors {
        FeatureRows::Vectors(Vectors::Dense(rows)) => all(rows.rows(), rows, weights),
        FeatureRows::Vectors(Vectors::Sparse(rows)) => all(rows.rows(), rows, weights),
        FeatureRows::Single(rows) => all(rows.rows(), rows, weights),
    }
}

fn dense_dot(x: &[f64], y: &[f64]) -> f64 {
    let n = x.len().min(y.len());
    let (x, y) = (&x[..n], &y[..n]);
    let mut sums = [0.0; LANES];
    let (mut xs, mut ys) = (x.chunks_exact(LANES), y.chunks_exact(LANES));
    for (a, b) in xs.by_ref().zip(ys.by_ref()) {
        for k in 0..LANES {
            sums[k] += a[k] * b[k];
        }
    }
    let rest: f64 = xs.remainder().iter().zip(ys.remainder()).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}
