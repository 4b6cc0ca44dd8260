//! Principal component analysis.

use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::Spectrum;
use crate::numeric::algebra::{product_transposed, weighted_gram};

/// Directions whose variance is below this fraction of the largest are rounding errors.
const NOTHING: f64 = 1e-10;

/// Coordinates of rows along the directions of largest variance: z = A (x - mean), where A has orthonormal rows.
///
/// ```
/// use mercer_core::{data::Dense, kernel::image::Projection};
/// let x = Dense::from_rows(&[[1.0, 1.0], [3.0, 3.0], [5.0, 5.0]]);
/// let line = Projection::fit(&x, 2)?;
/// // The points lie on a line, so there is one direction.
/// let z = line.apply(&x)?;
/// assert_eq!((z.rows(), z.cols()), (3, 1));
/// assert!((z.at(2, 0) - 8f64.sqrt()).abs() < 1e-12 && z.at(1, 0).abs() < 1e-12);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Projection {
    mean: Vec<f64>,
    axes: Dense,
}

impl Projection {
    /// At most `components` directions of largest variance of the rows; fewer if the rows vary in fewer directions, but
    /// at least one. Time O(n d² + d³).
    pub fn fit(x: &Dense, components: usize) -> Result<Self> {
        let (n, d) = (x.rows(), x.cols());
        if n == 0 || d == 0 || components == 0 {
            return Err(Error::usage("principal components need at least one row and one column"));
        }
        let mut mean = vec![0.0; d];
        for i in 0..n {
            mean.iter_mut().zip(x.row(i)).for_each(|(m, v)| *m += v);
        }
        mean.iter_mut().for_each(|m| *m /= n as f64);
        let covariance = weighted_gram(&centred(x, &mean), &vec![1.0 / n as f64; n], None);
        let spectrum = Spectrum::of(&covariance)?;
        let least = NOTHING * spectrum.radius();
        let some = spectrum.values.iter().filter(|v| **v > least).count().clamp(1, components);
        let largest: Vec<usize> = (0..d).rev().take(some).collect();
        Ok(Projection { mean, axes: spectrum.vectors.select(&largest) })
    }

    /// A projection from its parameters, such as stored ones: a mean, and one direction per row.
    pub fn from_parts(mean: Vec<f64>, axes: Dense) -> Result<Self> {
        if axes.cols() != mean.len() || axes.rows() == 0 {
            return Err(Error::Shape {
                expected: format!("directions of {} numbers", mean.len()),
                found: format!("{} × {}", axes.rows(), axes.cols()),
            });
        }
        Ok(Projection { mean, axes })
    }

    /// The mean, and the directions in rows.
    pub fn parts(&self) -> (&[f64], &Dense) {
        (&self.mean, &self.axes)
    }

    /// The coordinates of rows. Each row is independent of the others.
    pub fn apply(&self, x: &Dense) -> Result<Dense> {
        if x.cols() != self.mean.len() {
            return Err(Error::Dimension { expected: self.mean.len(), found: x.cols() });
        }
        Ok(product_transposed(&centred(x, &self.mean), &self.axes))
    }
}

fn centred(x: &Dense, mean: &[f64]) -> Dense {
    let mut out = x.clone();
    for i in 0..x.rows() {
        out.row_mut(i).iter_mut().zip(mean).for_each(|(v, m)| *v -= m);
    }
    out
}
