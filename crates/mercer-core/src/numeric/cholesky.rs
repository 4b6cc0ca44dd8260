//! Cholesky factors of large positive definite matrices, on all cores.
//!
//! The matrix is split into strips of rows. The split depends only on its size and every strip is updated by one
//! thread, so results have the same bits for any number of threads. A cancelled computation ends within a strip.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor;
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_inverse::invert_lower_triangular;
use faer::{Accum, MatMut, MatRef, Par};

use crate::budget;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::math::{dot, vectorised};
use crate::parallel;

/// Rows of a strip, and columns that are eliminated together.
const STRIP: usize = 256;
/// Terms of a sum of products between two checks of the budget.
const DEPTH: usize = 2048;

/// The lower triangular factor L of a positive definite matrix LLᵀ.
#[derive(Clone, Debug)]
pub(crate) struct Cholesky {
    /// Row-major. Above the diagonal, entries are 0 in the diagonal blocks and arbitrary elsewhere.
    lower: Dense,
}

impl Cholesky {
    /// Factors a symmetric matrix in place, reading its lower triangle; `None` unless it is positive definite up to
    /// rounding. Time O(n³ / 3), and memory for n × 256 more numbers.
    pub(crate) fn new(mut matrix: Dense) -> Result<Option<Self>> {
        let n = matrix.rows();
        for from in (0..n).step_by(STRIP) {
            let width = STRIP.min(n - from);
            let (above, below) = matrix.values_mut().split_at_mut((from + width) * n);
            let Some(corner) = factor_corner(&mut above[from * n..], n, from, width)? else {
                return Ok(None);
            };
            // Every strip reads the solved columns of all others in the update, so they are copied.
            let solve = |_: usize, strip: &mut [f64]| -> Result<Vec<f64>> {
                budget::check()?;
                let mut solved = Vec::with_capacity(strip.len() / n * width);
                for row in strip.chunks_exact_mut(n) {
                    forward(&corner, width, &mut row[from..from + width]);
                    solved.extend_from_slice(&row[from..from + width]);
                }
                Ok(solved)
            };
            let panel = parallel::chunks_mut(below, STRIP * n, solve)?.concat();
            let update = |at: usize, strip: &mut [f64]| -> Result<()> {
                budget::check()?;
                let (first, rows) = (at * STRIP, strip.len() / n);
                let all = MatRef::from_row_major_slice(&panel, panel.len() / width, width);
                let own = all.submatrix(first, 0, rows, width);
                let others = all.submatrix(0, 0, first + rows, width).transpose();
                let target = MatMut::from_row_major_slice_mut(strip, rows, n);
                let target = target.submatrix_mut(0, from + width, rows, first + rows);
                matmul(target, Accum::Add, own, others, -1.0, Par::Seq);
                Ok(())
            };
            parallel::chunks_mut(below, STRIP * n, update)?;
        }
        Ok(Some(Cholesky { lower: matrix }))
    }

    /// shift·I + scale·LᵀL, of which only the lower triangle is computed. Time O(n³ / 3).
    pub(crate) fn reversed(&self, shift: f64, scale: f64) -> Result<Dense> {
        let n = self.lower.rows();
        let mut out = Dense::zeros(n, n);
        let whole = MatRef::from_row_major_slice(self.lower.values(), n, n);
        let fill = |at: usize, strip: &mut [f64]| -> Result<()> {
            let (first, rows) = (at * STRIP, strip.len() / n);
            let mut target = MatMut::from_row_major_slice_mut(strip, rows, n);
            for from in (first..n).step_by(DEPTH) {
                budget::check()?;
                let depth = DEPTH.min(n - from);
                let own = whole.submatrix(from, first, depth, rows).transpose();
                // Entries right of the diagonal are arbitrary; columns of the first strips end at the diagonal.
                let others = whole.submatrix(from, 0, depth, first + rows);
                let part = target.as_mut().submatrix_mut(0, 0, rows, first + rows);
                matmul(part, Accum::Add, own, others, scale, Par::Seq);
            }
            for r in 0..rows {
                target[(r, first + r)] += shift;
            }
            Ok(())
        };
        parallel::chunks_mut(out.values_mut(), STRIP * n, fill)?;
        Ok(out)
    }

    /// The factor L, whose entries above the diagonal are 0 at least in diagonal blocks.
    pub(crate) fn from_lower(lower: Dense) -> Self {
        Cholesky { lower }
    }

    /// L by rows, as [`Cholesky::lower`], without a copy.
    pub(crate) fn into_lower(self) -> Dense {
        self.lower
    }

    /// L by rows: in the lower triangle, and arbitrary above it.
    pub(crate) fn lower(&self) -> &Dense {
        &self.lower
    }

