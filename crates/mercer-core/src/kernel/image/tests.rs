use super::hog::Gradients;
use super::moments::Colours;
use super::*;
use crate::budget::Budget;
use crate::data::{Dense, Image};
use crate::gram::Engine;
use crate::random::Random;

fn grey(width: usize, height: usize, of: impl Fn(usize, usize) -> u8) -> Image {
    let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    Image::new(width, height, 1, places.map(|(x, y)| of(x, y)).collect()).unwrap()
}

fn rgb(image: &Image) -> RgbImage {
    RgbImage::of(image, 1 << 20).unwrap()
}

fn hog(image: &Image, block: Block) -> Vec<f64> {
    let mut out = vec![f64::NAN; DIMENSION];
    Gradients::of(&rgb(image)).describe(block, &mut out);
    out
}

fn colours(image: &Image, block: Block) -> Vec<f64> {
    let mut out = vec![f64::NAN; DIMENSION];
    Colours::of(&rgb(image)).describe(block, &mut out);
    out
}

const INNER: Block = Block { x: 2, y: 3, width: 12, height: 8 };

#[track_caller]
fn near(got: &[f64], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len());
    for (i, (a, b)) in got.iter().zip(want).enumerate() {
        assert!((a - b).abs() <= tolerance, "{i}: {a} {b}");
    }
}

#[test]
fn gradients_of_ramps() {
    // Brighter to the right: 0° lies between the last and the first direction and is split between them.
    let right = hog(&grey(20, 20, |x, _| 10 * x as u8), INNER);
    let expected: Vec<f64> =
        (0..DIMENSION).map(|i| if matches!(i % 9, 0 | 8) { 32f64.powf(-0.5) } else { 0.0 }).collect();
    near(&right, &expected, 1e-12);
    // Darker to the right is the same.
    near(&hog(&grey(20, 20, |x, _| 250 - 10 * x as u8), INNER), &expected, 1e-12);
    // Along the diagonal: 45° is a quarter of nine sectors, 2.25 - 0.5 = 1.75.
    let diagonal = hog(&grey(20, 20, |x, y| 5 * (x + y) as u8), INNER);
    let length = 4.0 * (0.25f64 * 0.25 + 0.75 * 0.75).sqrt();
    let expected: Vec<f64> =
        (0..DIMENSION).map(|i| [0.0, 0.25, 0.75, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0][i % 9] / length).collect();
    near(&diagonal, &expected, 1e-4);
    // Zero in a uniform block, even next to an edge.
    let edge = hog(&grey(40, 20, |x, y| if x < 20 { 7 } else { (x * 37 + y * 91) as u8 }), INNER);
    assert!(edge.iter().all(|v| *v == 0.0));
}

/// Compares with sums pixel by pixel.
#[test]
fn gradients_agree_with_loops() {
    let mut random = Random::new(3);
    let image = grey(23, 17, |_, _| 0);
    let pixels: Vec<u8> = image.pixels().iter().map(|_| random.below(256) as u8).collect();
    let image = Image::new(23, 17, 1, pixels.clone()).unwrap();
    let block = Block { x: 0, y: 4, width: 13, height: 11 };
    let at = |x: i64, y: i64| f64::from(pixels[(y.clamp(0, 16) * 23 + x.clamp(0, 22)) as usize]);
    let mut expected = vec![0.0; DIMENSION];
    for y in 4..15i64 {
        for x in 0..13i64 {
            // The cell that contains the pixel.
            let cell = |offset: i64, side: i64| {
                (0..4).find(|c| offset >= side * c / 4 && offset < side * (c + 1) / 4).unwrap()
            };
            let (gx, gy) = (at(x + 1, y) - at(x - 1, y), at(x, y + 1) - at(x, y - 1));
            let mut degrees = gy.atan2(gx).to_degrees();
            while degrees < 0.0 {
                degrees += 180.0;
            }
            while degrees >= 180.0 {
                degrees -= 180.0;
            }
            let base = 9 * (4 * cell(y - 4, 11) + cell(x, 13)) as usize;
            for k in 0..9 {
                // Directions are 20° apart, from 10° on; those further than 20° away get nothing.
                let apart = (degrees - (20.0 * k as f64 + 10.0)).abs();
                let apart = apart.min(180.0 - apart);
                expected[base + k] += gx.hypot(gy) * (1.0 - apart / 20.0).max(0.0);
            }
        }
    }
    let length = expected.iter().map(|v| v * v).sum::<f64>().sqrt();
    expected.iter_mut().for_each(|v| *v /= length);
    near(&hog(&image, block), &expected, 1e-5);
}

