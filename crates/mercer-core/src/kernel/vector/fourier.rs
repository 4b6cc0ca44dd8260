//! Random Fourier features of the Gaussian and the Laplacian.

use std::f64::consts::PI;

use crate::data::{Dense, Vectors};
use crate::error::{Error, Result};
use crate::kernel::coordinates::{Coordinates, of_coordinates};
use crate::kernel::facts::NUMERIC;
use crate::kernel::{Definiteness, Domain, Facts, Kernel, OneOf, Parameter, declared};
use crate::numeric::math::{LARGEST_ANGLE, sin_cos, vectorised};
use crate::random::Random;

/// The approximated kernel and how its frequencies are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// exp(-gamma·|x - y|²) with independent frequencies.
    Gaussian,
    /// The same kernel with frequencies from products of Hadamard matrices and random signs: d·log d operations for d
    /// frequencies instead of d², and lower variance.
    FastGaussian,
    /// exp(-gamma·|x - y|₁).
    Laplacian,
}

impl OneOf for Shape {
    const WORDS: &'static [&'static str] = &["rbf", "rbf-fast", "laplacian"];
    const ALL: &'static [Shape] = &[Shape::Gaussian, Shape::FastGaussian, Shape::Laplacian];
}

/// Random Fourier features: an inner product of cosines and sines whose expectation is the Gaussian or the Laplacian
/// kernel.
///
/// z(x) = (cos w_j·x, sin w_j·x)/√m for m frequencies w_j, half the number of features, drawn from the kernel's Fourier
/// transform: normal for the Gaussian, Cauchy for the Laplacian. Then z(x)·z(y) is the mean of cos w_j·(x - y), with an
/// error of about 1/√m, and z(x)·z(x) = 1. Nothing is fitted; the seed is part of the kernel. Features are stored in
/// single precision. The resulting error of about 1e-7 is far below the 1/√m of the approximation.
///
/// ```
/// use mercer_core::{data::{Dense, Vectors}, gram::Engine, kernel::vector::{Fourier, Shape}};
/// let x = Vectors::from(Dense::from_rows(&[[0.0, 0.0], [1.0, 0.0]]));
/// let k = Engine::new().gram(&Fourier::new(0.5, 4000, Shape::Gaussian, 1)?, &x)?;
/// assert!((k.at(0, 0) - 1.0).abs() < 1e-6);
/// assert!((k.at(0, 1) - (-0.5f64).exp()).abs() < 0.05);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// References: Rahimi & Recht 2007, Random features for large-scale kernel machines; Yu, Suresh, Choromanski,
/// Holtmann-Rice & Kumar 2016, Orthogonal random features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fourier {
    gamma: f64,
    features: usize,
    shape: Shape,
    seed: u64,
}

/// Objects whose features are computed together.
const BLOCK: usize = 256;
/// Maximum number of entries in a frequency matrix: one gigabyte.
const MOST: usize = 1 << 27;
/// Minimum side of a block: signs of shorter vectors give too few directions.
const SIDE: usize = 64;
/// Number of rounds of random signs and Hadamard transforms.
const ROUNDS: usize = 3;

