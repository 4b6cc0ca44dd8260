//! A dense matrix whose rows are objects.

use crate::error::{Error, Result};

/// A dense row-major matrix of `f64` or, to halve its size, `f32`: row i is object i.
///
/// ```
/// use mercer::data::Dense;
/// let x = Dense::from_rows(&[[5.9, 3.0], [6.9, 3.1]]);
/// assert_eq!((x.rows(), x.cols()), (2, 2));
/// assert_eq!(x.row(1), [6.9, 3.1]);
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Dense<T = f64> {
    rows: usize,
    cols: usize,
    values: Vec<T>,
}

impl<T: Copy + Default> Dense<T> {
    /// A matrix from its values, row after row. Fails unless there are `rows * cols` of them.
    pub fn new(rows: usize, cols: usize, values: Vec<T>) -> Result<Self> {
        if rows.checked_mul(cols) != Some(values.len()) {
            return Err(Error::Shape {
                expected: format!("{rows} × {cols} values"),
                found: format!("{} values", values.len()),
            });
        }
        Ok(Dense { rows, cols, values })
    }

    /// A matrix of zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Dense { rows, cols, values: vec![T::default(); rows * cols] }
    }

    /// A matrix from rows of equal length.
    pub fn from_rows<const D: usize>(rows: &[[T; D]]) -> Self {
        Dense { rows: rows.len(), cols: D, values: rows.concat() }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Row i. Panics when there is none, as indexing a slice does.
    pub fn row(&self, i: usize) -> &[T] {
        &self.values[i * self.cols..(i + 1) * self.cols]
    }

    /// Row i, to be changed.
    pub fn row_mut(&mut self, i: usize) -> &mut [T] {
        &mut self.values[i * self.cols..(i + 1) * self.cols]
    }

    /// The rows `range`, one after the other.
    pub fn block(&self, range: std::ops::Range<usize>) -> &[T] {
        &self.values[range.start * self.cols..range.end * self.cols]
    }

    /// All values, row after row.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// All values, to be changed.
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// The entry in row i, column j.
    pub fn at(&self, i: usize, j: usize) -> T {
        self.row(i)[j]
    }

    /// The chosen rows, in the order given.
    pub fn select(&self, rows: &[usize]) -> Self {
        let mut values = Vec::with_capacity(rows.len() * self.cols);
        for &i in rows {
            values.extend_from_slice(self.row(i));
        }
        Dense { rows: rows.len(), cols: self.cols, values }
    }
}

impl Dense {
    /// The first row and column holding NaN or infinity, if any.
    pub fn find_non_finite(&self) -> Option<(usize, usize)> {
        let at = self.values.iter().position(|v| !v.is_finite())?;
        Some((at / self.cols, at % self.cols))
    }
}
