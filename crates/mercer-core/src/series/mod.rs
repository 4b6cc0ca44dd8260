//! Kernels on time series, made by the dynamic programme of the distances in [`crate::distance::series`].

mod gak;

pub use gak::GlobalAlignment;
