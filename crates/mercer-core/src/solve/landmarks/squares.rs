//! Least squares on landmarks.

use super::{ITERATIONS, Landmarked, System, numeric};
use crate::error::Result;
use crate::numeric::math::dot;

/// The relative residual of a solution, recomputed from entries in double precision.
const TOLERANCE: f64 = 1e-7;
/// The relative residual up to which entries in single precision are used before it is recomputed.
const COARSE: f64 = 1e-4;
/// The maximum number of refinements.
const ROUNDS: usize = 8;

impl Landmarked<'_> {
    /// α that minimises Σ_i (y_i - f(x_i) - b)² + λ·|f|², and K_nm·α. The constant b is free with `intercept`, otherwise
    /// 0.
    ///
    /// The residual of the normal equations is recomputed in double precision, and the solution refined until it is
    /// below 1e-7 of the right side. Fails if that is not reached.
    pub fn squares(&self, y: &[f64], lambda: f64, intercept: bool) -> Result<(Vec<f64>, Vec<f64>)> {
        let ones = vec![1.0; y.len()];
        let mean = if intercept { y.iter().sum::<f64>() / y.len() as f64 } else { 0.0 };
        let targets: Vec<f64> = y.iter().map(|y| y - mean).collect();
        let (_, mut sums) = self.blocks.pass(None, &[&targets, &ones], true)?;
        let constant = sums.pop().filter(|_| intercept).map(|sums| (y.len() as f64, sums));
        let wanted = self.gather(sums.pop().unwrap_or_default());
        let system = System { lambda, weights: &ones, constant };
        let first = dot(&wanted, &wanted).sqrt();
        let (mut w, mut image) = (vec![0.0; self.size()], vec![0.0; y.len()]);
        let mut residual = wanted.clone();
        let mut left = first;
        for _ in 0..ROUNDS {
            if left <= TOLERANCE * first {
                return Ok((self.spread(&w), image));
            }
            let finest = if self.blocks.is_single() { COARSE } else { 0.0 };
            let (more, _, _) =
                self.solve(&system, &residual, (0.5 * TOLERANCE * first / left).max(finest))?;
            w.iter_mut().zip(&more).for_each(|(w, m)| *w += m);
            let (reached, seen) = self.apply(&system, &w, true)?;
            image = seen;
            residual.iter_mut().zip(&wanted).zip(&reached).for_each(|((r, w), v)| *r = w - v);
            left = dot(&residual, &residual).sqrt();
            if !left.is_finite() {
                break;
            }
        }
        if left <= TOLERANCE * first {
            return Ok((self.spread(&w), image));
        }
        Err(numeric(&format!(
            "least squares on landmarks did not converge in {ITERATIONS} iterations: raise lambda"
        )))
    }
}
