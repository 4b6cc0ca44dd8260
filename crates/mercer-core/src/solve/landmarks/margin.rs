//! Support vector machines with squared errors on landmarks, by Newton's method.
//!
//! F(w) = min_b ½|w|² + Σ_i C_i·max(0, 1 - y_i·(f(x_i) + b))² is convex and piecewise quadratic. A Newton step solves the
//! least squares problem of the objects inside the margin, by conjugate gradients from the current point. F is strongly
//! convex with modulus 1 in w, so its minimum is at least F(w) - ½|∇F(w)|²: this bound is the dual objective.
//!
//! Reference: Keerthi & DeCoste 2005, A modified finite Newton method for fast solution of large scale linear SVMs.

use std::time::Instant;

use super::{Landmarked, System};
use crate::error::{Error, Result};
use crate::numeric::math::dot;
use crate::solve::{Limits, Proof, Stop};

/// The relative residual of a Newton step.
const INEXACT: f64 = 0.1;
/// The maximum number of Newton steps.
const STEPS: usize = 100;
/// Checks in double precision before the precision counts as exhausted.
const ATTEMPTS: usize = 5;
/// Halvings of a step before it counts as impossible.
const HALVINGS: usize = 30;
/// The share of the predicted decrease that a step must reach.
const ARMIJO: f64 = 1e-4;

/// The classes and the cost of errors of a problem.
#[derive(Clone, Copy, Debug)]
pub struct Penalties<'a> {
    /// +1 or -1 for each object.
    pub signs: &'a [f64],
    /// C_i of each object, finite and at least 0.
    pub costs: &'a [f64],
}

/// A solution, with objectives recomputed from entries in double precision.
#[derive(Clone, Debug)]
pub struct MarginSolution {
    /// The coefficient of each landmark.
    pub alpha: Vec<f64>,
    /// b, which is added to the sum of similarities.
    pub intercept: f64,
    /// The primal objective.
    pub primal: f64,
    /// A lower bound of the minimum.
    pub dual: f64,
    /// Their difference, ½ times the squared norm of the gradient.
    pub gap: f64,
    /// The gap relative to the primal objective.
    pub violation: f64,
    /// Why the solver stopped.
    pub stop: Stop,
    /// The number of conjugate gradient iterations.
    pub iterations: u64,
    /// 1 - y·(f + b) of each object: above 0 inside the margin.
    pub slack: Vec<f64>,
}

/// The objective at a point.
struct Point {
    w: Vec<f64>,
    /// f(x_i), without the intercept.
    values: Vec<f64>,
    intercept: f64,
    primal: f64,
}

impl Point {
    /// The objective at w, where f has these values, with the best intercept.
    fn new(w: Vec<f64>, values: Vec<f64>, of: Penalties<'_>) -> Self {
        let intercept = best_intercept(&values, of);
        let primal = 0.5 * dot(&w, &w) + charged(&values, intercept, of);
        Point { w, values, intercept, primal }
    }
}

/// The derivatives at a point.
struct Slope {
    /// ∇F.
    gradient: Vec<f64>,
    /// The diagonal of W: 2·C_i inside the margin, 0 elsewhere.
    weights: Vec<f64>,
    /// Σ W and K_nmᵀ·W·1, unless there is nothing inside the margin.
    constant: Option<(f64, Vec<f64>)>,
}

