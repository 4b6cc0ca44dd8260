//! The largest eigenvalues of a dense symmetric matrix, with their eigenvectors.

use rayon::prelude::*;

use super::Spectrum;
use super::algebra::{largest, product, product_transposed};
use super::inner::{self, Right};
use super::spectrum::fix_sign;
use crate::budget::{self, matrix_bytes};
use crate::data::Dense;
use crate::error::Result;
use crate::random::Random;

/// Matrices with fewer rows are decomposed whole.
const SMALL: usize = 400;

/// Largest dimension of the Krylov space, as a fraction of the number of rows: beyond it, a whole decomposition is as fast.
const FRACTION: usize = 4;

/// The `count` largest eigenvalues of a symmetric matrix, descending, and their eigenvectors as rows, each signed so
/// that its entry of largest magnitude is positive.
///
/// A block Lanczos method with full orthogonalisation, from a fixed random block. Every pair is certified by its
/// residual |K·u - λ·u| ≤ 4·n·ε·max |λ|, the rounding of a whole decomposition: an eigenvalue lies that close to λ.
/// `None` if the matrix is small, many pairs are wanted, or the method does not converge early enough to pay.
///
/// Time O(m·n²) for a Krylov space of m dimensions, a few times `count`; the same bits for any number of threads.
pub(crate) fn largest_pairs(k: &Dense, count: usize) -> Result<Option<(Vec<f64>, Dense)>> {
    let n = k.rows();
    let most = n / FRACTION;
    let width = (count + 6).next_multiple_of(8).min(32);
    if n < SMALL || count + 2 * width > most {
        return Ok(None);
    }
    budget::ask("the largest eigenvalues", matrix_bytes(3 * most, n, 8))?;
    let mut random = Random::new(0x006c_616e_637a_6f73);
    // Rows of `basis` are orthonormal, rows of `images` their products with the matrix.
    let (mut basis, mut images) = (Vec::with_capacity(most * n), Vec::with_capacity(most * n));
    let mut block: Vec<f64> = (0..width * n).map(|_| random.normal()).collect();
    let mut checked = 0;
    loop {
        budget::check()?;
        let size = basis.len() / n;
        orthonormalise(&basis, &mut block, n, &mut random);
        let image = times(&block, k);
        basis.append(&mut block);
        images.extend_from_slice(image.values());
        block = image.into_values();
        let size = size + width;
        let last = size + width > most;
        // The small problem grows with the cube of its size, so it is solved at sizes that grow by a third.
        if size >= 2 * count.max(width) && (3 * size >= 4 * checked || last) {
            checked = size;
            let (q, z) = (Dense::new(size, n, basis.clone())?, Dense::new(size, n, images.clone())?);
            if let Some(found) = converged(&q, &z, count)? {
                return Ok(Some(found));
            }
        }
        if last {
            return Ok(None);
        }
    }
}

/// The Rayleigh–Ritz pairs of a basis, if the residuals of the largest `count` are rounding.
fn converged(q: &Dense, z: &Dense, count: usize) -> Result<Option<(Vec<f64>, Dense)>> {
    let (m, n) = (q.rows(), q.cols());
    let mut small = product_transposed(z, q);
    for i in 0..m {
        for j in 0..i {
            let mean = 0.5 * (small.at(i, j) + small.at(j, i));
            small.row_mut(i)[j] = mean;
            small.row_mut(j)[i] = mean;
        }
    }
    let spectrum = Spectrum::of(&small)?;
    let top: Vec<usize> = (m - count..m).rev().collect();
    let weights = spectrum.vectors.select(&top);
    let (mut vectors, images) = (product(&weights, q), product(&weights, z));
    let allowed = 4.0 * n as f64 * f64::EPSILON * largest(&spectrum.values);
    for (at, &k) in top.iter().enumerate() {
        let lambda = spectrum.values[k];
        let pairs = images.row(at).iter().zip(vectors.row(at));
        let residual = pairs.map(|(image, u)| (image - lambda * u).powi(2)).sum::<f64>().sqrt();
        if residual.is_nan() || residual > allowed {
            return Ok(None);
        }
    }
    (0..count).for_each(|at| fix_sign(vectors.row_mut(at)));
    Ok(Some((top.iter().map(|&k| spectrum.values[k]).collect(), vectors)))
}

/// Makes the rows of a block orthogonal to the basis and orthonormal among themselves. A row that vanishes up to
/// rounding is replaced by a random one.
fn orthonormalise(basis: &[f64], block: &mut [f64], n: usize, random: &mut Random) {
    let size = basis.len() / n;
    // Twice is enough.
    for _ in 0..2 {
        remove(basis, size, block, n);
    }
    for i in 0..block.len() / n {
        let (before, rest) = block.split_at_mut(i * n);
        let row = &mut rest[..n];
        loop {
            let length = norm(row);
            for _ in 0..2 {
                remove(before, i, row, n);
            }
            let left = norm(row);
            if left > 1e-8 * length && left > 0.0 {
                row.iter_mut().for_each(|v| *v /= left);
                break;
            }
            row.iter_mut().for_each(|v| *v = random.normal());
            for _ in 0..2 {
                remove(basis, size, row, n);
            }
        }
    }
}

fn norm(row: &[f64]) -> f64 {
    row.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// Subtracts from rows their projections on `size` orthonormal rows.
fn remove(basis: &[f64], size: usize, rows: &mut [f64], n: usize) {
    if size == 0 {
        return;
    }
    let count = rows.len() / n;
    let mut shares = vec![0.0; count * size];
    inner::multiply(rows, Right::Rows(basis), (count, size, n), &mut shares);
    let mut parts = vec![0.0; count * n];
    inner::multiply(&shares, Right::Columns(basis), (count, n, size), &mut parts);
    rows.iter_mut().zip(parts).for_each(|(v, part)| *v -= part);
}

/// block · K for a symmetric K, in parallel over the rows of K; every entry has the same bits for any number of threads.
fn times(block: &[f64], k: &Dense) -> Dense {
    const ROWS: usize = 128;
    let n = k.rows();
    let width = block.len() / n;
    let starts: Vec<usize> = (0..n).step_by(ROWS).collect();
    let parts: Vec<(usize, Vec<f64>)> = starts
        .into_par_iter()
        .map(budget::carried(|start: usize| {
            let rows = ROWS.min(n - start);
            let mut part = vec![0.0; width * rows];
            let right = Right::Rows(&k.values()[start * n..(start + rows) * n]);
            inner::multiply(block, right, (width, rows, n), &mut part);
            (start, part)
        }))
        .collect();
    let mut out = Dense::zeros(width, n);
    for (start, part) in parts {
        let rows = part.len() / width;
        for (i, values) in part.chunks_exact(rows).enumerate() {
            out.row_mut(i)[start..start + rows].copy_from_slice(values);
        }
    }
    out
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
