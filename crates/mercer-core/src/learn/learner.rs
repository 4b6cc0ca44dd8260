//! The traits [`Learner`] and [`Predictor`], and the types they exchange.

use std::borrow::Cow;

use super::rows::Rows;
use super::svm::Certificate;
use super::targets::{column, finite};
use crate::budget::Budget;
use crate::data::{Dense, FeatureRows};
use crate::error::{Error, Result};
use crate::gram::{Engine, Nearest, NeighboursNeeded};
use crate::solve::{Columns, Stop};

/// Classes as codes from 0, the form in which solvers receive labels.
///
/// ```
/// use mercer_core::learn::ClassCodes;
/// let (classes, codes) = ClassCodes::of_labels(&["spam", "ham", "spam"]);
/// assert_eq!(classes, ["ham", "spam"]);
/// assert_eq!((codes.codes(), codes.classes()), (&[1, 0, 1][..], 2));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassCodes {
    codes: Vec<usize>,
    classes: usize,
}

impl ClassCodes {
    /// The code of each object and the number of classes. Learners check that every code is below this number.
    pub fn new(codes: impl Into<Vec<usize>>, classes: usize) -> Self {
        ClassCodes { codes: codes.into(), classes }
    }

    /// The distinct labels, ascending, and the position of each object's label among them. Time O(n log n).
    pub fn of_labels<L: Ord + Clone>(labels: &[L]) -> (Vec<L>, Self) {
        let mut order: Vec<&L> = labels.iter().collect();
        order.sort();
        order.dedup();
        let codes: Vec<usize> =
            labels.iter().map(|label| order.partition_point(|class| *class < label)).collect();
        let classes: Vec<L> = order.into_iter().cloned().collect();
        let count = classes.len();
        (classes, ClassCodes { codes, classes: count })
    }

    /// The code of each object.
    pub fn codes(&self) -> &[usize] {
        &self.codes
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }
}

/// A learner: its parameters, and how to fit it to similarities or features.
///
/// `T` is the target: [`ClassCodes`], `[f64]`, or `()` without a target. A learner accepts similarities or explicit
/// features and rejects the other. Every learner also has a typed `fit(&kernel, &objects, …)`, which calls this one and
/// returns a [`KernelModel`](super::KernelModel).
///
/// ```
/// use mercer_core::data::Dense;
/// use mercer_core::learn::{ClassCodes, Learner, Perceptron};
/// use mercer_core::solve::GramColumns;
/// let gram = Dense::from_rows(&[[1.0, -2.0], [-2.0, 4.0]]); // the points 1 and -2 on a line
/// let model = Perceptron::new(10).fit_columns(&GramColumns::new(&gram)?, &ClassCodes::new([1, 0], 2))?;
/// assert_eq!(model.predict(&gram)?, [1, 0]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub trait Learner<T: ?Sized> {
    /// The fitted model.
    type Model: Predictor;

    /// Fits to similarities: a Gram matrix in memory, or rows computed on demand. Fails on parameters outside their
    /// domain and on targets that do not match.
    fn fit_columns(&self, _columns: &dyn Columns, _target: &T) -> Result<Self::Model> {
        Err(Error::usage("this learner learns from features, not from similarities"))
    }

    /// Fits to explicit features, one row per object.
    fn fit_features(&self, _rows: FeatureRows<'_>, _target: &T) -> Result<Self::Model> {
        Err(Error::usage("this learner learns from similarities, not from features"))
    }
}

/// A fitted model. It predicts new objects from their similarities to training objects, or from their features.
pub trait Predictor: Sized + Clone + Send + Sync {
    /// The prediction for one object: a class code, a number, membership, a cluster or coordinates.
    type Output: Send;

    /// Whether it predicts from explicit features, without training objects.
    const FROM_FEATURES: bool = false;

    /// Predicts new objects. Fails on input of the wrong kind or shape, and on overflow.
    fn predict_from(&self, new: &PredictFrom<'_>) -> Result<ModelOutput<Self::Output>>;

    /// The same model restricted to the training objects it needs, and their indices, ascending. These are then the
    /// columns of [`PredictFrom::Similarities`].
    fn compact(self) -> Result<(Self, Vec<usize>)>;

    /// Whether prediction needs the self-similarities of new objects.
    fn needs_self_similarities(&self) -> bool {
        false
    }

    /// The neighbours it predicts from, for a model that needs no other similarities: these are
    /// [`PredictFrom::Neighbours`].
    fn neighbours_needed(&self) -> Option<NeighboursNeeded<'_>> {
        None
    }

    /// The optimality certificate of each support vector machine in the model; empty for other learners.
    fn certificates(&self) -> Vec<&Certificate> {
        Vec::new()
    }

    /// Why each solver stopped; empty for closed-form solutions.
    fn stops(&self) -> Vec<Stop> {
        self.certificates().into_iter().map(|c| c.stop).collect()
    }

