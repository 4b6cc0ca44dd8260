//! The features that occur in sparse rows; linear models are fitted in these columns only.

use std::sync::Arc;

use rayon::prelude::*;

use crate::budget;
use crate::data::{FeatureRows, Sparse, Vectors};
use crate::error::Result;
use crate::parallel;

/// Up to this many features, weights are stored for all of them, whether they occur or not.
const FEW: usize = 1 << 16;

/// Sparse rows in the columns that occur.
pub(super) struct Occurring {
    /// The features, ascending.
    pub(super) features: Arc<[u32]>,
    /// The rows, where column k is the k-th of these features.
    pub(super) rows: Vectors,
}

impl Occurring {
    /// The rows in the columns that occur, if weights of all features would take more memory than the rows.
    pub(super) fn of(rows: FeatureRows<'_>) -> Result<Option<Self>> {
        let FeatureRows::Vectors(Vectors::Sparse(x)) = rows else { return Ok(None) };
        if x.dim() <= FEW || x.dim() / 2 <= x.stored() {
            return Ok(None);
        }
        budget::ask("sparse rows in the columns that occur", budget::matrix_bytes(1, x.stored(), 20))?;
        let mut features = x.indices().to_vec();
        features.par_sort_unstable();
        features.dedup();
        let place = |f: &u32| features.binary_search(f).map_or(0, |at| at as u32);
        let indices = x.indices().iter().map(place).collect();
        let offsets = std::iter::once(0).chain((0..x.rows()).scan(0, |end, i| {
            *end += x.row(i).0.len();
            Some(*end)
        }));
        let kept = Sparse::new(features.len(), offsets.collect(), indices, x.values().to_vec())?;
        Ok(Some(Occurring { features: features.into(), rows: Vectors::Sparse(kept) }))
    }
}

/// The inner product of every row with the weights of these features, rows in parallel.
pub(super) fn products(rows: FeatureRows<'_>, features: &[u32], weights: &[f64]) -> Vec<f64> {
    let one = |i: usize| match rows {
        FeatureRows::Vectors(Vectors::Sparse(x)) => {
            let (own, values) = x.row(i);
            let weight = |f: &u32| features.binary_search(f).map_or(0.0, |at| weights[at]);
            own.iter().zip(values).map(|(f, v)| v * weight(f)).sum()
        }
        FeatureRows::Vectors(Vectors::Dense(x)) => {
            features.iter().zip(weights).map(|(&f, w)| w * x.at(i, f as usize)).sum()
        }
        FeatureRows::Single(x) => {
            features.iter().zip(weights).map(|(&f, w)| w * f64::from(x.row(i)[f as usize])).sum()
        }
    };
    parallel::map_at_least(rows.len(), 256, one)
}
