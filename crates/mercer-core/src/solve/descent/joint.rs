//! The multi-class problem of Crammer and Singer: one linear function per class, all fitted together.
//!
//! The primal problem is  minimise ½Σ_m |w_m|² + Σ_k C_k·ξ_k,  where ξ_k = max_m (w_m·x_k + [m ≠ y_k]) - w_{y_k}·x_k is how far
//! the best other class comes within a margin of 1 of the own one. Its dual, with w_m = Σ_k α_k^m·x_k, is
//!
//! minimise ½Σ_m |w_m|² + Σ_k Σ_{m ≠ y_k} α_k^m  with  Σ_m α_k^m = 0, α_k^m ≤ C_k for the own class and ≤ 0 for others.
//!
//! The variables of one object are moved together to their exact minimum, by sorting as many numbers as there are classes
//! (Keerthi et al., section 3). The order of visits, shrinking and the proof are those of the binary descent.
//!
//! References: Crammer & Singer 2001, Journal of Machine Learning Research 2, 265–292; Keerthi,
//! Sundararajan, Chang, Hsieh & Lin 2008, A sequential dual method for large scale multi-class linear SVMs.

#[cfg(test)]
mod tests;

use std::time::Instant;

use super::rows::{OneValued, Rows};
use super::{Duality, READ};
use crate::budget;
use crate::data::{FeatureRows, Vectors};
use crate::error::{Error, Result};
use crate::random::Random;
use crate::solve::{Limits, Proof, Stop};

/// Objects visited between two checks of the limits.
const ROUND: u64 = 1024;

/// A multi-class problem: feature rows, classes and error costs.
#[derive(Clone, Debug)]
pub struct Joint<'a> {
    /// The features, one row per object.
    pub vectors: FeatureRows<'a>,
    /// The value of a constant feature added to every row; 0 adds none.
    pub bias: f64,
    /// The class of each object, below `classes`.
    pub codes: &'a [usize],
    /// The number of classes, at least 2.
    pub classes: usize,
    /// C_k of each object, finite and at least 0; an object of cost 0 is ignored.
    pub costs: &'a [f64],
    /// The maximum number of epochs: visits to objects, divided by their number.
    pub epochs: u64,
    /// The seed of the random orders.
    pub seed: u64,
}

/// The linear functions of all classes.
#[derive(Clone, Debug, PartialEq)]
pub struct JointResult {
    /// For each class, one weight per feature.
    pub weights: Vec<Vec<f64>>,
    /// For each class, the weight of the constant feature times its value. 0 without a constant feature.
    pub intercepts: Vec<f64>,
    /// The optimality certificate of the whole solution. Its `violation` is relative to that for w = 0, which is 1.
    pub duality: Duality,
}

/// Fits a linear function for each class by the problem of Crammer and Singer; the class of the largest is predicted.
///
/// An epoch costs two passes over the stored values for each class, and memory for a number per object and class and a weight
/// per feature and class. Limits, shrinking and failures are as in [`descend`](super::descend).
///
/// ```
/// use mercer_core::data::{Dense, Vectors};
/// use mercer_core::solve::{Joint, Limits, descend_jointly};
/// let vectors = Vectors::from(Dense::from_rows(&[[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]));
/// let problem = Joint {
///     vectors: (&vectors).into(),
///     bias: 0.0,
///     codes: &[0, 1, 2],
///     classes: 3,
///     costs: &[10.0; 3],
///     epochs: 1000,
///     seed: 0,
/// };
/// let fitted = descend_jointly(&problem, &Limits::default())?;
/// assert!(fitted.duality.is_converged());
/// // No function exceeds the one of the own class by more than the margin of 1 allows.
/// let value = |m: usize, x: [f64; 2]| fitted.weights[m][0] * x[0] + fitted.weights[m][1] * x[1];
/// assert!(value(0, [1.0, 0.0]) - value(1, [1.0, 0.0]) > 0.99);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn descend_jointly(problem: &Joint<'_>, limits: &Limits) -> Result<JointResult> {
    problem.check()?;
    match problem.vectors {
        FeatureRows::Vectors(Vectors::Dense(rows)) => Descent::new(problem, rows, limits)?.run(),
        FeatureRows::Vectors(Vectors::Sparse(rows)) => match OneValued::new(rows) {
            Some(rows) => Descent::new(problem, &rows, limits)?.run(),
            None => Descent::new(problem, rows, limits)?.run(),
        },
        FeatureRows::Single(rows) => Descent::new(problem, rows, limits)?.run(),
    }
}

