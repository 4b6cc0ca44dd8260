//! Sparse rows: only the non-zero features of each object are stored.

use super::Ragged;
use crate::error::{Error, Result};

/// Sparse vectors in compressed rows: for each object its non-zero features in ascending order.
///
/// ```
/// use mercer_core::data::Sparse;
/// let x = Sparse::from_rows(5, &[vec![(0, 1.0), (3, 2.0)], vec![]])?;
/// assert_eq!((x.rows(), x.dim(), x.stored()), (2, 5, 2));
/// assert_eq!(x.row(0), (&[0, 3][..], &[1.0, 2.0][..]));
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Sparse {
    dim: usize,
    indices: Ragged<u32>,
    values: Vec<f64>,
}

impl Sparse {
    /// Sparse rows from their parts. `offsets` has one more entry than there are rows; row i is
    /// `indices[offsets[i]..offsets[i + 1]]`, which must ascend and stay below `dim`.
    pub fn new(dim: usize, offsets: Vec<usize>, indices: Vec<u32>, values: Vec<f64>) -> Result<Self> {
        let shape = |found: String| Error::Shape { expected: "consistent sparse rows".into(), found };
        if offsets.first() != Some(&0)
            || offsets.last() != Some(&indices.len())
            || indices.len() != values.len()
        {
            return Err(shape(format!("{} indices and {} values", indices.len(), values.len())));
        }
        for (row, w) in offsets.windows(2).enumerate() {
            let own = indices
                .get(w[0]..w[1])
                .ok_or_else(|| shape(format!("descending offsets at row {}", row + 1)))?;
            if own.windows(2).any(|p| p[0] >= p[1]) {
                return Err(shape(format!("indices out of order in row {}", row + 1)));
            }
            if own.last().is_some_and(|&last| last as usize >= dim) {
                return Err(shape(format!("an index of {dim} or more in row {}", row + 1)));
            }
        }
        Ok(Sparse { dim, indices: Ragged::from_parts(offsets, indices), values })
    }

    /// Sparse rows from lists of (feature, value).
    pub fn from_rows(dim: usize, rows: &[Vec<(u32, f64)>]) -> Result<Self> {
        let mut offsets = vec![0];
        let (mut indices, mut values) = (Vec::new(), Vec::new());
        for row in rows {
            indices.extend(row.iter().map(|e| e.0));
            values.extend(row.iter().map(|e| e.1));
            offsets.push(indices.len());
        }
        Sparse::new(dim, offsets, indices, values)
    }

    /// The number of objects.
    pub fn rows(&self) -> usize {
        self.indices.len()
    }

    /// The number of features.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The number of stored values.
    pub fn stored(&self) -> usize {
        self.values.len()
    }

    /// Row i: its features and their values.
    pub fn row(&self, i: usize) -> (&[u32], &[f64]) {
        (self.indices.row(i), &self.values[self.indices.range(i)])
    }

    /// All stored values, row after row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// All stored features, row after row.
    #[doc(hidden)]
    pub fn indices(&self) -> &[u32] {
        self.indices.values()
    }

    /// The same rows with `dim` features, which must include every index in use.
    pub fn with_dim(mut self, dim: usize) -> Result<Self> {
        if let Some(&largest) = self.indices().iter().max()
            && largest as usize >= dim
        {
            return Err(Error::Dimension { expected: dim, found: largest as usize + 1 });
        }
        self.dim = dim;
        Ok(self)
    }

    /// The chosen rows, in the given order.
    pub fn select(&self, rows: &[usize]) -> Self {
        let indices = self.indices.select(rows);
        let mut values = Vec::with_capacity(indices.values().len());
        rows.iter().for_each(|&i| values.extend_from_slice(self.row(i).1));
        Sparse { dim: self.dim, indices, values }
    }

    /// Writes row i into a dense buffer of at least `dim` zeros.
    pub fn scatter_row(&self, i: usize, out: &mut [f64]) {
        let (indices, values) = self.row(i);
        for (&f, &v) in indices.iter().zip(values) {
            out[f as usize] = v;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inconsistent_rows_are_errors_of_shape() {
        assert!(Sparse::new(3, vec![0, 2], vec![0, 1], vec![1.0]).is_err());
        assert!(Sparse::new(3, vec![0, 2], vec![1, 0], vec![1.0, 1.0]).is_err());
        assert!(Sparse::new(3, vec![0, 2], vec![1, 1], vec![1.0, 1.0]).is_err());
        assert!(Sparse::new(3, vec![0, 1], vec![3], vec![1.0]).is_err());
        assert!(Sparse::new(3, vec![0, 2, 1], vec![0], vec![1.0]).is_err());
        assert!(Sparse::new(3, vec![], vec![], vec![]).is_err());
    }
}
