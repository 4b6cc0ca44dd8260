//! The marginal likelihood as a function of the Gram matrix, with its derivatives, and its maximum over the parameters
//! of a covariance.

use std::cmp::Reverse;
use std::f64::consts::PI;

use super::ROWS;
use super::ascent::{Ascent, ascend};
use super::evidence::{Evidence, LEAST_NOISE};
use super::latent::{Approximation, signs_of};
use super::model::factored;
use super::{expectation, laplace};
use crate::budget;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::certificate::require_psd;
use crate::gram::eigenvalues;
use crate::learn::ClassCodes;
use crate::numeric::check::check_values;
use crate::numeric::math::dot;
use crate::numeric::{Cholesky, inverse_of};
use crate::parallel;

/// The likelihood of more classes than this takes a multiple of the time, and says little more about a kernel.
const MOST_CLASSES: usize = 10;

/// A likelihood at a Gram matrix, with its derivatives.
#[derive(Clone, Debug, PartialEq)]
pub struct Slope {
    /// The log marginal likelihood.
    pub value: f64,
    /// Its derivative by each entry of the Gram matrix: Δ = Σ_ij by_gram_ij · ΔK_ij. Symmetric.
    pub by_gram: Dense,
    /// Its derivative by each parameter of its own.
    pub by_own: Vec<f64>,
}

/// A marginal likelihood with parameters of its own, which are logarithms: factor of the kernel, variance of the noise.
#[derive(Clone, Debug)]
pub struct Marginal {
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Numbers {
        target: Vec<f64>,
        weights: Option<Vec<f64>>,
        constant: bool,
        scale: Option<f64>,
        noise: Option<f64>,
    },
    /// The signs of the objects in each binary problem.
    Classes { problems: Vec<Vec<f64>>, scale: Option<f64>, approximation: Approximation },
}

/// The factor of the kernel of classifiers, times the mean self-similarity, stays between 1/this and this.
const WIDEST_SCALE: f64 = 1e4;
/// The factor of the kernel and the noise of regression stay between these multiples of the variance of the target.
const LEAST_SHARE: f64 = 1e-8;
const MOST_SHARE: f64 = 1e6;

impl Marginal {
    /// That of y ~ N(b, s·K + σ²·W⁻¹), as [`GaussianProcess`](super::GaussianProcess) has it: `scale` and `noise` are
    /// parameters where not given, `weights` are above 0.
    pub fn of_numbers(
        target: Vec<f64>,
        weights: Option<Vec<f64>>,
        constant: bool,
        scale: Option<f64>,
        noise: Option<f64>,
    ) -> Result<Self> {
        check_values(&target, target.len(), "targets")?;
        let n = target.len();
        if let Some(weights) = &weights {
            check_values(weights, n, "weights")?;
            if weights.iter().any(|w| *w <= 0.0) {
                return Err(Error::usage("weights of the marginal likelihood must be above 0"));
            }
        }
        Ok(Marginal { kind: Kind::Numbers { target, weights, constant, scale, noise } })
    }

    /// That of classes by an approximation: for more than two classes the sum over each class against all others, or over
    /// the ten most frequent ones. `scale` is a parameter where not given.
    pub fn of_classes(codes: &ClassCodes, scale: Option<f64>, approximation: Approximation) -> Result<Self> {
        let mut problems = signs_of(codes)?;
        if problems.len() > MOST_CLASSES {
            // Of equally frequent classes, the first.
            problems.sort_by_key(|signs| Reverse(signs.iter().filter(|s| **s > 0.0).count()));
            problems.truncate(MOST_CLASSES);
        }
        Ok(Marginal { kind: Kind::Classes { problems, scale, approximation } })
    }

    /// The number of objects.
    pub fn objects(&self) -> usize {
        match &self.kind {
            Kind::Numbers { target, .. } => target.len(),
            Kind::Classes { problems, .. } => problems.first().map_or(0, Vec::len),
        }
    }

