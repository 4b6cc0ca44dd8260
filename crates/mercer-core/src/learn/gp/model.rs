//! A fitted Gaussian process: predictive means, variances, covariances and samples.

use super::super::learner::{ModelOutput, PredictFrom, Predictor};
use super::super::targets::finite;
use super::triangle::{solved, unpacked};
use crate::budget;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::Cholesky;
use crate::numeric::algebra::product_transposed;
use crate::numeric::check::{check_cross, check_values};
use crate::numeric::math::dot;
use crate::parallel;
use crate::random::Random;

/// The mean and the variance of the function at each new object; the variance of a new observation is larger by
/// [`GpModel::noise`].
#[derive(Clone, Debug, PartialEq)]
pub struct Posterior {
    /// The predictive means.
    pub means: Vec<f64>,
    /// The predictive variances of the function, without noise.
    pub variances: Vec<f64>,
}

/// A fitted Gaussian process, from [`GaussianProcess`](super::GaussianProcess).
///
/// It holds the Cholesky factor of s·K + σ²·W⁻¹: n (n + 1) / 2 numbers, which a model file stores too.
#[derive(Clone, Debug, PartialEq)]
pub struct GpModel {
    /// C⁻¹ (y - b).
    pub(super) alpha: Vec<f64>,
    /// The lower factor of C, with zeros above the diagonal.
    pub(super) factor: Dense,
    pub(super) scale: f64,
    pub(super) noise: f64,
    pub(super) jitter: f64,
    pub(super) mean: Option<ConstantMean>,
    pub(super) log_likelihood: f64,
    /// The training objects, if some were left out because of a weight of 0.
    pub(super) used: Option<Vec<usize>>,
    /// Whether scale or noise could not be learned, because all targets are equal.
    pub(super) is_flat: bool,
}

/// A constant mean under a flat prior.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ConstantMean {
    pub(super) value: f64,
    /// L⁻¹ 1.
    pub(super) solved: Vec<f64>,
    /// 1ᵀ C⁻¹ 1.
    pub(super) precision: f64,
}

impl GpModel {
    /// The mean and variance of the function at new objects (rows), from their similarities to the training objects
    /// (columns) and to themselves. Time O(n²) per object.
    pub fn posterior(&self, cross: &Dense, own: &[f64]) -> Result<Posterior> {
        check_values(own, cross.rows(), "self-similarities")?;
        let solved = self.solved(cross)?;
        let variance = |i: usize| {
            let v = solved.row(i);
            let rest = self.scale * own[i] - dot(v, v);
            rest.max(0.0) + self.mean.as_ref().map_or(0.0, |m| m.doubt(v).powi(2) / m.precision)
        };
        let variances: Vec<f64> = (0..cross.rows()).map(variance).collect();
        let means = self.means(cross)?;
        if let Some(row) = variances.iter().position(|v| !v.is_finite()) {
            return Err(Error::NonFinite { row, col: 0, overflow: true });
        }
        Ok(Posterior { means, variances })
    }

    /// The predictive means alone. Time O(n) per object.
    pub fn means(&self, cross: &Dense) -> Result<Vec<f64>> {
        check_cross(cross, self.alpha.len())?;
        let b = self.constant();
        let means = (0..cross.rows()).map(|i| b + self.scale * dot(cross.row(i), &self.alpha)).collect();
        Ok(finite(Dense::new(cross.rows(), 1, means)?)?.into_values())
    }

    /// The mean and the covariance of the function at new objects, from their similarities to the training objects and
    /// to each other. Time O(n² m + n m²), memory O(m²) for m new objects.
    pub fn joint(&self, cross: &Dense, own: &Dense) -> Result<(Vec<f64>, Dense)> {
        let m = cross.rows();
        check_cross(own, m)?;
        if own.rows() != m {
            let found = format!("{} × {}", own.rows(), own.cols());
            return Err(Error::Shape { expected: format!("{m} × {m} similarities of new objects"), found });
        }
        budget::ask(
            &format!("the covariance of {m} objects"),
            budget::matrix_bytes(m, m, 2 * size_of::<f64>()),
        )?;
        let solved = self.solved(cross)?;
        let mut covariance = product_transposed(&solved, &solved);
        let doubts: Option<(Vec<f64>, f64)> = self
            .mean
            .as_ref()
            .map(|mean| ((0..m).map(|i| mean.doubt(solved.row(i))).collect(), mean.precision));
        for i in 0..m {
            for j in 0..m {
                let known = covariance.at(i, j);
                let mean = doubts.as_ref().map_or(0.0, |(d, precision)| d[i] * d[j] / precision);
                covariance.row_mut(i)[j] = self.scale * own.at(i, j) - known + mean;
            }
            covariance.row_mut(i)[i] = covariance.at(i, i).max(0.0);
        }
        Ok((self.means(cross)?, finite(covariance)?))
    }

