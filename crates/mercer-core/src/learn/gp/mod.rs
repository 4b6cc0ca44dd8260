//! Gaussian processes: regression with predictive variances, the marginal likelihood, and classification.

mod ascent;
mod classifier;
mod evidence;
mod expectation;
mod gradients;
mod iterative;
mod laplace;
mod latent;
mod marginal;
mod model;
mod process;
mod sparse;
#[cfg(test)]
mod tests;
mod triangle;

pub use ascent::{Ascent, Climbed, ascend};
pub use classifier::{GpClassifier, GpClassifierModel};
pub use evidence::Evidence;
pub use iterative::{IterativeGp, IterativeGpModel};
pub use latent::{Approximation, Latent};
pub use marginal::{Covariance, Highest, Marginal, Slope, entrywise};
pub use model::{GpModel, normal_samples};
pub use process::{Explained, Posterior, ProcessModel};
pub use sparse::{SparseGp, SparseGpModel};

use std::borrow::Cow;
use std::f64::consts::PI;

use super::learner::{Learner, Resources};
use super::rows::whole;
use super::typed::{Regressor, fit_numbers};
use crate::budget;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::certificate::require_psd;
use crate::gram::{Engine, check_symmetric, eigenvalues};
use crate::numeric::algebra::product;
use crate::numeric::check::check_values;
use crate::numeric::math::dot;
use crate::numeric::{Cholesky, inverse};
use crate::solve::Columns;
use crate::traits::Kernel;
use model::{ConstantMean, factored};

/// Scale and noise are not learned from fewer objects.
const FEWEST: usize = 5;
/// Neighbouring rows of a matrix that one thread takes at least.
const ROWS: usize = 16;

/// Gaussian process regression: y ~ N(b, s·K + σ²·W⁻¹), with the kernel as covariance of the function.
///
/// The prediction for a new object is a normal distribution: its mean is that of kernel ridge regression with
/// λ = σ²/s, its variance s·k(x, x) - s²·kᵀC⁻¹k with C = s·K + σ²·W⁻¹. The matrix must be positive semidefinite.
///
/// * `scale`: the factor s > 0 of the kernel; learned by default.
/// * `noise`: the variance σ² ≥ 0 of an observation; learned by default. Without noise, equal objects make the matrix
///   singular: a jitter of at most 1e-6 of the prior variance is added then, see [`GpModel::jitter`].
/// * `constant mean`: whether b is fitted, under a flat prior; by default it is, otherwise b = 0.
/// * `weights`: the noise of object i is σ²/w_i; objects with a weight of 0 are left out.
///
/// Scale and noise are learned by the marginal likelihood, from one eigendecomposition: see [`Evidence`]. Time O(n³),
/// and memory for four n × n matrices.
///
/// ```
/// use mercer_core::data::{Dense, Vectors};
/// use mercer_core::learn::GaussianProcess;
/// use mercer_core::Rbf;
/// let x: Vec<f64> = (0..20).map(|i| f64::from(i) / 4.0).collect();
/// let y: Vec<f64> = x.iter().map(|x| x.sin()).collect();
/// let x = Vectors::from(Dense::new(20, 1, x)?);
/// let model = GaussianProcess::new().fit(&Rbf::new(0.5)?, &x, &y)?;
/// let new = Vectors::from(Dense::from_rows(&[[2.1], [30.0]]));
/// let (means, deviations) = model.predict_with_deviation(&new)?;
/// assert!((means[0] - 2.1f64.sin()).abs() < 0.01);
/// assert!(deviations[1] > 10.0 * deviations[0], "{deviations:?}"); // far from the data the model knows little
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// C. E. Rasmussen and C. K. I. Williams, *Gaussian processes for machine learning*, 2006, chapter 2.
#[derive(Clone, Debug, PartialEq)]
pub struct GaussianProcess {
    scale: Option<f64>,
    noise: Option<f64>,
    constant: bool,
    weights: Option<Vec<f64>>,
    resources: Resources,
}

/// Predictions for each object from all others, with the scale and noise of all.
#[derive(Clone, Debug, PartialEq)]
pub struct GpLeftOut {
    /// The mean for each object.
    pub means: Vec<f64>,
    /// The variance of its observation: that of the function plus the noise.
    pub variances: Vec<f64>,
    /// Σ log p(y_i | the others).
    pub log_density: f64,
}