impl Fourier {
    /// Features of a kernel with this gamma, which must be finite and above 0. An odd number of features is rounded up.
    pub fn new(gamma: f64, features: usize, shape: Shape, seed: u64) -> Result<Self> {
        Fourier::FACTS.check("gamma", gamma)?;
        Fourier::FACTS.check("features", features as f64)?;
        Ok(Fourier { gamma, features, shape, seed })
    }

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "fourier",
        summary: "Random Fourier features: an unbiased approximation of the Gaussian or Laplacian kernel by explicit features.",
        formula: "mean of cos w_j·(x - y), w_j drawn from the kernel's Fourier transform; features are stored in single precision, about 7 digits",
        takes: "numbers",
        kinds: NUMERIC,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            super::gamma("gamma of the approximated kernel", None),
            Parameter {
                name: "features",
                default: "500",
                domain: Domain::Whole(2, 1_000_000),
                doc: "number of features, half of them cosines; odd numbers are rounded up",
                alias: None,
            },
            Parameter {
                name: "of",
                default: "rbf",
                domain: Domain::Word(Shape::WORDS),
                doc: "the approximated kernel; rbf-fast uses Hadamard matrices and is faster for many columns",
                alias: None,
            },
            Parameter {
                name: "seed",
                default: "0",
                domain: Domain::Whole(0, 1 << 53),
                doc: "random seed for the frequencies",
                alias: None,
            },
        ],
        cost: "features·d/2 multiplications (rbf-fast: features·log d) per object, once; then one multiplication per feature for each pair",
        reference: "Rahimi & Recht 2007; Yu et al. 2016",
        example: "fourier(gamma=0.1, features=64)",
    };

    fn frequencies(&self) -> usize {
        self.features.div_ceil(2)
    }

    /// The frequencies, one row per column of the data. The entries for one column do not depend on the number of
    /// columns.
    fn matrix(&self, dim: usize) -> Result<Dense> {
        let m = self.frequencies();
        if dim.saturating_mul(m) > MOST {
            let domain = format!("at most {} for {dim} columns", 2 * (MOST / dim.max(1)));
            return Err(Error::param("features", self.features, &domain));
        }
        let mut out = Dense::zeros(dim, m);
        for f in 0..dim {
            let mut random = Random::derived(self.seed, f as u64);
            for w in out.row_mut(f) {
                *w = match self.shape {
                    Shape::Gaussian | Shape::FastGaussian => (2.0 * self.gamma).sqrt() * random.normal(),
                    Shape::Laplacian => self.gamma * (PI * (random.unit() - 0.5)).tan(),
                };
            }
        }
        Ok(out)
    }
}

declared!(Fourier { gamma, features, shape, seed });

impl Kernel<Vectors> for Fourier {
    fn prepare(&self, objects: &Vectors) -> Result<Self::Prepared> {
        if let Some(index) = objects.find_non_finite() {
            return Err(Error::Object { index, reason: "holds NaN or infinity".into(), hint: None });
        }
        let (m, dim) = (self.frequencies(), objects.dim());
        let scale = 1.0 / (m as f64).sqrt();
        let angles = match self.shape {
            Shape::Gaussian | Shape::Laplacian => Angles::Matrix(self.matrix(dim)?),
            Shape::FastGaussian => Angles::Signs(Signs::new(dim, m, self.gamma, self.seed)?),
        };
        Coordinates::made(objects.len(), 2 * m, BLOCK, |rows, out| {
            let mut own = vec![0.0; m];
            let mut scratch = Vec::new();
            for (i, features) in rows.zip(out.chunks_exact_mut(2 * m)) {
                angles.of(objects, i, &mut own, &mut scratch);
                vectorised(
                    #[inline(always)]
                    || write_waves(&own, scale, features),
                );
            }
            Ok(())
        })
    }

    of_coordinates!();
}

/// Writes the cosine and the sine of every angle.
#[inline(always)]
fn write_waves(angles: &[f64], scale: f64, features: &mut [f32]) {
    let pairs = features.as_chunks_mut::<2>().0.iter_mut().zip(angles);
    if angles.iter().fold(0.0, |most: f64, a| most.max(a.abs())) <= LARGEST_ANGLE {
        for (pair, &angle) in pairs {
            let (sin, cos) = sin_cos(angle);
            *pair = [(scale * cos) as f32, (scale * sin) as f32];
        }
    } else {
        for (pair, angle) in pairs {
            let (sin, cos) = angle.sin_cos();
            *pair = [(scale * cos) as f32, (scale * sin) as f32];
        }
    }
}

/// Computes the angles w_j·x of objects.
enum Angles {
    Matrix(Dense),
    Signs(Signs),
}

