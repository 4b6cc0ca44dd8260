//! Gaussian process regression through landmarks, for many objects: Titsias' variational bound.

use std::f64::consts::{LN_10, PI};

use super::super::learner::{ModelOutput, PredictFrom, Predictor};
use super::super::targets::finite;
use super::ROWS;
use super::evidence::golden_section;
use super::model::factored;
use super::process::{Explained, ProcessModel, predicted};
use super::triangle::unpacked;
use crate::budget;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::Spectrum;
use crate::numeric::Cholesky;
use crate::numeric::algebra::product;
use crate::numeric::check::{check_cross, check_values};
use crate::numeric::math::dot;
use crate::parallel;
use crate::solve::Columns;

/// Noise is searched between this fraction of the prior variance and its reciprocal.
const LEAST_NOISE: f64 = 1e-8;
/// Values of the noise on the grid, before the best is refined.
const GRID: usize = 65;
/// The scale stays within this factor of the variance of the target divided by the mean self-similarity.
const SCALES: f64 = 1e6;
/// Rows of similarities computed together.
const AT_ONCE: usize = 512;

/// Gaussian process regression whose function is known through its values at landmarks.
///
/// With Q = s·K_nm·K_mm⁻¹·K_mn, the landmarks' share of s·K, the log marginal likelihood is at least
/// log N(y | b, Q + σ²·I) - tr(s·K - Q) / (2σ²), and this bound is what scale and noise are learned by: it does not reward
/// landmarks that miss variance. Time O(n·m²), memory for two m × m matrices and one of n × m.
///
/// M. K. Titsias, *Variational learning of inducing variables in sparse Gaussian processes*, 2009.
#[derive(Clone, Debug, PartialEq)]
pub struct SparseGp {
    scale: Option<f64>,
    noise: Option<f64>,
    constant: bool,
}

/// A fitted Gaussian process over landmarks, from [`SparseGp`].
#[derive(Clone, Debug, PartialEq)]
pub struct SparseGpModel {
    /// The coefficients of the landmarks: the mean is b + Σ β_j k(z_j, x).
    beta: Vec<f64>,
    /// L of K_mm = LLᵀ.
    factor: Dense,
    /// Rows v_k: the variance is s·k(x, x) - s·Σ_k shrink_k (v_k·L⁻¹k)².
    rotation: Dense,
    shrink: Vec<f64>,
    /// The constant, its precision, and for each row the share of the constant that the landmarks explain.
    constant: Option<(f64, f64, Vec<f64>)>,
    scale: f64,
    noise: f64,
    bound: f64,
    missed: f64,
}

/// The bound for every scale and noise, from one eigendecomposition of m × m.
struct Bound {
    /// Eigenvalues λ of ΦᵀΦ, Φ = K_nm L⁻ᵀ, with eigenvectors v.
    values: Vec<f64>,
    /// vᵀΦᵀy and vᵀΦᵀ1.
    target: Vec<f64>,
    ones: Vec<f64>,
    /// yᵀy and 1ᵀy.
    squares: f64,
    sums: f64,
    count: f64,
    constant: bool,
    /// tr K.
    trace: f64,
}

impl Bound {
    /// The bound, the constant and its precision. By Woodbury's identity no eigenvalue is divided by.
    fn at(&self, scale: f64, noise: f64) -> (f64, f64, f64) {
        let (mut log_determinant, mut explained) = (0.0, 0.0);
        let (mut quadratic, mut mixed, mut precision) = (self.squares, self.sums, self.count);
        for ((value, z), o) in self.values.iter().zip(&self.target).zip(&self.ones) {
            let variance = scale * value + noise;
            let share = scale / variance;
            log_determinant += variance.ln();
            quadratic -= share * z * z;
            mixed -= share * o * z;
            precision -= share * o * o;
            explained += value;
        }
        let (quadratic, mixed) = (quadratic.max(0.0) / noise, mixed / noise);
        let precision = precision.max(f64::MIN_POSITIVE) / noise;
        log_determinant += (self.count - self.values.len() as f64) * noise.ln();
        let missed = scale * (self.trace - explained).max(0.0) / (2.0 * noise);
        let (mut degrees, mut doubt, mut level, mut rest) = (self.count, 0.0, 0.0, quadratic);
        if self.constant {
            level = mixed / precision;
            rest -= mixed * level;
            doubt = precision.ln();
            degrees -= 1.0;
        }
        let log = -0.5 * (rest.max(0.0) + log_determinant + doubt + degrees * (2.0 * PI).ln());
        (log - missed, level, precision)
    }

