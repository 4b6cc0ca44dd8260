//! Rows of explicit features for the descent: inner products, additions, squared norms.

use crate::data::{Dense, FeatureRows, Sparse, Vectors};
use crate::numeric::math::vectorised;
use crate::parallel;

/// Partial sums in an inner product of dense rows, enough to hide the latency of additions.
const LANES: usize = 8;

/// Rows of features. Weights may be longer than a row; extra weights are ignored.
pub(super) trait Rows: Sync {
    /// The inner product of row i with the weights.
    fn dot(&self, i: usize, weights: &[f64]) -> f64;

    /// Adds a multiple of row i to the weights.
    fn add(&self, i: usize, factor: f64, weights: &mut [f64]);

    /// The squared norm of row i.
    fn square(&self, i: usize) -> f64;

    /// The number of stored values of row i.
    fn stored(&self, i: usize) -> usize;

    /// Adds the lower triangle of `factor` · x·xᵀ to a square matrix of this width, for the row x followed by `bias`.
    fn add_square(&self, i: usize, factor: f64, bias: f64, width: usize, out: &mut [f64]);
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

    fn add_square(&self, i: usize, factor: f64, bias: f64, width: usize, out: &mut [f64]) {
        add_dense_square(self.row(i), factor, bias, width, out);
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

    fn add_square(&self, i: usize, factor: f64, bias: f64, width: usize, out: &mut [f64]) {
        let row: Vec<f64> = self.row(i).iter().map(|&v| v.into()).collect();
        add_dense_square(&row, factor, bias, width, out);
    }
}

fn add_dense_square(row: &[f64], factor: f64, bias: f64, width: usize, out: &mut [f64]) {
    vectorised(
        #[inline(always)]
        || {
            for (r, &x) in row.iter().chain([&bias]).enumerate() {
                let by = factor * x;
                let line = &mut out[r * width..r * width + r.min(row.len()) + 1];
                line.iter_mut().zip(row).for_each(|(o, y)| *o += by * y);
            }
            out[row.len() * width + row.len()] += factor * bias * bias;
        },
    );
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
    #[inline(always)]
    fn dot(&self, i: usize, weights: &[f64]) -> f64 {
        // One sum in the order of the features: predictions of stored models keep their bits.
        let (features, values) = self.row(i);
        features.iter().zip(values).map(|(&f, x)| x * weights[f as usize]).sum()
    }

    #[inline(always)]
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

    fn add_square(&self, i: usize, factor: f64, bias: f64, width: usize, out: &mut [f64]) {
        let (features, values) = self.row(i);
        for (r, (&f, x)) in features.iter().zip(values).enumerate() {
            let line = &mut out[f as usize * width..(f as usize + 1) * width];
            let by = factor * x;
            // Features ascend, so these are left of the diagonal.
            features[..=r].iter().zip(values).for_each(|(&g, y)| line[g as usize] += by * y);
        }
        let line = &mut out[(width - 1) * width..];
        features.iter().zip(values).for_each(|(&f, x)| line[f as usize] += factor * bias * x);
        line[width - 1] += factor * bias * bias;
    }
}

/// Partial sums of an inner product of sparse rows.
const FEW: usize = 4;

/// Sparse rows that hold one value each, such as presences of features, normalised or not: values need not be read.
pub(super) struct OneValued<'a> {
    rows: &'a Sparse,
    values: Vec<f64>,
}

impl<'a> OneValued<'a> {
    /// The rows, if each of them holds one value.
    pub(super) fn new(rows: &'a Sparse) -> Option<Self> {
        let value = |i: usize| {
            let own = rows.row(i).1;
            let first = own.first().copied().unwrap_or(0.0);
            own.iter().all(|&v| v == first).then_some(first)
        };
        let values = (0..rows.rows()).map(value).collect::<Option<Vec<f64>>>()?;
        Some(OneValued { rows, values })
    }
}

impl Rows for OneValued<'_> {
    #[inline(always)]
    fn dot(&self, i: usize, weights: &[f64]) -> f64 {
        let mut some = self.rows.row(i).0.chunks_exact(FEW);
        let mut sums = [0.0; FEW];
        for f in some.by_ref() {
            for k in 0..FEW {
                sums[k] += weights[f[k] as usize];
            }
        }
        let rest: f64 = some.remainder().iter().map(|&f| weights[f as usize]).sum();
        self.values[i] * ((sums[0] + sums[1]) + (sums[2] + sums[3]) + rest)
    }

    #[inline(always)]
    fn add(&self, i: usize, factor: f64, weights: &mut [f64]) {
        let by = factor * self.values[i];
        self.rows.row(i).0.iter().for_each(|&f| weights[f as usize] += by);
    }

    fn square(&self, i: usize) -> f64 {
        self.values[i] * self.values[i] * self.stored(i) as f64
    }

    fn stored(&self, i: usize) -> usize {
        self.rows.row(i).0.len()
    }

    fn add_square(&self, i: usize, factor: f64, bias: f64, width: usize, out: &mut [f64]) {
        let features = self.rows.row(i).0;
        let by = factor * self.values[i] * self.values[i];
        for (r, &f) in features.iter().enumerate() {
            let line = &mut out[f as usize * width..(f as usize + 1) * width];
            features[..=r].iter().for_each(|&g| line[g as usize] += by);
        }
        let line = &mut out[(width - 1) * width..width * width];
        features.iter().for_each(|&f| line[f as usize] += factor * bias * self.values[i]);
        line[width - 1] += factor * bias * bias;
    }
}

/// The inner product of every row with the weights, rows in parallel.
pub(crate) fn products(vectors: FeatureRows<'_>, weights: &[f64]) -> Vec<f64> {
    fn all<R: Rows>(n: usize, rows: &R, weights: &[f64]) -> Vec<f64> {
        parallel::map_at_least(n, 256, |i| rows.dot(i, weights))
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