impl Default for GaussianProcess {
    fn default() -> Self {
        Self::new()
    }
}

impl GaussianProcess {
    /// A Gaussian process with a constant mean, whose scale and noise are learned.
    pub fn new() -> Self {
        let resources = Resources::default();
        GaussianProcess { scale: None, noise: None, constant: true, weights: None, resources }
    }

    /// Sets the variance of the noise instead of learning it: at least 0, finite.
    #[must_use]
    pub fn with_noise(mut self, noise: f64) -> Self {
        self.noise = Some(noise);
        self
    }

    /// Sets the factor of the kernel instead of learning it: above 0, finite.
    #[must_use]
    pub fn with_scale(mut self, scale: f64) -> Self {
        self.scale = Some(scale);
        self
    }

    /// Sets whether a constant mean is fitted; otherwise the mean is 0.
    #[must_use]
    pub fn with_constant_mean(mut self, constant: bool) -> Self {
        self.constant = constant;
        self
    }

    /// Sets the weight of each object: its noise is divided by it.
    #[must_use]
    pub fn with_weights(mut self, weights: Vec<f64>) -> Self {
        self.weights = Some(weights);
        self
    }

    /// Sets the engine of the typed fit: its threads, its memory and its time.
    #[must_use]
    pub fn with_engine(mut self, engine: Engine) -> Self {
        self.resources.engine = Some(engine);
        self
    }

    /// Fits to objects with a finite number each, with any positive semidefinite kernel.
    pub fn fit<X: Sync + ?Sized, K: Kernel<X> + Clone>(
        &self,
        kernel: &K,
        objects: &X,
        target: &[f64],
    ) -> Result<Regressor<X, K, GpModel>> {
        fit_numbers(self, &self.resources, kernel, objects, target)
    }

    /// Fits to a Gram matrix and one finite number per object.
    pub fn fit_gram(&self, gram: &Dense, target: &[f64]) -> Result<GpModel> {
        let task = self.task(gram, target)?;
        let (scale, noise, is_flat) = self.learned(&task)?;
        let (matrix, size) = task.covariance(scale, noise)?;
        let n = matrix.rows();
        let Some((factor, jitter)) = factored(&matrix, size)? else {
            let values = eigenvalues(&task.gram)?;
            require_psd(values[0], values[n - 1])?;
            return Err(Error::Numeric {
                reason: "the covariance of the training objects is numerically singular: raise noise".into(),
            });
        };
        drop(matrix);
        let mut residuals = task.target.to_vec();
        let mean = self.constant.then(|| {
            let (mut solved, mut y) = (vec![1.0; n], residuals.clone());
            factor.forward(&mut solved);
            factor.forward(&mut y);
            let precision = dot(&solved, &solved);
            ConstantMean { value: dot(&solved, &y) / precision, solved, precision }
        });
        if let Some(mean) = &mean {
            residuals.iter_mut().for_each(|y| *y -= mean.value);
        }
        let mut whitened = residuals;
        factor.forward(&mut whitened);
        let lower = factor.lower();
        let log_diagonal: f64 = (0..n).map(|i| lower.at(i, i).ln()).sum();
        let (degrees, doubt) = match &mean {
            Some(mean) => (n as f64 - 1.0, mean.precision.ln()),
            None => (n as f64, 0.0),
        };
        let quadratic = dot(&whitened, &whitened);
        let log_likelihood = -0.5 * (quadratic + 2.0 * log_diagonal + doubt + degrees * (2.0 * PI).ln());
        factor.backward(&mut whitened);
        let mut lower = factor.into_lower();
        for i in 0..n {
            lower.row_mut(i)[i + 1..].fill(0.0);
        }
        let good = whitened.iter().all(|a| a.is_finite()) && log_likelihood.is_finite();
        if !good {
            return Err(Error::Numeric {
                reason:
                    "the coefficients of the Gaussian process are not finite: raise noise or scale the target"
                        .into(),
            });
        }
        Ok(GpModel {
            alpha: whitened,
            factor: lower,
            scale,
            noise,
            jitter,
            mean,
            log_likelihood,
            used: task.used,
            is_flat,
        })
    }

