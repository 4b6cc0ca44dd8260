//! Tiles of inner products and of sums over coordinates, for dense and sparse vectors.
//!
//! A tile is filled in one of three ways, shared by all vector kernels:
//!
//! * dense · dense: one matrix product whose order of summation depends only on the pair ([`inner`](super::inner));
//! * sparse · sparse: the block of columns is stored as an inverted index, and each row adds up the lists of its
//!   features. In products, a feature of many vectors is a dense column instead. The terms of a pair are added in
//!   ascending order of the feature, so its value does not depend on the block. (Merging two sorted rows per pair would
//!   visit every stored feature, not only the shared ones; a dense block would cost as much as the dimension.)
//! * sums over coordinates of dense vectors, with one SIMD lane per pair: the block is transposed, so that neighbouring
//!   pairs are in neighbouring lanes and each pair is still summed in order.

use crate::budget;
use crate::data::{Dense, Sparse, Vectors};
use crate::error::{Error, Result};
use crate::kernel::Shortlists;
use crate::kernel::{Part, Prepared};
use crate::numeric::inner::{self, Right};
use crate::numeric::kd_tree;
use crate::numeric::math::vectorised;
use crate::numeric::screen::{self, Cloud};

/// Vectors with their squared norms.
#[derive(Clone, Debug)]
pub struct PreparedVectors {
    pub(crate) vectors: Vectors,
    pub(super) norms: Vec<f64>,
}

impl PreparedVectors {
    /// Checks that every value is finite and computes squared norms.
    pub(crate) fn new(vectors: &Vectors) -> Result<Self> {
        if let Some(index) = vectors.find_non_finite() {
            return Err(Error::Object { index, reason: "holds NaN or infinity".into(), hint: None });
        }
        // Summed in the order of the products, so that x·x in a tile equals the squared norm exactly.
        let norms = match vectors {
            Vectors::Dense(x) => inner::squared_lengths(x.values(), x.rows(), x.cols()),
            Vectors::Sparse(x) => {
                (0..x.rows()).map(|i| x.row(i).1.iter().fold(0.0, |sum, v| sum + v * v)).collect()
            }
        };
        Ok(PreparedVectors { vectors: vectors.clone(), norms })
    }

    /// Short lists of the `k` nearest of `others` for every vector: for dense vectors, if they are many. A
    /// tree tells them in few dimensions, single precision otherwise.
    pub(crate) fn shortlists(&self, others: &Self, k: usize) -> Result<Option<Shortlists>> {
        let (Vectors::Dense(own), Vectors::Dense(theirs)) = (&self.vectors, &others.vectors) else {
            return Ok(None);
        };
        // Packing the others takes as long as comparing a few vectors with them.
        if own.cols() != theirs.cols() || own.rows() < FEW || theirs.rows() < 8 * k.max(FEW) {
            return Ok(None);
        }
        let queries = Cloud { values: own.values(), norms: &self.norms };
        let others = Cloud { values: theirs.values(), norms: &others.norms };
        match kd_tree::shortlists(queries, others, own.cols(), k)? {
            Some(lists) => Ok(Some(lists)),
            None => screen::shortlists(queries, others, own.cols(), k),
        }
    }
}

/// Fewer vectors than this are compared one by one.
const FEW: usize = 16;

impl Prepared for PreparedVectors {
    fn len(&self) -> usize {
        self.norms.len()
    }

    fn select(&self, chosen: &[usize]) -> Self {
        PreparedVectors { vectors: self.vectors.select(chosen), norms: self.norms.select(chosen) }
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
            let (left, right) = (a.block(rows.range.clone()), b.block(cols.range.clone()));
            inner::multiply(left, Right::Rows(right), (rows.len(), cols.len(), a.cols()), out);
        }
        (Vectors::Sparse(a), Vectors::Sparse(b)) => {
            let lists = Lists::of(b, cols.range.clone());
            fill_sparse_products(a, rows, &lists, cols.len(), out);
        }
        (Vectors::Sparse(a), Vectors::Dense(b)) => {
            for (row, i) in out.chunks_exact_mut(cols.len().max(1)).zip(rows.range.clone()) {
                budget::check_after(cols.len() * a.row(i).0.len())?;
                for (v, j) in row.iter_mut().zip(cols.range.clone()) {
                    *v = sparse_dense(a, i, b.row(j));
                }
            }
        }
        (Vectors::Dense(a), Vectors::Sparse(b)) => {
            for (row, i) in out.chunks_exact_mut(cols.len().max(1)).zip(rows.range.clone()) {
                for (v, j) in row.iter_mut().zip(cols.range.clone()) {
                    budget::check_after(b.row(j).0.len())?;
                    *v = sparse_dense(b, j, a.row(i));
                }
            }
        }
    }
    Ok(())
}

