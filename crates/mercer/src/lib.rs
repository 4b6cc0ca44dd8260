//! Learning from any data through kernels.
//!
//! Data flows in one direction; each arrow is one module:
//!
//! ```text
//! file ──read──▶ Dataset ──kernel──▶ Gram ──learn──▶ Model ──▶ predictions ──select──▶ evaluation, comparison
//! ```
//!
//! * [`budget`]: limits on memory and time, progress reporting and cancellation.
//! * [`data`]: objects of many types, and the [`Dataset`](data::Dataset) that holds them in typed columns.
//! * [`read`]: file readers that return data sets; errors give the position in the file.
//! * [`kernel`]: kernels on vectors, categories, strings; sums, products, normalising, centring, convolution.
//! * [`distance`]: distances, and the kernels derived from them.
//! * [`expression`]: kernels and learners written as text and looked up in registries at run time.
//! * [`solve`] and [`learn`]: solvers that work on matrix columns, and the learners built on them.
//! * [`gram`]: computation of Gram matrices on all cores, and operations on Gram matrices.
//! * [`doctor`]: faults of data that make results look better or worse than they are.
//! * [`select`]: training/test splits, scores with confidence intervals, statistical comparison of methods.
//! * [`insight`]: diagnostics besides scores, as data for plots.
//! * [`model`]: saving fitted models, and loading them safely from untrusted files.
//!
//! With types known at compile time:
//!
//! ```
//! use mercer::prelude::*;
//! let x = Vectors::from(Dense::from_rows(&[[5.9, 3.0], [6.9, 3.1], [6.6, 2.9]]));
//! let kernel = Rbf::new(0.1)? * Polynomial::new(2, 1.0, 1.0)? + Linear;
//! let k = Engine::new().gram(&kernel, &x)?;
//! assert!(Certificate::of(&k)?.is_psd());
//! let model = Svc::new(1.0).fit(&kernel, &x, &["setosa", "virginica", "virginica"])?;
//! assert_eq!(model.predict(&x)?.len(), 3);
//! # Ok::<(), mercer::Error>(())
//! ```
//!
//! With a file and a kernel written as text:
//!
//! ```
//! use mercer::prelude::*;
//! # let path = std::env::temp_dir().join("mercer-lib-example.csv");
//! # std::fs::write(&path, "age,sex,class\n31,f,yes\n54,m,no\n29,m,yes\n").unwrap();
//! let data = mercer::read::read(&path, &Options::default())?;
//! let engine = Engine::new();
//! let expression: Expression = "standardize(rbf(sigma=1))@age + 0.5*delta@sex".parse()?;
//! let kernel = expression.fit(&data, &engine)?.kernel;
//! let k = engine.gram(&kernel, &data)?;
//! assert_eq!(k.at(0, 0), 1.5);
//! # std::fs::remove_file(&path).unwrap();
//! # Ok::<(), mercer::Error>(())
//! ```
//!
//! Results are bit-identical for any number of threads. No input makes the library panic; it refuses invalid input with
//! an [`Error`] that carries data and whose message can be shown to users unchanged.

pub(crate) mod container;
pub mod doctor;
pub mod expression;
pub mod files;
#[cfg(doctest)]
mod guide;
pub mod insight;
pub mod laws;
pub mod model;
pub mod prelude;
pub mod select;

pub use mercer_core::{budget, distance, error, learn};
// For the other crates of this workspace.
#[doc(hidden)]
pub use mercer_core::{numeric, parallel, random, text};
pub use mercer_read as read;

pub use budget::Budget;
pub use error::{Code, Error, Place, Result, Warning};

/// Objects of many types, and the data sets that hold them.
pub mod data {
    pub use mercer_core::data::*;
    pub use mercer_read::embedded;
}

/// Gram matrices: computing them, operating on them, and writing them to files.
pub mod gram {
    pub use crate::files::{Identity, Output, ToFile, WriteStatistics};
    pub use mercer_core::gram::*;
}

/// Kernels for all types of objects, and kernels fitted to a training set.
pub mod kernel {
    pub use mercer_core::fitted::*;
    pub use mercer_core::kernel::*;
    pub use mercer_core::series;
}

/// Numeric solvers. They work on matrix columns, never on objects.
pub mod solve {
    pub use mercer_core::solve::*;
    pub use mercer_read::FileColumns;
}
