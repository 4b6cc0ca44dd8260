//! Tiles of sums over shared features.
//!
//! Features that many objects have are stored as dense columns and added with vector instructions, zeros included. The
//! others are stored as lists of the objects that have them, so that a row visits only shared features. Where all
//! values of a tile stay below 2^24, single precision is used: it is exact there and processes twice as many values at
//! once.
//!
//! A matrix product of the common features was tried: it is no faster than the columns, and minima need the columns
//! anyway.

use super::Counts;
use crate::budget;
use crate::numeric::math::vectorised;
use crate::traits::Part;

/// A number type that represents integers exactly up to some bound.
trait Exact: Copy + Send + Sync + Default + std::ops::Add<Output = Self> + std::ops::Mul<Output = Self> {
    fn of(value: f64) -> Self;
    fn wide(self) -> f64;
    fn least(self, other: Self) -> Self;
}

macro_rules! exact {
    ($($t:ty),*) => {$(
        impl Exact for $t {
            #[inline(always)]
            fn of(value: f64) -> Self {
                value as $t
            }

            #[inline(always)]
            fn wide(self) -> f64 {
                f64::from(self)
            }

            #[inline(always)]
            fn least(self, other: Self) -> Self {
                if self < other { self } else { other }
            }
        }
    )*};
}

exact!(f32, f64);

/// Integers up to this are exact in single precision.
const SINGLE: f64 = 16_777_216.0;

/// Writes Σ_f x_f·y_f for every pair.
pub(crate) fn fill_products(rows: &Part<'_, Counts>, cols: &Part<'_, Counts>, out: &mut [f64]) {
    let most = |part: &Part<'_, Counts>| part.squares().iter().fold(0.0f64, |a, b| a.max(*b));
    // By Cauchy-Schwarz the inner product is at most the product of the norms.
    if most(rows).sqrt() * most(cols).sqrt() < SINGLE / 2.0 {
        fill::<f32>(
            rows,
            cols,
            out,
            #[inline(always)]
            |x, y| x * y,
        );
    } else {
        fill::<f64>(
            rows,
            cols,
            out,
            #[inline(always)]
            |x, y| x * y,
        );
    }
    set_diagonal(rows, cols, rows.set.sums.squares.as_slice(), out);
}

/// Writes Σ_f min(x_f, y_f) for every pair.
pub(crate) fn fill_minima(rows: &Part<'_, Counts>, cols: &Part<'_, Counts>, out: &mut [f64]) {
    let most = |part: &Part<'_, Counts>| part.totals().iter().fold(0.0f64, |a, b| a.max(*b));
    if most(rows).max(most(cols)) < SINGLE / 2.0 {
        fill::<f32>(
            rows,
            cols,
            out,
            #[inline(always)]
            |x, y| x.least(y),
        );
    } else {
        fill::<f64>(
            rows,
            cols,
            out,
            #[inline(always)]
            |x, y| x.least(y),
        );
    }
    set_diagonal(rows, cols, rows.set.sums.totals.as_slice(), out);
}

/// Corrects the diagonal: within one set, features of a single object are skipped, but an object shares them with
/// itself.
fn set_diagonal(rows: &Part<'_, Counts>, cols: &Part<'_, Counts>, own: &[f64], out: &mut [f64]) {
    if !std::ptr::eq(rows.set, cols.set) {
        return;
    }
    for i in rows.range.start.max(cols.range.start)..rows.range.end.min(cols.range.end) {
        out[(i - rows.range.start) * cols.len() + i - cols.range.start] = own[i];
    }
}

/// A block of objects, indexed by feature.
struct Block<T> {
    /// The common features: a value for every object, column after column.
    columns: Vec<T>,
    /// The start of the list of each feature from `common` on, plus the end of the last list.
    starts: Vec<u32>,
    entries: Vec<(u32, T)>,
    common: u32,
    /// Features from here on are skipped.
    limit: u32,
}

