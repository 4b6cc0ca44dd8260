//! Learning from any data through kernels.

pub mod data;
pub mod error;
pub mod expression;
pub mod gram;
pub mod kernel;
pub mod read;

pub use error::{Code, Error, Place, Result, Warning};
