//! Blocks of images.

use super::{ObjectPart, runs};
use crate::data::Image;
use crate::error::Result;

/// A grid of blocks with as many rows as columns, as far as there are pixels.
pub(super) fn parts(image: &Image, most: usize) -> Vec<ObjectPart> {
    let side = most.isqrt().max(1);
    let mut out = Vec::new();
    for (top, bottom) in runs(image.height(), side) {
        for (left, right) in runs(image.width(), side) {
            out.push(ObjectPart {
                name: format!("pixels x {left}-{}, y {top}-{}", right - 1, bottom - 1),
                places: [left, top, right - 1, bottom - 1].map(|v| v as u32).to_vec(),
            });
        }
    }
    out
}

pub(super) fn without(image: &Image, hidden: &[ObjectPart]) -> Result<Image> {
    let (width, channels) = (image.width(), image.channels());
    let count = (width * image.height()).max(1) as f64;
    let mean = |c: usize| {
        let sum: f64 = image.pixels().iter().skip(c).step_by(channels.max(1)).map(|&v| f64::from(v)).sum();
        (sum / count).round() as u8
    };
    let means: Vec<u8> = (0..channels).map(mean).collect();
    let mut pixels = image.pixels().to_vec();
    for part in hidden {
        let [left, top, right, bottom] = part.places[..] else { continue };
        for y in top as usize..(bottom as usize + 1).min(image.height()) {
            for x in left as usize..(right as usize + 1).min(width) {
                pixels[(y * width + x) * channels..][..channels].copy_from_slice(&means);
            }
        }
    }
    Image::new(width, image.height(), channels, pixels)
}