    /// The covariance of the function at one of some new objects with that at all of them: `cross` holds their similarities
    /// to the training objects, `near` those to that object. Time O(n² + n m).
    pub fn covariance_with(&self, cross: &Dense, near: &[f64], one: usize) -> Result<Vec<f64>> {
        let m = cross.rows();
        check_cross(cross, self.alpha.len())?;
        check_values(near, m, "similarities to one object")?;
        if one >= m {
            return Err(Error::usage(format!("object {one} of {m}")));
        }
        let mut solved: Vec<f64> = cross.row(one).iter().map(|v| self.scale * v).collect();
        // The factor has zeros above the diagonal.
        let factor = Cholesky::from_lower(self.factor.clone());
        factor.forward(&mut solved);
        let doubt = self.mean.as_ref().map(|mean| (mean, mean.doubt(&solved)));
        factor.backward(&mut solved);
        // 1ᵀ C⁻¹ for the doubt about the constant at each object.
        let ones = doubt.map(|(mean, own)| {
            let mut ones = mean.solved.clone();
            factor.backward(&mut ones);
            (ones, own / mean.precision)
        });
        let one = |i: usize| {
            let known = self.scale * dot(cross.row(i), &solved);
            let of_mean = match &ones {
                Some((ones, factor)) => factor * (1.0 - self.scale * dot(cross.row(i), ones)),
                None => 0.0,
            };
            self.scale * near[i] - known + of_mean
        };
        let found = parallel::map(m, one);
        check_values(&found, m, "covariances")?;
        Ok(found)
    }

    /// L⁻¹ s k for each row of similarities.
    fn solved(&self, cross: &Dense) -> Result<Dense> {
        solved(&self.factor, cross, |row| row.iter_mut().for_each(|v| *v *= self.scale))
    }

    /// The coefficients α = C⁻¹ (y - b); the mean is b + s Σ α_i k(x_i, x).
    pub fn alpha(&self) -> &[f64] {
        &self.alpha
    }

    /// The lower Cholesky factor of C = s·K + σ²·W⁻¹.
    pub fn factor(&self) -> &Dense {
        &self.factor
    }

    /// The factor s of the kernel.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// The variance σ² of the noise of an observation with weight 1.
    pub fn noise(&self) -> f64 {
        self.noise
    }

    /// What was added to the diagonal because the matrix was numerically singular; 0 in most cases.
    pub fn jitter(&self) -> f64 {
        self.jitter
    }

    /// The constant mean; 0 without one.
    pub fn constant(&self) -> f64 {
        self.mean.as_ref().map_or(0.0, |m| m.value)
    }

    /// The log marginal likelihood of the training targets.
    pub fn log_likelihood(&self) -> f64 {
        self.log_likelihood
    }

    /// Whether scale or noise could not be learned, because all targets are equal.
    pub fn is_flat(&self) -> bool {
        self.is_flat
    }

    /// The constant mean, L⁻¹ 1 and 1ᵀ C⁻¹ 1, if a mean was fitted.
    #[doc(hidden)]
    pub fn mean_parts(&self) -> Option<(f64, &[f64], f64)> {
        self.mean.as_ref().map(|m| (m.value, &m.solved[..], m.precision))
    }

