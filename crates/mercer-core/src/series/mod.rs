//! Kernels on time series, based on the dynamic programme of the distances in [`crate::distance::series`].

mod gak;

pub use gak::GlobalAlignment;
