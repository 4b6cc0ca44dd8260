//! Scaling objects to norm 1 in feature space, relative to the origin (cosine) or the mean (correlation).
//!
//! An object of norm 0 has no direction: all its similarities are 0, including that to itself.

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

use super::centering::Centering;
use super::operations::squared_norms;
use super::transform::{BlockTransform, Summary};
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::check::{check_cross, check_finite, check_values};
use crate::numeric::math::vectorised;

/// Converts a training Gram matrix to cosines: K_ij / √(K_ii K_jj), with 1 on the diagonal.
///
/// K_ii = 0 makes row and column i zero, including the diagonal entry; K_ii < 0 is an error. Keeps positive
/// semidefiniteness. Time O(n²). Save the diagonal first ([`squared_norms`]) if new objects follow.
///
/// ```
/// use mercer_core::{data::Dense, gram::normalize};
/// let mut k = Dense::from_rows(&[[4.0, 3.0, 0.0], [3.0, 9.0, 0.0], [0.0, 0.0, 0.0]]);
/// normalize::train(&mut k)?;
/// assert_eq!(k, Dense::from_rows(&[[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 0.0]]));
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn train(k: &mut Dense) -> Result<()> {
    let lengths = Normalized.of_gram(k)?;
    Normalized.gram(&lengths, k);
    Ok(())
}

/// Converts the similarities of new objects (rows) to training objects (columns) to cosines: k(x, x_j) / √(k(x, x)
/// K_jj), from the self-similarities of both; a self-similarity of 0 gives 0.
pub fn cross(cross: &mut Dense, own: &[f64], diagonal: &[f64]) -> Result<()> {
    check_finite(cross)?;
    check_values(own, cross.rows(), "self-similarities of new objects")?;
    check_values(diagonal, cross.cols(), "self-similarities of training objects")?;
    Normalized.block(
        &Normalized.statistics(own.to_vec())?,
        &Normalized.statistics(diagonal.to_vec())?,
        cross.values_mut(),
    );
    Ok(())
}

/// Normalisation of blocks: k(x, y) / √(k(x, x)·k(y, y)), the cosine of the angle in feature space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Normalized;

impl BlockTransform for Normalized {
    type Statistic = Length;
    const FROM: Summary = Summary::SelfSimilarity;

    fn statistics(&self, summaries: Vec<f64>) -> Result<Vec<Length>> {
        check_self_similarities(&summaries)?;
        Ok(summaries.into_iter().map(Length::of).collect())
    }

    #[inline]
    fn row(&self, own: Length, theirs: &[Length], row: &mut [f64]) {
        vectorised(
            #[inline(always)]
            || row.iter_mut().zip(theirs).for_each(|(v, other)| *v = own.cosine(*other, *v)),
        );
    }

    fn own(&self, _value: f64, length: Length) -> f64 {
        length.of_self()
    }
}

/// The common rule for negative self-similarities in normalisation: an error with the number of the object and the
/// value. Indefinite kernels can produce them.
pub(super) fn check_self_similarities(squares: &[f64]) -> Result<()> {
    // Values that are negative only by rounding, relative to the largest, count as 0.
    let rounding = 1e-12 * crate::numeric::algebra::largest(squares);
    match squares.iter().position(|v| *v < -rounding) {
        Some(index) => Err(Error::Object {
            index,
            reason: format!(
                "has the negative self-similarity {:e} and cannot be normalised",
                squares[index]
            ),
            hint: Some(
                "put repair(…) inside normalize(…), or choose parameters whose self-similarities are positive".into(),
            ),
        }),
        None => Ok(()),
    }
}

/// The norm of an object in feature space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Length {
    square: f64,
    root: f64,
}

impl Length {
    /// From a self-similarity.
    #[inline(always)]
    pub(crate) fn of(square: f64) -> Self {
        Length { square, root: if square > 0.0 { square.sqrt() } else { 0.0 } }
    }

    /// The squared norm.
    #[inline(always)]
    pub(crate) fn square(self) -> f64 {
        self.square
    }

