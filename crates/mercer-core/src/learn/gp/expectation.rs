//! Expectation propagation of a binary Gaussian process classifier with the probit link.

use super::ROWS;
use super::latent::{Latent, shifted};
use super::marginal::{Slope, entrywise};
use crate::budget;
use crate::data::Dense;
use crate::error::Result;
use crate::numeric::math::dot;
use crate::numeric::{Cholesky, log_normal_probability};
use crate::parallel;

/// The most passes over all objects; about fifteen are needed.
const PASSES: usize = 300;
/// The factors have settled when none changes by more than this share.
const SETTLED: f64 = 1e-10;
/// The share of a change that is made, at first; it is halved whenever changes grow.
const FIRST_SHARE: f64 = 0.9;
const LEAST_SHARE: f64 = 0.05;

/// The factors exp(ν·f - ½·τ·f²) of the objects, and the normal distribution that they make with the prior.
struct Factors {
    tau: Vec<f64>,
    nu: Vec<f64>,
}

/// The approximation at some factors.
struct At {
    roots: Vec<f64>,
    factor: Cholesky,
    alpha: Vec<f64>,
    means: Vec<f64>,
    variances: Vec<f64>,
}

/// What the exact likelihood of an object makes of its cavity: its log normaliser, and its factor with matched mean and variance.
struct Tilted {
    log: f64,
    tau: f64,
    nu: f64,
}

/// The cavity with mean m and variance v, tilted by Φ(y·f).
fn tilted(sign: f64, mean: f64, variance: f64) -> Tilted {
    let size = (1.0 + variance).sqrt();
    let z = sign * mean / size;
    let (log, ratio) = log_normal_probability(z);
    let (first, second) = (sign * ratio / size, -ratio * (z + ratio) / (1.0 + variance));
    let rest = 1.0 + second * variance;
    Tilted { log, tau: (-second / rest).max(0.0), nu: (first - mean * second) / rest }
}

impl Factors {
    /// The mean and variance of the latent function at each object; `None` where the matrix is not positive semidefinite.
    fn at(&self, gram: &Dense, scale: f64) -> Result<Option<At>> {
        let n = self.tau.len();
        let roots: Vec<f64> = self.tau.iter().map(|t| t.sqrt()).collect();
        let Some(factor) = shifted(gram, &roots, scale)? else { return Ok(None) };
        let times = |v: &[f64]| -> Vec<f64> { parallel::map(n, |i| scale * dot(gram.row(i), v)) };
        let mut solved: Vec<f64> = times(&self.nu).iter().zip(&roots).map(|(v, r)| v * r).collect();
        factor.forward(&mut solved);
        factor.backward(&mut solved);
        let alpha: Vec<f64> = (0..n).map(|i| self.nu[i] - roots[i] * solved[i]).collect();
        let means = times(&alpha);
        // The factor with zeros above its diagonal serves the triangular solver.
        let mut lower = factor.into_lower();
        (0..n).for_each(|i| lower.row_mut(i)[i + 1..].fill(0.0));
        let latent = Latent { alpha, roots, factor: lower, scale, log_likelihood: 0.0 };
        let own: Vec<f64> = (0..n).map(|i| gram.at(i, i)).collect();
        let variances = latent.latent(gram, &own)?.1;
        let Latent { alpha, roots, factor, .. } = latent;
        Ok(Some(At { roots, factor: Cholesky::from_lower(factor), alpha, means, variances }))
    }
}

impl At {
    /// The mean and variance of the cavity of an object: the distribution without its factor.
    fn cavity(&self, of: &Factors, i: usize) -> (f64, f64) {
        let v = self.variances[i];
        let rest = (1.0 - v * of.tau[i]).max(f64::EPSILON);
        ((self.means[i] - v * of.nu[i]) / rest, v / rest)
    }

    /// The log marginal likelihood at factors that match their cavities.
    fn log_likelihood(&self, of: &Factors, signs: &[f64]) -> f64 {
        let one = |i: usize| {
            let ((mean, variance), tau, nu) = (self.cavity(of, i), of.tau[i], of.nu[i]);
            let own = self.variances[i];
            tilted(signs[i], mean, variance).log - self.factor.lower().at(i, i).ln()
                + 0.5 * nu * (self.means[i] - own * nu)
                + 0.5 * (tau * mean - 2.0 * nu) * mean * (1.0 - own * tau)
                + 0.5 * (tau * variance).ln_1p()
        };
        (0..signs.len()).map(one).sum()
    }
}

/// Passes over all factors at once until none changes; `None` where the matrix is not positive semidefinite, or where the
/// factors do not settle.
pub(super) fn fit(gram: &Dense, signs: &[f64], scale: f64) -> Result<Option<Latent>> {
    let n = signs.len();
    let needed = budget::matrix_bytes(n, n, 3 * size_of::<f64>());
    budget::ask(&format!("the covariance of {n} objects, its factor and their variances"), needed)?;
    let mut factors = Factors { tau: vec![0.0; n], nu: vec![0.0; n] };
    let (mut share, mut before) = (FIRST_SHARE, f64::INFINITY);
    for _ in 0..PASSES {
        budget::check()?;
        let Some(at) = factors.at(gram, scale)? else { return Ok(None) };
        let mut largest = 0.0f64;
        let wanted: Vec<Tilted> = (0..n)
            .map(|i| {
                let (mean, variance) = at.cavity(&factors, i);
                tilted(signs[i], mean, variance)
            })
            .collect();
        for (i, tilted) in wanted.iter().enumerate() {
            let change = |old: f64, new: f64| (new - old).abs() / (1.0 + old.abs());
            let both = change(factors.tau[i], tilted.tau).max(change(factors.nu[i], tilted.nu));
            if !both.is_finite() {
                return Ok(None);
            }
            largest = largest.max(both);
        }
        if largest <= SETTLED {
            let log_likelihood = at.log_likelihood(&factors, signs);
            let At { roots, factor, alpha, .. } = at;
            let kept = Latent { alpha, roots, factor: factor.into_lower(), scale, log_likelihood };
            return Ok(log_likelihood.is_finite().then_some(kept));
        }
        if largest > before {
            share = (0.5 * share).max(LEAST_SHARE);
        }
        before = largest;
        for (i, tilted) in wanted.iter().enumerate() {
            factors.tau[i] += share * (tilted.tau - factors.tau[i]);
            factors.nu[i] += share * (tilted.nu - factors.nu[i]);
        }
    }
    Ok(None)
}

/// The approximate marginal likelihood, with its derivatives by the matrix and by the logarithm of the scale: at matched
/// factors these are ½ (ααᵀ - W^½ B⁻¹ W^½), as if the factors were constant.
pub(super) fn at(gram: &Dense, signs: &[f64], scale: f64) -> Result<Option<Slope>> {
    let Some(of) = fit(gram, signs, scale)? else { return Ok(None) };
    let n = signs.len();
    let mut rest = of.inverse()?;
    let (alpha, roots) = (&of.alpha, &of.roots);
    parallel::for_chunks_mut(rest.values_mut(), n.max(1), ROWS, |i, row: &mut [f64]| {
        for (j, v) in row.iter_mut().enumerate() {
            *v = 0.5 * scale * (alpha[i] * alpha[j] - roots[i] * roots[j] * *v);
        }
    });
    let by_own = vec![entrywise(&rest, gram)];
    Ok(Some(Slope { value: of.log_likelihood, by_gram: rest, by_own }))
}
