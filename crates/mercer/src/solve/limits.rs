//! When a solver must stop.

use std::time::{Duration, Instant};

use super::problem::Stop;
use crate::gram::Cancel;

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
    pub cancel: Cancel,
    /// Bytes for rows of the matrix.
    pub cache_bytes: u64,
    /// Whether variables that seem settled are set aside.
    pub shrinking: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            tolerance: 1e-3,
            iterations: 100_000_000,
            time: None,
            cancel: Cancel::default(),
            cache_bytes: 1 << 30,
            shrinking: true,
        }
    }
}

impl Limits {
    /// The limit that is met, if any.
    pub(super) fn met(&self, iterations: u64, started: Instant) -> Option<Stop> {
        if self.cancel.is_stopped() {
            Some(Stop::Interrupted)
        } else if iterations >= self.iterations {
            Some(Stop::Iterations)
        } else if self.time.is_some_and(|limit| started.elapsed() >= limit) {
            Some(Stop::Time)
        } else {
            None
        }
    }
}
