//! A dense matrix whose rows are objects.

use std::fmt;
use std::sync::Arc;

use crate::error::{Error, Result};

/// Values owned by another party, such as an array of another language, that are not copied.
///
/// `as_ref` must return the same values every time.
pub trait Lender<T>: AsRef<[T]> + Send + Sync {}

impl<T, L: AsRef<[T]> + Send + Sync> Lender<T> for L {}

/// The storage of values. Lent values are read in place and copied at the first modification.
#[derive(Clone)]
enum Store<T> {
    Own(Vec<T>),
    Lent(Arc<dyn Lender<T>>),
}

impl<T> Store<T> {
    fn values(&self) -> &[T] {
        match self {
            Store::Own(values) => values,
            Store::Lent(lender) => (**lender).as_ref(),
        }
    }
}

impl<T> Default for Store<T> {
    fn default() -> Self {
        Store::Own(Vec::new())
    }
}

impl<T: PartialEq> PartialEq for Store<T> {
    fn eq(&self, other: &Self) -> bool {
        self.values() == other.values()
    }
}

impl<T: fmt::Debug> fmt::Debug for Store<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.values().fmt(f)
    }
}

/// A dense row-major matrix of `f64` or, to halve its size, `f32`: row i is object i.
///
/// ```
/// use mercer_core::data::Dense;
/// let x = Dense::from_rows(&[[5.9, 3.0], [6.9, 3.1]]);
/// assert_eq!((x.rows(), x.cols()), (2, 2));
/// assert_eq!(x.row(1), [6.9, 3.1]);
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Dense<T = f64> {
    rows: usize,
    cols: usize,
    values: Store<T>,
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
        Ok(Dense { rows, cols, values: Store::Own(values) })
    }

    /// A matrix of values that stay with their owner, row after row, without copying. Fails unless there are `rows *
    /// cols` of them.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use mercer_core::data::Dense;
    /// let owner = Arc::new(vec![1.0, 2.0]);
    /// let mut x = Dense::lent(2, 1, owner.clone())?;
    /// x.values_mut()[0] = 5.0; // copied at this point
    /// assert_eq!((x.at(0, 0), owner[0]), (5.0, 1.0));
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn lent(rows: usize, cols: usize, lender: Arc<dyn Lender<T>>) -> Result<Self> {
        let found = (*lender).as_ref().len();
        if rows.checked_mul(cols) != Some(found) {
            return Err(Error::Shape {
                expected: format!("{rows} × {cols} values"),
                found: format!("{found} values"),
            });
        }
        Ok(Dense { rows, cols, values: Store::Lent(lender) })
    }

    /// A matrix of zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Dense { rows, cols, values: Store::Own(vec![T::default(); rows * cols]) }
    }

    /// A matrix from rows of equal length.
    pub fn from_rows<const D: usize>(rows: &[[T; D]]) -> Self {
        Dense { rows: rows.len(), cols: D, values: Store::Own(rows.concat()) }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Row i. Panics if it does not exist, like slice indexing.
    pub fn row(&self, i: usize) -> &[T] {
        &self.values()[i * self.cols..(i + 1) * self.cols]
    }

    /// Row i, mutable.
    pub fn row_mut(&mut self, i: usize) -> &mut [T] {
        let cols = self.cols;
        &mut self.values_mut()[i * cols..(i + 1) * cols]
    }

    /// The rows in `range`, row after row.
    pub fn block(&self, range: std::ops::Range<usize>) -> &[T] {
        &self.values()[range.start * self.cols..range.end * self.cols]
    }

    /// All values, row after row.
    pub fn values(&self) -> &[T] {
        self.values.values()
    }

    /// All values, mutable.
    pub fn values_mut(&mut self) -> &mut [T] {
        if let Store::Lent(lender) = &self.values {
            self.values = Store::Own((**lender).as_ref().to_vec());
        }
        match &mut self.values {
            Store::Own(values) => values,
            Store::Lent(_) => &mut [],
        }
    }

    /// Consumes the matrix and returns all values, row after row.
    pub fn into_values(self) -> Vec<T> {
        match self.values {
            Store::Own(values) => values,
            Store::Lent(lender) => (*lender).as_ref().to_vec(),
        }
    }

    /// The entry in row i, column j.
    pub fn at(&self, i: usize, j: usize) -> T {
        self.row(i)[j]
    }

    /// The chosen rows, in the given order.
    pub fn select(&self, rows: &[usize]) -> Self {
        let mut values = Vec::with_capacity(rows.len() * self.cols);
        for &i in rows {
            values.extend_from_slice(self.row(i));
        }
        Dense { rows: rows.len(), cols: self.cols, values: Store::Own(values) }
    }
}

impl Dense {
    /// The first row and column with NaN or infinity, if any.
    pub fn find_non_finite(&self) -> Option<(usize, usize)> {
        let at = self.values().iter().position(|v| !v.is_finite())?;
        Some((at / self.cols, at % self.cols))
    }
}
