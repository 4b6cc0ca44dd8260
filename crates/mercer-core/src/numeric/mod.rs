//! Numerical routines: vector loops, inner products, dense algebra, eigenvalues, functions of sparse matrices.

pub(crate) mod algebra;
mod chebyshev;
pub(crate) mod check;
mod cholesky;
mod definite;
pub(crate) mod inner;
mod inverse;
pub(crate) mod kd_tree;
mod lanczos;
#[doc(hidden)]
pub mod math;
mod normal;
mod partial;
mod scalar;
pub(crate) mod screen;
pub mod shapley;
mod short;
mod skinny;
mod spectrum;
mod symmetric;
mod transport;

pub use chebyshev::{Chebyshev, PANEL};
pub use check::{SYMMETRY_THRESHOLD, check_finite, check_square, check_symmetric, symmetry};
pub(crate) use cholesky::Cholesky;
pub use definite::is_conditionally_definite;
pub(crate) use inverse::{inverse, inverse_of};
pub use lanczos::{Extremes, extremes};
pub(crate) use normal::log_normal_probability;
pub use normal::{normal_density, normal_probability, normal_quantile};
pub(crate) use partial::largest_pairs;
pub use scalar::Scalar;
#[doc(hidden)]
pub use scalar::{allocate, doubles};
#[doc(hidden)]
pub use short::{Short, shortest};
pub(crate) use spectrum::tolerance;
pub use spectrum::{Spectrum, eigenvalues};
pub use symmetric::Symmetric;
pub use transport::Transport;
