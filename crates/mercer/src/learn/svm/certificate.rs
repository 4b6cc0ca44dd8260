//! What a fit can prove about itself.

use serde::{Deserialize, Serialize};

use crate::solve::{Stop, number_or_nan};

/// How good a fit is, from quantities recomputed in double precision.
///
/// The dual objective is at most, the primal objective at least the optimum, so the gap bounds the distance to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// The primal objective at the solution.
    #[serde(deserialize_with = "number_or_nan")]
    pub primal: f64,
    /// The dual objective at the solution.
    #[serde(deserialize_with = "number_or_nan")]
    pub dual: f64,
    /// primal - dual.
    #[serde(deserialize_with = "number_or_nan")]
    pub gap: f64,
    /// The largest violation of the optimality conditions.
    #[serde(deserialize_with = "number_or_nan")]
    pub violation: f64,
    /// Pairs of variables moved.
    pub iterations: u64,
    /// Rows of the kernel matrix computed.
    pub rows_computed: u64,
    /// Seconds taken.
    pub seconds: f64,
    /// Why the solver stopped.
    pub stop: Stop,
    /// Support vectors strictly inside their bounds: on the margin.
    pub free: usize,
    /// Support vectors at their upper bound: inside the margin or on the wrong side.
    pub bounded: usize,
}

impl Certificate {
    /// Whether the solver reached its tolerance.
    pub fn converged(&self) -> bool {
        self.stop == Stop::Converged
    }

    /// The gap relative to the size of the objectives.
    pub fn relative_gap(&self) -> f64 {
        self.gap / (1.0 + self.primal.abs() + self.dual.abs())
    }
}

/// Where a training object lies relative to the margin, read from its multiplier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Location {
    /// Beyond the margin (for regression: inside the tube); it has no part in the machine.
    Outside,
    /// On the margin.
    On,
    /// Inside the margin or on the wrong side of it (for regression: outside the tube).
    Inside,
}
