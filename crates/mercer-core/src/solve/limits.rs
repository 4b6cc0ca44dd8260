//! Limits of a solver.

use std::time::{Duration, Instant};

use super::proof::Stop;
use crate::budget::{self, Budget};
use crate::error::{Error, Result};

/// When a solver must stop, and the resources it may use.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Violations of optimality up to this count as none.
    pub tolerance: f64,
    /// The maximum number of pairs of variables moved.
    pub iterations: u64,
    /// The maximum time.
    pub time: Option<Duration>,
    /// Stops the solver on request.
    pub budget: Budget,
    /// Memory for cached rows of the matrix, in bytes.
    pub cache_bytes: u64,
    /// Whether to use shrinking, which removes variables that are likely to stay at their bounds.
    pub shrinking: bool,
    /// How the problems of support vector machines are solved.
    pub method: Method,
    /// Whether to go on where the matrix is not positive semidefinite, as LIBSVM does: along a pair on which the objective
    /// is concave it is followed to a bound. The solution then satisfies the optimality conditions, but there may be better
    /// ones ([`Stop::Stationary`]). Matrices without a self-similarity above 0, such as distances, are refused nonetheless.
    pub indefinite: bool,
}

/// How the problems of support vector machines are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Pairs of variables; if they converge slowly, the active-set method finishes.
    #[default]
    Auto,
    /// Pairs of variables only, as in LIBSVM.
    Pairs,
    /// The active-set method only: exact to rounding, for small or hard problems.
    ActiveSet,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            tolerance: 1e-3,
            iterations: 100_000_000,
            time: None,
            budget: Budget::default(),
            cache_bytes: 1 << 30,
            shrinking: true,
            method: Method::Auto,
            indefinite: false,
        }
    }
}

impl Limits {
    /// The remaining limits after this many iterations and this much time.
    pub(crate) fn left(&self, iterations: u64, started: Instant) -> Limits {
        let time = self.time.map(|limit| limit.saturating_sub(started.elapsed()));
        Limits { iterations: self.iterations.saturating_sub(iterations), time, ..self.clone() }
    }

    /// The limit that was reached, if any. A budget without time or memory left is an error: nothing more may be
    /// computed, not even the quality of the solution.
    pub(super) fn met(&self, iterations: u64, started: Instant) -> Result<Option<Stop>> {
        match self.budget.check().and_then(|()| budget::check()) {
            Err(Error::Interrupted) => return Ok(Some(Stop::Interrupted)),
            other => other?,
        }
        Ok(if iterations >= self.iterations {
            Some(Stop::Iterations)
        } else if self.time.is_some_and(|limit| started.elapsed() >= limit) {
            Some(Stop::Time)
        } else {
            None
        })
    }
}