/// The squared distance of a pair from coordinate differences: exact where |x|² + |y|² - 2x·y cancels.
pub(super) fn squared_distance(a: &Vectors, i: usize, b: &Vectors, j: usize) -> f64 {
    match (a, b) {
        (Vectors::Dense(a), Vectors::Dense(b)) => {
            a.row(i).iter().zip(b.row(j)).map(|(x, y)| (x - y) * (x - y)).sum()
        }
        _ => merged(a, i, b, j, |x, y| (x - y) * (x - y)),
    }
}

/// A difference below this fraction of its terms is computed from coordinates. The error of a difference is some units
/// of 2^-52 of its terms, and so stays below 1e-12 of the result.
pub(super) const CLOSE: f64 = 1e-3;

/// Σ g(x_f, y_f) over the coordinates where either is stored.
fn merged(a: &Vectors, i: usize, b: &Vectors, j: usize, g: impl Fn(f64, f64) -> f64) -> f64 {
    let mut sum = 0.0;
    merge(a, i, b, j, |x, y| sum += g(x, y));
    sum
}

/// Calls `f` with the values of both vectors for each coordinate where either is stored.
pub(crate) fn merge(a: &Vectors, i: usize, b: &Vectors, j: usize, mut f: impl FnMut(f64, f64)) {
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
    // A sparse vector with fewer dimensions is padded with zeros.
    let padded = matches!((a, b), (Vectors::Sparse(_), Vectors::Sparse(_)));
    if a.dim() == b.dim() || padded {
        return Ok(());
    }
    Err(Error::Dimension { expected: b.dim(), found: a.dim() })
}

fn sparse_dense(a: &Sparse, i: usize, b: &[f64]) -> f64 {
    let (features, values) = a.row(i);
    features.iter().zip(values).fold(0.0, |sum, (&f, v)| sum + v * b[f as usize])
}

/// Inverted index of a block of sparse vectors: for each feature, the vectors that have it and their values.
struct Lists {
    /// The features in use, ascending, and the start of each list; there is one more start than features.
    features: Vec<u32>,
    starts: Vec<u32>,
    who: Vec<u32>,
    values: Vec<f64>,
    /// Index of each feature in `features`, kept only for small dimensions.
    table: Option<Vec<u32>>,
}

/// The largest dimension for which each block has a table from feature to list.
const TABLE: usize = 1 << 16;
const ABSENT: u32 = u32::MAX;

impl Lists {
    fn of(x: &Sparse, range: std::ops::Range<usize>) -> Self {
        if x.dim() > TABLE { Lists::sorted(x, range) } else { Lists::counted(x, range) }
    }

    /// Builds the index by counting, for dimensions with a table.
    fn counted(x: &Sparse, range: std::ops::Range<usize>) -> Self {
        let mut table = vec![0u32; x.dim()];
        for i in range.clone() {
            x.row(i).0.iter().for_each(|&f| table[f as usize] += 1);
        }
        let (mut features, mut starts, mut next, mut total) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for (f, place) in table.iter_mut().enumerate() {
            let count = *place;
            *place = ABSENT;
            if count > 0 {
                *place = features.len() as u32;
                features.push(f as u32);
                starts.push(total);
                next.push(total as usize);
                total += count;
            }
        }
        starts.push(total);
        let (mut who, mut values) = (vec![0; total as usize], vec![0.0; total as usize]);
        for (position, i) in range.enumerate() {
            let (own, theirs) = x.row(i);
            for (&f, &v) in own.iter().zip(theirs) {
                let at = &mut next[table[f as usize] as usize];
                (who[*at], values[*at]) = (position as u32, v);
                *at += 1;
            }
        }
        Lists { features, starts, who, values, table: Some(table) }
    }