impl Joint<'_> {
    fn check(&self) -> Result<()> {
        let n = self.vectors.len();
        let object = |index, reason: &str| Err(Error::Object { index, reason: reason.into(), hint: None });
        if self.codes.len() != n || self.costs.len() != n {
            let (codes, costs) = (self.codes.len(), self.costs.len());
            return Err(Error::usage(format!("{n} vectors with {codes} classes and {costs} costs")));
        }
        if self.classes < 2 {
            return Err(Error::param("classes", self.classes, "at least 2"));
        }
        if !(self.bias.is_finite() && self.bias >= 0.0) {
            return Err(Error::param("bias", self.bias, "a finite number of at least 0"));
        }
        if let Some(index) = self.vectors.find_non_finite() {
            return object(index, "a feature is NaN or infinite");
        }
        if let Some(index) = self.codes.iter().position(|c| *c >= self.classes) {
            return object(index, "its class is not below the number of classes");
        }
        match self.costs.iter().position(|c| !(c.is_finite() && *c >= 0.0)) {
            Some(index) => object(index, "its cost is not a finite number of at least 0"),
            None => Ok(()),
        }
    }
}

/// The state of a run.
struct Descent<'a, R> {
    problem: &'a Joint<'a>,
    rows: &'a R,
    limits: &'a Limits,
    started: Instant,
    random: Random,
    /// For each class the weights of the features, then that of the constant feature.
    weights: Vec<Vec<f64>>,
    /// α: one number per object and class.
    alpha: Vec<f64>,
    /// The squared norms of the rows with the constant feature.
    squares: Vec<f64>,
    /// The objects, shrunk ones last.
    order: Vec<u32>,
    active: usize,
    visits: u64,
}

impl<'a, R: Rows> Descent<'a, R> {
    fn new(problem: &'a Joint<'a>, rows: &'a R, limits: &'a Limits) -> Result<Self> {
        let started = Instant::now();
        let (n, classes, dim) = (problem.codes.len(), problem.classes, problem.vectors.dim() + 1);
        let most =
            u32::try_from(n).map_err(|_| Error::usage(format!("{n} objects exceed the limit of 2^32")))?;
        let needed =
            budget::matrix_bytes(n, classes, 8).saturating_add(budget::matrix_bytes(dim, classes, 8));
        budget::ask(&format!("the variables and weights of {classes} classes"), needed)?;
        let mut squares = Vec::with_capacity(n);
        for index in 0..n {
            let square = rows.square(index) + problem.bias * problem.bias;
            if !square.is_finite() {
                let reason = "its squared norm overflows".into();
                return Err(Error::Object { index, reason, hint: Some("scale the features".into()) });
            }
            squares.push(square);
        }
        Ok(Descent {
            problem,
            rows,
            limits,
            started,
            random: Random::new(problem.seed),
            weights: vec![vec![0.0; dim]; classes],
            alpha: vec![0.0; n * classes],
            squares,
            order: (0..most).filter(|&k| problem.costs[k as usize] > 0.0).collect(),
            active: 0,
            visits: 0,
        })
    }

    fn run(mut self) -> Result<JointResult> {
        let tolerance = self.limits.tolerance;
        let mut wanted = tolerance;
        let mut before = f64::INFINITY;
        self.active = self.order.len();
        let mut quiet = self.order.is_empty();
        let stop = loop {
            if quiet && self.active == self.order.len() {
                self.refresh();
                let duality = self.duality(Stop::Stalled)?;
                if duality.is_converged() || self.order.is_empty() {
                    return Ok(self.finish(duality));
                }
                // The gap is a sum over all objects, the violation a maximum, so the gap may need more epochs.
                if duality.violation <= tolerance {
                    wanted *= 0.5;
                }
            } else if quiet {
                self.active = self.order.len();
            }
            match self.pass(before)? {
                Ok(worst) => {
                    quiet = worst <= wanted;
                    before = if quiet { f64::INFINITY } else { worst };
                }
                Err(stop) => break stop,
            }
        };
        self.refresh();
        let duality = self.duality(stop)?;
        Ok(self.finish(duality))
    }

