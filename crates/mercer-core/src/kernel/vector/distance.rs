//! Squared Euclidean distances, which a search over gamma computes only once.

use std::fmt;

use super::{OfProducts, PreparedVectors, Vector, products};
use crate::kernel::{Definiteness, Part};
use crate::numeric::math;

/// |x - y|², filled into tiles like a kernel. It is not a kernel: -|x - y|² is only conditionally positive definite.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct SquaredDistance;

impl fmt::Display for SquaredDistance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("squared-distance")
    }
}

impl OfProducts for SquaredDistance {
    const DEFINITENESS: Definiteness = Definiteness::Indefinite;

    fn apply(&self, own: Vector<'_>, others: &Part<'_, PreparedVectors>, row: &mut [f64]) {
        squared_distances(own, others, row);
    }

    fn of_self(&self, _norm: f64) -> f64 {
        0.0
    }
}

/// Converts the inner products of one vector with `others` to squared distances; those of close pairs are computed from
/// coordinates.
pub(super) fn squared_distances(own: Vector<'_>, others: &Part<'_, PreparedVectors>, row: &mut [f64]) {
    let (norm, norms) = (own.norm(), others.norms());
    let close = math::vectorised(
        #[inline(always)]
        || {
            let mut close = false;
            for (v, other) in row.iter_mut().zip(norms) {
                let both = norm + other;
                let squared = both - 2.0 * *v;
                close |= squared < products::CLOSE * both;
                *v = squared;
            }
            close
        },
    );
    if close {
        for ((v, other), j) in row.iter_mut().zip(norms).zip(others.range.clone()) {
            if *v < products::CLOSE * (norm + other) {
                *v = products::squared_distance(&own.set.vectors, own.index, &others.set.vectors, j);
            }
        }
    }
}