impl Angles {
    fn of(&self, objects: &Vectors, i: usize, out: &mut [f64], scratch: &mut Vec<f64>) {
        match self {
            Angles::Matrix(frequencies) => {
                out.fill(0.0);
                each_stored(objects, i, |f, x| {
                    vectorised(
                        #[inline(always)]
                        || out.iter_mut().zip(frequencies.row(f)).for_each(|(angle, w)| *angle += x * w),
                    );
                });
            }
            Angles::Signs(signs) => signs.angles(objects, i, out, scratch),
        }
    }
}

/// Calls `f` with the nonzero coordinates of a vector, ascending.
pub(super) fn each_stored(objects: &Vectors, i: usize, mut f: impl FnMut(usize, f64)) {
    match objects {
        Vectors::Dense(x) => {
            x.row(i).iter().enumerate().filter(|(_, v)| **v != 0.0).for_each(|(j, v)| f(j, *v))
        }
        Vectors::Sparse(x) => {
            let (features, values) = x.row(i);
            features.iter().zip(values).for_each(|(&j, v)| f(j as usize, *v));
        }
    }
}

/// Structured frequencies: blocks of √(2·gamma)·S·H·D₁·H·D₂·H·D₃. H is the Hadamard matrix of p rows over √p, where p
/// is the next power of two from d (and from 64). Each D is a diagonal of random signs, and S is a diagonal of lengths
/// of normal vectors of p numbers. (Using the average length √p for all would bias data with few columns.)
struct Signs {
    /// The side of a block.
    side: usize,
    /// Signs for all rounds of all blocks.
    signs: Vec<f64>,
    /// The factor of each frequency.
    lengths: Vec<f64>,
}

impl Signs {
    fn new(dim: usize, frequencies: usize, gamma: f64, seed: u64) -> Result<Self> {
        let side = dim.max(SIDE).next_power_of_two();
        let mut random = Random::new(seed);
        let count = frequencies.div_ceil(side).saturating_mul(ROUNDS * side);
        if count > MOST {
            return Err(Error::param("of", "rbf-fast", "rbf for this many columns"));
        }
        let signs = (0..count).map(|_| if random.bits() & 1 == 0 { 1.0 } else { -1.0 }).collect();
        // Each transform omits its factor 1/√p.
        let factor = (2.0 * gamma).sqrt() / (side as f64).sqrt().powi(ROUNDS as i32);
        let lengths = (0..frequencies).map(|_| factor * length(side, &mut random)).collect();
        Ok(Signs { side, signs, lengths })
    }

    fn angles(&self, objects: &Vectors, i: usize, out: &mut [f64], scratch: &mut Vec<f64>) {
        let blocks = out.chunks_mut(self.side).zip(self.signs.chunks_exact(ROUNDS * self.side));
        for ((angles, signs), lengths) in blocks.zip(self.lengths.chunks(self.side)) {
            scratch.clear();
            scratch.resize(self.side, 0.0);
            each_stored(objects, i, |f, x| scratch[f] = x);
            for round in signs.chunks_exact(self.side) {
                scratch.iter_mut().zip(round).for_each(|(v, sign)| *v *= sign);
                transform(scratch);
            }
            let scaled = lengths.iter().zip(scratch.iter()).map(|(length, v)| length * v);
            angles.iter_mut().zip(scaled).for_each(|(to, v)| *to = v);
        }
    }
}

/// The length of a vector of p normal numbers: exact for few, by the Wilson-Hilferty cube approximation for many.
fn length(p: usize, random: &mut Random) -> f64 {
    if p < 16 {
        return (0..p).map(|_| random.normal().powi(2)).sum::<f64>().sqrt();
    }
    let part = 2.0 / (9.0 * p as f64);
    (p as f64 * (1.0 - part + part.sqrt() * random.normal()).max(0.0).powi(3)).sqrt()
}

