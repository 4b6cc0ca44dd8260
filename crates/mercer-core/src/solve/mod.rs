//! Numerical solvers. They access columns of a matrix, never objects or files.

mod active_set;
mod blocks;
mod cache;
mod columns;
mod descent;
mod factor;
mod flat;
mod held;
mod in_memory;
mod landmarks;
mod left_out;
mod limits;
mod pairs;
mod problem;
mod proof;
mod scan;
mod smo;

pub use crate::numeric::{Chebyshev, Extremes, Symmetric, extremes};
pub use active_set::active_set;
pub use columns::{Columns, KernelColumns, View};
pub(crate) use descent::products;
pub use descent::{
    DescentResult, Duality, Explicit, Joint, JointResult, Loss, Task, descend, descend_jointly,
};
pub use in_memory::{GramColumns, Subset};
pub use landmarks::{Landmarked, MarginSolution, Penalties};
pub use limits::{Limits, Method};
#[cfg(feature = "serde")]
pub(crate) use problem::number_or_nan;
pub use problem::{Bank, Solution};
#[cfg(feature = "serde")]
pub(crate) use proof::StopName;
pub use proof::{Proof, Stop};
pub use smo::{solve, solve_indefinite};

/// Adds each row times its weight to `sums`, in the same order of summation as the solvers.
#[doc(hidden)]
pub fn add_rows(sums: &mut [f64], rows: &[&[f64]], weights: &[f64]) {
    scan::add_rows(sums, rows, weights);
}

#[cfg(test)]
mod tests;
