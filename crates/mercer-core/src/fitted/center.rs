//! A kernel centred at the mean of a training set.

use std::fmt;

use crate::error::{Error, Result};
use crate::gram::{Engine, centred_self};
use crate::kernel::numbered::{Numbered, adjust, numbered};
use crate::kernel::{Definiteness, Facts, Kernel, Part, Prepared, operators};

/// A kernel whose feature space has its origin at the mean of a training set:
///
/// k̃(x, y) = (φ(x) - μ)·(φ(y) - μ) = k(x, y) - m(x) - m(y) + M, where m(x) is the mean of k(x, t) over the training
/// objects t and M the mean of m over them.
///
/// [`Center::fit`] stores the training objects, and preparing an object costs one kernel value per training object.
///
/// ```
/// use mercer_core::{data::{Dense, Vectors}, fitted::Center, gram::Engine, kernel::vector::Linear};
/// let x = Vectors::from(Dense::from_rows(&[[1.0], [2.0], [6.0]]));
/// let engine = Engine::new();
/// let centred = Center::fit(Linear, &x, &engine)?;
/// let k = engine.gram(&centred, &x)?;
/// assert!((k.at(0, 2) - (1.0 - 3.0) * (6.0 - 3.0)).abs() < 1e-12);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub struct Center<K, P = ()> {
    inner: K,
    training: P,
    grand_mean: f64,
    engine: Engine,
}

impl Center<()> {
    /// Facts about this wrapper.
    pub const FACTS: Facts = Facts {
        name: "center",
        summary: "A kernel centred at the mean of the training objects.",
        formula: "k(x, y) - m(x) - m(y) + M; m(x) = mean of k(x, t) over training objects t, M = mean of m",
        takes: "a kernel; fitted to the training objects",
        kinds: &[],
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[],
        cost: "that of the kernel, twice on the training objects",
        reference: "Schölkopf, Smola & Müller 1998",
        example: "center(rbf(gamma=0.1))",
    };
}

impl<K, P> Center<K, P> {
    /// Centres `inner` at the mean of `training`.
    pub fn fit<X: ?Sized>(inner: K, training: &X, engine: &Engine) -> Result<Self>
    where
        K: Kernel<X, Prepared = P>,
        P: Prepared,
    {
        let training = inner.prepare(training)?;
        let means = engine.row_means(&inner, &training, &training)?;
        let grand_mean = if means.is_empty() { 0.0 } else { means.iter().sum::<f64>() / means.len() as f64 };
        Ok(Center { inner, training, grand_mean, engine: engine.kept() })
    }

    /// Restores an earlier fit to the same training objects from its mean. Costs only the preparation of the training
    /// objects.
    pub fn restore<X: ?Sized>(inner: K, training: &X, grand_mean: f64, engine: &Engine) -> Result<Self>
    where
        K: Kernel<X, Prepared = P>,
        P: Prepared,
    {
        if !grand_mean.is_finite() {
            return Err(Error::param("grand_mean", grand_mean, "finite"));
        }
        let training = inner.prepare(training)?;
        Ok(Center { inner, training, grand_mean, engine: engine.kept() })
    }

    /// The mean similarity of two training objects.
    pub fn grand_mean(&self) -> f64 {
        self.grand_mean
    }
}

impl<K: fmt::Display, P> fmt::Display for Center<K, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "center({})", self.inner)
    }
}

impl<X: ?Sized, K: Kernel<X>> Kernel<X> for Center<K, K::Prepared> {
    type Prepared = Numbered<K::Prepared>;

    fn prepare(&self, objects: &X) -> Result<Self::Prepared> {
        let inner = self.inner.prepare(objects)?;
        let means = self.engine.row_means(&self.inner, &inner, &self.training)?;
        Ok(Numbered { inner, numbers: means })
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        self.inner.fill(rows.inner(), cols.inner(), out)?;
        let grand_mean = self.grand_mean;
        adjust(rows.numbers(), cols.numbers(), out, |v, own, their| v - (own + their) + grand_mean);
        Ok(())
    }

    fn diagonal(&self, of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
        self.inner.diagonal(of.inner(), out)?;
        out.iter_mut().zip(of.numbers()).for_each(|(v, m)| *v = centred_self(*v, *m, self.grand_mean));
        Ok(())
    }

    numbered!(inner);
}

operators!([K, P] Center<K, P>);