    /// Visits the active objects once in random order and returns the largest violation, or the limit reached.
    fn pass(&mut self, before: f64) -> Result<Result<f64, Stop>> {
        self.random.shuffle(&mut self.order[..self.active]);
        let classes = self.problem.classes;
        let (mut worst, mut at, mut read) = (0.0f64, 0, 0);
        let (mut slopes, mut best) = (vec![0.0; classes], vec![0.0; classes]);
        let mut sorted = vec![0.0; classes];
        while at < self.active {
            if self.visits.is_multiple_of(ROUND)
                && let Some(stop) = self.limit()?
            {
                return Ok(Err(stop));
            }
            self.visits += 1;
            let k = self.order[at] as usize;
            read += classes * (2 + self.rows.stored(k));
            if read >= READ {
                match budget::check_after(std::mem::take(&mut read)) {
                    Err(Error::Interrupted) => return Ok(Err(Stop::Interrupted)),
                    other => other?,
                }
            }
            self.slopes(k, &mut slopes);
            let (own, cost) = (self.problem.codes[k], self.problem.costs[k]);
            let alpha = &self.alpha[k * classes..(k + 1) * classes];
            let unused = alpha.iter().all(|a| *a == 0.0);
            if self.limits.shrinking && unused && margin(&slopes, own) > before {
                self.active -= 1;
                self.order.swap(at, self.active);
                continue;
            }
            at += 1;
            let violation = violation(&slopes, alpha, own, cost);
            if violation > 0.0 {
                worst = worst.max(violation);
                minimum(&slopes, alpha, (own, cost, self.squares[k]), &mut sorted, &mut best);
                for (m, &moved) in best.iter().enumerate() {
                    let step = moved - self.alpha[k * classes + m];
                    self.alpha[k * classes + m] = moved;
                    self.add(k, m, step);
                }
            }
        }
        Ok(Ok(worst))
    }

    /// The limit that was reached, if any.
    fn limit(&self) -> Result<Option<Stop>> {
        let epochs = self.visits / (self.order.len() as u64).max(1);
        let is_last = epochs >= self.problem.epochs;
        Ok(self.limits.met(epochs, self.started)?.or(is_last.then_some(Stop::Iterations)))
    }

    /// The slope along each class's variable: w_m·x_k + [m ≠ y_k].
    fn slopes(&self, k: usize, out: &mut [f64]) {
        for (m, (slope, weights)) in out.iter_mut().zip(&self.weights).enumerate() {
            let constant = weights.last().map_or(0.0, |w| w * self.problem.bias);
            let other = f64::from(u8::from(m != self.problem.codes[k]));
            *slope = self.rows.dot(k, weights) + constant + other;
        }
    }

    fn add(&mut self, k: usize, class: usize, factor: f64) {
        if factor != 0.0 {
            let weights = &mut self.weights[class];
            self.rows.add(k, factor, weights);
            if let Some(w) = weights.last_mut() {
                *w += factor * self.problem.bias;
            }
        }
    }

    /// Recomputes the weights.
    fn refresh(&mut self) {
        let classes = self.problem.classes;
        self.weights.iter_mut().for_each(|w| w.fill(0.0));
        for k in 0..self.problem.codes.len() {
            for m in 0..classes {
                self.add(k, m, self.alpha[k * classes + m]);
            }
        }
    }

