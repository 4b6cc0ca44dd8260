//! Learning from any data through kernels.
//!
//! Data takes one way, forward, and each arrow is one module:
//!
//! ```text
//! file ──read──▶ Dataset ──kernel──▶ Gram ──learn──▶ Model ──▶ predictions ──select──▶ evaluation, comparison
//! ```
//!
//! * [`budget`]: memory and time that work may use, and how it is stopped.
//! * [`data`]: objects of many kinds, and the [`Dataset`](data::Dataset) that holds them in typed columns.
//! * [`read`]: files into data sets, with errors that say where.
//! * [`kernel`]: kernels on vectors, categories, strings; sums, products, normalising, centring, convolution.
//! * [`distance`]: distances, and the kernels they stand for.
//! * [`expression`]: the language of kernels and learners and its registries, for what is known only at run time.
//! * [`solve`] and [`learn`]: solvers that see columns of a matrix, and the learners on top of them.
//! * [`gram`]: the engine that computes Gram matrices on all cores, and all that can be done with them.
//! * [`select`]: splits into training and test parts, scores with intervals, statistical comparison of methods.
//! * [`insight`]: what people look at besides scores, as data for pictures.
//! * [`model`]: fitted models in files, and the checks that let any bytes be loaded safely.
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
//! Results are the same bit for bit whatever the number of threads. No input makes the library panic; what it
//! refuses, it refuses with an [`Error`] that carries data and can be shown to people as it is.

pub(crate) mod container;
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
// For the sister crates.
#[doc(hidden)]
pub use mercer_core::{numeric, random, text};
pub use mercer_read as read;

pub use budget::Budget;
pub use error::{Code, Error, Place, Result, Warning};

/// Objects of many kinds, and the data sets that hold them.
pub mod data {
    pub use mercer_core::data::*;
    pub use mercer_read::embedded;
}

/// Gram matrices: how they are computed, what can be done with them, and how they are written to files.
pub mod gram {
    pub use crate::files::{Identity, Output, ToFile, Written};
    pub use mercer_core::gram::*;
}

/// Kernels of all kinds of objects, and those that learn from a training set.
pub mod kernel {
    pub use mercer_core::fitted::*;
    pub use mercer_core::kernel::*;
    pub use mercer_core::series;
}

/// Numeric solvers. They see columns of a matrix, never objects.
pub mod solve {
    pub use mercer_core::solve::*;
    pub use mercer_read::FileColumns;
}
