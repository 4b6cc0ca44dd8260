//! Verification of solutions against the matrix, required before a solver reports convergence.

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

use super::columns::Columns;
use super::problem::Bank;
use crate::error::{Error, Result};

/// The gap of a converged solution is at most this many tolerances of 1 + |dual objective|, or [`LEAST_GAP`] of it.
const GAP: f64 = 100.0;
const LEAST_GAP: f64 = 0.1;

/// The relative drift of a sum of variables allowed for rounding; more means an infeasible solution.
const DRIFT: f64 = 1e-9;

/// Finite objectives and a violation of optimality within the tolerance, recomputed from a solution.
///
/// Only the solvers can create one: they recompute the values in double precision from the variables and the columns of
/// the matrix (or the rows of features), never from their running state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proof {
    primal: f64,
    dual: f64,
    gap: f64,
    violation: f64,
}

impl Proof {
    /// A proof, if all values are finite, the gap is not negative, and the violation is within the tolerance.
    pub(super) fn new(primal: f64, dual: f64, gap: f64, violation: f64, tolerance: f64) -> Option<Proof> {
        let finite = [primal, dual, gap, violation].iter().all(|v| v.is_finite());
        let good = finite && gap >= 0.0 && violation <= tolerance;
        good.then_some(Proof { primal, dual, gap, violation })
    }

    /// Whether the gap is small compared with the objective: at most max(100 · tolerance, 0.1) · (1 + |dual|).
    ///
    /// A violation within the tolerance does not imply this if similarities or costs are large: small errors of many
    /// variables can add up to a large cost.
    pub(crate) fn is_close(&self, tolerance: f64) -> bool {
        self.gap <= (GAP * tolerance).max(LEAST_GAP) * (1.0 + self.dual.abs())
    }

    /// A proof read from a file; `None` if a value is missing or not finite.
    #[cfg(feature = "serde")]
    pub(crate) fn recorded(primal: f64, dual: f64, gap: f64, violation: f64) -> Option<Proof> {
        let finite = [primal, dual, gap, violation].iter().all(|v| v.is_finite());
        finite.then_some(Proof { primal, dual, gap, violation })
    }

    /// The proof for a problem with a different primal objective at the same solution, which is at least the dual one.
    pub(super) fn with_primal(self, primal: f64) -> Option<Proof> {
        let gap = primal - self.dual;
        // Both are sums, and rounding may make the difference slightly negative.
        let gap = if gap < 0.0 && gap >= -1e-9 * (1.0 + self.dual.abs()) { 0.0 } else { gap };
        Proof::new(primal, self.dual, gap, self.violation, f64::INFINITY)
    }

    /// The primal objective: an upper bound of the optimum.
    pub fn primal(&self) -> f64 {
        self.primal
    }

    /// The dual objective: a lower bound of the optimum.
    pub fn dual(&self) -> f64 {
        self.dual
    }

    /// Their difference; for linear models on explicit features relative to the primal objective.
    pub fn gap(&self) -> f64 {
        self.gap
    }

    /// The largest violation of the optimality conditions.
    pub fn violation(&self) -> f64 {
        self.violation
    }
}

/// Why a solver stopped.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[cfg_attr(feature = "serde", serde(into = "StopName"))]
pub enum Stop {
    /// The largest violation of optimality is within the tolerance, and the gap between the objectives is at most
    /// max(100 · tolerance, 0.1) · (1 + |dual|), recomputed from the solution.
    Converged(Proof),
    /// The largest violation of optimality is within the tolerance, but the gap between the objectives is larger.
    WideGap,
    /// The largest violation of optimality is within the tolerance, but the matrix is not known to be positive
    /// semidefinite: there may be better solutions, and the gap between the objectives is not a bound.
    Stationary,
    /// Nothing is left to do: the perceptron makes no mistake, or no object changes its cluster.
    Settled,
    /// The iteration limit was reached.
    Iterations,
    /// The time limit was reached.
    Time,
    /// The user interrupted.
    Interrupted,
    /// The violation exceeds the tolerance, but rounding prevents further progress, or progress is so slow that another
    /// method is better.
    Stalled,
    /// A file claims convergence without the values that would prove it.
    Unproved,
    /// The matrix is not positive semidefinite on these two objects, from 0.
    NegativeCurvature {
        /// One object.
        first: usize,
        /// The other.
        second: usize,
        /// K_ii + K_jj - 2 K_ij, which should not be negative.
        curvature: f64,
    },
}

