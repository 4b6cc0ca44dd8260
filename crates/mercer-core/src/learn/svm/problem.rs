//! Conversion of the five SVM problems to the solver's form, and of its solutions to models and certificates.

use std::time::Instant;

use super::{Certificate, Location};
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::math::dot;
use crate::parallel;
use crate::solve::{Bank, Columns, Limits, Method, Solution, Stop, active_set, solve, solve_indefinite};

/// A trained decision function: f(x) = Σ_j coefficient_j · k(x, x_j) - offset.
#[derive(Clone, Debug, PartialEq)]
pub struct DecisionFunction {
    /// The support vectors, as ascending indices of training objects.
    pub support: Vec<usize>,
    /// The coefficient of each.
    pub coefficients: Vec<f64>,
    /// The offset, which is subtracted.
    pub offset: f64,
    /// The optimality certificate; `None` if the model comes from another program's file.
    pub certificate: Option<Certificate>,
    /// The location of each training object relative to the margin; empty if unknown.
    pub locations: Vec<Location>,
}

impl DecisionFunction {
    /// Checks that the parts fit together, with object indices below `objects`.
    #[doc(hidden)]
    pub fn check(&self, objects: usize) -> Result<()> {
        if self.coefficients.len() != self.support.len() {
            let (c, s) = (self.coefficients.len(), self.support.len());
            return Err(Error::usage(format!("{c} coefficients for {s} support vectors")));
        }
        if !self.support.is_sorted_by(|a, b| a < b) {
            return Err(Error::usage("the support vectors do not ascend"));
        }
        if let Some(&last) = self.support.last().filter(|&&s| s >= objects) {
            return Err(Error::usage(format!(
                "support vector {last} (from 0), but there are {objects} objects"
            )));
        }
        if !self.offset.is_finite() || self.coefficients.iter().any(|c| !c.is_finite()) {
            return Err(Error::usage("a coefficient or an offset is NaN or infinite"));
        }
        Ok(())
    }

    /// The same function with each support vector numbered by its position in `support`, which holds them all,
    /// ascending.
    #[doc(hidden)]
    pub fn renumbered(mut self, support: &[usize]) -> Self {
        self.support.iter_mut().for_each(|s| *s = support.partition_point(|other| other < s));
        self
    }

    /// f(x) of each new object, from its similarities to the support vectors. Time O(objects · support vectors).
    pub fn decisions(&self, cross: &Dense) -> Result<Vec<f64>> {
        self.decide(cross, &self.coefficients)
    }

    /// f(x) of each new object, from its similarities to all training objects the model was fitted to. Reading a whole
    /// row is faster than selecting the support vectors from it.
    pub fn decisions_of(&self, cross: &Dense) -> Result<Vec<f64>> {
        let mut coefficients = vec![0.0; cross.cols()];
        for (&at, &c) in self.support.iter().zip(&self.coefficients) {
            let place = coefficients.get_mut(at).ok_or_else(|| Error::Shape {
                expected: format!("similarities to training objects up to number {}", at + 1),
                found: format!("{} columns", cross.cols()),
            })?;
            *place = c;
        }
        self.decide(cross, &coefficients)
    }

    fn decide(&self, cross: &Dense, coefficients: &[f64]) -> Result<Vec<f64>> {
        if cross.cols() != coefficients.len() {
            return Err(Error::Shape {
                expected: format!("similarities to {} support vectors", coefficients.len()),
                found: format!("{} columns", cross.cols()),
            });
        }
        let decide = |i: usize| dot(cross.row(i), coefficients) - self.offset;
        Ok(parallel::map_at_least(cross.rows(), 16, decide))
    }
}

/// The solver's result with the data for the certificate.
#[derive(Clone)]
pub(super) struct SolvedProblem {
    pub(super) solution: Solution,
    uppers: Vec<f64>,
    seconds: f64,
}

/// Solves a problem and keeps the data for the certificate.
pub(super) fn run(columns: &dyn Columns, banks: Vec<Bank>, limits: &Limits) -> Result<SolvedProblem> {
    run_with(columns, banks, limits, true)
}