    /// The prediction for each object from all others, in closed form; scale and noise are learned once from all.
    ///
    /// With G = C⁻¹ - C⁻¹11ᵀC⁻¹ / 1ᵀC⁻¹1 (C⁻¹ without a constant): mean y_i - (Gy)_i / G_ii, variance 1 / G_ii. Objects
    /// with a weight of 0 are left out of the result. Time O(n³).
    ///
    /// ```
    /// use mercer_core::{data::Dense, learn::GaussianProcess};
    /// let k = Dense::from_rows(&[[1.0, 0.5], [0.5, 1.0]]);
    /// let gp = GaussianProcess::new().with_scale(1.0).with_noise(0.25).with_constant_mean(false);
    /// let left_out = gp.leave_one_out(&k, &[2.0, 1.0])?;
    /// // Without the second object, the first is predicted from it as 0.5 / 1.25 with variance 1.25 - 0.25 / 1.25.
    /// assert!((left_out.means[0] - 0.4).abs() < 1e-12 && (left_out.variances[0] - 1.05).abs() < 1e-12);
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    ///
    /// O. Dubrule, *Cross validation of kriging in a unique neighborhood*, Mathematical Geology 15, 1983.
    pub fn leave_one_out(&self, gram: &Dense, target: &[f64]) -> Result<GpLeftOut> {
        let task = self.task(gram, target)?;
        let (scale, noise, _) = self.learned(&task)?;
        let (mut matrix, size) = task.covariance(scale, noise)?;
        let n = matrix.rows();
        let Some((_, jitter)) = factored(&matrix, size)? else {
            return Err(Error::Numeric {
                reason: "the covariance of the training objects is singular".into(),
            });
        };
        (0..n).for_each(|i| matrix.row_mut(i)[i] += jitter);
        let g = inverse(matrix)?;
        let times =
            |v: &[f64]| -> Result<Vec<f64>> { Ok(product(&g, &Dense::new(n, 1, v.to_vec())?).into_values()) };
        let (mut solved, mut diagonal) =
            (times(&task.target)?, (0..n).map(|i| g.at(i, i)).collect::<Vec<_>>());
        if self.constant {
            let ones = times(&vec![1.0; n])?;
            let precision: f64 = ones.iter().sum();
            let mean = solved.iter().sum::<f64>() / precision;
            solved.iter_mut().zip(&ones).for_each(|(a, one)| *a -= mean * one);
            diagonal.iter_mut().zip(&ones).for_each(|(d, one)| *d -= one * one / precision);
        }
        let means: Vec<f64> =
            task.target.iter().zip(&solved).zip(&diagonal).map(|((y, a), d)| y - a / d).collect();
        let variances: Vec<f64> = diagonal.iter().map(|d| 1.0 / d).collect();
        let density = |(a, v): (&f64, &f64)| -0.5 * (a * a * v + v.ln() + (2.0 * PI).ln());
        let log_density = solved.iter().zip(&variances).map(density).sum();
        check_values(&means, n, "leave-one-out means")?;
        check_values(&variances, n, "leave-one-out variances")?;
        Ok(GpLeftOut { means, variances, log_density })
    }

    /// The learned or given scale and noise, and whether they could not be learned.
    fn learned(&self, task: &Task<'_>) -> Result<(f64, f64, bool)> {
        let n = task.target.len();
        if let (Some(scale), Some(noise)) = (self.scale, self.noise) {
            check_definite(&task.gram)?;
            return Ok((scale, noise, false));
        }
        if n < FEWEST {
            let what = if self.noise.is_none() { "noise" } else { "scale" };
            return Err(Error::usage(format!(
                "a Gaussian process learns its {what} from at least {FEWEST} objects, not {n}: give scale and noise"
            )));
        }
        let evidence = Evidence::new(&task.gram, &task.target, task.weights.as_deref(), self.constant)?;
        let (scale, noise) = evidence.maximise(self.scale, self.noise);
        let first = task.target.first().copied().unwrap_or(0.0);
        let level = if self.constant { first } else { 0.0 };
        Ok((scale, noise, task.target.iter().all(|y| *y == level)))
    }

