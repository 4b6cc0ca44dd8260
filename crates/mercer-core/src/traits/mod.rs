//! The traits of kernels and distances, used by the engine, the combinators and the learners.

use std::fmt;
use std::ops::Range;

use crate::data::FeatureRows;
use crate::error::Result;

pub mod counts;
mod declared;
mod distance;
pub(crate) mod facts;
mod feature_map;
mod feature_parts;
mod prepared;

pub use crate::numeric::screen::Shortlists;
pub use declared::{Declared, Given, OneOf, ParameterValue, Printer, Settings, declared};
pub use distance::Distance;
pub use facts::{Alias, Domain, Facts, Parameter};
pub use feature_map::{FeatureKey, FeatureMap, Features};
pub use feature_parts::{FeatureColumns, FeatureParts};
pub use prepared::Prepared;

/// A kernel k(x, y) over sets of objects of type `X`.
///
/// `Display` prints the kernel as an expression that parses back to it.
pub trait Kernel<X: ?Sized>: fmt::Display + Send + Sync {
    /// A set of objects after preprocessing each of them on its own.
    type Prepared: Prepared;

    /// Prepares a set of objects. Fails on an object the kernel does not support.
    fn prepare(&self, objects: &X) -> Result<Self::Prepared>;

    /// Writes k(x, y) for every x of `rows` and y of `cols` to `out`, row after row.
    /// `out` holds exactly `rows.len() * cols.len()` values; its previous content does not matter.
    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()>;

    /// Writes k(x, x) for every x of `of` to `out`.
    fn diagonal(&self, of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()>;

    /// What is known about the eigenvalues of this kernel's Gram matrices.
    fn definiteness(&self) -> Definiteness;

    /// Writes ln k(x, y) for every pair of a tile, for positive kernels whose values may overflow. Returns `false` and
    /// leaves `out` unchanged for a kernel without logarithms. Used by [`Normalize`](crate::kernel::Normalize).
    fn log_fill(
        &self,
        _rows: Part<'_, Self::Prepared>,
        _cols: Part<'_, Self::Prepared>,
        _out: &mut [f64],
    ) -> Result<bool> {
        Ok(false)
    }

    /// Writes ln k(x, x), where [`Kernel::log_fill`] writes ln k(x, y).
    fn log_diagonal(&self, _of: Part<'_, Self::Prepared>, _out: &mut [f64]) -> Result<bool> {
        Ok(false)
    }

    /// Whether the kernel was fitted to every object it can compare, including those to be predicted. A model with such
    /// a kernel is *transductive*: it is valid for these objects only, and every output must state so.
    fn is_transductive(&self) -> bool {
        false
    }

    /// The explicit features of prepared objects, where the kernel is their inner product: rows, or parts such as counts
    /// by hash, which [`ExplicitFeatures`](crate::fitted::ExplicitFeatures) turns into rows. `None` for other kernels.
    fn parts<'a>(&self, _prepared: &'a Self::Prepared) -> Result<Option<FeatureParts<'a>>> {
        Ok(None)
    }

    /// The features of [`Kernel::parts`] where they are one row per object. A linear model on them needs no
    /// similarities.
    fn rows<'a>(&self, prepared: &'a Self::Prepared) -> Result<Option<FeatureRows<'a>>> {
        Ok(self.parts(prepared)?.and_then(|parts| parts.rows()))
    }

    /// For each object x of `rows`, indices of objects y of `cols` that include its `k` nearest by k(y, y) - 2k(x, y),
    /// whichever way ties are broken, in ascending order. `None` in place of a list if there are too many, `None`
    /// altogether for a kernel that has no faster way to tell than all its values. Used by
    /// [`Engine::nearest_of`](crate::gram::Engine::nearest_of).
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

/// The side length of a tile for kernels with cheap entries: 256 × 256 doubles fit in a core's cache.
pub const TILE: usize = 256;

/// What is known about the eigenvalues of a kernel's Gram matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Definiteness {
    /// Some Gram matrices have negative eigenvalues, or it is unknown.
    Indefinite,
    /// No Gram matrix has a negative eigenvalue.
    PositiveSemidefinite,
}

impl fmt::Display for Definiteness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Definiteness::Indefinite => "indefinite",
            Definiteness::PositiveSemidefinite => "positive semidefinite",
        })
    }
}

/// A range of the objects of a prepared set.
#[derive(Debug)]
pub struct Part<'a, P> {
    /// The prepared set.
    pub set: &'a P,
    /// The range of its objects.
    pub range: Range<usize>,
}

impl<P> Clone for Part<'_, P> {
    fn clone(&self) -> Self {
        Part { set: self.set, range: self.range.clone() }
    }
}

impl<'a, P> Part<'a, P> {
    /// The objects `range` of `set`.
    pub fn new(set: &'a P, range: Range<usize>) -> Self {
        Part { set, range }
    }

    /// All objects of `set`.
    pub fn all(set: &'a P) -> Self
    where
        P: Prepared,
    {
        Part::new(set, 0..set.len())
    }

    /// The number of objects.
    pub fn len(&self) -> usize {
        self.range.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.range.is_empty()
    }

    /// The same objects of a set contained in this one, such as one component of a pair.
    pub fn of<Q>(&self, inner: impl FnOnce(&'a P) -> &'a Q) -> Part<'a, Q> {
        Part { set: inner(self.set), range: self.range.clone() }
    }
}
