//! Diffusion kernels on categorical records compared with the Hamming kernel, and kernels between nodes compared with label
//! propagation.
//!
//! **Records** (Kondor & Lafferty 2002, section 5): voted perceptrons on UCI tables, using only the categorical
//! columns. For each of many random splits the diffusion coefficient β with the smallest cross-validated error within
//! the training set is chosen. Error and number of support vectors are averaged over the splits. A missing value is a
//! category of its own. The number of splits, the test fraction, the folds and the rounds are settings of this study:
//! the available copy of the paper has lost its digits, including those of its table. Therefore only its statements in
//! words can be compared.
//!
//! **Nodes**: support vector machines with each node kernel on a graph with a given split of its nodes; parameters are
//! chosen by cross-validation on the training set.

mod nodes;
mod problems;
mod render;
mod run;
mod study;
#[cfg(test)]
mod tests;

pub use nodes::{NODE_METHODS, NodeOutcome, NodeProblem, study_nodes};
pub use problems::{Loaded, PROBLEMS, Problem};
pub use render::DiffusionReport;
pub(super) use run::run;
pub use study::{DiffusionOutcome, Measured, study};

/// The grid and the splits of the study.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct DiffusionSettings {
    /// The diffusion coefficients to choose from, ascending.
    pub betas: Vec<f64>,
    /// The number of random splits.
    pub splits: usize,
    /// The fraction of the objects in the test set.
    pub share: f64,
    /// The number of inner folds for choosing β.
    pub inner_folds: usize,
    /// The number of epochs of the voted perceptron.
    pub rounds: usize,
    /// Seed of the splits and of the order of the objects.
    pub seed: u64,
}

impl DiffusionSettings {
    /// Thirteen coefficients, 40 splits with a fifth of the objects in the test set, 5 inner folds, 10 epochs.
    pub fn full(seed: u64) -> Self {
        let betas = vec![0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0];
        DiffusionSettings { betas, splits: 40, share: 0.2, inner_folds: 5, rounds: 10, seed }
    }

    /// For a quick trial: four coefficients, 3 splits, 3 inner folds. Not for reported results.
    pub fn quick(seed: u64) -> Self {
        DiffusionSettings {
            betas: vec![0.05, 0.2, 0.5, 2.0],
            splits: 3,
            inner_folds: 3,
            ..DiffusionSettings::full(seed)
        }
    }
}
