//! What fitted Gaussian processes have in common: predictions of new objects, each by itself and all together.

use super::super::learner::{ModelOutput, PredictFrom};
use super::super::targets::finite;
use crate::budget;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::algebra::product_transposed;
use crate::numeric::check::{check_cross, check_values};
use crate::numeric::math::dot;
use crate::parallel;

/// The mean and the variance of the function at each new object; the variance of a new observation is larger by
/// [`ProcessModel::noise`].
#[derive(Clone, Debug, PartialEq)]
pub struct Posterior {
    /// The predictive means.
    pub means: Vec<f64>,
    /// The predictive variances of the function, without noise.
    pub variances: Vec<f64>,
}

impl Posterior {
    /// The standard deviation of the function, or of a new observation if the noise is given, at each object.
    pub fn deviations(&self, noise: f64) -> Vec<f64> {
        self.variances.iter().map(|v| (v + noise).sqrt()).collect()
    }
}

/// What the training objects explain of the prior covariance s·k of new objects.
///
/// cov(x, x') = s·k(x, x') - ⟨c(x), c(x')⟩ + d(x)·d(x') / p, where c are coordinates, d is the doubt about a constant mean
/// under a flat prior, 1 - 1ᵀC⁻¹k for the covariance C of the training objects, and p its precision 1ᵀC⁻¹1.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    /// One row per object.
    pub(super) coordinates: Dense,
    /// The doubt of each object, and the precision.
    pub(super) doubts: Option<(Vec<f64>, f64)>,
    /// The factor s of the kernel.
    pub(super) scale: f64,
}

impl Explained {
    /// The number of objects.
    pub fn len(&self) -> usize {
        self.coordinates.rows()
    }

    /// Whether there are no objects.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The variance of the function at an object with this self-similarity.
    fn variance(&self, i: usize, own: f64) -> f64 {
        let c = self.coordinates.row(i);
        (self.scale * own - dot(c, c)).max(0.0) + self.doubt(i, i)
    }

    fn doubt(&self, i: usize, j: usize) -> f64 {
        self.doubts.as_ref().map_or(0.0, |(doubts, precision)| doubts[i] * doubts[j] / precision)
    }

    /// The covariance of the function at one object with that at every object, from their similarities to it. Time
    /// O(n·r) for n objects and r coordinates.
    pub fn covariances_with(&self, one: usize, near: &[f64]) -> Result<Vec<f64>> {
        let n = self.len();
        check_values(near, n, "similarities to one object")?;
        if one >= n {
            return Err(Error::usage(format!("object {one} of {n}")));
        }
        let c = self.coordinates.row(one);
        let of = |i: usize| self.scale * near[i] - dot(self.coordinates.row(i), c) + self.doubt(i, one);
        let found = parallel::map(n, of);
        check_values(&found, n, "covariances")?;
        Ok(found)
    }

    /// The covariance of the function at all objects, from their similarities to each other. Time O(n²·r), memory for two
    /// n × n matrices.
    pub fn covariance(&self, own: &Dense) -> Result<Dense> {
        let n = self.len();
        check_cross(own, n)?;
        if own.rows() != n {
            let found = format!("{} × {}", own.rows(), own.cols());
            return Err(Error::Shape { expected: format!("{n} × {n} similarities of new objects"), found });
        }
        let needed = budget::matrix_bytes(n, n, 2 * size_of::<f64>());
        budget::ask(&format!("the covariance of {n} objects"), needed)?;
        let mut covariance = product_transposed(&self.coordinates, &self.coordinates);
        for i in 0..n {
            for j in 0..n {
                let known = covariance.at(i, j);
                covariance.row_mut(i)[j] = self.scale * own.at(i, j) - known + self.doubt(i, j);
            }
            covariance.row_mut(i)[i] = covariance.at(i, i).max(0.0);
        }
        finite(covariance)
    }
}

/// A fitted Gaussian process: exact ([`GpModel`](super::GpModel)), through landmarks
/// ([`SparseGpModel`](super::SparseGpModel)), or by conjugate gradients ([`IterativeGpModel`](super::IterativeGpModel)).
///
/// `cross` holds the similarities of new objects (rows) to the objects that the model uses (columns).
///
/// ```
/// use mercer_core::data::Dense;
/// use mercer_core::learn::{GaussianProcess, ProcessModel};
/// let k = Dense::from_rows(&[[1.0, 0.5], [0.5, 1.0]]);
/// let model = GaussianProcess::new().with_scale(1.0).with_noise(0.1).with_constant_mean(false).fit_gram(&k, &[1.0, -1.0])?;
/// let cross = Dense::from_rows(&[[0.9, 0.4], [0.1, 0.0]]);
/// let (means, covariance) = model.joint(&cross, &Dense::from_rows(&[[1.0, 0.1], [0.1, 1.0]]))?;
/// let each = model.posterior(&cross, &[1.0, 1.0])?;
/// assert!((means[0] - each.means[0]).abs() < 1e-15 && (covariance.at(1, 1) - each.variances[1]).abs() < 1e-15);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub trait ProcessModel: Send + Sync {
    /// The factor s of the kernel.
    fn scale(&self) -> f64;

    /// The variance σ² of the noise of an observation with weight 1.
    fn noise(&self) -> f64;

    /// What was added to the diagonal because the matrix was numerically singular; 0 in most cases.
    fn jitter(&self) -> f64 {
        0.0
    }

    /// The constant mean; 0 without one.
    fn constant(&self) -> f64;

    /// The predictive means.
    fn means(&self, cross: &Dense) -> Result<Vec<f64>>;

    /// What is known about new objects besides their means.
    fn explained(&self, cross: &Dense) -> Result<Explained>;

    /// The mean and variance of the function at new objects, from their similarities to those of the model and to
    /// themselves.
    fn posterior(&self, cross: &Dense, own: &[f64]) -> Result<Posterior> {
        check_values(own, cross.rows(), "self-similarities")?;
        let explained = self.explained(cross)?;
        let variances: Vec<f64> =
            own.iter().enumerate().map(|(i, own)| explained.variance(i, *own)).collect();
        let means = self.means(cross)?;
        if let Some(row) = variances.iter().position(|v| !v.is_finite()) {
            return Err(Error::NonFinite { row, col: 0, overflow: true });
        }
        Ok(Posterior { means, variances })
    }

    /// The means and the covariance of the function at new objects, from their similarities to those of the model and to
    /// each other.
    fn joint(&self, cross: &Dense, own: &Dense) -> Result<(Vec<f64>, Dense)> {
        Ok((self.means(cross)?, self.explained(cross)?.covariance(own)?))
    }
}

/// The prediction of such a model: the values are the means; the decision values are the mean and the variance of the
/// function.
pub(super) fn predicted(model: &impl ProcessModel, new: &PredictFrom<'_>) -> Result<ModelOutput<f64>> {
    let (cross, own) = new.similarities()?;
    let own = own.ok_or_else(|| Error::usage("variances need the self-similarities of new objects"))?;
    let Posterior { means, variances } = model.posterior(cross, own)?;
    let both = means.iter().zip(&variances).flat_map(|(m, v)| [*m, *v]).collect();
    Ok(ModelOutput { decisions: Dense::new(means.len(), 2, both)?, values: means })
}
