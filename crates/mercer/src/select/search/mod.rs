//! Searching a grid of kernels and learners over many divisions of the data.
//!
//! The search owns the kernel work: [`Matrices`](crate::expression::Matrices) computes distances and unfitted kernels once
//! for all objects, walks are taken apart once for all their steps, divisions pick entries, and machines that differ in C
//! alone start where the one before ended. Whatever is fitted is fitted to the training part of each division. Cells are
//! worked on by all cores; results stand in the order of the grid and do not depend on the number of threads.
//!
//! Handing every cell to a plain cross-validation would be a tenth of the code and, for a grid over C, gamma and the steps of a
//! walk, most of its time would go into computing the same matrices again.

mod answers;
mod baseline;
mod cells;
mod grid;
mod halving;
mod journal;
mod nested;
#[cfg(test)]
mod probability_tests;
mod scores;
mod strategy;
#[cfg(test)]
mod tests;

pub(in crate::select) use answers::Answers;
pub(in crate::select) use baseline::of_target as baseline;
pub use cells::{Fold, Search};
pub(in crate::select) use cells::{check_probabilities, check_score};
pub use grid::Grid;
pub use nested::{Evaluation, OuterFold, Tuning};
pub use scores::CellScores;
pub use strategy::Strategy;
