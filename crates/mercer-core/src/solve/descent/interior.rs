//! An interior-point method for the hinge loss in few features.
//!
//! The dual  minimise ½|Σ_k a_k·z_k|² - Σ_k a_k  with  0 < a_k < C_k,  z_k = t_k·x_k,  is solved with multipliers s and v
//! of the bounds by Mehrotra's predictor and corrector. Every step needs (Z·Zᵀ + D)⁻¹ for a diagonal D, which by the
//! formula of Woodbury is a Cholesky factor with as many rows as there are features. About twenty steps give what the
//! descent alone needs thousands of epochs for, because it is slow where many objects are near the margin; the descent
//! then moves what is left at rounding of the bounds, and proves the result.
//!
//! An iteration reads the objects three times. Sums over fixed chunks of objects are added in order, so that the bits
//! do not depend on threads.
//!
//! References: Mehrotra 1992; Ferris & Munson 2002, Interior-point methods for massive support vector machines.

use super::rows::Rows;
use super::{Descent, Loss, Task};
use crate::budget;
use crate::data::Dense;
use crate::error::Result;
use crate::numeric::Cholesky;
use crate::parallel;

/// The maximum number of features, because of the Cholesky factor in every step.
const MOST_FEATURES: usize = 1024;
/// The maximum number of stored values of an object on average: a step costs its square.
const MOST_STORED: usize = 64;
/// Fewer objects are solved by the descent in no time.
const FEWEST: usize = 2000;
/// Fewer epochs are left to the descent, which has a useful solution after the first.
const FEWEST_EPOCHS: u64 = 100;
/// The least mean of C·|x|²: below it, the descent alone converges in a few epochs.
const HARD: f64 = 1.0;
/// The maximum number of steps.
const STEPS: usize = 60;
/// Number of chunks of objects that are summed separately, for any number of threads.
const CHUNKS: usize = 16;
/// The relative duality gap at the end, as a share of the tolerance of the descent.
const SHARE: f64 = 0.01;
/// Share of the way to the nearest bound.
const WAY: f64 = 0.995;

/// One object on the central path.
#[derive(Clone, Copy, Default)]
struct Inside {
    a: f64,
    /// C_k, 0 for an object that is ignored.
    cost: f64,
    /// The multipliers of a ≥ 0 and a ≤ C.
    s: f64,
    v: f64,
    /// The slope z·w - 1.
    slope: f64,
    /// 1 / D.
    inverse: f64,
    /// The right side of the step.
    right: f64,
    /// The change of a, s and v.
    by: [f64; 3],
}

/// What one reading of the objects adds up to.
struct Sums {
    numbers: [f64; 4],
    /// Two sums of rows.
    pulls: [Vec<f64>; 2],
    square: Vec<f64>,
}

