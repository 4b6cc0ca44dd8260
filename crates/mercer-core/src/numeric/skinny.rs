//! Products of a few vectors with all rows of a matrix, read once and not copied; sums of its rows.
//!
//! [`inner`](super::inner) packs both sides, which pays if every packed vector is used often. With a few vectors on one
//! side, packing the matrix takes as long as the product.

use std::array;

use pulp::{Arch, Simd, WithSimd};

use super::math::vectorised;
use crate::budget;
use crate::parallel;

/// Vectors and rows whose products are summed at the same time.
const FEW: usize = 4;
const ROWS: usize = 3;
/// Coordinates summed at once: those of all vectors stay in a core's cache.
const CHUNK: usize = 512;
/// Rows of the matrix per task.
const TASK: usize = 96;

/// The inner products of vectors of `dim` coordinates (rows of the result) with the rows of a matrix (columns).
///
/// On all threads; a task has a fixed number of rows, so the bits do not depend on threads.
pub(crate) fn products(vectors: &[f64], matrix: &[f64], dim: usize) -> Vec<f64> {
    let (count, rows) = (vectors.len() / dim.max(1), matrix.len() / dim.max(1));
    let tasks: Vec<&[f64]> = matrix.chunks(TASK * dim.max(1)).collect();
    let one = |matrix: &[f64]| Arch::new().dispatch(Products { vectors, matrix, dim });
    let parts: Vec<Vec<f64>> = parallel::map(tasks.len(), |k| one(tasks[k]));
    let mut out = vec![0.0; count * rows];
    for (at, part) in parts.iter().enumerate() {
        let width = part.len() / count.max(1);
        for (row, values) in out.chunks_exact_mut(rows).zip(part.chunks_exact(width.max(1))) {
            row[at * TASK..at * TASK + width].copy_from_slice(values);
        }
    }
    out
}

/// Columns per task of [`subtract`]: those of all rows stay in a core's cache.
const STRIPE: usize = 256;

/// rows - weights · basis, for some rows of `dim` coordinates and as many weights for each as the basis has rows.
///
/// On all threads; a task has a fixed number of columns.
pub(crate) fn subtract(rows: &mut [f64], weights: &[f64], basis: &[f64], dim: usize) {
    let (count, size) = (rows.len() / dim, basis.len() / dim);
    let starts: Vec<usize> = (0..dim).step_by(STRIPE).collect();
    let known: &[f64] = rows;
    let stripe = |start: usize| {
        let end = (start + STRIPE).min(dim);
        let width = end - start;
        let mut out: Vec<f64> =
            (0..count).flat_map(|i| &known[i * dim + start..i * dim + end]).copied().collect();
        vectorised(
            #[inline(always)]
            || {
                for first in (0..size).step_by(GROUP) {
                    // Past the end, the last row is taken with weight 0.
                    let of = |g: usize| (first + g).min(size - 1);
                    let own: [&[f64]; GROUP] =
                        array::from_fn(|g| &basis[of(g) * dim + start..of(g) * dim + end]);
                    for (i, row) in out.chunks_exact_mut(width).enumerate() {
                        let weight =
                            |g: usize| if first + g < size { weights[i * size + first + g] } else { 0.0 };
                        let [a, b, c, d]: [f64; GROUP] = array::from_fn(weight);
                        let rows = own[0].iter().zip(own[1]).zip(own[2].iter().zip(own[3]));
                        for (v, ((p, q), (r, s))) in row.iter_mut().zip(rows) {
                            *v -= (a * p + b * q) + (c * r + d * s);
                        }
                    }
                }
            },
        );
        out
    };
    let parts: Vec<Vec<f64>> = parallel::map(starts.len(), |k| stripe(starts[k]));
    for (at, part) in parts.iter().enumerate() {
        let width = part.len() / count.max(1);
        for (row, values) in rows.chunks_exact_mut(dim).zip(part.chunks_exact(width.max(1))) {
            row[at * STRIPE..at * STRIPE + width].copy_from_slice(values);
        }
    }
}

/// Rows of the basis that are subtracted in one pass.
const GROUP: usize = 4;

struct Products<'a> {
    vectors: &'a [f64],
    matrix: &'a [f64],
    dim: usize,
}

