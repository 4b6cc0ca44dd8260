//! Images as arrays of bytes.

use crate::error::{Error, Result};

/// An image: `channels` bytes for each pixel, row after row from the top left.
///
/// One channel is grey, three are red, green and blue; a second or fourth channel is the opacity of a pixel (0 to 255).
/// An image without pixels represents a missing one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    width: usize,
    height: usize,
    channels: usize,
    pixels: Vec<u8>,
}

impl Image {
    /// An image from its bytes; there must be `width * height * channels` of them.
    pub fn new(width: usize, height: usize, channels: usize, pixels: Vec<u8>) -> Result<Self> {
        if width.checked_mul(height).and_then(|n| n.checked_mul(channels)) != Some(pixels.len()) {
            return Err(Error::Shape {
                expected: format!("{width} × {height} pixels of {channels} bytes"),
                found: format!("{} bytes", pixels.len()),
            });
        }
        Ok(Image { width, height, channels, pixels })
    }

    /// A missing image.
    pub fn none() -> Self {
        Image { width: 0, height: 0, channels: 0, pixels: Vec::new() }
    }

    /// True if there are no pixels.
    pub fn is_empty(&self) -> bool {
        self.pixels.is_empty()
    }

    /// The width in pixels.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The height in pixels.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Bytes per pixel.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// The bytes.
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }
}