impl<R: Rows> Descent<'_, R> {
    /// Sets the variables near those of the minimum, if the method suits the problem and memory allows; whether it did.
    pub(super) fn interior(&mut self) -> Result<bool> {
        let (n, width) = (self.variables.len(), self.weights.len());
        let stored: usize = (0..n).map(|k| self.rows.stored(k)).sum();
        let hardness: f64 = self.variables.iter().map(|own| (own.upper - own.lower) * own.curvature).sum();
        let suits = self.problem.loss == Loss::Absolute
            && self.problem.task == Task::Sides
            && n >= FEWEST
            && self.problem.epochs.min(self.limits.iterations) >= FEWEST_EPOCHS
            && hardness >= HARD * n as f64
            && width <= MOST_FEATURES
            && n >= 8 * width
            && stored / n <= MOST_STORED;
        let bytes = budget::matrix_bytes(width, width, 8)
            .saturating_mul(CHUNKS as u64 + 2)
            .saturating_add(budget::matrix_bytes(n, size_of::<Inside>() / 8, 8));
        if !suits || budget::room().is_some_and(|room| bytes > room) {
            return Ok(false);
        }
        let start = |own: &super::Variable| {
            let cost = own.upper.max(-own.lower);
            Inside { a: 0.5 * cost, cost, s: 1.0, v: 1.0, ..Inside::default() }
        };
        let mut inside: Vec<Inside> = self.variables.iter().map(start).collect();
        let bounds = 2.0 * inside.iter().filter(|own| own.cost > 0.0).count() as f64;
        let begin = |k: usize, own: &mut Inside, sums: &mut Sums| self.add_row(k, own.a, &mut sums.pulls[0]);
        let [mut w, _] = self.over_all(&mut inside, false, begin)?.pulls;
        let mut length = 0.0;
        for step in 0..STEPS {
            // Moves along the last step, and prepares the next.
            let predict = |k: usize, own: &mut Inside, sums: &mut Sums| {
                own.a += length * own.by[0];
                own.s += length * own.by[1];
                own.v += length * own.by[2];
                own.slope = self.row_product(k, &w) - 1.0;
                let rest = own.cost - own.a;
                own.inverse = 1.0 / (own.s / own.a + own.v / rest);
                own.right = -own.slope;
                sums.numbers[0] += own.a * own.s + rest * own.v;
                sums.numbers[1] += own.a;
                sums.numbers[2] += own.cost * (-own.slope).max(0.0);
                self.add_row(k, own.inverse * own.right, &mut sums.pulls[0]);
                self.rows.add_square(k, own.inverse, self.problem.bias, width, &mut sums.square);
            };
            let mut sums = self.over_all(&mut inside, true, predict)?;
            let [products, total, charged, _] = sums.numbers;
            let half = 0.5 * w.iter().map(|w| w * w).sum::<f64>();
            let (primal, dual) = (half + charged, total - half);
            let done = primal - dual <= SHARE * self.limits.tolerance * primal;
            self.visits += n as u64;
            if done || step + 1 == STEPS || self.limit()?.is_some() {
                break;
            }
            let mean = products / bounds;
            let mut matrix = Dense::new(width, width, std::mem::take(&mut sums.square))?;
            (0..width).for_each(|f| matrix.row_mut(f)[f] += 1.0);
            let Some(factor) = Cholesky::new(matrix)? else { break };
            let solved = |mut right: Vec<f64>| {
                factor.forward(&mut right);
                factor.backward(&mut right);
                right
            };
            let towards = solved(std::mem::take(&mut sums.pulls[0]));
            // The step to complementarity; what it would leave, and the sums for the correction.
            let correct = |k: usize, own: &mut Inside, sums: &mut Sums| {
                let rest = own.cost - own.a;
                let by = own.inverse * (own.right - self.row_product(k, &towards));
                let (s, v) = (-own.s - own.s * by / own.a, -own.v + own.v * by / rest);
                own.by = [by, s, v];
                sums.numbers[0] = sums.numbers[0].max(own.steepest());
                sums.numbers[1] += own.a * s + own.s * by + rest * v - own.v * by;
                sums.numbers[2] += by * s - by * v;
                own.right -= by * s / own.a + by * v / rest;
                self.add_row(k, own.inverse * own.right, &mut sums.pulls[0]);
                self.add_row(k, own.inverse * (1.0 / own.a - 1.0 / rest), &mut sums.pulls[1]);
            };
            let mut sums = self.over_all(&mut inside, false, correct)?;
            let reach = 1.0 / sums.numbers[0].max(1.0);
            let left = (products + reach * (sums.numbers[1] + reach * sums.numbers[2])) / bounds;
            let centre = (left / mean).clamp(0.0, 1.0).powi(3) * mean;
            let [mut right, more] = std::mem::take(&mut sums.pulls);
            right.iter_mut().zip(more).for_each(|(r, m)| *r += centre * m);
            let towards = solved(right);
            let move_on = |k: usize, own: &mut Inside, sums: &mut Sums| {
                let rest = own.cost - own.a;
                let [first, s, v] = own.by;
                let (low, high) = (centre - first * s, centre + first * v);
                let right = own.right + centre * (1.0 / own.a - 1.0 / rest);
                let by = own.inverse * (right - self.row_product(k, &towards));
                own.by = [by, (low - own.s * by) / own.a - own.s, (high + own.v * by) / rest - own.v];
                sums.numbers[0] = sums.numbers[0].max(own.steepest());
                self.add_row(k, by, &mut sums.pulls[0]);
            };
            let sums = self.over_all(&mut inside, false, move_on)?;
            length = (WAY / sums.numbers[0]).min(1.0);
            if length.is_nan() || length <= 1e-10 {
                break;
            }
            w.iter_mut().zip(&sums.pulls[0]).for_each(|(w, by)| *w += length * by);
        }
        if inside.iter().any(|own| !own.settled().is_finite()) {
            return Ok(false);
        }
        for (variable, own) in self.variables.iter_mut().zip(&inside) {
            variable.beta = variable.target * own.settled();
        }
        Ok(true)
    }

    /// z_k·w with the constant feature.
    fn row_product(&self, k: usize, w: &[f64]) -> f64 {
        let constant = w.last().map_or(0.0, |w| w * self.problem.bias);
        self.variables[k].target * (self.rows.dot(k, w) + constant)
    }

    fn add_row(&self, k: usize, factor: f64, to: &mut [f64]) {
        let factor = factor * self.variables[k].target;
        self.rows.add(k, factor, to);
        if let Some(last) = to.last_mut() {
            *last += factor * self.problem.bias;
        }
    }

    /// Calls `each` with every object that is not ignored, chunks of them in parallel, and adds up the sums. The first
    /// number is a maximum unless `squares` are summed too.
    fn over_all(
        &self,
        inside: &mut [Inside],
        squares: bool,
        each: impl Fn(usize, &mut Inside, &mut Sums) + Sync,
    ) -> Result<Sums> {
        let width = self.weights.len();
        let side = inside.len().div_ceil(CHUNKS).max(1);
        let empty = || Sums {
            numbers: [0.0; 4],
            pulls: [vec![0.0; width], vec![0.0; width]],
            square: if squares { vec![0.0; width * width] } else { Vec::new() },
        };
        let chunk = |at: usize, chunk: &mut [Inside]| -> Result<Sums> {
            let mut sums = empty();
            for (k, own) in (at * side..).zip(chunk) {
                budget::check_after(1 + self.rows.stored(k))?;
                if own.cost > 0.0 {
                    each(k, own, &mut sums);
                }
            }
            Ok(sums)
        };
        let mut all = empty();
        for part in parallel::chunks_mut(inside, side, chunk)? {
            for (at, (sum, number)) in all.numbers.iter_mut().zip(part.numbers).enumerate() {
                *sum = if at == 0 && !squares { sum.max(number) } else { *sum + number };
            }
            for (pull, part) in all.pulls.iter_mut().zip(part.pulls) {
                pull.iter_mut().zip(part).for_each(|(a, p)| *a += p);
            }
            all.square.iter_mut().zip(part.square).for_each(|(a, p)| *a += p);
        }
        Ok(all)
    }
}

impl Inside {
    /// The inverse of the longest step along `by` within the bounds.
    fn steepest(&self) -> f64 {
        let [by, s, v] = self.by;
        (-by / self.a).max(by / (self.cost - self.a)).max(-s / self.s).max(-v / self.v)
    }

    /// The variable, at a bound if its distance from it is smaller than the multiplier of the bound.
    fn settled(&self) -> f64 {
        if self.a < self.s * self.cost {
            0.0
        } else if self.cost - self.a < self.v * self.cost {
            self.cost
        } else {
            self.a
        }
    }
}