impl Stop {
    /// A short name of the reason.
    pub fn name(self) -> &'static str {
        match self {
            Stop::Converged(_) => "converged",
            Stop::WideGap => "wide gap",
            Stop::Stationary => "stationary",
            Stop::Settled => "settled",
            Stop::Iterations => "iterations",
            Stop::Time => "time",
            Stop::Interrupted => "interrupted",
            Stop::Stalled => "stalled",
            Stop::Unproved => "unproved",
            Stop::NegativeCurvature { .. } => "negative curvature",
        }
    }

    /// Whether the solver finished: converged, as far as this can be shown for a possibly indefinite matrix, or nothing
    /// left to do.
    ///
    /// ```
    /// use mercer_core::solve::Stop;
    /// assert!(Stop::Settled.is_done() && !Stop::Iterations.is_done());
    /// ```
    pub fn is_done(self) -> bool {
        matches!(self, Stop::Converged(_) | Stop::Stationary | Stop::Settled)
    }
}

/// A reason as stored in files; the values of its proof are stored next to it.
#[cfg(feature = "serde")]
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StopName {
    Converged,
    WideGap,
    Stationary,
    Settled,
    Iterations,
    Time,
    Interrupted,
    Stalled,
    Unproved,
    NegativeCurvature { first: usize, second: usize, curvature: f64 },
}

#[cfg(feature = "serde")]
impl From<Stop> for StopName {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Converged(_) => StopName::Converged,
            Stop::WideGap => StopName::WideGap,
            Stop::Stationary => StopName::Stationary,
            Stop::Settled => StopName::Settled,
            Stop::Iterations => StopName::Iterations,
            Stop::Time => StopName::Time,
            Stop::Interrupted => StopName::Interrupted,
            Stop::Stalled => StopName::Stalled,
            Stop::Unproved => StopName::Unproved,
            Stop::NegativeCurvature { first, second, curvature } => {
                StopName::NegativeCurvature { first, second, curvature }
            }
        }
    }
}

#[cfg(feature = "serde")]
impl StopName {
    /// The reason, given its proof.
    pub(crate) fn read(self, proof: Option<Proof>) -> Stop {
        match (self, proof) {
            (StopName::Converged, Some(proof)) => Stop::Converged(proof),
            (StopName::WideGap, _) => Stop::WideGap,
            (StopName::Stationary, _) => Stop::Stationary,
            (StopName::Converged, None) | (StopName::Unproved, _) => Stop::Unproved,
            (StopName::Settled, _) => Stop::Settled,
            (StopName::Iterations, _) => Stop::Iterations,
            (StopName::Time, _) => Stop::Time,
            (StopName::Interrupted, _) => Stop::Interrupted,
            (StopName::Stalled, _) => Stop::Stalled,
            (StopName::NegativeCurvature { first, second, curvature }, _) => {
                Stop::NegativeCurvature { first, second, curvature }
            }
        }
    }
}

/// The values of a solution, recomputed in double precision from the variables and the matrix only.
#[derive(Clone, Debug)]
pub(super) struct Checked {
    /// Kβ.
    pub(super) products: Vec<f64>,
    /// The multiplier of each bank's sum.
    pub(super) offsets: Vec<f64>,
    pub(super) primal: f64,
    pub(super) dual: f64,
    pub(super) gap: f64,
    pub(super) violation: f64,
    /// Whether all variables are within their bounds and the sums are unchanged.
    pub(super) feasible: bool,
}

