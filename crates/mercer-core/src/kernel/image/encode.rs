//! Encodes images as Fisher vectors over vocabularies fitted to training images.

use super::hog::Gradients;
use super::mixture::{Ready, Tally};
use super::moments::Colours;
use super::{Block, DIMENSION, Grid, Mixture, Projection, RgbImage, to_unit_length};
use crate::budget::{self, Budget};
use crate::data::{Dense, Image};
use crate::error::{Error, Result};
use crate::parallel;
use crate::random::{Random, derive_seed};

/// Number of horizontal bands of an image.
const BANDS: usize = 3;
/// Number of blocks that are projected together; it does not affect the result.
const BATCH: usize = 256;

/// The kind of descriptor of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Descriptor {
    /// Gradients: [`hog`](super::hog).
    Hog,
    /// Colours: [`moments`](super::moments).
    Colour,
}

/// An image prepared for describing its blocks.
enum Described {
    Hog(Gradients),
    Colour(Colours),
}

impl Descriptor {
    fn of(self, image: &RgbImage) -> Described {
        match self {
            Descriptor::Hog => Described::Hog(Gradients::of(image)),
            Descriptor::Colour => Described::Colour(Colours::of(image)),
        }
    }
}

impl Described {
    fn describe(&self, block: Block, out: &mut [f64]) {
        match self {
            Described::Hog(gradients) => gradients.describe(block, out),
            Described::Colour(colours) => colours.describe(block, out),
        }
    }

    /// The descriptors of blocks, one per row.
    fn rows(&self, blocks: &[Block]) -> Dense {
        let mut rows = Dense::zeros(blocks.len(), DIMENSION);
        for (i, block) in blocks.iter().enumerate() {
            if budget::is_spent_after(1 << 10) {
                break;
            }
            self.describe(*block, rows.row_mut(i));
        }
        rows
    }
}

/// Settings of the Fisher vector encoder.
#[derive(Clone, Debug, PartialEq)]
pub struct EncoderSettings {
    /// The descriptors, each with its own vocabulary.
    pub descriptors: Vec<Descriptor>,
    /// The positions and sizes of blocks.
    pub grid: Grid,
    /// Maximum number of visual words per vocabulary.
    pub words: usize,
    /// Maximum number of principal components of a descriptor.
    pub components: usize,
    /// Whether to add three horizontal bands to the whole image.
    pub bands: bool,
    /// Approximate number of blocks of the training images for fitting vocabularies.
    pub sample: usize,
    /// The random seed.
    pub seed: u64,
}

/// A vocabulary: a projection of descriptors, and a mixture model of the projected descriptors.
#[derive(Clone, Debug, PartialEq)]
pub struct Words {
    /// Dimensionality reduction of descriptors.
    pub projection: Projection,
    /// The distribution of projected descriptors in training images.
    pub mixture: Mixture,
}

impl Words {
    /// A vocabulary of descriptors, one per row.
    pub fn fit(x: &Dense, components: usize, words: usize, seed: u64, budget: &Budget) -> Result<Self> {
        let projection = Projection::fit(x, components)?;
        let (mixture, _) = Mixture::fit(&projection.apply(x)?, words, seed, budget)?;
        Ok(Words { projection, mixture })
    }

    /// The dimension of a Fisher vector over this vocabulary.
    pub fn width(&self) -> usize {
        2 * self.mixture.words() * self.mixture.parts().1.cols()
    }
}

/// Encodes images as Fisher vectors.
///
/// Each descriptor's blocks are pooled over the whole image and, with bands, over its upper, middle and lower third, by
/// the centre of the block. Each pool's Fisher vector is transformed to sign(z)·√|z| and divided by its norm. Their
/// concatenation is divided by its norm too, so inner products of encoded images are at most 1. The encoding of an
/// image does not depend on other images.
///
/// ```
/// use mercer_core::{data::Image, Budget};
/// use mercer_core::kernel::image::{Descriptor, Encoder, EncoderSettings, Grid};
/// let stripes = |width: usize| {
///     Image::new(32, 32, 1, (0..1024).map(|i| if i % 32 / width % 2 == 0 { 0 } else { 200 }).collect())
/// };
/// let images = [stripes(2)?, stripes(4)?, stripes(3)?];
/// let settings = EncoderSettings {
///     descriptors: vec![Descriptor::Hog, Descriptor::Colour],
///     grid: Grid::new(8, 2, 4, 10_000)?,
///     words: 4,
///     components: 8,
///     bands: true,
///     sample: 1000,
///     seed: 0,
/// };
/// let encoder = Encoder::fit(&images, settings, &Budget::default())?;
/// let x = encoder.encode(&images, &Budget::default())?;
/// assert_eq!((x.rows(), x.cols()), (3, encoder.width()));
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Encoder {
    settings: EncoderSettings,
    words: Vec<Words>,
}

impl Encoder {
    /// Fits a vocabulary for each descriptor to blocks sampled from the images, about equally many from each. The
    /// result does not depend on the number of threads. Cost: the pixels of the images, then sample · words ·
    /// components for each of some thirty rounds.
    pub fn fit(images: &[Image], settings: EncoderSettings, budget: &Budget) -> Result<Self> {
        if images.is_empty() {
            return Err(Error::usage("no images to fit a visual vocabulary to"));
        }
        let mut words = Vec::with_capacity(settings.descriptors.len());
        for (d, &descriptor) in settings.descriptors.iter().enumerate() {
            let x = settings.sampled(images, descriptor, budget)?;
            let seed = derive_seed(settings.seed, d as u64);
            words.push(Words::fit(&x, settings.components, settings.words, seed, budget)?);
        }
        Encoder::restored(settings, words)
    }

