//! Colour moments.
//!
//! For each of 4 × 4 cells and each of red, green and blue: the mean, the standard deviation and the cube root of the
//! third central moment, all in grey levels. The numbers of a block are divided by their Euclidean norm.
//!
//! M. Stricker and M. Orengo, *Similarity of color images*, SPIE 1995.

use super::integral::Integral;
use super::{Block, PER_CELL, RgbImage, to_unit_length};

/// The powers of an image's colours, prepared for describing any of its blocks. Time O(pixels), 72 bytes per pixel.
///
/// ```
/// use mercer_core::data::Image;
/// use mercer_core::kernel::image::{Block, DIMENSION, RgbImage, moments::Colours};
/// let red = Image::new(8, 8, 3, [200, 0, 0].repeat(64))?;
/// let mut out = [0.0; DIMENSION];
/// Colours::of(&RgbImage::of(&red, 1000)?).describe(Block { x: 0, y: 0, width: 8, height: 8 }, &mut out);
/// // The mean of red in each of sixteen cells; all else is 0, because the image is uniform.
/// assert!(out.iter().enumerate().all(|(i, v)| *v == if i % 9 == 0 { 0.25 } else { 0.0 }));
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Colours(Integral);

impl Colours {
    /// The powers of an image's colours.
    pub fn of(image: &RgbImage) -> Self {
        let (colours, width) = (image.colours(), image.width());
        Colours(Integral::new(image, |x, y| {
            let p = colours[y * width + x];
            // For each colour its value, square and cube.
            std::array::from_fn(|k| u64::from(p[k / 3]).pow(k as u32 % 3 + 1))
        }))
    }

    /// Writes the [`DIMENSION`](super::DIMENSION) numbers of a block, which must lie in the image: nine for each cell,
    /// row after row; mean, deviation and skewness of red, then of green, then of blue.
    pub fn describe(&self, block: Block, out: &mut [f64]) {
        for (cell, own) in block.cells().zip(out.chunks_exact_mut(PER_CELL)) {
            let count = (cell.2 - cell.0) * (cell.3 - cell.1);
            let sums = self.0.over(cell);
            for (sums, own) in sums.chunks_exact(3).zip(own.chunks_exact_mut(3)) {
                own.copy_from_slice(&moments(count as u64, [sums[0], sums[1], sums[2]]));
            }
        }
        to_unit_length(out);
    }
}

/// Mean, deviation and the cube root of the third central moment, from sums of powers. Differences are of whole numbers
/// and therefore exact. With at most 2²⁴ values of at most 255 they do not overflow.
fn moments(count: u64, [first, second, third]: [u64; 3]) -> [f64; 3] {
    let [n, a, b, c] = [count, first, second, third].map(i128::from);
    let size = count as f64;
    let variance = (n * b - a * a) as f64 / (size * size);
    let skewness = (n * n * c - 3 * n * a * b + 2 * a * a * a) as f64 / (size * size * size);
    [a as f64 / size, variance.sqrt(), skewness.cbrt()]
}
