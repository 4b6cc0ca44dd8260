//! Kernels transformed by the mean similarity of each object to the training objects.

use std::fmt;

use crate::error::Result;
use crate::gram::{BlockTransform, Engine};
use crate::kernel::numbered::{Numbered, fill_by, numbered};
use crate::kernel::{Definiteness, Kernel, Part, Prepared, operators};

/// A kernel transformed by the mean similarity of each object to the training objects, which it stores:
/// [`Center`](super::Center) and [`Markov`](super::Markov).
///
/// Preparing an object costs one kernel value per training object.
pub struct MeanTransformed<K, P, T> {
    inner: K,
    training: P,
    pub(super) transform: T,
    engine: Engine,
}

/// A transform that is fitted to the means of the training objects and restored from one number.
pub trait FromMeans: BlockTransform + Sized {
    /// The name of the wrapper in expressions.
    const NAME: &'static str;

    /// Fits to the mean similarity of each training object to all of them.
    fn fit(means: &[f64]) -> Result<Self>;

    /// The transform from the number that was fitted, and the number of training objects.
    fn restore(number: f64, n: usize) -> Result<Self>;
}

impl<K, P: Prepared, T: FromMeans> MeanTransformed<K, P, T> {
    /// Fits to the similarities of `training`.
    pub fn fit<X: ?Sized>(inner: K, training: &X, engine: &Engine) -> Result<Self>
    where
        K: Kernel<X, Prepared = P>,
    {
        let training = inner.prepare(training)?;
        let transform = T::fit(&engine.row_means(&inner, &training, &training)?)?;
        Ok(MeanTransformed { inner, training, transform, engine: engine.kept() })
    }

    /// Restores an earlier fit to the same training objects from the number it learned, the grand mean or the mean
    /// degree. Costs only the preparation of the training objects.
    pub fn restore<X: ?Sized>(inner: K, training: &X, number: f64, engine: &Engine) -> Result<Self>
    where
        K: Kernel<X, Prepared = P>,
    {
        let training = inner.prepare(training)?;
        let transform = T::restore(number, training.len())?;
        Ok(MeanTransformed { inner, training, transform, engine: engine.kept() })
    }
}

impl<K: fmt::Display, P, T: FromMeans> fmt::Display for MeanTransformed<K, P, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", T::NAME, self.inner)
    }
}

impl<X: ?Sized, K: Kernel<X>, T: FromMeans> Kernel<X> for MeanTransformed<K, K::Prepared, T> {
    type Prepared = Numbered<K::Prepared, T::Statistic>;

    fn prepare(&self, objects: &X) -> Result<Self::Prepared> {
        let inner = self.inner.prepare(objects)?;
        let means = self.engine.row_means(&self.inner, &inner, &self.training)?;
        Ok(Numbered { inner, numbers: self.transform.statistics(means)? })
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        fill_by::<X, _, _>(&self.inner, &self.transform, &rows, &cols, out)
    }

    fn diagonal(&self, of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
        self.inner.diagonal(of.inner(), out)?;
        self.transform.diagonal(of.numbers(), out);
        Ok(())
    }

    numbered!(inner);
}

operators!([K, P, T] MeanTransformed<K, P, T>);
