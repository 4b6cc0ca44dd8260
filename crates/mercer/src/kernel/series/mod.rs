//! Kernels on time series. Distances of series are in [`crate::distance::series`].

mod gak;

pub use gak::GlobalAlignment;
