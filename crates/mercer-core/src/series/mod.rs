//! Kernels on time series: sums over alignments, based on the dynamic programme of the distances in
//! [`crate::distance::series`], and explicit features.

mod features;
mod gak;
mod hydra;
mod intervals;
mod kdtw;
mod rocket;
mod signature;

pub use features::{FittedSeries, LearnedSeries, Scale, SeriesMap};
#[doc(hidden)]
pub use features::{MapOptions, SeriesShape, SeriesView};
pub use gak::GlobalAlignment;
pub use hydra::Hydra;
pub use intervals::Intervals;
pub use kdtw::Kdtw;
pub use rocket::{Rocket, Variant};
pub use signature::Signature;
