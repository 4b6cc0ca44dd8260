//! Learners fit to similarities and predict from similarities. They have no access to objects or files.
//!
//! A learner is a plain struct of parameters. Its typed `fit(&kernel, &objects, …)` returns a [`KernelModel`], which
//! predicts new objects:
//!
//! ```
//! use mercer_core::data::{Dense, Vectors};
//! use mercer_core::{Rbf, Svc};
//! let x = Vectors::from(Dense::from_rows(&[[0.0], [0.2], [1.0], [1.2]]));
//! let model = Svc::new(1.0).fit(&Rbf::new(0.5)?, &x, &["low", "low", "high", "high"])?;
//! assert_eq!(model.predict(&Vectors::from(Dense::from_rows(&[[0.1], [2.0]])))?, ["low", "high"]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! The lower-level [`Learner::fit_columns`] takes columns of a matrix and targets as class codes or numbers. It returns
//! a [`Predictor`], which predicts from rows of similarities between new and training objects, or from explicit
//! features.

pub mod conformal;
mod falkon;
mod gp;
mod kmeans;
mod knn;
mod learner;
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
mod typed;
mod voted_perceptron;

pub use crate::gram::Measure;
pub use gp::{
    Approximation, Ascent, Climbed, Covariance, Evidence, Explained, GaussianProcess, GpClassifier,
    GpClassifierModel, GpLeftOut, GpModel, Highest, IterativeGp, IterativeGpModel, Latent, Marginal,
    Posterior, ProcessModel, Slope, SparseGp, SparseGpModel, ascend, entrywise, normal_samples,
};
pub use kmeans::{KernelKMeans, KernelKMeansModel};
pub use knn::{Knn, KnnClassifier, KnnRegressor, Neighbours};
pub use learner::{ClassCodes, Learner, ModelOutput, PredictFrom, Predictor};
pub use linear::{
    LinearClassifier, LinearMap, LinearModel, LinearParameters, LinearRegressor, LinearScheme, LinearSvc,
    LinearSvr,
};
pub use pca::{KernelPca, KernelPcaModel};
#[doc(hidden)]
pub use perceptron::Run;
pub use perceptron::{LinearPerceptronModel, Perceptron, PerceptronModel};
pub use ridge::{Ridge, RidgeClassifier, RidgeModel, RidgePath, RidgeResiduals, learned_lambda, ridge_path};
pub use svm::{LandmarkSvc, OneClass, ProbabilisticSvc, Svc, Svr};
pub use trained::{AnyModel, Erased, Linear, LinearFunctions, Predicted, Prediction, Trained, WeightOf};
pub use typed::{ClassLabels, Classifier, KernelModel, Regressor, Unlabelled};
#[doc(hidden)]
pub use typed::{MOST_CHECKED, check_curvature};
#[doc(hidden)]
pub use voted_perceptron::Mistake;
pub use voted_perceptron::{Order, Rule, VotedPerceptron, VotedPerceptronModel};
