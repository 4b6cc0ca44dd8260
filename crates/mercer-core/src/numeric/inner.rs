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
//!
//! Features that are zero in all left vectors that share loads are left out where this saves much, as in images. Adding
//! a product with zero changes no bit of a result, unless the other factor is not finite: then nothing is left out.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use crate::budget;

/// Features per chunk: two panels of this many features fit in the L1 cache.
const DEPTH: usize = 256;
/// Left vectors that share the loads of the right side.
const ROWS: usize = 6;
/// Registers filled by one row of products.
const REGISTERS: usize = 2;
/// Features are left out where at least one in this many values is zero, ...
const ZEROS: usize = 4;
/// ... from groups of vectors that need at most this share of them.
const NEEDED: (usize, usize) = (7, 8);

/// The right side of a product.
#[derive(Clone, Copy)]
pub(crate) enum Right<'a, T> {
    /// Row-major, one vector after the other: the product is a·bᵀ.
    Rows(&'a [T]),
    /// Column-major, one feature after the other: the product is a·b.
    Columns(&'a [T]),
    /// The same for as many vectors as features, where vector j has no feature above j: half of the work.
    Upper(&'a [T]),
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
        let most = dim.min(DEPTH);
        let mut a = vec![0.0; rows.div_ceil(ROWS) * ROWS * most];
        let mut b = vec![0.0; width * most];
        let mut tile = vec![0.0; ROWS * width];
        let mut used = Used::default();
        let is_upper = matches!(right, Right::Upper(_));
        for from in (0..dim).step_by(DEPTH) {
            let depth = DEPTH.min(dim - from);
            if budget::is_spent_after(rows * cols * depth / 16) {
                return;
            }
            pack_rows(left, dim, from, depth, (rows, ROWS), &mut a);
            used.counts.clear();
            let is_sparse = !is_upper && has_zeros(left, dim, from, depth, rows);
            if is_sparse && is_finite(right, (from, depth), (cols, dim)) {
                used.choose(left, (dim, from, depth), rows, &mut a);
            }
            for start in (0..cols).step_by(width) {
                let end = cols.min(start + width);
                // Features beyond are zero in the whole panel.
                let deep = if is_upper { depth.min(end.saturating_sub(from)) } else { depth };
                if deep == 0 {
                    continue;
                }
                let panel = &mut b[..width * deep];
                match right {
                    Right::Rows(right) => {
                        pack_rows(
                            &right[start * dim..end * dim],
                            dim,
                            from,
                            deep,
                            (end - start, width),
                            panel,
                        );
                    }
                    Right::Columns(right) | Right::Upper(right) => {
                        pack_columns(right, cols, from, start..end, width, panel);
                    }
                }
                for top in (0..rows).step_by(ROWS) {
                    let own = &a[top * depth..][..ROWS * deep];
                    let height = ROWS.min(rows - top);
                    match (used.of(top / ROWS, depth), height) {
                        (None, 1) => panel_products::<S, 1>(simd, own, panel, &mut tile),
                        (None, 2) => panel_products::<S, 2>(simd, own, panel, &mut tile),
                        (None, 3 | 4) => panel_products::<S, 4>(simd, own, panel, &mut tile),
                        (None, _) => panel_products::<S, ROWS>(simd, own, panel, &mut tile),
                        (Some(used), 1) => some_products::<S, 1>(simd, own, used, panel, &mut tile),
                        (Some(used), 2) => some_products::<S, 2>(simd, own, used, panel, &mut tile),
                        (Some(used), 3 | 4) => some_products::<S, 4>(simd, own, used, panel, &mut tile),
                        (Some(used), _) => some_products::<S, ROWS>(simd, own, used, panel, &mut tile),
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

/// Like `panel_products`, where `own` holds the features `used` alone.
#[inline(always)]
fn some_products<S: Simd, const R: usize>(
    simd: S,
    own: &[f64],
    used: &[u32],
    panel: &[f64],
    tile: &mut [f64],
) {
    let (panel, _) = S::as_simd_f64s(panel);
    let panel = panel.as_chunks::<REGISTERS>().0;
    let mut sums = [[simd.splat_f64s(0.0); REGISTERS]; R];
    for (x, &f) in own.as_chunks::<ROWS>().0.iter().zip(used) {
        let y = &panel[f as usize];
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

/// Whether enough values of a chunk of features are zero for some features to be left out.
#[inline(always)]
fn has_zeros<T: Copy + Into<f64>>(
    vectors: &[T],
    dim: usize,
    from: usize,
    depth: usize,
    count: usize,
) -> bool {
    let of = |i: usize| {
        let values = &vectors[i * dim + from..i * dim + from + depth];
        values.iter().map(|v| u64::from((*v).into() == 0.0)).sum::<u64>()
    };
    (0..count).map(of).sum::<u64>() * ZEROS as u64 >= (count * depth) as u64
}

/// Whether a chunk of features of all right vectors is finite.
#[inline(always)]
fn is_finite<T: Copy + Into<f64>>(
    right: Right<'_, T>,
    (from, depth): (usize, usize),
    (cols, dim): (usize, usize),
) -> bool {
    // The order of bits without the sign is that of magnitudes. This loop is vectorised, one that ends early is not.
    let most =
        |values: &[T]| values.iter().fold(0, |most: u64, v| most.max((*v).into().to_bits() & !(1 << 63)));
    let most = match right {
        Right::Rows(right) => {
            (0..cols).fold(0, |all: u64, j| all.max(most(&right[j * dim + from..j * dim + from + depth])))
        }
        Right::Columns(right) | Right::Upper(right) => most(&right[from * cols..(from + depth) * cols]),
    };
    f64::from_bits(most).is_finite()
}

/// The features that each group of left vectors needs, where some are left out.
#[derive(Default)]
struct Used {
    /// For each group, places for all features of a chunk.
    features: Vec<u32>,
    /// How many features a group needs; `None` for all.
    counts: Vec<Option<u32>>,
}

impl Used {
    /// Moves the features that a group needs to the front of its packed values, where that leaves out enough.
    #[inline(always)]
    fn choose<T: Copy + Into<f64>>(
        &mut self,
        left: &[T],
        (dim, from, depth): (usize, usize, usize),
        rows: usize,
        packed: &mut [f64],
    ) {
        let groups = rows.div_ceil(ROWS);
        self.features.resize(groups * depth, 0);
        let mut bits = [0u64; DEPTH];
        let panels = packed.chunks_exact_mut(ROWS * depth).zip(self.features.chunks_exact_mut(depth));
        for (group, (panel, features)) in panels.take(groups).enumerate() {
            bits.fill(0);
            for i in group * ROWS..rows.min((group + 1) * ROWS) {
                let values = &left[i * dim + from..i * dim + from + depth];
                // Without the sign, as a negative zero is one too.
                bits.iter_mut().zip(values).for_each(|(b, v)| *b |= (*v).into().to_bits() << 1);
            }
            let mut count = 0;
            for (f, &bits) in bits[..depth].iter().enumerate() {
                features[count] = f as u32;
                count += usize::from(bits != 0);
            }
            let fewer = count * NEEDED.1 <= depth * NEEDED.0;
            if fewer {
                let values = panel.as_chunks_mut::<ROWS>().0;
                for (to, &f) in features[..count].iter().enumerate() {
                    values[to] = values[f as usize];
                }
            }
            self.counts.push(fewer.then_some(count as u32));
        }
    }

    /// The features of a group, or `None` for all.
    #[inline(always)]
    fn of(&self, group: usize, depth: usize) -> Option<&[u32]> {
        let count = (*self.counts.get(group)?)?;
        Some(&self.features[group * depth..][..count as usize])
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

/// Like `pack_rows`, for one group of vectors out of `count` stored one feature after the other.
#[inline(always)]
fn pack_columns<T: Copy + Into<f64>>(
    features: &[T],
    count: usize,
    from: usize,
    group: Range<usize>,
    side: usize,
    out: &mut [f64],
) {
    for (f, places) in out.chunks_exact_mut(side).enumerate() {
        let values = &features[(from + f) * count + group.start..(from + f) * count + group.end];
        places.iter_mut().zip(values).for_each(|(p, v)| *p = (*v).into());
        places[group.len()..].fill(0.0);
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
    fn an_upper_triangle_is_multiplied_as_the_whole() {
        for dim in [1, 5, 16, 63, 256, 300, 530] {
            let (rows, x) = (13, vectors(13, dim, 3));
            let mut y = vectors(dim, dim, 4);
            (1..dim).for_each(|f| y[f * dim..f * dim + f].fill(0.0));
            let product = |right: Right<'_, f64>| {
                let mut out = vec![f64::NAN; rows * dim];
                multiply(&x, right, (rows, dim, dim), &mut out);
                out.iter().map(|v| v.to_bits()).collect::<Vec<_>>()
            };
            assert_eq!(product(Right::Upper(&y)), product(Right::Columns(&y)), "{dim}");
        }
    }

    /// Images: most values zero, many features zero in all vectors, some zeros negative.
    fn images(count: usize, dim: usize, seed: u64) -> Vec<f64> {
        let mut random = Random::new(seed);
        let edge = |f: usize| f % 16 < 5 || f.is_multiple_of(7);
        let mut value = |at: usize| match (edge(at % dim.max(1)), random.below(3)) {
            (true, _) => 0.0,
            (_, 0) => -0.0,
            (_, 1) => 0.0,
            _ => random.normal(),
        };
        (0..count * dim).map(&mut value).collect()
    }

    #[test]
    fn leaving_zeros_out_changes_no_bit() {
        for (rows, dim) in [(1, 300), (2, 64), (4, 64), (13, 257), (30, 784)] {
            let x = images(rows, dim, 1);
            assert!(has_zeros(&x, dim, 0, dim.min(DEPTH), rows));
            // A small value in each place where there is a zero makes sums longer, not different.
            let mut tiny = x.clone();
            tiny.iter_mut().filter(|v| **v == 0.0).for_each(|v| *v = 1e-320);
            let mut y = vectors(9, dim, 2);
            y[0] = -1e-200;
            let product = |x: &[f64], y: &[f64]| {
                let mut out = vec![f64::NAN; rows * 9];
                multiply(x, Right::Rows(y), (rows, 9, dim), &mut out);
                out.iter().map(|v| v.to_bits()).collect::<Vec<_>>()
            };
            let plain: Vec<u64> = x
                .chunks_exact(dim)
                .flat_map(|x| y.chunks_exact(dim).map(move |y| (x, y)))
                .map(|(x, y)| {
                    let chunks = x.chunks(DEPTH).zip(y.chunks(DEPTH));
                    chunks
                        .map(|(x, y)| x.iter().zip(y).fold(0.0, |sum, (a, b)| f64::mul_add(*a, *b, sum)))
                        .fold(0.0, |sum, part| sum + part)
                        .to_bits()
                })
                .collect();
            assert_eq!(product(&x, &y), product(&tiny, &y), "{rows} {dim}");
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("fma") && std::arch::is_x86_feature_detected!("avx2") {
                assert_eq!(product(&x, &y), plain, "{rows} {dim}");
            }
            // Zero times infinity is not a number, wherever the zero is.
            y[dim + 5] = f64::INFINITY;
            let with_infinity = product(&x, &y);
            assert!(
                (0..rows)
                    .all(|r| f64::from_bits(with_infinity[r * 9 + 1]).is_nan() == (x[r * dim + 5] == 0.0))
            );
            assert!((0..rows).all(|r| with_infinity[r * 9] == product(&x, &vectors_with(&y, dim))[r * 9]));
        }
    }

    /// The vectors with a finite second one.
    fn vectors_with(y: &[f64], dim: usize) -> Vec<f64> {
        let mut y = y.to_vec();
        y[dim + 5] = 1.0;
        y
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