#[test]
fn colour_moments_by_hand() {
    // Each cell is 2 × 2: red 0, 0, 0, 100; green 10 everywhere; blue 20, 20, 40, 40.
    let places = (0..8).flat_map(|y| (0..8).map(move |x| (x % 2, y % 2)));
    let pixel = |(x, y): (usize, usize)| [if x + y == 2 { 100 } else { 0 }, 10, if y == 0 { 20 } else { 40 }];
    let image = Image::new(8, 8, 3, places.flat_map(pixel).collect()).unwrap();
    // Red: mean 25, variance (3·25² + 75²)/4 = 1875, third moment (75³ - 3·25³)/4 = 93750.
    let cell = [25.0, 1875f64.sqrt(), 93750f64.cbrt(), 10.0, 0.0, 0.0, 30.0, 10.0, 0.0];
    let length = 4.0 * cell.iter().map(|v| v * v).sum::<f64>().sqrt();
    let expected: Vec<f64> = (0..DIMENSION).map(|i| cell[i % 9] / length).collect();
    near(&colours(&image, Block { x: 0, y: 0, width: 8, height: 8 }), &expected, 1e-14);
    // Inverting the image changes the sign of the skewness.
    let dark = Image::new(8, 8, 3, image.pixels().iter().map(|v| 255 - v).collect()).unwrap();
    assert!(colours(&dark, Block { x: 0, y: 0, width: 8, height: 8 })[2] < 0.0);
}

#[test]
fn images_with_all_numbers_of_channels() {
    let one = |channels: usize, pixel: &[u8]| rgb(&Image::new(1, 1, channels, pixel.to_vec()).unwrap());
    assert_eq!(one(1, &[7]).colours(), [[7, 7, 7]]);
    assert_eq!(one(2, &[7, 0]).colours(), [[255; 3]]);
    assert_eq!(one(3, &[1, 2, 3]).colours(), [[1, 2, 3]]);
    assert_eq!(one(4, &[1, 2, 3, 255]).colours(), [[1, 2, 3]]);
    assert_eq!(one(4, &[0, 255, 100, 51]).colours(), [[204, 255, 224]]);
    assert_eq!(one(3, &[255, 0, 0]).grey(), [76]);
    assert!(RgbImage::of(&Image::new(1, 1, 5, vec![0; 5]).unwrap(), 10).is_err());
    assert!(RgbImage::of(&Image::none(), 10).is_err());
    // Reduced by averaging squares; the last column and row average the remaining pixels.
    let large = grey(5, 3, |x, y| (10 * x + y) as u8);
    let small = RgbImage::of(&large, 6).unwrap();
    assert_eq!((small.width(), small.height()), (3, 2));
    assert_eq!(small.grey(), [6, 26, 41, 7, 27, 42]);
}

