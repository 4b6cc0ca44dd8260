//! Inner products of dense vectors whose bits depend only on the pair of vectors.
//!
//! A general matrix product chooses its order of summation by the shape of the matrices, so the last bits of a pair
//! could differ between a Gram matrix, a cross matrix and a single product. Here the order is fixed: features are
//! summed in chunks of [`DEPTH`], each from first to last with one fused multiply-add per feature, and the sums of the
//! chunks are added one after the other. Tiles of any size and orientation, and the squared norms of the vectors,
//! follow that order.
//!
//! A processor without fused multiply-add rounds products before adding them; its bits differ, but follow the same
//! rule.

use pulp::{Arch, Simd, WithSimd};

use crate::budget;

/// Features per chunk: two panels of this many features fit in the L1 cache.
const DEPTH: usize = 256;
/// Left vectors that share the loads of the right side.
const ROWS: usize = 6;
/// Registers filled by one row of products.
const REGISTERS: usize = 2;

/// The right side of a product.
#[derive(Clone, Copy)]
pub(crate) enum Right<'a, T> {
    /// Row-major, one vector after the other: the product is a·bᵀ.
    Rows(&'a [T]),
    /// Column-major, one feature after the other: the product is a·b.
    Columns(&'a [T]),
}

/// Writes the inner products of `rows` vectors, stored one after the other, with `cols` others, all of `dim` features.
pub(crate) fn multiply<T: Copy + Into<f64>>(
    left: &[T],
    right: Right<'_, T>,
    (rows, cols, dim): (usize, usize, usize),
    out: &mut [f64],
) {
    Arch::new().dispatch(Product { left, right, rows, cols, dim, out });
}

/// The inner product of each vector with itself, identical to the bit with [`multiply`].
pub(crate) fn squared_lengths<T: Copy + Into<f64>>(vectors: &[T], count: usize, dim: usize) -> Vec<f64> {
    Arch::new().dispatch(Lengths { vectors, count, dim })
}

struct Product<'a, T> {
    left: &'a [T],
    right: Right<'a, T>,
    rows: usize,
    cols: usize,
    dim: usize,
    out: &'a mut [f64],
}

impl<T: Copy + Into<f64>> WithSimd for Product<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Product { left, right, rows, cols, dim, out } = self;
        out.fill(0.0);
        if rows == 0 || cols == 0 {
            return;
        }
        let width = REGISTERS * S::F64_LANES;
        let (groups, most) = (cols.div_ceil(width), dim.min(DEPTH));
        let mut a = vec![0.0; rows.div_ceil(ROWS) * ROWS * most];
        let mut b = vec![0.0; groups * width * most];
        let mut tile = vec![0.0; ROWS * width];
        for from in (0..dim).step_by(DEPTH) {
            let depth = DEPTH.min(dim - from);
            if budget::is_spent_after(rows * cols * depth / 16) {
                return;
            }
            pack_rows(left, dim, from, depth, (rows, ROWS), &mut a);
            match right {
                Right::Rows(right) => pack_rows(right, dim, from, depth, (cols, width), &mut b),
                Right::Columns(right) => pack_columns(right, from, depth, (cols, width), &mut b),
            }
            for group in 0..groups {
                let panel = &b[group * width * depth..][..width * depth];
                let (start, end) = (group * width, cols.min((group + 1) * width));
                for top in (0..rows).step_by(ROWS) {
                    let own = &a[top * depth..][..ROWS * depth];
                    let height = ROWS.min(rows - top);
                    match height {
                        1 => panel_products::<S, 1>(simd, own, panel, &mut tile),
                        2 => panel_products::<S, 2>(simd, own, panel, &mut tile),
                        3 | 4 => panel_products::<S, 4>(simd, own, panel, &mut tile),
                        _ => panel_products::<S, ROWS>(simd, own, panel, &mut tile),
                    }
                    for (r, sums) in tile.chunks_exact(width).take(height).enumerate() {
                        let target = &mut out[(top + r) * cols + start..(top + r) * cols + end];
                        target.iter_mut().zip(sums).for_each(|(v, s)| *v += s);
                    }
                }
            }
        }
    }
}

/// The products of the first R of [`ROWS`] packed vectors with a panel of others, over one chunk of features.
#[inline(always)]
fn panel_products<S: Simd, const R: usize>(simd: S, own: &[f64], panel: &[f64], tile: &mut [f64]) {
    let (panel, _) = S::as_simd_f64s(panel);
    let mut sums = [[simd.splat_f64s(0.0); REGISTERS]; R];
    for (x, y) in own.as_chunks::<ROWS>().0.iter().zip(panel.as_chunks::<REGISTERS>().0) {
        for (sums, &x) in sums.iter_mut().zip(x) {
            let x = simd.splat_f64s(x);
            sums.iter_mut().zip(y).for_each(|(sum, &y)| *sum = simd.mul_add_e_f64s(x, y, *sum));
        }
    }
    let (tile, _) = S::as_mut_simd_f64s(tile);
    for (target, sums) in tile.chunks_exact_mut(REGISTERS).zip(sums) {
        target.copy_from_slice(&sums);
    }
}

