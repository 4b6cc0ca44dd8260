//! Tiles of inner products and of sums over coordinates, for dense and sparse vectors.
//!
//! Three ways to fill a tile serve all vector kernels:
//!
//! * dense · dense: one matrix product;
//! * sparse · sparse: the columns' block is turned into lists by feature, and each row adds up the lists
//!   of its features. A pair's terms are added in ascending order of the feature, so its value does not
//!   depend on the block it is in. (Merging two sorted rows per pair was slower by the ratio of stored
//!   to shared features; making the block dense loses as soon as the dimension is in the thousands.)
//! * sums over coordinates of dense vectors, with a lane per pair: the block is transposed, so that
//!   neighbouring pairs sit in neighbouring lanes and each pair still adds up in order.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

use super::math::vectorised;
use crate::data::{Dense, Sparse, Vectors};
use crate::error::{Error, Result};
use crate::kernel::Part;

/// Vectors with their squared lengths.
#[derive(Clone, Debug)]
pub struct PreparedVectors {
    pub(super) vectors: Vectors,
    pub(super) norms: Vec<f64>,
}

impl PreparedVectors {
    /// Checks that every value is finite and computes squared lengths.
    pub(super) fn new(vectors: &Vectors) -> Result<Self> {
        if let Some(index) = vectors.find_non_finite() {
            return Err(Error::Object { index, reason: "holds NaN or infinity".into(), hint: None });
        }
        let norms = (0..vectors.len())
            .map(|i| match vectors {
                Vectors::Dense(x) => x.row(i).iter().map(|v| v * v).sum(),
                Vectors::Sparse(x) => x.row(i).1.iter().map(|v| v * v).sum(),
            })
            .collect();
        Ok(PreparedVectors { vectors: vectors.clone(), norms })
    }

    pub(super) fn len(&self) -> usize {
        self.norms.len()
    }

    pub(super) fn select(&self, chosen: &[usize]) -> Self {
        let norms = chosen.iter().map(|&i| self.norms[i]).collect();
        PreparedVectors { vectors: self.vectors.select(chosen), norms }
    }
}

impl<'a> Part<'a, PreparedVectors> {
    pub(super) fn norms(&self) -> &'a [f64] {
        &self.set.norms[self.range.clone()]
    }
}

/// Writes x·y for every pair.
pub(super) fn fill_products(
    rows: &Part<'_, PreparedVectors>,
    cols: &Part<'_, PreparedVectors>,
    out: &mut [f64],
) -> Result<()> {
    check_dims(rows, cols)?;
    match (&rows.set.vectors, &cols.set.vectors) {
        (Vectors::Dense(a), Vectors::Dense(b)) => {
            let left = MatRef::from_row_major_slice(a.block(rows.range.clone()), rows.len(), a.cols());
            let right = MatRef::from_row_major_slice(b.block(cols.range.clone()), cols.len(), b.cols());
            let tile = MatMut::from_row_major_slice_mut(out, rows.len(), cols.len());
            matmul(tile, Accum::Replace, left, right.transpose(), 1.0, Par::Seq);
        }
        (Vectors::Sparse(a), Vectors::Sparse(b)) => {
            let lists = Lists::of(b, cols.range.clone());
            fill_shared(a, rows, &lists, cols.len(), out, |x, y| x * y);
        }
        (Vectors::Sparse(a), Vectors::Dense(b)) => {
            for (row, i) in out.chunks_exact_mut(cols.len().max(1)).zip(rows.range.clone()) {
                for (v, j) in row.iter_mut().zip(cols.range.clone()) {
                    *v = sparse_dense(a, i, b.row(j));
                }
            }
        }
        (Vectors::Dense(a), Vectors::Sparse(b)) => {
            for (row, i) in out.chunks_exact_mut(cols.len().max(1)).zip(rows.range.clone()) {
                for (v, j) in row.iter_mut().zip(cols.range.clone()) {
                    *v = sparse_dense(b, j, a.row(i));
                }
            }
        }
    }
    Ok(())
}

/// The squared distance of a pair from the differences of coordinates: exact where |x|² + |y|² - 2x·y cancels.
pub(super) fn squared_distance(a: &Vectors, i: usize, b: &Vectors, j: usize) -> f64 {
    match (a, b) {
        (Vectors::Dense(a), Vectors::Dense(b)) => {
            a.row(i).iter().zip(b.row(j)).map(|(x, y)| (x - y) * (x - y)).sum()
        }
        _ => merged(a, i, b, j, |x, y| (x - y) * (x - y)),
    }
}

/// Below this share of what it is the difference of, a sum is computed from coordinates: the difference is off by
/// some units of 2^-52 of the whole, which is then under 1e-12 of the result.
pub(super) const CLOSE: f64 = 1e-3;

