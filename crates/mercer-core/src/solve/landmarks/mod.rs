//! Functions spanned by landmarks, fitted to all objects by preconditioned conjugate gradients.
//!
//! f(x) = Σ_j α_j·k(x_j, x) over m of the n objects. With K_mm + δI = LLᵀ and w = Lᵀα, |w|² is the squared norm of f (δ
//! is rounding), and the objects have the coordinates Z = K_nm·L⁻ᵀ. Least squares and every Newton step of a squared
//! loss solve (ZᵀWZ + λI)·w = r with a diagonal W. The landmarks are a sample of the objects, so ZᵀWZ is close to s·LᵀL
//! with s = Σ W / m, and the Cholesky factor of λI + s·LᵀL is the preconditioner. Nothing of size n × m need be stored:
//! blocks of K_nm are kept if memory allows, otherwise computed again in every pass; large ones are read in single
//! precision. Sums are in double precision, and results are checked against blocks in double precision.
//!
//! Time O(m³) once and O(n·m + m²) per iteration, some tens of them; memory 16·m² bytes.
//!
//! Reference: Rudi, Carratino & Rosasco 2017, FALKON: an optimal large scale kernel method.

mod margin;
mod passes;
mod squares;

pub use margin::{MarginSolution, Penalties};

use self::passes::{BLOCK, Blocks};
use super::Columns;
use crate::budget::{self, Budget};
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::Centering;
use crate::numeric::Cholesky;
use crate::numeric::math::dot;

/// The ridge δ on the landmarks' matrix, relative to its trace: for blocks in double precision.
const RIDGE: f64 = 1e-14;
/// The same relative to the mean self-similarity, for blocks in single precision: smaller directions would be rounding.
const SINGLE_RIDGE: f64 = 1e-6;
/// The largest δ tried, relative to the trace; a matrix that needs more is not positive semidefinite.
const MOST_RIDGE: f64 = 1e-8;
/// Similarities that take more bytes in double precision are read in single precision. Memory does not decide, so that
/// results do not depend on it.
const LARGE: u64 = 2 << 30;
/// The maximum number of iterations; with a good preconditioner a few tens suffice.
const ITERATIONS: usize = 500;

/// The landmarks of a problem: their factor, the preconditioner, and the similarities of all objects to them.
pub struct Landmarked<'a> {
    columns: &'a dyn Columns,
    blocks: Blocks<'a>,
    /// Whether α is restricted to sum 0, the functions of centred landmarks.
    centring: Option<Centering>,
    own: Cholesky,
    preconditioner: Cholesky,
}

impl<'a> Landmarked<'a> {
    /// Prepares problems with this λ above 0 and this total of W. `landmarks` are ascending indices of objects. With
    /// `centred`, landmarks are centred in feature space.
    ///
    /// Fails if memory does not suffice for two m × m matrices, or if the kernel is not positive semidefinite on the
    /// landmarks.
    pub fn new(
        columns: &'a dyn Columns,
        landmarks: &[usize],
        lambda: f64,
        total: f64,
        centred: bool,
        budget: &'a Budget,
    ) -> Result<Self> {
        let (n, m) = (columns.len(), landmarks.len());
        if !landmarks.is_sorted_by(|a, b| a < b) || landmarks.last().is_none_or(|&l| l >= n) {
            return Err(Error::usage("the landmarks must be ascending indices of objects"));
        }
        let needed = budget::matrix_bytes(m, m, 16).saturating_add(budget::matrix_bytes(BLOCK + 256, m, 8));
        budget::ask(&format!("two matrices of {m} × {m} landmarks"), needed)?;
        let order: Vec<u32> = landmarks.iter().map(|&l| l as u32).collect();
        let mut gram = Dense::zeros(m, m);
        columns.exact(&order, &order, gram.values_mut())?;
        let centring = if centred { Some(Centering::fit(&gram)?) } else { None };
        if let Some(centring) = &centring {
            centring.apply_train(&mut gram)?;
        }
        let trace: f64 = (0..m).map(|j| gram.at(j, j)).sum();
        // The rounding of n entries adds up to this much of λ along a direction of size δ.
        let mean = trace / m as f64;
        let rounding = n as f64 * f64::from(f32::EPSILON / 2.0).powi(2) * mean;
        let large = budget::matrix_bytes(n, m, 8) > LARGE;
        let single = large && rounding <= 0.01 * SINGLE_RIDGE * lambda && mean < 1e30;
        let least = RIDGE * trace;
        let ridge = if single { least.max(SINGLE_RIDGE * mean) } else { least };
        let own = factor(gram, ridge, trace, || {
            let mut gram = Dense::zeros(m, m);
            columns.exact(&order, &order, gram.values_mut())?;
            centring.as_ref().map_or(Ok(()), |c| c.apply_train(&mut gram))?;
            Ok(gram)
        })?;
        let system = own.reversed(lambda, total / m as f64)?;
        let singular =
            || numeric("the system of the landmarks is numerically singular: raise lambda or lower C");
        let preconditioner = Cholesky::new(system)?.ok_or_else(singular)?;
        let blocks = Blocks::new(columns, order.into(), single, budget)?;
        Ok(Landmarked { columns, blocks, centring, own, preconditioner })
    }

