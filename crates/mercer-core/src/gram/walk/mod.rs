//! Random-walk kernels: powers of a matrix of similarities.
//!
//! Similarities are the edge weights of a graph over the objects, and entry (i, j) of A^p sums over all walks from i to
//! j of p steps: two objects are similar when many short walks join them. Variants differ in the objects a walk may
//! pass through:
//!
//! * training objects: [`Walk`]. New objects need only their similarities to them.
//! * support vectors of a first model: [`SupportWalk`].
//! * all objects, including those to be predicted: [`TransductiveWalk`].
//!
//! [`Markov`] first converts similarities to probabilities, [`Transfer`] changes the spectrum of that walk (cluster
//! kernels), and [`LinearWalk`] is a shortcut for inner products of few features.
//!
//! A^p grows like λmax^p. Every walk here gives A^p / ρ^(p-1) instead, ρ = max |λ|: p = 1 is A itself, no power
//! overflows, one parameter grid suits every p, and normalising ([`normalize`](super::normalize)) gives the same result
//! as for A^p. [`Walk::factor`] is the scale left out.
//!
//! Reference: Gavriilidis & Tefas 2013, Random walk kernel applications to classification using
//! support vector machines.

mod cluster;
mod linear;
mod markov;
mod objects;
mod passage;
mod through;

#[cfg(test)]
mod tests;

pub use cluster::Transfer;
pub use linear::LinearWalk;
pub use markov::Markov;
pub(crate) use markov::check_degrees;
pub use objects::NewObjects;
pub use passage::Passage;
pub use through::{SupportWalk, TransductiveWalk};

use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::Spectrum;
use crate::numeric::algebra::{mirror, weighted_gram};
use crate::numeric::check::{check_cross, check_values};

/// Components with a weight below this fraction of the largest contribute less than rounding.
const NEGLIGIBLE: f64 = 1e-40;

/// Walks through the training objects: every power of their Gram matrix from one eigendecomposition.
///
/// With A = U Λ Uᵀ the training Gram, C the similarities of new to training objects and B those among new
/// objects, p steps give
///
/// * training × training: A^p,
/// * new × training: C·A^(p-1),
/// * new × new: C·A^(p-2)·Cᵀ, which is B for p = 1,
///
/// each divided by ρ^(p-1), ρ = max |λ|. A training object passed as a new one gets its training values.
///
/// Positive semidefinite for even p, for any A; for odd p exactly when A is, because an odd power keeps the signs of
/// eigenvalues. An object whose norm after p steps is pure rounding (below 4nε of that after one step) is set to 0, so
/// that normalising it gives 0 instead of noise.
///
/// Time O(n³) once, then O(n²·r) for each p, r the number of non-negligible eigenvalues; memory for five n × n
/// matrices.
///
/// ```
/// use mercer_core::{data::Dense, gram::Walk};
/// let a = Dense::from_rows(&[[2.0, 1.0], [1.0, 2.0]]); // eigenvalues 3 and 1
/// let walk = Walk::of(&a)?;
/// let squared = walk.train(2)?;
/// assert!((squared.at(0, 0) * walk.factor(2) - 5.0).abs() < 1e-12);
/// // A new object, similar to both.
/// let c = Dense::from_rows(&[[1.0, 1.0]]);
/// assert!((walk.cross(&c, 3)?.at(0, 0) * walk.factor(3) - 9.0).abs() < 1e-12);
/// assert!((walk.self_similarities(&c, &[2.0], 3)?[0] * walk.factor(3) - 6.0).abs() < 1e-12);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Walk {
    gram: Dense,
    spectrum: Spectrum,
    radius: f64,
}

impl Walk {
    /// Decomposes the symmetric similarities of the training objects.
    pub fn of(gram: &Dense) -> Result<Self> {
        let spectrum = Spectrum::of(gram)?;
        let radius = spectrum.radius();
        let mut gram = gram.clone();
        mirror(&mut gram);
        Ok(Walk { gram, spectrum, radius })
    }

    /// The number of training objects.
    pub fn n(&self) -> usize {
        self.spectrum.n()
    }

    /// ρ, the largest eigenvalue in magnitude.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// ρ^(p-1), the divisor of the p-th power; infinite or 0 on overflow or underflow.
    pub fn factor(&self, p: u32) -> f64 {
        self.radius.powf(f64::from(p.max(1) - 1))
    }

    /// The training block A^p / ρ^(p-1), exactly symmetric; p ≥ 1, and p = 1 is A itself.
    pub fn train(&self, p: u32) -> Result<Dense> {
        if check_power(p)? == 1 {
            return Ok(self.gram.clone());
        }
        let divisor = self.divisor();
        let weights = self.ratios(p - 2).zip(&self.spectrum.values).map(|(r, v)| r * v * (v / divisor));
        let weights: Vec<f64> = weights.collect();
        let mut out = weighted_gram(&self.spectrum.vectors, &weights, None);
        let vanished = self.vanished(p);
        for &i in &vanished {
            out.row_mut(i).fill(0.0);
            (0..out.rows()).for_each(|j| out.row_mut(j)[i] = 0.0);
        }
        Ok(out)
    }

