//! Statistical tests, and the table that compares methods.
//!
//! Every test is two-sided and takes finite scores; scores that differ only by rounding count as equal. On one data
//! set, use [`five_by_two_f`] for `5x2` folds or [`corrected_t`] for others. Over several data sets, use [`wilcoxon`]
//! for two methods, and [`friedman`] with [`Friedman::nemenyi`] for more. [`Comparison`] makes these choices.
//!
//! With one split or leave-one-out, evaluations compare methods object by object: [`mcnemar`] for classes,
//! [`delong_test`] for areas under the ROC curve, a paired randomisation test for numbers and other measures.

mod adjust;
mod comparison;
mod counts;
mod friedman;
mod objects;
mod paired;
mod render;
mod significance;
mod test;
#[cfg(test)]
mod tests;
mod wilcoxon;

pub use adjust::Correction;
pub use comparison::Comparison;
pub use counts::{mcnemar, sign_test};
pub use friedman::{Friedman, Nemenyi, friedman};
pub use paired::{corrected_t, delong_test, five_by_two_f, five_by_two_t, paired_t};
pub(in crate::select) use significance::p_value;
pub use significance::{ComparisonSettings, ComparisonTests, Pair};
pub use test::{Test, WinsTiesLosses, wins_ties_losses};
pub use wilcoxon::{Zeros, wilcoxon};
