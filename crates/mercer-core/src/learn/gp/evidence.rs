//! The marginal likelihood of scale and noise, for all values from one eigendecomposition.

use std::f64::consts::{LN_10, PI};

use crate::budget;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::Spectrum;
use crate::gram::certificate::require_psd;
use crate::numeric::algebra::product;

/// Noise is searched between this fraction of the prior variance and its reciprocal.
pub(super) const LEAST_NOISE: f64 = 1e-8;
/// Values of the noise on the grid, before the best is refined.
const GRID: usize = 129;
/// Steps of golden section, each of which shortens the interval by 0.618.
const STEPS: usize = 60;

/// The log marginal likelihood of y ~ N(b, s·K + σ²·W⁻¹) for every scale s and noise σ².
///
/// One eigendecomposition W^½ K W^½ = U Λ Uᵀ serves all of them: each value takes O(n). The constant b, if there is
/// one, is integrated out under a flat prior. For a given ratio of noise to scale the best scale has a closed form, so
/// the maximum is a search along one line. Time O(n³) once.
///
/// ```
/// use mercer_core::data::Dense;
/// use mercer_core::learn::Evidence;
/// let x = [0.0, 0.3, 0.9, 1.4, 2.0, 2.6f64];
/// let k = x.iter().flat_map(|a| x.iter().map(move |b| (-(a - b) * (a - b)).exp())).collect();
/// let y: Vec<f64> = x.iter().map(|x| x.sin()).collect();
/// let evidence = Evidence::new(&Dense::new(6, 6, k)?, &y, None, false)?;
/// let (scale, noise) = evidence.maximise(None, None);
/// assert!(evidence.log_likelihood(scale, noise) >= evidence.log_likelihood(1.0, 0.1));
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// C. E. Rasmussen and C. K. I. Williams, *Gaussian processes for machine learning*, 2006, chapters 2 and 5.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// Eigenvalues; those below 0 by rounding are 0.
    values: Vec<f64>,
    /// Uᵀ W^½ y.
    target: Vec<f64>,
    /// Uᵀ W^½ 1, with a constant mean.
    ones: Option<Vec<f64>>,
    /// Σ log w.
    log_weights: f64,
    /// The mean of the diagonal of W^½ K W^½.
    size: f64,
}

/// The terms of the likelihood that depend on the matrix.
struct Terms {
    log_determinant: f64,
    /// yᵀ G y, where G removes the constant.
    quadratic: f64,
    /// log 1ᵀ C⁻¹ 1, or 0 without a constant.
    constant: f64,
}

impl Evidence {
    /// The likelihood of a Gram matrix and its targets, with `weights` above 0 for each object (the noise of object i
    /// is σ²/w_i) and optionally a constant mean. The matrix must be positive semidefinite.
    pub fn new(gram: &Dense, target: &[f64], weights: Option<&[f64]>, constant: bool) -> Result<Self> {
        let n = gram.rows();
        let roots: Vec<f64> = match weights {
            None => vec![1.0; n],
            Some(w) => w.iter().map(|w| w.sqrt()).collect(),
        };
        if target.len() != n || roots.len() != n || n == 0 {
            let found = format!("{} numbers and {} weights", target.len(), roots.len());
            return Err(Error::Shape { expected: format!("{n} of each, and at least one"), found });
        }
        let needed = budget::matrix_bytes(n, n, 3 * size_of::<f64>());
        budget::ask(&format!("the eigenvectors of a {n} × {n} matrix"), needed)?;
        let spectrum = match weights {
            None => Spectrum::of(gram)?,
            Some(_) => {
                let mut scaled = gram.clone();
                for (i, root) in roots.iter().enumerate() {
                    scaled.row_mut(i).iter_mut().zip(&roots).for_each(|(v, other)| *v *= root * other);
                }
                Spectrum::of(&scaled)?
            }
        };
        require_psd(spectrum.values[0], spectrum.values[n - 1])?;
        let rotate = |values: Vec<f64>| -> Result<Vec<f64>> {
            Ok(product(&spectrum.vectors, &Dense::new(n, 1, values)?).into_values())
        };
        let target = rotate(target.iter().zip(&roots).map(|(y, root)| y * root).collect())?;
        let ones = if constant { Some(rotate(roots.clone())?) } else { None };
        let values: Vec<f64> = spectrum.values.iter().map(|v| v.max(0.0)).collect();
        let size = values.iter().sum::<f64>() / n as f64;
        let log_weights = roots.iter().map(|root| 2.0 * root.ln()).sum();
        Ok(Evidence { values, target, ones, log_weights, size: if size > 0.0 { size } else { 1.0 } })
    }

