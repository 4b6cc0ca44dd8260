//! Extreme eigenvalues of a large sparse symmetric matrix.

use super::Spectrum;
use super::symmetric::Symmetric;
use crate::data::Dense;
use crate::error::Result;
use crate::random::Random;

/// The extreme eigenvalues found, with an error bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extremes {
    /// An upper bound of the smallest eigenvalue.
    pub low: f64,
    /// A lower bound of the largest eigenvalue.
    pub high: f64,
    /// An eigenvalue lies within this distance of each.
    pub residual: f64,
}

/// The smallest and the largest eigenvalue by the Lanczos method with full orthogonalisation, with at most `steps`
/// products.
///
/// Ritz values lie within the spectrum, so `low` and `high` never exceed it. Each is within `residual` of some
/// eigenvalue, which for a generic start vector is the extreme one. Memory for `steps` vectors.
pub fn extremes(s: &Symmetric, steps: usize) -> Result<Extremes> {
    let n = s.len();
    if n == 0 {
        return Ok(Extremes { low: 0.0, high: 0.0, residual: 0.0 });
    }
    let mut random = Random::new(0x6d65_7263_6572);
    let mut next: Vec<f64> = (0..n).map(|_| random.normal()).collect();
    let (mut basis, mut alphas, mut betas): (Vec<Vec<f64>>, Vec<f64>, Vec<f64>) = Default::default();
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    loop {
        let length = dot(&next, &next).sqrt();
        // Once the residual vanishes, the basis spans everything reachable from the start vector.
        let scale = alphas.iter().chain(&betas).fold(0.0f64, |m, v| m.max(v.abs()));
        if basis.len() == steps.clamp(1, n) || (!basis.is_empty() && length <= 1e-14 * scale) {
            betas.push(length);
            break;
        }
        if !basis.is_empty() {
            betas.push(length);
        }
        next.iter_mut().for_each(|v| *v /= length);
        let mut product = s.times(&next);
        alphas.push(dot(&product, &next));
        basis.push(std::mem::take(&mut next));
        // Two passes make it orthogonal up to rounding.
        for _ in 0..2 {
            for known in &basis {
                let share = dot(&product, known);
                product.iter_mut().zip(known).for_each(|(p, k)| *p -= share * k);
            }
        }
        next = product;
    }
    let m = alphas.len();
    let mut tridiagonal = Dense::zeros(m, m);
    for i in 0..m {
        tridiagonal.row_mut(i)[i] = alphas[i];
        if i + 1 < m {
            tridiagonal.row_mut(i)[i + 1] = betas[i];
            tridiagonal.row_mut(i + 1)[i] = betas[i];
        }
    }
    let spectrum = Spectrum::of(&tridiagonal)?;
    // Eigenvectors are rows, by ascending eigenvalue; the last entry times the last beta is the residual.
    let rest = betas.last().copied().unwrap_or(0.0);
    let residual = |k: usize| (rest * spectrum.vectors.at(k, m - 1)).abs();
    Ok(Extremes {
        low: spectrum.values[0],
        high: spectrum.values[m - 1],
        residual: residual(0).max(residual(m - 1)),
    })
}