#[test]
fn blocks_lie_inside_the_image() {
    let grid = Grid::new(24, 4, 8, 1000).unwrap();
    for (width, height) in [(24, 24), (100, 70), (64, 200), (25, 31), (3, 90), (1, 1)] {
        let places = grid.places(width, height);
        let blocks: Vec<Block> = (0..places.len()).map(|i| places.get(i).unwrap()).collect();
        assert!(places.get(places.len()).is_none());
        assert!(blocks.iter().all(|b| b.x + b.width <= width && b.y + b.height <= height));
        for block in &blocks {
            let cells: Vec<_> = block.cells().collect();
            assert_eq!(cells.len(), 16);
            assert!(cells.iter().all(|c| c.0 < c.2 && c.1 < c.3 && c.2 <= width && c.3 <= height));
        }
        let small = width.min(height) < 24;
        assert_eq!(small, blocks.len() == 1 && blocks[0].width == width && (width, height) != (24, 24));
    }
    assert!(grid.places(0, 5).is_empty());
    let band = |y| Block { x: 0, y, width: 2, height: 2 }.band(30, 3);
    assert_eq!([band(0), band(8), band(9), band(18), band(19), band(28)], [0, 0, 1, 1, 2, 2]);
    for (block, blocks, step, pixels) in [(3, 1, 1, 100), (4, 0, 1, 100), (4, 1, 0, 100), (4, 1, 1, 3)] {
        assert!(Grid::new(block, blocks, step, pixels).is_err());
    }
}

/// Two clouds around (0, 0) and (10, -5), of deviations 1 and 0.5, twice as many in the first.
fn clouds(n: usize) -> Dense {
    let mut random = Random::new(11);
    let row = |i: usize, random: &mut Random| match i % 3 {
        2 => [10.0 + 0.5 * random.normal(), -5.0 + 0.5 * random.normal()],
        _ => [random.normal(), random.normal()],
    };
    Dense::from_rows(&(0..n).map(|i| row(i, &mut random)).collect::<Vec<_>>())
}

#[test]
fn mixture_recovers_two_clusters() {
    let x = clouds(6000);
    let (mixture, rounds) = Mixture::fit(&x, 2, 5, &Budget::default()).unwrap();
    let (weights, means, variances) = mixture.parts();
    let far = usize::from(means.at(1, 0) > 5.0);
    assert!((weights[far] - 1.0 / 3.0).abs() < 1e-6);
    near(means.row(far), &[10.0, -5.0], 0.05);
    near(means.row(1 - far), &[0.0, 0.0], 0.06);
    near(variances.row(far), &[0.25, 0.25], 0.03);
    near(variances.row(1 - far), &[1.0, 1.0], 0.08);
    assert!(rounds.windows(2).all(|w| w[1] > w[0] - 1e-12));
}

#[test]
fn every_iteration_increases_the_likelihood() {
    let mut random = Random::new(2);
    let x = Dense::new(700, 3, (0..2100).map(|_| random.normal() * random.unit()).collect()).unwrap();
    for words in [1, 3, 9] {
        let (mixture, rounds) = Mixture::fit(&x, words, 1, &Budget::default()).unwrap();
        assert_eq!(mixture.words(), words);
        for pair in rounds.windows(2) {
            assert!(pair[1] >= pair[0] - 1e-12, "{rounds:?}");
        }
        if words > 1 {
            assert!(rounds.len() > 3 && rounds[rounds.len() - 1] > rounds[0] + 1e-3);
        }
        assert!(mixture.log_likelihood(&x).unwrap() >= rounds[rounds.len() - 1] - 1e-12);
    }
}

#[test]
fn mixtures_of_few_rows() {
    let same = Dense::from_rows(&[[1.0, 2.0]; 5]);
    let (mixture, _) = Mixture::fit(&same, 4, 0, &Budget::default()).unwrap();
    assert_eq!((mixture.words(), mixture.parts().1.row(0)), (1, &[1.0, 2.0][..]));
    assert!(mixture.fisher(&same).unwrap().iter().all(|v| v.is_finite()));
    let two = Dense::from_rows(&[[0.0], [0.0], [1.0]]);
    assert_eq!(Mixture::fit(&two, 9, 0, &Budget::default()).unwrap().0.words(), 2);
    assert!(Mixture::fit(&Dense::zeros(0, 2), 3, 0, &Budget::default()).is_err());
    let stopped = Budget::default();
    stopped.stop();
    assert!(Mixture::fit(&two, 2, 0, &stopped).is_err());
}

