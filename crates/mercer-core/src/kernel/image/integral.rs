//! Integral images: sums over rectangles of pixels from four numbers each.
//!
//! Sums are of whole numbers, so that the sums of a uniform block are exact whatever surrounds it. Sums of doubles
//! would leave rounding errors, which normalisation would turn into a spurious descriptor.

use super::{PER_CELL, RgbImage};

/// Sums of nine whole numbers per pixel from the top left to every pixel.
#[derive(Clone, Debug)]
pub(super) struct Integral {
    /// Entries per row: one more than pixels.
    stride: usize,
    sums: Vec<[u64; PER_CELL]>,
}

impl Integral {
    /// The sums of `of(x, y)` over the pixels.
    pub(super) fn new(image: &RgbImage, of: impl Fn(usize, usize) -> [u64; PER_CELL]) -> Self {
        let stride = image.width() + 1;
        let mut sums = vec![[0; PER_CELL]; stride * (image.height() + 1)];
        for y in 0..image.height() {
            let mut row = [0; PER_CELL];
            for x in 0..image.width() {
                let own = of(x, y);
                let above = sums[y * stride + x + 1];
                for k in 0..PER_CELL {
                    row[k] += own[k];
                    sums[(y + 1) * stride + x + 1][k] = above[k] + row[k];
                }
            }
        }
        Integral { stride, sums }
    }

    /// The sums over the pixels from (left, top) inclusive to (right, bottom) exclusive.
    pub(super) fn over(&self, (left, top, right, bottom): (usize, usize, usize, usize)) -> [u64; PER_CELL] {
        let at = |x: usize, y: usize| &self.sums[y * self.stride + x];
        let (a, b, c, d) = (at(left, top), at(right, top), at(left, bottom), at(right, bottom));
        // Additions come first, so that no intermediate result is below 0.
        std::array::from_fn(|k| d[k] + a[k] - b[k] - c[k])
    }
}
