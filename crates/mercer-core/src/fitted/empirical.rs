//! Kernels computed from the similarities of objects to training objects: linear maps of the empirical kernel map.

use std::fmt;

use crate::data::{Dense, Vectors};
use crate::error::{Error, Result};
use crate::gram::{Engine, Extension};
use crate::kernel::places::Places;
use crate::kernel::vector::{Linear, PreparedVectors};
use crate::kernel::{Definiteness, Identify, Kernel, Part, Prepared, operators};

/// A kernel of coordinates that are computed from the similarities of objects to training objects, which it stores:
/// [`Repaired`](super::Repaired), [`Exponential`](super::Exponential) and [`MatrixPower`](super::MatrixPower).
///
/// Coordinates are computed once, when objects are prepared, so a pair costs one inner product.
pub struct EmpiricalMap<K, P, M> {
    pub(super) inner: K,
    /// The prepared objects that others are compared with; `None` where objects stay as they are.
    pub(super) training: Option<P>,
    pub(super) map: M,
    /// The amount added to the self-similarities of objects that stay as they are.
    pub(super) shift: Option<f64>,
    pub(super) tile_side: usize,
    pub(super) engine: Engine,
}

/// A fitted map from similarities to coordinates whose inner products are the new similarities.
pub trait SimilarityMap<X: ?Sized>: Send + Sync {
    /// The kernels with this map, in messages.
    const KERNELS: &'static str;

    /// Coordinates of objects with these similarities to the training objects; `None` where objects stay as they are.
    fn coordinates(&self, objects: &X, cross: &Dense) -> Result<Option<SignedVectors>>;

    /// Whether no coordinate has a negative sign.
    fn is_definite(&self) -> bool {
        true
    }
}

/// The Gram matrix of prepared training objects, after checking that memory suffices for its eigenvectors too.
pub(super) fn training_gram<X: ?Sized, K: Kernel<X>>(
    inner: &K,
    set: &K::Prepared,
    engine: &Engine,
) -> Result<Dense> {
    engine.plan_matrices("a matrix and its eigenvectors", set.len(), 8)?;
    engine.gram_of(inner, set)
}

/// Objects as coordinates.
pub struct SignedVectors {
    plus: PreparedVectors,
    /// Coordinates whose products are subtracted.
    minus: Option<PreparedVectors>,
    /// The square of one more coordinate, which no two objects share.
    own: Vec<f64>,
}

impl SignedVectors {
    pub(super) fn new(plus: Dense, minus: Option<Dense>, own: Vec<f64>) -> Result<Self> {
        let prepared = |features: Dense| Linear.prepare(&Vectors::from(features));
        Ok(SignedVectors { plus: prepared(plus)?, minus: minus.map(prepared).transpose()?, own })
    }

    fn fill(rows: &Part<'_, Self>, cols: &Part<'_, Self>, out: &mut [f64]) -> Result<()> {
        Linear.fill(rows.of(|set| &set.plus), cols.of(|set| &set.plus), out)?;
        let (Some(a), Some(b)) = (&rows.set.minus, &cols.set.minus) else { return Ok(()) };
        let mut less = vec![0.0; out.len()];
        Linear.fill(rows.of(|_| a), cols.of(|_| b), &mut less)?;
        out.iter_mut().zip(&less).for_each(|(v, l)| *v -= l);
        Ok(())
    }

    fn diagonal(of: &Part<'_, Self>, out: &mut [f64]) -> Result<()> {
        Linear.diagonal(of.of(|set| &set.plus), out)?;
        if let Some(minus) = &of.set.minus {
            let mut less = vec![0.0; out.len()];
            Linear.diagonal(of.of(|_| minus), &mut less)?;
            out.iter_mut().zip(&less).for_each(|(v, l)| *v -= l);
        }
        out.iter_mut().zip(&of.set.own[of.range.clone()]).for_each(|(v, own)| *v += own);
        Ok(())
    }
}

/// Objects under a map.
pub enum Mapped<P> {
    /// The objects as prepared for the inner kernel.
    Unchanged(P),
    /// Coordinates whose inner products are the similarities.
    Vectors(Box<SignedVectors>),
}

impl<P: Prepared> Prepared for Mapped<P> {
    fn len(&self) -> usize {
        match self {
            Mapped::Unchanged(set) => set.len(),
            Mapped::Vectors(set) => set.own.len(),
        }
    }