    fn terms(&self, scale: f64, noise: f64) -> Terms {
        let (mut log_determinant, mut quadratic) = (-self.log_weights, 0.0);
        let (mut mixed, mut precision) = (0.0, 0.0);
        for (k, (value, z)) in self.values.iter().zip(&self.target).enumerate() {
            let variance = scale * value + noise;
            log_determinant += variance.ln();
            quadratic += z * z / variance;
            if let Some(ones) = &self.ones {
                mixed += ones[k] * z / variance;
                precision += ones[k] * ones[k] / variance;
            }
        }
        match self.ones {
            None => Terms { log_determinant, quadratic, constant: 0.0 },
            Some(_) => {
                let quadratic = (quadratic - mixed * mixed / precision).max(0.0);
                Terms { log_determinant, quadratic, constant: precision.ln() }
            }
        }
    }

    /// The number of independent residuals: one less than objects if a constant is fitted.
    fn degrees(&self) -> f64 {
        self.values.len() as f64 - if self.ones.is_some() { 1.0 } else { 0.0 }
    }

    /// log p(y | s, σ²), for a scale and a noise of at least 0, not both 0. Time O(n).
    pub fn log_likelihood(&self, scale: f64, noise: f64) -> f64 {
        let terms = self.terms(scale, noise);
        -0.5 * (terms.quadratic + terms.log_determinant + terms.constant + self.degrees() * (2.0 * PI).ln())
    }

    /// The scale and noise of the largest likelihood; a given one is kept.
    ///
    /// Deterministic: a grid over the ratio of noise to prior variance from 1e-8 to 1e8, then golden section around the
    /// best. If the targets have no variance, neither can be learned, and both are 1 where not given.
    pub fn maximise(&self, scale: Option<f64>, noise: Option<f64>) -> (f64, f64) {
        let unit = self.terms(1.0, self.size);
        // Rounding leaves about ε of the squares.
        let squares: f64 = self.target.iter().map(|z| z * z).sum();
        let is_flat = unit.quadratic * self.size <= 1e-20 * squares || squares == 0.0;
        if let (Some(scale), Some(noise)) = (scale, noise) {
            return (scale, noise);
        }
        if is_flat {
            return (scale.unwrap_or(1.0), noise.unwrap_or(1.0));
        }
        let of_ratio = |ratio: f64| match (scale, noise) {
            (Some(scale), _) => (scale, ratio * scale * self.size),
            (None, Some(noise)) if noise > 0.0 => (noise / (ratio * self.size), noise),
            (None, Some(_)) => (self.best_scale(LEAST_NOISE), 0.0),
            (None, None) => {
                let scale = self.best_scale(ratio);
                (scale, ratio * scale * self.size)
            }
        };
        if noise == Some(0.0) {
            return of_ratio(LEAST_NOISE);
        }
        let value = |log_ratio: f64| {
            let (scale, noise) = of_ratio(log_ratio.exp());
            self.log_likelihood(scale, noise)
        };
        let (from, to) = (LEAST_NOISE.ln(), -LEAST_NOISE.ln());
        let step = (to - from) / (GRID - 1) as f64;
        let point = |i: usize| from + step * i as f64;
        let best = (0..GRID).fold((0, f64::NEG_INFINITY), |best, i| {
            let here = value(point(i));
            if here > best.1 { (i, here) } else { best }
        });
        let (low, high) = ((point(best.0) - step).max(from), (point(best.0) + step).min(to));
        of_ratio(golden_section(low, high, &value).exp())
    }

    /// The best scale where the noise is this multiple of the prior variance.
    fn best_scale(&self, ratio: f64) -> f64 {
        self.terms(1.0, ratio * self.size).quadratic / self.degrees().max(1.0)
    }
}

/// The point of a maximum of a function with one maximum between two points.
pub(super) fn golden_section(mut low: f64, mut high: f64, value: &dyn Fn(f64) -> f64) -> f64 {
    let share = 0.5 * (5f64.sqrt() - 1.0);
    let (mut a, mut b) = (high - share * (high - low), low + share * (high - low));
    let (mut at_a, mut at_b) = (value(a), value(b));
    for _ in 0..STEPS {
        if high - low < 1e-9 * LN_10 {
            break;
        }
        if at_a >= at_b {
            (high, b, at_b) = (b, a, at_a);
            a = high - share * (high - low);
            at_a = value(a);
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = low + share * (high - low);
            at_b = value(b);
        }
    }
    0.5 * (low + high)
}
