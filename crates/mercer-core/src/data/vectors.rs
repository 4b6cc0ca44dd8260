//! Vectors, dense or sparse: the input of every vector kernel.

use super::{Dense, Sparse};

/// A set of vectors of one dimension.
#[derive(Clone, Debug, PartialEq)]
pub enum Vectors {
    /// Every value stored.
    Dense(Dense),
    /// Only non-zero values stored.
    Sparse(Sparse),
}

impl Vectors {
    /// The number of vectors.
    pub fn len(&self) -> usize {
        match self {
            Vectors::Dense(x) => x.rows(),
            Vectors::Sparse(x) => x.rows(),
        }
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The dimension.
    pub fn dim(&self) -> usize {
        match self {
            Vectors::Dense(x) => x.cols(),
            Vectors::Sparse(x) => x.dim(),
        }
    }

    /// The chosen vectors, in the given order.
    pub fn select(&self, rows: &[usize]) -> Self {
        match self {
            Vectors::Dense(x) => Vectors::Dense(x.select(rows)),
            Vectors::Sparse(x) => Vectors::Sparse(x.select(rows)),
        }
    }

    /// The same vectors in dense form.
    pub fn to_dense(&self) -> Dense {
        match self {
            Vectors::Dense(x) => x.clone(),
            Vectors::Sparse(x) => {
                let mut out = Dense::zeros(x.rows(), x.dim());
                for i in 0..x.rows() {
                    x.scatter_row(i, out.row_mut(i));
                }
                out
            }
        }
    }

    /// The index of the first vector with NaN or infinity, if any.
    pub fn find_non_finite(&self) -> Option<usize> {
        match self {
            Vectors::Dense(x) => x.find_non_finite().map(|(row, _)| row),
            Vectors::Sparse(x) => (0..x.rows()).find(|&i| x.row(i).1.iter().any(|v| !v.is_finite())),
        }
    }
}

impl From<Dense> for Vectors {
    fn from(x: Dense) -> Self {
        Vectors::Dense(x)
    }
}

impl From<Sparse> for Vectors {
    fn from(x: Sparse) -> Self {
        Vectors::Sparse(x)
    }
}
