//! Numeric solvers. They see columns of a matrix, never objects or files.

mod active_set;
mod blocks;
mod cache;
mod chebyshev;
mod columns;
mod descent;
mod disk;
mod factor;
mod flat;
mod held;
mod inverse;
mod lanczos;
mod limits;
mod pairs;
mod problem;
mod proof;
mod scan;
mod smo;
mod symmetric;

pub use active_set::active_set;
pub use chebyshev::Chebyshev;
pub use columns::{Columns, GramColumns, KernelColumns, Subset, View};
pub(crate) use descent::products;
pub use descent::{Descended, Duality, Explicit, Loss, Task, descend};
pub use disk::FileColumns;
pub(crate) use inverse::inverse;
pub use lanczos::{Extremes, extremes};
pub use limits::{Limits, Method};
pub(crate) use problem::number_or_nan;
pub use problem::{Bank, Solution};
pub(crate) use proof::Written;
pub use proof::{Proof, Stop};
pub use smo::solve;
pub use symmetric::Symmetric;

#[cfg(test)]
mod tests;