    /// L⁻¹ by rows, with zeros above the diagonal. Time O(n³ / 3), on one thread.
    pub(crate) fn inverse_root(&self) -> Dense {
        let n = self.lower.rows();
        let mut out = Dense::zeros(n, n);
        let target = MatMut::from_row_major_slice_mut(out.values_mut(), n, n);
        invert_lower_triangular(target, MatRef::from_row_major_slice(self.lower.values(), n, n), Par::Seq);
        out
    }

    /// Solves Lx = b in place. Time O(n²).
    pub(crate) fn forward(&self, b: &mut [f64]) {
        forward(self.lower.values(), self.lower.cols(), b);
    }

    /// Solves Lᵀx = b in place. Time O(n²).
    pub(crate) fn backward(&self, b: &mut [f64]) {
        for r in (0..b.len()).rev() {
            let row = self.lower.row(r);
            let (known, rest) = b.split_at_mut(r);
            let Some(x) = rest.first_mut() else { continue };
            *x /= row[r];
            let x = *x;
            vectorised(
                #[inline(always)]
                || known.iter_mut().zip(row).for_each(|(v, l)| *v -= l * x),
            );
        }
    }
}

/// Factors the diagonal block of a strip of rows and returns a copy, row after row.
fn factor_corner(strip: &mut [f64], n: usize, from: usize, width: usize) -> Result<Option<Vec<f64>>> {
    let mut corner: Vec<f64> =
        strip.chunks_exact(n).flat_map(|row| row[from..from + width].iter().copied()).collect();
    let need = factor::cholesky_in_place_scratch::<f64>(width, Par::Seq, Default::default());
    let memory = |_| Error::Numeric { reason: "not enough memory to factor a matrix".into() };
    let mut buffer = MemBuffer::try_new(need).map_err(memory)?;
    let block = MatMut::from_row_major_slice_mut(&mut corner, width, width);
    let stack = MemStack::new(&mut buffer);
    if factor::cholesky_in_place(block, Default::default(), Par::Seq, stack, Default::default()).is_err() {
        return Ok(None);
    }
    for (r, row) in corner.chunks_exact_mut(width).enumerate() {
        row[r + 1..].fill(0.0);
        strip[r * n + from..r * n + from + width].copy_from_slice(row);
    }
    Ok(Some(corner))
}

/// Solves Lx = b in place, where L has rows of this width.
fn forward(lower: &[f64], width: usize, b: &mut [f64]) {
    for r in 0..b.len() {
        let (known, rest) = b.split_at_mut(r);
        let row = &lower[r * width..r * width + r + 1];
        if let Some(x) = rest.first_mut() {
            *x = (*x - dot(&row[..r], known)) / row[r];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::algebra::product_transposed;
    use crate::random::Random;

    /// A positive definite matrix of several strips.
    fn matrix(n: usize) -> Dense {
        let mut random = Random::new(5);
        let x = Dense::new(n, n, (0..n * n).map(|_| random.normal()).collect()).unwrap();
        let mut k = product_transposed(&x, &x);
        (0..n).for_each(|i| k.row_mut(i)[i] += 1.0);
        k
    }

    #[test]
    fn factors_of_several_strips() {
        for n in [1, 7, 256, 257, 600] {
            let k = matrix(n);
            let factor = Cholesky::new(k.clone()).unwrap().unwrap();
            let b: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
            let mut x = b.clone();
            factor.forward(&mut x);
            factor.backward(&mut x);
            for (i, b) in b.iter().enumerate() {
                assert!((dot(k.row(i), &x) - b).abs() < 1e-8, "{n}: {i}");
            }
            // vᵀ(LᵀL)v = |Lv|², from the lower triangle.
            let reversed = factor.reversed(0.5, 2.0).unwrap();
            let lower = |i: usize| &factor.lower.row(i)[..i + 1];
            for (i, j) in [(0, 0), (n - 1, 0), (n - 1, n - 1), (n / 2, n / 3)] {
                let sum: f64 = (i..n).map(|k| lower(k)[i] * lower(k)[j]).sum();
                let want = 2.0 * sum + if i == j { 0.5 } else { 0.0 };
                assert!((reversed.at(i, j) - want).abs() < 1e-9 * (1.0 + want.abs()), "{n}: {i} {j}");
            }
        }
    }

    #[test]
    fn indefinite_matrices_have_no_factor() {
        let mut k = matrix(300);
        k.row_mut(280)[280] = -1.0;
        assert!(Cholesky::new(k).unwrap().is_none());
        assert!(Cholesky::new(Dense::zeros(0, 0)).unwrap().is_some());
        assert!(Cholesky::new(Dense::from_rows(&[[f64::NAN]])).unwrap().is_none());
    }

    #[test]
    fn threads_do_not_change_bits() {
        let bits = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Cholesky::new(matrix(700)).unwrap().unwrap().lower)
        };
        assert_eq!(bits(1), bits(3));
    }
}
