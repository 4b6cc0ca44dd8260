//! Dual coordinate descent for linear models on explicit features: one variable at a time, without a similarity matrix.
//!
//! The primal problem is  minimise ½|w|² + Σ_k C_k·loss(ξ_k),  with the errors ξ of [`Task`]. Its dual, for
//! classification and regression alike, is
//!
//! minimise ½|Σ_k β_k·x_k|² + Σ_k (½d_k·β_k² - t_k·β_k + ε·|β_k|)  with  lower_k ≤ β_k ≤ upper_k,
//!
//! where d_k = 0 and |β_k| ≤ C_k for the absolute loss, d_k = 1/(2C_k) and no bound for the squared loss, and β_k has
//! the sign of t_k in classification. There is no sum constraint, because the model has no free offset. So one variable
//! can be moved on its own, to the exact minimum along it, at the cost of one row: w is kept up to date, and the slope
//! is w·x_k + d_k·β_k - t_k.
//!
//! In few features the squared loss starts with Newton's method (`newton.rs`) and the hinge loss with an interior-point
//! method (`interior.rs`), which leave little to the descent.
//!
//! Every epoch visits the variables in a new random order. Shrinking removes variables at a bound, or at 0 inside the
//! tube, whose slopes are further inside than the worst violation of the previous epoch. Before the solver reports
//! convergence, all are restored and w is recomputed.
//!
//! References: Hsieh, Chang, Lin, Keerthi & Sundararajan 2008, A dual coordinate descent method for large-scale linear
//! SVM; Ho & Lin 2012, Large-scale linear support vector regression.

mod duality;
mod interior;
mod joint;
mod newton;
mod rows;
#[cfg(test)]
mod tests;
mod variable;

use std::time::Instant;

pub use duality::{Duality, Loss, Task};
pub use joint::{Joint, JointResult, descend_jointly};
pub(crate) use rows::products;

use self::rows::{OneValued, Rows};
use self::variable::Variable;
use super::limits::Limits;
use super::proof::{Proof, Stop};
use crate::budget;
use crate::data::{FeatureRows, Vectors};
use crate::error::{Error, Result};
use crate::random::Random;

/// Variables between two checks of the limits within an epoch.
const ROUND: usize = 4096;

/// Stored values that are read between two checks of the budget.
const READ: usize = 1 << 14;

/// A linear model to be fitted: feature rows, targets and error costs.
#[derive(Clone, Debug)]
pub struct Explicit<'a> {
    /// The features, one row per object.
    pub vectors: FeatureRows<'a>,
    /// The value of a constant feature added to every row; 0 adds none.
    pub bias: f64,
    /// The target of each object: +1 or -1 for [`Task::Sides`], any finite number otherwise.
    pub targets: &'a [f64],
    /// C_k of each object, finite and at least 0; an object of cost 0 is ignored.
    pub costs: &'a [f64],
    /// The kind of targets.
    pub task: Task,
    /// The loss.
    pub loss: Loss,
    /// The maximum number of epochs: visits to objects, divided by their number.
    pub epochs: u64,
    /// The seed of the random orders.
    pub seed: u64,
}

/// The result of the descent.
#[derive(Clone, Debug, PartialEq)]
pub struct DescentResult {
    /// One weight per feature.
    pub weights: Vec<f64>,
    /// The weight of the constant feature times its value, which is added to w·x. 0 without a constant feature.
    pub intercept: f64,
    /// The dual variables β: w = Σ_k β_k·x_k.
    pub beta: Vec<f64>,
    /// The optimality certificate of the solution.
    pub duality: Duality,
}

/// Fits a linear model by dual coordinate descent.
///
/// An epoch, as many visits as there are objects, costs two passes over the stored values. The lower of
/// `limits.iterations` and `problem.epochs` bounds the epochs. When a limit is reached, the best solution so far is
/// returned with its certificate, without an error. Features of very different scales need many epochs, so scale them.
/// Fails on different lengths, parameters outside their domains, NaN or infinity, and objectives that overflow.
///
/// ```
/// use mercer_core::data::{Dense, Vectors};
/// use mercer_core::solve::{Explicit, Limits, Loss, Task, descend};
/// let vectors = Vectors::from(Dense::from_rows(&[[1.0], [-1.0]]));
/// let problem = Explicit {
///     vectors: (&vectors).into(),
///     bias: 0.0,
///     targets: &[1.0, -1.0],
///     costs: &[10.0, 10.0],
///     task: Task::Sides,
///     loss: Loss::Absolute,
///     epochs: 1000,
///     seed: 0,
/// };
/// let fitted = descend(&problem, &Limits::default())?;
/// assert!(fitted.duality.is_converged());
/// assert!((fitted.weights[0] - 1.0).abs() < 1e-3);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn descend(problem: &Explicit<'_>, limits: &Limits) -> Result<DescentResult> {
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

