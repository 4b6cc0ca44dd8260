//! The similarity kernel: objects represented by their distances to references.

use std::fmt;
use std::sync::Arc;

use crate::data::{Dense, Vectors};
use crate::error::{Error, Result};
use crate::gram::{Choice, Engine, Fisher, FisherMap, choose_references, operations};
use crate::kernel::vector::{Linear, PreparedVectors, inner_products};
use crate::kernel::{Definiteness, Domain, Facts, Kernel, Parameter, Part, Prepared};

/// One way to compare objects: a kernel, of which the distance |φ(x) - φ(y)| is used.
/// [`NegativeSquaredDistance`](crate::distance::NegativeSquaredDistance) converts any distance to one.
pub struct Modality<X: ?Sized, K> {
    kernel: K,
    /// Whether each object has a value; `None` if all have.
    presence: Option<Presence<X>>,
}

/// A function that returns which objects have a value.
pub type Presence<X> = Arc<dyn Fn(&X) -> Vec<bool> + Send + Sync>;

impl<X: ?Sized, K> Modality<X, K> {
    /// Compares by the distance of a kernel.
    pub fn new(kernel: K) -> Self {
        Modality { kernel, presence: None }
    }

    /// The same for objects that may lack a value. The kernel must also accept objects without a value (as
    /// [`ZeroExtend`](crate::kernel::ZeroExtend) does); its values for them are ignored.
    #[must_use]
    pub fn with_presence(mut self, presence: Presence<X>) -> Self {
        self.presence = Some(presence);
        self
    }

    fn present(&self, objects: &X, count: usize) -> Vec<bool> {
        self.presence.as_ref().map_or_else(|| vec![true; count], |f| f(objects))
    }
}

/// The settings of a similarity kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReferenceSettings {
    /// The number of references; 0 for all training objects.
    pub references: usize,
    /// How references are chosen.
    pub choice: Choice,
    /// Which part of the Fisher information is used.
    pub fisher: Fisher,
    /// The random seed for choosing references.
    pub seed: u64,
}

impl Default for ReferenceSettings {
    /// All training objects, with the diagonal form.
    fn default() -> Self {
        ReferenceSettings { references: 0, choice: Choice::Random, fisher: Fisher::Diagonal, seed: 0 }
    }
}

/// The similarity kernel: the inner product of [Fisher vectors](FisherMap) of distances to references.
///
/// An object is represented by its distances d_k(x, s_i) to reference objects s_i, for each of several ways k to
/// compare objects (modalities). Every distance is centred at its mean over the training objects and scaled by its
/// standard deviation, or by the whole covariance. Missing values of a modality count as distances at the mean.
///
/// References are training objects, and preparing an object costs a distance to each of them in each modality. The
/// kernel is positive semidefinite for any distances.
///
/// ```
/// use mercer_core::data::{Dense, Vectors};
/// use mercer_core::distance::{Euclidean, NegativeSquaredDistance};
/// use mercer_core::gram::Engine;
/// use mercer_core::fitted::{FisherSimilarity, Modality, ReferenceSettings};
/// let x = Vectors::from(Dense::from_rows(&[[0.0], [1.0], [5.0]]));
/// let engine = Engine::new();
/// let by_distance = vec![Modality::new(NegativeSquaredDistance(Euclidean))];
/// let kernel = FisherSimilarity::fit(by_distance, &x, ReferenceSettings::default(), &engine)?;
/// let k = engine.gram(&kernel, &x)?;
/// assert!(k.at(0, 1) > k.at(0, 2)); // 0 is closer to 1 than to 5
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// B. Daróczy, K. Buza and A. A. Benczúr, *Similarity kernel learning*, 2015.
pub struct FisherSimilarity<X: ?Sized, K: Kernel<X>> {
    modalities: Vec<Modality<X, K>>,
    anchors: Vec<PreparedModality<K::Prepared>>,
    chosen: Vec<usize>,
    settings: ReferenceSettings,
    map: FisherMap,
    engine: Engine,
}

/// The references in one modality.
struct PreparedModality<P> {
    set: P,
    norms: Vec<f64>,
    present: Vec<bool>,
}

