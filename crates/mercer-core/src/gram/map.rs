//! Coordinates whose dot products are the kernel values.

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

use super::certificate::require_psd;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::algebra::{product, product_transposed, scale_rows};
use crate::numeric::check::check_cross;
use crate::numeric::{Spectrum, tolerance};

/// The choice of coordinates: both give the same dot products, one is a rotation of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Map {
    /// √Λ Uᵀ_i: one coordinate per eigenvalue kept, largest first; as few coordinates as the rank.
    Mercer,
    /// K^(-1/2) K_i: one coordinate per training object.
    Empirical,
}

/// A feature map fitted to the training Gram matrix K = U Λ Uᵀ.
///
/// With k_x the similarities of an object to the training objects, the Mercer map is Λ^(-1/2) Uᵀ k_x and the empirical
/// kernel map U Λ^(-1/2) Uᵀ k_x = K^(-1/2) k_x. For training objects, both have K as dot products; a new object is
/// mapped to its projection onto the span of the training objects.
///
/// K may be singular: eigenvalues at or below a tolerance, n · ε · λmax unless given, are dropped, which makes K^(-1/2)
/// a pseudo-inverse. This changes no entry of K by more than the tolerance. A small eigenvalue λ that is kept magnifies
/// errors of new similarities by 1/√λ. If similarities are less exact than doubles, raise the tolerance or use
/// [`truncate`](SpectralMap::truncate).
///
/// Needs a positive semidefinite K, see [`Certificate::require_psd`](super::Certificate::require_psd). Time
/// O(n³) to fit, O(n r) per new object with r the rank kept (twice that for the empirical map).
///
/// ```
/// use mercer_core::{data::Dense, gram::{SpectralMap, Map}};
/// let k = Dense::from_rows(&[[4.0, 2.0], [2.0, 1.0]]); // the points 2 and 1 on a line
/// let map = SpectralMap::fit(&k, Map::Mercer)?;
/// assert_eq!(map.rank(), 1);
/// let x = map.training();
/// assert!((x.at(0, 0) - 2.0).abs() < 1e-12 && (x.at(1, 0) - 1.0).abs() < 1e-12);
/// // The new point 3.
/// let new = map.apply(&Dense::from_rows(&[[6.0, 3.0]]))?;
/// assert!((new.at(0, 0) - 3.0).abs() < 1e-12);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SpectralMap {
    map: Map,
    /// Eigenvalues that are kept, descending, all positive.
    values: Vec<f64>,
    /// Their eigenvectors, one per row.
    vectors: Dense,
}

impl SpectralMap {
    /// Fits the map, dropping eigenvalues up to n · ε · λmax.
    pub fn fit(k: &Dense, map: Map) -> Result<Self> {
        let spectrum = Spectrum::of(k)?;
        let zero = tolerance(&spectrum.values);
        Self::from_spectrum(&spectrum, map, zero)
    }

    /// Fits the map, dropping eigenvalues up to `tolerance` · λmax, 0 ≤ tolerance < 1.
    pub fn fit_with(k: &Dense, map: Map, tolerance: f64) -> Result<Self> {
        if !(0.0..1.0).contains(&tolerance) {
            return Err(Error::param("tolerance", tolerance, "in [0, 1)"));
        }
        let spectrum = Spectrum::of(k)?;
        let zero = tolerance * spectrum.radius();
        Self::from_spectrum(&spectrum, map, zero)
    }

    /// The map from an eigendecomposition, dropping eigenvalues at or below `zero`.
    pub(super) fn from_spectrum(spectrum: &Spectrum, map: Map, zero: f64) -> Result<Self> {
        require_psd(spectrum.values[0], spectrum.values[spectrum.n() - 1])?;
        let kept: Vec<usize> =
            (0..spectrum.n()).rev().filter(|&k| spectrum.values[k] > zero.max(0.0)).collect();
        let values = kept.iter().map(|&k| spectrum.values[k]).collect();
        Ok(SpectralMap { map, values, vectors: spectrum.vectors.select(&kept) })
    }

