//! Low-rank approximation of Gram matrices by landmarks.
//!
//! The Nyström approximation of K by m landmarks is C·W⁺·Cᵀ, where C compares all objects with the landmarks and W the
//! landmarks with each other. [`whitening`] turns W into a map z(x) = Mᵀ·k(L, x) with z(x)·z(y) = C·W⁺·Cᵀ, so that
//! coordinates are computed object by object. [`choose_landmarks`] selects the landmarks; [`pivoted_cholesky`] does so
//! with a bound on the error.
//!
//! Two designs were considered for the coordinates: the Cholesky factor of the pivots (triangular, m²/2 operations per
//! object) and the whitened eigenvectors of W (m² operations). The second was chosen because it can drop directions
//! that would amplify rounding.

mod landmarks;
mod pivots;
#[cfg(test)]
mod tests;

pub use landmarks::{Landmarks, choose_landmarks};
pub use pivots::{Pivot, Pivoted, pivoted_cholesky};

use super::{Map, SpectralMap, Spectrum};
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::PSD_THRESHOLD;

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
