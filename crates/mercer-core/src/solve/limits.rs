//! When a solver must stop.

use std::time::{Duration, Instant};

use super::proof::Stop;
use crate::budget::{self, Budget};
use crate::error::{Error, Result};

/// When a solver must stop, and what it may use.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The largest violation of optimality that counts as none.
    pub tolerance: f64,
    /// The most pairs of variables moved.
    pub iterations: u64,
    /// The most time taken.
    pub time: Option<Duration>,
    /// Stops the work when asked to.
    pub budget: Budget,
    /// Bytes for rows of the matrix.
    pub cache_bytes: u64,
    /// Whether variables that seem settled are set aside.
    pub shrinking: bool,
    /// How the problems of support vector machines are solved.
    pub method: Method,
}

/// How the problems of support vector machines are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Pairs of variables; where they crawl, the active-set method finishes.
    #[default]
    Auto,
    /// Pairs of variables alone, as LIBSVM does.
    Pairs,
    /// The active-set method from the start: exact to rounding, for small or hard problems.
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
        }
    }
}

impl Limits {
    /// The same limits less what was used up already.
    pub(crate) fn left(&self, iterations: u64, started: Instant) -> Limits {
        let time = self.time.map(|limit| limit.saturating_sub(started.elapsed()));
        Limits { iterations: self.iterations.saturating_sub(iterations), time, ..self.clone() }
    }

    /// The limit that is met, if any. A budget whose time or memory is spent is an error: nothing more may be done, not even to
    /// find out how good the solution is.
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
