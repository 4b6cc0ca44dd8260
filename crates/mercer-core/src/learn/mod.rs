//! Learners: fit to similarities, predict from similarities. They never see objects or files.
//!
//! A learner is a plain struct of parameters with `fit`; fitting gives a machine of another type, which predicts from
//! rows of similarities between new and training objects (for vectors of explicit features: from the features).

mod falkon;
mod kmeans;
mod knn;
mod linear;
pub mod mkl;
mod pca;
mod perceptron;
#[doc(hidden)]
pub mod ridge;
#[doc(hidden)]
pub mod rows;
pub mod svm;
#[doc(hidden)]
pub mod targets;
pub(crate) mod trained;
mod voted_perceptron;

pub use kmeans::{KernelKMeans, KernelKMeansMachine};
pub use knn::{Knn, KnnClassifier, KnnRegressor, Measure};
pub use linear::{
    LinearClassifier, LinearMachine, LinearMap, LinearParameters, LinearRegressor, LinearSvc, LinearSvr,
};
pub use pca::{KernelPca, KernelPcaMachine};
#[doc(hidden)]
pub use perceptron::Run;
pub use perceptron::{LinearPerceptronMachine, Perceptron, PerceptronMachine};
pub use ridge::{Ridge, RidgeClassifier, RidgeMachine, RidgePath, RidgeResiduals, ridge_path};
pub use trained::{AnyMachine, Linear, Neighbours, Prediction, Trained};
#[doc(hidden)]
pub use voted_perceptron::Mistake;
pub use voted_perceptron::{Order, Rule, VotedPerceptron, VotedPerceptronMachine};