    /// The scale and the noise with the highest bound, by golden sections along the one within those along the other.
    fn maximise(&self, scale: Option<f64>, noise: Option<f64>, spread: f64) -> (f64, f64) {
        let size = (self.trace / self.count).max(f64::MIN_POSITIVE);
        let best_of = |from: f64, to: f64, points: usize, value: &dyn Fn(f64) -> f64| {
            let step = (to - from) / (points - 1) as f64;
            let place = |i: usize| from + step * i as f64;
            let best = (0..points).fold((0, f64::NEG_INFINITY), |best, i| {
                let here = value(place(i));
                if here > best.1 { (i, here) } else { best }
            });
            golden_section((place(best.0) - step).max(from), (place(best.0) + step).min(to), value)
        };
        let (low, high) = ((spread / size / SCALES).ln(), (spread / size * SCALES).ln());
        let noise_for = |scale: f64| match noise {
            Some(noise) => noise,
            None => {
                let value = |ratio: f64| self.at(scale, ratio.exp() * spread).0;
                let (from, to) = (LEAST_NOISE.ln(), 2.0 * LN_10);
                best_of(from, to, GRID, &value).exp() * spread
            }
        };
        let scale = scale.unwrap_or_else(|| {
            best_of(low, high, 33, &|log: f64| {
                let scale = log.exp();
                self.at(scale, noise_for(scale)).0
            })
            .exp()
        });
        (scale, noise_for(scale))
    }
}

impl Default for SparseGp {
    fn default() -> Self {
        Self::new()
    }
}

