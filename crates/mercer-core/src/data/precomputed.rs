//! Precomputed similarities.

use super::Dense;
use crate::error::{Error, Result};

/// Rows of a precomputed similarity matrix: object i's similarity to each reference object.
///
/// A square matrix describes the references themselves; a test × training matrix describes new objects.
#[derive(Clone, Debug, PartialEq)]
pub struct Precomputed {
    similarity: Dense,
    /// The index of each object among the references, if it is one.
    reference: Vec<Option<usize>>,
}

impl Precomputed {
    /// The similarities of a set of objects to each other. The matrix must be square.
    pub fn square(similarity: Dense) -> Result<Self> {
        if similarity.rows() != similarity.cols() {
            return Err(Error::Shape {
                expected: "a square matrix".into(),
                found: format!("{} × {}", similarity.rows(), similarity.cols()),
            });
        }
        let reference = (0..similarity.rows()).map(Some).collect();
        Ok(Precomputed { similarity, reference })
    }

    /// The similarities of new objects (rows) to references (columns).
    pub fn rows_of(similarity: Dense) -> Self {
        let reference = vec![None; similarity.rows()];
        Precomputed { similarity, reference }
    }

    /// Rows of similarities with each object's index among the references, if it is one.
    #[doc(hidden)]
    pub fn with_references(similarity: Dense, reference: Vec<Option<usize>>) -> Result<Self> {
        let known = reference.iter().flatten().all(|&r| r < similarity.cols());
        if reference.len() != similarity.rows() || !known {
            return Err(Error::Shape {
                expected: format!(
                    "{} references below {}, one per object",
                    similarity.rows(),
                    similarity.cols()
                ),
                found: format!("{} references", reference.len()),
            });
        }
        Ok(Precomputed { similarity, reference })
    }

    /// The similarities of all objects, row after row.
    #[doc(hidden)]
    pub fn similarities(&self) -> &[f64] {
        self.similarity.values()
    }

    /// The matrix: a row per object, a column per reference.
    #[doc(hidden)]
    pub fn matrix(&self) -> &Dense {
        &self.similarity
    }

    /// The whole matrix, if the objects are exactly the references in their order.
    pub fn as_square(&self) -> Option<&Dense> {
        let identity = self.reference.iter().enumerate().all(|(i, r)| *r == Some(i));
        (identity && self.len() == self.references()).then_some(&self.similarity)
    }

    /// The number of objects.
    pub fn len(&self) -> usize {
        self.reference.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.reference.is_empty()
    }

    /// Object i's similarity to every reference.
    pub fn row(&self, i: usize) -> &[f64] {
        self.similarity.row(i)
    }

    /// The number of references.
    pub fn references(&self) -> usize {
        self.similarity.cols()
    }

    /// The index of object i among the references, if it is one.
    pub fn reference(&self, i: usize) -> Option<usize> {
        self.reference[i]
    }

    /// The chosen objects, in the given order.
    pub fn select(&self, rows: &[usize]) -> Self {
        Precomputed {
            similarity: self.similarity.select(rows),
            reference: rows.iter().map(|&i| self.reference[i]).collect(),
        }
    }
}
