//! Distances, and the kernels that they define.
//!
//! A [`Distance`] works like a [`Kernel`]: [`Distance::prepare`] does the work that depends on one object alone, and
//! [`Distance::fill`] fills tiles from prepared objects. [`NegativeSquaredDistance`] turns it into the kernel -d²/2,
//! whose distance in feature space is d again. So everything that accepts kernels also works with distances.
//! `rbf-of(dtw)` is the Gaussian of a distance, k-NN with the kernel `dtw` finds the nearest neighbours by d, and the
//! similarity kernel accepts both. This avoids a second set of combinators for distances.

use std::fmt;

use crate::data::Dense;
use crate::error::Result;
use crate::gram::{Engine, operations};
use crate::numeric::math;
pub use crate::traits::Distance;
use crate::traits::{Definiteness, Kernel, Part, Prepared, Shortlists};

mod cosine_distance;
mod edit;
mod euclidean;
mod hamming;
mod jensen_shannon;
pub mod series;

pub use cosine_distance::CosineDistance;
pub use edit::EditDistance;
pub use euclidean::Euclidean;
pub use hamming::{HammingDistance, Symbols};
pub use jensen_shannon::{Distributions, JensenShannon};

/// The kernel -d(x, y)²/2 of a distance.
///
/// It is conditionally positive semidefinite, and only if d is a Euclidean distance in some space; then `center` makes
/// it positive semidefinite (classical scaling). Its distance in feature space, √(k(x, x) + k(y, y) - 2k(x, y)), is
/// exactly d.
///
/// Reference: Schölkopf 2000, The kernel trick for distances.
///
/// ```
/// use mercer_core::{data::{Dense, Vectors}, distance::{Euclidean, NegativeSquaredDistance}, gram::Engine};
/// let x = Vectors::from(Dense::from_rows(&[[0.0, 0.0], [3.0, 4.0]]));
/// let k = Engine::new().gram(&NegativeSquaredDistance(Euclidean), &x)?;
/// assert_eq!((k.at(0, 0), k.at(0, 1)), (0.0, -12.5));
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NegativeSquaredDistance<D>(pub D);

impl<D: fmt::Display> fmt::Display for NegativeSquaredDistance<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<X: ?Sized, D: Distance<X>> Kernel<X> for NegativeSquaredDistance<D> {
    type Prepared = D::Prepared;

    fn prepare(&self, objects: &X) -> Result<Self::Prepared> {
        self.0.prepare(objects)
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        self.0.fill(rows, cols, out)?;
        out.iter_mut().for_each(|v| *v = -0.5 * (*v * *v));
        Ok(())
    }

    fn diagonal(&self, _of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
        out.fill(0.0);
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        Definiteness::Indefinite
    }

    fn shortlists(
        &self,
        rows: &Self::Prepared,
        cols: &Self::Prepared,
        k: usize,
    ) -> Result<Option<Shortlists>> {
        self.0.shortlists(rows, cols, k)
    }

    fn tile_side(&self) -> usize {
        self.0.tile_side()
    }
}

impl Engine {
    /// The distances |φ(x_i) - φ(x_j)| of a set of objects in the feature space of a kernel. For
    /// [`NegativeSquaredDistance`] of a distance, this is that distance. The matrix is symmetric with a zero diagonal.
    ///
    /// ```
    /// use mercer_core::{data::{Dense, Vectors}, distance::{Euclidean, NegativeSquaredDistance}, gram::Engine};
    /// let x = Vectors::from(Dense::from_rows(&[[0.0, 0.0], [3.0, 4.0]]));
    /// assert_eq!(Engine::new().distances(&NegativeSquaredDistance(Euclidean), &x)?.at(0, 1), 5.0);
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn distances<X: Sync + ?Sized, K: Kernel<X>>(&self, kernel: &K, objects: &X) -> Result<Dense> {
        self.gram(&Induced(kernel), objects)
    }

    /// The distances |φ(x_i) - φ(y_j)| of two sets of objects.
    pub fn cross_distances<X: Sync + ?Sized, K: Kernel<X>>(
        &self,
        kernel: &K,
        rows: &X,
        cols: &X,
    ) -> Result<Dense> {
        self.cross(&Induced(kernel), rows, cols)
    }
}

/// The distance in the feature space of a kernel, filled into tiles like a kernel: no second matrix is needed.
struct Induced<'a, K>(&'a K);

impl<K: fmt::Display> fmt::Display for Induced<'_, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the distance of {}", self.0)
    }
}

impl<X: ?Sized, K: Kernel<X>> Kernel<X> for Induced<'_, K> {
    /// Objects with their self-similarities.
    type Prepared = (K::Prepared, Vec<f64>);

    fn prepare(&self, objects: &X) -> Result<Self::Prepared> {
        let set = self.0.prepare(objects)?;
        let mut own = vec![0.0; set.len()];
        self.0.diagonal(Part::all(&set), &mut own)?;
        Ok((set, own))
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        let of = |part: &Part<'_, Self::Prepared>| part.range.clone();
        self.0.fill(Part::new(&rows.set.0, of(&rows)), Part::new(&cols.set.0, of(&cols)), out)?;
        let others = &cols.set.1[of(&cols)];
        for (row, own) in out.chunks_exact_mut(others.len().max(1)).zip(&rows.set.1[of(&rows)]) {
            math::vectorised(
                #[inline(always)]
                || {
                    for (v, other) in row.iter_mut().zip(others) {
                        let squared = operations::squared_gap(*own, *other, *v);
                        // What is not a number stays so, for the engine to find.
                        *v = if squared < 0.0 { 0.0 } else { squared.sqrt() };
                    }
                },
            );
        }
        Ok(())
    }

    fn diagonal(&self, _of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
        out.fill(0.0);
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        Definiteness::Indefinite
    }

    fn tile_side(&self) -> usize {
        self.0.tile_side()
    }
}