impl Explicit<'_> {
    fn check(&self) -> Result<()> {
        let n = self.vectors.len();
        let object = |index, reason: &str| Err(Error::Object { index, reason: reason.into(), hint: None });
        if self.targets.len() != n || self.costs.len() != n {
            return Err(Error::usage(format!(
                "{n} vectors with {} targets and {} costs",
                self.targets.len(),
                self.costs.len()
            )));
        }
        if !(self.bias.is_finite() && self.bias >= 0.0) {
            return Err(Error::param("bias", self.bias, "a finite number of at least 0"));
        }
        if let Task::Numbers { epsilon } = self.task
            && !(epsilon.is_finite() && epsilon >= 0.0)
        {
            return Err(Error::param("epsilon", epsilon, "a finite number of at least 0"));
        }
        if let Some(index) = self.vectors.find_non_finite() {
            return object(index, "a feature is NaN or infinite");
        }
        let sides = self.task == Task::Sides;
        if let Some(index) = self.targets.iter().position(|t| !t.is_finite() || (sides && t.abs() != 1.0)) {
            return object(
                index,
                if sides { "its target is not +1 or -1" } else { "its target is not finite" },
            );
        }
        match self.costs.iter().position(|c| !(c.is_finite() && *c >= 0.0)) {
            Some(index) => object(index, "its cost is not a finite number of at least 0"),
            None => Ok(()),
        }
    }
}

/// The state of a run.
struct Descent<'a, R> {
    problem: &'a Explicit<'a>,
    rows: &'a R,
    limits: &'a Limits,
    started: Instant,
    random: Random,
    /// The weights of the features, then that of the constant feature.
    weights: Vec<f64>,
    variables: Vec<Variable>,
    kink: f64,
    /// The objects, shrunk ones last.
    order: Vec<u32>,
    active: usize,
    /// The largest violation for w = 0, the unit of violations.
    unit: f64,
    /// The number of visits.
    visits: u64,
}

impl<'a, R: Rows> Descent<'a, R> {
    fn new(problem: &'a Explicit<'a>, rows: &'a R, limits: &'a Limits) -> Result<Self> {
        let started = Instant::now();
        let n = problem.targets.len();
        let most =
            u32::try_from(n).map_err(|_| Error::usage(format!("{n} objects exceed the limit of 2^32")))?;
        let kink = problem.task.kink();
        let mut variables = Vec::with_capacity(n);
        let mut unit = 0.0f64;
        for (index, (&target, &cost)) in problem.targets.iter().zip(problem.costs).enumerate() {
            let (damping, most) = match problem.loss {
                Loss::Absolute => (0.0, cost),
                Loss::Squared => (0.5 / cost, f64::INFINITY),
            };
            let square = rows.square(index) + problem.bias * problem.bias;
            if !square.is_finite() {
                let reason = "its squared norm overflows".into();
                return Err(Error::Object { index, reason, hint: Some("scale the features".into()) });
            }
            let mut own = Variable { target, ..Variable::default() };
            // A cost so small that its inverse overflows counts as 0, and the variable stays at 0.
            if cost > 0.0 && damping.is_finite() {
                let one_sided = problem.task == Task::Sides;
                own.lower = if one_sided && target > 0.0 { 0.0 } else { -most };
                own.upper = if one_sided && target < 0.0 { 0.0 } else { most };
                own.damping = damping;
                own.curvature = square + damping;
                unit = unit.max(target.abs() - kink);
            }
            variables.push(own);
        }
        Ok(Descent {
            problem,
            rows,
            limits,
            started,
            random: Random::new(problem.seed),
            weights: vec![0.0; problem.vectors.dim() + 1],
            variables,
            kink,
            order: (0..most).collect(),
            active: n,
            unit,
            visits: 0,
        })
    }

