//! Published experiments, done again.
//!
//! Each study holds its protocol, runs it on the data it was published for, and shows what came out beside what was printed.
//! Printed figures are carried over with their source and are never a goal: nothing here is tuned towards them.

pub mod diffusion;
pub mod graphs;
pub mod random_walk;
mod sheet;
pub mod similarity;
