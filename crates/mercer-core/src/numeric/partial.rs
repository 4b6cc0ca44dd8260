//! The largest eigenvalues of a dense symmetric matrix, with their eigenvectors.

use super::algebra::largest;
use super::math::{dot, vectorised};
use super::spectrum::fix_sign;
use super::{Spectrum, skinny};
use crate::budget::{self, matrix_bytes};
use crate::data::Dense;
use crate::error::Result;
use crate::random::Random;

/// Matrices with fewer rows are decomposed whole.
const SMALL: usize = 400;

/// Largest dimension of the Krylov space, as a fraction of the number of rows: beyond it, a whole decomposition is as fast.
const FRACTION: usize = 4;

/// A direction that couples to the space by less than this share of the largest image is rounding.
const VANISHED: f64 = 1e-14;

/// The `count` largest eigenvalues of a symmetric matrix, descending, and their eigenvectors as rows, each signed so
/// that its entry of largest magnitude is positive.
///
/// A block Lanczos method with full orthogonalisation, from a fixed random block. The matrix is read once per block: the
/// projected matrix and the estimates of residuals come from the numbers that orthogonalisation needs anyway. At the
/// end every pair is certified by its residual |K·u - λ·u| ≤ 4·n·ε·max |λ|, the rounding of a whole decomposition, from
/// a product of its own: an eigenvalue lies that close to λ. `None` if the matrix is small, many pairs are wanted, or
/// the method does not converge early enough to pay.
///
/// Time O(m·n²) for a Krylov space of m dimensions, a few times `count`; the same bits for any number of threads.
pub(crate) fn largest_pairs(k: &Dense, count: usize) -> Result<Option<(Vec<f64>, Dense)>> {
    let n = k.rows();
    let most = n / FRACTION;
    // No narrower than `count`: a block of b vectors finds b copies of a multiple eigenvalue.
    let width = (count + 2).next_multiple_of(4).min(32);
    if n < SMALL || count + 2 * width > most {
        return Ok(None);
    }
    budget::ask("the largest eigenvalues", matrix_bytes(2 * most, n, 8))?;
    let mut random = Random::new(0x006c_616e_637a_6f73);
    let mut space =
        Space { n, width, basis: Vec::with_capacity(most * n), projected: Vec::new(), scale: 0.0 };
    let mut block: Vec<f64> = (0..width * n).map(|_| random.normal()).collect();
    space.orthonormalise(&mut block, &mut random);
    let mut checked = 0;
    loop {
        budget::check()?;
        let mut image = skinny::products(&block, k.values(), n);
        space.basis.append(&mut block);
        space.project(&mut image);
        let coupling = space.orthonormalise(&mut image, &mut random);
        let (size, last) = (space.size(), space.size() + width > most);
        // The small problem grows with the cube of its size, so it is solved at sizes that grow by a fifth.
        if size >= (4 * count).max(2 * width) && (5 * size >= 6 * checked || last) {
            checked = size;
            if let Some(found) = space.converged(k, count, &coupling)? {
                return Ok(Some(found));
            }
        }
        if last {
            return Ok(None);
        }
        block = image;
    }
}

/// A Krylov space.
struct Space {
    n: usize,
    width: usize,
    /// Orthonormal rows.
    basis: Vec<f64>,
    /// q_i·K·q_j for j up to the end of the block of i, one row for each i.
    projected: Vec<Vec<f64>>,
    /// The longest image so far.
    scale: f64,
}

impl Space {
    fn size(&self) -> usize {
        self.basis.len() / self.n
    }

    /// Makes the images of the last block orthogonal to the basis, and records their projections.
    fn project(&mut self, image: &mut [f64]) {
        self.scale = image.chunks_exact(self.n).map(norm).fold(self.scale, f64::max);
        let shares = self.remove(image);
        self.projected.extend(shares.chunks_exact(self.size()).map(<[f64]>::to_vec));
        // Twice is enough.
        self.remove(image);
    }

    /// Subtracts from rows their projections on the basis, which it returns.
    fn remove(&self, rows: &mut [f64]) -> Vec<f64> {
        let shares = skinny::products(rows, &self.basis, self.n);
        if !self.basis.is_empty() {
            skinny::subtract(rows, &shares, &self.basis, self.n);
        }
        shares
    }

    /// Makes rows orthonormal that are orthogonal to the basis; returns R with rows = R · orthonormal rows. A row that
    /// vanishes up to rounding is replaced by a random one.
    fn orthonormalise(&self, rows: &mut [f64], random: &mut Random) -> Vec<f64> {
        let (n, width) = (self.n, self.width);
        let mut coupling = vec![0.0; width * width];
        for i in 0..width {
            let (before, rest) = rows.split_at_mut(i * n);
            let row = &mut rest[..n];
            let shares = reduced(before, row, n);
            coupling[i * width..i * width + i].copy_from_slice(&shares);
            let left = norm(row);
            coupling[i * width + i] = left;
            let mut length = left;
            // Relative to what it was, so that the directions of rounding are not taken for directions of the space.
            while length <= VANISHED * self.scale || length == 0.0 {
                row.iter_mut().for_each(|v| *v = random.normal());
                for _ in 0..2 {
                    self.remove(row);
                    reduced(before, row, n);
                }
                length = norm(row);
            }
            row.iter_mut().for_each(|v| *v /= length);
        }
        coupling
    }

