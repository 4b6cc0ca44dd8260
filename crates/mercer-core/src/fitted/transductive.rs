//! Transductive kernels, defined only on the objects they were fitted to.

use std::fmt;

use super::empirical::training_gram;
use super::walk::{P, PowerSteps, SCALE};
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::{self, Engine, Transfer, Walk};
use crate::kernel::places::Places;
use crate::kernel::{Definiteness, Domain, Facts, Identify, Kernel, Parameter, Part, operators};

/// A *transductive* kernel: similarities fitted to all objects at once, including those to be predicted, and undefined
/// for others.
///
/// Examples are walks through all objects, p-step Laplacian walks and cluster kernels. An object is recognised by its
/// content ([`Identify`]); among equal objects, the k-th of a set is the k-th it was fitted to. Objects outside the set
/// are an error. A model with such a kernel depends on the objects to be predicted and must state so:
/// [`Kernel::is_transductive`].
///
/// ```
/// use mercer_core::data::{Dense, Vectors};
/// use mercer_core::gram::Engine;
/// use mercer_core::fitted::{PowerSteps, Transductive};
/// use mercer_core::kernel::{Kernel, vector::Rbf};
/// let all = Vectors::from(Dense::from_rows(&[[0.0], [1.0], [2.0]]));
/// let engine = Engine::new();
/// let kernel = Transductive::walk(&Rbf::new(1.0)?, &all, PowerSteps::new(3)?, &engine)?;
/// assert!(Kernel::<Vectors>::is_transductive(&kernel));
/// let training = Vectors::from(Dense::from_rows(&[[2.0], [0.0]]));
/// assert_eq!(engine.gram(&kernel, &training)?.at(0, 1), engine.gram(&kernel, &all)?.at(2, 0));
/// let other = Vectors::from(Dense::from_rows(&[[0.5]]));
/// assert!(engine.gram(&kernel, &other).unwrap_err().to_string().contains("transductive"));
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Transductive {
    shown: String,
    gram: Dense,
    places: Places,
    definiteness: Definiteness,
}

/// Facts about the p-step Laplacian walk.
#[doc(hidden)]
pub const LAPLACIAN_WALK: Facts = Facts {
    name: "laplacian-walk",
    summary: "The p-step walk by the normalised Laplacian. Transductive: compares only objects it was fitted to.",
    formula: "(a·I - L̃)^p / a^(p-1), L̃ = I - D^(-1/2)·K·D^(-1/2), D = diag(Σ_j K_ij)",
    takes: "a kernel ≥ 0; fitted to all objects",
    kinds: &[],
    definiteness: Definiteness::PositiveSemidefinite,
    parameters: &[
        P,
        Parameter {
            name: "a",
            default: "2",
            domain: Domain::AtLeast(2.0),
            doc: "the weight of staying in place; from 2 on every power is positive semidefinite",
            alias: None,
        },
        SCALE,
    ],
    cost: "n³ to fit; then one lookup",
    reference: "Smola & Kondor 2003, Kernels and regularization on graphs",
    example: "laplacian-walk(rbf(gamma=1), p=3, a=2)",
};

/// Facts about cluster kernels.
#[doc(hidden)]
pub const CLUSTER: Facts = Facts {
    name: "cluster",
    summary: "A Markov walk with a transformed spectrum that emphasises clusters. Transductive: compares only objects it was fitted to.",
    formula: "L̃_ij / √(L̃_ii·L̃_jj), L̃ = U·φ(Λ)·Uᵀ of D^(-1/2)·K·D^(-1/2) = U·Λ·Uᵀ; φ: linear λ, step 1 or linear-step λ for the largest λ, polynomial λ^t",
    takes: "a kernel ≥ 0; fitted to all objects",
    kinds: &[],
    definiteness: Definiteness::PositiveSemidefinite,
    parameters: &[
        Parameter {
            name: "transfer",
            default: "polynomial",
            domain: Domain::Word(&["linear", "step", "linear-step", "polynomial"]),
            doc: "the transformation of the eigenvalues",
            alias: None,
        },
        Parameter {
            name: "keep",
            default: "10",
            domain: Domain::Whole(1, 1_000_000),
            doc: "number of eigenvalues kept by step and linear-step; ignored otherwise",
            alias: None,
        },
        Parameter {
            name: "t",
            default: "2",
            domain: Domain::Positive,
            doc: "the exponent of polynomial; ignored otherwise",
            alias: None,
        },
    ],
    cost: "n³ to fit; then one lookup",
    reference: "Chapelle, Weston & Schölkopf 2002, Cluster kernels for semi-supervised learning",
    example: "cluster(rbf(gamma=1), transfer=step, keep=5)",
};

