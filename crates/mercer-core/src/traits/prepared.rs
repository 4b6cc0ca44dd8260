//! The trait of prepared sets.

use crate::data::Ragged;

/// A set of objects after preprocessing each of them on its own.
///
/// A kernel or a distance creates it and computes with it. The set itself provides its length and selections of its
/// objects.
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

    /// The chosen objects, in the given order, for example those a model keeps, or a batch of rows.
    fn select(&self, chosen: &[usize]) -> Self;
}

/// One value for each object.
impl<T: Clone + Send + Sync> Prepared for Vec<T> {
    fn len(&self) -> usize {
        self.len()
    }

    fn select(&self, chosen: &[usize]) -> Self {
        chosen.iter().map(|&i| self[i].clone()).collect()
    }
}

/// One row of values for each object.
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