    /// New objects, by their similarities to the training objects (one row each) and to themselves; usable for every p.
    pub fn objects<'a>(&'a self, cross: &'a Dense, own: &'a [f64]) -> Result<NewObjects<'a>> {
        check_cross(cross, self.n())?;
        check_values(own, cross.rows(), "self-similarities of new objects")?;
        Ok(NewObjects::new(self, cross, own))
    }

    /// The new × training block C·A^(p-1) / ρ^(p-1). For several p, use [`objects`](Walk::objects), which shares work.
    pub fn cross(&self, cross: &Dense, p: u32) -> Result<Dense> {
        check_cross(cross, self.n())?;
        NewObjects::new(self, cross, &[]).cross(p)
    }

    /// The self-similarities diag(C·A^(p-2)·Cᵀ) / ρ^(p-1) of new objects; for p = 1 `own`, as given.
    pub fn self_similarities(&self, cross: &Dense, own: &[f64], p: u32) -> Result<Vec<f64>> {
        self.objects(cross, own)?.self_similarities(p)
    }

    /// The similarities C·A^(p-2)·C'ᵀ / ρ^(p-1) of two sets of new objects, p ≥ 2. For p = 1 they are those of the base
    /// kernel, which do not follow from the rows of similarities.
    pub fn between(&self, rows: &Dense, cols: &Dense, p: u32) -> Result<Dense> {
        self.passage(p, false)?.between(rows, cols)
    }

    /// The map from similarities to coordinates for p ≥ 2 steps; a model stores it.
    ///
    /// `definite`: the base kernel is positive semidefinite, so that negative eigenvalues are rounding.
    pub fn passage(&self, p: u32, definite: bool) -> Result<Passage> {
        Passage::of(self, p, definite)
    }

    /// The eigendecomposition of the training Gram matrix.
    pub fn spectrum(&self) -> &Spectrum {
        &self.spectrum
    }

    /// (λ/ρ)^steps for each eigenvalue; 0 if negligible.
    fn ratios(&self, steps: u32) -> impl Iterator<Item = f64> + '_ {
        let divisor = self.divisor();
        self.spectrum.values.iter().map(move |v| {
            let ratio = power(v / divisor, steps);
            if ratio.abs() > NEGLIGIBLE { ratio } else { 0.0 }
        })
    }

    /// ρ, or 1 if all similarities are 0; used as divisor.
    fn divisor(&self) -> f64 {
        if self.radius > 0.0 { self.radius } else { 1.0 }
    }

    /// The training objects whose norm after p ≥ 2 steps is pure rounding.
    fn vanished(&self, p: u32) -> Vec<usize> {
        let n = self.n();
        let (mut kept, mut whole) = (vec![0.0; n], vec![0.0; n]);
        for ((k, ratio), value) in self.ratios(p - 2).enumerate().zip(&self.spectrum.values) {
            let (value, ratio) = (value / self.divisor(), ratio.abs());
            let sums = kept.iter_mut().zip(&mut whole);
            for (u, (kept, whole)) in self.spectrum.vectors.row(k).iter().zip(sums) {
                let share = u * u * value * value;
                *whole += share;
                *kept += share * ratio;
            }
        }
        // A row of similarities below the rounding of the decomposition, such as that of an object at the origin, is
        // pure rounding too.
        (0..n).filter(|&i| is_noise(kept[i], whole[i], n) || is_noise(whole[i], 1.0, n)).collect()
    }
}

/// Whether a squared norm is pure rounding compared with that after one step.
fn is_noise(squared: f64, of_one_step: f64, n: usize) -> bool {
    let unit = 4.0 * n as f64 * f64::EPSILON;
    // Overflowed norms are not noise; squaring them reports the overflow.
    of_one_step.is_finite() && squared <= unit * unit * of_one_step
}

/// x^steps for whole numbers of steps; 0^0 = 1.
fn power(x: f64, steps: u32) -> f64 {
    x.powi(steps.min(i32::MAX as u32) as i32)
}

/// The number of steps, which must be at least 1.
fn check_power(p: u32) -> Result<u32> {
    if p == 0 { Err(Error::param("p", p, "a whole number of at least 1")) } else { Ok(p) }
}

/// The number of steps, which must be at least 2.
fn check_two(p: u32) -> Result<u32> {
    if p < 2 {
        return Err(Error::param("p", p, "at least 2: one step is the base kernel itself"));
    }
    Ok(p)
}
