//! Low-rank approximation of Gram matrices by landmarks.
//!
//! The Nyström approximation of K by m landmarks is C·W⁺·Cᵀ, where C compares all objects with the landmarks and W the
//! landmarks with each other. [`whitening`] turns W into a map z(x) = Mᵀ·k(L, x) with z(x)·z(y) = C·W⁺·Cᵀ, so that
//! coordinates are computed object by object. [`choose_landmarks`] selects the landmarks; [`pivoted_cholesky`] does so
//! with a bound on the error.
//!
//! There are two maps. [`triangular_whitening`] is the inverse of a Cholesky factor and takes m²/2 operations per object.
//! It exists only where W is proved to be well conditioned. [`whitening`] uses eigenvectors of W, takes m² operations and drops
//! directions that would amplify rounding.

mod landmarks;
mod pivots;
#[cfg(test)]
mod tests;

pub use landmarks::{Landmarks, choose_landmarks};
pub use pivots::{Pivot, Pivoted, pivoted_cholesky};

use super::map::transposed;
use super::{Map, SpectralMap, Spectrum};
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::PSD_THRESHOLD;
use crate::numeric::Cholesky;

/// Eigenvalues below this fraction of the largest are dropped: dividing by their roots would amplify rounding.
const SMALLEST: f64 = 1e-12;

/// The map M with M·Mᵀ = W⁺: one row per landmark, one column per direction kept, in descending order of eigenvalues.
///
/// `w` is the Gram matrix of the landmarks. Fails with [`Error::NotPositiveDefinite`] if W has clearly negative
/// eigenvalues. Costs an eigendecomposition, O(m³).
///
/// ```
/// use mercer_core::{data::Dense, gram::whitening};
/// let map = whitening(&Dense::from_rows(&[[4.0, 0.0], [0.0, 0.25]]))?;
/// assert_eq!((map.rows(), map.cols()), (2, 2));
/// assert!((map.at(0, 0).abs() - 0.5).abs() < 1e-15 && (map.at(1, 1).abs() - 2.0).abs() < 1e-15);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Reference: Williams & Seeger 2001, Using the Nyström method to speed up kernel machines.
pub fn whitening(w: &Dense) -> Result<Dense> {
    let spectrum = Spectrum::of(w)?;
    let (least, most) = (spectrum.values.first().copied().unwrap_or(0.0), spectrum.radius());
    if least < -PSD_THRESHOLD * most {
        return Err(Error::NotPositiveDefinite { lambda_min: least, lambda_max: most });
    }
    Ok(SpectralMap::from_spectrum(&spectrum, Map::Mercer, SMALLEST * most)?.whitening())
}

/// The upper triangular map M with M·Mᵀ = W⁻¹, M = L⁻ᵀ for W = L·Lᵀ; `None` unless W is proved to be well conditioned.
///
/// `w` is the Gram matrix of the landmarks. The least eigenvalue of W is at least 1/tr(W⁻¹), the largest at most tr(W), so the
/// product of both traces bounds the condition number; it must be below 10¹². Costs O(m³/3), far less than the eigenvalues of
/// [`whitening`].
///
/// ```
/// use mercer_core::{data::Dense, gram::triangular_whitening};
/// let map = triangular_whitening(Dense::from_rows(&[[4.0, 2.0], [2.0, 2.0]]))?.unwrap();
/// assert_eq!(map.values(), [0.5, -0.5, 0.0, 1.0]);
/// assert!(triangular_whitening(Dense::from_rows(&[[1.0, 1.0], [1.0, 1.0]]))?.is_none());
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn triangular_whitening(w: Dense) -> Result<Option<Dense>> {
    let m = w.rows();
    let most: f64 = (0..m).map(|i| w.at(i, i)).sum();
    let Some(factor) = Cholesky::new(w)? else { return Ok(None) };
    let root = factor.inverse_root();
    let inverse: f64 = root.values().iter().map(|v| v * v).sum();
    // Not a number fails too.
    if inverse * most < 1.0 / SMALLEST { Ok(Some(transposed(&root))) } else { Ok(None) }
}
