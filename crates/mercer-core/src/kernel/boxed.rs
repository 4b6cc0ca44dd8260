//! A kernel whose type is known only at run time.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use super::{Definiteness, FeatureParts, Kernel, Part, Prepared, Shortlists};
use crate::budget;
use crate::error::{Error, Result};

/// Any kernel over `X` behind one type. The expression language uses it because kernel types are known only at run
/// time.
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
    /// Wraps a kernel.
    pub fn new<K>(kernel: K) -> Self
    where
        K: Kernel<X> + 'static,
        K::Prepared: 'static,
    {
        Boxed(Arc::new(kernel))
    }
}

/// A prepared set of any type, as a [`Boxed`] kernel makes it.
///
/// It has a length and can be subset without its type. A kernel of another type returns an error when it gets such a
/// set.
pub struct AnyPrepared(Box<dyn AnySet>);

/// [`Prepared`] with the type erased.
trait AnySet: Any + Send + Sync {
    fn len(&self) -> usize;
    fn select(&self, chosen: &[usize]) -> Box<dyn AnySet>;
}

impl<P: Prepared + 'static> AnySet for P {
    fn len(&self) -> usize {
        Prepared::len(self)
    }

    fn select(&self, chosen: &[usize]) -> Box<dyn AnySet> {
        Box::new(Prepared::select(self, chosen))
    }
}

impl AnyPrepared {
    /// The set with its type, for the kernel that prepared it.
    fn typed<P: 'static>(&self) -> Result<&P> {
        let set: &dyn Any = &*self.0;
        set.downcast_ref().ok_or_else(|| Error::usage("objects prepared for another kernel"))
    }
}

impl Prepared for AnyPrepared {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn select(&self, chosen: &[usize]) -> Self {
        AnyPrepared(self.0.select(chosen))
    }
}

impl fmt::Debug for AnyPrepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnyPrepared({} objects)", self.0.len())
    }
}

/// [`Kernel`] with the prepared set's type erased.
///
/// Results are returned only while the budget lasts: loops that cannot return an error stop early once it is spent.
trait Erased<X: ?Sized>: fmt::Display + Send + Sync {
    fn prepare(&self, objects: &X) -> Result<AnyPrepared>;
    fn fill(&self, rows: Part<'_, AnyPrepared>, cols: Part<'_, AnyPrepared>, out: &mut [f64]) -> Result<()>;
    fn diagonal(&self, of: Part<'_, AnyPrepared>, out: &mut [f64]) -> Result<()>;
    fn log_fill(
        &self,
        rows: Part<'_, AnyPrepared>,
        cols: Part<'_, AnyPrepared>,
        out: &mut [f64],
    ) -> Result<bool>;
    fn log_diagonal(&self, of: Part<'_, AnyPrepared>, out: &mut [f64]) -> Result<bool>;
    fn definiteness(&self) -> Definiteness;
    fn is_transductive(&self) -> bool;
    fn parts<'a>(&self, prepared: &'a AnyPrepared) -> Result<Option<FeatureParts<'a>>>;
    fn shortlists(&self, rows: &AnyPrepared, cols: &AnyPrepared, k: usize) -> Result<Option<Shortlists>>;
    fn tile_side(&self) -> usize;
}

fn typed<P: 'static>(part: Part<'_, AnyPrepared>) -> Result<Part<'_, P>> {
    Ok(Part { set: part.set.typed()?, range: part.range })
}