    /// v divided by both norms; 0 where one of them is 0.
    ///
    /// The product of the roots neither overflows nor underflows, and is symmetric. For two objects with the same
    /// self-similarity s, v is divided by s itself, so that the cosine of identical objects is exactly 1.
    #[inline(always)]
    pub(crate) fn cosine(self, other: Length, v: f64) -> f64 {
        let both = if self.square == other.square { self.square } else { self.root * other.root };
        if self.root > 0.0 && other.root > 0.0 { v / both } else { 0.0 }
    }

    /// The cosine of an object with itself.
    #[inline(always)]
    pub(crate) fn of_self(self) -> f64 {
        f64::from(u8::from(self.square > 0.0))
    }

    /// The factor that scales features to norm 1; 0 for norm 0.
    #[inline(always)]
    pub(crate) fn factor(self) -> f64 {
        if self.root > 0.0 { 1.0 / self.root } else { 0.0 }
    }
}

/// Centring followed by normalisation: the correlation of objects in feature space, K̂_ij / √(K̂_ii K̂_jj) with K̂ the
/// centred Gram matrix.
///
/// An object whose centred self-similarity is at most 16 n · ε · max K_ii counts as lying at the mean and has
/// correlation 0. Time O(n²).
///
/// ```
/// use mercer_core::{data::Dense, gram::Correlation};
/// // The points 1, 2 and 6 on a line; their mean is 3.
/// let mut k = Dense::from_rows(&[[1.0, 2.0, 6.0], [2.0, 4.0, 12.0], [6.0, 12.0, 36.0]]);
/// let correlation = Correlation::fit(&k)?;
/// correlation.apply_train(&mut k)?;
/// assert!((k.at(0, 1) - 1.0).abs() < 1e-12 && (k.at(0, 2) + 1.0).abs() < 1e-12);
/// // The new point 5 is on the side of 6.
/// let mut cross = Dense::from_rows(&[[5.0, 10.0, 30.0]]);
/// correlation.apply_cross(&mut cross, &[25.0])?;
/// assert!((cross.at(0, 2) - 1.0).abs() < 1e-12);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Correlation {
    /// The means that are subtracted.
    pub centering: Centering,
    /// The centred self-similarities of the training objects, 0 for those at the mean.
    pub diagonal: Vec<f64>,
    /// Centred self-similarities up to this count as 0.
    pub tolerance: f64,
}

impl Correlation {
    /// Fits to a training Gram matrix.
    pub fn fit(k: &Dense) -> Result<Self> {
        let centering = Centering::fit(k)?;
        let diagonal = squared_norms(k)?;
        let tolerance = 16.0 * k.rows() as f64 * f64::EPSILON * crate::numeric::algebra::largest(&diagonal);
        let diagonal = centering.self_similarities(k, &diagonal)?;
        let diagonal = flush(diagonal, tolerance);
        check_self_similarities(&diagonal)?;
        Ok(Correlation { centering, diagonal, tolerance })
    }

    /// Converts the training Gram matrix given to [`fit`](Correlation::fit) to correlations.
    pub fn apply_train(&self, k: &mut Dense) -> Result<()> {
        self.centering.apply_train(k)?;
        Normalized.gram(&Normalized.statistics(self.diagonal.clone())?, k);
        Ok(())
    }

    /// Converts the similarities of new objects (rows) to training objects (columns) to correlations. `own` holds the
    /// self-similarities of the new objects before centring.
    pub fn apply_cross(&self, cross: &mut Dense, own: &[f64]) -> Result<()> {
        check_cross(cross, self.centering.n())?;
        let own = flush(self.centering.self_similarities(cross, own)?, self.tolerance);
        self.centering.apply_cross(cross)?;
        let lengths = Normalized.statistics(self.diagonal.clone())?;
        Normalized.block(&Normalized.statistics(own)?, &lengths, cross.values_mut());
        Ok(())
    }
}

