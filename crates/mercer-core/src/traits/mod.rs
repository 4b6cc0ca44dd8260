//! What a kernel and a distance are: the traits that the engine, the combinators and the learners know them by.

use std::fmt;
use std::ops::Range;

use crate::data::{FeatureRows, Vectors};
use crate::error::Result;

pub mod counts;
mod distance;
pub(crate) mod facts;
mod feature_parts;
mod prepared;

pub use distance::Distance;
pub use facts::{Alias, Domain, Facts, Parameter};
pub use feature_parts::{FeatureColumns, FeatureParts};
pub use prepared::Prepared;

/// A kernel k(x, y) over sets of objects of type `X`.
///
/// `Display` prints the kernel as an expression that parses back to it.
pub trait Kernel<X: ?Sized>: fmt::Display + Send + Sync {
    /// Objects after the work that depends on each of them alone.
    type Prepared: Prepared;

    /// Prepares a set of objects. Fails on an object the kernel cannot take.
    fn prepare(&self, objects: &X) -> Result<Self::Prepared>;

    /// Writes k(x, y) for every x of `rows` and y of `cols` to `out`, row after row.
    /// `out` holds exactly `rows.len() * cols.len()` values; what they were before does not matter.
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

    /// Writes ln k(x, y) for every pair of a tile, where the kernel is above 0 and its values may be beyond all numbers;
    /// `false`, with `out` untouched, for a kernel that offers no logarithms. [`Normalize`](crate::kernel::Normalize) works with them.
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

    /// Whether it was fitted to every object it can compare, those to be predicted too: what is learned with such a
    /// kernel is *transductive*, holds for these objects only, and must say so wherever it is shown.
    fn is_transductive(&self) -> bool {
        false
    }

    /// The explicit features of prepared objects, a row each, where the kernel is their inner product: a linear model on them
    /// needs no similarities. None for other kernels.
    fn rows<'a>(&self, _prepared: &'a Self::Prepared) -> Result<Option<FeatureRows<'a>>> {
        Ok(None)
    }

    /// The same where features are kept in parts, those of kernels that count by their hashes: [`WrittenOut`](crate::fitted::WrittenOut) makes rows of them.
    fn parts<'a>(&self, prepared: &'a Self::Prepared) -> Result<Option<FeatureParts<'a>>> {
        Ok(self.rows(prepared)?.map(Into::into))
    }

    /// The side of the tiles to work in: about as many objects as make a tile take some milliseconds.
    fn tile_side(&self) -> usize {
        TILE
    }
}

/// The side of a tile for kernels that cost little per pair: 256 × 256 doubles stay in a core's cache.
pub const TILE: usize = 256;

/// What is known about the eigenvalues of a kernel's Gram matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Definiteness {
    /// Some Gram matrices have negative eigenvalues, or nothing is known.
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

/// Some of the objects of a prepared set.
#[derive(Debug)]
pub struct Part<'a, P> {
    /// The prepared set.
    pub set: &'a P,
    /// Which of its objects.
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

    /// The same objects of a set that is part of this one, such as one side of a pair.
    pub fn of<Q>(&self, inner: impl FnOnce(&'a P) -> &'a Q) -> Part<'a, Q> {
        Part { set: inner(self.set), range: self.range.clone() }
    }
}

/// A kernel whose feature map can be written out.
pub trait Explicit<X: ?Sized> {
    /// The features φ(x) of every object, named after the names of its coordinates: k(x, y) = φ(x)·φ(y).
    fn named_features(&self, objects: &X, coordinate: &dyn Fn(usize) -> String) -> Result<Features>;

    /// The same with coordinates named x1, x2, ….
    fn features(&self, objects: &X) -> Result<Features> {
        self.named_features(objects, &|i| format!("x{}", i + 1))
    }
}

/// Explicit features: one row per object, one named column per feature.
#[derive(Clone, Debug, PartialEq)]
pub struct Features {
    /// What each column stands for.
    pub names: Vec<String>,
    /// The values.
    pub values: Vectors,
}
