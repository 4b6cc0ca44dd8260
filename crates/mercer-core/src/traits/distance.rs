//! The trait of distances.

use std::fmt;

use super::{Part, Prepared, Shortlists, TILE};
use crate::error::Result;

/// A distance d(x, y) over sets of objects of type `X`: finite, at least 0, symmetric, and 0 from an object to itself.
/// It need not obey the triangle inequality.
///
/// `Display` prints the distance as an expression that parses back to it.
pub trait Distance<X: ?Sized>: fmt::Display + Send + Sync {
    /// A set of objects after preprocessing each of them on its own.
    type Prepared: Prepared;

    /// Prepares a set of objects. Fails on an object the distance does not support.
    fn prepare(&self, objects: &X) -> Result<Self::Prepared>;

    /// Writes d(x, y) for every x of `rows` and y of `cols` to `out`, row after row.
    /// `out` holds exactly `rows.len() * cols.len()` values; its previous content does not matter.
    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()>;

    /// For each object of `rows`, indices of objects of `cols` that include its `k` nearest by d², whichever way ties are
    /// broken: see [`Kernel::shortlists`](super::Kernel::shortlists).
    fn shortlists(
        &self,
        _rows: &Self::Prepared,
        _cols: &Self::Prepared,
        _k: usize,
    ) -> Result<Option<Shortlists>> {
        Ok(None)
    }

    /// The side length of tiles: about as many objects as make a tile take a few milliseconds.
    fn tile_side(&self) -> usize {
        TILE
    }
}