impl Landmarked<'_> {
    /// Minimises ½|f|² + Σ_i C_i·max(0, 1 - y_i·(f(x_i) + b))² over the functions of the landmarks and b.
    ///
    /// [`Landmarked::new`] must have been called with λ = 1 and the total 2·Σ C_i, without centring. Converged means a
    /// gap of at most the tolerance times the objective, from entries in double precision. Reaching a limit is not an
    /// error.
    pub fn margin(&self, of: Penalties<'_>, limits: &Limits) -> Result<MarginSolution> {
        let started = Instant::now();
        let n = self.columns.len();
        let mut at = Point::new(vec![0.0; self.size()], vec![0.0; n], of);
        let (mut iterations, mut steps, mut attempts) = (0u64, 0, 0);
        let mut wanted = limits.tolerance;
        let stop = loop {
            if let Some(stop) = limits.met(iterations, started)? {
                break stop;
            }
            if steps == STEPS {
                break Stop::Iterations;
            }
            // After a failed check, gradients are computed in double precision.
            let Slope { gradient, weights, constant } = self.slope(&at, of, attempts > 0)?;
            let gap = 0.5 * dot(&gradient, &gradient);
            if gap <= wanted * at.primal {
                let (solution, values) = self.certified(&at, of, limits, iterations)?;
                attempts += 1;
                if matches!(solution.stop, Stop::Converged(_)) || attempts == ATTEMPTS {
                    return Ok(solution);
                }
                at = Point::new(at.w, values, of);
                wanted *= 0.1;
                continue;
            }
            let system = System { lambda: 1.0, weights: &weights, constant };
            let right: Vec<f64> = gradient.iter().map(|g| -g).collect();
            let (step, seen, spent) = self.solve(&system, &right, INEXACT)?;
            iterations += spent as u64;
            steps += 1;
            match Self::search(&at, &step, &seen, dot(&gradient, &step), of) {
                Some(next) => at = next,
                None => break Stop::Stalled,
            }
        };
        let (mut solution, _) = self.certified(&at, of, limits, iterations)?;
        if !matches!(solution.stop, Stop::Converged(_)) || stop == Stop::Interrupted {
            solution.stop = stop;
        }
        Ok(solution)
    }

    /// The derivatives at a point.
    fn slope(&self, at: &Point, of: Penalties<'_>, exact: bool) -> Result<Slope> {
        let (mut pull, mut weights) =
            (Vec::with_capacity(at.values.len()), Vec::with_capacity(at.values.len()));
        for ((value, sign), cost) in at.values.iter().zip(of.signs).zip(of.costs) {
            let error = sign - value - at.intercept;
            let weight = if sign * error > 0.0 { 2.0 * cost } else { 0.0 };
            weights.push(weight);
            pull.push(weight * error);
        }
        let (_, mut sums) = self.blocks.pass(None, &[&pull, &weights], exact)?;
        let total: f64 = weights.iter().sum();
        let constant = sums.pop().filter(|_| total > 0.0).map(|sums| (total, sums));
        let mut gradient = self.gather(sums.pop().unwrap_or_default());
        gradient.iter_mut().zip(&at.w).for_each(|(g, w)| *g = w - *g);
        Ok(Slope { gradient, weights, constant })
    }

    /// The point along a step that decreases the objective enough; `None` if rounding prevents progress.
    fn search(at: &Point, step: &[f64], seen: &[f64], slope: f64, of: Penalties<'_>) -> Option<Point> {
        let mut length = 1.0;
        for _ in 0..HALVINGS {
            let moved = |from: &[f64], by: &[f64]| from.iter().zip(by).map(|(a, b)| a + length * b).collect();
            let next = Point::new(moved(&at.w, step), moved(&at.values, seen), of);
            if next.primal <= at.primal + ARMIJO * length * slope && next.primal < at.primal {
                return Some(next);
            }
            length *= 0.5;
        }
        None
    }

    /// The solution with objectives from entries in double precision, and f(x_i) from these.
    fn certified(
        &self,
        at: &Point,
        of: Penalties<'_>,
        limits: &Limits,
        iterations: u64,
    ) -> Result<(MarginSolution, Vec<f64>)> {
        let alpha = self.spread(&at.w);
        let (values, _) = self.blocks.pass(Some(&alpha), &[], true)?;
        let point = Point::new(at.w.clone(), values, of);
        let Slope { gradient, .. } = self.slope(&point, of, true)?;
        let gap = 0.5 * dot(&gradient, &gradient);
        let Point { values, intercept, primal, .. } = point;
        if !(primal.is_finite() && gap.is_finite()) || alpha.iter().any(|a| !a.is_finite()) {
            let reason = "the objective on landmarks overflows: scale the kernel or lower C";
            return Err(Error::Numeric { reason: reason.into() });
        }
        let violation = if primal > 0.0 { gap / primal } else { 0.0 };
        let proof = Proof::new(primal, primal - gap, gap, violation, limits.tolerance);
        let slack = values.iter().zip(of.signs).map(|(v, y)| 1.0 - y * (v + intercept)).collect();
        let solution = MarginSolution {
            alpha,
            intercept,
            primal,
            dual: primal - gap,
            gap,
            violation,
            stop: proof.map_or(Stop::Stalled, Stop::Converged),
            iterations,
            slack,
        };
        Ok((solution, values))
    }
}

/// Σ_i C_i·max(0, 1 - y_i·(f_i + b))².
fn charged(values: &[f64], intercept: f64, of: Penalties<'_>) -> f64 {
    let error = |((value, sign), cost): ((&f64, &f64), &f64)| {
        let slack = (1.0 - sign * (value + intercept)).max(0.0);
        cost * slack * slack
    };
    values.iter().zip(of.signs).zip(of.costs).map(error).sum()
}

/// The b that minimises the cost of errors: Newton's method within a bracket, exact up to rounding.
fn best_intercept(values: &[f64], of: Penalties<'_>) -> f64 {
    // The slope of the cost, divided by -2, and the sum of costs inside the margin.
    let slope = |b: f64| {
        let mut sums = (0.0, 0.0);
        for ((value, sign), cost) in values.iter().zip(of.signs).zip(of.costs) {
            let error = sign - value - b;
            if sign * error > 0.0 {
                sums = (sums.0 + cost * error, sums.1 + cost);
            }
        }
        sums
    };
    let most = values.iter().fold(0.0f64, |m, v| m.max(v.abs())) + 1.0;
    let (mut low, mut high, mut b) = (-most, most, 0.0);
    for _ in 0..200 {
        let (pull, curvature) = slope(b);
        if pull == 0.0 {
            break;
        }
        if pull > 0.0 {
            low = b
        } else {
            high = b
        }
        let newton = b + pull / curvature;
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        if next == b || high - low <= f64::EPSILON * most {
            break;
        }
        b = next;
    }
    b
}
