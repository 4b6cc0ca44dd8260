//! Fitted models that know their kernel, their objects and their labels: what a learner's typed `fit` gives.

mod fit;
mod proof;
#[cfg(test)]
mod tests;

use std::fmt;
use std::marker::PhantomData;

use super::KernelPcaMachine;
use super::learner::{MachineOutput, PredictFrom, Predictor};
use super::svm::{Certificate, ProbabilisticSvcMachine};
use super::trained::reason;
use crate::data::{Dense, FeatureRows};
use crate::error::{Error, Result, Warning};
use crate::gram::Engine;
use crate::solve::Stop;
use crate::traits::{Definiteness, Kernel, Prepared};

pub(super) use fit::{fit_labels, fit_numbers, fit_objects};
#[doc(hidden)]
pub use proof::{MOST_CHECKED, check_curvature};

/// Entries of the cross matrix held at once: 64 MB.
const ENTRIES: usize = 1 << 23;
/// The fewest and the most objects predicted at once.
const FEWEST: usize = 64;
const MOST: usize = 8192;

/// A fitted model: a kernel, the prepared training objects it needs, and the machine that predicts.
///
/// * `X`: the objects, such as [`Vectors`](crate::data::Vectors).
/// * `K`: the kernel, of which the model has a clone.
/// * `M`: the machine, such as [`SvcMachine`](super::svm::SvcMachine).
/// * `P`: [`ClassLabels`] where classes are predicted, otherwise [`Unlabelled`].
///
/// Of the training objects the support alone is kept, prepared once. New objects are taken some at a time, so that memory does not
/// grow with their number. Results are the same bit for bit on any number of threads. Time to predict: a value of the kernel for
/// each new object and each object of the support.
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
    /// The prepared objects of the support; nothing where the machine predicts from features.
    kept: Option<K::Prepared>,
    support: Vec<usize>,
    machine: M,
    predicts: P,
    engine: Engine,
    objects: PhantomData<fn(&X)>,
}

/// A model that predicts labels.
pub type Classifier<X, K, M, L> = KernelModel<X, K, M, ClassLabels<L>>;

/// A model that predicts what its machine does: numbers, membership, clusters or coordinates.
pub type Regressor<X, K, M> = KernelModel<X, K, M, Unlabelled>;

/// Labels of any ordered type, ascending: the class of code c is the c-th.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassLabels<L>(Vec<L>);

/// No labels: predictions are what the machine gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unlabelled;

impl<X: ?Sized, K: Kernel<X>, M: fmt::Debug, P: fmt::Debug> fmt::Debug for KernelModel<X, K, M, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KernelModel")
            .field("kernel", &format_args!("{}", self.kernel))
            .field("support", &self.support)
            .field("machine", &self.machine)
            .field("predicts", &self.predicts)
            .finish_non_exhaustive()
    }
}

impl<X: ?Sized, K: Kernel<X>, M: Predictor, P> KernelModel<X, K, M, P> {
    /// The kernel.
    pub fn kernel(&self) -> &K {
        &self.kernel
    }

    /// The machine, whose training objects are numbered by their place in [`support`](Self::support).
    pub fn machine(&self) -> &M {
        &self.machine
    }

    /// The training objects that predictions need, ascending; none for linear machines, which need features alone.
    pub fn support(&self) -> &[usize] {
        &self.support
    }

    /// What the fit of each support vector machine can prove about itself, one per binary classifier; empty for other learners.
    pub fn certificates(&self) -> Vec<&Certificate> {
        self.machine.certificates()
    }

    /// The weakest of the [certificates](Self::certificates): one that did not converge, then the one of the widest relative gap.
    pub fn certificate(&self) -> Option<&Certificate> {
        let weaker = |a: &&Certificate, b: &&Certificate| {
            let gaps = a.relative_gap().total_cmp(&b.relative_gap());
            b.converged().cmp(&a.converged()).then(gaps)
        };
        self.certificates().into_iter().max_by(weaker)
    }

    /// Whether every solver ended because it was done.
    pub fn is_converged(&self) -> bool {
        self.machine.stops().into_iter().all(Stop::is_done)
    }

    /// Whether the kernel was fitted to every object it can compare, those to be predicted too: see [`Kernel::is_transductive`].
    pub fn is_transductive(&self) -> bool {
        self.kernel.is_transductive()
    }

    /// Solvers that stopped early, a matrix that is not known to be positive semidefinite, a ν that leaves no margin.
    pub fn warnings(&self) -> Vec<Warning> {
        let stops = self.machine.stops();
        let early = stops.iter().enumerate().filter(|(_, stop)| !stop.is_done());
        let early = early.map(|(i, stop)| {
            Warning::new("W_NOT_CONVERGED", format!("solver {}: stopped early, {}", i + 1, reason(*stop)))
        });
        let indefinite = stops.contains(&Stop::Stationary).then(|| {
            let message = "the kernel is not known to be positive semidefinite on these objects: the solution meets the optimality \
                           conditions, but there may be better ones";
            Warning::new("W_INDEFINITE", message.to_owned())
        });
        let marginless = self.certificates().iter().any(|c| c.no_margin).then(|| {
            let message = "nu leaves no margin between the classes: decision values carry no information; use a larger nu, or C";
            Warning::new("W_NO_MARGIN", message.to_owned())
        });
        early.chain(indefinite).chain(marginless).collect()
    }

