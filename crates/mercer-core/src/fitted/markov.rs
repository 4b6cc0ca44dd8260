//! A kernel normalised by the row sums of similarities.

use std::fmt;

use crate::error::{Error, Result};
use crate::gram::{Engine, check_degrees};
use crate::kernel::numbered::{Numbered, adjust, numbered};
use crate::kernel::{Definiteness, Facts, Kernel, Part, Prepared, operators};

/// Objects whose similarities sum to less than this fraction of the training objects' mean have similarity 0 to
/// everything.
const ISOLATED: f64 = 1e-150;

/// One step of a Markov walk in symmetric form: k(x, y) / √(d(x)·d(y)), d(x) = Σ_t k(x, t) over the training objects t.
///
/// With D = diag(d), P = D⁻¹K goes from one training object to another with probability P_ij, and this kernel's Gram
/// matrix S = D^(-1/2)·K·D^(-1/2) has P's eigenvalues. [`MatrixPower`](super::MatrixPower) around it gives S^p =
/// D^(1/2)·P^p·D^(-1/2), p steps of the walk; P^p itself is not symmetric, see [`gram::Markov`](crate::gram::Markov).
/// Positive semidefinite where k is. An object with similarity 0 to all training objects has similarity 0, including to
/// itself; a negative sum is an error.
///
/// ```
/// use mercer_core::{data::{Dense, Vectors}, fitted::Markov, gram::Engine, kernel::vector::Rbf};
/// let x = Vectors::from(Dense::from_rows(&[[0.0], [1.0], [5.0]]));
/// let engine = Engine::new();
/// let markov = Markov::fit(Rbf::new(1.0)?, &x, &engine)?;
/// let s = engine.gram(&markov, &x)?;
/// assert!((s.at(0, 0) - 1.0 / (1.0 + (-1.0f64).exp())).abs() < 1e-10);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub struct Markov<K, P = ()> {
    inner: K,
    training: P,
    mean_degree: f64,
    engine: Engine,
}

impl Markov<()> {
    /// Facts about this wrapper.
    pub const FACTS: Facts = Facts {
        name: "markov",
        summary: "One step of a Markov walk, in symmetric form; walk(markov(k), p=…) takes p steps.",
        formula: "k(x, y) / √(d(x) · d(y)); d(x) = Σ k(x, t) over training objects t",
        takes: "a kernel ≥ 0; fitted to the training objects",
        kinds: &[],
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[],
        cost: "that of the kernel, twice on the training objects",
        reference: "Szummer & Jaakkola 2001; Chapelle, Weston & Schölkopf 2002",
        example: "walk(markov(rbf(gamma=1)), p=4)",
    };
}

impl<K, P> Markov<K, P> {
    /// Normalises by the similarities to `training`.
    pub fn fit<X: ?Sized>(inner: K, training: &X, engine: &Engine) -> Result<Self>
    where
        K: Kernel<X, Prepared = P>,
        P: Prepared,
    {
        let training = inner.prepare(training)?;
        let degrees = degrees(&inner, &training, &training, engine)?;
        // Without objects there is no mean.
        let mean_degree = if degrees.is_empty() { 0.0 } else { crate::gram::mean(&degrees) };
        if !mean_degree.is_finite() {
            return Err(Error::NonFinite { row: 0, col: 0, overflow: true });
        }
        Ok(Markov { inner, training, mean_degree, engine: engine.kept() })
    }

    /// Restores an earlier fit to the same training objects from their mean degree.
    pub fn restore<X: ?Sized>(inner: K, training: &X, mean_degree: f64, engine: &Engine) -> Result<Self>
    where
        K: Kernel<X, Prepared = P>,
        P: Prepared,
    {
        if !(mean_degree.is_finite() && mean_degree >= 0.0) {
            return Err(Error::param("mean_degree", mean_degree, "finite and at least 0"));
        }
        let training = inner.prepare(training)?;
        Ok(Markov { inner, training, mean_degree, engine: engine.kept() })
    }

    /// The mean over training objects of the sum of their similarities.
    pub fn mean_degree(&self) -> f64 {
        self.mean_degree
    }
}

/// The sum of the similarities of each object to the training objects.
fn degrees<X: ?Sized, K: Kernel<X>>(
    kernel: &K,
    objects: &K::Prepared,
    training: &K::Prepared,
    engine: &Engine,
) -> Result<Vec<f64>> {
    let n = training.len() as f64;
    let degrees: Vec<f64> = engine.row_means(kernel, objects, training)?.iter().map(|m| m * n).collect();
    check_degrees(&degrees)?;
    Ok(degrees)
}

impl<K: fmt::Display, P> fmt::Display for Markov<K, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "markov({})", self.inner)
    }
}

impl<X: ?Sized, K: Kernel<X>> Kernel<X> for Markov<K, K::Prepared> {
    type Prepared = Numbered<K::Prepared>;

    fn prepare(&self, objects: &X) -> Result<Self::Prepared> {
        let inner = self.inner.prepare(objects)?;
        let degrees = degrees(&self.inner, &inner, &self.training, &self.engine)?;
        let least = ISOLATED * self.mean_degree;
        let factor = |degree: f64| if degree > least { 1.0 / degree.sqrt() } else { 0.0 };
        Ok(Numbered { inner, numbers: degrees.into_iter().map(factor).collect() })
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        self.inner.fill(rows.inner(), cols.inner(), out)?;
        adjust(rows.numbers(), cols.numbers(), out, |v, own, their| v * (own * their));
        Ok(())
    }

    fn diagonal(&self, of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
        self.inner.diagonal(of.inner(), out)?;
        out.iter_mut().zip(of.numbers()).for_each(|(v, own)| *v *= own * own);
        Ok(())
    }

    numbered!(inner);
}

operators!([K, P] Markov<K, P>);
