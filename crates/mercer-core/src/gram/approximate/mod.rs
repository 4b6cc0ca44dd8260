//! Few objects that stand for all, and what a Gram matrix loses when it is seen through them.
//!
//! Nyström's approximation of K by m landmarks is C·W⁺·Cᵀ, where C compares all objects with the landmarks and W the landmarks
//! with each other. [`whitening`] turns W into a map z(x) = Mᵀ·k(L, x) with z(x)·z(y) = C·W⁺·Cᵀ, so that objects get coordinates one
//! by one. [`choose_landmarks`] picks the landmarks, [`pivoted_cholesky`] does so with a proof of what is left out.
//!
//! Two designs were weighed for coordinates: the Cholesky factor of the pivots (triangular, m²/2 operations an object) and the whitened
//! eigenvectors of W (m² operations). The second can drop directions in which rounding would be blown up, and won.

mod landmarks;
mod pivots;
#[cfg(test)]
mod tests;

pub use landmarks::{Landmarks, choose_landmarks};
pub use pivots::{Pivot, Pivoted, pivoted_cholesky};

use super::Spectrum;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::PSD_THRESHOLD;

/// Eigenvalues below this share of the largest are left out: dividing by their roots would blow rounding up.
const SMALLEST: f64 = 1e-12;

/// The map M with M·Mᵀ = W⁺: one row per landmark, one column per direction that is kept, the largest eigenvalue first.
///
/// `w` is the Gram matrix of the landmarks. Fails with [`Error::NotPositiveDefinite`] where W has negative eigenvalues to speak of.
/// Costs an eigendecomposition, O(m³).
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
    let kept: Vec<usize> =
        (0..spectrum.n()).rev().filter(|&k| spectrum.values[k] > SMALLEST * most).collect();
    let mut map = Dense::zeros(w.rows(), kept.len());
    for (column, &k) in kept.iter().enumerate() {
        let factor = 1.0 / spectrum.values[k].sqrt();
        for (row, u) in spectrum.vectors.row(k).iter().enumerate() {
            map.row_mut(row)[column] = u * factor;
        }
    }
    Ok(map)
}
