//! What most programs need, in one line: `use mercer::prelude::*;`.

pub use crate::data::{Column, Dataset, Dense, Sparse, Target, Values, Vectors};
pub use crate::error::{Error, Result};
pub use crate::expression::{Expression, Learner, Training};
pub use crate::gram::{Certificate, Engine};
pub use crate::kernel::vector::{ChiSquared, Cosine, Laplacian, Linear, Polynomial, Rbf, Sigmoid};
pub use crate::kernel::{Boxed, Center, Delta, FeatureMap, Kernel, Normalize, Ones, Prepared, RbfOf};
pub use crate::learn::{
    KernelKMeans, KernelModel, KernelPca, Knn, LandmarkSvc, LinearSvc, LinearSvr, OneClass, Perceptron,
    Prediction, Ridge, Svc, Svr, Trained, VotedPerceptron,
};
pub use crate::read::Options;
pub use crate::select::{Comparison, Measured, Objects, Protocol, Score, Split, Splits};
