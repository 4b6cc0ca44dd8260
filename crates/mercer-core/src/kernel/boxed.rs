//! A kernel whose type is known only at run time.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use super::{Definiteness, FeatureParts, Kernel, Part};
use crate::budget;
use crate::data::FeatureRows;
use crate::error::{Error, Result};

/// Any kernel over `X` behind one type, as the expression language needs it.
///
/// ```
/// use mercer_core::data::Vectors;
/// use mercer_core::kernel::{Boxed, vector::{Linear, Rbf}};
/// let either: [Boxed<Vectors>; 2] = [Boxed::new(Rbf::new(0.5)?), Boxed::new(Linear)];
/// let [a, b] = either;
/// let k = a + b;
/// assert_eq!(k.to_string(), "rbf(gamma=0.5) + linear");
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub struct Boxed<X: ?Sized>(Arc<dyn Erased<X>>);

impl<X: ?Sized> Clone for Boxed<X> {
    fn clone(&self) -> Self {
        Boxed(Arc::clone(&self.0))
    }
}

impl<X: ?Sized> fmt::Display for Boxed<X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<X: ?Sized> fmt::Debug for Boxed<X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Boxed({self})")
    }
}

impl<X: ?Sized> Boxed<X> {
    /// Puts a kernel behind the common type.
    pub fn new<K>(kernel: K) -> Self
    where
        K: Kernel<X> + 'static,
        K::Prepared: 'static,
    {
        Boxed(Arc::new(kernel))
    }
}

/// A prepared set whose type only its kernel knows.
type AnySet = dyn Any + Send + Sync;

/// [`Kernel`] with the prepared set's type erased.
///
/// What a kernel computes is only handed on while the budget lasts: loops that cannot return an error leave early once it is
/// spent.
trait Erased<X: ?Sized>: fmt::Display + Send + Sync {
    fn prepare(&self, objects: &X) -> Result<Box<AnySet>>;
    fn count(&self, prepared: &AnySet) -> usize;
    fn select(&self, prepared: &AnySet, chosen: &[usize]) -> Box<AnySet>;
    fn fill(&self, rows: Part<'_, Box<AnySet>>, cols: Part<'_, Box<AnySet>>, out: &mut [f64]) -> Result<()>;
    fn diagonal(&self, of: Part<'_, Box<AnySet>>, out: &mut [f64]) -> Result<()>;
    fn log_fill(
        &self,
        rows: Part<'_, Box<AnySet>>,
        cols: Part<'_, Box<AnySet>>,
        out: &mut [f64],
    ) -> Result<bool>;
    fn log_diagonal(&self, of: Part<'_, Box<AnySet>>, out: &mut [f64]) -> Result<bool>;
    fn definiteness(&self) -> Definiteness;
    fn is_transductive(&self) -> bool;
    fn rows<'a>(&self, prepared: &'a AnySet) -> Option<FeatureRows<'a>>;
    fn parts<'a>(&self, prepared: &'a AnySet) -> Option<FeatureParts<'a>>;
    fn tile_side(&self) -> usize;
}

fn typed<P: 'static>(part: Part<'_, Box<AnySet>>) -> Result<Part<'_, P>> {
    let set = part.set.downcast_ref().ok_or_else(|| Error::usage("objects prepared for another kernel"))?;
    Ok(Part { set, range: part.range })
}

impl<X: ?Sized, K> Erased<X> for K
where
    K: Kernel<X>,
    K::Prepared: 'static,
{
    fn prepare(&self, objects: &X) -> Result<Box<AnySet>> {
        let prepared = budget::finished(Kernel::prepare(self, objects))?;
        Ok(Box::new(prepared))
    }

    fn count(&self, prepared: &AnySet) -> usize {
        prepared.downcast_ref().map_or(0, |p| Kernel::count(self, p))
    }

    fn select(&self, prepared: &AnySet, chosen: &[usize]) -> Box<AnySet> {
        match prepared.downcast_ref() {
            Some(p) => Box::new(Kernel::select(self, p, chosen)),
            // Objects of another kernel: the first use of this set reports it.
            None => Box::new(()),
        }
    }

    fn fill(&self, rows: Part<'_, Box<AnySet>>, cols: Part<'_, Box<AnySet>>, out: &mut [f64]) -> Result<()> {
        budget::finished(Kernel::fill(self, typed(rows)?, typed(cols)?, out))
    }

    fn diagonal(&self, of: Part<'_, Box<AnySet>>, out: &mut [f64]) -> Result<()> {
        budget::finished(Kernel::diagonal(self, typed(of)?, out))
    }

    fn log_fill(
        &self,
        rows: Part<'_, Box<AnySet>>,
        cols: Part<'_, Box<AnySet>>,
        out: &mut [f64],
    ) -> Result<bool> {
        budget::finished(Kernel::log_fill(self, typed(rows)?, typed(cols)?, out))
    }

    fn log_diagonal(&self, of: Part<'_, Box<AnySet>>, out: &mut [f64]) -> Result<bool> {
        budget::finished(Kernel::log_diagonal(self, typed(of)?, out))
    }

    fn definiteness(&self) -> Definiteness {
        Kernel::definiteness(self)
    }

    fn is_transductive(&self) -> bool {
        Kernel::is_transductive(self)
    }

    fn rows<'a>(&self, prepared: &'a AnySet) -> Option<FeatureRows<'a>> {
        Kernel::rows(self, prepared.downcast_ref()?)
    }

    fn parts<'a>(&self, prepared: &'a AnySet) -> Option<FeatureParts<'a>> {
        Kernel::parts(self, prepared.downcast_ref()?)
    }

    fn tile_side(&self) -> usize {
        Kernel::tile_side(self)
    }
}

impl<X: ?Sized> Kernel<X> for Boxed<X> {
    type Prepared = Box<AnySet>;

    fn prepare(&self, objects: &X) -> Result<Self::Prepared> {
        self.0.prepare(objects)
    }

    fn count(&self, prepared: &Self::Prepared) -> usize {
        self.0.count(prepared.as_ref())
    }

    fn select(&self, prepared: &Self::Prepared, chosen: &[usize]) -> Self::Prepared {
        self.0.select(prepared.as_ref(), chosen)
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        self.0.fill(rows, cols, out)
    }

    fn diagonal(&self, of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
        self.0.diagonal(of, out)
    }

    fn log_fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<bool> {
        self.0.log_fill(rows, cols, out)
    }

    fn log_diagonal(&self, of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<bool> {
        self.0.log_diagonal(of, out)
    }

    fn definiteness(&self) -> Definiteness {
        self.0.definiteness()
    }

    fn is_transductive(&self) -> bool {
        self.0.is_transductive()
    }

    fn rows<'a>(&self, prepared: &'a Self::Prepared) -> Option<FeatureRows<'a>> {
        self.0.rows(prepared.as_ref())
    }

    fn parts<'a>(&self, prepared: &'a Self::Prepared) -> Option<FeatureParts<'a>> {
        self.0.parts(prepared.as_ref())
    }

    fn tile_side(&self) -> usize {
        self.0.tile_side()
    }
}