    /// Builds the index by sorting, for dimensions too large for a table.
    fn sorted(x: &Sparse, range: std::ops::Range<usize>) -> Self {
        let mut entries: Vec<(u32, u32, f64)> = Vec::new();
        for (position, i) in range.enumerate() {
            let (f, v) = x.row(i);
            entries.extend(f.iter().zip(v).map(|(&f, &v)| (f, position as u32, v)));
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
        Lists {
            features,
            starts,
            who: entries.iter().map(|e| e.1).collect(),
            values: entries.iter().map(|e| e.2).collect(),
            table: None,
        }
    }

    fn find(&self, feature: u32) -> Option<usize> {
        match &self.table {
            Some(table) => table.get(feature as usize).filter(|at| **at != ABSENT).map(|at| *at as usize),
            None => self.features.binary_search(&feature).ok(),
        }
    }

    fn list(&self, at: usize) -> (&[u32], &[f64]) {
        let range = self.starts[at] as usize..self.starts[at + 1] as usize;
        (&self.who[range.clone()], &self.values[range])
    }
}

/// A feature is common in a block if at least one in this many vectors has it.
const COMMON: usize = 8;

/// The common features of a block as dense columns.
struct Columns {
    /// The start of each list's column, for lists that have one.
    starts: Vec<Option<usize>>,
    values: Vec<f64>,
}

impl Columns {
    fn of(lists: &Lists, width: usize) -> Self {
        let mut columns = Columns { starts: Vec::with_capacity(lists.features.len()), values: Vec::new() };
        for at in 0..lists.features.len() {
            let (who, values) = lists.list(at);
            let start = columns.values.len();
            columns.starts.push((who.len() * COMMON >= width).then_some(start));
            if who.len() * COMMON >= width {
                columns.values.resize(start + width, 0.0);
                who.iter().zip(values).for_each(|(&j, &v)| columns.values[start + j as usize] = v);
            }
        }
        columns
    }
}

/// Number of common features that are added to a row in one pass.
const GROUP: usize = 4;

/// Writes x·y for every pair of a tile.
///
/// Rare features are added list by list. Common ones are added as whole columns, zeros included, in vector code. Adding
/// a zero changes no bit (a sum that began with +0 is never -0), so the result does not depend on which features are
/// common.
fn fill_sparse_products(
    a: &Sparse,
    rows: &Part<'_, PreparedVectors>,
    lists: &Lists,
    width: usize,
    out: &mut [f64],
) {
    let columns = Columns::of(lists, width);
    vectorised(
        #[inline(always)]
        || {
            for (row, i) in out.chunks_exact_mut(width.max(1)).zip(rows.range.clone()) {
                row.fill(0.0);
                let mut group = [(0.0, 0); GROUP];
                let mut waiting = 0;
                let (features, values) = a.row(i);
                if budget::is_spent_after(features.len() * (1 + width / 8)) {
                    return;
                }
                for (&feature, &x) in features.iter().zip(values) {
                    let Some(at) = lists.find(feature) else { continue };
                    if let Some(start) = columns.starts[at] {
                        group[waiting] = (x, start);
                        waiting += 1;
                    }
                    let rare = columns.starts[at].is_none();
                    if waiting == GROUP || rare && waiting > 0 {
                        add_columns(row, &mut group, &columns.values);
                        waiting = 0;
                    }
                    if rare {
                        let (who, theirs) = lists.list(at);
                        who.iter().zip(theirs).for_each(|(&j, &y)| row[j as usize] += x * y);
                    }
                }
                if waiting > 0 {
                    add_columns(row, &mut group, &columns.values);
                }
            }
        },
    );
}

/// Adds the columns of a group to a row, in order for each entry, and empties the group. Unused entries add zeros.
#[inline(always)]
fn add_columns(row: &mut [f64], group: &mut [(f64, usize); GROUP], values: &[f64]) {
    let width = row.len();
    let column = |at: usize| &values[group[at].1..group[at].1 + width];
    let (a, b, c, d) = (column(0), column(1), column(2), column(3));
    let [x, y, z, w] = [group[0].0, group[1].0, group[2].0, group[3].0];
    for (j, v) in row.iter_mut().enumerate() {
        *v = (((*v + x * a[j]) + y * b[j]) + z * c[j]) + w * d[j];
    }
    *group = [(0.0, 0); GROUP];
}

/// Writes Σ g(x_f, y_f) over the features that both vectors have, for every pair of a tile.
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
        if budget::is_spent_after(features.len() * (1 + width / 2)) {
            return;
        }
        for (&feature, &x) in features.iter().zip(values) {
            if let Some(at) = lists.find(feature) {
                let (who, theirs) = lists.list(at);
                for (&j, &y) in who.iter().zip(theirs) {
                    row[j as usize] += g(x, y);
                }
            }
        }
    }
}

