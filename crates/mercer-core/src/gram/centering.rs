//! Moving the origin of feature space to the mean of the training objects.

use std::borrow::Cow;

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

use super::transform::{BlockTransform, Summary};
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::allocate;
use crate::numeric::check::{check_cross, check_finite, check_square, check_values};
use crate::numeric::math;
use crate::parallel;

/// Centring, fitted to the row means of the training Gram matrix.
///
/// Centring replaces φ(x) by φ(x) - μ with μ the mean of the n training objects. For training objects,
/// K̂_ij = K_ij - r_i - r_j + g, with r the row means and g the mean of all entries; for a new object x,
/// k̂(x, x_j) = k(x, x_j) - (1/n) Σ_t k(x, x_t) - r_j + g. Keeps positive semidefiniteness. Time O(n²).
///
/// ```
/// use mercer_core::{data::Dense, gram::Centering};
/// // The points 1 and 3 on a line; their mean is 2.
/// let mut k = Dense::from_rows(&[[1.0, 3.0], [3.0, 9.0]]);
/// let centering = Centering::fit(&k)?;
/// centering.apply_train(&mut k)?;
/// assert_eq!(k, Dense::from_rows(&[[1.0, -1.0], [-1.0, 1.0]]));
/// // The new point 4, which is 2 to the right of the mean.
/// let mut cross = Dense::from_rows(&[[4.0, 12.0]]);
/// centering.apply_cross(&mut cross)?;
/// assert_eq!(cross, Dense::from_rows(&[[-2.0, 2.0]]));
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Centering {
    /// The mean of each row of the training Gram matrix, φ(x_i)·μ.
    pub row_means: Vec<f64>,
    /// The mean of all its entries, |μ|².
    pub grand_mean: f64,
}

impl Centering {
    /// The means of a training Gram matrix.
    pub fn fit(k: &Dense) -> Result<Self> {
        let n = check_square(k)?;
        check_finite(k)?;
        Centering::of_means((0..n).map(|i| mean(k.row(i))).collect())
    }

    /// Fits to a finite square matrix and centres it, on all threads.
    pub(crate) fn of_checked(k: Cow<'_, Dense>) -> Result<(Self, Dense)> {
        let n = k.rows();
        let row_means: Vec<f64> = parallel::map(n, |i| mean(k.row(i)));
        let centering = Centering::of_means(row_means)?;
        let (transform, means) = (centering.transform(), &centering.row_means);
        let centre = |i: usize, row: &mut [f64]| {
            let own = transform.own(row[i], means[i]);
            transform.row(means[i], means, row);
            row[i] = own;
        };
        let centred = match k {
            Cow::Owned(mut k) => {
                parallel::for_chunks_mut(k.values_mut(), n, 1, centre);
                k
            }
            Cow::Borrowed(k) => {
                let mut out: Dense = allocate(n, n);
                parallel::for_chunks_mut(out.values_mut(), n, 1, |i, row| {
                    row.copy_from_slice(k.row(i));
                    centre(i, row);
                });
                out
            }
        };
        Ok((centering, centred))
    }

    fn of_means(row_means: Vec<f64>) -> Result<Self> {
        let grand_mean = mean(&row_means);
        if let Some(row) = row_means.iter().position(|v| !v.is_finite()) {
            return Err(Error::NonFinite { row, col: 0, overflow: true });
        }
        Ok(Centering { row_means, grand_mean })
    }

    /// The number of training objects.
    pub fn n(&self) -> usize {
        self.row_means.len()
    }

    /// Centres the training Gram matrix, the one given to [`fit`](Centering::fit).
    pub fn apply_train(&self, k: &mut Dense) -> Result<()> {
        check_square(k)?;
        check_cross(k, self.n())?;
        self.transform().gram(&self.row_means, k);
        Ok(())
    }

    /// Centres the similarities of new objects (rows) to the training objects (columns).
    pub fn apply_cross(&self, cross: &mut Dense) -> Result<()> {
        let means = self.means(cross)?;
        self.transform().block(&means, &self.row_means, cross.values_mut());
        Ok(())
    }

    /// The self-similarities of new objects after centring, |φ(x) - μ|² = k(x, x) - 2 (1/n) Σ_t k(x, x_t) + g,
    /// from their similarities to the training objects and to themselves, both *before* centring.
    pub fn self_similarities(&self, cross: &Dense, own: &[f64]) -> Result<Vec<f64>> {
        let means = self.means(cross)?;
        check_values(own, cross.rows(), "self-similarities of new objects")?;
        let mut own = own.to_vec();
        self.transform().diagonal(&means, &mut own);
        Ok(own)
    }

    /// The same centring, of blocks of any objects.
    pub fn transform(&self) -> Centered {
        Centered { grand_mean: self.grand_mean }
    }

    fn means(&self, cross: &Dense) -> Result<Vec<f64>> {
        check_cross(cross, self.n())?;
        Ok((0..cross.rows()).map(|i| mean(cross.row(i))).collect())
    }
}

/// Centring of blocks: k(x, y) - m(x) - m(y) + g, m(x) the mean of k(x, t) over the training objects t.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Centered {
    /// g, the mean of m over the training objects.
    pub grand_mean: f64,
}

impl BlockTransform for Centered {
    type Statistic = f64;
    const FROM: Summary = Summary::Mean;

    fn statistics(&self, summaries: Vec<f64>) -> Result<Vec<f64>> {
        Ok(summaries)
    }

