//! Conformal prediction: sets of classes and intervals of numbers that hold the true value with a chosen confidence.
//!
//! A *score* says how strange a value is for an object under a model. The scores of *calibration objects*, which the
//! model was not fitted to, say how strange true values are. A new value whose score is among the largest is left out.
//! Nothing is assumed about model or data but that calibration and new objects are exchangeable.
//!
//! * [`ClassScore`] scores every class of an object; [`Chance`] has the random numbers of an object.
//! * [`CalibrationScores`] holds the scores of calibration objects, by fold and stratum, and gives p-values and intervals.
//! * [`RidgeLeaveOneOut`] gives the predictions of all leave-one-out models of a ridge regression in closed form.
//! * [`Typicality`] gives the p-value of an object from its distances to reference objects.
//!
//! V. Vovk, A. Gammerman and G. Shafer, *Algorithmic Learning in a Random World*, Springer 2005.

mod chance;
mod classes;
mod ridge_loo;
mod scores;
#[cfg(test)]
mod tests;
mod typicality;

pub use chance::Chance;
pub use classes::ClassScore;
pub use ridge_loo::RidgeLeaveOneOut;
pub use scores::{CalibrationScores, check_confidence};
pub use typicality::Typicality;