impl<T: Exact> Block<T> {
    fn new(part: &Part<'_, Counts>, limit: u32) -> Self {
        let common = part.set.table.common.min(limit);
        let width = part.len();
        let mut columns = vec![T::default(); common as usize * width];
        let mut starts = vec![0u32; (limit - common) as usize + 1];
        let sparse = |features: &[u32]| {
            let first = features.partition_point(|&f| f < common);
            first..first + features[first..].partition_point(|&f| f < limit)
        };
        for (j, i) in part.range.clone().enumerate() {
            let (features, values) = part.set.row(i);
            let rare = sparse(features);
            for (&f, &v) in features[..rare.start].iter().zip(values) {
                columns[f as usize * width + j] = T::of(v);
            }
            features[rare].iter().for_each(|&f| starts[(f - common) as usize] += 1);
        }
        let mut total = 0;
        for start in &mut starts {
            total += *start;
            *start = total;
        }
        // Filled from the back, so that each `start` ends at the beginning of its list.
        let mut entries = vec![(0, T::default()); total as usize];
        for (j, i) in part.range.clone().enumerate().rev() {
            let (features, values) = part.set.row(i);
            let rare = sparse(features);
            for (&f, &v) in features[rare.clone()].iter().zip(&values[rare]) {
                let at = &mut starts[(f - common) as usize];
                *at -= 1;
                entries[*at as usize] = (j as u32, T::of(v));
            }
        }
        Block { columns, starts, entries, common, limit }
    }

    #[inline(always)]
    fn list(&self, feature: u32) -> &[(u32, T)] {
        let at = (feature - self.common) as usize;
        &self.entries[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

/// Features of a row between two checks of the budget.
const STRETCH: usize = 4096;

/// Common features added to a row in one pass over it.
const GROUP: usize = 4;

/// Writes Σ_f g(x_f, y_f) for every pair, where g(0, y) = g(x, 0) = 0.
#[inline(always)]
fn fill<T: Exact>(
    rows: &Part<'_, Counts>,
    cols: &Part<'_, Counts>,
    out: &mut [f64],
    g: impl Fn(T, T) -> T + Copy,
) {
    let width = cols.len();
    if width == 0 {
        return;
    }
    let limit = match std::ptr::eq(rows.set, cols.set) {
        true => cols.set.shared,
        false => cols.set.table.hashes.len() as u32,
    };
    let block = Block::<T>::new(cols, limit);
    let numbers = cols.set.align(rows.set);
    let mut sums = vec![T::default(); width];
    vectorised(
        #[inline(always)]
        || {
            for (row, i) in out.chunks_exact_mut(width).zip(rows.range.clone()) {
                sums.fill(T::default());
                let mut group = [(T::default(), 0); GROUP];
                let mut waiting = 0;
                let (features, values) = rows.set.row(i);
                'row: for (features, values) in features.chunks(STRETCH).zip(values.chunks(STRETCH)) {
                    if budget::is_spent_after(features.len() * (1 + width / 8)) {
                        return;
                    }
                    for (&own, &x) in features.iter().zip(values) {
                        let feature = numbers.as_ref().map_or(own, |n| n[own as usize]);
                        if feature >= block.limit {
                            // Numbers of one set ascend, so all remaining features are skipped too; those of another
                            // set are unordered.
                            if numbers.is_none() {
                                break 'row;
                            }
                            continue;
                        }
                        let x = T::of(x);
                        if feature < block.common {
                            group[waiting] = (x, feature as usize * width);
                            waiting += 1;
                            if waiting == GROUP {
                                add_columns(&mut sums, &group, &block.columns, g);
                                waiting = 0;
                            }
                        } else {
                            for &(j, y) in block.list(feature) {
                                sums[j as usize] = sums[j as usize] + g(x, y);
                            }
                        }
                    }
                }
                if waiting > 0 {
                    // Unused slots add g(0, y) = 0.
                    group[waiting..].fill((T::default(), 0));
                    add_columns(&mut sums, &group, &block.columns, g);
                }
                row.iter_mut().zip(&sums).for_each(|(v, s)| *v = s.wide());
            }
        },
    );
}

/// Adds the columns of a group to the sums.
#[inline(always)]
fn add_columns<T: Exact>(
    sums: &mut [T],
    group: &[(T, usize); GROUP],
    columns: &[T],
    g: impl Fn(T, T) -> T + Copy,
) {
    let width = sums.len();
    let column = |at: usize| &columns[group[at].1..group[at].1 + width];
    let (a, b, c, d) = (column(0), column(1), column(2), column(3));
    let [x, y, z, w] = [group[0].0, group[1].0, group[2].0, group[3].0];
    for (j, v) in sums.iter_mut().enumerate() {
        *v = *v + ((g(x, a[j]) + g(y, b[j])) + (g(z, c[j]) + g(w, d[j])));
    }
}
