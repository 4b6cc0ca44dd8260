//! Walks over inner products, by transforming the data.

use super::{check_power, power};
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::Spectrum;
use crate::numeric::algebra::{product_transposed, scale_rows, weighted_gram};
use crate::numeric::check::check_finite;

/// The walk over inner products of centred data as a linear map: x → (D/ρ)^((p-1)/2)·Uᵀ·(x - mean).
///
/// With X the centred training data (rows are objects), XᵀX = U D Uᵀ and W = X·Xᵀ, the inner products of transformed
/// objects are W^p / ρ^(p-1): those of [`Walk`](super::Walk) over W, for training and new objects alike. Cost: O(n·d² +
/// d³) to fit, O(d²) per object, independent of the number of objects.
///
/// ```
/// use mercer_core::{data::Dense, gram::LinearWalk};
/// let x = Dense::from_rows(&[[1.0, 0.0], [3.0, 1.0], [5.0, -1.0]]);
/// let y = LinearWalk::fit(&x)?.transform(&x, 2)?;
/// // W has the row (4, 0, -4) for the first object: W² holds 16 + 16 there, ρ = 8.
/// let squared: f64 = y.row(0).iter().map(|v| v * v).sum();
/// assert!((squared - 32.0 / LinearWalk::fit(&x)?.radius()).abs() < 1e-12);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Reference: Gavriilidis & Tefas 2013, equation 6.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearWalk {
    mean: Vec<f64>,
    spectrum: Spectrum,
}

impl LinearWalk {
    /// Fits mean and directions to the training data: at least one object and one feature, all finite.
    pub fn fit(x: &Dense) -> Result<Self> {
        check_finite(x)?;
        if x.rows() == 0 || x.cols() == 0 {
            return Err(Error::Shape {
                expected: "at least one object with at least one feature".into(),
                found: format!("{} × {}", x.rows(), x.cols()),
            });
        }
        let n = x.rows() as f64;
        let mut mean = vec![0.0; x.cols()];
        (0..x.rows()).for_each(|i| mean.iter_mut().zip(x.row(i)).for_each(|(m, v)| *m += v / n));
        let centred = shifted(x, &mean);
        let scatter = weighted_gram(&centred, &vec![1.0; x.rows()], None);
        Ok(LinearWalk { mean, spectrum: Spectrum::of(&scatter)? })
    }

    /// ρ, the largest eigenvalue of XᵀX, which is that of X·Xᵀ.
    pub fn radius(&self) -> f64 {
        self.spectrum.radius()
    }

    /// The mean of the training data.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// ρ^(p-1), the divisor of inner products in [`transform`](LinearWalk::transform); 1 if ρ is 0.
    pub fn factor(&self, p: u32) -> f64 {
        let radius = self.radius();
        if radius > 0.0 { power(radius, p.saturating_sub(1)) } else { 1.0 }
    }

    /// Objects whose inner products are W^p, without scaling; an error on overflow.
    pub fn transform_unscaled(&self, x: &Dense, p: u32) -> Result<Dense> {
        let mut out = self.transform(x, p)?;
        let root = power(self.factor(2).sqrt(), p.saturating_sub(1));
        out.values_mut().iter_mut().for_each(|v| *v *= root);
        match out.find_non_finite() {
            Some((row, col)) => Err(Error::NonFinite { row, col, overflow: true }),
            None => Ok(out),
        }
    }

    /// Objects whose inner products are the walk's similarities after p ≥ 1 steps, W^p / ρ^(p-1).
    pub fn transform(&self, x: &Dense, p: u32) -> Result<Dense> {
        check_power(p)?;
        check_finite(x)?;
        if x.cols() != self.mean.len() {
            return Err(Error::Dimension { expected: self.mean.len(), found: x.cols() });
        }
        let centred = shifted(x, &self.mean);
        if p == 1 {
            return Ok(centred);
        }
        Ok(product_transposed(&centred, &self.directions(p)?))
    }

    /// The matrix (D/ρ)^((p-1)/2)·Uᵀ, one row per coordinate of a transformed object; the identity for p = 1.
    pub fn directions(&self, p: u32) -> Result<Dense> {
        check_power(p)?;
        if p == 1 {
            let mut identity = Dense::zeros(self.mean.len(), self.mean.len());
            (0..self.mean.len()).for_each(|i| identity.row_mut(i)[i] = 1.0);
            return Ok(identity);
        }
        let radius = self.radius();
        let one = if radius > 0.0 { radius } else { 1.0 };
        // Rounding may make eigenvalues of XᵀX slightly negative.
        let scales = self.spectrum.values.iter().map(|v| power((v.max(0.0) / one).sqrt(), p - 1));
        Ok(scale_rows(&self.spectrum.vectors, scales))
    }
}

fn shifted(x: &Dense, mean: &[f64]) -> Dense {
    let mut out = x.clone();
    (0..x.rows()).for_each(|i| out.row_mut(i).iter_mut().zip(mean).for_each(|(v, m)| *v -= m));
    out
}
