//! How typical an object is of reference objects, by its distances to them.

use crate::budget;
use crate::data::Dense;
use crate::error::{Error, Result};

/// Distances that differ by less than this part are equal.
const ROUNDING: f64 = 1e-9;

/// The p-value of an object from its distances to reference objects: small for objects unlike all of them.
///
/// The score of an object is the mean distance to its k nearest objects among the reference objects and the new one. The
/// p-value is the share of these objects, the new one included, whose scores are at least that of the new one. If the new
/// object comes from the same source as the reference objects, the p-value is at most ε with a probability of at most ε.
///
/// Time O(m²) for m reference objects once and O(m) for a new object; memory O(m k).
///
/// ```
/// use mercer_core::{data::Dense, learn::conformal::Typicality};
/// let x = [0.0, 1.0, 2.0, 3.0f64];
/// let distances = Dense::new(4, 4, x.iter().flat_map(|a| x.iter().map(move |b| (a - b).abs())).collect())?;
/// let known = Typicality::new(&distances, 1)?;
/// let to = |new: f64| x.map(|a| (a - new).abs());
/// assert_eq!((known.p_value(&to(1.5)), known.p_value(&to(50.0))), (1.0, 0.2));
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// R. Laxhammar and G. Falkman, *Conformal prediction for distribution-independent anomaly detection in streaming vessel
/// data*, StreamKDD 2010.
#[derive(Clone, Debug, PartialEq)]
pub struct Typicality {
    /// The distances of each reference object to its k nearest others, ascending.
    near: Dense,
}

impl Typicality {
    /// From the distances between reference objects, of which there must be at least two, and the number k ≥ 1 of
    /// neighbours; of m objects at most m - 1 are used.
    pub fn new(distances: &Dense, k: usize) -> Result<Self> {
        let m = distances.rows();
        if m < 2 || distances.cols() != m || k == 0 {
            return Err(Error::usage(
                "typicality needs distances between at least two objects, and a neighbour",
            ));
        }
        let k = k.min(m - 1);
        let mut near = Dense::zeros(m, k);
        let mut row = Vec::with_capacity(m);
        for i in 0..m {
            budget::check_often()?;
            row.clear();
            row.extend((0..m).filter(|j| *j != i).map(|j| distances.at(i, j)));
            near.row_mut(i).copy_from_slice(&smallest(&mut row, k));
        }
        Typicality::from_parts(near)
    }

    /// The number of reference objects.
    pub fn objects(&self) -> usize {
        self.near.rows()
    }

    /// The distances of each reference object to its nearest others.
    #[doc(hidden)]
    pub fn parts(&self) -> &Dense {
        &self.near
    }

    /// From the distances to the nearest others, ascending in each row.
    #[doc(hidden)]
    pub fn from_parts(near: Dense) -> Result<Self> {
        let good = |i: usize| near.row(i).is_sorted() && near.row(i).iter().all(|d| *d >= 0.0);
        if near.cols() == 0 || near.cols() >= near.rows() || !(0..near.rows()).all(good) {
            return Err(Error::usage("distances to nearest objects must be ascending and at least 0"));
        }
        Ok(Typicality { near })
    }

    /// The p-value of a new object from its distances to the reference objects, in their order.
    pub fn p_value(&self, distances: &[f64]) -> f64 {
        let (m, k) = (self.near.rows(), self.near.cols());
        let own: f64 = smallest(&mut distances.to_vec(), k).iter().sum();
        let least = own * (1.0 - ROUNDING);
        let strange = |i: usize| {
            let near = self.near.row(i);
            let last = near[k - 1];
            // The new object may be one of the nearest.
            let change = distances.get(i).map_or(0.0, |d| (d - last).min(0.0));
            near.iter().sum::<f64>() + change >= least
        };
        (1 + (0..m).filter(|&i| strange(i)).count()) as f64 / (m + 1) as f64
    }
}

/// The k smallest values, ascending.
fn smallest(values: &mut [f64], k: usize) -> Vec<f64> {
    let k = k.min(values.len());
    if k > 0 && k < values.len() {
        values.select_nth_unstable_by(k - 1, f64::total_cmp);
    }
    let mut out = values[..k].to_vec();
    out.sort_by(f64::total_cmp);
    out
}
