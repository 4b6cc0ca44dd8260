//! Gaussian process regression by conjugate gradients, for many objects, without a matrix of all pairs.

use super::super::learner::{ModelOutput, PredictFrom, Predictor};
use super::super::targets::finite;
use super::ROWS;
use super::evidence::Evidence;
use super::gradients::{Preconditioner, conjugate_gradients, pivoted};
use super::model::factored;
use super::process::{Explained, ProcessModel, predicted};
use crate::budget;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::certificate::require_psd;
use crate::numeric::algebra::product_of_transposed;
use crate::numeric::check::{check_cross, check_values};
use crate::numeric::math::dot;
use crate::parallel;
use crate::random::Random;
use crate::solve::Columns;

/// Scale and noise are learned from at most this many objects.
const LEARNED_FROM: usize = 2000;
/// Columns of the matrix that are computed together.
const STRIP: usize = 256;
/// Steps of conjugate gradients end when every mean is certain to be this close to that of the exact solution, in units of
/// the standard deviation of the noise.
const CLOSE: f64 = 0.01;
/// The most steps.
const STEPS: usize = 1000;

/// Gaussian process regression for many objects: the means are exact up to a stated error, the variances are at least the
/// exact ones.
///
/// The equations (s·K + σ²·W⁻¹)·α = y - b are solved by conjugate gradients, each step of which computes every similarity
/// anew: no n × n matrix is held. A Cholesky factor of `rank` pivots is the preconditioner. The variance is that of the
/// best prediction among those whose weights are combinations of the columns of that factor, so that it is never too small.
/// Scale and noise, where not given, are those of at most 2,000 randomly chosen objects.
///
/// Time O(n²) similarities for each step and n²·rank multiplications, memory for three n × rank matrices and one of
/// n × 256.
///
/// ```
/// use mercer_core::data::Dense;
/// use mercer_core::learn::{GaussianProcess, IterativeGp, ProcessModel};
/// use mercer_core::solve::GramColumns;
/// let x: Vec<f64> = (0..40).map(|i| f64::from(i) / 8.0).collect();
/// let k = x.iter().flat_map(|a| x.iter().map(move |b| (-(a - b) * (a - b)).exp())).collect();
/// let (k, y) = (Dense::new(40, 40, k)?, x.iter().map(|x| x.sin()).collect::<Vec<_>>());
/// let exact = GaussianProcess::new().with_scale(1.0).with_noise(0.01).fit_gram(&k, &y)?;
/// let many = IterativeGp::new(10).with_scale(1.0).with_noise(0.01).fit_columns(&GramColumns::new(&k)?, &y, None, 0)?;
/// let (a, b) = (exact.posterior(&k, &[1.0; 40])?, many.posterior(&k, &[1.0; 40])?);
/// assert!(a.means.iter().zip(&b.means).all(|(a, b)| (a - b).abs() <= many.error()));
/// assert!(a.variances.iter().zip(&b.variances).all(|(a, b)| *b >= a - 1e-9));
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// J. R. Gardner, G. Pleiss, D. Bindel, K. Q. Weinberger and A. G. Wilson, *GPyTorch: blackbox matrix-matrix Gaussian
/// process inference with GPU acceleration*, 2018; H. Harbrecht, M. Peters and R. Schneider, *On the low-rank approximation
/// by the pivoted Cholesky decomposition*, 2012.
#[derive(Clone, Debug, PartialEq)]
pub struct IterativeGp {
    rank: usize,
    scale: Option<f64>,
    noise: Option<f64>,
    constant: bool,
}

/// A fitted Gaussian process, from [`IterativeGp`].
#[derive(Clone, Debug, PartialEq)]
pub struct IterativeGpModel {
    alpha: Vec<f64>,
    /// Vectors (columns) that are orthonormal in C = s·K + σ²·W⁻¹: kᵀC⁻¹k is at least the sum of their squared products.
    directions: Dense,
    constant: Option<ConstantMean>,
    scale: f64,
    noise: f64,
    residual: f64,
    error: f64,
    wanted: f64,
    steps: usize,
}

/// A constant mean under a flat prior: its value, C⁻¹ 1 and 1ᵀ C⁻¹ 1.
#[derive(Clone, Debug, PartialEq)]
struct ConstantMean {
    value: f64,
    solved: Vec<f64>,
    precision: f64,
}

impl IterativeGp {
    /// With this many pivots, a constant mean, and scale and noise learned.
    pub fn new(rank: usize) -> Self {
        IterativeGp { rank, scale: None, noise: None, constant: true }
    }

    /// Sets the variance of the noise instead of learning it: above 0, finite.
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

