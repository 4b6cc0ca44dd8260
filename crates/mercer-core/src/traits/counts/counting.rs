//! Counting kernels: a kernel defines the features of one object, and is a [`Kernel`] by that alone.

use std::borrow::Cow;
use std::fmt;

use super::{Bag, Counts, fill_minima, fill_products};
use crate::error::Result;
use crate::traits::{Definiteness, FeatureParts, Kernel, Part};

/// A set of objects whose features kernels of type `K` count.
pub trait Counted<K>: ToOwned + Sync {
    /// One object, in the form that the kernel counts.
    type Object: ?Sized;

    /// The objects as the kernel uses them, or an error.
    fn admit<'a>(&'a self, _kernel: &K) -> Result<Cow<'a, Self>> {
        Ok(Cow::Borrowed(self))
    }

    /// The number of objects.
    fn size(&self) -> usize;

    /// Passes object i to `work`.
    fn with<R>(&self, kernel: &K, i: usize, work: impl FnOnce(&Self::Object) -> R) -> R;
}

/// A kernel on counts of features that are identified by hashes of their content.
pub trait Counting: fmt::Display + Send + Sync + Sized {
    /// The sets of objects it compares.
    type Objects: Counted<Self> + ?Sized;

    /// How it compares counts.
    fn similarity(&self) -> CountSimilarity {
        CountSimilarity::Products
    }

    /// Adds the features of an object to the bag.
    fn count(&self, object: &Object<Self>, bag: &mut Bag) -> Result<()>;
}

/// An object in the form that a kernel counts.
pub(crate) type Object<K> = <<K as Counting>::Objects as Counted<K>>::Object;

/// How counts c_f become a similarity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CountSimilarity {
    /// Σ_f c_f(x)·c_f(y)
    Products,
    /// Σ_f p_f(x)·p_f(y), where p_f is the share of feature f in the object's total.
    Shares,
    /// Σ_f min(c_f(x), c_f(y)) / unit
    Minima {
        /// The count that stands for 1.
        unit: f64,
    },
}

/// The feature counts of objects, after checking them.
pub(super) fn count_all<K: Counting>(kernel: &K, objects: &K::Objects) -> Result<Counts> {
    let objects = &*objects.admit(kernel)?;
    Counts::collect(objects.size(), |i, bag| {
        objects.with(kernel, i, |object| kernel.count(object, bag)).map_err(|e| e.of_object(|_| i))
    })
}

impl<K: Counting> Kernel<K::Objects> for K {
    type Prepared = Counts;

    fn prepare(&self, objects: &K::Objects) -> Result<Counts> {
        count_all(self, objects)
    }

    fn fill(&self, rows: Part<'_, Counts>, cols: Part<'_, Counts>, out: &mut [f64]) -> Result<()> {
        match self.similarity() {
            CountSimilarity::Products => fill_products(&rows, &cols, out),
            CountSimilarity::Shares => {
                fill_products(&rows, &cols, out);
                for (row, own) in out.chunks_exact_mut(cols.len().max(1)).zip(rows.totals()) {
                    row.iter_mut().zip(cols.totals()).for_each(|(v, their)| *v = share(*v, own * their));
                }
            }
            CountSimilarity::Minima { unit } => {
                fill_minima(&rows, &cols, out);
                if unit != 1.0 {
                    out.iter_mut().for_each(|v| *v /= unit);
                }
            }
        }
        Ok(())
    }

    fn diagonal(&self, of: Part<'_, Counts>, out: &mut [f64]) -> Result<()> {
        let (squares, totals) = (of.squares(), of.totals());
        match self.similarity() {
            CountSimilarity::Products => out.copy_from_slice(squares),
            CountSimilarity::Shares => {
                let both = squares.iter().zip(totals);
                out.iter_mut().zip(both).for_each(|(v, (square, total))| *v = share(*square, total * total));
            }
            CountSimilarity::Minima { unit } => {
                out.iter_mut().zip(totals).for_each(|(v, total)| *v = total / unit);
            }
        }
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        Definiteness::PositiveSemidefinite
    }

    fn parts<'a>(&self, prepared: &'a Counts) -> Result<Option<FeatureParts<'a>>> {
        let factors = match self.similarity() {
            CountSimilarity::Products => None,
            CountSimilarity::Shares => {
                Some(prepared.sums.totals.iter().map(|total| share(1.0, *total)).collect())
            }
            CountSimilarity::Minima { .. } => return Ok(None),
        };
        Ok(Some(FeatureParts::counted(prepared, factors)))
    }
}

/// A count divided by a total; 0/0 is 0.
pub(super) fn share(count: f64, total: f64) -> f64 {
    if total > 0.0 { count / total } else { 0.0 }
}