/// Packs groups of vectors with their features interleaved; slots beyond the last vector hold zeros.
#[inline(always)]
fn pack_rows<T: Copy + Into<f64>>(
    vectors: &[T],
    dim: usize,
    from: usize,
    depth: usize,
    (count, side): (usize, usize),
    out: &mut [f64],
) {
    for (group, panel) in out.chunks_exact_mut(side * depth).take(count.div_ceil(side)).enumerate() {
        for lane in 0..side {
            let i = group * side + lane;
            let places = panel[lane..].iter_mut().step_by(side);
            if i < count {
                let values = &vectors[i * dim + from..i * dim + from + depth];
                places.zip(values).for_each(|(p, v)| *p = (*v).into());
            } else {
                places.for_each(|p| *p = 0.0);
            }
        }
    }
}

/// Like `pack_rows`, for vectors stored one feature after the other.
#[inline(always)]
fn pack_columns<T: Copy + Into<f64>>(
    features: &[T],
    from: usize,
    depth: usize,
    (count, side): (usize, usize),
    out: &mut [f64],
) {
    for (group, panel) in out.chunks_exact_mut(side * depth).take(count.div_ceil(side)).enumerate() {
        let (start, end) = (group * side, count.min((group + 1) * side));
        for (f, places) in panel.chunks_exact_mut(side).enumerate() {
            let values = &features[(from + f) * count + start..(from + f) * count + end];
            places.iter_mut().zip(values).for_each(|(p, v)| *p = (*v).into());
            places[end - start..].fill(0.0);
        }
    }
}

struct Lengths<'a, T> {
    vectors: &'a [T],
    count: usize,
    dim: usize,
}

impl<T: Copy + Into<f64>> WithSimd for Lengths<'_, T> {
    type Output = Vec<f64>;

    /// Two registers of vectors at a time, as in [`Product`], so that the same instructions are used.
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Vec<f64> {
        let Lengths { vectors, count, dim } = self;
        let width = REGISTERS * S::F64_LANES;
        let mut packed = vec![0.0; width * dim.min(DEPTH)];
        let mut sums = vec![0.0; width];
        let mut out = vec![0.0; count];
        for start in (0..count).step_by(width) {
            let some = width.min(count - start);
            for from in (0..dim).step_by(DEPTH) {
                let depth = DEPTH.min(dim - from);
                let own = &vectors[start * dim..(start + some) * dim];
                pack_rows(own, dim, from, depth, (some, width), &mut packed[..width * depth]);
                let (panel, _) = S::as_simd_f64s(&packed[..width * depth]);
                let mut squares = [simd.splat_f64s(0.0); REGISTERS];
                for x in panel.as_chunks::<REGISTERS>().0 {
                    squares.iter_mut().zip(x).for_each(|(sum, &x)| *sum = simd.mul_add_e_f64s(x, x, *sum));
                }
                S::as_mut_simd_f64s(&mut sums).0.copy_from_slice(&squares);
                out[start..start + some].iter_mut().zip(&sums).for_each(|(v, s)| *v += s);
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn vectors(count: usize, dim: usize, seed: u64) -> Vec<f64> {
        let mut random = Random::new(seed);
        (0..count * dim).map(|_| random.normal()).collect()
    }

    #[test]
    fn a_pair_has_the_same_bits_in_every_tile() {
        for dim in [0, 1, 7, 255, 256, 257, 700] {
            let (n, x) = (41, vectors(41, dim, dim as u64));
            let mut whole = vec![f64::NAN; n * n];
            multiply(&x, Right::Rows(&x), (n, n, dim), &mut whole);
            let lengths = squared_lengths(&x, n, dim);
            for i in 0..n {
                assert_eq!(lengths[i].to_bits(), whole[i * n + i].to_bits());
                for j in 0..n {
                    assert_eq!(whole[i * n + j].to_bits(), whole[j * n + i].to_bits());
                    let want: f64 = (0..dim).map(|f| x[i * dim + f] * x[j * dim + f]).sum();
                    assert!((whole[i * n + j] - want).abs() <= 1e-12 * (1.0 + dim as f64), "{dim} {i} {j}");
                }
            }
            for (rows, cols) in [(0..1, 0..n), (5..7, 3..6), (9..20, 40..41), (1..n, 2..30), (3..3, 0..4)] {
                let (a, b) = (&x[rows.start * dim..rows.end * dim], &x[cols.start * dim..cols.end * dim]);
                let mut part = vec![f64::NAN; rows.len() * cols.len()];
                multiply(a, Right::Rows(b), (rows.len(), cols.len(), dim), &mut part);
                let transposed: Vec<f64> = (0..dim)
                    .flat_map(|f| (0..cols.len()).map(move |j| (f, j)))
                    .map(|(f, j)| b[j * dim + f])
                    .collect();
                let mut by_columns = vec![f64::NAN; part.len()];
                multiply(a, Right::Columns(&transposed), (rows.len(), cols.len(), dim), &mut by_columns);
                let mut at = 0;
                for i in rows.clone() {
                    for j in cols.clone() {
                        assert_eq!(part[at].to_bits(), whole[i * n + j].to_bits(), "{dim} {i} {j}");
                        assert_eq!(by_columns[at].to_bits(), part[at].to_bits());
                        at += 1;
                    }
                }
            }
        }
    }

    #[test]
    fn single_precision_is_multiplied_in_double() {
        let x = [1.0f32, 1e-8, 3.0];
        let mut out = [0.0];
        multiply(&x, Right::Rows(&x), (1, 1, 3), &mut out);
        assert_eq!(out[0], squared_lengths(&x, 1, 3)[0]);
        assert!((out[0] - 10.0).abs() < 1e-15);
    }
}