    /// The Rayleigh–Ritz pairs of the space, if the residuals of the largest `count` are rounding.
    ///
    /// The residual of a pair is what couples to the next block, by the last entries of its vector in the space. Only if
    /// these are small for all pairs is the matrix read once more, to compute the residuals.
    fn converged(&self, k: &Dense, count: usize, coupling: &[f64]) -> Result<Option<(Vec<f64>, Dense)>> {
        let (m, n, width) = (self.size(), self.n, self.width);
        let mut small = Dense::zeros(m, m);
        for (i, row) in self.projected.iter().enumerate() {
            for (j, &v) in row.iter().enumerate() {
                // Within a block both halves are known, and equal up to rounding.
                let mean = if self.projected[j].len() > i { 0.5 * (v + self.projected[j][i]) } else { v };
                small.row_mut(i)[j] = mean;
                small.row_mut(j)[i] = mean;
            }
        }
        let spectrum = Spectrum::of(&small)?;
        let top: Vec<usize> = (m - count..m).rev().collect();
        let allowed = 4.0 * n as f64 * f64::EPSILON * largest(&spectrum.values);
        let leaves = |&k: &usize| {
            let end = &spectrum.vectors.row(k)[m - width..];
            let column =
                |j: usize| -> f64 { end.iter().enumerate().map(|(i, s)| s * coupling[i * width + j]).sum() };
            (0..width).map(|j| column(j).powi(2)).sum::<f64>().sqrt()
        };
        if !top.iter().map(leaves).all(|estimate| estimate <= 0.5 * allowed) {
            return Ok(None);
        }
        let weights = spectrum.vectors.select(&top);
        let mut vectors = Dense::zeros(count, n);
        // Subtracting what is negative adds it.
        let negative: Vec<f64> = weights.values().iter().map(|w| -w).collect();
        skinny::subtract(vectors.values_mut(), &negative, &self.basis, n);
        let images = skinny::products(vectors.values(), k.values(), n);
        for (at, &k) in top.iter().enumerate() {
            let lambda = spectrum.values[k];
            let pairs = images[at * n..(at + 1) * n].iter().zip(vectors.row(at));
            let residual = pairs.map(|(image, u)| (image - lambda * u).powi(2)).sum::<f64>().sqrt();
            if residual.is_nan() || residual > allowed {
                return Ok(None);
            }
        }
        (0..count).for_each(|at| fix_sign(vectors.row_mut(at)));
        Ok(Some((top.iter().map(|&k| spectrum.values[k]).collect(), vectors)))
    }
}

/// Makes a row orthogonal to orthonormal ones; returns its shares of them.
fn reduced(before: &[f64], row: &mut [f64], n: usize) -> Vec<f64> {
    let mut total = vec![0.0; before.len() / n];
    for _ in 0..2 {
        for (total, other) in total.iter_mut().zip(before.chunks_exact(n)) {
            let share = dot(other, row);
            *total += share;
            vectorised(
                #[inline(always)]
                || row.iter_mut().zip(other).for_each(|(v, o)| *v -= share * o),
            );
        }
    }
    total
}

fn norm(row: &[f64]) -> f64 {
    dot(row, row).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Gaussian Gram matrix of points on a grid, whose eigenvalues decay fast.
    fn gaussian(n: usize, gamma: f64) -> Dense {
        let point = |i: usize| [(i % 23) as f64 * 0.31, (i / 23) as f64 * 0.17];
        let value = |at: usize| {
            let (a, b) = (point(at / n), point(at % n));
            (-gamma * a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>()).exp()
        };
        Dense::new(n, n, (0..n * n).map(value).collect()).unwrap()
    }

    #[test]
    fn pairs_are_those_of_the_whole_decomposition() {
        for (n, count, gamma) in [(500, 10, 0.5), (640, 3, 0.05), (450, 1, 2.0)] {
            let k = gaussian(n, gamma);
            let whole = Spectrum::of(&k).unwrap();
            let (values, vectors) = largest_pairs(&k, count).unwrap().expect("fast decay converges");
            for (c, found) in values.iter().enumerate() {
                let (value, vector) = (whole.values[n - 1 - c], whole.vectors.row(n - 1 - c));
                assert!((found - value).abs() < 1e-10 * whole.values[n - 1], "{n} {c}");
                let gap = (0..n).filter(|&j| j != n - 1 - c).map(|j| (whole.values[j] - value).abs());
                if gap.fold(f64::INFINITY, f64::min) > 1e-3 * value {
                    let apart = vectors.row(c).iter().zip(vector).map(|(a, b)| (a - b).abs());
                    assert!(apart.fold(0.0, f64::max) < 1e-8, "{n} {c}");
                }
            }
        }
    }

    /// Many equal eigenvalues, few distinct ones, and a matrix of low rank.
    #[test]
    fn multiple_eigenvalues_and_low_rank() {
        let n = 480;
        let blocks =
            Dense::new(n, n, (0..n * n).map(|at| f64::from(u8::from(at / n / 40 == at % n / 40))).collect())
                .unwrap();
        // Twelve blocks of 40 ones: the eigenvalue 40 twelve times, then 0.
        let (values, _) = largest_pairs(&blocks, 14).unwrap().unwrap();
        assert!(values[..12].iter().all(|v| (v - 40.0).abs() < 1e-9), "{values:?}");
        assert!(values[12..].iter().all(|v| v.abs() < 1e-9), "{values:?}");
        // A spectrum without decay does not converge early.
        let mut random = Random::new(3);
        let mut flat = Dense::zeros(n, n);
        for i in 0..n {
            flat.row_mut(i)[i] = 1.0 + 1e-9 * random.unit();
        }
        assert!(largest_pairs(&flat, 60).unwrap().is_none());
        assert!(largest_pairs(&Dense::zeros(3, 3), 1).unwrap().is_none());
    }

    #[test]
    fn bits_do_not_depend_on_threads() {
        let k = gaussian(420, 0.3);
        let one = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| largest_pairs(&k, 5)).unwrap().unwrap()
        };
        assert_eq!(one(1), one(3));
    }
}
