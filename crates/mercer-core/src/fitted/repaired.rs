//! An indefinite kernel made positive semidefinite on a training set, with a consistent extension to new objects.

use std::fmt;

use super::empirical::{EmpiricalMap, Extended, training_gram};
use crate::error::{Error, Result};
use crate::gram::{Engine, Extension, Method, Repair, RepairReport};
use crate::kernel::{Definiteness, Domain, Facts, Identify, Kernel, Parameter, Prepared};

/// A similarity with repaired negative eigenvalues on the training objects.
///
/// Clip and flip change the spectrum of the training Gram matrix. The change is a linear map of the similarities to the
/// training objects, so it also applies to new objects: objects become vectors under that map, and the repaired kernel
/// is their inner product. Diffuse is the [`Exponential`](super::Exponential) kernel divided by its largest eigenvalue.
/// Shift adds a constant to self-similarities, that is, to [`Kernel::diagonal`] and the diagonal of a Gram matrix.
/// Entries between two sets are unchanged: a copy of an object in another set counts as a different object.
///
/// ```
/// use mercer_core::data::{Dense, Vectors};
/// use mercer_core::gram::{Certificate, Engine, Method};
/// use mercer_core::{fitted::Repaired, kernel::vector::Sigmoid};
/// let x = Vectors::from(Dense::from_rows(&[[1.0, 0.2], [0.3, -2.0], [-1.0, 0.5]]));
/// let engine = Engine::new();
/// let repaired = Repaired::fit(Sigmoid::new(1.0, -1.0)?, &x, Method::Clip, &engine)?;
/// assert!(Certificate::of(&engine.gram(&repaired, &x)?)?.is_psd());
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub type Repaired<K, P = ()> = EmpiricalMap<K, P, Extended<RepairReport>>;

impl Repaired<()> {
    /// Facts about this wrapper.
    pub const FACTS: Facts = Facts {
        name: "repair",
        summary: "An indefinite similarity made positive semidefinite, on training and new objects alike.",
        formula: "U·f(Λ)·Uᵀ for the training Gram U·Λ·Uᵀ; f: clip max(λ, 0), flip |λ|, shift λ - λmin, diffuse exp(beta·(λ - λmax))",
        takes: "a kernel; fitted to the training objects",
        kinds: &[],
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            Parameter {
                name: "method",
                default: "clip",
                domain: Domain::Word(&["clip", "flip", "shift", "diffuse"]),
                doc: "the treatment of negative eigenvalues",
                alias: None,
            },
            Parameter {
                name: "beta",
                default: "1",
                domain: Domain::Positive,
                doc: "the strength of diffuse; ignored otherwise",
                alias: None,
            },
        ],
        cost: "n³ to fit; then n·r per new object",
        reference: "Wu, Chang & Zhang 2005; Chen et al. 2009",
        example: "repair(sigmoid(gamma=0.1, c=-1), method=clip)",
    };
}

impl<K, P: Prepared> Repaired<K, P> {
    /// Repairs `inner` on the training objects.
    pub fn fit<X: Identify + ?Sized>(inner: K, training: &X, method: Method, engine: &Engine) -> Result<Self>
    where
        K: Kernel<X, Prepared = P>,
    {
        let set = inner.prepare(training)?;
        let repair = Repair::fit(&training_gram(&inner, &set, engine)?, method)?;
        let (fitted, side) = ((repair.extension().clone(), repair.report().clone()), inner.tile_side());
        Self::extended(inner, (training, set), fitted, side, engine)
    }

    /// Restores an earlier fit to the same training objects. Costs only the preparation of the training objects.
    pub fn restore<X: Identify + ?Sized>(
        inner: K,
        training: &X,
        extension: Extension,
        report: RepairReport,
        engine: &Engine,
    ) -> Result<Self>
    where
        K: Kernel<X, Prepared = P>,
    {
        let (set, side) = (inner.prepare(training)?, inner.tile_side());
        if set.len() != extension.n() {
            return Err(Error::Shape {
                expected: format!("the {} training objects of the repair", extension.n()),
                found: format!("{}", set.len()),
            });
        }
        Self::extended(inner, (training, set), (extension, report), side, engine)
    }
}

impl<K, P> Repaired<K, P> {
    /// A summary of the repair.
    pub fn report(&self) -> &RepairReport {
        &self.map.settings
    }
}

impl<K: fmt::Display, P> fmt::Display for Repaired<K, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, beta) = match self.report().method {
            Method::Clip => ("clip", 1.0),
            Method::Flip => ("flip", 1.0),
            Method::Shift => ("shift", 1.0),
            Method::Diffuse { beta } => ("diffuse", beta),
        };
        write!(f, "repair({}, method={name}, beta={beta})", self.inner)
    }
}