    /// The encoder with the vocabularies of an earlier fit, one for each descriptor.
    pub fn restored(settings: EncoderSettings, words: Vec<Words>) -> Result<Self> {
        if words.len() != settings.descriptors.len() || words.is_empty() {
            let (own, expected) = (words.len(), settings.descriptors.len());
            return Err(Error::usage(format!("{own} vocabularies for {expected} descriptors")));
        }
        if let Some(other) = words.iter().map(|w| w.projection.parts().0.len()).find(|n| *n != DIMENSION) {
            return Err(Error::Dimension { expected: DIMENSION, found: other });
        }
        if words.iter().any(|w| w.projection.parts().1.rows() != w.mixture.parts().1.cols()) {
            return Err(Error::usage("the projection and the mixture have different dimensions"));
        }
        Ok(Encoder { settings, words })
    }

    /// The vocabularies, one for each descriptor.
    pub fn words(&self) -> &[Words] {
        &self.words
    }

    /// Number of pools of an image: the whole image and its bands.
    fn pools(&self) -> usize {
        if self.settings.bands { 1 + BANDS } else { 1 }
    }

    /// The dimension of an encoded image.
    pub fn width(&self) -> usize {
        self.pools() * self.words.iter().map(Words::width).sum::<usize>()
    }

    /// The Fisher vectors of images, one per row. Images without pixels, or with other than one to four channels, are
    /// an error.
    pub fn encode(&self, images: &[Image], budget: &Budget) -> Result<Dense> {
        let one = |(i, image): (usize, &Image)| {
            budget.check()?;
            self.encoded(&prepared(i, image, &self.settings.grid)?)
        };
        // Collects all results first, so that the reported error does not depend on thread timing.
        let rows = parallel::map(images.len(), |i| one((i, &images[i])));
        let mut values = Vec::with_capacity(images.len() * self.width());
        for row in rows {
            values.extend(row?);
        }
        Dense::new(images.len(), self.width(), values)
    }

    fn encoded(&self, image: &RgbImage) -> Result<Vec<f64>> {
        let places = self.settings.grid.places(image.width(), image.height());
        let bands = if self.settings.bands { BANDS } else { 1 };
        let mut out = Vec::with_capacity(self.width());
        for (descriptor, words) in self.settings.descriptors.iter().zip(&self.words) {
            let (described, ready) = (descriptor.of(image), Ready::of(&words.mixture));
            let empty = Tally::new(words.mixture.words(), words.mixture.parts().1.cols());
            let mut tallies = vec![empty.clone(); bands];
            let mut shares = Vec::new();
            for start in (0..places.len()).step_by(BATCH) {
                budget::check()?;
                let numbers = start..(start + BATCH).min(places.len());
                let blocks: Vec<Block> = numbers.filter_map(|i| places.get(i)).collect();
                let x = words.projection.apply(&described.rows(&blocks))?;
                for (i, block) in blocks.iter().enumerate() {
                    ready.add(x.row(i), &mut shares, &mut tallies[block.band(image.height(), bands)]);
                }
            }
            let mut whole = empty;
            tallies.iter().for_each(|t| whole.join(t));
            let parts = if self.settings.bands { tallies.as_slice() } else { &[] };
            for tally in std::iter::once(&whole).chain(parts) {
                let mut own = tally.fisher(words.mixture.parts().0);
                own.iter_mut().for_each(|z| *z = z.abs().sqrt().copysign(*z));
                to_unit_length(&mut own);
                out.extend(own);
            }
        }
        to_unit_length(&mut out);
        Ok(out)
    }
}

impl EncoderSettings {
    /// Descriptors of blocks sampled from the images.
    fn sampled(&self, images: &[Image], descriptor: Descriptor, budget: &Budget) -> Result<Dense> {
        let quota = self.sample.div_ceil(images.len()).max(1);
        let one = |(i, image): (usize, &Image)| {
            budget.check()?;
            let image = prepared(i, image, &self.grid)?;
            let places = self.grid.places(image.width(), image.height());
            let chosen = chosen(places.len(), quota, &mut Random::derived(self.seed, i as u64));
            let blocks: Vec<Block> = chosen.into_iter().filter_map(|at| places.get(at)).collect();
            let rows = descriptor.of(&image).rows(&blocks);
            budget::check().map(|()| rows)
        };
        let parts: Vec<Result<Dense>> = parallel::map(images.len(), |i| one((i, &images[i])));
        let mut values = Vec::new();
        for part in parts {
            values.extend_from_slice(part?.values());
        }
        Dense::new(values.len() / DIMENSION, DIMENSION, values)
    }
}

/// A random subset of the numbers below n, ascending; all of them if `some` is at least n (Vitter 1984, selection
/// sampling).
fn chosen(n: usize, some: usize, random: &mut Random) -> Vec<usize> {
    let mut left = some.min(n);
    let mut out = Vec::with_capacity(left);
    for i in 0..n {
        if left > 0 && random.below(n - i) < left {
            out.push(i);
            left -= 1;
        }
    }
    out
}

fn prepared(index: usize, image: &Image, grid: &Grid) -> Result<RgbImage> {
    RgbImage::of(image, grid.pixels()).map_err(|e| {
        let reason = match e {
            Error::Usage { reason } => reason,
            other => other.to_string(),
        };
        Error::Object { index, reason, hint: None }
    })
}