/// Facts about the similarity kernel.
#[doc(hidden)]
pub const SIMILARITY: Facts = Facts {
    name: "similarity",
    summary: "Objects represented by their distances to references, for one or more kernels or distances.",
    formula: "Σ over references s and distances d of u(x)·u(y), u(x) = (mean d(·, s) - d(x, s)) / sd d(·, s); full: uᵀ R⁻¹ u",
    takes: "kernels or distances, each optionally with columns; fitted to the training objects",
    kinds: &[],
    definiteness: Definiteness::PositiveSemidefinite,
    parameters: &[
        Parameter {
            name: "references",
            default: "0",
            domain: Domain::Whole(0, 1 << 24),
            doc: "number of training objects used as references; 0 for all",
            alias: None,
        },
        Parameter {
            name: "choice",
            default: "random",
            domain: Domain::Word(&["random", "farthest", "medoids"]),
            doc: "how references are chosen, unless all are used",
            alias: None,
        },
        Parameter {
            name: "fisher",
            default: "diagonal",
            domain: Domain::Word(&["diagonal", "full"]),
            doc: "scale distances by their standard deviations or by their full covariance",
            alias: None,
        },
        Parameter {
            name: "ridge",
            default: "0.01",
            domain: Domain::Positive,
            doc: "with fisher=full, the amount added to the diagonal of the correlations",
            alias: None,
        },
        Parameter {
            name: "channels",
            default: "together",
            domain: Domain::Word(&["together", "each"]),
            doc: "each: use a separate distance for each channel of series",
            alias: None,
        },
        Parameter {
            name: "missing",
            default: "refuse",
            domain: Domain::Word(&["refuse", "mean"]),
            doc: "objects without a value: refuse is an error, mean uses the mean distance to every reference",
            alias: None,
        },
        Parameter {
            name: "seed",
            default: "0",
            domain: Domain::Whole(0, 1 << 53),
            doc: "the random seed for choosing references",
            alias: None,
        },
    ],
    cost: "the number of features; preparing an object costs its distances to all references",
    reference: "Daróczy, Buza & Benczúr 2015, Similarity kernel learning",
    example: "similarity(rbf(gamma=0.1), delta, references=100)",
};

impl<X: Sync + ?Sized, K: Kernel<X>> FisherSimilarity<X, K> {
    /// Fits to training objects.
    pub fn fit(
        modalities: Vec<Modality<X, K>>,
        training: &X,
        settings: ReferenceSettings,
        engine: &Engine,
    ) -> Result<Self> {
        let sets = prepare_all(&modalities, training, engine)?;
        let n = sets.first().map_or(0, Prepared::len);
        let scales = OnceScales::default();
        let chosen = choose_references(n, settings.references, settings.choice, settings.seed, |i| {
            let rows = modalities.iter().zip(&sets).map(|(modality, set)| {
                let one = set.select(&[i]);
                let row = distances(&modality.kernel, &one, set, engine)?;
                Ok(row.into_values())
            });
            Ok(scales.combine(rows.collect::<Result<Vec<_>>>()?))
        })?;
        let anchors: Vec<_> = sets.iter().map(|set| set.select(&chosen)).collect();
        let known = all_distances(&modalities, &sets, &anchors, engine)?;
        let map = FisherMap::fit(&known, settings.fisher)?;
        Ok(FisherSimilarity { modalities, anchors, chosen, settings, map, engine: engine.kept() })
    }

    /// Restores an earlier fit to the same training objects from its references and its map.
    pub fn restore(
        modalities: Vec<Modality<X, K>>,
        training: &X,
        chosen: Vec<usize>,
        map: FisherMap,
        settings: ReferenceSettings,
        engine: &Engine,
    ) -> Result<Self> {
        let sets = prepare_all(&modalities, training, engine)?;
        let n = sets.first().map_or(0, Prepared::len);
        if chosen.iter().any(|&i| i >= n) || map.inputs() != chosen.len() * modalities.len() {
            return Err(Error::usage("the stored references are not among the training objects"));
        }
        let anchors = sets.iter().map(|set| set.select(&chosen)).collect();
        Ok(FisherSimilarity { modalities, anchors, chosen, settings, map, engine: engine.kept() })
    }

    /// The references, as positions among the training objects.
    pub fn references(&self) -> &[usize] {
        &self.chosen
    }

    /// The map from distances to features.
    pub fn map(&self) -> &FisherMap {
        &self.map
    }

    /// The Fisher vectors of objects: one row each, modality after modality, without constant distances.
    pub fn features(&self, objects: &X) -> Result<Dense> {
        let sets = prepare_all(&self.modalities, objects, &self.engine)?;
        self.map.features(&all_distances(&self.modalities, &sets, &self.anchors, &self.engine)?)
    }
}

/// Combines distances of several modalities, each scaled by its mean square in the first row requested.
#[derive(Default)]
#[doc(hidden)]
pub struct OnceScales(std::cell::OnceCell<Vec<f64>>);

