//! A kernel centred at the mean of a training set.

use super::means::{FromMeans, MeanTransformed};
use crate::error::{Error, Result};
use crate::gram::Centered;
use crate::kernel::{Definiteness, Facts};

/// A kernel whose feature space has its origin at the mean of a training set:
///
/// k̃(x, y) = (φ(x) - μ)·(φ(y) - μ) = k(x, y) - m(x) - m(y) + M, where m(x) is the mean of k(x, t) over the training
/// objects t and M the mean of m over them.
///
/// Fitting stores the training objects, and preparing an object costs one kernel value per training object.
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
pub type Center<K, P = ()> = MeanTransformed<K, P, Centered>;

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
    /// The mean similarity of two training objects.
    pub fn grand_mean(&self) -> f64 {
        self.transform.grand_mean
    }
}

impl FromMeans for Centered {
    const NAME: &'static str = Center::<()>::FACTS.name;

    fn fit(means: &[f64]) -> Result<Self> {
        // Without objects there is no mean.
        Ok(Centered { grand_mean: if means.is_empty() { 0.0 } else { crate::gram::mean(means) } })
    }

    fn restore(grand_mean: f64, _n: usize) -> Result<Self> {
        match grand_mean.is_finite() {
            true => Ok(Centered { grand_mean }),
            false => Err(Error::param("grand_mean", grand_mean, "finite")),
        }
    }
}