    /// Fits to rows of a Gram matrix that are computed when needed. The noise of an object is divided by its weight above
    /// 0; the objects that scale and noise are learned from are drawn by the seed.
    pub fn fit_columns(
        &self,
        columns: &dyn Columns,
        target: &[f64],
        weights: Option<&[f64]>,
        seed: u64,
    ) -> Result<IterativeGpModel> {
        let n = columns.len();
        self.check(n, target, weights)?;
        let rank = self.rank.min(n);
        let needed = budget::matrix_bytes(n, 3 * rank + STRIP.min(n) + 16, size_of::<f64>());
        budget::ask(
            &format!("the factor of {n} objects with {rank} pivots, and {STRIP} columns at once,"),
            needed,
        )?;
        let (scale, noise) = self.learned(columns, target, weights, seed)?;
        let spread: Vec<f64> = (0..n).map(|i| noise / weights.map_or(1.0, |w| w[i])).collect();
        let diagonal = columns.diagonal()?;
        let factor = pivoted(columns, &diagonal, rank)?;
        let preconditioner = Preconditioner::new(&factor, scale, &spread)?;
        let all: Vec<u32> = (0..n as u32).collect();
        let times = |v: &[f64]| -> Result<Vec<f64>> {
            budget::check()?;
            let mut product = columns.combine(&all, &all, v)?;
            product.iter_mut().zip(v).zip(&spread).for_each(|((p, v), d)| *p = scale * *p + d * v);
            Ok(product)
        };
        // |mean - exact mean| ≤ √(s·k(x, x)) · |r| / σ for the residual r, with the least noise of an object.
        let least = spread.iter().copied().fold(f64::INFINITY, f64::min).sqrt();
        let largest = diagonal.iter().copied().fold(0.0, f64::max);
        let of_residual = (scale * largest).sqrt() / least;
        let enough = if of_residual > 0.0 { CLOSE * least / of_residual } else { f64::INFINITY };
        let of_target =
            conjugate_gradients(&times, &preconditioner, target, (enough, STEPS), columns.progress())?;
        let (mut alpha, mut residual, mut steps) = (of_target.x, of_target.residual, of_target.steps);
        let mut constant = None;
        if self.constant {
            let ones = vec![1.0; n];
            // The residual of the constant counts as often as the constant is subtracted.
            let level = target.iter().map(|y| y.abs()).fold(f64::MIN_POSITIVE, f64::max);
            let of_ones = conjugate_gradients(
                &times,
                &preconditioner,
                &ones,
                (enough / level, STEPS),
                columns.progress(),
            )?;
            let precision: f64 = of_ones.x.iter().sum();
            if !(precision > 0.0 && precision.is_finite()) {
                return Err(Error::Numeric {
                    reason: "the constant mean is not determined: raise noise".into(),
                });
            }
            let value = dot(&of_ones.x, target) / precision;
            alpha.iter_mut().zip(&of_ones.x).for_each(|(a, o)| *a -= value * o);
            residual += value.abs() * of_ones.residual;
            steps += of_ones.steps;
            constant = Some(ConstantMean { value, solved: of_ones.x, precision });
        }
        drop(preconditioner);
        let directions = orthonormal(columns, factor, scale, &spread)?;
        check_values(&alpha, n, "coefficients")?;
        // Of the target and of the constant.
        let (error, wanted) = (of_residual * residual, 2.0 * CLOSE * least);
        Ok(IterativeGpModel { alpha, directions, constant, scale, noise, residual, error, wanted, steps })
    }

    fn check(&self, n: usize, target: &[f64], weights: Option<&[f64]>) -> Result<()> {
        check_values(target, n, "targets")?;
        for (name, value) in [("noise", self.noise), ("scale", self.scale)] {
            if let Some(v) = value
                && !(v.is_finite() && v > 0.0)
            {
                return Err(Error::param(name, v, "a finite number above 0 with conjugate gradients"));
            }
        }
        if self.rank == 0 {
            return Err(Error::param("rank", self.rank, "at least 1"));
        }
        if n < 5 || u32::try_from(n).is_err() {
            return Err(Error::usage(format!("conjugate gradients need at least 5 objects, found {n}")));
        }
        if let Some(weights) = weights {
            check_values(weights, n, "weights")?;
            if let Some(index) = weights.iter().position(|w| *w <= 0.0) {
                let reason = format!("its weight {} is not above 0", weights[index]);
                let hint = Some("leave the object out".into());
                return Err(Error::Object { index, reason, hint });
            }
        }
        Ok(())
    }

