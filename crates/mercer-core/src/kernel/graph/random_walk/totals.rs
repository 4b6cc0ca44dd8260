//! Graphs with constant labels: walks are counted once per graph.
//!
//! The product of two unlabelled graphs has 1ᵀ(A⊗B)^l 1 = (1ᵀA^l 1)(1ᵀB^l 1) walks of length l. So the kernel is an
//! inner product of the numbers of walks by length, u_l = √a_l · 1ᵀA^l 1 for weights a_l.
//!
//! An infinite sum ends when the remainder is provably below rounding. If no entry of the vector for u_L exceeds ε,
//! then u_{L+j} ≤ ε·u_j for every j, and by the Cauchy-Schwarz inequality the remainder of k(G, H) is at most
//! ε·√(k(G, G)·k(H, H)). Close to divergence a geometric sum would need very many terms. Graphs that are not too large
//! are then decomposed into eigenvalues μ_i and squared sums of eigenvectors c_i, and
//! Σ_l λ^l w_l w'_l = Σ_ij c_i c'_j / (1 - λ μ_i μ'_j). Eigenvalues would work for every graph, but cost the cube of
//! the number of nodes where about twenty products with A suffice.

use super::form::Form;
use crate::budget;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::Spectrum;
use crate::numeric::math::dot;

/// The truncation error of an infinite sum, relative to self-similarities.
const EPSILON: f64 = 1e-15;

/// Number of terms after which eigenvalues are cheaper.
const MANY: usize = 400;

/// Maximum number of nodes for an eigendecomposition.
const LARGE: usize = 1024;

/// Maximum number of terms.
const MOST: usize = 1_000_000;

/// The walks of a graph by length.
#[derive(Clone, Debug)]
pub(super) enum Totals {
    /// √a_l times the number of walks of length l, from 0.
    Lengths(Vec<f64>),
    /// Eigenvalues times √λ, each with the squared sum of its eigenvector.
    Spectrum { values: Vec<f64>, shares: Vec<f64> },
}

impl Totals {
    /// Walks up to a length, each length with its weight.
    pub(super) fn weighted(form: &Form, weights: &[f64]) -> Totals {
        let mut x = vec![1.0; form.nodes()];
        let mut y = x.clone();
        let mut lengths = Vec::with_capacity(weights.len());
        for (l, weight) in weights.iter().enumerate() {
            if l > 0 {
                form.apply(false, &x, &mut y);
                std::mem::swap(&mut x, &mut y);
            }
            lengths.push(weight.sqrt() * x.iter().sum::<f64>());
        }
        Totals::Lengths(lengths)
    }

    /// All walks, those of length l with weight λ^l; λ times the square of the spectral radius is below 1.
    pub(super) fn geometric(form: &Form, decay: f64) -> Result<Totals> {
        let root = decay.sqrt();
        let small = form.symmetric && form.nodes() <= LARGE;
        match Totals::series(form, |_| root, if small { MANY } else { MOST }) {
            Some(lengths) => Ok(Totals::Lengths(lengths)),
            None if small => Totals::spectrum(form, root),
            None => Err(Error::Numeric {
                reason: format!(
                    "the sum over walks needs more than {MOST} steps: decay = {decay} is too close to its bound"
                ),
            }),
        }
    }

    /// All walks, those of length l with weight λ^l / l!.
    pub(super) fn exponential(form: &Form, decay: f64) -> Result<Totals> {
        let root = decay.sqrt();
        let lengths = Totals::series(form, |l| root / (l as f64).sqrt(), MOST);
        lengths.map(Totals::Lengths).ok_or_else(|| Error::Numeric {
            reason: format!("the sum over walks needs more than {MOST} steps: decay = {decay} is too large"),
        })
    }

