//! Searching a grid of kernels and learners over many splits of the data.
//!
//! The search shares the kernel computations. [`Matrices`](crate::expression::Matrices) computes distances and unfitted
//! kernels once for all objects, and splits select entries from them. Walks are decomposed once for all step counts.
//! Models that differ only in C are warm-started from the previous one. Anything fitted is fitted to the training set
//! of each split. Configurations run in parallel on all cores; results are in grid order and do not depend on the
//! number of threads.
//!
//! Plain cross-validation of every configuration would need a tenth of the code. For a grid over C, gamma and the steps
//! of a walk, it would spend most of its time recomputing the same matrices.

mod answers;
mod baseline;
mod configurations;
mod grid;
mod halving;
mod journal;
mod left_out;
mod nested;
#[cfg(test)]
mod probability_tests;
mod scores;
mod strategy;
#[cfg(test)]
mod tests;

pub(in crate::select) use answers::Answers;
pub(in crate::select) use baseline::of_target as baseline;
pub use configurations::{Fold, Search};
pub(in crate::select) use configurations::{check_probabilities, check_score};
pub use grid::Grid;
pub use nested::{Evaluation, OuterFold, Tuning};
pub use scores::ConfigurationScores;
pub use strategy::Strategy;