    #[inline]
    fn row(&self, own: f64, theirs: &[f64], row: &mut [f64]) {
        // own + mean is the same for (i, j) and (j, i), so a symmetric matrix stays exactly symmetric.
        for (v, mean) in row.iter_mut().zip(theirs) {
            *v = *v - (own + mean) + self.grand_mean;
        }
    }

    fn own(&self, value: f64, mean: f64) -> f64 {
        centred_self(value, mean, self.grand_mean)
    }
}

/// Self-similarities up to this fraction of the terms they are computed from are rounding.
const ROUNDING: f64 = 1e-13;

/// |φ(x) - μ|² = k(x, x) - 2·mean + grand mean. Rounding errors are set to 0, so that an object at the mean has norm 0
/// and no norm is negative.
fn centred_self(own: f64, mean: f64, grand_mean: f64) -> f64 {
    let value = own - (mean + mean) + grand_mean;
    let noise = ROUNDING * own.abs() + 2.0 * ROUNDING * mean.abs() + ROUNDING * grand_mean.abs();
    if value.abs() <= noise { 0.0 } else { value }
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    math::sum(values) / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gram::{operations, symmetry};
    use crate::numeric::algebra::test_support::*;
    use proptest::prelude::*;

    /// The rows of x minus the mean of the rows of `origin`.
    fn moved(x: &Dense, origin: &Dense) -> Dense {
        let mut out = x.clone();
        for c in 0..x.cols() {
            let column: Vec<f64> = (0..origin.rows()).map(|i| origin.at(i, c)).collect();
            (0..x.rows()).for_each(|i| out.row_mut(i)[c] -= mean(&column));
        }
        out
    }

    #[test]
    fn worked_points() {
        let mut k = worked_gram();
        let centering = Centering::fit(&k).unwrap();
        centering.apply_train(&mut k).unwrap();
        // The mean is (6, 2.88): x1 moves to (-0.1, 0.12), x2 to (0.9, 0.22), x3 to (0.6, 0.02).
        for (got, want) in k.row(0).iter().zip([0.0244, -0.0636, -0.0576, 0.1784, -0.0816]) {
            assert!((got - want).abs() < 1e-12, "{got} {want}");
        }
        assert!(operations::squared_norm_of_mean(&k).unwrap().abs() < 1e-12);
    }

    #[test]
    fn mismatched_arguments_are_rejected() {
        let centering = Centering::fit(&worked_gram()).unwrap();
        assert!(Centering::fit(&Dense::zeros(0, 0)).is_err());
        assert!(Centering::fit(&Dense::zeros(2, 3)).is_err());
        assert!(Centering::fit(&Dense::new(2, 2, vec![f64::MAX; 4]).unwrap()).is_err());
        assert!(centering.apply_train(&mut Dense::zeros(4, 4)).is_err());
        assert!(centering.apply_train(&mut Dense::zeros(4, 5)).is_err());
        assert!(centering.apply_cross(&mut Dense::zeros(3, 4)).is_err());
        assert!(centering.apply_cross(&mut Dense::zeros(0, 5)).is_ok());
        assert!(centering.self_similarities(&Dense::zeros(1, 5), &[]).is_err());
        assert!(centering.apply_cross(&mut Dense::new(1, 5, vec![f64::NAN; 5]).unwrap()).is_err());
    }

    #[cfg(feature = "serde")]
    #[test]
    fn round_trips_through_json() {
        let centering = Centering::fit(&worked_gram()).unwrap();
        let text = serde_json::to_string(&centering).unwrap();
        assert_eq!(serde_json::from_str::<Centering>(&text).unwrap(), centering);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn centred_gram_is_the_gram_of_centred_vectors(x in vectors()) {
            let mut k = linear(&x);
            Centering::fit(&k).unwrap().apply_train(&mut k).unwrap();
            prop_assert!(apart(&k, &linear(&moved(&x, &x))) < 1e-11);
            prop_assert_eq!(symmetry(&k).unwrap().2, 0.0);
        }

        #[test]
        fn new_objects_move_with_the_training_objects(x in vectors(), at in any::<prop::sample::Index>()) {
            // The first objects are for training, the rest are new.
            let split = 1 + at.index(x.rows());
            let train = x.select(&(0..split).collect::<Vec<_>>());
            let new = x.select(&(split..x.rows()).collect::<Vec<_>>());
            let (k, mut c) = (linear(&train), cross(&new, &train));
            let centering = Centering::fit(&k).unwrap();
            let own: Vec<f64> = (0..new.rows()).map(|i| linear(&new).at(i, i)).collect();
            let own = centering.self_similarities(&c, &own).unwrap();
            centering.apply_cross(&mut c).unwrap();
            let moved_new = moved(&new, &train);
            prop_assert!(apart(&c, &cross(&moved_new, &moved(&train, &train))) < 1e-11);
            for (i, got) in own.iter().enumerate() {
                prop_assert!((got - linear(&moved_new).at(i, i)).abs() < 1e-11);
            }
        }

        #[test]
        fn training_objects_passed_as_new_give_identical_results(x in vectors()) {
            let k = linear(&x);
            let centering = Centering::fit(&k).unwrap();
            let (mut train, mut cross) = (k.clone(), k);
            centering.apply_train(&mut train).unwrap();
            centering.apply_cross(&mut cross).unwrap();
            prop_assert_eq!(train, cross);
        }
    }
}