/// [`run`]; with bounds that stand for infinity, the gap need not be small and is meaningless.
pub(super) fn run_with(
    columns: &dyn Columns,
    banks: Vec<Bank>,
    limits: &Limits,
    is_gap_meant: bool,
) -> Result<SolvedProblem> {
    let started = Instant::now();
    let n = columns.len();
    // The largest coefficient an object may have, over the banks.
    let size = |k: usize| banks.iter().map(|b| b.upper[k].max(-b.lower[k])).fold(0.0, f64::max);
    let uppers = (0..n).map(size).collect();
    let given = if limits.indefinite { banks.clone() } else { Vec::new() };
    let solution = match limits.method {
        Method::ActiveSet => active_set(columns, banks.clone(), limits)?,
        Method::Pairs => solve(columns, banks.clone(), limits)?,
        Method::Auto => {
            let solution = solve(columns, banks.clone(), limits)?;
            match solution.stop {
                Stop::Stalled => finish(columns, banks.clone(), solution, limits, started)?,
                _ => solution,
            }
        }
    };
    let solution = match limits.method {
        Method::Auto if is_gap_meant => close_gap(columns, banks, solution, limits, started)?,
        _ => solution,
    };
    let solution = match solution.stop {
        Stop::NegativeCurvature { .. }
            if limits.indefinite && columns.diagonal()?.iter().any(|d| *d > 0.0) =>
        {
            solve_indefinite(columns, given, &limits.left(solution.iterations, started))?
        }
        _ => solution,
    };
    Ok(SolvedProblem { solution, uppers, seconds: started.elapsed().as_secs_f64() })
}

/// How often a solution within the tolerance but with a large gap is improved.
const ROUNDS: usize = 3;

/// The active-set method is fast up to this many variables inside their bounds.
const FEW: usize = 2000;

/// If the violation is within the tolerance but the gap is large, continues with a lower tolerance.
///
/// The gap decreases roughly in proportion to the violation: the tolerance is lowered by the excess of the gap.
fn close_gap(
    columns: &dyn Columns,
    banks: Vec<Bank>,
    mut solution: Solution,
    limits: &Limits,
    started: Instant,
) -> Result<Solution> {
    let mut tolerance = limits.tolerance;
    for _ in 0..ROUNDS {
        let free = banks.iter().zip(&solution.betas).map(|(bank, betas)| {
            betas.iter().enumerate().filter(|(k, b)| **b > bank.lower[*k] && **b < bank.upper[*k]).count()
        });
        if solution.stop != Stop::WideGap || free.sum::<usize>() > FEW {
            break;
        }
        tolerance *= 0.1 * (limits.tolerance * (1.0 + solution.dual.abs()) / solution.gap).min(1.0);
        // Each step settles one variable; more steps only follow rounding.
        let most = 1000 + 10 * columns.len() as u64;
        let left = limits.left(solution.iterations, started);
        let left = Limits { tolerance, iterations: left.iterations.min(most), ..left };
        if left.iterations == 0 || tolerance < f64::MIN_POSITIVE {
            break;
        }
        let start = |(bank, beta): (&Bank, &Vec<f64>)| Bank { beta: beta.clone(), ..bank.clone() };
        let start: Vec<Bank> = banks.iter().zip(&solution.betas).map(start).collect();
        let finer = active_set(columns, start, &left)?;
        let (iterations, rows) =
            (solution.iterations + finer.iterations, solution.rows_computed + finer.rows_computed);
        // Rounding may make it worse, and a lower tolerance may be unreachable.
        if finer.gap < solution.gap && finer.violation <= limits.tolerance {
            let stop = finer.judged(limits.tolerance, solution.stop);
            solution = Solution { stop, ..finer };
        }
        (solution.iterations, solution.rows_computed) = (iterations, rows);
    }
    Ok(solution)
}

/// If pairs no longer make progress, the active-set method continues from their solution.
fn finish(
    columns: &dyn Columns,
    banks: Vec<Bank>,
    pairs: Solution,
    limits: &Limits,
    started: Instant,
) -> Result<Solution> {
    let left = limits.left(pairs.iterations, started);
    if left.iterations == 0 {
        return Ok(Solution { stop: Stop::Iterations, ..pairs });
    }
    let start = |(bank, beta): (Bank, &Vec<f64>)| Bank { beta: beta.clone(), ..bank };
    let start: Vec<Bank> = banks.into_iter().zip(&pairs.betas).map(start).collect();
    let mut finished = active_set(columns, start, &left)?;
    finished.iterations += pairs.iterations;
    finished.rows_computed += pairs.rows_computed;
    // Rounding may make it worse.
    let better = finished.stop.is_done() || finished.gap <= pairs.gap || finished.dual >= pairs.dual;
    let (iterations, rows_computed) = (finished.iterations, finished.rows_computed);
    Ok(if better { finished } else { Solution { iterations, rows_computed, ..pairs } })
}

