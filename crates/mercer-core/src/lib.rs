//! The mathematics of kernels: objects, kernels and distances, Gram matrices, solvers and learners.
//!
//! Without files and expressions: the crate `mercer` adds them and re-exports everything here.
//!
//! ```
//! use mercer_core::data::{Dense, Vectors};
//! use mercer_core::gram::{Certificate, Engine};
//! use mercer_core::{Linear, Polynomial, Rbf, Svc};
//! let x = Vectors::from(Dense::from_rows(&[[5.9, 3.0], [6.9, 3.1], [6.6, 2.9]]));
//! let kernel = Rbf::new(0.1)? * Polynomial::new(2, 1.0, 1.0)? + Linear;
//! let k = Engine::new().gram(&kernel, &x)?;
//! assert!(Certificate::of(&k)?.is_psd());
//! let model = Svc::new(1.0).fit(&kernel, &x, &["a", "b", "b"])?;
//! assert_eq!(model.predict(&x)?.len(), 3);
//! # Ok::<(), mercer_core::Error>(())
//! ```

pub mod budget;
pub mod data;
pub mod distance;
pub mod error;
pub mod fitted;
pub mod gram;
pub mod kernel;
pub mod learn;
pub mod numeric;
pub mod parallel;
// Public for the other crates of the workspace, which use the same generator.
#[doc(hidden)]
pub mod random;
pub mod series;
pub mod solve;
#[doc(hidden)]
pub mod text;
pub mod traits;

pub use budget::Budget;
pub use error::{Code, Error, Place, Result, Warning};
pub use kernel::vector::{Linear, Polynomial, Rbf};
pub use learn::{
    GaussianProcess, KernelKMeans, KernelPca, Knn, LandmarkSvc, LinearSvc, LinearSvr, OneClass, Perceptron,
    Ridge, Svc, Svr, VotedPerceptron,
};