    /// Sums of x_l = factor(l) · A x_{l-1} until the remainder is below rounding; `None` after `most` of them.
    fn series(form: &Form, factor: impl Fn(usize) -> f64, most: usize) -> Option<Vec<f64>> {
        let n = form.nodes();
        let (mut x, mut y) = (vec![1.0; n], vec![0.0; n]);
        // Where weights of both signs cancel, the sum of absolute values bounds the remainder.
        let mut bound = form.negative.then(|| x.clone());
        let mut lengths = vec![n as f64];
        let (mut own, mut bounding) = (lengths[0] * lengths[0], lengths[0] * lengths[0]);
        for l in 1..=most {
            if budget::is_spent_after(8 * n) {
                return Some(lengths);
            }
            let step = |absolute: bool, x: &mut Vec<f64>, y: &mut Vec<f64>| {
                form.apply(absolute, x, y);
                y.iter_mut().for_each(|y| *y *= factor(l));
                std::mem::swap(x, y);
                let total: f64 = x.iter().sum();
                (total, x.iter().fold(0.0, |a: f64, b| a.max(b.abs())))
            };
            let (total, mut top) = step(false, &mut x, &mut y);
            own += total * total;
            let mut slack = 1.0;
            if let Some(bound) = &mut bound {
                let (total, largest) = step(true, bound, &mut y);
                bounding += total * total;
                (top, slack) = (largest, (bounding / own).sqrt());
            }
            lengths.push(total);
            if top * slack <= EPSILON {
                return Some(lengths);
            }
            if !total.is_finite() {
                // Too large for a double: the engine reports the overflow of the pair.
                return Some(lengths);
            }
        }
        None
    }

    fn spectrum(form: &Form, root: f64) -> Result<Totals> {
        let n = form.nodes();
        let mut a = Dense::zeros(n, n);
        for i in 0..n {
            form.arcs(i).iter().for_each(|arc| a.row_mut(i)[arc.target as usize] += arc.weight);
        }
        let spectrum = Spectrum::of(&a)?;
        let near = spectrum.tolerance();
        let (mut values, mut shares): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
        for (k, &value) in spectrum.values.iter().enumerate() {
            let sum: f64 = spectrum.vectors.row(k).iter().sum();
            let share = sum * sum;
            match values.last() {
                // The eigenvectors of a repeated eigenvalue are an arbitrary basis; only the sum of shares is well
                // defined.
                Some(last) if value - last / root <= near => {
                    if let Some(total) = shares.last_mut() {
                        *total += share;
                    }
                }
                _ => {
                    values.push(value * root);
                    shares.push(share);
                }
            }
        }
        // Most eigenvectors of a symmetric structure sum to zero.
        let kept: Vec<usize> = (0..values.len()).filter(|&k| shares[k] > 1e-26 * n as f64).collect();
        let pick = |from: &[f64]| kept.iter().map(|&k| from[k]).collect();
        Ok(Totals::Spectrum { values: pick(&values), shares: pick(&shares) })
    }

    /// k(G, H).
    pub(super) fn product(&self, other: &Totals) -> f64 {
        match (self, other) {
            (Totals::Lengths(a), Totals::Lengths(b)) => {
                let both = a.len().min(b.len());
                dot(&a[..both], &b[..both])
            }
            (Totals::Spectrum { values, shares }, Totals::Lengths(lengths))
            | (Totals::Lengths(lengths), Totals::Spectrum { values, shares }) => {
                let horner = |x: f64| match budget::is_spent_after(2 * lengths.len()) {
                    true => 0.0,
                    false => lengths.iter().rev().fold(0.0, |sum, w| sum * x + w),
                };
                values.iter().zip(shares).map(|(&v, c)| c * horner(v)).sum()
            }
            (
                Totals::Spectrum { values, shares },
                Totals::Spectrum { values: others, shares: their_shares },
            ) => {
                let inner =
                    |v: f64| -> f64 { others.iter().zip(their_shares).map(|(w, d)| d / (1.0 - v * w)).sum() };
                values.iter().zip(shares).map(|(&v, c)| c * inner(v)).sum()
            }
        }
    }
}
