//! Operations on similarities that need one number of each object.

use std::fmt;

use super::centering::mean;
use super::operations::squared_norms;
use crate::data::Dense;
use crate::error::Result;
use crate::numeric::check::{check_finite, check_values};
use crate::numeric::math;

/// What the statistic of a [`BlockTransform`] is computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Summary {
    /// The self-similarity k(x, x).
    SelfSimilarity,
    /// The mean of k(x, t) over the training objects t.
    Mean,
}

/// An operation on blocks of similarities: k'(x, y) = f(k(x, y), s(x), s(y)) with a statistic s of each object.
///
/// An operation is written once. It applies to Gram matrices here, to kernels over objects
/// ([`Normalize`](crate::kernel::Normalize), [`RbfOf`](crate::kernel::RbfOf), [`Center`](crate::fitted::Center),
/// [`Markov`](crate::fitted::Markov)), and to the matrices of a search. Time O(1) per entry.
///
/// ```
/// use mercer_core::{data::Dense, gram::{BlockTransform, Gaussian}};
/// // The points 1 and 3 on a line, and the new point 4.
/// let (mut k, mut cross) = (Dense::from_rows(&[[1.0, 3.0], [3.0, 9.0]]), Dense::from_rows(&[[4.0, 12.0]]));
/// let gaussian = Gaussian { gamma: 0.5 };
/// let (known, new) = (gaussian.of_gram(&k)?, gaussian.of_block(&cross, &[16.0])?);
/// gaussian.gram(&known, &mut k);
/// gaussian.block(&new, &known, cross.values_mut());
/// assert!((k.at(0, 1) - (-2.0f64).exp()).abs() < 1e-15 && (cross.at(0, 1) - (-0.5f64).exp()).abs() < 1e-15);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub trait BlockTransform: Send + Sync {
    /// What is known of each object.
    type Statistic: Copy + fmt::Debug + Send + Sync + 'static;

    /// What the statistic is computed from.
    const FROM: Summary;

    /// The statistics of objects, from their [`Summary`]. Fails on an object the operation does not support.
    fn statistics(&self, summaries: Vec<f64>) -> Result<Vec<Self::Statistic>>;

    /// Transforms the similarities of one object to others.
    fn row(&self, own: Self::Statistic, theirs: &[Self::Statistic], row: &mut [f64]);

    /// k'(x, x) from k(x, x), which operations on [`Summary::SelfSimilarity`] ignore.
    fn own(&self, value: f64, statistic: Self::Statistic) -> f64;

    /// Transforms the similarities of objects (rows) to others (columns), row after row.
    #[inline]
    fn block(&self, rows: &[Self::Statistic], cols: &[Self::Statistic], out: &mut [f64]) {
        for (row, own) in out.chunks_exact_mut(cols.len().max(1)).zip(rows) {
            self.row(*own, cols, row);
        }
    }

    /// Transforms self-similarities.
    fn diagonal(&self, of: &[Self::Statistic], out: &mut [f64]) {
        out.iter_mut().zip(of).for_each(|(v, s)| *v = self.own(*v, *s));
    }

    /// Transforms the Gram matrix of objects.
    fn gram(&self, of: &[Self::Statistic], k: &mut Dense) {
        let own: Vec<f64> = of.iter().enumerate().map(|(i, s)| self.own(k.at(i, i), *s)).collect();
        self.block(of, of, k.values_mut());
        own.into_iter().enumerate().for_each(|(i, v)| k.row_mut(i)[i] = v);
    }

    /// The statistics of objects with these similarities to the training objects (one row each) and to themselves.
    fn of_block(&self, block: &Dense, own: &[f64]) -> Result<Vec<Self::Statistic>> {
        check_finite(block)?;
        check_values(own, block.rows(), "self-similarities of new objects")?;
        self.statistics(match Self::FROM {
            Summary::SelfSimilarity => own.to_vec(),
            Summary::Mean => (0..block.rows()).map(|i| mean(block.row(i))).collect(),
        })
    }

    /// The statistics of the training objects, from their Gram matrix.
    fn of_gram(&self, k: &Dense) -> Result<Vec<Self::Statistic>> {
        self.of_block(k, &squared_norms(k)?)
    }
}

/// A Gaussian of the distance in feature space: exp(-gamma·max(0, k(x, x) + k(y, y) - 2·k(x, y))).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gaussian {
    /// How fast similarity falls with squared distance, above 0.
    pub gamma: f64,
}

impl BlockTransform for Gaussian {
    type Statistic = f64;
    const FROM: Summary = Summary::SelfSimilarity;

    fn statistics(&self, summaries: Vec<f64>) -> Result<Vec<f64>> {
        Ok(summaries)
    }

    #[inline]
    fn row(&self, own: f64, theirs: &[f64], row: &mut [f64]) {
        for (v, other) in row.iter_mut().zip(theirs) {
            *v = -self.gamma * math::at_least_zero(own + other - 2.0 * *v);
        }
        math::exp_all(row);
    }

    fn own(&self, _value: f64, _statistic: f64) -> f64 {
        1.0
    }
}
