//! Laplace's approximation of a binary Gaussian process classifier.

use super::ROWS;
use super::latent::{Latent, log_logistic, logistic, shifted};
use super::marginal::{Slope, entrywise};
use crate::budget;
use crate::data::Dense;
use crate::error::Result;
use crate::numeric::math::dot;
use crate::parallel;

/// The most steps of Newton's method; it converges in about ten.
const STEPS: usize = 100;
/// A step that gains less ends it.
const SETTLED: f64 = 1e-12;

/// Finds the mode by Newton's method with halving; `None` where the matrix is not positive semidefinite.
pub(super) fn fit(gram: &Dense, signs: &[f64], scale: f64) -> Result<Option<Latent>> {
    let n = signs.len();
    let needed = budget::matrix_bytes(n, n, 2 * size_of::<f64>());
    budget::ask(&format!("the covariance of {n} objects and its factor"), needed)?;
    let times = |v: &[f64]| -> Vec<f64> { parallel::map(n, |i| scale * dot(gram.row(i), v)) };
    let objective = |alpha: &[f64], latent: &[f64]| {
        let fit: f64 = latent.iter().zip(signs).map(|(f, y)| log_logistic(y * f)).sum();
        fit - 0.5 * dot(alpha, latent)
    };
    let mut alpha = vec![0.0; n];
    let mut latent = vec![0.0; n];
    let mut value = objective(&alpha, &latent);
    for step in 0..=STEPS {
        budget::check()?;
        let share: Vec<f64> = latent.iter().map(|f| logistic(*f)).collect();
        let roots: Vec<f64> = share.iter().map(|p| (p * (1.0 - p)).sqrt()).collect();
        let Some(factor) = shifted(gram, &roots, scale)? else { return Ok(None) };
        let gradient: Vec<f64> = (0..n).map(|i| 0.5 * (signs[i] + 1.0) - share[i]).collect();
        let pull: Vec<f64> = (0..n).map(|i| roots[i] * roots[i] * latent[i] + gradient[i]).collect();
        let mut solved: Vec<f64> = times(&pull).iter().zip(&roots).map(|(v, r)| v * r).collect();
        factor.forward(&mut solved);
        factor.backward(&mut solved);
        let next: Vec<f64> = (0..n).map(|i| pull[i] - roots[i] * solved[i]).collect();
        let (mut length, mut found) = (1.0, None);
        for _ in 0..30 {
            let tried: Vec<f64> = alpha.iter().zip(&next).map(|(a, b)| a + length * (b - a)).collect();
            let there = times(&tried);
            let other = objective(&tried, &there);
            if !other.is_finite() {
                return Ok(None);
            }
            if other >= value - SETTLED * value.abs() {
                found = Some((tried, there, other));
                break;
            }
            length *= 0.5;
        }
        let gain = found.as_ref().map_or(0.0, |(_, _, other)| other - value);
        if let Some((tried, there, other)) = found {
            (alpha, latent, value) = (tried, there, other);
        }
        if gain <= SETTLED * (1.0 + value.abs()) || step == STEPS {
            return around(gram, signs, &latent, value, scale);
        }
    }
    Ok(None)
}

/// The approximation around a mode.
fn around(gram: &Dense, signs: &[f64], latent: &[f64], value: f64, scale: f64) -> Result<Option<Latent>> {
    let n = signs.len();
    let share: Vec<f64> = latent.iter().map(|f| logistic(*f)).collect();
    let roots: Vec<f64> = share.iter().map(|p| (p * (1.0 - p)).sqrt()).collect();
    let Some(factor) = shifted(gram, &roots, scale)? else { return Ok(None) };
    let log_diagonal: f64 = (0..n).map(|i| factor.lower().at(i, i).ln()).sum();
    let log_likelihood = value - log_diagonal;
    if !log_likelihood.is_finite() {
        return Ok(None);
    }
    let alpha = (0..n).map(|i| 0.5 * (signs[i] + 1.0) - share[i]).collect();
    let mut factor = factor.into_lower();
    (0..n).for_each(|i| factor.row_mut(i)[i + 1..].fill(0.0));
    Ok(Some(Latent { alpha, roots, factor, scale, log_likelihood }))
}

/// The derivatives of the approximate marginal likelihood by the matrix and by the logarithm of the scale.
fn slope(of: &Latent, gram: &Dense, signs: &[f64]) -> Result<Slope> {
    let n = of.alpha.len();
    let (s, roots) = (of.scale, &of.roots);
    let needed = budget::matrix_bytes(n, n, 3 * size_of::<f64>());
    budget::ask(&format!("the derivatives of the likelihood of {n} objects"), needed)?;
    let mut rest = of.inverse()?;
    // R = W^½ B⁻¹ W^½.
    parallel::for_chunks_mut(rest.values_mut(), n.max(1), ROWS, |i, row: &mut [f64]| {
        row.iter_mut().zip(roots).for_each(|(v, r)| *v *= r * roots[i]);
    });
    // The posterior variances: s·k_ii - |L⁻¹ W^½ s·k_i|².
    let solved = of.solved(gram)?;
    let variances: Vec<f64> = (0..n).map(|i| s * gram.at(i, i) - dot(solved.row(i), solved.row(i))).collect();
    drop(solved);
    let share = |i: usize| 0.5 * (signs[i] + 1.0) - of.alpha[i];
    let turn: Vec<f64> =
        (0..n).map(|i| -0.5 * variances[i] * share(i) * (1.0 - share(i)) * (1.0 - 2.0 * share(i))).collect();
    // u = (I - R·s·K) · turn.
    let through: Vec<f64> = parallel::map(n, |i| s * dot(gram.row(i), &turn));
    let u: Vec<f64> = parallel::map(n, |i| turn[i] - dot(rest.row(i), &through));
    let alpha = &of.alpha;
    parallel::for_chunks_mut(rest.values_mut(), n.max(1), ROWS, |i, row: &mut [f64]| {
        for (j, v) in row.iter_mut().enumerate() {
            *v = 0.5 * s * (alpha[i] * alpha[j] - *v + u[i] * alpha[j] + alpha[i] * u[j]);
        }
    });
    let by_own = vec![entrywise(&rest, gram)];
    Ok(Slope { value: of.log_likelihood, by_gram: rest, by_own })
}

/// The approximate marginal likelihood and its derivatives; `None` where the matrix is not positive semidefinite.
pub(super) fn at(gram: &Dense, signs: &[f64], scale: f64) -> Result<Option<Slope>> {
    fit(gram, signs, scale)?.map(|of| slope(&of, gram, signs)).transpose()
}