    /// The objects with weights above 0.
    fn task<'a>(&self, gram: &'a Dense, target: &'a [f64]) -> Result<Task<'a>> {
        check_symmetric(gram)?;
        let n = gram.rows();
        check_values(target, n, "targets")?;
        let finite_above = |least: f64, name: &str, value: Option<f64>, domain: &str| match value {
            Some(v) if !(v.is_finite() && v >= least) => Err(Error::param(name, v, domain)),
            _ => Ok(()),
        };
        finite_above(0.0, "noise", self.noise, "a finite number of at least 0")?;
        finite_above(f64::MIN_POSITIVE, "scale", self.scale, "a finite number above 0")?;
        let least = if self.constant { 2 } else { 1 };
        if n < least {
            return Err(Error::usage(format!(
                "a Gaussian process needs at least {least} objects, found {n}"
            )));
        }
        let Some(weights) = &self.weights else {
            return Ok(Task {
                gram: Cow::Borrowed(gram),
                target: Cow::Borrowed(target),
                weights: None,
                used: None,
            });
        };
        check_values(weights, n, "weights")?;
        if let Some(index) = weights.iter().position(|w| *w < 0.0) {
            let reason = format!("its weight {} is below 0", weights[index]);
            return Err(Error::Object { index, reason, hint: None });
        }
        let used: Vec<usize> = (0..n).filter(|&i| weights[i] > 0.0).collect();
        if used.len() < least {
            return Err(Error::usage(format!(
                "a Gaussian process needs at least {least} objects with a weight above 0"
            )));
        }
        let chosen = Some(used.iter().map(|&i| weights[i]).collect());
        if used.len() == n {
            let (gram, target) = (Cow::Borrowed(gram), Cow::Borrowed(target));
            return Ok(Task { gram, target, weights: chosen, used: None });
        }
        let mut part = Dense::zeros(used.len(), used.len());
        for (r, &i) in used.iter().enumerate() {
            part.row_mut(r).iter_mut().zip(&used).for_each(|(v, &j)| *v = gram.at(i, j));
        }
        let target = used.iter().map(|&i| target[i]).collect();
        Ok(Task { gram: Cow::Owned(part), target: Cow::Owned(target), weights: chosen, used: Some(used) })
    }
}

/// The objects that are used: similarities, targets and weights.
struct Task<'a> {
    gram: Cow<'a, Dense>,
    target: Cow<'a, [f64]>,
    weights: Option<Vec<f64>>,
    used: Option<Vec<usize>>,
}

impl Task<'_> {
    /// s·K + σ²·W⁻¹, and the mean of its diagonal.
    fn covariance(&self, scale: f64, noise: f64) -> Result<(Dense, f64)> {
        let n = self.gram.rows();
        let needed = budget::matrix_bytes(n, n, 2 * size_of::<f64>());
        budget::ask(&format!("the covariance of {n} objects and its factor"), needed)?;
        let mut matrix = self.gram.clone().into_owned();
        matrix.values_mut().iter_mut().for_each(|v| *v *= scale);
        for i in 0..n {
            matrix.row_mut(i)[i] += noise / self.weights.as_ref().map_or(1.0, |w| w[i]);
        }
        let size = (0..n).map(|i| matrix.at(i, i).abs()).sum::<f64>() / n as f64;
        Ok((matrix, if size > 0.0 { size } else { 1.0 }))
    }
}

/// Refuses a matrix with negative eigenvalues, by a factorisation: eigenvalues are computed only for the error.
fn check_definite(gram: &Dense) -> Result<()> {
    let n = gram.rows();
    let largest = (0..n).map(|i| gram.row(i).iter().map(|v| v.abs()).sum::<f64>()).fold(0.0, f64::max);
    let mut shifted = gram.clone();
    (0..n).for_each(|i| shifted.row_mut(i)[i] += 1e-8 * largest.max(f64::MIN_POSITIVE * 1e8));
    if Cholesky::new(shifted)?.is_some() {
        return Ok(());
    }
    let values = eigenvalues(gram)?;
    require_psd(values[0], values[n - 1])
}

/// The memory needed in addition to the matrix.
const WHOLE: &str = "the matrix of a Gaussian process, its factor and its eigenvectors, in memory,";

impl Learner<[f64]> for GaussianProcess {
    type Model = GpModel;

    fn fit_columns(&self, columns: &dyn Columns, target: &[f64]) -> Result<GpModel> {
        let learns = self.scale.is_none() || self.noise.is_none();
        let gram = whole(columns, if learns { 3 } else { 2 }, WHOLE)?;
        self.fit_gram(&gram, target)
    }
}
