//! The trait of all fitted models, used by [`Trained`](super::Trained).

use std::any::Any;
use std::fmt;

use super::super::gp::ProcessModel;
use super::super::learner::{ModelOutput, PredictFrom};
use super::super::svm::DecisionFunction;
use crate::data::Dense;
use crate::error::{Result, Warning};
use crate::gram::NeighboursNeeded;
use crate::solve::{Duality, Stop};

/// A prediction, before class names are attached.
#[derive(Clone, Debug, PartialEq)]
pub enum Predicted {
    /// The class code of each object, and decision values.
    Classes(ModelOutput<usize>),
    /// The same, and the probability of each class (columns) for each object (rows).
    Probable(ModelOutput<usize>, Dense),
    /// A number for each object.
    Numbers(Vec<f64>),
    /// A normal distribution for each object: its mean, and the standard deviation of a new observation.
    Normal {
        /// The means.
        means: Vec<f64>,
        /// The standard deviations.
        deviations: Vec<f64>,
    },
    /// Whether each object is a member, and decision values.
    Membership(ModelOutput<bool>),
    /// A row of coordinates for each object.
    Coordinates(Dense),
}

/// The weight of a feature by its column.
pub type WeightOf<'a> = Box<dyn Fn(usize) -> f64 + 'a>;

/// A fitted model of any kind. Training objects are numbered like the columns of a cross matrix, by their position in
/// [`Trained::support`](super::Trained::support).
///
/// A new learner only needs to implement this for its model; [`Trained`](super::Trained) adds class names.
pub trait AnyModel: Erased + fmt::Debug + Send + Sync {
    /// The kind of model, as named in model files.
    fn kind(&self) -> &'static str;

    /// The number of training objects needed for prediction: the columns of a cross matrix.
    fn objects(&self) -> usize;

    /// Predicts new objects.
    fn predict_any(&self, new: &PredictFrom<'_>) -> Result<Predicted>;

    /// The Gaussian process that it is: its predictions are normal distributions, with covariances between objects.
    fn process(&self) -> Option<&dyn ProcessModel> {
        None
    }

    /// The number of classes; `None` for models that predict no classes.
    fn class_count(&self) -> Option<usize> {
        None
    }

    /// The names of the decision values: see [`Prediction::columns`](super::Prediction::columns).
    fn decision_names(&self, classes: &[String]) -> Vec<String> {
        match classes {
            [a, b] => vec![format!("{a}|{b}")],
            all => all.to_vec(),
        }
    }

    /// The names of the solvers, one for each that reports why it stopped.
    fn solver_names(&self, classes: &[String]) -> Vec<String> {
        self.decision_names(classes)
    }

    /// Whether it predicts from explicit features, without training objects.
    fn uses_features(&self) -> bool {
        false
    }

    /// Whether prediction needs the self-similarities of new objects.
    fn uses_self_similarities(&self) -> bool {
        false
    }

    /// The neighbours it predicts from, for a model that needs no other similarities.
    fn neighbours_needed(&self) -> Option<NeighboursNeeded<'_>> {
        None
    }

    /// The decision functions of its support vector machines.
    fn binary(&self) -> &[DecisionFunction] {
        &[]
    }

    /// The certificates of its linear solvers.
    fn dualities(&self) -> Vec<&Duality> {
        Vec::new()
    }

    /// Why solvers without a certificate stopped.
    fn other_stops(&self) -> Vec<Stop> {
        Vec::new()
    }

    /// The same model without proofs of optimality; `None` if there are none.
    fn without_proof(&self) -> Option<Box<dyn AnyModel>> {
        None
    }

    /// The same model over all of n training objects, of which it uses those of `support`, if rows of their similarities
    /// are better read as a whole than by selecting from them.
    fn over_all(&self, _support: &[usize], _n: usize) -> Option<Box<dyn AnyModel>> {
        None
    }

    /// Warnings about the fit that its solvers do not tell.
    fn fit_warnings(&self) -> Vec<Warning> {
        Vec::new()
    }

    /// Whether decision values are an offset plus a weighted sum of similarities to training objects.
    fn sums_similarities(&self) -> bool {
        false
    }

    /// Whether its predictions have the probabilities of the classes.
    fn gives_probabilities(&self) -> bool {
        false
    }

    /// Whether the decision values of an object are the shares of the classes, which sum to 1.
    fn gives_shares(&self) -> bool {
        false
    }

    /// For a model on features: the offset of each decision value, and its weight for each column.
    fn feature_weights(&self) -> Option<(Vec<f64>, Vec<WeightOf<'_>>)> {
        None
    }

    /// The pair of classes each decision value separates, if there are more than two classes.
    fn pairs_of_classes(&self) -> Option<&[(usize, usize)]> {
        None
    }
}

/// Operations that trait objects lack; implemented for every model.
pub trait Erased {
    /// The model as [`Any`], for downcasts.
    fn as_any(&self) -> &dyn Any;

    /// A copy.
    fn boxed(&self) -> Box<dyn AnyModel>;

    /// Whether the other is of the same type and equal.
    fn equals(&self, other: &dyn AnyModel) -> bool;
}

impl<M: AnyModel + Clone + PartialEq + 'static> Erased for M {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn boxed(&self) -> Box<dyn AnyModel> {
        Box::new(self.clone())
    }

    fn equals(&self, other: &dyn AnyModel) -> bool {
        other.as_any().downcast_ref::<M>() == Some(self)
    }
}

impl dyn AnyModel + '_ {
    /// The model as its concrete type, if it is of that type.
    pub fn downcast_ref<M: 'static>(&self) -> Option<&M> {
        self.as_any().downcast_ref()
    }
}

impl Clone for Box<dyn AnyModel> {
    fn clone(&self) -> Self {
        (**self).boxed()
    }
}
