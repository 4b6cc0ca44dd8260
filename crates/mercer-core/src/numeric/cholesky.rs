//! The Cholesky factorisation of a dense matrix, by blocks on all cores.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor;
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use crate::budget;
use crate::data::Dense;
use crate::error::{Error, Result};

/// The side length of a block.
const BLOCK: usize = 256;

/// Replaces a symmetric matrix A by the factor of A = LLᵀ: row j holds column j of L from the diagonal on, so that a view
/// by columns has L in its lower triangle. The rest of each row has no meaning. O(n³ / 3).
///
/// `false` if A is not positive definite up to rounding; it is then destroyed. The blocks and the order of all sums depend
/// on n alone, so that bits do not depend on the number of threads.
pub(crate) fn cholesky(a: &mut Dense) -> Result<bool> {
    let n = a.rows();
    for start in (0..n).step_by(BLOCK) {
        budget::check()?;
        let end = n.min(start + BLOCK);
        let (block, trailing) = a.values_mut()[start * n..].split_at_mut((end - start) * n);
        if !factor_block(block, n, start)? {
            return Ok(false);
        }
        let panel = solved(block, n, start, end)?;
        let update = |(c, rows): (usize, &mut [f64])| {
            for (d, other) in panel.iter().enumerate().skip(c) {
                let (height, width) = (rows.len() / n, other.len() / (end - start));
                let out = MatMut::from_row_major_slice_mut(&mut *rows, height, n);
                let out = out.subcols_mut(end + d * BLOCK, width);
                matmul(
                    out,
                    Accum::Add,
                    view(&panel[c], end - start).transpose(),
                    view(other, end - start),
                    -1.0,
                    Par::Seq,
                );
            }
        };
        match panel.len() {
            0 => {}
            // Small problems stay on the calling thread.
            1 => trailing.chunks_mut(BLOCK * n).enumerate().for_each(update),
            _ => trailing.par_chunks_mut(BLOCK * n).enumerate().for_each(update),
        }
    }
    Ok(true)
}

/// Blocks of rows as matrices with this number of rows.
fn view(values: &[f64], rows: usize) -> MatRef<'_, f64> {
    MatRef::from_row_major_slice(values, rows, values.len() / rows)
}

/// Factors the block on the diagonal of these rows, which begins in column `start`.
fn factor_block(rows: &mut [f64], n: usize, start: usize) -> Result<bool> {
    let size = rows.len() / n;
    let need = factor::cholesky_in_place_scratch::<f64>(size, Par::Seq, Default::default());
    let memory = |_| Error::Numeric { reason: "not enough memory to factor a matrix".into() };
    let mut buffer = MemBuffer::try_new(need).map_err(memory)?;
    // The block is symmetric, so rows equal columns.
    let lower = MatMut::from_column_major_slice_mut(rows, n, size).subrows_mut(start, size);
    let stack = MemStack::new(&mut buffer);
    Ok(factor::cholesky_in_place(lower, Default::default(), Par::Seq, stack, Default::default()).is_ok())
}

/// Solves for the rest of these rows by the factored block, writes it to them, and returns it by blocks of columns.
fn solved(rows: &mut [f64], n: usize, start: usize, end: usize) -> Result<Vec<Vec<f64>>> {
    let size = end - start;
    let bytes = budget::matrix_bytes(size, n - end, size_of::<f64>());
    budget::ask("a block of rows of a factorisation", bytes)?;
    let known = &*rows;
    let lower = MatRef::from_column_major_slice(known, n, size).subrows(start, size);
    let solve = |first: usize| {
        let last = n.min(first + BLOCK);
        let mut part: Vec<f64> = known.chunks_exact(n).flat_map(|row| &row[first..last]).copied().collect();
        solve_lower_triangular_in_place(
            lower,
            MatMut::from_row_major_slice_mut(&mut part, size, last - first),
            Par::Seq,
        );
        part
    };
    let firsts: Vec<usize> = (end..n).step_by(BLOCK).collect();
    let parts: Vec<Vec<f64>> = match firsts.len() {
        0 | 1 => firsts.into_iter().map(solve).collect(),
        _ => firsts.into_par_iter().map(solve).collect(),
    };
    for (i, row) in rows.chunks_exact_mut(n).enumerate() {
        for (part, out) in parts.iter().zip(row[end..].chunks_mut(BLOCK)) {
            let width = out.len();
            out.copy_from_slice(&part[i * width..][..width]);
        }
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn definite(n: usize) -> Dense {
        let mut random = Random::new(n as u64);
        let x: Vec<f64> = (0..n * 3).map(|_| random.unit() - 0.5).collect();
        let mut a = Dense::zeros(n, n);
        for i in 0..n {
            for j in 0..n {
                let dot: f64 = (0..3).map(|k| x[i * 3 + k] * x[j * 3 + k]).sum();
                a.row_mut(i)[j] = dot + if i == j { 1.0 } else { 0.0 };
            }
        }
        a
    }

    #[test]
    fn the_factor_gives_the_matrix_back() {
        for n in [0, 1, 2, 255, 256, 257, 600, 770] {
            let a = definite(n);
            let mut l = a.clone();
            assert!(cholesky(&mut l).unwrap());
            for (i, j) in [(0, 0), (n / 2, n / 3), (n.saturating_sub(1), 0), (n.saturating_sub(1), n / 2)] {
                if n == 0 {
                    continue;
                }
                let sum: f64 = (0..=i.min(j)).map(|k| l.at(k, i) * l.at(k, j)).sum();
                assert!((sum - a.at(i, j)).abs() < 1e-12, "{n}: {i} {j}: {sum} {}", a.at(i, j));
            }
        }
    }

    #[test]
    fn bits_do_not_depend_on_threads() {
        let a = definite(700);
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut l = a.clone();
            assert!(pool.install(|| cholesky(&mut l)).unwrap());
            l.values().iter().map(|v| v.to_bits()).collect::<Vec<_>>()
        };
        assert_eq!(run(1), run(3));
    }

    #[test]
    fn indefinite_matrices_are_refused_in_any_block() {
        for at in [0, 300, 699] {
            let mut a = definite(700);
            a.row_mut(at)[at] = -1.0;
            assert!(!cholesky(&mut a).unwrap());
        }
    }
}