impl SparseGp {
    /// With a constant mean, scale and noise learned.
    pub fn new() -> Self {
        SparseGp { scale: None, noise: None, constant: true }
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

    /// Fits to rows of a Gram matrix; `landmarks` are ascending objects.
    pub fn fit_landmarks(
        &self,
        columns: &dyn Columns,
        landmarks: &[usize],
        target: &[f64],
    ) -> Result<SparseGpModel> {
        let (n, m) = (columns.len(), landmarks.len());
        check_values(target, n, "targets")?;
        for (name, value) in [("noise", self.noise), ("scale", self.scale)] {
            if let Some(v) = value
                && !(v.is_finite() && v > 0.0)
            {
                return Err(Error::param(name, v, "a finite number above 0 where landmarks are used"));
            }
        }
        let valid = landmarks.is_sorted_by(|a, b| a < b) && landmarks.last().is_some_and(|&last| last < n);
        if !valid || n < 5 {
            return Err(Error::usage(format!(
                "{m} landmarks of {n} objects: ascending ones, of at least 5 objects"
            )));
        }
        let needed = budget::matrix_bytes(n, m, size_of::<f64>());
        let needed = needed.saturating_add(budget::matrix_bytes(m, m, 4 * size_of::<f64>()));
        budget::ask(
            &format!("the similarities of {n} objects to {m} landmarks, and their factors,"),
            needed,
        )?;
        let chosen: Vec<u32> = landmarks.iter().map(|&j| j as u32).collect();
        let mut cross = Dense::zeros(n, m);
        for start in (0..n).step_by(AT_ONCE) {
            budget::check()?;
            let end = (start + AT_ONCE).min(n);
            let rows: Vec<u32> = (start..end).map(|i| i as u32).collect();
            columns.exact(&rows, &chosen, &mut cross.values_mut()[start * m..end * m])?;
        }
        if let Some((row, col)) = cross.find_non_finite() {
            return Err(Error::NonFinite { row, col, overflow: true });
        }
        let inner = cross.select(landmarks);
        let diagonal = columns.diagonal()?;
        let trace: f64 = diagonal.iter().sum();
        let size = (0..m).map(|j| inner.at(j, j)).sum::<f64>() / m as f64;
        // Similar landmarks make their matrix nearly singular.
        let mut jittered = inner.clone();
        (0..m).for_each(|j| jittered.row_mut(j)[j] += 1e-10 * size);
        let Some((factor, _)) = factored(&jittered, size)? else {
            let values = crate::gram::eigenvalues(&inner)?;
            crate::gram::certificate::require_psd(values[0], values[m - 1])?;
            return Err(Error::Numeric { reason: "the landmarks' similarities are singular".into() });
        };
        // Φ = K_nm L⁻ᵀ, row by row.
        parallel::for_chunks_mut(cross.values_mut(), m, ROWS, |_, row: &mut [f64]| factor.forward(row));
        let mut inner_products = Dense::zeros(m, m);
        let transposed = {
            let mut out = Dense::zeros(m, n);
            for i in 0..n {
                for (j, v) in cross.row(i).iter().enumerate() {
                    out.row_mut(j)[i] = *v;
                }
            }
            out
        };
        let rows = parallel::map(m, |a| {
            (0..=a).map(|b| dot(transposed.row(a), transposed.row(b))).collect::<Vec<_>>()
        });
        for (a, row) in rows.iter().enumerate() {
            for (b, v) in row.iter().enumerate() {
                inner_products.row_mut(a)[b] = *v;
                inner_products.row_mut(b)[a] = *v;
            }
        }
        budget::check()?;
        let spectrum = Spectrum::of(&inner_products)?;
        let values: Vec<f64> = spectrum.values.iter().map(|v| v.max(0.0)).collect();
        let rotation = spectrum.vectors;
        // Along each eigenvector: vᵀΦᵀ of these numbers.
        let along = |of: &[f64]| -> Result<Vec<f64>> {
            let sums = parallel::map(m, |j| dot(transposed.row(j), of));
            Ok(product(&rotation, &Dense::new(m, 1, sums)?).into_values())
        };
        let bound = Bound {
            target: along(target)?,
            ones: along(&vec![1.0; n])?,
            squares: dot(target, target),
            sums: target.iter().sum(),
            count: n as f64,
            constant: self.constant,
            trace,
            values: values.clone(),
        };
        let mean = if self.constant { bound.sums / bound.count } else { 0.0 };
        let spread = target.iter().map(|y| (y - mean) * (y - mean)).sum::<f64>() / n as f64;
        let spread = if spread > 0.0 { spread } else { 1.0 };
        let (scale, noise) = bound.maximise(self.scale, self.noise, spread);
        let (value, level, precision) = bound.at(scale, noise);
        // β = s·L⁻ᵀ (s·ΦᵀΦ + σ²)⁻¹ Φᵀ (y - b).
        let mut weights = vec![0.0; m];
        for (k, value) in values.iter().enumerate() {
            let factor = scale * (bound.target[k] - level * bound.ones[k]) / (scale * value + noise);
            weights.iter_mut().zip(rotation.row(k)).for_each(|(w, v)| *w += factor * v);
        }
        factor.backward(&mut weights);
        let shrink = values.iter().map(|value| scale * value / (scale * value + noise)).collect();
        let constant = self.constant.then(|| {
            let of = |(value, one): (&f64, &f64)| scale * one / (scale * value + noise);
            (level, precision, values.iter().zip(&bound.ones).map(of).collect())
        });
        let missed = ((trace - values.iter().sum::<f64>()) / trace.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        let mut factor = factor.into_lower();
        (0..m).for_each(|i| factor.row_mut(i)[i + 1..].fill(0.0));
        check_values(&weights, m, "coefficients of the landmarks")?;
        check_values(&[value], 1, "the bound of the likelihood")?;
        Ok(SparseGpModel {
            beta: weights,
            factor,
            rotation,
            shrink,
            constant,
            scale,
            noise,
            bound: value,
            missed,
        })
    }
}

impl SparseGpModel {
    /// The parts that a file stores: β, the rows of the lower factor one after another, the rotation, its shrinkage, and
    /// the constant.
    #[doc(hidden)]
    #[expect(clippy::type_complexity, reason = "the arrays of a model, as files store them")]
    pub fn parts(&self) -> (&[f64], Vec<f64>, &Dense, &[f64], Option<(f64, f64, &[f64])>) {
        let packed = (0..self.factor.rows()).flat_map(|i| self.factor.row(i)[..=i].iter().copied()).collect();
        let constant = self.constant.as_ref().map(|(level, precision, of)| (*level, *precision, &of[..]));
        (&self.beta, packed, &self.rotation, &self.shrink, constant)
    }

    /// A model from its parts, with scale, noise, bound and missed share.
    #[doc(hidden)]
    pub fn from_parts(
        beta: Vec<f64>,
        packed: &[f64],
        rotation: Dense,
        shrink: Vec<f64>,
        constant: Option<(f64, f64, Vec<f64>)>,
        [scale, noise, bound, missed]: [f64; 4],
    ) -> Result<Self> {
        let (m, kept) = (beta.len(), shrink.len());
        check_values(&beta, m, "coefficients")?;
        check_values(rotation.values(), kept * m, "entries of the rotation")?;
        check_values(&shrink, kept, "shrinkages")?;
        check_values(&[scale, noise, bound, missed], 4, "parameters")?;
        if scale <= 0.0 || noise <= 0.0 || m == 0 || kept > m || rotation.cols() != m {
            return Err(Error::usage("scale and noise must be above 0, landmarks at least 1"));
        }
        if let Some((level, precision, of)) = &constant {
            check_values(of, kept, "parts of the constant")?;
            check_values(&[*level, *precision], 2, "numbers of the constant")?;
            if *precision <= 0.0 {
                return Err(Error::usage("the precision of the constant must be above 0"));
            }
        }
        let factor = unpacked(packed, m)?;
        Ok(SparseGpModel { beta, factor, rotation, shrink, constant, scale, noise, bound, missed })
    }

    /// The coefficients of the landmarks.
    pub fn beta(&self) -> &[f64] {
        &self.beta
    }

    /// The lower bound of the log marginal likelihood.
    pub fn bound(&self) -> f64 {
        self.bound
    }

    /// The share of the training objects' self-similarities that the landmarks miss, from 0 to 1.
    pub fn missed(&self) -> f64 {
        self.missed
    }
}

impl ProcessModel for SparseGpModel {
    fn scale(&self) -> f64 {
        self.scale
    }

    fn noise(&self) -> f64 {
        self.noise
    }

    fn constant(&self) -> f64 {
        self.constant.as_ref().map_or(0.0, |(level, ..)| *level)
    }

    /// Time O(m) per object for m landmarks.
    fn means(&self, cross: &Dense) -> Result<Vec<f64>> {
        check_cross(cross, self.beta.len())?;
        let level = self.constant();
        let means = (0..cross.rows()).map(|i| level + dot(cross.row(i), &self.beta)).collect();
        Ok(finite(Dense::new(cross.rows(), 1, means)?)?.into_values())
    }

    /// The coordinates are √(s·h_k)·v_k·L⁻¹k for the shrinkage h_k along v_k. Time O(m²) per object.
    fn explained(&self, cross: &Dense) -> Result<Explained> {
        let (m, kept) = (self.beta.len(), self.shrink.len());
        check_cross(cross, m)?;
        let needed = budget::matrix_bytes(cross.rows(), kept, size_of::<f64>());
        budget::ask("coordinates of new objects", needed)?;
        let factor = Cholesky::from_lower(self.factor.clone());
        let roots: Vec<f64> = self.shrink.iter().map(|h| (self.scale * h.max(0.0)).sqrt()).collect();
        let mut coordinates = Dense::zeros(cross.rows(), kept);
        let one = |i: usize, parts: &mut [f64]| -> Result<()> {
            budget::check()?;
            let mut solved = cross.row(i).to_vec();
            factor.forward(&mut solved);
            parts.iter_mut().enumerate().for_each(|(k, part)| *part = dot(self.rotation.row(k), &solved));
            Ok(())
        };
        parallel::chunks_mut(coordinates.values_mut(), kept.max(1), one)?;
        let doubts = self.constant.as_ref().map(|(_, precision, of)| {
            ((0..cross.rows()).map(|i| 1.0 - dot(coordinates.row(i), of)).collect(), *precision)
        });
        parallel::for_chunks_mut(coordinates.values_mut(), kept.max(1), ROWS, |_, row: &mut [f64]| {
            row.iter_mut().zip(&roots).for_each(|(v, root)| *v *= root);
        });
        Ok(Explained { coordinates, doubts, scale: self.scale })
    }
}

impl Predictor for SparseGpModel {
    type Output = f64;

    fn predict_from(&self, new: &PredictFrom<'_>) -> Result<ModelOutput<f64>> {
        predicted(self, new)
    }

    fn compact(self) -> Result<(Self, Vec<usize>)> {
        let m = self.beta.len();
        Ok((self, (0..m).collect()))
    }

    fn needs_self_similarities(&self) -> bool {
        true
    }
}