    /// The same likelihood of some objects.
    pub fn select(&self, chosen: &[usize]) -> Self {
        let of = |values: &Vec<f64>| chosen.iter().map(|&i| values[i]).collect::<Vec<f64>>();
        let kind = match &self.kind {
            Kind::Numbers { target, weights, constant, scale, noise } => Kind::Numbers {
                target: of(target),
                weights: weights.as_ref().map(of),
                constant: *constant,
                scale: *scale,
                noise: *noise,
            },
            Kind::Classes { problems, scale, approximation } => Kind::Classes {
                problems: problems.iter().map(of).collect(),
                scale: *scale,
                approximation: *approximation,
            },
        };
        Marginal { kind }
    }

    /// Whether there is something to learn from: not all targets are equal, and both classes are there.
    pub fn varies(&self) -> bool {
        let differs = |v: &Vec<f64>| v.iter().any(|x| Some(x) != v.first());
        match &self.kind {
            Kind::Numbers { target, constant: true, .. } => differs(target),
            Kind::Numbers { target, .. } => target.iter().any(|y| *y != 0.0),
            Kind::Classes { problems, .. } => problems.iter().all(differs),
        }
    }

    /// Starting values of its own parameters for a matrix. The best ones for numbers, from one eigendecomposition.
    pub fn own_start(&self, gram: &Dense) -> Result<Vec<f64>> {
        match &self.kind {
            Kind::Numbers { target, weights, constant, scale, noise } => {
                let (s, v) =
                    Evidence::new(gram, target, weights.as_deref(), *constant)?.maximise(*scale, *noise);
                let own = [(scale, s), (noise, v)];
                Ok(own.iter().filter(|(given, _)| given.is_none()).map(|(_, v)| v.ln()).collect())
            }
            Kind::Classes { scale: Some(_), .. } => Ok(Vec::new()),
            Kind::Classes { scale: None, .. } => Ok(vec![-mean_diagonal(gram).ln() + 10f64.ln()]),
        }
    }

    /// The bounds of its own parameters for a matrix.
    pub fn own_bounds(&self, gram: &Dense) -> Vec<(f64, f64)> {
        let size = mean_diagonal(gram);
        match &self.kind {
            Kind::Numbers { target, scale, noise, .. } => {
                let mean = target.iter().sum::<f64>() / target.len().max(1) as f64;
                let squares = target.iter().map(|y| (y - mean) * (y - mean)).sum::<f64>();
                let spread = squares / target.len().max(1) as f64;
                let spread = if spread > 0.0 { spread } else { 1.0 };
                let around = |v: f64| ((LEAST_SHARE * v).ln(), (MOST_SHARE * v).ln());
                let own = [(scale, spread / size), (noise, spread)];
                own.iter().filter(|(given, _)| given.is_none()).map(|(_, v)| around(*v)).collect()
            }
            Kind::Classes { scale: Some(_), .. } => Vec::new(),
            Kind::Classes { scale: None, .. } => {
                vec![((1.0 / (WIDEST_SCALE * size)).ln(), (WIDEST_SCALE / size).ln())]
            }
        }
    }

    /// The likelihood and its derivatives at a Gram matrix; `None` where the matrix is not positive definite.
    /// Time O(n³), memory for four n × n matrices.
    pub fn at(&self, gram: &Dense, own: &[f64]) -> Result<Option<Slope>> {
        budget::check()?;
        if gram.find_non_finite().is_some() {
            return Ok(None);
        }
        let mut own = own.iter().map(|v| v.exp());
        match &self.kind {
            Kind::Numbers { target, weights, constant, scale, noise } => {
                let s = scale.or_else(|| own.next()).unwrap_or(1.0);
                let v = noise.or_else(|| own.next()).unwrap_or(0.0);
                let learned = (scale.is_none(), noise.is_none());
                of_numbers(gram, target, weights.as_deref(), *constant, (s, v), learned)
            }
            Kind::Classes { problems, scale, approximation } => {
                let s = scale.or_else(|| own.next()).unwrap_or(1.0);
                let mut total: Option<Slope> = None;
                for signs in problems {
                    let slope = match approximation {
                        Approximation::Laplace => laplace::at(gram, signs, s)?,
                        Approximation::ExpectationPropagation => expectation::at(gram, signs, s)?,
                    };
                    let Some(slope) = slope else { return Ok(None) };
                    total = Some(match total {
                        None => slope,
                        Some(mut all) => {
                            all.value += slope.value;
                            let both = all.by_gram.values_mut().iter_mut().zip(slope.by_gram.values());
                            both.for_each(|(a, b)| *a += b);
                            all.by_own.iter_mut().zip(&slope.by_own).for_each(|(a, b)| *a += b);
                            all
                        }
                    });
                }
                Ok(total.map(|mut all| {
                    if scale.is_some() {
                        all.by_own.clear();
                    }
                    all
                }))
            }
        }
    }
}