/// Gradients by central differences of the mean log-likelihood, in units of the Fisher information of one word.
#[test]
fn fisher_vectors_are_gradients() {
    let weights = vec![0.2, 0.5, 0.3];
    let means = Dense::from_rows(&[[0.0, 1.0], [1.0, -0.5], [-1.0, 0.3]]);
    let variances = Dense::from_rows(&[[0.5, 1.0], [0.7, 0.2], [1.5, 0.9]]);
    let mixture = Mixture::from_parts(weights.clone(), means.clone(), variances.clone()).unwrap();
    let x = Dense::from_rows(&[[0.3, 0.2], [1.4, -0.7], [-2.0, 1.0], [0.0, 0.0]]);
    // The density, computed directly.
    let likelihood = |means: &Dense, deviations: &Dense| {
        let density = |row: &[f64], k: usize| {
            let one = |j: usize| {
                let (m, s) = (means.at(k, j), deviations.at(k, j));
                (-(row[j] - m) * (row[j] - m) / (2.0 * s * s)).exp() / (s * std::f64::consts::TAU.sqrt())
            };
            weights[k] * one(0) * one(1)
        };
        (0..4).map(|i| (0..3).map(|k| density(x.row(i), k)).sum::<f64>().ln()).sum::<f64>() / 4.0
    };
    let deviations = Dense::new(3, 2, variances.values().iter().map(|v| v.sqrt()).collect()).unwrap();
    assert!((mixture.log_likelihood(&x).unwrap() - likelihood(&means, &deviations)).abs() < 1e-12);
    let fisher = mixture.fisher(&x).unwrap();
    assert_eq!(fisher.len(), 12);
    let step = 1e-5;
    let moved = |of: &Dense, at: usize, by: f64| {
        let mut values = of.values().to_vec();
        values[at] += by;
        Dense::new(3, 2, values).unwrap()
    };
    for at in 0..6 {
        let (k, s) = (at / 2, deviations.values()[at]);
        let by = |up: f64, down: f64| (up - down) / (2.0 * step);
        let mean = by(
            likelihood(&moved(&means, at, step), &deviations),
            likelihood(&moved(&means, at, -step), &deviations),
        );
        let deviation = by(
            likelihood(&means, &moved(&deviations, at, step)),
            likelihood(&means, &moved(&deviations, at, -step)),
        );
        assert!((fisher[at] - mean * s / weights[k].sqrt()).abs() < 1e-6, "mean {at}");
        assert!((fisher[6 + at] - deviation * s / (2.0 * weights[k]).sqrt()).abs() < 1e-6, "deviation {at}");
    }
}

#[test]
fn inconsistent_mixture_parameters_are_errors() {
    let row = Dense::from_rows(&[[1.0, 1.0]]);
    assert!(Mixture::from_parts(vec![1.0], row.clone(), row.clone()).is_ok());
    assert!(Mixture::from_parts(vec![0.0], row.clone(), row.clone()).is_err());
    assert!(Mixture::from_parts(vec![1.0], row.clone(), Dense::from_rows(&[[1.0, -1.0]])).is_err());
    assert!(Mixture::from_parts(vec![0.5, 0.5], row.clone(), row.clone()).is_err());
    assert!(Mixture::from_parts(vec![1.0], row, Dense::from_rows(&[[1.0]])).is_err());
}

fn textures(n: usize) -> Vec<Image> {
    let mut random = Random::new(4);
    (0..n)
        .map(|i| {
            let (period, phase) = (2 + random.below(4), random.below(5));
            let (width, height) = (20 + random.below(30), 20 + random.below(30));
            let noise: Vec<u8> = (0..width * height).map(|_| random.below(40) as u8).collect();
            grey(width, height, |x, y| {
                let on = if i % 2 == 0 { (x + phase) / period } else { (x + phase) / period + y / period };
                noise[y * width + x] + if on % 2 == 0 { 0 } else { 200 }
            })
        })
        .collect()
}

fn settings(words: usize) -> EncoderSettings {
    EncoderSettings {
        descriptors: vec![Descriptor::Hog, Descriptor::Colour],
        grid: Grid::new(8, 3, 3, 5000).unwrap(),
        words,
        components: 10,
        bands: true,
        sample: 3000,
        seed: 9,
    }
}

