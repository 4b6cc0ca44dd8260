//! Rows of different lengths in contiguous memory.

use std::ops::Range;

/// Rows of different lengths, stored one after the other.
///
/// ```
/// use mercer_core::data::Ragged;
/// let mut rows = Ragged::from_rows([vec![1, 2, 3], vec![]]);
/// rows.push_row([4, 5]);
/// assert_eq!((rows.len(), rows.row(0), rows.row(2)), (3, &[1, 2, 3][..], &[4, 5][..]));
/// assert_eq!(rows.select(&[2, 1]).values(), [4, 5]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ragged<T> {
    /// The start of each row, and the end of the last.
    offsets: Vec<usize>,
    values: Vec<T>,
}

impl<T> Default for Ragged<T> {
    fn default() -> Self {
        Ragged { offsets: vec![0], values: Vec::new() }
    }
}

impl<T> Ragged<T> {
    /// Rows from their parts: row i is `values[offsets[i]..offsets[i + 1]]`. Offsets begin with 0, ascend, and end with
    /// the number of values.
    pub(crate) fn from_parts(offsets: Vec<usize>, values: Vec<T>) -> Self {
        debug_assert!(offsets.first() == Some(&0) && offsets.last() == Some(&values.len()));
        debug_assert!(offsets.is_sorted());
        Ragged { offsets, values }
    }

    /// No rows, with capacity for this many rows and values.
    pub fn with_capacity(rows: usize, values: usize) -> Self {
        let mut offsets = Vec::with_capacity(rows + 1);
        offsets.push(0);
        Ragged { offsets, values: Vec::with_capacity(values) }
    }

    /// The given rows, in order.
    pub fn from_rows<R: IntoIterator<Item = T>>(rows: impl IntoIterator<Item = R>) -> Self {
        let mut out = Ragged::default();
        rows.into_iter().for_each(|row| out.push_row(row));
        out
    }

    /// Appends a row.
    pub fn push_row(&mut self, row: impl IntoIterator<Item = T>) {
        self.values.extend(row);
        self.offsets.push(self.values.len());
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Row i.
    #[inline]
    pub fn row(&self, i: usize) -> &[T] {
        &self.values[self.range(i)]
    }

    /// The range of row i within all values.
    #[inline]
    pub fn range(&self, i: usize) -> Range<usize> {
        self.offsets[i]..self.offsets[i + 1]
    }

    /// The rows in order.
    pub fn iter(&self) -> impl Iterator<Item = &[T]> + '_ {
        (0..self.len()).map(|i| self.row(i))
    }

    /// The values of all rows, row after row.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// The start of each row within all values, and the end of the last.
    pub(crate) fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The chosen rows, in the given order.
    pub fn select(&self, chosen: &[usize]) -> Self
    where
        T: Clone,
    {
        let stored = chosen.iter().map(|&i| self.row(i).len()).sum();
        let mut out = Ragged::with_capacity(chosen.len(), stored);
        for &i in chosen {
            out.values.extend_from_slice(self.row(i));
            out.offsets.push(out.values.len());
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_what_was_pushed() {
        let lists = [vec![3u8, 1], vec![], vec![4, 1, 5], vec![9]];
        let rows = Ragged::from_rows(lists.clone());
        assert!(rows.iter().eq(lists.iter().map(Vec::as_slice)));
        assert_eq!((rows.len(), rows.range(2), rows.values().len()), (4, 2..5, 6));
        assert_eq!(rows, Ragged::from_parts(rows.offsets().to_vec(), rows.values().to_vec()));
        let chosen = rows.select(&[2, 0, 2, 1]);
        assert!(chosen.iter().eq([2, 0, 2, 1].map(|i: usize| &lists[i][..])));
        assert!(Ragged::<u8>::default().is_empty() && rows.select(&[]).is_empty());
    }
}