impl SolvedProblem {
    /// Adds the work of an earlier run.
    pub(super) fn after(mut self, before: &SolvedProblem) -> Self {
        self.solution.iterations += before.solution.iterations;
        self.solution.rows_computed += before.solution.rows_computed;
        self.seconds += before.seconds;
        self
    }

    /// The coefficient of each object: the sum over banks.
    pub(super) fn betas(&self) -> Vec<f64> {
        let n = self.uppers.len();
        (0..n).map(|k| self.solution.betas.iter().map(|b| b[k]).sum()).collect()
    }

    /// The largest weighted sum of similarities of the solution: max_i √K_ii · Σ_j |β_j|·√K_jj.
    pub(super) fn reach(&self, diagonal: &[f64]) -> f64 {
        let used = || self.betas().into_iter().zip(diagonal).filter(|(b, _)| *b != 0.0);
        let widest = used().map(|(_, d)| d.abs().sqrt()).fold(0.0, f64::max);
        widest * used().map(|(b, d)| b.abs() * d.abs().sqrt()).sum::<f64>()
    }

    /// βᵀKβ.
    pub(super) fn quadratic(&self) -> f64 {
        self.betas().iter().zip(&self.solution.products).map(|(b, g)| b * g).sum()
    }

    /// The decision function with coefficients and offset multiplied by `scale`.
    pub(super) fn model(self, offset: f64, scale: f64) -> DecisionFunction {
        let betas = self.betas();
        let locations: Vec<Location> = betas
            .iter()
            .zip(&self.uppers)
            .map(|(b, u)| match b.abs() {
                0.0 => Location::Outside,
                size if size >= *u => Location::Inside,
                _ => Location::On,
            })
            .collect();
        let count = |which| locations.iter().filter(|l| **l == which).count();
        let certificate = Certificate {
            primal: self.solution.primal,
            dual: self.solution.dual,
            gap: self.solution.gap,
            violation: self.solution.violation,
            iterations: self.solution.iterations,
            rows_computed: self.solution.rows_computed,
            seconds: self.seconds,
            stop: self.solution.stop,
            free: count(Location::On),
            bounded: count(Location::Inside),
            no_margin: false,
        };
        let support: Vec<usize> = (0..betas.len()).filter(|&k| betas[k] != 0.0).collect();
        let coefficients = support.iter().map(|&k| scale * betas[k]).collect();
        let offset = scale * offset;
        DecisionFunction { support, coefficients, offset, certificate: Some(certificate), locations }
    }
}

/// Checks sample weights: finite, at least 0, one per object.
pub(super) fn check_weights(weights: Option<&[f64]>, n: usize) -> Result<Vec<f64>> {
    let Some(weights) = weights else { return Ok(vec![1.0; n]) };
    if weights.len() != n {
        return Err(Error::usage(format!("{} weights for {n} objects", weights.len())));
    }
    match weights.iter().position(|w| !w.is_finite() || *w < 0.0) {
        Some(index) => Err(Error::Object {
            index,
            reason: format!("weight {}: must be finite and at least 0", weights[index]),
            hint: None,
        }),
        None => Ok(weights.to_vec()),
    }
}

/// An error if no weight is above 0, in the wording of scikit-learn, which users search for.
pub(super) fn check_some(weights: &[f64]) -> Result<()> {
    match weights.iter().any(|w| *w > 0.0) {
        true => Ok(()),
        false => Err(Error::usage("Invalid input - all samples have zero or negative weights")),
    }
}

/// Values between 0 and `bounds` that sum to `total`, the first as large as possible.
pub(super) fn fill_up(bounds: &[f64], total: f64) -> Vec<f64> {
    let mut left = total;
    bounds
        .iter()
        .map(|&b| {
            let now = left.min(b).max(0.0);
            left -= now;
            now
        })
        .collect()
}
