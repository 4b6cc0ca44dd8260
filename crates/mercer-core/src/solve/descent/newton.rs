//! Newton's method for the squared loss in few features.
//!
//! The primal objective ½|w|² + Σ_k C_k·ξ_k² is piecewise quadratic: a step solves a least squares problem of the objects
//! with an error, whose matrix has as many rows as there are features. About ten steps find the minimum to rounding,
//! where the descent needs hundreds of epochs. The dual variables then are β_k = ±2·C_k·ξ_k, and the descent only has to
//! prove it.
//!
//! Reference: Mangasarian 2002, A finite Newton method for classification; Keerthi & DeCoste 2005.

use super::rows::Rows;
use super::{Descent, Loss};
use crate::budget;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::Cholesky;
use crate::parallel;

/// The maximum number of features, because of the Cholesky factor in every step.
const MOST_FEATURES: usize = 1024;
/// The maximum number of stored values of an object on average: a step costs its square.
const MOST_STORED: usize = 256;
/// Fewer objects are solved by the descent in no time.
const FEWEST: usize = 1000;
/// The maximum number of steps.
const STEPS: usize = 50;
/// Halvings of a step before it counts as impossible.
const HALVINGS: usize = 20;
/// Number of chunks of objects that are summed separately, for any number of threads.
const CHUNKS: usize = 16;
/// The largest gradient at the end, relative to the first.
const TOLERANCE: f64 = 1e-10;

/// The sums over a chunk of objects: the charged errors, the gradient and the second derivatives.
struct Sums {
    charged: f64,
    pull: Vec<f64>,
    square: Vec<f64>,
}

impl<R: Rows> Descent<'_, R> {
    /// Sets the variables to those of the primal minimum, if Newton's method suits the problem and memory allows;
    /// whether it did.
    pub(super) fn approach(&mut self) -> Result<bool> {
        let (n, width) = (self.variables.len(), self.weights.len());
        let stored: usize = (0..n).map(|k| self.rows.stored(k)).sum();
        let suits = self.problem.loss == Loss::Squared
            && n >= FEWEST
            && width <= MOST_FEATURES
            && n >= width
            && stored / n <= MOST_STORED;
        let bytes = budget::matrix_bytes(width, width, 8).saturating_mul(CHUNKS as u64 + 2);
        if !suits || budget::room().is_some_and(|room| bytes > room) {
            return Ok(false);
        }
        let mut w = vec![0.0; width];
        let mut sums = self.sums(&w)?;
        let mut objective = sums.charged;
        let size = |g: &[f64]| g.iter().map(|v| v * v).sum::<f64>().sqrt();
        let first = size(&sums.pull);
        for _ in 0..STEPS {
            let gradient: Vec<f64> = w.iter().zip(&sums.pull).map(|(w, p)| w - p).collect();
            if size(&gradient) <= TOLERANCE * first || self.limits.met(0, self.started)?.is_some() {
                break;
            }
            let mut matrix = Dense::new(width, width, std::mem::take(&mut sums.square))?;
            (0..width).for_each(|f| matrix.row_mut(f)[f] += 1.0);
            let Some(factor) = Cholesky::new(matrix)? else { break };
            let mut step: Vec<f64> = gradient.iter().map(|g| -g).collect();
            factor.forward(&mut step);
            factor.backward(&mut step);
            let slope: f64 = gradient.iter().zip(&step).map(|(g, s)| g * s).sum();
            let mut length = 1.0;
            let next = (0..HALVINGS).find_map(|_| {
                let to: Vec<f64> = w.iter().zip(&step).map(|(w, s)| w + length * s).collect();
                let found = self.sums(&to).map(|sums| {
                    let value = 0.5 * to.iter().map(|w| w * w).sum::<f64>() + sums.charged;
                    (value < objective && value <= objective + 1e-4 * length * slope)
                        .then_some((to, sums, value))
                });
                length *= 0.5;
                found.transpose()
            });
            match next.transpose()? {
                Some((to, more, value)) => (w, sums, objective) = (to, more, value),
                None => break,
            }
        }
        for k in 0..n {
            let error = self.residual(k, &w);
            self.variables[k].beta = 2.0 * self.problem.costs[k] * error;
        }
        self.visits += n as u64;
        Ok(true)
    }

    /// The error of object k with its sign, 0 for objects without cost.
    fn residual(&self, k: usize, w: &[f64]) -> f64 {
        let own = &self.variables[k];
        if own.curvature == 0.0 && own.damping == 0.0 {
            return 0.0;
        }
        let constant = w.last().map_or(0.0, |w| w * self.problem.bias);
        let product = self.rows.dot(k, w) + constant;
        (own.target - product).signum() * self.problem.task.error(own.target, product)
    }

    /// The sums at w over all objects, chunks of them in parallel.
    fn sums(&self, w: &[f64]) -> Result<Sums> {
        let (n, width, bias) = (self.variables.len(), w.len(), self.problem.bias);
        let chunk = |at: usize| -> Result<Sums> {
            let mut sums = Sums { charged: 0.0, pull: vec![0.0; width], square: vec![0.0; width * width] };
            for k in at * n / CHUNKS..(at + 1) * n / CHUNKS {
                budget::check_after(1 + self.rows.stored(k))?;
                let error = self.residual(k, w);
                if error == 0.0 {
                    continue;
                }
                let cost = self.problem.costs[k];
                sums.charged += cost * error * error;
                self.rows.add(k, 2.0 * cost * error, &mut sums.pull);
                sums.pull[width - 1] += 2.0 * cost * error * bias;
                self.rows.add_square(k, 2.0 * cost, bias, width, &mut sums.square);
            }
            Ok(sums)
        };
        let parts = parallel::map(CHUNKS, chunk);
        let mut parts = parts.into_iter();
        let none = || Error::usage("no objects");
        let mut all = parts.next().ok_or_else(none)??;
        for part in parts {
            let part = part?;
            all.charged += part.charged;
            all.pull.iter_mut().zip(part.pull).for_each(|(a, p)| *a += p);
            all.square.iter_mut().zip(part.square).for_each(|(a, p)| *a += p);
        }
        Ok(all)
    }
}
