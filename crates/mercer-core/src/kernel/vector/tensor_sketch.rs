//! Tensor sketches of polynomial kernels.

use std::sync::Arc;

use rustfft::num_complex::Complex;
use rustfft::{Fft, FftPlanner};

use super::Polynomial;
use super::fourier::each_stored;
use crate::data::Vectors;
use crate::error::{Error, Result};
use crate::kernel::coordinates::{Coordinates, of_coordinates};
use crate::kernel::facts::NUMERIC;
use crate::kernel::{Definiteness, Domain, Facts, Kernel, Parameter, declared};
use crate::random::derive_seed;

/// A sketch of the polynomial kernel: an inner product of explicit features whose expectation is
/// (gamma·x·y + c)^degree.
///
/// Each factor is a count sketch: the coordinates of x are added, with random signs, into `features` buckets. The
/// features of the product are all products of `degree` coordinates. Their sketch is the cyclic convolution of the
/// sketches of the factors. It is computed by Fourier transforms, without forming those products. The variance falls
/// with the number of features. Nothing is fitted; the seed is part of the kernel.
///
/// ```
/// use mercer_core::{data::{Dense, Vectors}, gram::Engine, kernel::vector::TensorSketch};
/// let x = Vectors::from(Dense::from_rows(&[[1.0, 0.5], [0.3, -1.0]]));
/// let k = Engine::new().gram(&TensorSketch::new(2, 1.0, 1.0, 4096, 7)?, &x)?;
/// let exact = (1.0f64 * 0.3 - 0.5 + 1.0).powi(2);
/// assert!((k.at(0, 1) - exact).abs() < 0.3);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Reference: Pham & Pagh 2013, Fast and scalable polynomial kernels via explicit feature maps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TensorSketch {
    degree: u32,
    c: f64,
    gamma: f64,
    features: usize,
    seed: u64,
}

/// Objects whose sketches are computed together.
const BLOCK: usize = 256;

impl TensorSketch {
    /// A sketch of (gamma·x·y + c)^degree with this number of features.
    pub fn new(degree: u32, c: f64, gamma: f64, features: usize, seed: u64) -> Result<Self> {
        Polynomial::new(degree, c, gamma)?;
        TensorSketch::FACTS.check("features", features as f64)?;
        Ok(TensorSketch { degree, c, gamma, features, seed })
    }

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "tensor-sketch",
        summary: "A sketch of the polynomial kernel: an unbiased approximation by explicit features.",
        formula: "z(x)·z(y), z = F⁻¹ Π_p F(C_p x), (gamma · x·y + c)^degree on average; features are stored in single precision, about 7 digits",
        takes: "numbers",
        kinds: NUMERIC,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            Parameter {
                name: "degree",
                default: "2",
                domain: Domain::Whole(1, 20),
                doc: "the number of factors",
                alias: None,
            },
            Parameter {
                name: "c",
                default: "1",
                domain: Domain::NonNegative,
                doc: "added to the inner product; 0 omits terms of lower degree",
                alias: None,
            },
            super::gamma("multiplies the inner product", None),
            Parameter {
                name: "features",
                default: "500",
                domain: Domain::Whole(1, 1 << 20),
                doc: "the number of features; powers of two are fastest",
                alias: None,
            },
            Parameter {
                name: "seed",
                default: "0",
                domain: Domain::Whole(0, 1 << 53),
                doc: "random seed for buckets and signs",
                alias: None,
            },
        ],
        cost: "degree · (d + features · log features) operations per object, once; then one multiplication per feature for each pair",
        reference: "Pham & Pagh 2013",
        example: "tensor-sketch(degree=2, features=64)",
    };

    /// The bucket of a coordinate in the sketch of a factor, and its sign.
    fn bucket(&self, factor: u32, coordinate: u64) -> (usize, f64) {
        let bits = derive_seed(derive_seed(self.seed, u64::from(factor)), coordinate);
        let sign = if bits & 1 == 0 { 1.0 } else { -1.0 };
        // Multiply-shift of the upper half: as uniform as a remainder, without a division.
        let bucket = ((bits >> 32) * self.features as u64) >> 32;
        (bucket as usize, sign)
    }

    /// The sketch of one vector.
    fn sketch(&self, objects: &Vectors, i: usize, transforms: &Transforms, work: &mut Work) {
        work.product.fill(Complex::new(1.0, 0.0));
        for factor in 0..self.degree {
            work.buckets.fill(Complex::default());
            let root = self.gamma.sqrt();
            each_stored(objects, i, |f, x| {
                let (bucket, sign) = self.bucket(factor, f as u64);
                work.buckets[bucket].re += sign * root * x;
            });
            if self.c > 0.0 {
                // A constant coordinate, with an index that no column has.
                let (bucket, sign) = self.bucket(factor, u64::MAX);
                work.buckets[bucket].re += sign * self.c.sqrt();
            }
            transforms.fft.process_with_scratch(&mut work.buckets, &mut work.scratch);
            work.product.iter_mut().zip(&work.buckets).for_each(|(p, v)| *p *= v);
        }
        transforms.ifft.process_with_scratch(&mut work.product, &mut work.scratch);
    }
}

