//! Typed models: the result of a learner's typed `fit`, with kernel, objects and labels.

mod fit;
mod proof;
#[cfg(test)]
mod tests;

use std::fmt;
use std::marker::PhantomData;

use super::learner::{ModelOutput, PredictFrom, Predictor};
use super::svm::{Certificate, ProbabilisticSvcModel};
use super::trained::reason;
use super::{KernelPcaModel, Posterior, ProcessModel, normal_samples};
use crate::data::{Dense, FeatureRows};
use crate::error::{Error, Result, Warning};
use crate::gram::Engine;
use crate::solve::Stop;
use crate::traits::{Definiteness, Kernel, Prepared};

pub(super) use fit::{fit_labels, fit_numbers, fit_objects};
#[doc(hidden)]
pub use proof::{MOST_CHECKED, check_curvature};

/// Entries of the cross matrix held at the same time: 64 MB.
const ENTRIES: usize = 1 << 23;
/// The minimum and maximum number of objects predicted together.
const FEWEST: usize = 64;
const MOST: usize = 8192;

/// A fitted model: a kernel, the prepared training objects it needs, and the trained model.
///
/// * `X`: the objects, such as [`Vectors`](crate::data::Vectors).
/// * `K`: the kernel, cloned into the model.
/// * `M`: the trained model, such as [`SvcModel`](super::svm::SvcModel).
/// * `P`: [`ClassLabels`] for classification, otherwise [`Unlabelled`].
///
/// Of the training objects only the support is kept, prepared once. New objects are processed in batches, so that
/// memory does not grow with their number. Results are identical to the bit for any number of threads. Time to predict:
/// one kernel value for each new object and each object of the support.
///
/// ```
/// use mercer_core::data::{Dense, Vectors};
/// use mercer_core::{Rbf, Svc};
/// let x = Vectors::from(Dense::from_rows(&[[0.0, 0.1], [0.2, 0.0], [1.0, 0.9], [0.8, 1.1]]));
/// let model = Svc::new(1.0).fit(&Rbf::new(1.0)?, &x, &["low", "low", "high", "high"])?;
/// let new = Vectors::from(Dense::from_rows(&[[0.1, 0.1], [1.0, 1.0]]));
/// assert_eq!(model.predict(&new)?, ["low", "high"]);
/// assert_eq!(model.classes(), ["high", "low"]);
/// assert!(model.is_converged());
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub struct KernelModel<X: ?Sized, K: Kernel<X>, M, P> {
    kernel: K,
    /// The prepared objects of the support; `None` if the model predicts from features.
    kept: Option<K::Prepared>,
    support: Vec<usize>,
    trained: M,
    predicts: P,
    engine: Engine,
    objects: PhantomData<fn(&X)>,
}

/// A model that predicts labels.
pub type Classifier<X, K, M, L> = KernelModel<X, K, M, ClassLabels<L>>;

/// A model whose predictions need no labels: numbers, membership, clusters or coordinates.
pub type Regressor<X, K, M> = KernelModel<X, K, M, Unlabelled>;

/// Labels of any ordered type, ascending: class code c is the c-th label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassLabels<L>(Vec<L>);

/// No labels: predictions are those of the trained model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unlabelled;

impl<X: ?Sized, K: Kernel<X>, M: fmt::Debug, P: fmt::Debug> fmt::Debug for KernelModel<X, K, M, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KernelModel")
            .field("kernel", &format_args!("{}", self.kernel))
            .field("support", &self.support)
            .field("model", &self.trained)
            .field("predicts", &self.predicts)
            .finish_non_exhaustive()
    }
}

impl<X: ?Sized, K: Kernel<X>, M: Predictor, P> KernelModel<X, K, M, P> {
    /// The kernel.
    pub fn kernel(&self) -> &K {
        &self.kernel
    }

    /// The trained model, whose training objects are numbered by their position in [`support`](Self::support).
    pub fn fitted(&self) -> &M {
        &self.trained
    }

    /// The training objects needed for prediction, ascending; empty for linear models, which only need features.
    pub fn support(&self) -> &[usize] {
        &self.support
    }

    /// The optimality certificate of each support vector machine, one per binary classifier; empty for other learners.
    pub fn certificates(&self) -> Vec<&Certificate> {
        self.trained.certificates()
    }

    /// The weakest of the [certificates](Self::certificates): one that did not converge, or else the one with the
    /// largest relative gap.
    pub fn certificate(&self) -> Option<&Certificate> {
        let weaker = |a: &&Certificate, b: &&Certificate| {
            let gaps = a.relative_gap().total_cmp(&b.relative_gap());
            b.converged().cmp(&a.converged()).then(gaps)
        };
        self.certificates().into_iter().max_by(weaker)
    }

