//! Gram matrices: how they are computed, and what can be done with them.

mod canvas;
mod engine;
pub mod plan;
mod progress;

pub use canvas::Scalar;
pub use engine::Engine;
pub use progress::{Cancel, Progress, Silent};