/// The Fourier transform and its inverse, without the factor 1/n.
struct Transforms {
    fft: Arc<dyn Fft<f64>>,
    ifft: Arc<dyn Fft<f64>>,
}

/// Buffers for one sketch.
struct Work {
    buckets: Vec<Complex<f64>>,
    product: Vec<Complex<f64>>,
    scratch: Vec<Complex<f64>>,
}

declared!(TensorSketch { degree, c, gamma, features, seed });

impl Kernel<Vectors> for TensorSketch {
    fn prepare(&self, objects: &Vectors) -> Result<Self::Prepared> {
        if let Some(index) = objects.find_non_finite() {
            return Err(Error::Object { index, reason: "holds NaN or infinity".into(), hint: None });
        }
        let mut planner = FftPlanner::new();
        let n = self.features;
        let transforms = Transforms { fft: planner.plan_fft_forward(n), ifft: planner.plan_fft_inverse(n) };
        let room = transforms.fft.get_inplace_scratch_len().max(transforms.ifft.get_inplace_scratch_len());
        Coordinates::made(objects.len(), n, BLOCK, |rows, out| {
            let zeros = |n| vec![Complex::default(); n];
            let mut work = Work { buckets: zeros(n), product: zeros(n), scratch: zeros(room) };
            for (i, features) in rows.zip(out.chunks_exact_mut(n)) {
                self.sketch(objects, i, &transforms, &mut work);
                features.iter_mut().zip(&work.product).for_each(|(to, v)| *to = (v.re / n as f64) as f32);
            }
            Ok(())
        })
    }

    of_coordinates!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Dense;
    use crate::gram::Engine;
    use crate::random::Random;

    fn points() -> Vectors {
        let mut random = Random::new(5);
        let rows: Vec<[f64; 4]> = (0..12).map(|_| std::array::from_fn(|_| 0.6 * random.normal())).collect();
        Vectors::from(Dense::from_rows(&rows))
    }

    /// Computes the convolution directly, for a few features.
    #[test]
    fn a_sketch_is_the_convolution_of_sketches() {
        let kernel = TensorSketch::new(3, 0.5, 2.0, 7, 11).unwrap();
        let x = points();
        let Vectors::Dense(dense) = &x else { panic!() };
        let prepared = kernel.prepare(&x).unwrap();
        for i in 0..12 {
            let mut expected = vec![0.0; 7];
            expected[0] = 1.0;
            for factor in 0..3 {
                let mut own = [0.0; 7];
                let scaled = dense.row(i).iter().map(|v| 2.0f64.sqrt() * v);
                let numbers = (0..4).chain([u64::MAX]);
                for (f, v) in numbers.zip(scaled.chain([0.5f64.sqrt()])) {
                    let (bucket, sign) = kernel.bucket(factor, f);
                    own[bucket] += sign * v;
                }
                let mut next = vec![0.0; 7];
                for a in 0..7 {
                    for b in 0..7 {
                        next[(a + b) % 7] += expected[a] * own[b];
                    }
                }
                expected = next;
            }
            for (found, expected) in prepared.rows().row(i).iter().zip(&expected) {
                assert!((f64::from(*found) - expected).abs() < 1e-5 * (1.0 + expected.abs()));
            }
        }
    }

    #[test]
    fn sketches_are_unbiased() {
        let (engine, x) = (Engine::new(), points());
        let exact = engine.gram(&Polynomial::new(2, 1.0, 1.0).unwrap(), &x).unwrap();
        let seeds = 300;
        let mut mean = vec![0.0; 144];
        for seed in 0..seeds {
            let gram = engine.gram(&TensorSketch::new(2, 1.0, 1.0, 1024, seed).unwrap(), &x).unwrap();
            mean.iter_mut().zip(gram.values()).for_each(|(m, v)| *m += v / seeds as f64);
        }
        let worst =
            mean.iter().zip(exact.values()).map(|(m, e)| (m - e).abs() / (1.0 + e.abs())).fold(0.0, f64::max);
        assert!(worst < 0.06, "{worst}");
    }

    #[test]
    fn invalid_parameters_are_errors() {
        assert!(TensorSketch::new(2, -1.0, 1.0, 10, 0).is_err());
        assert!(TensorSketch::new(2, 1.0, 1.0, 0, 0).is_err());
        assert!(TensorSketch::new(0, 1.0, 1.0, 10, 0).is_err());
    }
}
