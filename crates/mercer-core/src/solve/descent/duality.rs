//! The losses, and the optimality certificate of a solution.

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

#[cfg(feature = "serde")]
use super::super::problem::number_or_nan;
use super::super::proof::Stop;
#[cfg(feature = "serde")]
use super::super::proof::{Proof, StopName};

/// The loss of an error ξ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Loss {
    /// C·ξ, the L1 loss. Fewer support vectors; slower convergence.
    Absolute,
    /// C·ξ², the L2 loss. The dual is strictly convex and convergence faster.
    #[default]
    Squared,
}

/// The kind of targets, which defines the error. With m = w·x and the target t:
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Task {
    /// Two classes, +1 and -1: ξ = max(0, 1 - t·m).
    Sides,
    /// Numbers: ξ = max(0, |t - m| - epsilon).
    Numbers {
        /// The half-width of the tube without loss; finite and at least 0.
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

    /// The cost per unit of |β|.
    pub(super) fn kink(self) -> f64 {
        match self {
            Task::Sides => 0.0,
            Task::Numbers { epsilon } => epsilon,
        }
    }
}

/// The quality of a solution, proved by weak duality: no weights have a primal objective below `dual`.
///
/// All values are recomputed in double precision from the dual variables at the end: w = Σ_k β_k·x_k is summed again,
/// and the gap is a sum of one non-negative (Fenchel–Young) term per object, which avoids the cancellation of
/// `primal - dual`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(from = "Stored"))]
pub struct Duality {
    /// ½|w|² + Σ_k C_k·ξ_k, or with ξ_k².
    pub primal: f64,
    /// The lower bound on it, proved by the dual variables.
    pub dual: f64,
    /// (primal - dual) / primal, from 0 to 1; 0 when both are 0.
    pub gap: f64,
    /// The largest projected gradient of the dual, relative to that for w = 0.
    pub violation: f64,
    /// Visits to objects divided by their number, rounded up; shrunk objects are not visited.
    pub epochs: u64,
    /// Why the solver stopped. [`Stop::Converged`] only when both `violation` and `gap` are within the tolerance.
    pub stop: Stop,
    /// The time in seconds.
    pub seconds: f64,
}

impl Duality {
    /// Whether the solver reached the tolerance before any limit.
    pub fn is_converged(&self) -> bool {
        self.stop.is_done()
    }
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
    epochs: u64,
    stop: StopName,
    seconds: f64,
}

#[cfg(feature = "serde")]
impl From<Stored> for Duality {
    fn from(stored: Stored) -> Self {
        let Stored { primal, dual, gap, violation, epochs, stop, seconds } = stored;
        let stop = stop.read(Proof::recorded(primal, dual, gap, violation));
        Duality { primal, dual, gap, violation, epochs, stop, seconds }
    }
}
