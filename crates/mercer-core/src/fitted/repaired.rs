//! An indefinite kernel made positive semidefinite on a training set, with a consistent extension to new objects.

use std::fmt;

use super::exponential::WalkCoordinates;
use crate::data::Vectors;
use crate::error::{Error, Result};
use crate::gram::Engine;
use crate::gram::{Extension, Method, Repair, RepairReport};
use crate::kernel::places::Places;
use crate::kernel::vector::{Linear, PreparedVectors};
use crate::kernel::{Definiteness, Domain, Facts, Identify, Kernel, Parameter, Part, Prepared, operators};

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
pub struct Repaired<K, P = ()> {
    inner: K,
    training: P,
    /// Training objects by content, if the extension needs them.
    places: Option<Places>,
    extension: Extension,
    report: RepairReport,
    engine: Engine,
}

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

impl<K, P> Repaired<K, P> {
    /// Repairs `inner` on the training objects.
    pub fn fit<X>(inner: K, training: &X, method: Method, engine: &Engine) -> Result<Self>
    where
        X: Identify + ?Sized,
        K: Kernel<X, Prepared = P>,
        P: Prepared,
    {
        let set = inner.prepare(training)?;
        engine.plan_matrices("a matrix and its eigenvectors", set.len(), 8)?;
        let gram = engine.gram_of(&inner, &set)?;
        let repair = Repair::fit(&gram, method)?;
        let (extension, report) = (repair.extension().clone(), repair.report().clone());
        let places = places_of(&extension, training)?;
        Ok(Repaired { inner, training: set, places, extension, report, engine: engine.kept() })
    }

    /// Restores an earlier fit to the same training objects. Costs only the preparation of the training objects.
    pub fn restore<X>(
        inner: K,
        training: &X,
        extension: Extension,
        report: RepairReport,
        engine: &Engine,
    ) -> Result<Self>
    where
        X: Identify + ?Sized,
        K: Kernel<X, Prepared = P>,
        P: Prepared,
    {
        let set = inner.prepare(training)?;
        if set.len() != extension.n() {
            return Err(Error::Shape {
                expected: format!("the {} training objects of the repair", extension.n()),
                found: format!("{}", set.len()),
            });
        }
        let places = places_of(&extension, training)?;
        Ok(Repaired { inner, training: set, places, extension, report, engine: engine.kept() })
    }

    /// The extension to new objects.
    pub fn extension(&self) -> &Extension {
        &self.extension
    }

    /// A summary of the repair.
    pub fn report(&self) -> &RepairReport {
        &self.report
    }

    /// The amount added to self-similarities if objects are unchanged otherwise.
    fn shift(&self) -> f64 {
        match self.extension {
            Extension::Shift { amount, .. } => amount,
            Extension::Project { .. } | Extension::Exponential { .. } => 0.0,
        }
    }
}

/// With an exponential, an object that is a training object must be recognised.
fn places_of<X: Identify + ?Sized>(extension: &Extension, training: &X) -> Result<Option<Places>> {
    match extension {
        Extension::Exponential { .. } => Ok(Some(Places::of(&training.identities()?))),
        _ => Ok(None),
    }
}

impl<K: fmt::Display, P> fmt::Display for Repaired<K, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, beta) = match self.report.method {
            Method::Clip => ("clip", 1.0),
            Method::Flip => ("flip", 1.0),
            Method::Shift => ("shift", 1.0),
            Method::Diffuse { beta } => ("diffuse", beta),
        };
        write!(f, "repair({}, method={name}, beta={beta})", self.inner)
    }
}

/// Objects under a repair: as vectors, or unchanged if only self-similarities change.
pub enum PreparedRepair<P> {
    /// Coordinates whose inner products are the repaired similarities.
    Vectors(PreparedVectors),
    /// The same under diffuse.
    WalkCoordinates(WalkCoordinates),
    /// The objects as prepared for the inner kernel.
    Shifted(P),
}

impl<P: Prepared> Prepared for PreparedRepair<P> {
    fn len(&self) -> usize {
        match self {
            PreparedRepair::Vectors(v) => v.len(),
            PreparedRepair::WalkCoordinates(w) => w.len(),
            PreparedRepair::Shifted(p) => p.len(),
        }
    }

    fn select(&self, chosen: &[usize]) -> Self {
        match self {
            PreparedRepair::Vectors(v) => PreparedRepair::Vectors(v.select(chosen)),
            PreparedRepair::WalkCoordinates(w) => PreparedRepair::WalkCoordinates(w.select(chosen)),
            PreparedRepair::Shifted(p) => PreparedRepair::Shifted(p.select(chosen)),
        }
    }
}

impl<X: Identify + ?Sized, K: Kernel<X>> Kernel<X> for Repaired<K, K::Prepared> {
    type Prepared = PreparedRepair<K::Prepared>;

    fn prepare(&self, objects: &X) -> Result<Self::Prepared> {
        let own = self.inner.prepare(objects)?;
        // Without negative eigenvalues nothing changes, for new objects either.
        if matches!(self.extension, Extension::Shift { .. } | Extension::Project { identity: true, .. }) {
            return Ok(PreparedRepair::Shifted(own));
        }
        let cross = self.engine.cross_of(&self.inner, &own, &self.training)?;
        if let Some(places) = &self.places {
            let walkers = WalkCoordinates::of(&self.extension, &cross, &places.find(&objects.identities()?))?;
            return Ok(walkers.map_or(PreparedRepair::Shifted(own), PreparedRepair::WalkCoordinates));
        }
        match self.extension.features(&cross)? {
            Some(features) => Ok(PreparedRepair::Vectors(Linear.prepare(&Vectors::from(features))?)),
            None => Ok(PreparedRepair::Shifted(own)),
        }
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        match (rows.set, cols.set) {
            (PreparedRepair::Vectors(a), PreparedRepair::Vectors(b)) => {
                Linear.fill(Part::new(a, rows.range), Part::new(b, cols.range), out)
            }
            (PreparedRepair::WalkCoordinates(a), PreparedRepair::WalkCoordinates(b)) => {
                WalkCoordinates::fill(&Part::new(a, rows.range), &Part::new(b, cols.range), out)
            }
            (PreparedRepair::Shifted(a), PreparedRepair::Shifted(b)) => {
                self.inner.fill(Part::new(a, rows.range), Part::new(b, cols.range), out)
            }
            _ => Err(Error::usage("objects prepared by two different repairs")),
        }
    }

    fn diagonal(&self, of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
        match of.set {
            PreparedRepair::Vectors(v) => Linear.diagonal(Part::new(v, of.range), out),
            PreparedRepair::WalkCoordinates(w) => WalkCoordinates::diagonal(&Part::new(w, of.range), out),
            PreparedRepair::Shifted(p) => {
                self.inner.diagonal(Part::new(p, of.range), out)?;
                out.iter_mut().for_each(|v| *v += self.shift());
                Ok(())
            }
        }
    }

    fn definiteness(&self) -> Definiteness {
        // Shift repairs the training objects only, and without negative eigenvalues nothing is repaired: new objects
        // may introduce lower eigenvalues.
        match self.extension {
            Extension::Shift { .. } | Extension::Project { identity: true, .. } => self.inner.definiteness(),
            Extension::Project { .. } | Extension::Exponential { .. } => Definiteness::PositiveSemidefinite,
        }
    }

    fn is_transductive(&self) -> bool {
        self.inner.is_transductive()
    }

    fn tile_side(&self) -> usize {
        self.inner.tile_side()
    }
}

operators!([K, P] Repaired<K, P>);