    /// A map from its parts, as returned by [`eigenvalues`](SpectralMap::eigenvalues) and
    /// [`eigenvectors`](SpectralMap::eigenvectors): one positive value per row of `vectors`.
    pub fn from_parts(map: Map, values: Vec<f64>, vectors: Dense) -> Result<Self> {
        if values.len() != vectors.rows() {
            return Err(Error::Shape {
                expected: format!("one eigenvector for each of {} eigenvalues", values.len()),
                found: format!("{} × {}", vectors.rows(), vectors.cols()),
            });
        }
        crate::numeric::check::check_finite(&vectors)?;
        if let Some(bad) = values.iter().find(|v| !(v.is_finite() && **v > 0.0)) {
            return Err(Error::param("eigenvalue", bad, "positive and finite"));
        }
        Ok(SpectralMap { map, values, vectors })
    }

    /// Keeps at most the r largest eigenvalues: the best approximation of K of that rank.
    #[must_use]
    pub fn truncate(mut self, r: usize) -> Self {
        if r < self.rank() {
            self.values.truncate(r);
            self.vectors = self.vectors.select(&(0..r).collect::<Vec<_>>());
        }
        self
    }

    /// The kind of coordinates.
    pub fn map(&self) -> Map {
        self.map
    }

    /// The number of training objects.
    pub fn n(&self) -> usize {
        self.vectors.cols()
    }

    /// The number of eigenvalues kept.
    pub fn rank(&self) -> usize {
        self.values.len()
    }

    /// The number of coordinates of a mapped object.
    pub fn dimension(&self) -> usize {
        match self.map {
            Map::Mercer => self.rank(),
            Map::Empirical => self.n(),
        }
    }

    /// The eigenvalues kept, descending.
    pub fn eigenvalues(&self) -> &[f64] {
        &self.values
    }

    /// The eigenvectors kept, one per row, in the order of the values.
    pub fn eigenvectors(&self) -> &Dense {
        &self.vectors
    }

    /// The training objects' coordinates, one object per row.
    pub fn training(&self) -> Dense {
        // Uᵀ scaled, then transposed to have objects in rows.
        let coordinates = transposed(&scale_rows(&self.vectors, self.values.iter().map(|v| v.sqrt())));
        self.rotate(coordinates)
    }

    /// New objects' coordinates, one per row, from their similarities to the training objects.
    ///
    /// Rows of the training Gram matrix give the rows of [`training`](SpectralMap::training) up to rounding.
    pub fn apply(&self, cross: &Dense) -> Result<Dense> {
        check_cross(cross, self.n())?;
        Ok(self.rotate(product_transposed(cross, &self.weighted())))
    }

    /// Λ^(-1/2) Uᵀ.
    fn weighted(&self) -> Dense {
        scale_rows(&self.vectors, self.values.iter().map(|v| 1.0 / v.sqrt()))
    }

    /// U Λ^(-1/2): one row per training object.
    pub(super) fn whitening(&self) -> Dense {
        transposed(&self.weighted())
    }

    /// Mercer coordinates unchanged, or rotated back to one per training object.
    fn rotate(&self, coordinates: Dense) -> Dense {
        match self.map {
            Map::Mercer => coordinates,
            Map::Empirical => product(&coordinates, &self.vectors),
        }
    }
}

