//! Diffusion kernels on categorical records compared with the Hamming kernel, and kernels between nodes compared with label
//! propagation.
//!
//! **Records** (Kondor & Lafferty 2002, section 5): voted perceptrons on UCI tables of which only the categorical columns are
//! looked at. For each of many random splits the diffusion coefficient β with the least cross-validated error within the
//! training set is taken; error and number of support vectors are averaged over the splits. A missing value is a value of
//! its own. The number of splits, their shares, the folds and the rounds are settings of this study: the copy of the paper at
//! hand has lost its digits, those of its table too, so that only what it says in words is repeated.
//!
//! **Nodes**: support vector machines with each kernel between nodes on a graph whose nodes come with a split; parameters
//! are chosen by folds of the training set.

mod nodes;
mod problems;
mod render;
mod run;
mod study;
#[cfg(test)]
mod tests;

pub use nodes::{NODE_METHODS, NodeOutcome, NodeProblem, study_nodes};
pub use problems::{Loaded, PROBLEMS, Problem};
pub use render::Report;
pub(super) use run::run;
pub use study::{Measured, Outcome, study};

/// The grid and the splits of the study.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Settings {
    /// The diffusion coefficients to choose among, ascending.
    pub betas: Vec<f64>,
    /// How many random splits.
    pub divisions: usize,
    /// The share of the objects that is tested.
    pub share: f64,
    /// The folds within a training set, for choosing β.
    pub inner_folds: usize,
    /// The rounds of the voted perceptron.
    pub rounds: usize,
    /// Seed of the splits and of the order of the objects.
    pub seed: u64,
}

impl Settings {
    /// Thirteen coefficients, 40 splits with a fifth of the objects to test, 5 inner folds, 10 rounds.
    pub fn full(seed: u64) -> Self {
        let betas = vec![0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0];
        Settings { betas, divisions: 40, share: 0.2, inner_folds: 5, rounds: 10, seed }
    }

    /// For trying out: four coefficients, 3 splits, 3 inner folds. No result to be reported.
    pub fn quick(seed: u64) -> Self {
        Settings { betas: vec![0.05, 0.2, 0.5, 2.0], divisions: 3, inner_folds: 3, ..Settings::full(seed) }
    }
}
