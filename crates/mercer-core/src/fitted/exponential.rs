//! The exponential of a Gram matrix.

use std::fmt;

use super::empirical::{EmpiricalMap, Extended, training_gram};
use crate::error::{Error, Result};
use crate::gram::{Engine, Extension, exponential};
use crate::kernel::{Definiteness, Domain, Facts, Identify, Kernel, Parameter, Prepared, TILE};

/// The exponential kernel exp(β·H) of any symmetric similarity H on the training objects, including singular and
/// indefinite ones.
///
/// exp(β·H) = I + β·H + β²·H²/2 + …: two objects are similar when many short walks join them. It is positive
/// semidefinite for any H. With H the negated Laplacian of a graph it is the diffusion kernel.
///
/// A new object x with similarities c_x to the training objects has the coordinates of its walks through them,
/// c_x·(exp(β·A/2) - I)·A⁻¹, in the limit where A is singular, and an additional axis of its own for the empty walk.
/// Training objects, recognised by their content, have the coordinates exp(β·A/2), so that their inner products are
/// exp(β·A). Among equal objects, the k-th of a set is the k-th training object.
///
/// ```
/// use mercer_core::data::{Dense, Vectors};
/// use mercer_core::gram::Engine;
/// use mercer_core::{fitted::Exponential, kernel::vector::Linear};
/// let x = Vectors::from(Dense::from_rows(&[[1.0], [2.0]])); // H = [[1, 2], [2, 4]] has the eigenvalues 0 and 5
/// let engine = Engine::new();
/// let k = engine.gram(&Exponential::fit(Linear, &x, 0.2, false, &engine)?, &x)?;
/// let e = 1f64.exp();
/// assert!((k.at(0, 0) - (4.0 + e) / 5.0).abs() < 1e-12 && (k.at(0, 1) - 2.0 * (e - 1.0) / 5.0).abs() < 1e-12);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Reference: Kondor & Lafferty 2002, Diffusion kernels on graphs and other discrete input spaces.
pub type Exponential<K, P = ()> = EmpiricalMap<K, P, Extended<ExponentialSettings>>;

/// The parameters of an exponential.
pub struct ExponentialSettings {
    beta: f64,
    scaled: bool,
}

impl Exponential<()> {
    /// Facts about this wrapper.
    pub const FACTS: Facts = Facts {
        name: "exponential",
        summary: "The exponential of a similarity matrix: objects are similar when many short walks join them.",
        formula: "exp(beta·H), H the similarities of the training objects, any symmetric ones; new objects: c·(exp(beta·H) - exp(beta·H/2))·H⁻¹ in the limit",
        takes: "a kernel or precomputed similarities, possibly indefinite; fitted to the training objects",
        kinds: &[],
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            Parameter {
                name: "beta",
                default: "1",
                domain: Domain::Finite,
                doc: "how far similarity spreads; negative where H is a Laplacian",
                alias: None,
            },
            Parameter {
                name: "scale",
                default: "none",
                domain: Domain::Word(&["none", "radius"]),
                doc: "radius: divide by the largest eigenvalue of exp(beta·H), to prevent overflow",
                alias: None,
            },
        ],
        cost: "n³ to fit; then n² per object",
        reference: "Kondor & Lafferty 2002, Diffusion kernels on graphs and other discrete input spaces",
        example: "exponential(rbf(gamma=1), beta=0.2)",
    };
}

impl<K, P: Prepared> Exponential<K, P> {
    /// The exponential of the similarities of these objects; `scaled` divides by its largest eigenvalue.
    pub fn fit<X: Identify + ?Sized>(
        inner: K,
        training: &X,
        beta: f64,
        scaled: bool,
        engine: &Engine,
    ) -> Result<Self>
    where
        K: Kernel<X, Prepared = P>,
    {
        let beta = Exponential::<()>::FACTS.check("beta", beta)?;
        let set = inner.prepare(training)?;
        let extension = exponential(&training_gram(&inner, &set, engine)?, beta, scaled)?;
        let settings = ExponentialSettings { beta, scaled };
        Self::extended(inner, (training, set), (extension, settings), TILE, engine)
    }

    /// Restores an earlier fit to the same training objects.
    pub fn restore<X: Identify + ?Sized>(
        inner: K,
        training: &X,
        beta: f64,
        scaled: bool,
        extension: Extension,
        engine: &Engine,
    ) -> Result<Self>
    where
        K: Kernel<X, Prepared = P>,
    {
        let set = inner.prepare(training)?;
        let same = matches!(extension, Extension::Exponential { beta: stored, .. } if stored == beta);
        if !same || set.len() != extension.n() {
            return Err(Error::usage(
                "the stored exponential belongs to other training objects or another beta",
            ));
        }
        let settings = ExponentialSettings { beta, scaled };
        Self::extended(inner, (training, set), (extension, settings), TILE, engine)
    }
}

impl<K: fmt::Display, P> fmt::Display for Exponential<K, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ExponentialSettings { beta, scaled } = self.map.settings;
        let scale = if scaled { "radius" } else { "none" };
        write!(f, "exponential({}, beta={beta}, scale={scale})", self.inner)
    }
}