/// Σ g(x_f, y_f) over the coordinates where either is stored.
fn merged(a: &Vectors, i: usize, b: &Vectors, j: usize, g: impl Fn(f64, f64) -> f64) -> f64 {
    let mut sum = 0.0;
    merge(a, i, b, j, |x, y| sum += g(x, y));
    sum
}

/// Calls `f` with the values of both vectors for each coordinate where either is stored.
pub(super) fn merge(a: &Vectors, i: usize, b: &Vectors, j: usize, mut f: impl FnMut(f64, f64)) {
    let (a, b) = (Stored::of(a, i), Stored::of(b, j));
    let (mut p, mut q) = (0, 0);
    loop {
        match (a.get(p), b.get(q)) {
            (None, None) => return,
            (Some((fa, x)), Some((fb, y))) if fa == fb => {
                f(x, y);
                p += 1;
                q += 1;
            }
            (Some((fa, x)), other) if other.is_none_or(|(fb, _)| fa < fb) => {
                f(x, 0.0);
                p += 1;
            }
            (_, Some((_, y))) => {
                f(0.0, y);
                q += 1;
            }
            (Some(_), None) => return,
        }
    }
}

/// The stored coordinates of one vector.
enum Stored<'a> {
    Dense(&'a [f64]),
    Sparse(&'a [u32], &'a [f64]),
}

impl<'a> Stored<'a> {
    fn of(vectors: &'a Vectors, i: usize) -> Self {
        match vectors {
            Vectors::Dense(x) => Stored::Dense(x.row(i)),
            Vectors::Sparse(x) => {
                let (f, v) = x.row(i);
                Stored::Sparse(f, v)
            }
        }
    }

    fn get(&self, at: usize) -> Option<(usize, f64)> {
        match self {
            Stored::Dense(v) => v.get(at).map(|v| (at, *v)),
            Stored::Sparse(f, v) => Some((*f.get(at)? as usize, *v.get(at)?)),
        }
    }
}

fn check_dims(rows: &Part<'_, PreparedVectors>, cols: &Part<'_, PreparedVectors>) -> Result<()> {
    let (a, b) = (&rows.set.vectors, &cols.set.vectors);
    // A sparse vector of fewer dimensions has zeros in the others.
    let padded = matches!((a, b), (Vectors::Sparse(_), Vectors::Sparse(_)));
    if a.dim() == b.dim() || padded {
        return Ok(());
    }
    Err(Error::Dimension { expected: b.dim(), found: a.dim() })
}

fn sparse_dense(a: &Sparse, i: usize, b: &[f64]) -> f64 {
    let (features, values) = a.row(i);
    features.iter().zip(values).map(|(&f, v)| v * b[f as usize]).sum()
}

/// A block of sparse vectors by feature: who has it, and with which value.
struct Lists {
    /// The features in use, ascending, and where each list starts; one start more than features.
    features: Vec<u32>,
    starts: Vec<u32>,
    who: Vec<u16>,
    values: Vec<f64>,
    /// Position of each feature in `features`, where the dimension is small enough to afford a table.
    table: Option<Vec<u32>>,
}

/// The largest dimension for which a table from feature to list is kept with each block.
const TABLE: usize = 1 << 16;
const ABSENT: u32 = u32::MAX;

impl Lists {
    fn of(x: &Sparse, range: std::ops::Range<usize>) -> Self {
        let mut entries: Vec<(u32, u16, f64)> = Vec::new();
        for (position, i) in range.enumerate() {
            let (f, v) = x.row(i);
            entries.extend(f.iter().zip(v).map(|(&f, &v)| (f, position as u16, v)));
        }
        entries.sort_unstable_by_key(|e| (e.0, e.1));
        let (mut features, mut starts) = (Vec::new(), Vec::new());
        for (at, e) in entries.iter().enumerate() {
            if features.last() != Some(&e.0) {
                features.push(e.0);
                starts.push(at as u32);
            }
        }
        starts.push(entries.len() as u32);
        let table = (x.dim() <= TABLE).then(|| {
            let mut table = vec![ABSENT; x.dim()];
            features.iter().enumerate().for_each(|(at, &f)| table[f as usize] = at as u32);
            table
        });
        Lists {
            features,
            starts,
            who: entries.iter().map(|e| e.1).collect(),
            values: entries.iter().map(|e| e.2).collect(),
            table,
        }
    }

    fn find(&self, feature: u32) -> Option<(&[u16], &[f64])> {
        let at = match &self.table {
            Some(table) => *table.get(feature as usize)? as usize,
            None => self.features.binary_search(&feature).ok()?,
        };
        let range = *self.starts.get(at)? as usize..*self.starts.get(at + 1)? as usize;
        Some((&self.who[range.clone()], &self.values[range]))
    }
}

