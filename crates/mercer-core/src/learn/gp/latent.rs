//! Normal approximations of the latent function of a binary classifier, and what they predict.

use super::super::learner::ClassCodes;
use super::ROWS;
use super::triangle::solved;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::math::dot;
use crate::numeric::{Cholesky, inverse_of, normal_probability};
use crate::parallel;

/// How the posterior of the latent function is approximated by a normal distribution, and the link from it to classes.
///
/// Laplace's approximation is centred at the mode, and has its curvature there; the link is logistic. Expectation
/// propagation matches the mean and variance of each object's factor in turn; the link is probit, the distribution function
/// of a normal distribution. Its probabilities are closer to those of the exact posterior, and further from one half.
///
/// H. Nickisch and C. E. Rasmussen, *Approximations for binary Gaussian process classification*, JMLR 9, 2008.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Approximation {
    /// Laplace's approximation with the logistic link.
    #[default]
    Laplace,
    /// Expectation propagation with the probit link.
    ExpectationPropagation,
}

impl Approximation {
    /// The mean of the link over a normal distribution of the latent function: the probability of the class.
    pub(super) fn probability(self, mean: f64, variance: f64) -> f64 {
        match self {
            Approximation::Laplace => mean_logistic(mean, variance),
            Approximation::ExpectationPropagation => normal_probability(mean / (1.0 + variance).sqrt()),
        }
    }
}

/// The normal approximation of the latent function of one binary problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Latent {
    /// The centre at the training objects is s·K·α. For Laplace's approximation α is the derivative of the log likelihood
    /// there.
    pub(super) alpha: Vec<f64>,
    /// √w, w the precision that each object adds: the negative second derivative of its log likelihood, or the precision of
    /// its factor.
    pub(super) roots: Vec<f64>,
    /// The lower factor of I + W^½ s·K W^½, with zeros above the diagonal.
    pub(super) factor: Dense,
    pub(super) scale: f64,
    /// The approximate log marginal likelihood.
    pub(super) log_likelihood: f64,
}

impl Latent {
    /// (I + W^½ s·K W^½)⁻¹.
    pub(super) fn inverse(&self) -> Result<Dense> {
        inverse_of(&Cholesky::from_lower(self.factor.clone()))
    }

    /// L⁻¹ W^½ s·k for each row of similarities.
    pub(super) fn solved(&self, cross: &Dense) -> Result<Dense> {
        let scaled =
            |row: &mut [f64]| row.iter_mut().zip(&self.roots).for_each(|(v, r)| *v *= self.scale * r);
        solved(&self.factor, cross, scaled)
    }

    /// The mean and variance of the latent function at new objects.
    pub(super) fn latent(&self, cross: &Dense, own: &[f64]) -> Result<(Vec<f64>, Vec<f64>)> {
        let solved = self.solved(cross)?;
        let means = (0..cross.rows()).map(|i| self.scale * dot(cross.row(i), &self.alpha)).collect();
        let variance = |i: usize| (self.scale * own[i] - dot(solved.row(i), solved.row(i))).max(0.0);
        Ok((means, (0..cross.rows()).map(variance).collect()))
    }

    /// The parts that a file stores.
    #[doc(hidden)]
    pub fn parts(&self) -> (&[f64], &[f64], &Dense, f64) {
        (&self.alpha, &self.roots, &self.factor, self.log_likelihood)
    }
}

/// The signs of the objects in each binary problem: class 1 against class 0, or each against all others.
pub(super) fn signs_of(codes: &ClassCodes) -> Result<Vec<Vec<f64>>> {
    let count = codes.classes();
    if let Some(index) = codes.codes().iter().position(|c| *c >= count) {
        let reason = format!("its class {} is not below {count}", codes.codes()[index]);
        return Err(Error::Object { index, reason, hint: None });
    }
    let members = |class: usize| codes.codes().iter().filter(|c| **c == class).count();
    let there = (0..count).filter(|&class| members(class) > 0).count();
    if count < 2 || there < count {
        let reason =
            format!("a Gaussian process classifier needs members of two or more classes, found {there}");
        return Err(Error::Classes { reason });
    }
    let against = |class: usize| {
        codes.codes().iter().map(|c| if *c == class { 1.0 } else { -1.0 }).collect::<Vec<f64>>()
    };
    Ok(if count == 2 { vec![against(1)] } else { (0..count).map(against).collect() })
}

/// The factor of I + W^½ s·K W^½.
pub(super) fn shifted(gram: &Dense, roots: &[f64], scale: f64) -> Result<Option<Cholesky>> {
    let n = roots.len();
    let mut matrix = gram.clone();
    parallel::for_chunks_mut(matrix.values_mut(), n.max(1), ROWS, |i, row: &mut [f64]| {
        row.iter_mut().zip(roots).for_each(|(v, r)| *v *= scale * r * roots[i]);
        row[i] += 1.0;
    });
    Cholesky::new(matrix)
}

pub(super) fn logistic(z: f64) -> f64 {
    if z >= 0.0 { 1.0 / (1.0 + (-z).exp()) } else { z.exp() / (1.0 + z.exp()) }
}

/// log 1 / (1 + exp(-z)).
pub(super) fn log_logistic(z: f64) -> f64 {
    if z >= 0.0 { -(-z).exp().ln_1p() } else { z - z.exp().ln_1p() }
}

/// The mean of the logistic function over a normal distribution, by the trapezoidal rule, whose error falls
/// exponentially with the number of points for such functions.
pub(super) fn mean_logistic(mean: f64, variance: f64) -> f64 {
    let deviation = variance.sqrt();
    // 1 / (1 + exp(-z)) is analytic within π of the real line: the step shrinks where the deviation is large.
    let step = 0.25 / (1.0 + deviation / 4.0);
    let count = (8.5 / step).ceil().min(20_000.0) as i64;
    let (mut sum, mut total) = (0.0, 0.0);
    for k in -count..=count {
        let z = step * k as f64;
        let weight = (-0.5 * z * z).exp();
        sum += weight * logistic(mean + deviation * z);
        total += weight;
    }
    sum / total
}
