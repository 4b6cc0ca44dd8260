//! The exponential of a Gram matrix.

use std::fmt;

use crate::data::Vectors;
use crate::error::{Error, Result};
use crate::gram::{Engine, Extension, exponential};
use crate::kernel::places::Places;
use crate::kernel::vector::{Linear, PreparedVectors};
use crate::kernel::{Definiteness, Domain, Facts, Identify, Kernel, Parameter, Part, Prepared, operators};

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
pub struct Exponential<K, P = ()> {
    inner: K,
    training: P,
    places: Places,
    beta: f64,
    scaled: bool,
    extension: Extension,
    engine: Engine,
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

impl<K, P> Exponential<K, P> {
    /// The exponential of the similarities of these objects; `scaled` divides by its largest eigenvalue.
    pub fn fit<X>(inner: K, training: &X, beta: f64, scaled: bool, engine: &Engine) -> Result<Self>
    where
        X: Identify + ?Sized,
        K: Kernel<X, Prepared = P>,
        P: Prepared,
    {
        let beta = Exponential::<()>::FACTS.check("beta", beta)?;
        let places = Places::of(&training.identities()?);
        let training = inner.prepare(training)?;
        engine.plan_matrices("a matrix and its eigenvectors", training.len(), 8)?;
        let gram = engine.gram_of(&inner, &training)?;
        let extension = exponential(&gram, beta, scaled)?;
        Ok(Exponential { inner, training, places, beta, scaled, extension, engine: engine.kept() })
    }

    /// Restores an earlier fit to the same training objects.
    pub fn restore<X>(
        inner: K,
        training: &X,
        beta: f64,
        scaled: bool,
        extension: Extension,
        engine: &Engine,
    ) -> Result<Self>
    where
        X: Identify + ?Sized,
        K: Kernel<X, Prepared = P>,
        P: Prepared,
    {
        let identities = training.identities()?;
        let same = matches!(extension, Extension::Exponential { beta: stored, .. } if stored == beta);
        if !same || identities.len() != extension.n() {
            return Err(Error::usage(
                "the stored exponential belongs to other training objects or another beta",
            ));
        }
        let (places, training) = (Places::of(&identities), inner.prepare(training)?);
        Ok(Exponential { inner, training, places, beta, scaled, extension, engine: engine.kept() })
    }

    /// The extension to new objects.
    pub fn extension(&self) -> &Extension {
        &self.extension
    }
}

impl<K: fmt::Display, P> fmt::Display for Exponential<K, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scale = if self.scaled { "radius" } else { "none" };
        write!(f, "exponential({}, beta={}, scale={scale})", self.inner, self.beta)
    }
}

/// Coordinates of objects, and for new objects the square of the additional coordinate.
pub struct WalkCoordinates {
    vectors: PreparedVectors,
    own: Vec<f64>,
}

impl Prepared for WalkCoordinates {
    fn len(&self) -> usize {
        self.own.len()
    }

    fn select(&self, chosen: &[usize]) -> Self {
        WalkCoordinates { vectors: self.vectors.select(chosen), own: self.own.select(chosen) }
    }
}

impl WalkCoordinates {
    /// From similarities to the training objects, and the positions of those objects that are training objects.
    pub(super) fn of(
        extension: &Extension,
        cross: &crate::data::Dense,
        places: &[Option<usize>],
    ) -> Result<Option<Self>> {
        let Some(features) = extension.features_of(cross, places)? else { return Ok(None) };
        let alone = extension.alone();
        let own = places.iter().map(|place| if place.is_some() { 0.0 } else { alone }).collect();
        Ok(Some(WalkCoordinates { vectors: Linear.prepare(&Vectors::from(features))?, own }))
    }

    pub(super) fn fill(rows: &Part<'_, Self>, cols: &Part<'_, Self>, out: &mut [f64]) -> Result<()> {
        Linear.fill(rows.of(|set| &set.vectors), cols.of(|set| &set.vectors), out)
    }

    pub(super) fn diagonal(of: &Part<'_, Self>, out: &mut [f64]) -> Result<()> {
        Linear.diagonal(of.of(|set| &set.vectors), out)?;
        out.iter_mut().zip(&of.set.own[of.range.clone()]).for_each(|(v, own)| *v += own);
        Ok(())
    }
}

impl<X: Identify + ?Sized, K: Kernel<X>> Kernel<X> for Exponential<K, K::Prepared> {
    type Prepared = WalkCoordinates;

    fn prepare(&self, objects: &X) -> Result<WalkCoordinates> {
        let places = self.places.find(&objects.identities()?);
        let cross = self.engine.cross_of(&self.inner, &self.inner.prepare(objects)?, &self.training)?;
        WalkCoordinates::of(&self.extension, &cross, &places)?
            .ok_or_else(|| Error::usage("an exponential without coordinates"))
    }

    fn fill(
        &self,
        rows: Part<'_, WalkCoordinates>,
        cols: Part<'_, WalkCoordinates>,
        out: &mut [f64],
    ) -> Result<()> {
        WalkCoordinates::fill(&rows, &cols, out)
    }

    fn diagonal(&self, of: Part<'_, WalkCoordinates>, out: &mut [f64]) -> Result<()> {
        WalkCoordinates::diagonal(&of, out)
    }

    fn definiteness(&self) -> Definiteness {
        Definiteness::PositiveSemidefinite
    }

    fn is_transductive(&self) -> bool {
        self.inner.is_transductive()
    }
}

operators!([K, P] Exponential<K, P>);