    /// The same model, whose predictions work on another engine: other threads, another budget.
    #[must_use]
    pub fn with_engine(mut self, engine: Engine) -> Self {
        self.engine = engine;
        self
    }
}

impl<X: Sync + ?Sized, K: Kernel<X>, M: Predictor, P> KernelModel<X, K, M, P> {
    /// The decision values of new objects: a row per object, and a column per binary classifier, class, cluster or component.
    ///
    /// Classifiers of two classes have one column, above 0 for the second class. A support vector machine has a column per pair of
    /// classes (a, b), above 0 for b, or one per class against the rest. Nearest neighbours give the share of each class, k-means the
    /// distance from each cluster, one-class machines a value of at least 0 inside the region, regression its numbers.
    pub fn decision_function(&self, objects: &X) -> Result<Dense> {
        Ok(self.predicted(objects)?.decisions)
    }

    fn predicted(&self, objects: &X) -> Result<MachineOutput<M::Output>> {
        let set = self.engine.prepare(&self.kernel, objects)?;
        if M::FROM_FEATURES {
            let rows = features_of(&self.kernel, &set)?;
            let machine = &self.machine;
            return self.engine.run(|| machine.predict_from(&PredictFrom::Features(rows)));
        }
        let (n, step) = (set.len(), (ENTRIES / self.support.len().max(1)).clamp(FEWEST, MOST));
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
        Ok(MachineOutput { values, decisions: Dense::new(n, width, decisions)? })
    }

    /// Predictions for some prepared objects.
    fn part(&self, set: &K::Prepared) -> Result<MachineOutput<M::Output>> {
        let kept = self.kept.as_ref().ok_or_else(|| Error::usage("no training objects were kept"))?;
        let cross = self.engine.cross_of(&self.kernel, set, kept)?;
        let own = match self.machine.needs_self_similarities() {
            true => Some(self.engine.diagonal_of(&self.kernel, set)?),
            false => None,
        };
        let from = PredictFrom::Similarities { cross: &cross, own: own.as_deref() };
        let machine = &self.machine;
        self.engine.run(|| machine.predict_from(&from))
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
            label.ok_or_else(|| Error::usage(format!("class {code} (from 0) is not one of the model's")))
        };
        codes.into_iter().map(label).collect()
    }

    /// The labels that occurred in training, ascending: the order of classes in [`decision_function`](KernelModel::decision_function).
    pub fn classes(&self) -> &[L] {
        &self.predicts.0
    }
}

impl<X: Sync + ?Sized, K: Kernel<X>, M: Predictor> KernelModel<X, K, M, Unlabelled> {
    /// What the machine predicts of each new object: a number, whether it lies inside a region, its cluster, its coordinates.
    pub fn predict(&self, objects: &X) -> Result<Vec<M::Output>> {
        Ok(self.predicted(objects)?.values)
    }
}

impl<X: Sync + ?Sized, K: Kernel<X>> KernelModel<X, K, KernelPcaMachine, Unlabelled> {
    /// The coordinates of new objects along the components: a row per object.
    pub fn transform(&self, objects: &X) -> Result<Dense> {
        self.decision_function(objects)
    }
}

impl<X: Sync + ?Sized, K: Kernel<X>, L> KernelModel<X, K, ProbabilisticSvcMachine, ClassLabels<L>> {
    /// The probability of each class (columns, as in [`classes`](KernelModel::classes)) for each new object (rows).
    ///
    /// Every row adds up to 1. The most probable class is not always the predicted one, which goes by votes.
    pub fn predict_probability(&self, objects: &X) -> Result<Dense> {
        let decisions = self.decision_function(objects)?;
        let machine = &self.machine;
        self.engine.run(|| machine.probabilities(&decisions))
    }
}

/// The features of prepared objects, or an error that says which kernels have some.
fn features_of<'a, X: ?Sized, K: Kernel<X>>(kernel: &K, set: &'a K::Prepared) -> Result<FeatureRows<'a>> {
    kernel.rows(set)?.ok_or_else(|| Error::Param {
        name: "kernel".into(),
        value: kernel.to_string(),
        domain: "one whose features are explicit, such as linear or a Nyström approximation: linear machines learn from features"
            .into(),
    })
}

/// The error of an object of a part as one of the whole.
fn shifted(error: Error, by: usize) -> Error {
    match error {
        Error::NonFinite { row, col, overflow } => Error::NonFinite { row: row + by, col, overflow },
        other => other.of_object(|i| i + by),
    }
}

/// Whether duality gaps prove something: they need a positive semidefinite matrix.
fn is_definite<X: ?Sized, K: Kernel<X>>(kernel: &K) -> bool {
    kernel.definiteness() == Definiteness::PositiveSemidefinite
}
