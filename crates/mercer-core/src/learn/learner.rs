//! What learners have in common: the traits [`Learner`] and [`Predictor`], and what passes between them.

use std::borrow::Cow;

use super::rows::Rows;
use super::svm::Certificate;
use super::targets::{column, finite};
use crate::budget::Budget;
use crate::data::{Dense, FeatureRows};
use crate::error::{Error, Result};
use crate::gram::Engine;
use crate::solve::{Columns, Stop};

/// Classes as codes from 0: all that a solver sees of labels.
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
    /// The code of each object, and the number of classes: learners check that codes are below it.
    pub fn new(codes: impl Into<Vec<usize>>, classes: usize) -> Self {
        ClassCodes { codes: codes.into(), classes }
    }

    /// The labels that occur, ascending, and the place of each object's label among them. Time O(n log n).
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

/// A learner: its parameters, and how it is fitted to what a solver sees of objects.
///
/// `T` is the target: [`ClassCodes`], `[f64]`, or `()` where there is none. A learner takes similarities or explicit features; the
/// other kind is refused. Every learner also has a typed `fit(&kernel, &objects, …)`, which calls this one and gives a
/// [`KernelModel`](super::KernelModel).
///
/// ```
/// use mercer_core::data::Dense;
/// use mercer_core::learn::{ClassCodes, Learner, Perceptron};
/// use mercer_core::solve::GramColumns;
/// let gram = Dense::from_rows(&[[1.0, -2.0], [-2.0, 4.0]]); // the points 1 and -2 on a line
/// let machine = Perceptron::new(10).fit_columns(&GramColumns::new(&gram)?, &ClassCodes::new([1, 0], 2))?;
/// assert_eq!(machine.predict(&gram)?, [1, 0]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub trait Learner<T: ?Sized> {
    /// What it becomes by fitting.
    type Machine: Predictor;

    /// Fits to similarities: a Gram matrix in memory, or rows computed on demand. Parameters outside their domain and targets that
    /// do not fit are errors.
    fn fit_columns(&self, _columns: &dyn Columns, _target: &T) -> Result<Self::Machine> {
        Err(Error::usage("this learner learns from features, not from similarities"))
    }

    /// Fits to explicit features, a row per object.
    fn fit_features(&self, _rows: FeatureRows<'_>, _target: &T) -> Result<Self::Machine> {
        Err(Error::usage("this learner learns from similarities, not from features"))
    }
}

/// What fitting gives: it predicts new objects from their similarities to training objects, or from their features.
pub trait Predictor: Sized + Clone + Send + Sync {
    /// What is predicted of an object: the code of a class, a number, membership, a cluster or coordinates.
    type Output: Send;

    /// Whether it predicts from explicit features, and needs no training objects.
    const FROM_FEATURES: bool = false;

    /// Predicts new objects. Fails on input of the wrong kind or shape, and where values overflow.
    fn predict_from(&self, new: &PredictFrom<'_>) -> Result<MachineOutput<Self::Output>>;

    /// The same over the training objects it needs alone, and these, ascending: the columns that [`PredictFrom::Similarities`] has then.
    fn compact(self) -> Result<(Self, Vec<usize>)>;

    /// Whether the self-similarities of new objects are needed.
    fn needs_self_similarities(&self) -> bool {
        false
    }

    /// What the fit of each support vector machine in it can prove about itself; nothing for other learners.
    fn certificates(&self) -> Vec<&Certificate> {
        Vec::new()
    }

    /// Why each solver stopped; nothing for what is solved in closed form.
    fn stops(&self) -> Vec<Stop> {
        self.certificates().into_iter().map(|c| c.stop).collect()
    }

    /// The same with what its certificates prove taken back, because the matrix is not known to be positive semidefinite.
    #[must_use]
    fn unproved(self) -> Self {
        self
    }
}

/// What new objects are predicted from.
#[derive(Clone, Copy, Debug)]
pub enum PredictFrom<'a> {
    /// Similarities of new objects (rows) to training objects (columns), and k(x, x) of new objects where a machine
    /// [needs it](Predictor::needs_self_similarities).
    Similarities {
        /// The cross matrix.
        cross: &'a Dense,
        /// The self-similarities of the new objects.
        own: Option<&'a [f64]>,
    },
    /// Explicit features of new objects, a row each.
    Features(FeatureRows<'a>),
}

impl<'a> PredictFrom<'a> {
    /// The cross matrix and the self-similarities, or an error.
    pub fn similarities(&self) -> Result<(&'a Dense, Option<&'a [f64]>)> {
        match self {
            PredictFrom::Similarities { cross, own } => Ok((cross, *own)),
            PredictFrom::Features(_) => {
                Err(Error::usage("this machine predicts from similarities, not from features"))
            }
        }
    }

    /// The features, or an error.
    pub fn features(&self) -> Result<FeatureRows<'a>> {
        match self {
            PredictFrom::Features(rows) => Ok(*rows),
            PredictFrom::Similarities { .. } => {
                Err(Error::usage("a linear machine predicts from features, not from similarities"))
            }
        }
    }
}

/// Predictions and the decision values behind them.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineOutput<O> {
    /// What is predicted of each object.
    pub values: Vec<O>,
    /// A row per object: the value of each binary classifier, the share of each class, the distance from each cluster, coordinates;
    /// for numbers, the numbers themselves.
    pub decisions: Dense,
}

impl MachineOutput<f64> {
    /// Numbers, which must be finite.
    pub(super) fn numbers(values: Vec<f64>) -> Result<Self> {
        let decisions = finite(column(&values)?)?;
        Ok(MachineOutput { values, decisions })
    }
}

/// Takes back what a certificate proves: see [`Predictor::unproved`].
pub(super) fn take_back(certificate: &mut Certificate) {
    if matches!(certificate.stop, Stop::Converged(_) | Stop::WideGap) {
        certificate.stop = Stop::Stationary;
    }
}

/// Where a learner works: the engine of its typed fit, and what stops it besides the budget of the thread.
#[derive(Clone, Debug, Default)]
pub(super) struct Resources {
    pub(super) engine: Option<Engine>,
    pub(super) budget: Budget,
}

/// Results do not depend on threads and memory: learners that differ in these alone are equal.
impl PartialEq for Resources {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Resources {
    /// The engine that was chosen, or one on all cores.
    pub(super) fn engine(&self) -> Cow<'_, Engine> {
        self.engine.as_ref().map_or_else(|| Cow::Owned(Engine::new()), Cow::Borrowed)
    }

    /// Rows as they are needed, until the work is asked to stop.
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
        ) -> Result<<Self as Learner<ClassCodes>>::Machine>
        where
            Self: Learner<ClassCodes>,
        {
            self.fit_columns(&GramColumns::new(gram)?, &ClassCodes::new(codes, classes))
        }

        fn on_values(&self, gram: &Dense, target: &[f64]) -> Result<<Self as Learner<[f64]>>::Machine>
        where
            Self: Learner<[f64]>,
        {
            self.fit_columns(&GramColumns::new(gram)?, target)
        }

        fn fit_alone(&self, gram: &Dense) -> Result<<Self as Learner<()>>::Machine>
        where
            Self: Learner<()>,
        {
            self.fit_columns(&GramColumns::new(gram)?, &())
        }
    }

    impl<S> OnGram for S {}
}
