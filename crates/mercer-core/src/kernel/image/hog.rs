//! Histograms of oriented gradients.
//!
//! The gradient of a grey pixel is the difference of its right and left, and of its lower and upper neighbours (at the
//! border, of the pixel and one neighbour). Its magnitude is distributed over the two nearest of nine directions from
//! 0° to 180°, so that light on dark equals dark on light. The descriptor of a block is the sums over its 4 × 4 cells,
//! divided by their Euclidean norm.
//!
//! N. Dalal and B. Triggs, *Histograms of oriented gradients for human detection*, CVPR 2005.

use std::f64::consts::PI;

use super::integral::Integral;
use super::{Block, PER_CELL, RgbImage, to_unit_length};

/// Votes are counted in fractions of a grey level as whole numbers, which add up exactly.
const PARTS: f64 = 1024.0;

/// The gradients of an image, prepared for describing any of its blocks. Time O(pixels), 72 bytes per pixel.
///
/// ```
/// use mercer_core::data::Image;
/// use mercer_core::kernel::image::{Block, DIMENSION, RgbImage, hog::Gradients};
/// // Brighter from top to bottom: every gradient points down, which is the fifth of nine directions.
/// let ramp = Image::new(16, 16, 1, (0..256).map(|i| (i / 16 * 10) as u8).collect())?;
/// let gradients = Gradients::of(&RgbImage::of(&ramp, 1000)?);
/// let mut out = [0.0; DIMENSION];
/// gradients.describe(Block { x: 4, y: 4, width: 8, height: 8 }, &mut out);
/// assert!(out.iter().enumerate().all(|(i, v)| *v == if i % 9 == 4 { 0.25 } else { 0.0 }));
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Gradients(Integral);

impl Gradients {
    /// The gradients of an image.
    pub fn of(image: &RgbImage) -> Self {
        let (grey, width, height) = (image.grey(), image.width(), image.height());
        let at = |x: usize, y: usize| i32::from(grey[y * width + x]);
        Gradients(Integral::new(image, |x, y| {
            let across = at((x + 1).min(width - 1), y) - at(x.saturating_sub(1), y);
            let down = at(x, (y + 1).min(height - 1)) - at(x, y.saturating_sub(1));
            votes(across, down)
        }))
    }

    /// Writes the [`DIMENSION`](super::DIMENSION) numbers of a block, which must lie in the image: nine for each cell,
    /// row after row.
    pub fn describe(&self, block: Block, out: &mut [f64]) {
        for (cell, own) in block.cells().zip(out.chunks_exact_mut(PER_CELL)) {
            own.iter_mut().zip(self.0.over(cell)).for_each(|(o, v)| *o = v as f64);
        }
        to_unit_length(out);
    }
}

/// The magnitude of a gradient, distributed over the two nearest directions.
fn votes(across: i32, down: i32) -> [u64; PER_CELL] {
    let mut votes = [0; PER_CELL];
    if across == 0 && down == 0 {
        return votes;
    }
    let (across, down) = (f64::from(across), f64::from(down));
    // Direction k is the middle of one of nine sectors; a gradient and its opposite have the same direction.
    let place = down.atan2(across).rem_euclid(PI) / PI * PER_CELL as f64 - 0.5;
    let (lower, upper_share) = (place.floor(), place - place.floor());
    let length = PARTS * across.hypot(down);
    let bin = |k: f64| (k as i64).rem_euclid(PER_CELL as i64) as usize;
    votes[bin(lower)] += (length * (1.0 - upper_share)).round() as u64;
    votes[bin(lower + 1.0)] += (length * upper_share).round() as u64;
    votes
}