impl Transductive {
    /// The walk of p steps through all objects: K^p / λmax^(p-1).
    pub fn walk<X, K>(inner: &K, objects: &X, steps: PowerSteps, engine: &Engine) -> Result<Self>
    where
        X: Identify + Sync + ?Sized,
        K: Kernel<X>,
    {
        let shown = format!("walk({inner}, p={}, through=all, scale={})", steps.p(), steps.scale());
        let definiteness = match steps.p() % 2 {
            0 => Definiteness::PositiveSemidefinite,
            _ => inner.definiteness(),
        };
        let gram = powered(&Walk::of(&planned(inner, objects, engine)?)?, steps)?;
        Self::of(shown, gram, objects, definiteness)
    }

    /// The p-step walk (a·I - L̃)^p / a^(p-1) by the normalised Laplacian of `inner`, a ≥ 2.
    pub fn laplacian_walk<X, K>(
        inner: &K,
        objects: &X,
        steps: PowerSteps,
        a: f64,
        engine: &Engine,
    ) -> Result<Self>
    where
        X: Identify + Sync + ?Sized,
        K: Kernel<X>,
    {
        let walk = gram::Markov::of(&planned(inner, objects, engine)?)?.laplacian(a)?;
        let shown = format!("laplacian-walk({inner}, p={}, a={a}, scale={})", steps.p(), steps.scale());
        Self::of(shown, powered(&walk, steps)?, objects, Definiteness::PositiveSemidefinite)
    }

    /// The cluster kernel of `inner`: see [`gram::Markov::cluster`].
    pub fn cluster<X, K>(inner: &K, objects: &X, transfer: Transfer, engine: &Engine) -> Result<Self>
    where
        X: Identify + Sync + ?Sized,
        K: Kernel<X>,
    {
        let gram = gram::Markov::of(&planned(inner, objects, engine)?)?.cluster(transfer)?;
        let words = match transfer {
            Transfer::Linear => "linear".into(),
            Transfer::Step { keep } => format!("step, keep={keep}"),
            Transfer::LinearStep { keep } => format!("linear-step, keep={keep}"),
            Transfer::Polynomial { t } => format!("polynomial, t={t}"),
        };
        let shown = format!("cluster({inner}, transfer={words})");
        Self::of(shown, gram, objects, Definiteness::PositiveSemidefinite)
    }

    /// Given similarities of these objects, one row and column each, printed as `shown`.
    pub fn of<X>(shown: String, gram: Dense, objects: &X, definiteness: Definiteness) -> Result<Self>
    where
        X: Identify + Sync + ?Sized,
    {
        let identities = objects.identities()?;
        gram::check_finite(&gram)?;
        if (gram.rows(), gram.cols()) != (identities.len(), identities.len()) {
            return Err(Error::Shape {
                expected: format!("similarities of {} objects", identities.len()),
                found: format!("{} × {}", gram.rows(), gram.cols()),
            });
        }
        Ok(Transductive { shown, gram, places: Places::of(&identities), definiteness })
    }

    /// The similarities of all objects it was fitted to.
    pub fn gram(&self) -> &Dense {
        &self.gram
    }
}

fn planned<X: Sync + ?Sized, K: Kernel<X>>(inner: &K, objects: &X, engine: &Engine) -> Result<Dense> {
    training_gram(inner, &engine.prepare(inner, objects)?, engine)
}

fn powered(walk: &Walk, steps: PowerSteps) -> Result<Dense> {
    let mut gram = walk.train(steps.p())?;
    if !steps.is_scaled() && walk.radius() > 0.0 {
        let factor = walk.factor(steps.p());
        gram.values_mut().iter_mut().for_each(|v| *v *= factor);
        if let Some((row, col)) = gram.find_non_finite() {
            return Err(Error::NonFinite { row, col, overflow: true });
        }
    }
    Ok(gram)
}

impl fmt::Display for Transductive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl<X: Identify + ?Sized> Kernel<X> for Transductive {
    type Prepared = Vec<usize>;

    fn prepare(&self, objects: &X) -> Result<Self::Prepared> {
        let place = |(index, place): (usize, Option<usize>)| {
            place.ok_or_else(|| Error::Object {
                index,
                reason: "was not among the objects this transductive kernel was fitted to".into(),
                hint: Some(
                    "fit it to training and new objects together, or use walk(…, through=train), which accepts new objects"
                        .into(),
                ),
            })
        };
        self.places.find(&objects.identities()?).into_iter().enumerate().map(place).collect()
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        let theirs = &cols.set[cols.range.clone()];
        for (row, &own) in out.chunks_exact_mut(cols.len().max(1)).zip(&rows.set[rows.range.clone()]) {
            let known = self.gram.row(own);
            row.iter_mut().zip(theirs).for_each(|(v, &their)| *v = known[their]);
        }
        Ok(())
    }

    fn diagonal(&self, of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
        out.iter_mut().zip(&of.set[of.range.clone()]).for_each(|(v, &i)| *v = self.gram.at(i, i));
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        self.definiteness
    }

    fn is_transductive(&self) -> bool {
        true
    }
}

operators!([] Transductive);