    /// The same model without proofs of optimality, for matrices not known to be positive semidefinite.
    #[must_use]
    fn unproved(self) -> Self {
        self
    }
}

/// The input of a prediction.
#[derive(Clone, Copy, Debug)]
pub enum PredictFrom<'a> {
    /// Similarities of new objects (rows) to training objects (columns), and k(x, x) of new objects where a model
    /// [needs it](Predictor::needs_self_similarities).
    Similarities {
        /// The cross matrix.
        cross: &'a Dense,
        /// The self-similarities of the new objects.
        own: Option<&'a [f64]>,
    },
    /// The neighbours of new objects among the training objects, for models that
    /// [need no more](Predictor::neighbours_needed), and k(x, x) of new objects as above.
    Neighbours {
        /// The nearest training objects of each new object.
        near: &'a Nearest,
        /// The self-similarities of the new objects.
        own: Option<&'a [f64]>,
    },
    /// Explicit features of new objects, one row each.
    Features(FeatureRows<'a>),
}

impl<'a> PredictFrom<'a> {
    /// The cross matrix and the self-similarities, or an error.
    pub fn similarities(&self) -> Result<(&'a Dense, Option<&'a [f64]>)> {
        match self {
            PredictFrom::Similarities { cross, own } => Ok((cross, *own)),
            PredictFrom::Neighbours { .. } => {
                Err(Error::usage("this model predicts from all similarities, not from neighbours"))
            }
            PredictFrom::Features(_) => {
                Err(Error::usage("this model predicts from similarities, not from features"))
            }
        }
    }

    /// The features, or an error.
    pub fn features(&self) -> Result<FeatureRows<'a>> {
        match self {
            PredictFrom::Features(rows) => Ok(*rows),
            PredictFrom::Similarities { .. } | PredictFrom::Neighbours { .. } => {
                Err(Error::usage("a linear model predicts from features, not from similarities"))
            }
        }
    }
}

/// Predictions and the decision values behind them.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelOutput<O> {
    /// The prediction for each object.
    pub values: Vec<O>,
    /// One row per object: the value of each binary classifier, the share of each class, the distance from each
    /// cluster, or coordinates; for regression, the predicted numbers.
    pub decisions: Dense,
}

impl ModelOutput<f64> {
    /// Predicted numbers, which must be finite.
    pub(super) fn numbers(values: Vec<f64>) -> Result<Self> {
        let decisions = finite(column(&values)?)?;
        Ok(ModelOutput { values, decisions })
    }
}

/// Removes the proof of optimality: see [`Predictor::unproved`].
pub(super) fn take_back(certificate: &mut Certificate) {
    if matches!(certificate.stop, Stop::Converged(_) | Stop::WideGap) {
        certificate.stop = Stop::Stationary;
    }
}

/// Resources of a learner: the engine of its typed fit, and a budget in addition to that of the thread.
#[derive(Clone, Debug, Default)]
pub(super) struct Resources {
    pub(super) engine: Option<Engine>,
    pub(super) budget: Budget,
}

/// Results do not depend on threads and memory, so learners that differ only in these are equal.
impl PartialEq for Resources {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Resources {
    /// The chosen engine, or one that uses all cores.
    pub(super) fn engine(&self) -> Cow<'_, Engine> {
        self.engine.as_ref().map_or_else(|| Cow::Owned(Engine::new()), Cow::Borrowed)
    }

    /// Rows computed on demand, until the budget is stopped.
    pub(super) fn rows<'a>(&self, columns: &'a dyn Columns) -> Result<Rows<'a>> {
        Ok(Rows::new(columns)?.stopped_by(&self.budget))
    }
}

/// Learners on Gram matrices, for tests.
#[cfg(test)]
pub(super) mod on_gram {
    use super::{ClassCodes, Learner};
    use crate::data::Dense;
    use crate::error::Result;
    use crate::solve::GramColumns;

    pub(in super::super) trait OnGram {
        fn fit_codes(
            &self,
            gram: &Dense,
            codes: &[usize],
            classes: usize,
        ) -> Result<<Self as Learner<ClassCodes>>::Model>
        where
            Self: Learner<ClassCodes>,
        {
            self.fit_columns(&GramColumns::new(gram)?, &ClassCodes::new(codes, classes))
        }

        fn on_values(&self, gram: &Dense, target: &[f64]) -> Result<<Self as Learner<[f64]>>::Model>
        where
            Self: Learner<[f64]>,
        {
            self.fit_columns(&GramColumns::new(gram)?, target)
        }

        fn fit_alone(&self, gram: &Dense) -> Result<<Self as Learner<()>>::Model>
        where
            Self: Learner<()>,
        {
            self.fit_columns(&GramColumns::new(gram)?, &())
        }
    }

    impl<S> OnGram for S {}
}
