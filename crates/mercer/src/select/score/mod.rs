//! Measures of predictions, their confidence intervals, and the underlying curves.
//!
//! One function per measure, and [`Score`] to select one by name. Class codes start at 0; of two classes, class 1 is
//! the positive one.

mod check;
mod choice;
mod interval;
mod measured;
mod number;
mod probability;
mod rank;
mod tally;
#[cfg(test)]
mod tests;

pub use choice::{Needs, Predicted, Score, Truth};
pub use interval::{Bootstrap, Interval, delong, mean_over_folds, wilson};
pub(crate) use interval::{Placements, check_ratio, covariance};
pub use measured::Measured;
pub use number::{mae, r2, rmse};
pub use probability::{Binning, Calibration, CalibrationBin, brier, calibration, log_loss};
pub use rank::{CurvePoint, Interpolation, auc, average_precision, precision_recall_curve, roc_curve};
pub use tally::{Average, Confusion, accuracy, balanced_accuracy, f1, matthews};
