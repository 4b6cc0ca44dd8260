//! Learners: fit to similarities, predict from similarities. They never see objects or files.
//!
//! A learner is a plain struct of parameters with `fit`; fitting gives a machine of another type, which predicts from
//! rows of similarities between new and training objects (for vectors of explicit features: from the features).

mod linear;

pub use linear::{LinearClassifier, LinearMachine, LinearParameters, LinearRegressor, LinearSvc, LinearSvr};