    /// Whether every solver finished.
    pub fn is_converged(&self) -> bool {
        self.trained.stops().into_iter().all(Stop::is_done)
    }

    /// Whether the kernel was fitted to every object it can compare, including those to be predicted: see
    /// [`Kernel::is_transductive`].
    pub fn is_transductive(&self) -> bool {
        self.kernel.is_transductive()
    }

    /// Warnings about solvers that stopped early, a matrix not known to be positive semidefinite, and a ν without
    /// margin.
    pub fn warnings(&self) -> Vec<Warning> {
        let stops = self.trained.stops();
        let early = stops.iter().enumerate().filter(|(_, stop)| !stop.is_done());
        let early = early.map(|(i, stop)| {
            Warning::new("W_NOT_CONVERGED", format!("solver {}: stopped early, {}", i + 1, reason(*stop)))
        });
        let indefinite = stops.contains(&Stop::Stationary).then(|| {
            let message = "the kernel is not known to be positive semidefinite on these objects: the solution satisfies the optimality \
                           conditions, but there may be better ones";
            Warning::new("W_INDEFINITE", message.to_owned())
        });
        let marginless = self.certificates().iter().any(|c| c.no_margin).then(|| {
            let message = "nu leaves no margin between the classes: decision values carry no information; use a larger nu, or C instead";
            Warning::new("W_NO_MARGIN", message.to_owned())
        });
        early.chain(indefinite).chain(marginless).collect()
    }

    /// Sets the engine for predictions: its threads and its budget.
    #[must_use]
    pub fn with_engine(mut self, engine: Engine) -> Self {
        self.engine = engine;
        self
    }
}

impl<X: Sync + ?Sized, K: Kernel<X>, M: Predictor, P> KernelModel<X, K, M, P> {
    /// The decision values of new objects: one row per object, one column per binary classifier, class, cluster or
    /// component.
    ///
    /// A classifier of two classes has one column, above 0 for the second class. A support vector machine has one
    /// column per pair of classes (a, b), above 0 for b, or one per class against the rest. Nearest neighbours give the
    /// share of each class, k-means the distance from each cluster, one-class models a value of at least 0 inside the
    /// region, regression its numbers.
    pub fn decision_function(&self, objects: &X) -> Result<Dense> {
        Ok(self.predicted(objects)?.decisions)
    }

    fn predicted(&self, objects: &X) -> Result<ModelOutput<M::Output>> {
        let set = self.engine.prepare(&self.kernel, objects)?;
        if M::FROM_FEATURES {
            let rows = features_of(&self.kernel, &set)?;
            let trained = &self.trained;
            return self.engine.run(|| trained.predict_from(&PredictFrom::Features(rows)));
        }
        let step = match self.trained.neighbours_needed() {
            Some(_) => MOST,
            None => (ENTRIES / self.support.len().max(1)).clamp(FEWEST, MOST),
        };
        let n = set.len();
        if n <= step {
            return self.part(&set);
        }
        let (mut values, mut decisions, mut width) = (Vec::with_capacity(n), Vec::new(), 0);
        for start in (0..n).step_by(step) {
            let chosen: Vec<usize> = (start..(start + step).min(n)).collect();
            let part = self.part(&set.select(&chosen)).map_err(|e| shifted(e, start))?;
            values.extend(part.values);
            width = part.decisions.cols();
            decisions.extend_from_slice(part.decisions.values());
        }
        Ok(ModelOutput { values, decisions: Dense::new(n, width, decisions)? })
    }

    /// Predictions for a batch of prepared objects.
    fn part(&self, set: &K::Prepared) -> Result<ModelOutput<M::Output>> {
        let kept = self.kept.as_ref().ok_or_else(|| Error::usage("the model holds no training objects"))?;
        let own = match self.trained.needs_self_similarities() {
            true => Some(self.engine.diagonal_of(&self.kernel, set)?),
            false => None,
        };
        if let Some(needed) = self.trained.neighbours_needed() {
            let near = self.engine.nearest_of(&self.kernel, set, kept, needed)?;
            let trained = &self.trained;
            let from = PredictFrom::Neighbours { near: &near, own: own.as_deref() };
            return self.engine.run(|| trained.predict_from(&from));
        }
        let cross = self.engine.cross_of(&self.kernel, set, kept)?;
        let from = PredictFrom::Similarities { cross: &cross, own: own.as_deref() };
        let trained = &self.trained;
        self.engine.run(|| trained.predict_from(&from))
    }
}