    /// A model from its parts: `packed` holds the rows of the lower factor one after another.
    #[doc(hidden)]
    pub fn from_parts(
        alpha: Vec<f64>,
        packed: &[f64],
        (scale, noise, jitter): (f64, f64, f64),
        mean: Option<(f64, Vec<f64>, f64)>,
        log_likelihood: f64,
        is_flat: bool,
    ) -> Result<Self> {
        let n = alpha.len();
        check_values(&alpha, n, "coefficients")?;
        check_values(&[scale, noise, jitter, log_likelihood], 4, "parameters")?;
        if scale <= 0.0 || noise < 0.0 || jitter < 0.0 {
            return Err(Error::usage("scale must be above 0, noise and jitter at least 0"));
        }
        let factor = unpacked(packed, n)?;
        let mean = match mean {
            None => None,
            Some((value, solved, precision)) => {
                check_values(&solved, n, "entries of the solved constant")?;
                check_values(&[value, precision], 2, "numbers of the constant")?;
                if precision <= 0.0 {
                    return Err(Error::usage("the precision of the constant must be above 0"));
                }
                Some(ConstantMean { value, solved, precision })
            }
        };
        Ok(GpModel { alpha, factor, scale, noise, jitter, mean, log_likelihood, used: None, is_flat })
    }
}

impl ConstantMean {
    /// 1 - 1ᵀ C⁻¹ k: how far a new object is from the data that the constant was estimated from.
    fn doubt(&self, solved: &[f64]) -> f64 {
        1.0 - dot(&self.solved, solved)
    }
}

impl Posterior {
    /// The standard deviation of the function, or of a new observation if the noise is given, at each object.
    pub fn deviations(&self, noise: f64) -> Vec<f64> {
        self.variances.iter().map(|v| (v + noise).sqrt()).collect()
    }
}

/// Samples of a normal distribution with this mean and covariance: one row per sample. The draws depend on the seed
/// alone. A singular covariance gets a jitter of at most 1e-6 of its largest entry. Time O(m³ / 3).
pub fn normal_samples(mean: &[f64], covariance: &Dense, count: usize, seed: u64) -> Result<Dense> {
    let m = mean.len();
    check_cross(covariance, m)?;
    let needed = budget::matrix_bytes(count, m, size_of::<f64>());
    budget::ask(&format!("{count} samples at {m} objects"), needed)?;
    let size = (0..m).map(|i| covariance.at(i, i).abs()).fold(0.0, f64::max);
    let mut out = Dense::zeros(count, m);
    if size == 0.0 {
        (0..count).for_each(|i| out.row_mut(i).copy_from_slice(mean));
        return Ok(out);
    }
    let (factor, _) = factored(covariance, size)?.ok_or_else(|| Error::Numeric {
        reason: "the covariance of the samples is not positive semidefinite".into(),
    })?;
    let mut random = Random::derived(seed, 0x6770);
    for i in 0..count {
        budget::check()?;
        let draw: Vec<f64> = (0..m).map(|_| random.normal()).collect();
        for (j, value) in out.row_mut(i).iter_mut().enumerate() {
            *value = mean[j] + dot(&factor.lower().row(j)[..=j], &draw[..=j]);
        }
    }
    Ok(out)
}

/// The factor of a matrix and the jitter on its diagonal: the least of 0, 1e-12, 1e-10, 1e-8, 1e-6 times `size` with
/// which there is one.
pub(super) fn factored(matrix: &Dense, size: f64) -> Result<Option<(Cholesky, f64)>> {
    for share in [0.0, 1e-12, 1e-10, 1e-8, 1e-6] {
        let mut copy = matrix.clone();
        (0..copy.rows()).for_each(|i| copy.row_mut(i)[i] += share * size);
        if let Some(factor) = Cholesky::new(copy)? {
            return Ok(Some((factor, share * size)));
        }
    }
    Ok(None)
}

impl Predictor for GpModel {
    type Output = f64;

    /// The values are the means; the decision values have the mean and the variance of the function.
    fn predict_from(&self, new: &PredictFrom<'_>) -> Result<ModelOutput<f64>> {
        let (cross, own) = new.similarities()?;
        let own = own.ok_or_else(|| Error::usage("variances need the self-similarities of new objects"))?;
        let Posterior { means, variances } = self.posterior(cross, own)?;
        let both = means.iter().zip(&variances).flat_map(|(m, v)| [*m, *v]).collect();
        Ok(ModelOutput { decisions: Dense::new(means.len(), 2, both)?, values: means })
    }

    fn compact(mut self) -> Result<(Self, Vec<usize>)> {
        let n = self.alpha.len();
        let used = self.used.take().unwrap_or_else(|| (0..n).collect());
        Ok((self, used))
    }

    fn needs_self_similarities(&self) -> bool {
        true
    }
}