#[test]
fn encodings_do_not_depend_on_threads_or_other_images() {
    let images = textures(12);
    let encode = |threads: usize| {
        let engine = Engine::new().with_threads(threads).unwrap();
        engine.run(|| {
            let encoder = Encoder::fit(&images, settings(6), &Budget::default()).unwrap();
            let x = encoder.encode(&images, &Budget::default()).unwrap();
            (encoder, x)
        })
    };
    let (encoder, x) = encode(1);
    let (again, y) = encode(4);
    assert_eq!(encoder, again);
    let bits = |x: &Dense| x.values().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&x), bits(&y));
    assert_eq!((x.rows(), x.cols()), (12, 2 * 6 * 2 * 10 * 4));
    for i in 0..12 {
        assert!((x.row(i).iter().map(|v| v * v).sum::<f64>() - 1.0).abs() < 1e-12);
        let alone = encoder.encode(&images[i..=i], &Budget::default()).unwrap();
        assert_eq!(alone.row(0), x.row(i));
    }
    assert_eq!(encoder.encode(&[], &Budget::default()).unwrap().cols(), x.cols());
}

/// Compares the pooled vectors with Fisher vectors of all descriptors of a pool.
#[test]
fn encodings_agree_with_their_definition() {
    let images = textures(6);
    let encoder = Encoder::fit(&images, settings(4), &Budget::default()).unwrap();
    let x = encoder.encode(&images[2..3], &Budget::default()).unwrap();
    let image = RgbImage::of(&images[2], 5000).unwrap();
    let places = settings(4).grid.places(image.width(), image.height());
    let blocks: Vec<Block> = (0..places.len()).filter_map(|i| places.get(i)).collect();
    let mut expected = Vec::new();
    for (d, words) in encoder.words().iter().enumerate() {
        for pool in 0..4 {
            // The index of the band that contains the centre.
            let lines =
                |b: &Block| (1..3).filter(|k| 3 * (2 * b.y + b.height) >= 2 * k * image.height()).count();
            let own: Vec<&Block> = blocks.iter().filter(|b| pool == 0 || lines(b) == pool - 1).collect();
            let mut rows = Dense::zeros(own.len(), DIMENSION);
            for (i, block) in own.iter().enumerate() {
                match d {
                    0 => Gradients::of(&image).describe(**block, rows.row_mut(i)),
                    _ => Colours::of(&image).describe(**block, rows.row_mut(i)),
                }
            }
            let fisher = words.mixture.fisher(&words.projection.apply(&rows).unwrap()).unwrap();
            let root: Vec<f64> = fisher.iter().map(|z| z.signum() * z.abs().sqrt()).collect();
            let length = root.iter().map(|z| z * z).sum::<f64>().sqrt();
            expected.extend(root.iter().map(|z| if length > 0.0 { z / length } else { 0.0 }));
        }
    }
    let length = expected.iter().map(|z| z * z).sum::<f64>().sqrt();
    expected.iter_mut().for_each(|z| *z /= length);
    near(x.row(0), &expected, 1e-7);
}

#[test]
fn errors_of_encoders_name_the_image() {
    let mut images = textures(3);
    let encoder = Encoder::fit(&images, settings(2), &Budget::default()).unwrap();
    images[1] = Image::none();
    for result in [
        encoder.encode(&images, &Budget::default()).map(|_| ()),
        Encoder::fit(&images, settings(2), &Budget::default()).map(|_| ()),
    ] {
        assert!(matches!(result, Err(crate::Error::Object { index: 1, .. })));
    }
    assert!(Encoder::fit(&[], settings(2), &Budget::default()).is_err());
    // Images of one pixel, and of one colour.
    let tiny = [grey(1, 1, |_, _| 0), grey(1, 1, |_, _| 9), grey(30, 2, |_, _| 200)];
    let encoder = Encoder::fit(&tiny, settings(3), &Budget::default()).unwrap();
    assert!(encoder.encode(&tiny, &Budget::default()).unwrap().find_non_finite().is_none());
}