/// Number of pairs whose sums stay in registers during the loop over coordinates.
const LANES: usize = 16;

/// Writes Σ_f g(x_f, y_f) for every pair, where g(x, 0) = h(x) and g(0, y) = h(y) for sparse vectors.
///
/// Sparse pairs are computed as Σ h(x) + Σ h(y) + Σ over shared features of g(x, y) - h(x) - h(y), with h ≥ 0. Where
/// that would lose digits (the sum is small compared with Σ h(x) + Σ h(y)), they are computed coordinate by coordinate.
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
                    budget::check_after(a.dim())?;
                    *v = merged(a, i, b, j, g);
                }
            }
        }
    }
    Ok(())
}

/// Writes Σ g(x_f, y_f) over the features that both vectors have, for every pair: over all coordinates where both are
/// dense.
pub(crate) fn fill_shared_sums(
    rows: &Part<'_, PreparedVectors>,
    cols: &Part<'_, PreparedVectors>,
    out: &mut [f64],
    g: impl Fn(f64, f64) -> f64 + Copy,
) -> Result<()> {
    check_dims(rows, cols)?;
    match (&rows.set.vectors, &cols.set.vectors) {
        (Vectors::Dense(a), Vectors::Dense(b)) => fill_dense_sums(a, rows, b, cols, out, g),
        (Vectors::Sparse(a), Vectors::Sparse(b)) => {
            fill_shared(a, rows, &Lists::of(b, cols.range.clone()), cols.len(), out, g);
        }
        (a, b) => {
            let shared = |x: f64, y: f64| if x == 0.0 || y == 0.0 { 0.0 } else { g(x, y) };
            for (row, i) in out.chunks_exact_mut(cols.len().max(1)).zip(rows.range.clone()) {
                for (v, j) in row.iter_mut().zip(cols.range.clone()) {
                    budget::check_after(a.dim())?;
                    *v = merged(a, i, b, j, shared);
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
    // Lanes past the end repeat the last vector; their sums are discarded.
    let mut transposed = vec![0.0; groups * dim * LANES];
    for group in 0..groups {
        for lane in 0..LANES {
            let j = cols.range.start + (group * LANES + lane).min(width - 1);
            for (f, &v) in b.row(j).iter().enumerate() {
                transposed[(group * dim + f) * LANES + lane] = v;
            }
        }
    }
    vectorised(
        #[inline(always)]
        || {
            for (row, i) in out.chunks_exact_mut(width.max(1)).zip(rows.range.clone()) {
                let x = a.row(i);
                for (group, target) in row.chunks_mut(LANES).enumerate() {
                    let block = &transposed[group * dim * LANES..(group + 1) * dim * LANES];
                    if budget::is_spent_after(2 * dim) {
                        return;
                    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Feature f is in every (f + 1)-th vector: some are common, some rare, and both kinds alternate in every row.
    fn mixed(dim: u32) -> Sparse {
        let value = |i: u32, f: u32| f64::from((i * 31 + f * 17) % 101) / 7.0 - 6.5;
        let has = |i: u32, f: u32| i.is_multiple_of(1 + (f * 7) % 40) && f < 60 || f == dim - 1 && i == 3;
        let rows: Vec<Vec<(u32, f64)>> = (0..200)
            .map(|i| (0..60).chain([dim - 1]).filter(|&f| has(i, f)).map(|f| (f, value(i, f))).collect())
            .collect();
        Sparse::from_rows(dim as usize, &rows).unwrap()
    }

    #[test]
    fn sparse_products_do_not_depend_on_which_features_are_common() {
        // With and without a table from feature to list.
        for dim in [61, 100_000] {
            let vectors = Vectors::Sparse(mixed(dim));
            let set = PreparedVectors::new(&vectors).unwrap();
            for (rows, cols) in [(0..200, 0..200), (3..9, 0..7), (150..200, 40..41)] {
                let mut out = vec![f64::NAN; rows.len() * cols.len()];
                fill_products(&Part::new(&set, rows.clone()), &Part::new(&set, cols.clone()), &mut out)
                    .unwrap();
                let mut got = out.iter();
                for i in rows {
                    for j in cols.clone() {
                        let mut sum = 0.0;
                        merge(&vectors, i, &vectors, j, |a, b| sum += a * b);
                        assert_eq!(got.next().unwrap().to_bits(), f64::to_bits(sum), "{dim}: {i} {j}");
                    }
                }
            }
        }
    }
}
