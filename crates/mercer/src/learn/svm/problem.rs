//! From the five problems to the solver's one form, and back to machines and certificates.

use std::time::Instant;

use rayon::prelude::*;

use super::{Certificate, Location};
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::kernel::vector::math::dot;
use crate::solve::{Bank, Columns, Limits, Solution, Stop, active_set, solve};

/// One trained machine: f(x) = Σ_j coefficient_j · k(x, x_j) - offset.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// The training objects with a part in the decision, ascending.
    pub support: Vec<usize>,
    /// The coefficient of each.
    pub coefficients: Vec<f64>,
    /// What is subtracted.
    pub offset: f64,
    /// What the fit can prove about itself; nothing where the machine comes from another program's file.
    pub certificate: Option<Certificate>,
    /// Where each training object of this machine lies; empty where nobody knows.
    pub locations: Vec<Location>,
}

impl Machine {
    /// Whether the parts fit together, for objects of fewer than `objects` numbers.
    pub(crate) fn check(&self, objects: usize) -> Result<()> {
        if self.coefficients.len() != self.support.len() {
            let (c, s) = (self.coefficients.len(), self.support.len());
            return Err(Error::usage(format!("{c} coefficients for {s} support vectors")));
        }
        if !self.support.is_sorted_by(|a, b| a < b) {
            return Err(Error::usage("support vectors that do not ascend"));
        }
        if let Some(&last) = self.support.last().filter(|&&s| s >= objects) {
            return Err(Error::usage(format!("support vector {last} (from 0) of {objects} objects")));
        }
        if !self.offset.is_finite() || self.coefficients.iter().any(|c| !c.is_finite()) {
            return Err(Error::usage("a coefficient or an offset is NaN or infinite"));
        }
        Ok(())
    }

    /// The same machine with each support vector numbered by its place in `support`, which holds them all, ascending.
    pub(crate) fn renumbered(mut self, support: &[usize]) -> Self {
        self.support.iter_mut().for_each(|s| *s = support.partition_point(|other| other < s));
        self
    }

    /// f(x) of each new object, from its similarities to the support vectors. Time O(objects · support vectors).
    pub fn decisions(&self, cross: &Dense) -> Result<Vec<f64>> {
        self.decide(cross, &self.coefficients)
    }

    /// f(x) of each new object, from its similarities to all training objects, as many as the machine was fitted to.
    /// Reading all along a row is faster than picking the support vectors out of it.
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
        let rows = (0..cross.rows()).into_par_iter().with_min_len(16);
        Ok(rows.map(|i| dot(cross.row(i), coefficients) - self.offset).collect())
    }
}

/// The solver's outcome with what it was asked.
pub(super) struct Outcome {
    pub(super) solution: Solution,
    uppers: Vec<f64>,
    seconds: f64,
}

/// Solves and keeps what the certificate needs.
pub(super) fn run(columns: &dyn Columns, banks: Vec<Bank>, limits: &Limits) -> Result<Outcome> {
    let started = Instant::now();
    let n = columns.len();
    // The largest size an object's coefficient may have, over the banks.
    let size = |k: usize| banks.iter().map(|b| b.upper[k].max(-b.lower[k])).fold(0.0, f64::max);
    let uppers = (0..n).map(size).collect();
    let mut solution = solve(columns, banks.clone(), limits)?;
    if solution.stop == Stop::Stalled {
        // Pairs no longer make progress against rounding: the active-set method finishes from where they are.
        let started: Vec<Bank> = banks
            .into_iter()
            .zip(&solution.betas)
            .map(|(bank, beta)| Bank { beta: beta.clone(), ..bank })
            .collect();
        let (iterations, rows) = (solution.iterations, solution.rows_computed);
        solution = active_set(columns, started, limits)?;
        solution.iterations += iterations;
        solution.rows_computed += rows;
    }
    Ok(Outcome { solution, uppers, seconds: started.elapsed().as_secs_f64() })
}

impl Outcome {
    /// The coefficient of each object: the sum over banks.
    pub(super) fn betas(&self) -> Vec<f64> {
        let n = self.uppers.len();
        (0..n).map(|k| self.solution.betas.iter().map(|b| b[k]).sum()).collect()
    }

    /// βᵀKβ.
    pub(super) fn quadratic(&self) -> f64 {
        self.betas().iter().zip(&self.solution.products).map(|(b, g)| b * g).sum()
    }

    /// The machine with coefficients and offset multiplied by `scale`.
    pub(super) fn machine(self, offset: f64, scale: f64, primal: f64, dual: f64) -> Machine {
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
            primal,
            dual,
            gap: primal - dual,
            violation: self.solution.violation,
            iterations: self.solution.iterations,
            rows_computed: self.solution.rows_computed,
            seconds: self.seconds,
            stop: self.solution.stop,
            free: count(Location::On),
            bounded: count(Location::Inside),
        };
        let support: Vec<usize> = (0..betas.len()).filter(|&k| betas[k] != 0.0).collect();
        let coefficients = support.iter().map(|&k| scale * betas[k]).collect();
        let offset = scale * offset;
        Machine { support, coefficients, offset, certificate: Some(certificate), locations }
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

/// Values between 0 and `bounds` that add up to `total`, the first as large as they can be.
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