impl OnceScales {
    /// One row of distances from a row of each modality; a missing distance counts as the mean.
    #[doc(hidden)]
    pub fn combine(&self, rows: Vec<Vec<f64>>) -> Vec<f64> {
        let mean_square = |row: &Vec<f64>| {
            let known = row.iter().filter(|d| !d.is_nan());
            let (sum, count) = known.fold((0.0, 0), |(s, c), d| (s + d * d, c + 1));
            if sum > 0.0 { sum / f64::from(count) } else { 1.0 }
        };
        let scales = self.0.get_or_init(|| rows.iter().map(mean_square).collect());
        let mut all = vec![0.0; rows.first().map_or(0, Vec::len)];
        for (row, scale) in rows.iter().zip(scales) {
            let term = |d: f64| if d.is_nan() { 1.0 } else { d * d / scale };
            all.iter_mut().zip(row).for_each(|(sum, d)| *sum += term(*d));
        }
        all.iter_mut().for_each(|v| *v = v.sqrt());
        all
    }
}

impl<P: Prepared> Prepared for PreparedModality<P> {
    fn len(&self) -> usize {
        self.norms.len()
    }

    fn select(&self, chosen: &[usize]) -> Self {
        PreparedModality {
            set: self.set.select(chosen),
            norms: self.norms.select(chosen),
            present: self.present.select(chosen),
        }
    }
}

fn prepare_all<X: Sync + ?Sized, K: Kernel<X>>(
    modalities: &[Modality<X, K>],
    objects: &X,
    engine: &Engine,
) -> Result<Vec<PreparedModality<K::Prepared>>> {
    let one = |modality: &Modality<X, K>| {
        let set = engine.prepare(&modality.kernel, objects)?;
        let norms = engine.diagonal_of(&modality.kernel, &set)?;
        let present = modality.present(objects, norms.len());
        Ok(PreparedModality { set, norms, present })
    };
    modalities.iter().map(one).collect()
}

/// The distances of objects to references in one modality; NaN if either has no value.
fn distances<X: ?Sized, K: Kernel<X>>(
    kernel: &K,
    objects: &PreparedModality<K::Prepared>,
    references: &PreparedModality<K::Prepared>,
    engine: &Engine,
) -> Result<Dense> {
    let cross = engine.cross_of(kernel, &objects.set, &references.set)?;
    let mut out = operations::squared_cross_distances(&cross, &objects.norms, &references.norms)?;
    for (i, &here) in objects.present.iter().enumerate() {
        for (v, &there) in out.row_mut(i).iter_mut().zip(&references.present) {
            *v = if here && there { v.max(0.0).sqrt() } else { f64::NAN };
        }
    }
    Ok(out)
}

/// The distances of all modalities, concatenated.
fn all_distances<X: ?Sized, K: Kernel<X>>(
    modalities: &[Modality<X, K>],
    objects: &[PreparedModality<K::Prepared>],
    references: &[PreparedModality<K::Prepared>],
    engine: &Engine,
) -> Result<Dense> {
    let parts = modalities.iter().zip(objects).zip(references);
    let parts = parts.map(|((m, o), r)| distances(&m.kernel, o, r, engine));
    Ok(hstack(&parts.collect::<Result<Vec<_>>>()?))
}

/// The horizontal concatenation of matrices with equal numbers of rows.
#[doc(hidden)]
pub fn hstack(parts: &[Dense]) -> Dense {
    let rows = parts.first().map_or(0, Dense::rows);
    let mut out = Dense::zeros(rows, parts.iter().map(Dense::cols).sum());
    for i in 0..rows {
        let mut at = 0;
        for part in parts {
            out.row_mut(i)[at..at + part.cols()].copy_from_slice(part.row(i));
            at += part.cols();
        }
    }
    out
}

impl<X: ?Sized, K: Kernel<X>> fmt::Display for FisherSimilarity<X, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("similarity(")?;
        self.modalities.iter().try_for_each(|m| write!(f, "{}, ", m.kernel))?;
        let ReferenceSettings { references, choice, fisher, seed } = self.settings;
        let choice = match choice {
            Choice::Random => "random",
            Choice::Farthest => "farthest",
            Choice::Medoids => "medoids",
        };
        let (fisher, ridge) = match fisher {
            Fisher::Diagonal => ("diagonal", 0.01),
            Fisher::Full { ridge } => ("full", ridge),
        };
        let missing = if self.modalities.iter().any(|m| m.presence.is_some()) { "mean" } else { "refuse" };
        write!(
            f,
            "references={references}, choice={choice}, fisher={fisher}, ridge={ridge}, channels=together, missing={missing}, seed={seed})"
        )
    }
}

impl<X: Sync + ?Sized, K: Kernel<X>> Kernel<X> for FisherSimilarity<X, K> {
    type Prepared = PreparedVectors;

    fn prepare(&self, objects: &X) -> Result<Self::Prepared> {
        Linear.prepare(&Vectors::from(self.features(objects)?))
    }

    inner_products!();

    fn is_transductive(&self) -> bool {
        self.modalities.iter().any(|m| m.kernel.is_transductive())
    }
}