    fn select(&self, chosen: &[usize]) -> Self {
        match self {
            Mapped::Unchanged(set) => Mapped::Unchanged(set.select(chosen)),
            Mapped::Vectors(set) => Mapped::Vectors(Box::new(SignedVectors {
                plus: set.plus.select(chosen),
                minus: set.minus.as_ref().map(|minus| minus.select(chosen)),
                own: set.own.select(chosen),
            })),
        }
    }
}

impl<X: ?Sized, K: Kernel<X>, M: SimilarityMap<X>> Kernel<X> for EmpiricalMap<K, K::Prepared, M>
where
    Self: fmt::Display,
{
    type Prepared = Mapped<K::Prepared>;

    fn prepare(&self, objects: &X) -> Result<Self::Prepared> {
        let own = self.inner.prepare(objects)?;
        let Some(training) = &self.training else { return Ok(Mapped::Unchanged(own)) };
        let cross = self.engine.cross_of(&self.inner, &own, training)?;
        let coordinates = self.map.coordinates(objects, &cross)?;
        Ok(coordinates.map_or(Mapped::Unchanged(own), |set| Mapped::Vectors(Box::new(set))))
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        match (rows.set, cols.set) {
            (Mapped::Unchanged(a), Mapped::Unchanged(b)) => {
                self.inner.fill(Part::new(a, rows.range), Part::new(b, cols.range), out)
            }
            (Mapped::Vectors(a), Mapped::Vectors(b)) => {
                SignedVectors::fill(&Part::new(a, rows.range), &Part::new(b, cols.range), out)
            }
            _ => Err(Error::usage(format!("objects prepared by two different {}", M::KERNELS))),
        }
    }

    fn diagonal(&self, of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
        match of.set {
            Mapped::Vectors(set) => SignedVectors::diagonal(&Part::new(set, of.range), out),
            Mapped::Unchanged(set) => {
                self.inner.diagonal(Part::new(set, of.range), out)?;
                self.shift.into_iter().for_each(|shift| out.iter_mut().for_each(|v| *v += shift));
                Ok(())
            }
        }
    }

    fn definiteness(&self) -> Definiteness {
        match self.training.is_some() {
            // Shift repairs the training objects only, and without negative eigenvalues nothing is repaired: new
            // objects may introduce lower eigenvalues.
            false => self.inner.definiteness(),
            true if self.map.is_definite() => Definiteness::PositiveSemidefinite,
            true => Definiteness::Indefinite,
        }
    }

    fn is_transductive(&self) -> bool {
        self.inner.is_transductive()
    }

    fn tile_side(&self) -> usize {
        self.tile_side
    }
}

operators!([K, P, M] EmpiricalMap<K, P, M>);

/// An [`Extension`] with the parameters it was fitted with.
pub struct Extended<S> {
    extension: Extension,
    /// Training objects by content, if the extension needs them.
    places: Option<Places>,
    pub(super) settings: S,
}

impl<K, P, S> EmpiricalMap<K, P, Extended<S>> {
    /// The kernel of prepared training objects and the extension that was fitted to them.
    pub(super) fn extended<X: Identify + ?Sized>(
        inner: K,
        (objects, set): (&X, P),
        (extension, settings): (Extension, S),
        tile_side: usize,
        engine: &Engine,
    ) -> Result<Self> {
        let (changes, shift) = match &extension {
            Extension::Shift { amount, .. } => (false, *amount),
            // Without negative eigenvalues nothing changes, for new objects either.
            Extension::Project { identity, .. } => (!identity, 0.0),
            Extension::Exponential { .. } => (true, 0.0),
        };
        // With an exponential, an object that is a training object must be recognised.
        let recognises = matches!(extension, Extension::Exponential { .. });
        let places = recognises.then(|| objects.identities().map(|all| Places::of(&all))).transpose()?;
        let (training, map) = (changes.then_some(set), Extended { extension, places, settings });
        Ok(EmpiricalMap { inner, training, map, shift: Some(shift), tile_side, engine: engine.kept() })
    }

    /// The extension to new objects.
    pub fn extension(&self) -> &Extension {
        &self.map.extension
    }
}

impl<X: Identify + ?Sized, S: Send + Sync> SimilarityMap<X> for Extended<S> {
    const KERNELS: &'static str = "repairs";

    fn coordinates(&self, objects: &X, cross: &Dense) -> Result<Option<SignedVectors>> {
        let places = match &self.places {
            Some(places) => places.find(&objects.identities()?),
            None => vec![None; cross.rows()],
        };
        let Some(features) = self.extension.features_of(cross, &places)? else { return Ok(None) };
        let alone = self.extension.alone();
        let own = places.iter().map(|place| if place.is_some() { 0.0 } else { alone }).collect();
        SignedVectors::new(features, None, own).map(Some)
    }
}