/// aᵀ.
pub(super) fn transposed(a: &Dense) -> Dense {
    let mut out = Dense::zeros(a.cols(), a.rows());
    for i in 0..a.rows() {
        for (j, v) in a.row(i).iter().enumerate() {
            out.row_mut(j)[i] = *v;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;
    use crate::numeric::algebra::largest;
    use crate::numeric::algebra::test_support::*;
    use proptest::prelude::*;

    const MAPS: [Map; 2] = [Map::Mercer, Map::Empirical];

    #[test]
    fn worked_points() {
        let k = worked_gram();
        for map in MAPS {
            let fitted = SpectralMap::fit(&k, map).unwrap();
            assert_eq!((fitted.rank(), fitted.n()), (2, 5));
            let x = fitted.training();
            assert_eq!((x.rows(), x.cols()), (5, fitted.dimension()));
            assert!(apart(&linear(&x), &k) < 1e-12 * largest(k.values()));
        }
    }

    #[test]
    fn the_zero_matrix_has_no_coordinates() {
        let k = Dense::zeros(3, 3);
        let mercer = SpectralMap::fit(&k, Map::Mercer).unwrap();
        assert_eq!((mercer.rank(), mercer.training()), (0, Dense::zeros(3, 0)));
        assert_eq!(mercer.apply(&Dense::zeros(2, 3)).unwrap(), Dense::zeros(2, 0));
        let empirical = SpectralMap::fit(&k, Map::Empirical).unwrap();
        assert_eq!(empirical.training(), k);
        assert_eq!(empirical.apply(&Dense::zeros(0, 3)).unwrap(), Dense::zeros(0, 3));
    }

    #[test]
    fn mismatched_arguments_are_rejected() {
        for map in MAPS {
            let bad = Dense::from_rows(&[[0.0, 1.0], [1.0, 0.0]]);
            assert_eq!(SpectralMap::fit(&bad, map).unwrap_err().code(), Code::GramDefinite);
            assert!(SpectralMap::fit(&Dense::zeros(0, 0), map).is_err());
            assert!(SpectralMap::fit(&Dense::zeros(1, 2), map).is_err());
            assert!(SpectralMap::fit(&Dense::from_rows(&[[f64::NAN]]), map).is_err());
            assert!(SpectralMap::fit_with(&worked_gram(), map, 1.0).is_err());
            assert!(SpectralMap::fit_with(&worked_gram(), map, f64::NAN).is_err());
            let fitted = SpectralMap::fit(&worked_gram(), map).unwrap();
            assert!(fitted.apply(&Dense::zeros(1, 4)).is_err());
            assert!(fitted.apply(&Dense::new(1, 5, vec![f64::NAN; 5]).unwrap()).is_err());
            assert!(SpectralMap::from_parts(map, vec![1.0], Dense::zeros(2, 3)).is_err());
            assert!(SpectralMap::from_parts(map, vec![0.0], Dense::zeros(1, 3)).is_err());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn dot_products_equal_the_gram_matrix(x in vectors()) {
            let k = linear(&x);
            for map in MAPS {
                let fitted = SpectralMap::fit(&k, map).unwrap();
                let back = linear(&fitted.training());
                prop_assert!(apart(&back, &k) <= 1e-9 * largest(k.values()));
                let again = linear(&fitted.apply(&k).unwrap());
                prop_assert!(apart(&again, &k) <= 1e-9 * largest(k.values()));
            }
        }

        #[test]
        fn training_objects_map_to_their_rows(x in vectors()) {
            let k = linear(&x);
            for map in MAPS {
                // Errors grow by 1/√λ: with λ ≥ 1e-6 λmax they stay below 1e-9 of the longest row.
                let fitted = SpectralMap::fit_with(&k, map, 1e-6).unwrap();
                let room = 1e-9 * largest(k.values()).sqrt();
                prop_assert!(apart(&fitted.apply(&k).unwrap(), &fitted.training()) <= room);
                let parts = SpectralMap::from_parts(
                    map, fitted.eigenvalues().to_vec(), fitted.eigenvectors().clone()).unwrap();
                prop_assert_eq!(parts, fitted);
            }
        }

        #[test]
        fn new_objects_in_the_span_keep_their_dot_products(x in vectors(), y in prop::collection::vec(-3.0..3.0f64, 12)) {
            // A combination of training objects is in their span.
            let mut new = Dense::zeros(1, x.cols());
            for (i, weight) in (0..x.rows()).zip(&y) {
                new.row_mut(0).iter_mut().zip(x.row(i)).for_each(|(v, a)| *v += weight * a);
            }
            let (k, c) = (linear(&x), cross(&new, &x));
            for map in MAPS {
                let fitted = SpectralMap::fit(&k, map).unwrap();
                let mapped = fitted.apply(&c).unwrap();
                let room = 1e-8 * (largest(c.values()) + largest(k.values()));
                prop_assert!(apart(&cross(&mapped, &fitted.training()), &c) <= room);
            }
        }

        #[test]
        fn truncation_is_the_best_approximation_of_its_rank(x in vectors(), r in 0usize..8) {
            let k = linear(&x);
            let full = SpectralMap::fit(&k, Map::Mercer).unwrap();
            let cut = full.clone().truncate(r);
            prop_assert_eq!(cut.rank(), r.min(full.rank()));
            // The error is bounded by the first eigenvalue dropped.
            let lost = full.eigenvalues().get(r).copied().unwrap_or(0.0);
            prop_assert!(apart(&linear(&cut.training()), &k) <= lost + 1e-9 * largest(k.values()));
        }
    }
}
