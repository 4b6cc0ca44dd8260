//! The trait of prepared sets.

use crate::data::Ragged;

/// A set of objects after the work that depends on each of them alone.
///
/// A kernel or a distance makes one and computes with it; how many objects there are, and which of them to keep, is the
/// set's own matter.
///
/// ```
/// use mercer_core::{data::{Dense, Vectors}, kernel::{Kernel, Prepared, vector::Rbf}};
/// let x = Vectors::from(Dense::from_rows(&[[0.0], [1.0], [3.0]]));
/// let set = Rbf::new(1.0)?.prepare(&x)?;
/// assert_eq!(set.len(), 3);
/// assert_eq!(set.select(&[2, 0]).len(), 2);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub trait Prepared: Send + Sync + Sized {
    /// The number of objects.
    fn len(&self) -> usize;

    /// True when there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The chosen objects, in the order given: what a model keeps, or a batch of rows.
    fn select(&self, chosen: &[usize]) -> Self;
}

/// A value for each object.
impl<T: Clone + Send + Sync> Prepared for Vec<T> {
    fn len(&self) -> usize {
        self.len()
    }

    fn select(&self, chosen: &[usize]) -> Self {
        chosen.iter().map(|&i| self[i].clone()).collect()
    }
}

/// A row of values for each object.
impl<T: Clone + Send + Sync> Prepared for Ragged<T> {
    fn len(&self) -> usize {
        self.len()
    }

    fn select(&self, chosen: &[usize]) -> Self {
        self.select(chosen)
    }
}

/// The same objects, prepared for two kernels.
impl<A: Prepared, B: Prepared> Prepared for (A, B) {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn select(&self, chosen: &[usize]) -> Self {
        (self.0.select(chosen), self.1.select(chosen))
    }
}
