//! Pictures as arrays of bytes.

use crate::error::{Error, Result};

/// A picture: `channels` bytes for each pixel, row after row from the top left.
///
/// One channel is grey, three are red, green and blue; a second or fourth says how far a pixel covers what is behind it, from 0
/// to 255. A picture without pixels stands for a missing one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    width: usize,
    height: usize,
    channels: usize,
    pixels: Vec<u8>,
}

impl Image {
    /// A picture from its bytes; there must be `width * height * channels` of them.
    pub fn new(width: usize, height: usize, channels: usize, pixels: Vec<u8>) -> Result<Self> {
        if width.checked_mul(height).and_then(|n| n.checked_mul(channels)) != Some(pixels.len()) {
            return Err(Error::Shape {
                expected: format!("{width} × {height} pixels of {channels} bytes"),
                found: format!("{} bytes", pixels.len()),
            });
        }
        Ok(Image { width, height, channels, pixels })
    }

    /// No picture, where one is missing.
    pub fn none() -> Self {
        Image { width: 0, height: 0, channels: 0, pixels: Vec::new() }
    }

    /// True when there are no pixels.
    pub fn is_empty(&self) -> bool {
        self.pixels.is_empty()
    }

    /// Pixels in a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows of pixels.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Bytes in a pixel.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// The bytes.
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }
}
