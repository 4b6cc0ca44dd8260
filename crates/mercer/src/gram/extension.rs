//! Repaired similarities of objects the repair has not seen.

use super::algebra::{product, product_transposed, scale_rows};
use super::check::{check_cross, check_values};
use crate::data::Dense;
use crate::error::Result;

/// How a [`Repair`](super::Repair) treats new objects: all that a model has to keep of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Extension {
    /// Self-similarities grow, similarities of different objects stay.
    Shift {
        /// The number of training objects.
        n: usize,
        /// What is added to self-similarities: -λmin, or 0 when nothing was negative.
        amount: f64,
    },
    /// Rows of similarities k_x become k_x U diag(f(λ)/λ) Uᵀ.
    Project {
        /// The eigenvalues λ kept, descending, none of them 0.
        values: Vec<f64>,
        /// f(λ) of each, positive.
        mapped: Vec<f64>,
        /// Their eigenvectors, one per row.
        vectors: Dense,
        /// True when no eigenvalue was negative, so that rows stay as they are.
        identity: bool,
    },
}

impl Extension {
    /// The number of training objects.
    pub fn n(&self) -> usize {
        match self {
            Extension::Shift { n, .. } => *n,
            Extension::Project { vectors, .. } => vectors.cols(),
        }
    }

    /// The repaired similarities of new objects (rows) to the training objects (columns).
    ///
    /// Under shift a new object differs from every training object, so its row stays as it is.
    pub fn apply_cross(&self, cross: &Dense) -> Result<Dense> {
        check_cross(cross, self.n())?;
        match self {
            Extension::Shift { .. } | Extension::Project { identity: true, .. } => Ok(cross.clone()),
            Extension::Project { values, mapped, vectors, .. } => {
                let weighted = scale_rows(vectors, mapped.iter().zip(values).map(|(f, v)| f / v));
                Ok(product(&product_transposed(cross, &weighted), vectors))
            }
        }
    }

    /// The repaired self-similarities of new objects, from their similarities to the training objects and to
    /// themselves: k(x, x) - λmin under shift, the squared length of the features otherwise.
    pub fn self_similarities(&self, cross: &Dense, own: &[f64]) -> Result<Vec<f64>> {
        check_cross(cross, self.n())?;
        check_values(own, cross.rows(), "self-similarities of new objects")?;
        match self {
            Extension::Shift { amount, .. } => Ok(own.iter().map(|v| v + amount).collect()),
            Extension::Project { identity: true, .. } => Ok(own.to_vec()),
            Extension::Project { values, mapped, vectors, .. } => {
                let features = features(cross, values, mapped, vectors);
                Ok((0..cross.rows()).map(|i| features.row(i).iter().map(|v| v * v).sum()).collect())
            }
        }
    }

    /// Coordinates k_x U diag(√f(λ)/λ) of objects given by their similarities to the training objects: their
    /// dot products are the repaired similarities. None for shift, which no projection gives.
    pub fn features(&self, cross: &Dense) -> Result<Option<Dense>> {
        check_cross(cross, self.n())?;
        match self {
            Extension::Shift { .. } => Ok(None),
            Extension::Project { values, mapped, vectors, .. } => {
                Ok(Some(features(cross, values, mapped, vectors)))
            }
        }
    }
}

fn features(cross: &Dense, values: &[f64], mapped: &[f64], vectors: &Dense) -> Dense {
    let weighted = scale_rows(vectors, mapped.iter().zip(values).map(|(f, v)| f.sqrt() / v));
    product_transposed(cross, &weighted)
}