impl<X, K, M, L> KernelModel<X, K, M, ClassLabels<L>>
where
    X: Sync + ?Sized,
    K: Kernel<X>,
    M: Predictor<Output = usize>,
    L: Clone,
{
    /// The label of each new object.
    pub fn predict(&self, objects: &X) -> Result<Vec<L>> {
        let codes = self.predicted(objects)?.values;
        let label = |code: usize| {
            let label = self.predicts.0.get(code).cloned();
            label.ok_or_else(|| Error::usage(format!("the model has no class {code} (from 0)")))
        };
        codes.into_iter().map(label).collect()
    }

    /// The labels that occurred in training, ascending. This is the order of classes in
    /// [`decision_function`](KernelModel::decision_function).
    pub fn classes(&self) -> &[L] {
        &self.predicts.0
    }
}

impl<X: Sync + ?Sized, K: Kernel<X>, M: Predictor> KernelModel<X, K, M, Unlabelled> {
    /// The prediction for each new object: a number, membership in a region, a cluster, or coordinates.
    pub fn predict(&self, objects: &X) -> Result<Vec<M::Output>> {
        Ok(self.predicted(objects)?.values)
    }
}

impl<X: Sync + ?Sized, K: Kernel<X>> KernelModel<X, K, KernelPcaModel, Unlabelled> {
    /// The coordinates of new objects along the components, one row per object.
    pub fn transform(&self, objects: &X) -> Result<Dense> {
        self.decision_function(objects)
    }
}

impl<X: Sync + ?Sized, K: Kernel<X>, M: ProcessModel + Predictor<Output = f64>>
    KernelModel<X, K, M, Unlabelled>
{
    /// The mean and the variance of the function at each new object, without noise.
    pub fn posterior(&self, objects: &X) -> Result<Posterior> {
        let ModelOutput { values, decisions } = self.predicted(objects)?;
        let variances = (0..values.len()).map(|i| decisions.at(i, 1)).collect();
        Ok(Posterior { means: values, variances })
    }

    /// The mean for each new object, and the standard deviation of its observation, noise included.
    pub fn predict_with_deviation(&self, objects: &X) -> Result<(Vec<f64>, Vec<f64>)> {
        let posterior = self.posterior(objects)?;
        let deviations = posterior.deviations(self.trained.noise());
        Ok((posterior.means, deviations))
    }

    /// The means for new objects and the covariance of the function between them, without noise.
    pub fn predict_joint(&self, objects: &X) -> Result<(Vec<f64>, Dense)> {
        let set = self.engine.prepare(&self.kernel, objects)?;
        let kept = self.kept.as_ref().ok_or_else(|| Error::usage("the model holds no training objects"))?;
        let cross = self.engine.cross_of(&self.kernel, &set, kept)?;
        let own = self.engine.gram_of(&self.kernel, &set)?;
        let trained = &self.trained;
        self.engine.run(|| trained.joint(&cross, &own))
    }

    /// Functions drawn from the posterior, at new objects: one row per draw, the same for the same seed.
    pub fn sample(&self, objects: &X, count: usize, seed: u64) -> Result<Dense> {
        let (means, covariance) = self.predict_joint(objects)?;
        self.engine.run(|| normal_samples(&means, &covariance, count, seed))
    }
}

impl<X: Sync + ?Sized, K: Kernel<X>, L> KernelModel<X, K, ProbabilisticSvcModel, ClassLabels<L>> {
    /// The probability of each class (columns, as in [`classes`](KernelModel::classes)) for each new object (rows).
    ///
    /// Every row sums to 1. The most probable class is not always the predicted one, which is decided by votes.
    pub fn predict_probability(&self, objects: &X) -> Result<Dense> {
        let decisions = self.decision_function(objects)?;
        let trained = &self.trained;
        self.engine.run(|| trained.probabilities(&decisions))
    }
}

/// The features of prepared objects, or an error naming kernels that have some.
fn features_of<'a, X: ?Sized, K: Kernel<X>>(kernel: &K, set: &'a K::Prepared) -> Result<FeatureRows<'a>> {
    kernel.rows(set)?.ok_or_else(|| Error::Param {
        name: "kernel".into(),
        value: kernel.to_string(),
        domain: "one with explicit features, such as linear or a Nyström approximation: linear models learn from features"
            .into(),
    })
}

/// Converts the object index of an error from a batch to the whole set.
fn shifted(error: Error, by: usize) -> Error {
    match error {
        Error::NonFinite { row, col, overflow } => Error::NonFinite { row: row + by, col, overflow },
        other => other.of_object(|i| i + by),
    }
}

/// Whether duality gaps are valid bounds, which requires a positive semidefinite matrix.
fn is_definite<X: ?Sized, K: Kernel<X>>(kernel: &K) -> bool {
    kernel.definiteness() == Definiteness::PositiveSemidefinite
}