/// In-place Hadamard transform; the length is a power of two.
fn transform(values: &mut [f64]) {
    let mut half = 1;
    while half < values.len() {
        for pair in values.chunks_exact_mut(2 * half) {
            let (left, right) = pair.split_at_mut(half);
            for (a, b) in left.iter_mut().zip(right) {
                (*a, *b) = (*a + *b, *a - *b);
            }
        }
        half *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gram::Engine;
    use crate::kernel::vector::{Laplacian, Rbf};

    fn points() -> Vectors {
        let mut random = Random::new(3);
        let rows: Vec<[f64; 5]> = (0..40).map(|_| std::array::from_fn(|_| 0.5 * random.normal())).collect();
        Vectors::from(Dense::from_rows(&rows))
    }

    fn worst(a: &Dense, b: &Dense) -> f64 {
        a.values().iter().zip(b.values()).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn error_is_small_and_falls_with_more_features() {
        let (engine, x) = (Engine::new(), points());
        let gaussian = engine.gram(&Rbf::new(0.7).unwrap(), &x).unwrap();
        let laplacian = engine.gram(&Laplacian::new(0.4).unwrap(), &x).unwrap();
        for (shape, gamma, exact) in [
            (Shape::Gaussian, 0.7, &gaussian),
            (Shape::FastGaussian, 0.7, &gaussian),
            (Shape::Laplacian, 0.4, &laplacian),
        ] {
            let off = |features| {
                let each = (0..5).map(|seed| {
                    let kernel = Fourier::new(gamma, features, shape, seed).unwrap();
                    worst(&engine.gram(&kernel, &x).unwrap(), exact)
                });
                each.sum::<f64>() / 5.0
            };
            let (few, many) = (off(64), off(8192));
            assert!(many < 0.06 && many < 0.3 * few, "{shape:?}: {few} {many}");
        }
    }

    #[test]
    fn sparse_and_dense_vectors_give_equal_features() {
        let x = points();
        let Vectors::Dense(dense) = &x else { panic!() };
        let rows: Vec<Vec<(u32, f64)>> =
            (0..40).map(|i| dense.row(i).iter().enumerate().map(|(j, v)| (j as u32, *v)).collect()).collect();
        let sparse = Vectors::Sparse(crate::data::Sparse::from_rows(5, &rows).unwrap());
        for shape in [Shape::Gaussian, Shape::FastGaussian, Shape::Laplacian] {
            let kernel = Fourier::new(1.0, 30, shape, 9).unwrap();
            let gram = |x: &Vectors| Engine::new().gram(&kernel, x).unwrap();
            assert_eq!(gram(&x), gram(&sparse));
        }
    }

    #[test]
    fn invalid_parameters_are_errors() {
        assert!(Fourier::new(0.0, 10, Shape::Gaussian, 0).is_err());
        assert!(Fourier::new(1.0, 1, Shape::Gaussian, 0).is_err());
        let wide = Vectors::Sparse(crate::data::Sparse::from_rows(1 << 30, &[vec![(7, 1.0)]]).unwrap());
        for shape in [Shape::Gaussian, Shape::FastGaussian] {
            assert!(Fourier::new(1.0, 1000, shape, 0).unwrap().prepare(&wide).is_err());
        }
    }

    #[test]
    fn lengths_of_normal_vectors() {
        let mut random = Random::new(1);
        for p in [1, 8, 16, 256] {
            let mean = (0..20_000).map(|_| length(p, &mut random).powi(2)).sum::<f64>() / 20_000.0;
            assert!((mean / p as f64 - 1.0).abs() < 0.05, "{p}: {mean}");
        }
    }

    #[test]
    fn hadamard_is_its_own_inverse() {
        let mut v = [1.0, -2.0, 3.5, 0.0, 4.0, 1.0, 0.5, -1.0];
        let before = v;
        transform(&mut v);
        transform(&mut v);
        assert_eq!(v, before.map(|x| 8.0 * x));
    }
}