impl WithSimd for Products<'_> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Vec<f64> {
        let Products { vectors, matrix, dim } = self;
        let (count, rows) = (vectors.len() / dim, matrix.len() / dim);
        let mut out = vec![0.0; count * rows];
        for from in (0..dim).step_by(CHUNK) {
            let to = (from + CHUNK).min(dim);
            if budget::is_spent_after(count * rows * (to - from) / 16) {
                break;
            }
            // Past the end, the last vector or row is taken again and its sums are dropped.
            let vector = |i: usize| &vectors[i.min(count - 1) * dim..][from..to];
            let row = |j: usize| &matrix[j.min(rows - 1) * dim..][from..to];
            for left in (0..rows).step_by(ROWS) {
                let right: [&[f64]; ROWS] = array::from_fn(|c| row(left + c));
                for top in (0..count).step_by(FEW) {
                    let sums = tile(simd, array::from_fn(|r| vector(top + r)), right);
                    for (i, sums) in (top..count).zip(sums) {
                        let places = &mut out[i * rows + left..(i + 1) * rows];
                        places.iter_mut().zip(sums).for_each(|(place, sum)| *place += sum);
                    }
                }
            }
        }
        out
    }
}

#[inline(always)]
fn tile<S: Simd>(simd: S, left: [&[f64]; FEW], right: [&[f64]; ROWS]) -> [[f64; ROWS]; FEW] {
    let lanes = S::F64_LANES;
    let whole = left[0].len() / lanes;
    let xs: [&[S::f64s]; FEW] = left.map(|x| &S::as_simd_f64s(x).0[..whole]);
    let ys: [&[S::f64s]; ROWS] = right.map(|y| &S::as_simd_f64s(y).0[..whole]);
    let mut sums = [[simd.splat_f64s(0.0); ROWS]; FEW];
    // Zipped rather than indexed: checks of bounds would stand between the multiplications.
    let ([x0, x1, x2, x3], [y0, y1, y2]) = (xs, ys);
    let vectors = x0.iter().zip(x1).zip(x2).zip(x3);
    let rows = y0.iter().zip(y1).zip(y2);
    for ((((&x0, &x1), &x2), &x3), ((&y0, &y1), &y2)) in vectors.zip(rows) {
        let (x, y) = ([x0, x1, x2, x3], [y0, y1, y2]);
        for (sums, &x) in sums.iter_mut().zip(&x) {
            sums.iter_mut().zip(&y).for_each(|(sum, &y)| *sum = simd.mul_add_e_f64s(x, y, *sum));
        }
    }
    let tail = whole * lanes;
    array::from_fn(|r| {
        array::from_fn(|c| {
            let rest = left[r][tail..].iter().zip(&right[c][tail..]).map(|(x, y)| x * y);
            rest.fold(simd.reduce_sum_f64s(sums[r][c]), |sum, term| sum + term)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn agrees_with_plain_sums() {
        let mut random = Random::new(5);
        for (count, rows, dim) in [(1, 1, 1), (3, 7, 5), (4, 96, 8), (16, 200, 1031), (5, 97, 512), (2, 3, 0)]
        {
            let mut numbers = |n: usize| (0..n).map(|_| random.normal()).collect::<Vec<f64>>();
            let (vectors, matrix) = (numbers(count * dim), numbers(rows * dim));
            let got = products(&vectors, &matrix, dim);
            if dim == 0 {
                assert!(got.is_empty());
                continue;
            }
            assert_eq!(got.len(), count * rows);
            for i in 0..count {
                for j in 0..rows {
                    let pairs = vectors[i * dim..(i + 1) * dim].iter().zip(&matrix[j * dim..(j + 1) * dim]);
                    let want: f64 = pairs.map(|(a, b)| a * b).sum();
                    assert!((got[i * rows + j] - want).abs() < 1e-11, "{count} {rows} {dim}: {i} {j}");
                }
            }
        }
    }

    #[test]
    fn subtracts_sums_of_rows() {
        let mut random = Random::new(6);
        for (count, size, dim) in [(1, 1, 1), (3, 5, 300), (16, 40, 257), (2, 8, 256)] {
            let mut numbers = |n: usize| (0..n).map(|_| random.normal()).collect::<Vec<f64>>();
            let (rows, weights, basis) = (numbers(count * dim), numbers(count * size), numbers(size * dim));
            let mut got = rows.clone();
            subtract(&mut got, &weights, &basis, dim);
            for i in 0..count {
                for j in 0..dim {
                    let sum: f64 = (0..size).map(|s| weights[i * size + s] * basis[s * dim + j]).sum();
                    assert!(
                        (got[i * dim + j] - (rows[i * dim + j] - sum)).abs() < 1e-12,
                        "{count} {size} {dim}"
                    );
                }
            }
        }
    }
}