    /// Scale and noise, given or by the likelihood of some objects.
    fn learned(
        &self,
        columns: &dyn Columns,
        target: &[f64],
        weights: Option<&[f64]>,
        seed: u64,
    ) -> Result<(f64, f64)> {
        if let (Some(scale), Some(noise)) = (self.scale, self.noise) {
            return Ok((scale, noise));
        }
        let n = columns.len();
        let chosen = Random::derived(seed, 0x6367).sample(n, LEARNED_FROM.min(n));
        let m = chosen.len();
        let needed = budget::matrix_bytes(m, m, 4 * size_of::<f64>());
        budget::ask(&format!("the matrix of the {m} objects that scale and noise are learned from"), needed)?;
        let few: Vec<u32> = chosen.iter().map(|&i| i as u32).collect();
        let mut gram = Dense::zeros(m, m);
        columns.exact(&few, &few, gram.values_mut())?;
        let target: Vec<f64> = chosen.iter().map(|&i| target[i]).collect();
        let weights: Option<Vec<f64>> = weights.map(|w| chosen.iter().map(|&i| w[i]).collect());
        let evidence = Evidence::new(&gram, &target, weights.as_deref(), self.constant)?;
        Ok(evidence.maximise(self.scale, self.noise))
    }
}

/// E = W·R⁻ᵀ with W = D⁻¹L and WᵀCW = RRᵀ, for the factor L of K and the noise D of the objects.
fn orthonormal(columns: &dyn Columns, factor: Dense, scale: f64, spread: &[f64]) -> Result<Dense> {
    let (n, m) = (factor.rows(), factor.cols());
    let mut w = factor;
    parallel::for_chunks_mut(w.values_mut(), m, 1, |i, row: &mut [f64]| {
        row.iter_mut().for_each(|v| *v /= spread[i]);
    });
    let all: Vec<u32> = (0..n as u32).collect();
    // WᵀDW, and s·WᵀKW from some columns of K at a time.
    let mut inner: Dense = Dense::zeros(m, m);
    let mut strip = Dense::zeros(n, STRIP.min(n));
    for from in (0..n).step_by(STRIP) {
        budget::check()?;
        let width = STRIP.min(n - from);
        if width < strip.cols() {
            strip = Dense::zeros(n, width);
        }
        columns.exact(&all, &all[from..from + width], strip.values_mut())?;
        let own = Dense::new(width, m, w.values()[from * m..(from + width) * m].to_vec())?;
        // Rows of K·W at these objects: parts of the sum over all objects, added in order.
        let parts = parallel::try_map(n.div_ceil(PART), |part| -> Result<Dense> {
            budget::check()?;
            let rows = part * PART..(part * PART + PART).min(n);
            let k =
                Dense::new(rows.len(), width, strip.values()[rows.start * width..rows.end * width].to_vec())?;
            let w = Dense::new(rows.len(), m, w.values()[rows.start * m..rows.end * m].to_vec())?;
            Ok(product_of_transposed(&k, &w))
        })?;
        let mut sums = Dense::zeros(width, m);
        for part in &parts {
            sums.values_mut().iter_mut().zip(part.values()).for_each(|(s, v)| *s += v);
        }
        for r in 0..width {
            let noise = spread[from + r];
            sums.row_mut(r).iter_mut().zip(own.row(r)).for_each(|(s, v)| *s = scale * *s + noise * v);
        }
        let added = product_of_transposed(&own, &sums);
        inner.values_mut().iter_mut().zip(added.values()).for_each(|(s, v)| *s += v);
    }
    for i in 0..m {
        for j in 0..i {
            let mean = 0.5 * (inner.at(i, j) + inner.at(j, i));
            inner.row_mut(i)[j] = mean;
            inner.row_mut(j)[i] = mean;
        }
    }
    // Columns of very different lengths are scaled alike first; a jitter shortens directions, and variances grow.
    let roots: Vec<f64> = (0..m).map(|j| inner.at(j, j).max(f64::MIN_POSITIVE).sqrt()).collect();
    for i in 0..m {
        inner.row_mut(i).iter_mut().zip(&roots).for_each(|(v, r)| *v /= r * roots[i]);
    }
    let Some((triangle, _)) = factored(&inner, 1.0)? else {
        return Err(Error::Numeric {
            reason: "the covariance is numerically indefinite: raise noise".into(),
        });
    };
    parallel::for_chunks_mut(w.values_mut(), m, ROWS, |_, row: &mut [f64]| {
        row.iter_mut().zip(&roots).for_each(|(v, r)| *v /= r);
        triangle.forward(row);
    });
    Ok(w)
}

/// Objects of one part of a sum.
const PART: usize = 4096;

impl IterativeGpModel {
    /// The coefficients: the mean is b + s·Σ α_i k(x_i, x).
    pub fn alpha(&self) -> &[f64] {
        &self.alpha
    }

    /// The length of the residual y - b - C·α of the equations, computed from the solution.
    pub fn residual(&self) -> f64 {
        self.residual
    }

