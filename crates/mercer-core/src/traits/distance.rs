//! The trait of distances.

use std::fmt;

use super::{Part, Prepared, TILE};
use crate::error::Result;

/// A distance d(x, y) over sets of objects of type `X`: finite, at least 0, symmetric, and 0 from an object to itself.
/// It need not obey the triangle inequality.
///
/// `Display` prints the distance as an expression that parses back to it.
pub trait Distance<X: ?Sized>: fmt::Display + Send + Sync {
    /// Objects after the work that depends on each of them alone.
    type Prepared: Prepared;

    /// Prepares a set of objects. Fails on an object the distance cannot take.
    fn prepare(&self, objects: &X) -> Result<Self::Prepared>;

    /// Writes d(x, y) for every x of `rows` and y of `cols` to `out`, row after row.
    /// `out` holds exactly `rows.len() * cols.len()` values; what they were before does not matter.
    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()>;

    /// The side of the tiles to work in: about as many objects as make a tile take some milliseconds.
    fn tile_side(&self) -> usize {
        TILE
    }
}