    /// The certificate of the variables, from recomputed weights; `stop` is the reason to report unless they are
    /// optimal within the tolerance.
    fn duality(&self, stop: Stop) -> Result<Duality> {
        let classes = self.problem.classes;
        let half_square = 0.5 * self.weights.iter().flatten().map(|w| w * w).sum::<f64>();
        let (mut charged, mut conjugate, mut gap, mut worst) = (0.0, 0.0, 0.0, 0.0f64);
        let mut slopes = vec![0.0; classes];
        for (k, (&own, &cost)) in self.problem.codes.iter().zip(self.problem.costs).enumerate() {
            if cost == 0.0 {
                continue;
            }
            self.slopes(k, &mut slopes);
            let alpha = &self.alpha[k * classes..(k + 1) * classes];
            let charge = cost * (-margin(&slopes, own)).max(0.0);
            charged += charge;
            conjugate -= alpha.iter().enumerate().filter(|(m, _)| *m != own).map(|(_, a)| a).sum::<f64>();
            // C·ξ + Σ_m α^m·slope^m ≥ 0: the variables of the other classes are at most 0, and sum to no less than -C.
            let along: f64 = alpha.iter().zip(&slopes).map(|(a, s)| a * (s - slopes[own])).sum();
            gap += (charge + along).max(0.0);
            worst = worst.max(violation(&slopes, alpha, own, cost));
        }
        let (primal, dual) = (half_square + charged, conjugate - half_square);
        if !(primal.is_finite() && dual.is_finite() && gap.is_finite() && worst.is_finite()) {
            let reason = "the objective of the linear model overflows: scale the features or lower C".into();
            return Err(Error::Numeric { reason });
        }
        // Rounding can make the sum exceed the primal objective.
        let gap = if primal > 0.0 { (gap / primal).min(1.0) } else { 0.0 };
        let tolerance = self.limits.tolerance;
        let proof = Proof::new(primal, dual, gap, worst, tolerance).filter(|p| p.gap() <= tolerance);
        // A limit may have been reached between the last step and the proof.
        let stop = match proof {
            Some(proof) if stop != Stop::Interrupted => Stop::Converged(proof),
            _ => stop,
        };
        let epochs = self.visits.div_ceil((self.order.len() as u64).max(1));
        let seconds = self.started.elapsed().as_secs_f64();
        Ok(Duality { primal, dual, gap, violation: worst, epochs, stop, seconds })
    }

    fn finish(mut self, duality: Duality) -> JointResult {
        let bias = self.problem.bias;
        let intercepts = self.weights.iter_mut().map(|w| w.pop().map_or(0.0, |w| w * bias)).collect();
        JointResult { weights: self.weights, intercepts, duality }
    }
}

/// By how much the slope of the own class exceeds the largest other: the slack of an object beyond the margin if positive,
/// minus its error if negative.
fn margin(slopes: &[f64], own: usize) -> f64 {
    let others = slopes.iter().enumerate().filter(|(m, _)| *m != own);
    slopes[own] - others.map(|(_, s)| *s).fold(f64::NEG_INFINITY, f64::max)
}

/// The largest slope minus the least one along which a variable can grow: 0 at the optimum.
fn violation(slopes: &[f64], alpha: &[f64], own: usize, cost: f64) -> f64 {
    let bound = |m: usize| if m == own { cost } else { 0.0 };
    let free = slopes.iter().zip(alpha).enumerate().filter(|(m, (_, a))| **a < bound(*m));
    let least = free.map(|(_, (s, _))| *s).fold(f64::INFINITY, f64::min);
    let largest = slopes.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (largest - least).max(0.0)
}

/// The minimum along all variables of an object with the given class, cost and squared norm: with s = slope - square·α they are
/// min(bound, (β - s) / square), and the level β makes them sum to 0.
fn minimum(slopes: &[f64], alpha: &[f64], object: (usize, f64, f64), sorted: &mut [f64], best: &mut [f64]) {
    let (own, cost, square) = object;
    if square == 0.0 {
        // The weights do not depend on this object: all its cost goes to the largest slope.
        best.fill(0.0);
        let others = (0..slopes.len()).filter(|m| *m != own);
        if let Some(rival) = others.max_by(|a, b| slopes[*a].total_cmp(&slopes[*b]).then(b.cmp(a)))
            && slopes[rival] > slopes[own]
        {
            (best[own], best[rival]) = (cost, -cost);
        }
        return;
    }
    let rest = |m: usize| slopes[m] - square * alpha[m];
    for (m, value) in sorted.iter_mut().enumerate() {
        *value = rest(m) + if m == own { square * cost } else { 0.0 };
    }
    sorted.sort_by(|a, b| b.total_cmp(a));
    let mut level = sorted[0] - square * cost;
    let mut below = 1;
    while below < sorted.len() && level < below as f64 * sorted[below] {
        level += sorted[below];
        below += 1;
    }
    level /= below as f64;
    for (m, value) in best.iter_mut().enumerate() {
        let bound = if m == own { cost } else { 0.0 };
        *value = ((level - rest(m)) / square).min(bound);
    }
}
