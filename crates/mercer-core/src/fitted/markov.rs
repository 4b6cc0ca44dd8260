//! A kernel normalised by the row sums of similarities.

use super::means::{FromMeans, MeanTransformed};
use crate::error::{Error, Result};
use crate::gram::{BlockTransform, Summary, check_degrees};
use crate::kernel::{Definiteness, Facts};

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
pub type Markov<K, P = ()> = MeanTransformed<K, P, MarkovStep>;

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
    /// The mean over training objects of the sum of their similarities.
    pub fn mean_degree(&self) -> f64 {
        self.transform.mean_degree
    }
}

/// The scaling of a Markov step: k(x, y)·f(x)·f(y), f(x) = 1/√d(x), and 0 for an isolated object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarkovStep {
    n: usize,
    mean_degree: f64,
}

/// The sum of the similarities of each object to n training objects.
fn degrees(means: &[f64], n: usize) -> Result<Vec<f64>> {
    let degrees: Vec<f64> = means.iter().map(|m| m * n as f64).collect();
    check_degrees(&degrees)?;
    Ok(degrees)
}

impl FromMeans for MarkovStep {
    const NAME: &'static str = Markov::<()>::FACTS.name;

    fn fit(means: &[f64]) -> Result<Self> {
        let degrees = degrees(means, means.len())?;
        // Without objects there is no mean.
        let mean_degree = if degrees.is_empty() { 0.0 } else { crate::gram::mean(&degrees) };
        if !mean_degree.is_finite() {
            return Err(Error::NonFinite { row: 0, col: 0, overflow: true });
        }
        Ok(MarkovStep { n: means.len(), mean_degree })
    }

    fn restore(mean_degree: f64, n: usize) -> Result<Self> {
        match mean_degree.is_finite() && mean_degree >= 0.0 {
            true => Ok(MarkovStep { n, mean_degree }),
            false => Err(Error::param("mean_degree", mean_degree, "finite and at least 0")),
        }
    }
}

impl BlockTransform for MarkovStep {
    type Statistic = f64;
    const FROM: Summary = Summary::Mean;

    fn statistics(&self, summaries: Vec<f64>) -> Result<Vec<f64>> {
        let least = ISOLATED * self.mean_degree;
        let factor = |degree: f64| if degree > least { 1.0 / degree.sqrt() } else { 0.0 };
        Ok(degrees(&summaries, self.n)?.into_iter().map(factor).collect())
    }

    #[inline]
    fn row(&self, own: f64, theirs: &[f64], row: &mut [f64]) {
        row.iter_mut().zip(theirs).for_each(|(v, their)| *v *= own * their);
    }

    fn own(&self, value: f64, factor: f64) -> f64 {
        value * (factor * factor)
    }
}