impl Checked {
    /// Checks variables whose banks should have these sums. Costs one pass over the columns of non-zero variables.
    ///
    /// With g = Kβ, any multiplier ρ of a bank and the cost h_k(v) = (g_k + linear_k - ρ)·v + kink·|v|, no feasible
    /// variables have an objective below that of β by more than Σ_k (h_k(β_k) - min_v h_k(v)). Each term of this gap is
    /// at least 0, so that nothing cancels. The gap is computed at the ρ that minimises it: the primal objective of w =
    /// Σ β_k φ(x_k) with its best offset. Fails if a value overflows.
    pub(super) fn of(columns: &dyn Columns, banks: &[Bank], sums: &[f64]) -> Result<Checked> {
        let n = columns.len();
        let total = |k: usize| banks.iter().map(|b| b.beta[k]).sum::<f64>();
        let used = (0..n).map(|k| (k as u32, total(k))).filter(|u| u.1 != 0.0);
        let (chosen, weights): (Vec<u32>, Vec<f64>) = used.unzip();
        let products = match chosen.is_empty() {
            true => vec![0.0; n],
            false => columns.combine(&(0..n as u32).collect::<Vec<_>>(), &chosen, &weights)?,
        };
        let (mut objective, mut gap, mut violation, mut feasible) = (0.0, 0.0, 0.0f64, true);
        let mut offsets = Vec::with_capacity(banks.len());
        for (bank, &sum) in banks.iter().zip(sums) {
            let offset = bank.offset(&products);
            gap += bank.gap(&products, offset).min(bank.gap(&products, bank.best_offset(&products)));
            let (mut now, mut size) = (0.0, 0.0);
            for ((beta, low), high) in bank.beta.iter().zip(&bank.lower).zip(&bank.upper) {
                (now, size) = (now + beta, size + beta.abs());
                feasible &= low <= beta && beta <= high;
            }
            feasible &= (now - sum).abs() <= DRIFT * (size + sum.abs());
            objective += bank.objective(&products);
            violation = violation.max(bank.violation(&products));
            offsets.push(offset);
        }
        let (dual, primal) = (-objective, gap - objective);
        let figures = [primal, dual, gap, violation];
        if figures.iter().chain(&products).chain(&offsets).any(|v| !v.is_finite()) {
            let reason = "the weighted sums of similarities overflow: scale the \
                          objects or lower C";
            return Err(Error::Numeric { reason: reason.into() });
        }
        Ok(Checked { products, offsets, primal, dual, gap, violation, feasible })
    }

    /// The proof of convergence, if these values are one.
    pub(super) fn proof(&self, tolerance: f64) -> Option<Proof> {
        let proof = Proof::new(self.primal, self.dual, self.gap, self.violation, tolerance);
        proof.filter(|_| self.feasible)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Dense;
    use crate::solve::GramColumns;

    fn bank(beta: [f64; 2]) -> Bank {
        Bank {
            beta: beta.to_vec(),
            lower: vec![-1.0, 0.0],
            upper: vec![0.0, 1.0],
            linear: vec![1.0, -1.0],
            kink: 0.0,
        }
    }

    #[test]
    fn values_match_the_solution() {
        let gram = Dense::from_rows(&[[1.0, -1.0], [-1.0, 1.0]]);
        let columns = GramColumns::new(&gram).unwrap();
        let checked = Checked::of(&columns, &[bank([-0.5, 0.5])], &[0.0]).unwrap();
        assert_eq!((checked.primal, checked.dual, checked.gap, checked.violation), (0.5, 0.5, 0.0, 0.0));
        assert!(checked.proof(1e-3).is_some());
        // Halfway: w = 1/2, both errors 1/2; f(x) = x / 2, primal 1/8 + 1, dual 1/2 - 1/8.
        let half = Checked::of(&columns, &[bank([-0.25, 0.25])], &[0.0]).unwrap();
        assert_eq!((half.primal, half.dual, half.gap), (1.125, 0.375, 0.75));
        assert!(half.proof(1e-3).is_none());
    }

    #[test]
    fn infeasible_or_infinite_solutions_have_no_proof() {
        let gram = Dense::from_rows(&[[0.0, 0.0], [0.0, 0.0]]);
        let columns = GramColumns::new(&gram).unwrap();
        let outside = Checked::of(&columns, &[bank([-2.0, 2.0])], &[0.0]).unwrap();
        assert!(outside.proof(f64::INFINITY).is_none());
        let drifted = Checked::of(&columns, &[bank([-0.5, 1.0])], &[0.0]).unwrap();
        assert!(drifted.proof(f64::INFINITY).is_none());
        assert!(Checked::of(&columns, &[bank([-f64::INFINITY, f64::INFINITY])], &[0.0]).is_err());
        assert!(Checked::of(&columns, &[bank([f64::NAN, 0.0])], &[0.0]).is_err());
        assert!(Proof::new(1.0, f64::NAN, 0.0, 0.0, 1.0).is_none());
    }

    #[cfg(feature = "serde")]
    #[test]
    fn a_stored_proof_needs_finite_values() {
        assert!(Proof::recorded(1.0, 1.0, f64::INFINITY, 0.0).is_none());
        assert_eq!(StopName::Converged.read(None), Stop::Unproved);
    }
}