impl<X: ?Sized, K> Erased<X> for K
where
    K: Kernel<X>,
    K::Prepared: 'static,
{
    fn prepare(&self, objects: &X) -> Result<AnyPrepared> {
        let prepared = budget::finished(Kernel::prepare(self, objects))?;
        Ok(AnyPrepared(Box::new(prepared)))
    }

    fn fill(&self, rows: Part<'_, AnyPrepared>, cols: Part<'_, AnyPrepared>, out: &mut [f64]) -> Result<()> {
        budget::finished(Kernel::fill(self, typed(rows)?, typed(cols)?, out))
    }

    fn diagonal(&self, of: Part<'_, AnyPrepared>, out: &mut [f64]) -> Result<()> {
        budget::finished(Kernel::diagonal(self, typed(of)?, out))
    }

    fn log_fill(
        &self,
        rows: Part<'_, AnyPrepared>,
        cols: Part<'_, AnyPrepared>,
        out: &mut [f64],
    ) -> Result<bool> {
        budget::finished(Kernel::log_fill(self, typed(rows)?, typed(cols)?, out))
    }

    fn log_diagonal(&self, of: Part<'_, AnyPrepared>, out: &mut [f64]) -> Result<bool> {
        budget::finished(Kernel::log_diagonal(self, typed(of)?, out))
    }

    fn definiteness(&self) -> Definiteness {
        Kernel::definiteness(self)
    }

    fn is_transductive(&self) -> bool {
        Kernel::is_transductive(self)
    }

    fn parts<'a>(&self, prepared: &'a AnyPrepared) -> Result<Option<FeatureParts<'a>>> {
        Kernel::parts(self, prepared.typed()?)
    }

    fn shortlists(&self, rows: &AnyPrepared, cols: &AnyPrepared, k: usize) -> Result<Option<Shortlists>> {
        budget::finished(Kernel::shortlists(self, rows.typed()?, cols.typed()?, k))
    }

    fn tile_side(&self) -> usize {
        Kernel::tile_side(self)
    }
}

impl<X: ?Sized> Kernel<X> for Boxed<X> {
    type Prepared = AnyPrepared;

    fn prepare(&self, objects: &X) -> Result<Self::Prepared> {
        self.0.prepare(objects)
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

    fn parts<'a>(&self, prepared: &'a Self::Prepared) -> Result<Option<FeatureParts<'a>>> {
        self.0.parts(prepared)
    }

    fn shortlists(
        &self,
        rows: &Self::Prepared,
        cols: &Self::Prepared,
        k: usize,
    ) -> Result<Option<Shortlists>> {
        self.0.shortlists(rows, cols, k)
    }

    fn tile_side(&self) -> usize {
        self.0.tile_side()
    }
}

#[cfg(test)]
mod tests {
    use crate::data::{Dense, Vectors};
    use crate::error::Result;
    use crate::kernel::vector::Linear;
    use crate::kernel::{Boxed, Delta, Kernel, Part, Prepared};

    #[test]
    fn sets_prepared_by_another_kernel_are_an_error() {
        let x = Vectors::from(Dense::from_rows(&[[1.0], [2.0], [4.0]]));
        let (linear, delta): (Boxed<Vectors>, Boxed<Vectors>) = (Boxed::new(Linear), Boxed::new(Delta));
        let set = linear.prepare(&x).unwrap();
        assert_eq!((set.len(), set.is_empty()), (3, false));
        let chosen = set.select(&[2, 0]);
        assert_eq!(chosen.len(), 2);
        let all = || Part::all(&chosen);
        let mut out = [0.0; 4];
        linear.fill(all(), all(), &mut out).unwrap();
        assert_eq!(out, [16.0, 4.0, 4.0, 1.0]);
        assert_eq!(linear.rows(&chosen).unwrap().unwrap().len(), 2);
        for set in [&set, &chosen] {
            let all = || Part::new(set, 0..2);
            let mut out = [0.0; 4];
            let refused = [
                delta.fill(all(), all(), &mut out),
                delta.diagonal(all(), &mut out[..2]),
                delta.log_fill(all(), all(), &mut out).map(drop),
                delta.log_diagonal(all(), &mut out[..2]).map(drop),
                delta.rows(set).map(drop),
                delta.parts(set).map(drop),
                delta.shortlists(set, set, 1).map(drop),
            ];
            for error in refused.map(Result::unwrap_err) {
                assert!(error.to_string().contains("prepared for another kernel"), "{error}");
            }
        }
    }
}
