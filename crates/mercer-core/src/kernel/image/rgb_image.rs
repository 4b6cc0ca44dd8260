//! Converts images with any channels to RGB with a limited number of pixels.

use crate::data::Image;
use crate::error::{Error, Result};

/// An image as descriptors use it: RGB on a white background, of limited size.
///
/// Grey becomes three equal channels, so that grey and colour images can be compared; transparent pixels are blended
/// with white. An image with more than the given number of pixels is reduced by averaging squares of whole pixels.
///
/// ```
/// use mercer_core::{data::Image, kernel::image::RgbImage};
/// let half_covered = Image::new(1, 1, 2, vec![0, 127])?;
/// assert_eq!(RgbImage::of(&half_covered, 100)?.colours(), [[128; 3]]);
/// let large = Image::new(4, 2, 1, vec![0, 10, 20, 20, 0, 30, 20, 20])?;
/// let small = RgbImage::of(&large, 2)?;
/// assert_eq!((small.width(), small.height(), small.grey()), (2, 1, vec![10, 20]));
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RgbImage {
    width: usize,
    height: usize,
    colours: Vec<[u8; 3]>,
}

impl RgbImage {
    /// The image with at most this many pixels, at least 1. Images without pixels, or with other than one to four
    /// channels, are an error.
    pub fn of(image: &Image, pixels: usize) -> Result<Self> {
        let colour: fn(&[u8]) -> [u8; 3] = match image.channels() {
            1 => |p| [p[0]; 3],
            2 => |p| [on_white(p[0], p[1]); 3],
            3 => |p| [p[0], p[1], p[2]],
            4 => |p| [on_white(p[0], p[3]), on_white(p[1], p[3]), on_white(p[2], p[3])],
            other => {
                return Err(Error::usage(format!(
                    "the image has {other} channels; it must have 1, 2, 3 or 4"
                )));
            }
        };
        if image.is_empty() {
            return Err(Error::usage("the image has no pixels"));
        }
        let colours = image.pixels().chunks_exact(image.channels()).map(colour).collect();
        let whole = RgbImage { width: image.width(), height: image.height(), colours };
        Ok(whole.reduced(pixels.max(1)))
    }

    fn reduced(self, pixels: usize) -> Self {
        let sides = |factor: usize| (self.width.div_ceil(factor), self.height.div_ceil(factor));
        let fits = |factor: &usize| sides(*factor).0 * sides(*factor).1 <= pixels;
        let factor = (1..).find(fits).unwrap_or(1);
        if factor == 1 {
            return self;
        }
        let (width, height) = sides(factor);
        let mut colours = Vec::with_capacity(width * height);
        for y in (0..self.height).step_by(factor) {
            for x in (0..self.width).step_by(factor) {
                let (right, below) = ((x + factor).min(self.width), (y + factor).min(self.height));
                let mut sums = [0u64; 3];
                for row in y..below {
                    for p in &self.colours[row * self.width + x..row * self.width + right] {
                        sums.iter_mut().zip(p).for_each(|(s, v)| *s += u64::from(*v));
                    }
                }
                let count = ((right - x) * (below - y)) as u64;
                colours.push(sums.map(|s| ((s + count / 2) / count) as u8));
            }
        }
        RgbImage { width, height, colours }
    }

    /// Pixels in a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows of pixels.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Red, green and blue of each pixel, row after row from the top left.
    pub fn colours(&self) -> &[[u8; 3]] {
        &self.colours
    }

    /// The brightness of each pixel: 0.299 of red, 0.587 of green and 0.114 of blue (ITU-R BT.601).
    pub fn grey(&self) -> Vec<u8> {
        let grey = |[r, g, b]: &[u8; 3]| 299 * u32::from(*r) + 587 * u32::from(*g) + 114 * u32::from(*b);
        self.colours.iter().map(|p| ((grey(p) + 500) / 1000) as u8).collect()
    }
}

/// Blends a value with white; `cover` is its opacity.
fn on_white(value: u8, cover: u8) -> u8 {
    let (value, cover) = (u32::from(value), u32::from(cover));
    ((value * cover + 255 * (255 - cover) + 127) / 255) as u8
}