/// Sets values that are zero up to rounding to zero.
fn flush(values: Vec<f64>, tolerance: f64) -> Vec<f64> {
    values.into_iter().map(|v| if v.abs() <= tolerance { 0.0 } else { v }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::algebra::test_support;
    use crate::numeric::algebra::test_support::{apart, linear, vectors, worked_gram};
    use proptest::prelude::*;

    #[test]
    fn worked_points() {
        let mut k = worked_gram();
        train(&mut k).unwrap();
        // 50.01 / √(43.81 · 57.22)
        assert!((k.at(0, 1) - 50.01 / (43.81f64 * 57.22).sqrt()).abs() < 1e-12);
        assert!((0..5).all(|i| k.at(i, i) == 1.0));
        let mut r = worked_gram();
        Correlation::fit(&r).unwrap().apply_train(&mut r).unwrap();
        // Centred, x1 = (-0.1, 0.12) and x2 = (0.9, 0.22).
        assert!((r.at(0, 1) + 0.0636 / (0.0244f64 * 0.8584).sqrt()).abs() < 1e-10);
    }

    #[test]
    fn objects_without_direction() {
        // The middle point lies at the mean, up to rounding.
        let x = Dense::from_rows(&[[0.1, 0.7], [0.2, 0.8], [0.3, 0.9]]);
        let mut k = linear(&x);
        let correlation = Correlation::fit(&k).unwrap();
        correlation.apply_train(&mut k).unwrap();
        assert_eq!(k.row(1), [0.0, 0.0, 0.0]);
        assert!((k.at(0, 2) + 1.0).abs() < 1e-9);
        let mut c = test_support::cross(&x, &x);
        correlation.apply_cross(&mut c, &[0.5, 0.68, 0.9]).unwrap();
        assert_eq!(c.row(1), [0.0, 0.0, 0.0]);
    }

    #[test]
    fn mismatched_arguments_are_rejected() {
        for bad in [Dense::zeros(0, 0), Dense::zeros(1, 2), Dense::from_rows(&[[f64::NAN]])] {
            assert!(train(&mut bad.clone()).is_err() && Correlation::fit(&bad).is_err());
        }
        let negative = Dense::from_rows(&[[1.0, 0.0], [0.0, -2.0]]);
        assert!(matches!(train(&mut negative.clone()), Err(Error::Object { index: 1, .. })));
        assert!(Correlation::fit(&negative).is_err());
        assert!(cross(&mut Dense::zeros(1, 2), &[1.0], &[1.0]).is_err());
        assert!(cross(&mut Dense::zeros(1, 2), &[-1.0], &[1.0, 1.0]).is_err());
        let correlation = Correlation::fit(&worked_gram()).unwrap();
        assert!(correlation.apply_cross(&mut Dense::zeros(1, 4), &[1.0]).is_err());
        assert!(correlation.apply_cross(&mut Dense::zeros(1, 5), &[]).is_err());
    }

    #[test]
    fn very_small_similarities() {
        let mut k = Dense::new(2, 2, vec![5e-324; 4]).unwrap();
        train(&mut k).unwrap();
        assert_eq!(k.values(), [1.0; 4]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn cosines_are_those_of_the_vectors(x in vectors()) {
            let k = linear(&x);
            let mut cosines = k.clone();
            train(&mut cosines).unwrap();
            let diagonal = squared_norms(&k).unwrap();
            for i in 0..x.rows() {
                for j in 0..x.rows() {
                    let want = k.at(i, j) / (k.at(i, i) * k.at(j, j)).sqrt();
                    prop_assert!((cosines.at(i, j) - want).abs() < 1e-12);
                    prop_assert!(cosines.at(i, j).abs() < 1.0 + 1e-12);
                }
            }
            let mut as_new = k.clone();
            cross(&mut as_new, &diagonal, &diagonal).unwrap();
            prop_assert!(apart(&as_new, &cosines) < 1e-12);
        }

        #[test]
        fn correlations_are_centred_cosines(x in vectors()) {
            let k = linear(&x);
            let mut want = k.clone();
            Centering::fit(&k).unwrap().apply_train(&mut want).unwrap();
            let correlation = Correlation::fit(&k).unwrap();
            let (mut got, mut as_new) = (k.clone(), k.clone());
            correlation.apply_train(&mut got).unwrap();
            correlation.apply_cross(&mut as_new, &squared_norms(&k).unwrap()).unwrap();
            for i in 0..x.rows() {
                for j in 0..x.rows() {
                    // The direction of objects near the mean is rounding noise.
                    if want.at(i, i) > 1e-3 && want.at(j, j) > 1e-3 {
                        let value = want.at(i, j) / (want.at(i, i) * want.at(j, j)).sqrt();
                        prop_assert!((got.at(i, j) - value).abs() < 1e-9);
                        prop_assert!((as_new.at(i, j) - value).abs() < 1e-9);
                    }
                }
            }
        }
    }
}
