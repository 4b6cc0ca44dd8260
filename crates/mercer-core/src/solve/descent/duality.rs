//! The losses, and the proof of how good a solution is.

use serde::{Deserialize, Serialize};

use super::super::problem::number_or_nan;
use super::super::proof::{Proof, Stop, Written};

/// How an error ξ is charged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// C·ξ, the L1 loss. Fewer objects carry the solution; the descent is slower.
    Absolute,
    /// C·ξ², the L2 loss. The dual is strictly convex and the descent faster.
    #[default]
    Squared,
}

/// What the targets mean, and so what an error is. With m = w·x and the target t:
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Two classes, +1 and -1: ξ = max(0, 1 - t·m).
    Sides,
    /// Numbers: ξ = max(0, |t - m| - epsilon).
    Numbers {
        /// The width of the tube in which errors are free; finite and at least 0.
        epsilon: f64,
    },
}

impl Task {
    /// The error ξ of the product m for the target t.
    pub(super) fn error(self, target: f64, product: f64) -> f64 {
        match self {
            Task::Sides => (1.0 - target * product).max(0.0),
            Task::Numbers { epsilon } => ((target - product).abs() - epsilon).max(0.0),
        }
    }

    /// What |β| costs.
    pub(super) fn kink(self) -> f64 {
        match self {
            Task::Sides => 0.0,
            Task::Numbers { epsilon } => epsilon,
        }
    }
}

/// How good a solution is, proved by weak duality: no weights have a primal objective below `dual`.
///
/// All figures are recomputed in double precision from the dual variables when the solver ends: w = Σ_k β_k·x_k is
/// summed afresh, and the gap is a sum of one non-negative (Fenchel–Young) term per object, which does not suffer
/// from the cancellation that `primal - dual` would.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Stored")]
pub struct Duality {
    /// ½|w|² + Σ_k C_k·ξ_k, or with ξ_k².
    pub primal: f64,
    /// The lower bound on it that the dual variables prove.
    pub dual: f64,
    /// (primal - dual) / primal, from 0 to 1; 0 when both are 0.
    pub gap: f64,
    /// The largest projected gradient of the dual, as a share of what it is for w = 0.
    pub violation: f64,
    /// Visits to objects divided by their number, rounded up; objects set aside are not visited.
    pub epochs: u64,
    /// Why the solver stopped. [`Stop::Converged`] only when both `violation` and `gap` are within the tolerance.
    pub stop: Stop,
    /// Seconds taken.
    pub seconds: f64,
}

impl Duality {
    /// Whether the solver reached the tolerance, and no limit came first.
    pub fn is_converged(&self) -> bool {
        self.stop.is_done()
    }
}

/// A certificate as files have it.
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
    epochs: u64,
    stop: Written,
    seconds: f64,
}

impl From<Stored> for Duality {
    fn from(stored: Stored) -> Self {
        let Stored { primal, dual, gap, violation, epochs, stop, seconds } = stored;
        let stop = stop.read(Proof::recorded(primal, dual, gap, violation));
        Duality { primal, dual, gap, violation, epochs, stop, seconds }
    }
}