pub(super) fn mean_diagonal(gram: &Dense) -> f64 {
    let n = gram.rows();
    let mean = (0..n).map(|i| gram.at(i, i).abs()).sum::<f64>() / n.max(1) as f64;
    if mean > 0.0 { mean } else { 1.0 }
}

/// With C = s·K + σ²·W⁻¹, G = C⁻¹ without its part along the constant, α = G·y: the derivative by C is ½ (ααᵀ - G).
///
/// Where the noise is learned, σ² is no less than the least noise of [`Evidence::maximise`]: the fit of the model would
/// otherwise be worse than what was found here.
fn of_numbers(
    gram: &Dense,
    target: &[f64],
    weights: Option<&[f64]>,
    constant: bool,
    (scale, noise): (f64, f64),
    (learns_scale, learns_noise): (bool, bool),
) -> Result<Option<Slope>> {
    let n = gram.rows();
    let needed = budget::matrix_bytes(n, n, 3 * size_of::<f64>());
    budget::ask(&format!("the marginal likelihood of {n} objects and its derivatives"), needed)?;
    let mut matrix = gram.clone();
    matrix.values_mut().iter_mut().for_each(|v| *v *= scale);
    let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
    let share = LEAST_NOISE / n as f64;
    let least = share * scale * (0..n).map(|i| weight(i) * gram.at(i, i).abs()).sum::<f64>();
    let at_least = learns_noise && noise < least;
    let variance = if at_least { least } else { noise };
    (0..n).for_each(|i| matrix.row_mut(i)[i] += variance / weight(i));
    let factor = match variance > 0.0 {
        true => Cholesky::new(matrix)?,
        // Without noise, equal objects need a jitter, as in the fit.
        false => {
            let size = mean_diagonal(&matrix);
            factored(&matrix, size)?.map(|(factor, _)| factor)
        }
    };
    let Some(factor) = factor else { return Ok(None) };
    let log_determinant = 2.0 * (0..n).map(|i| factor.lower().at(i, i).ln()).sum::<f64>();
    let mut g = inverse_of(&factor)?;
    drop(factor);
    let times = |g: &Dense, v: &[f64]| -> Vec<f64> { parallel::map(n, |i| dot(g.row(i), v)) };
    let mut doubt = 0.0;
    let mut degrees = n as f64;
    if constant {
        let solved = times(&g, &vec![1.0; n]);
        let precision: f64 = solved.iter().sum();
        if !(precision > 0.0 && precision.is_finite()) {
            return Ok(None);
        }
        doubt = precision.ln();
        degrees -= 1.0;
        parallel::for_chunks_mut(g.values_mut(), n.max(1), ROWS, |i, row: &mut [f64]| {
            let factor = solved[i] / precision;
            row.iter_mut().zip(&solved).for_each(|(v, s)| *v -= factor * s);
        });
    }
    let alpha = times(&g, target);
    let quadratic = dot(&alpha, target);
    let value = -0.5 * (quadratic + log_determinant + doubt + degrees * (2.0 * PI).ln());
    if !value.is_finite() {
        return Ok(None);
    }
    let by_variance: f64 = (0..n).map(|i| 0.5 * (alpha[i] * alpha[i] - g.at(i, i)) / weight(i)).sum();
    parallel::for_chunks_mut(g.values_mut(), n.max(1), ROWS, |i, row: &mut [f64]| {
        let half = 0.5 * scale;
        row.iter_mut().zip(&alpha).for_each(|(v, a)| *v = half * (alpha[i] * a - *v));
    });
    if at_least {
        // The least noise grows with the kernel's diagonal.
        let by_share = by_variance * share * scale;
        (0..n).for_each(|i| g.row_mut(i)[i] += by_share * weight(i) * gram.at(i, i).signum());
    }
    let of_scale = entrywise(&g, gram);
    let of_noise = if at_least { 0.0 } else { noise * by_variance };
    let own = [(learns_scale, of_scale), (learns_noise, of_noise)];
    let by_own = own.iter().filter(|(learned, _)| *learned).map(|(_, v)| *v).collect();
    Ok(Some(Slope { value, by_gram: g, by_own }))
}