    /// The centring of the landmarks, if they are centred.
    pub fn centring(&self) -> Option<&Centering> {
        self.centring.as_ref()
    }

    /// The number of landmarks.
    fn size(&self) -> usize {
        self.blocks.width()
    }

    /// α for given w.
    fn spread(&self, w: &[f64]) -> Vec<f64> {
        let mut alpha = w.to_vec();
        self.own.backward(&mut alpha);
        self.centred(alpha)
    }

    /// Zᵀu for given K_nmᵀu.
    fn gather(&self, sums: Vec<f64>) -> Vec<f64> {
        let mut out = self.centred(sums);
        self.own.forward(&mut out);
        out
    }

    fn centred(&self, mut values: Vec<f64>) -> Vec<f64> {
        if self.centring.is_some() {
            let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
            values.iter_mut().for_each(|v| *v -= mean);
        }
        values
    }

    fn conditioned(&self, residual: &[f64]) -> Vec<f64> {
        let mut out = residual.to_vec();
        self.preconditioner.forward(&mut out);
        self.preconditioner.backward(&mut out);
        out
    }

    /// (ZᵀWZ + λI)·w and the image Z·w. With an intercept, W projects out the weighted mean.
    fn apply(&self, system: &System<'_>, w: &[f64], exact: bool) -> Result<(Vec<f64>, Vec<f64>)> {
        let (image, mut sums) = self.blocks.pass(Some(&self.spread(w)), &[system.weights], exact)?;
        let mut back = sums.pop().unwrap_or_default();
        if let Some((total, constant)) = &system.constant {
            let mean = dot(system.weights, &image) / total;
            back.iter_mut().zip(constant).for_each(|(b, c)| *b -= mean * c);
        }
        let mut out = self.gather(back);
        out.iter_mut().zip(w).for_each(|(o, v)| *o += system.lambda * v);
        Ok((out, image))
    }

    /// Solves (ZᵀWZ + λI)·w = r until the residual is below `tolerance` times r; returns w, Z·w and the iterations.
    fn solve(
        &self,
        system: &System<'_>,
        right: &[f64],
        tolerance: f64,
    ) -> Result<(Vec<f64>, Vec<f64>, usize)> {
        let mut residual = right.to_vec();
        let first = dot(right, right).sqrt();
        let (mut w, mut image) = (vec![0.0; right.len()], vec![0.0; system.weights.len()]);
        let mut z = self.conditioned(&residual);
        let mut direction = z.clone();
        let mut product = dot(&residual, &z);
        let mut steps = 0;
        while steps < ITERATIONS && dot(&residual, &residual).sqrt() > tolerance * first {
            let (moved, seen) = self.apply(system, &direction, false)?;
            let curvature = dot(&direction, &moved);
            let step = product / curvature;
            if !(curvature > 0.0 && step.is_finite()) {
                break;
            }
            w.iter_mut().zip(&direction).for_each(|(w, d)| *w += step * d);
            image.iter_mut().zip(&seen).for_each(|(f, s)| *f += step * s);
            residual.iter_mut().zip(&moved).for_each(|(r, v)| *r -= step * v);
            z = self.conditioned(&residual);
            let next = dot(&residual, &z);
            let turn = next / product;
            direction.iter_mut().zip(&z).for_each(|(d, z)| *d = z + turn * *d);
            product = next;
            steps += 1;
        }
        Ok((w, image, steps))
    }
}

/// A system ZᵀWZ + λI.
struct System<'s> {
    lambda: f64,
    /// The diagonal of W.
    weights: &'s [f64],
    /// With an intercept: Σ W and K_nmᵀ·W·1.
    constant: Option<(f64, Vec<f64>)>,
}

/// The factor of K_mm + δI, with a larger δ where rounding demands it; `again` computes the matrix again.
fn factor(
    mut gram: Dense,
    mut ridge: f64,
    trace: f64,
    again: impl Fn() -> Result<Dense>,
) -> Result<Cholesky> {
    let m = gram.rows();
    if trace <= 0.0 {
        ridge = 1.0;
    }
    loop {
        (0..m).for_each(|j| gram.row_mut(j)[j] += ridge);
        if let Some(factor) = Cholesky::new(gram)? {
            return Ok(factor);
        }
        ridge *= 100.0;
        // A trace that overflows, or is not a number, ends here too.
        let is_small = ridge > 0.0 && ridge <= MOST_RIDGE * trace.max(f64::MIN_POSITIVE);
        if !is_small || ridge == f64::INFINITY {
            return Err(numeric(
                "the kernel is not positive semidefinite on the landmarks: repair it, or use a learner without landmarks",
            ));
        }
        gram = again()?;
    }
}

fn numeric(reason: &str) -> Error {
    Error::Numeric { reason: reason.to_owned() }
}
