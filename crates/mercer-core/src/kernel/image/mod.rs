//! Image features: local descriptors on a dense grid, a visual vocabulary, and Fisher vectors.
//!
//! The method of Perronnin, Sánchez and Mensink (ECCV 2010), with the descriptors of Daróczy, Buza and Benczúr
//! (*Similarity kernel learning*). Blocks of several sizes on a dense [`Grid`] are described by gradients ([`hog`]) and
//! by colour moments ([`moments`]). A [`Projection`] reduces their dimension, and the components of a [`Mixture`] of
//! Gaussians are the visual words. An image is encoded by the gradient of the likelihood of its descriptors, over the
//! whole image and over three horizontal bands ([`Encoder`]).
//!
//! Each kind of descriptor has its own vocabulary. One joint vocabulary would need fewer numbers, but the kind with the
//! larger variance would determine the word of a block.

mod encode;
mod grid;
pub mod hog;
mod integral;
mod mixture;
pub mod moments;
mod projection;
mod rgb_image;
mod seeding;
#[cfg(test)]
mod tests;

pub use encode::{Descriptor, Encoder, EncoderSettings, Words};
pub use grid::{Block, Grid, Places};
pub use mixture::Mixture;
pub use projection::Projection;
pub use rgb_image::RgbImage;

/// Cells along each side of a block.
pub const CELLS: usize = 4;
/// Numbers per cell, for gradients and for colours.
pub const PER_CELL: usize = 9;
/// Numbers per block.
pub const DIMENSION: usize = CELLS * CELLS * PER_CELL;

/// Divides by the Euclidean norm; zero vectors stay.
fn to_unit_length(values: &mut [f64]) {
    let length = values.iter().map(|v| v * v).sum::<f64>().sqrt();
    if length > 0.0 {
        values.iter_mut().for_each(|v| *v /= length);
    }
}