    /// What the mean of any object like the training objects (k(x, x) no larger than theirs) differs at most from that of
    /// the exact solution with the same constant.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// The error at which the steps end: a fiftieth of the standard deviation of the noise.
    pub fn wanted(&self) -> f64 {
        self.wanted
    }

    /// Whether the means are as close to the exact ones as they should be.
    pub fn converged(&self) -> bool {
        self.error <= self.wanted * (1.0 + 1e-9)
    }

    /// Steps of conjugate gradients.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// The pivots of the preconditioner.
    pub fn rank(&self) -> usize {
        self.directions.cols()
    }

    /// The parts that a file stores: directions, and the constant with C⁻¹ 1 and its precision.
    #[doc(hidden)]
    #[expect(clippy::type_complexity, reason = "the arrays of a model, as files store them")]
    pub fn parts(&self) -> (&Dense, Option<(f64, &[f64], f64)>) {
        (&self.directions, self.constant.as_ref().map(|m| (m.value, &m.solved[..], m.precision)))
    }

    /// A model from its parts, with scale, noise, residual, error, the error that was wanted, and steps.
    #[doc(hidden)]
    pub fn from_parts(
        alpha: Vec<f64>,
        directions: Dense,
        constant: Option<(f64, Vec<f64>, f64)>,
        [scale, noise, residual, error, wanted, steps]: [f64; 6],
    ) -> Result<Self> {
        let n = alpha.len();
        check_values(&alpha, n, "coefficients")?;
        check_values(directions.values(), n * directions.cols(), "entries of the directions")?;
        check_values(&[scale, noise, residual, error, wanted, steps], 6, "parameters")?;
        if scale <= 0.0 || noise <= 0.0 || directions.rows() != n || residual < 0.0 || error < 0.0 {
            return Err(Error::usage("scale and noise must be above 0, the residual at least 0"));
        }
        let constant = match constant {
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
        let steps = steps.max(0.0) as usize;
        Ok(IterativeGpModel { alpha, directions, constant, scale, noise, residual, error, wanted, steps })
    }
}

impl ProcessModel for IterativeGpModel {
    fn scale(&self) -> f64 {
        self.scale
    }

    fn noise(&self) -> f64 {
        self.noise
    }

    fn constant(&self) -> f64 {
        self.constant.as_ref().map_or(0.0, |mean| mean.value)
    }

    /// Time O(n) per object.
    fn means(&self, cross: &Dense) -> Result<Vec<f64>> {
        check_cross(cross, self.alpha.len())?;
        let (s, level) = (self.scale, self.constant());
        let means = parallel::map(cross.rows(), |i| level + s * dot(cross.row(i), &self.alpha));
        Ok(finite(Dense::new(cross.rows(), 1, means)?)?.into_values())
    }

    /// The coordinates are s·Eᵀk for the directions E, which explain at most what all training objects explain: variances
    /// are at least the exact ones. Time O(n·rank) per object.
    fn explained(&self, cross: &Dense) -> Result<Explained> {
        let (n, m) = (self.alpha.len(), self.directions.cols());
        check_cross(cross, n)?;
        let needed = budget::matrix_bytes(cross.rows(), m, size_of::<f64>());
        budget::ask("coordinates of new objects", needed)?;
        let mut coordinates = Dense::zeros(cross.rows(), m);
        let one = |i: usize, sums: &mut [f64]| -> Result<()> {
            budget::check()?;
            for (j, v) in cross.row(i).iter().enumerate() {
                let row = self.directions.row(j);
                sums.iter_mut().zip(row).for_each(|(sum, e)| *sum += v * e);
            }
            sums.iter_mut().for_each(|sum| *sum *= self.scale);
            Ok(())
        };
        parallel::chunks_mut(coordinates.values_mut(), m.max(1), one)?;
        let doubts = self.constant.as_ref().map(|mean| {
            let doubt = |i: usize| 1.0 - self.scale * dot(cross.row(i), &mean.solved);
            (parallel::map(cross.rows(), doubt), mean.precision)
        });
        Ok(Explained { coordinates, doubts, scale: self.scale })
    }
}

impl Predictor for IterativeGpModel {
    type Output = f64;

    fn predict_from(&self, new: &PredictFrom<'_>) -> Result<ModelOutput<f64>> {
        predicted(self, new)
    }

    fn compact(self) -> Result<(Self, Vec<usize>)> {
        let n = self.alpha.len();
        Ok((self, (0..n).collect()))
    }

    fn needs_self_similarities(&self) -> bool {
        true
    }
}

/// The error for a matrix with a direction of negative curvature: the quotient is at least the smallest eigenvalue.
pub(super) fn negative(quotient: f64, largest: f64) -> Error {
    match require_psd(quotient, largest) {
        Err(error) => error,
        Ok(()) => Error::Numeric { reason: "the covariance is numerically indefinite: raise noise".into() },
    }
}
