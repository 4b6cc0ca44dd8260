//! Borrowed rows of features.

use super::{Dense, Vectors};

/// Rows of features as linear models use them: vectors, or coordinates in single precision.
///
/// ```
/// use mercer_core::data::{Dense, FeatureRows, Vectors};
/// let x = Vectors::from(Dense::from_rows(&[[1.0, 2.0], [3.0, 4.0]]));
/// let rows = FeatureRows::from(&x);
/// assert_eq!((rows.len(), rows.dim()), (2, 2));
/// ```
#[derive(Clone, Copy, Debug)]
pub enum FeatureRows<'a> {
    /// Vectors, dense or sparse.
    Vectors(&'a Vectors),
    /// Dense rows in single precision.
    Single(&'a Dense<f32>),
}

impl<'a> From<&'a Vectors> for FeatureRows<'a> {
    fn from(vectors: &'a Vectors) -> Self {
        FeatureRows::Vectors(vectors)
    }
}

impl<'a> From<&'a Dense<f32>> for FeatureRows<'a> {
    fn from(rows: &'a Dense<f32>) -> Self {
        FeatureRows::Single(rows)
    }
}

impl FeatureRows<'_> {
    /// The number of rows.
    pub fn len(&self) -> usize {
        match self {
            FeatureRows::Vectors(v) => v.len(),
            FeatureRows::Single(x) => x.rows(),
        }
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of features.
    pub fn dim(&self) -> usize {
        match self {
            FeatureRows::Vectors(v) => v.dim(),
            FeatureRows::Single(x) => x.cols(),
        }
    }

    /// The first row with a value that is NaN or infinite.
    pub fn find_non_finite(&self) -> Option<usize> {
        match self {
            FeatureRows::Vectors(v) => v.find_non_finite(),
            FeatureRows::Single(x) => {
                x.values().iter().position(|v| !v.is_finite()).map(|at| at / x.cols().max(1))
            }
        }
    }
}
