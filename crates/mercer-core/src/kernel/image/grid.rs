//! Positions and sizes of the blocks of an image.

use crate::error::Result;
use crate::kernel::Domain;

use super::CELLS;

/// A rectangle of pixels with one descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its left edge.
    pub x: usize,
    /// Its upper edge.
    pub y: usize,
    /// Its width in pixels, at least 1.
    pub width: usize,
    /// Its height in pixels, at least 1.
    pub height: usize,
}

impl Block {
    /// The edges (left, top, right, bottom) of its cells, row after row. If there are fewer pixels than cells, cells
    /// overlap.
    pub(super) fn cells(self) -> impl Iterator<Item = (usize, usize, usize, usize)> {
        let part = |side: usize, i: usize| {
            let start = side * i / CELLS;
            (start, (side * (i + 1) / CELLS).max(start + 1))
        };
        (0..CELLS * CELLS).map(move |cell| {
            let (left, right) = part(self.width, cell % CELLS);
            let (top, bottom) = part(self.height, cell / CELLS);
            (self.x + left, self.y + top, self.x + right, self.y + bottom)
        })
    }

    /// The index of the horizontal band that contains its centre, for `bands` bands of an image.
    pub(super) fn band(self, height: usize, bands: usize) -> usize {
        ((2 * self.y + self.height) * bands / (2 * height.max(1))).min(bands.saturating_sub(1))
    }
}

/// A dense grid of square blocks of several sizes.
///
/// Sizes are `block` times 1, 4/3, 2, 8/3, 4, …: for 24 these are 24, 32, 48 and 64 pixels. Blocks of each size are
/// `step` pixels apart and centred in the image. Sizes that do not fit in an image are skipped; an image smaller than
/// all sizes is one block.
///
/// ```
/// use mercer_core::kernel::image::Grid;
/// let grid = Grid::new(24, 4, 8, 300_000)?;
/// assert_eq!(grid.sizes(), [24, 32, 48, 64]);
/// assert_eq!(grid.places(40, 32).len(), 3 * 2 + 2 * 1);
/// assert_eq!(grid.places(20, 9).len(), 1);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    block: usize,
    blocks: usize,
    step: usize,
    pixels: usize,
}

impl Grid {
    /// Valid values of `block`.
    #[doc(hidden)]
    pub const BLOCK: Domain = Domain::Whole(4, 4096);
    /// Valid values of `blocks`.
    #[doc(hidden)]
    pub const BLOCKS: Domain = Domain::Whole(1, 12);
    /// Valid values of `step`.
    #[doc(hidden)]
    pub const STEP: Domain = Domain::Whole(1, 4096);
    /// Valid values of `pixels`.
    #[doc(hidden)]
    pub const PIXELS: Domain = Domain::Whole(16, 1 << 24);

    /// A grid of `blocks` sizes (1 to 12) from `block` pixels on (4 to 4096), `step` pixels apart (1 to 4096), on
    /// images reduced to `pixels` pixels (16 to 2²⁴).
    pub fn new(block: usize, blocks: usize, step: usize, pixels: usize) -> Result<Self> {
        Grid::BLOCK.check("block", block as f64)?;
        Grid::BLOCKS.check("blocks", blocks as f64)?;
        Grid::STEP.check("step", step as f64)?;
        Grid::PIXELS.check("pixels", pixels as f64)?;
        Ok(Grid { block, blocks, step, pixels })
    }

    /// Maximum number of pixels of an image.
    pub fn pixels(&self) -> usize {
        self.pixels
    }

    /// The side lengths of the blocks, ascending.
    pub fn sizes(&self) -> Vec<usize> {
        let size = |i: usize| {
            let doubled = self.block << (i / 2);
            if i.is_multiple_of(2) { doubled } else { (4 * doubled + 1) / 3 }
        };
        (0..self.blocks).map(size).collect()
    }

    /// The blocks of an image of this size.
    pub fn places(&self, width: usize, height: usize) -> Places {
        let fitting = self.sizes().into_iter().filter(|&s| s <= width && s <= height);
        let mut scales: Vec<Scale> = fitting
            .map(|side| {
                let across =
                    |length: usize| ((length - side) / self.step + 1, (length - side) % self.step / 2);
                let ((cols, left), (rows, top)) = (across(width), across(height));
                Scale { width: side, height: side, cols, rows, left, top }
            })
            .collect();
        if scales.is_empty() && width > 0 && height > 0 {
            scales.push(Scale { width, height, cols: 1, rows: 1, left: 0, top: 0 });
        }
        Places { scales, step: self.step }
    }
}

/// Blocks of one size.
#[derive(Clone, Copy, Debug)]
struct Scale {
    width: usize,
    height: usize,
    cols: usize,
    rows: usize,
    left: usize,
    top: usize,
}

/// The blocks of an image by index: smaller ones first, then row by row.
#[derive(Clone, Debug)]
pub struct Places {
    scales: Vec<Scale>,
    step: usize,
}

impl Places {
    /// The number of blocks.
    pub fn len(&self) -> usize {
        self.scales.iter().map(|s| s.cols * s.rows).sum()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The block with this index, if it exists.
    pub fn get(&self, number: usize) -> Option<Block> {
        let mut left = number;
        for s in &self.scales {
            if left < s.cols * s.rows {
                let (x, y) = (s.left + left % s.cols * self.step, s.top + left / s.cols * self.step);
                return Some(Block { x, y, width: s.width, height: s.height });
            }
            left -= s.cols * s.rows;
        }
        None
    }
}
