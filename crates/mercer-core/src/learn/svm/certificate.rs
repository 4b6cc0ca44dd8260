//! The optimality certificate of a fit.

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

use crate::solve::Stop;
#[cfg(feature = "serde")]
use crate::solve::{Proof, StopName, number_or_nan};

/// The quality of a fit, recomputed in double precision from the multipliers and the kernel matrix alone.
///
/// It reports convergence only with a [`Proof`], whose values are finite and which only a solver's check can create.
/// The dual objective is a lower bound, the primal objective an upper bound of the optimum, so the gap bounds the
/// distance to it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(from = "Stored"))]
pub struct Certificate {
    /// The primal objective at the solution.
    pub primal: f64,
    /// The dual objective at the solution.
    pub dual: f64,
    /// primal - dual.
    pub gap: f64,
    /// The largest violation of the optimality conditions.
    pub violation: f64,
    /// The number of pairs of variables moved.
    pub iterations: u64,
    /// The number of rows of the kernel matrix computed.
    pub rows_computed: u64,
    /// The time in seconds.
    pub seconds: f64,
    /// Why the solver stopped.
    pub stop: Stop,
    /// Support vectors strictly inside their bounds: on the margin.
    pub free: usize,
    /// Support vectors at their upper bound: inside the margin or on the wrong side.
    pub bounded: usize,
    /// Whether ν leaves no margin: the optimum is w = 0 up to rounding, so decision values carry no information.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "std::ops::Not::not"))]
    pub no_margin: bool,
}

impl Certificate {
    /// Whether the solver reached its tolerance.
    pub fn converged(&self) -> bool {
        matches!(self.stop, Stop::Converged(_))
    }

    /// The gap relative to the magnitude of the objectives.
    pub fn relative_gap(&self) -> f64 {
        self.gap / (1.0 + self.primal.abs() + self.dual.abs())
    }
}

/// The location of a training object relative to the margin, according to its multiplier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Location {
    /// Beyond the margin (for regression: inside the tube); not part of the model.
    Outside,
    /// On the margin.
    On,
    /// Inside the margin or on the wrong side of it (for regression: outside the tube).
    Inside,
}

/// A certificate as stored in files.
#[cfg(feature = "serde")]
#[derive(Deserialize)]
struct Stored {
    #[serde(deserialize_with = "number_or_nan")]
    primal: f64,
    #[serde(deserialize_with = "number_or_nan")]
    dual: f64,
    #[serde(deserialize_with = "number_or_nan")]
    gap: f64,
    #[serde(deserialize_with = "number_or_nan")]
    violation: f64,
    iterations: u64,
    rows_computed: u64,
    seconds: f64,
    stop: StopName,
    free: usize,
    bounded: usize,
    #[serde(default)]
    no_margin: bool,
}

#[cfg(feature = "serde")]
impl From<Stored> for Certificate {
    fn from(stored: Stored) -> Self {
        let Stored { primal, dual, gap, violation, iterations, rows_computed, seconds, .. } = stored;
        let stop = stored.stop.read(Proof::recorded(primal, dual, gap, violation));
        let Stored { free, bounded, no_margin, .. } = stored;
        Certificate {
            primal,
            dual,
            gap,
            violation,
            iterations,
            rows_computed,
            seconds,
            stop,
            free,
            bounded,
            no_margin,
        }
    }
}
