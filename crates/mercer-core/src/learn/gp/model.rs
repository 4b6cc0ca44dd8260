//! A fitted Gaussian process, exact, and samples of a normal distribution.

use super::super::learner::{ModelOutput, PredictFrom, Predictor};
use super::super::targets::finite;
use super::process::{Explained, ProcessModel, predicted};
use super::triangle::{solved, unpacked};
use crate::budget;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::Cholesky;
use crate::numeric::check::{check_cross, check_values};
use crate::numeric::math::dot;
use crate::random::Random;

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
    /// The coefficients α = C⁻¹ (y - b); the mean is b + s Σ α_i k(x_i, x).
    pub fn alpha(&self) -> &[f64] {
        &self.alpha
    }

    /// The lower Cholesky factor of C = s·K + σ²·W⁻¹.
    pub fn factor(&self) -> &Dense {
        &self.factor
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

impl ProcessModel for GpModel {
    fn scale(&self) -> f64 {
        self.scale
    }

    fn noise(&self) -> f64 {
        self.noise
    }

    fn jitter(&self) -> f64 {
        self.jitter
    }

    fn constant(&self) -> f64 {
        self.mean.as_ref().map_or(0.0, |m| m.value)
    }

    /// Time O(n) per object.
    fn means(&self, cross: &Dense) -> Result<Vec<f64>> {
        check_cross(cross, self.alpha.len())?;
        let b = self.constant();
        let means = (0..cross.rows()).map(|i| b + self.scale * dot(cross.row(i), &self.alpha)).collect();
        Ok(finite(Dense::new(cross.rows(), 1, means)?)?.into_values())
    }

    /// The coordinates are L⁻¹ s·k. Time O(n²) per object.
    fn explained(&self, cross: &Dense) -> Result<Explained> {
        let coordinates = solved(&self.factor, cross, |row| row.iter_mut().for_each(|v| *v *= self.scale))?;
        let doubts = self.mean.as_ref().map(|mean| {
            ((0..coordinates.rows()).map(|i| mean.doubt(coordinates.row(i))).collect(), mean.precision)
        });
        Ok(Explained { coordinates, doubts, scale: self.scale })
    }
}

impl Predictor for GpModel {
    type Output = f64;

    fn predict_from(&self, new: &PredictFrom<'_>) -> Result<ModelOutput<f64>> {
        predicted(self, new)
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