    fn run(mut self) -> Result<DescentResult> {
        let tolerance = self.limits.tolerance;
        let mut wanted = tolerance * self.unit;
        let mut before = f64::INFINITY;
        // There may be nothing to do at w = 0: all targets inside the tube, or all costs 0.
        let mut quiet = self.unit == 0.0;
        if !quiet && (self.approach()? || self.interior()?) {
            quiet = true;
        }
        let stop = loop {
            if quiet && self.active == self.order.len() {
                self.refresh();
                let duality = self.duality(Stop::Stalled)?;
                if duality.is_converged() {
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

    /// Visits the active variables once in random order and returns the largest violation, or the limit reached.
    fn pass(&mut self, before: f64) -> Result<Result<f64, Stop>> {
        self.random.shuffle(&mut self.order[..self.active]);
        let mut worst = 0.0f64;
        let mut at = 0;
        // Visits until the limits are checked, and stored values that were read since the budget was checked.
        let (mut left, mut read) = (0, 0);
        while at < self.active {
            if left == 0 {
                if let Some(stop) = self.limit()? {
                    return Ok(Err(stop));
                }
                left = ROUND.min(self.visits_left());
            }
            left -= 1;
            self.visits += 1;
            let k = self.order[at] as usize;
            // A row may have any number of features.
            read += 1 + self.rows.stored(k);
            if read >= READ {
                match budget::check_after(std::mem::take(&mut read)) {
                    Err(Error::Interrupted) => return Ok(Err(Stop::Interrupted)),
                    other => other?,
                }
            }
            let own = self.variables[k];
            let slope = self.product(k) + own.damping * own.beta - own.target;
            let slopes = own.slopes(slope, self.kink);
            if self.limits.shrinking && slopes.rise > before && slopes.fall < -before {
                self.active -= 1;
                self.order.swap(at, self.active);
                continue;
            }
            at += 1;
            let violation = slopes.violation();
            if violation > 0.0 {
                worst = worst.max(violation);
                let best = own.best(slope, self.kink);
                self.variables[k].beta = best;
                self.add(k, best - own.beta);
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

    /// Visits left until the maximum number of epochs.
    fn visits_left(&self) -> usize {
        let most = self.problem.epochs.min(self.limits.iterations).saturating_mul(self.order.len() as u64);
        usize::try_from(most.saturating_sub(self.visits)).unwrap_or(usize::MAX).max(1)
    }

    /// The number of full passes with as many visits.
    fn epochs(&self) -> u64 {
        self.visits.div_ceil((self.order.len() as u64).max(1))
    }

    /// w·x_k, with the constant feature.
    fn product(&self, k: usize) -> f64 {
        let constant = self.weights.last().map_or(0.0, |w| w * self.problem.bias);
        self.rows.dot(k, &self.weights) + constant
    }

    fn add(&mut self, k: usize, factor: f64) {
        if factor != 0.0 {
            self.rows.add(k, factor, &mut self.weights);
            if let Some(w) = self.weights.last_mut() {
                *w += factor * self.problem.bias;
            }
        }
    }

    /// Recomputes the weights.
    fn refresh(&mut self) {
        self.weights.fill(0.0);
        for k in 0..self.variables.len() {
            self.add(k, self.variables[k].beta);
        }
    }

    /// The certificate of the variables, from recomputed weights; `stop` is the reason to report unless they are
    /// optimal within the tolerance.
    fn duality(&self, stop: Stop) -> Result<Duality> {
        let half_square = 0.5 * self.weights.iter().map(|w| w * w).sum::<f64>();
        let (mut charged, mut conjugate, mut gap, mut violation) = (0.0, 0.0, 0.0, 0.0f64);
        for (k, own) in self.variables.iter().enumerate() {
            let (beta, product) = (own.beta, self.product(k));
            let error = self.problem.task.error(own.target, product);
            let charge = self.problem.costs[k]
                * match self.problem.loss {
                    Loss::Absolute => error,
                    Loss::Squared => error * error,
                };
            let cost = 0.5 * own.damping * beta * beta + self.kink * beta.abs();
            charged += charge;
            conjugate += cost - own.target * beta;
            // By Fenchel-Young, the loss, its conjugate and the product of their arguments never sum to less than 0.
            gap += (charge + cost - beta * (own.target - product)).max(0.0);
            let slope = product + own.damping * beta - own.target;
            violation = violation.max(own.slopes(slope, self.kink).violation());
        }
        let (primal, dual) = (half_square + charged, -half_square - conjugate);
        if !(primal.is_finite() && dual.is_finite() && gap.is_finite() && violation.is_finite()) {
            let reason = "the objective of the linear model overflows: scale the features or lower C".into();
            return Err(Error::Numeric { reason });
        }
        // Rounding can make the sum exceed the primal objective.
        let gap = if primal > 0.0 { (gap / primal).min(1.0) } else { 0.0 };
        let violation = if self.unit > 0.0 { violation / self.unit } else { 0.0 };
        let tolerance = self.limits.tolerance;
        let proof = Proof::new(primal, dual, gap, violation, tolerance).filter(|p| p.gap() <= tolerance);
        // A limit may have been reached between the last step and the proof.
        let stop = match proof {
            Some(proof) if stop != Stop::Interrupted => Stop::Converged(proof),
            _ => stop,
        };
        Ok(Duality {
            primal,
            dual,
            gap,
            violation,
            epochs: self.epochs(),
            stop,
            seconds: self.started.elapsed().as_secs_f64(),
        })
    }

    fn finish(mut self, duality: Duality) -> DescentResult {
        let intercept = self.weights.pop().map_or(0.0, |w| w * self.problem.bias);
        let beta = self.variables.iter().map(|v| v.beta).collect();
        DescentResult { weights: self.weights, intercept, beta, duality }
    }
}
