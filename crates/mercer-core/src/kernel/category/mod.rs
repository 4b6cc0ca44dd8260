//! Kernels on categorical records: which attributes of two objects agree.
//!
//! A set of objects is a slice of columns, `[Categories]`, one for each attribute. Values are compared by name, so two
//! sets need no common dictionary: a value not seen before differs from all seen values, and equals itself.

mod diffusion;
mod hamming;
mod hypercube;
mod records;

pub use diffusion::Diffusion;
pub use hamming::Hamming;
pub use hypercube::Hypercube;
#[doc(hidden)]
pub use records::UNNAMED;
pub use records::{Missing, Records};

use super::operators;

operators!([] Diffusion, [] Hypercube, [] Hamming);

#[cfg(test)]
mod tests;
