//! Learning from any data through kernels.

pub mod data;
pub mod error;
pub mod gram;
pub mod read;

pub use error::{Code, Error, Place, Result, Warning};
