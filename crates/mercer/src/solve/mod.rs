//! Numeric solvers. They see columns of a matrix, never objects or files.

mod cache;
mod columns;
mod limits;
mod problem;
mod scan;
mod smo;

pub use columns::{Columns, GramColumns, KernelColumns, Subset, View};
pub use limits::Limits;
pub use problem::{Bank, Solution, Stop};
pub use smo::solve;