/// Σ_ij a_ij · b_ij, with the same bits for any number of threads.
pub fn entrywise(a: &Dense, b: &Dense) -> f64 {
    parallel::map(a.rows(), |i| dot(a.row(i), b.row(i))).iter().sum()
}

/// A Gram matrix that depends on parameters.
pub trait Covariance {
    /// The Gram matrix at these parameters.
    fn gram(&mut self, at: &[f64]) -> Result<Dense>;

    /// The derivative by each parameter of a function whose derivative by the entries of the last Gram matrix is this.
    fn slope(&mut self, by_gram: &Dense) -> Result<Vec<f64>>;
}

/// The parameters with the highest marginal likelihood that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Highest {
    /// The parameters of the covariance.
    pub at: Vec<f64>,
    /// Those of the likelihood.
    pub own: Vec<f64>,
    /// The log marginal likelihood.
    pub value: f64,
    /// How often it was computed, from all starts.
    pub evaluations: usize,
    /// Whether the best ascent converged.
    pub converged: bool,
}

impl Marginal {
    /// Ascends from each start, at most `most` evaluations each; the highest end is the result.
    ///
    /// A start where the likelihood is not defined is left out; if there is none left, the matrix is refused.
    pub fn highest(
        &self,
        covariance: &mut dyn Covariance,
        starts: &[Vec<f64>],
        bounds: &[(f64, f64)],
        most: usize,
    ) -> Result<Vec<Highest>> {
        let mut ends: Vec<Highest> = Vec::new();
        for start in starts {
            budget::check()?;
            let start: Vec<f64> =
                start.iter().zip(bounds).map(|(v, (low, high))| v.clamp(*low, *high)).collect();
            let gram = covariance.gram(&start)?;
            if gram.find_non_finite().is_some() {
                continue;
            }
            let own = match self.own_start(&gram) {
                Ok(own) => own,
                // Other numbers may make it definite.
                Err(Error::NotPositiveDefinite { .. }) => continue,
                Err(other) => return Err(other),
            };
            let all_bounds: Vec<(f64, f64)> = bounds.iter().copied().chain(self.own_bounds(&gram)).collect();
            let first: Vec<f64> = start.iter().copied().chain(own).collect();
            let d = start.len();
            let mut climbed = |at: &[f64]| -> Result<Option<(f64, Vec<f64>)>> {
                let gram = covariance.gram(&at[..d])?;
                let Some(slope) = self.at(&gram, &at[d..])? else { return Ok(None) };
                let mut gradient = covariance.slope(&slope.by_gram)?;
                gradient.extend(slope.by_own);
                Ok(Some((slope.value, gradient)))
            };
            let Some(Ascent { at, value, evaluations, converged }) =
                ascend(&first, &all_bounds, most, &mut climbed)?
            else {
                continue;
            };
            let (at, own) = (at[..d].to_vec(), at[d..].to_vec());
            ends.push(Highest { at, own, value, evaluations, converged });
        }
        // Stable: of equal ends, that of the first start.
        ends.sort_by(|a, b| b.value.total_cmp(&a.value));
        if let (true, Some(start)) = (ends.is_empty(), starts.first()) {
            let gram = covariance.gram(start)?;
            if let Some((row, col)) = gram.find_non_finite() {
                return Err(Error::NonFinite { row, col, overflow: true });
            }
            let values = eigenvalues(&gram)?;
            require_psd(values[0], values[values.len() - 1])?;
            return Err(Error::Numeric {
                reason: "the marginal likelihood is not defined: the covariance of the training objects is singular; raise noise"
                    .into(),
            });
        }
        Ok(ends)
    }
}