/// Writes Σ g(x_f, y_f) over the features both have, for every pair of a tile.
fn fill_shared(
    a: &Sparse,
    rows: &Part<'_, PreparedVectors>,
    lists: &Lists,
    width: usize,
    out: &mut [f64],
    g: impl Fn(f64, f64) -> f64,
) {
    for (row, i) in out.chunks_exact_mut(width.max(1)).zip(rows.range.clone()) {
        row.fill(0.0);
        let (features, values) = a.row(i);
        for (&feature, &x) in features.iter().zip(values) {
            if let Some((who, theirs)) = lists.find(feature) {
                for (&j, &y) in who.iter().zip(theirs) {
                    row[j as usize] += g(x, y);
                }
            }
        }
    }
}

/// Pairs whose sums stay in registers while the coordinates go by.
const LANES: usize = 16;

/// Writes Σ_f g(x_f, y_f) for every pair, where g(x, 0) = h(x) and g(0, y) = h(y) for sparse vectors.
///
/// Sparse pairs are computed as Σ h(x) + Σ h(y) + Σ over shared features of g(x, y) - h(x) - h(y), with h ≥ 0;
/// where that would lose digits (the sum is small beside Σ h(x) + Σ h(y)), coordinate by coordinate.
pub(super) fn fill_sums(
    rows: &Part<'_, PreparedVectors>,
    cols: &Part<'_, PreparedVectors>,
    out: &mut [f64],
    g: impl Fn(f64, f64) -> f64 + Copy,
    h: impl Fn(f64) -> f64 + Copy,
) -> Result<()> {
    check_dims(rows, cols)?;
    match (&rows.set.vectors, &cols.set.vectors) {
        (Vectors::Dense(a), Vectors::Dense(b)) => fill_dense_sums(a, rows, b, cols, out, g),
        (Vectors::Sparse(a), Vectors::Sparse(b)) => {
            let lists = Lists::of(b, cols.range.clone());
            fill_shared(a, rows, &lists, cols.len(), out, |x, y| g(x, y) - h(x) - h(y));
            let total = |x: &Sparse, i: usize| x.row(i).1.iter().map(|v| h(*v)).sum::<f64>();
            let theirs: Vec<f64> = cols.range.clone().map(|j| total(b, j)).collect();
            for (row, i) in out.chunks_exact_mut(cols.len().max(1)).zip(rows.range.clone()) {
                let own = total(a, i);
                for ((v, their), j) in row.iter_mut().zip(&theirs).zip(cols.range.clone()) {
                    let both = own + their;
                    *v += both;
                    if *v < CLOSE * both {
                        *v = merged(&rows.set.vectors, i, &cols.set.vectors, j, g);
                    }
                }
            }
        }
        (a, b) => {
            for (row, i) in out.chunks_exact_mut(cols.len().max(1)).zip(rows.range.clone()) {
                for (v, j) in row.iter_mut().zip(cols.range.clone()) {
                    *v = merged(a, i, b, j, g);
                }
            }
        }
    }
    Ok(())
}

fn fill_dense_sums(
    a: &Dense,
    rows: &Part<'_, PreparedVectors>,
    b: &Dense,
    cols: &Part<'_, PreparedVectors>,
    out: &mut [f64],
    g: impl Fn(f64, f64) -> f64 + Copy,
) {
    let (dim, width) = (b.cols(), cols.len());
    let groups = width.div_ceil(LANES);
    // Lanes past the end repeat the last vector; their sums are not copied out.
    let mut turned = vec![0.0; groups * dim * LANES];
    for group in 0..groups {
        for lane in 0..LANES {
            let j = cols.range.start + (group * LANES + lane).min(width - 1);
            for (f, &v) in b.row(j).iter().enumerate() {
                turned[(group * dim + f) * LANES + lane] = v;
            }
        }
    }
    vectorised(
        #[inline(always)]
        || {
            for (row, i) in out.chunks_exact_mut(width.max(1)).zip(rows.range.clone()) {
                let x = a.row(i);
                for (group, target) in row.chunks_mut(LANES).enumerate() {
                    let block = &turned[group * dim * LANES..(group + 1) * dim * LANES];
                    let mut sums = [0.0; LANES];
                    for (&own, theirs) in x.iter().zip(block.chunks_exact(LANES)) {
                        for (sum, &their) in sums.iter_mut().zip(theirs) {
                            *sum += g(own, their);
                        }
                    }
                    target.copy_from_slice(&sums[..target.len()]);
                }
            }
        },
    );
}
