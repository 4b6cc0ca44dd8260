//! Pictures as numbers: local descriptors on a dense grid, a vocabulary of them, and Fisher vectors over it.
//!
//! The way of Perronnin, Sánchez and Mensink (ECCV 2010), with the descriptors of Daróczy, Buza and Benczúr (*Similarity kernel
//! learning*): blocks of several sizes on a dense [`Grid`], each described by gradients ([`hog`]) and by moments of its colours ([`moments`]);
//! a [`Projection`] to fewer numbers; a [`Mixture`] of Gaussians, whose components are the visual words; and for a picture the
//! gradient of the likelihood of its descriptors, over the whole of it and over three horizontal bands ([`Encoder`]).
//!
//! Descriptors of one kind have a vocabulary of their own. One vocabulary over both side by side would need fewer numbers, but
//! the kind with the larger spread would decide which word a block is.

mod encode;
mod grid;
pub mod hog;
mod integral;
mod mixture;
pub mod moments;
mod picture;
mod projection;
mod seeding;
#[cfg(test)]
mod tests;

pub use encode::{Descriptor, Encoder, EncoderSettings, Words};
pub use grid::{Block, Grid, Places};
pub use mixture::Mixture;
pub use picture::Picture;
pub use projection::Projection;

/// Cells along each side of a block.
pub const CELLS: usize = 4;
/// Numbers that describe a cell, by its gradients or by its colours.
pub const PER_CELL: usize = 9;
/// Numbers that describe a block.
pub const DIMENSION: usize = CELLS * CELLS * PER_CELL;

/// Divides by the Euclidean length; zeros stay.
fn to_unit_length(values: &mut [f64]) {
    let length = values.iter().map(|v| v * v).sum::<f64>().sqrt();
    if length > 0.0 {
        values.iter_mut().for_each(|v| *v /= length);
    }
}
