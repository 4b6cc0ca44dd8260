//! What every fitted machine can do, whatever its kind: the trait behind [`Trained`](super::Trained).

use std::any::Any;
use std::fmt;

use super::super::learner::{MachineOutput, PredictFrom};
use super::super::svm::Machine;
use crate::data::Dense;
use crate::error::Result;
use crate::solve::{Duality, Stop};

/// What a machine predicts, before classes have names.
#[derive(Clone, Debug, PartialEq)]
pub enum Predicted {
    /// The code of the class of each object, and decision values.
    Classes(MachineOutput<usize>),
    /// A number for each object.
    Numbers(Vec<f64>),
    /// Whether each object is a member, and decision values.
    Membership(MachineOutput<bool>),
    /// A row of coordinates for each object.
    Coordinates(Dense),
}

/// The weight of a feature by its column.
pub type WeightOf<'a> = Box<dyn Fn(usize) -> f64 + 'a>;

/// A fitted machine of any kind. Training objects are numbered as the columns of a cross matrix are: by their place in
/// [`Trained::support`](super::Trained::support).
///
/// A new learner implements it for its machine and is done here; [`Trained`](super::Trained) adds the names of classes.
pub trait AnyMachine: Erased + fmt::Debug + Send + Sync {
    /// The kind of machine, which is its name in model files.
    fn kind(&self) -> &'static str;

    /// The number of training objects that new ones are compared with: the columns of a cross matrix.
    fn objects(&self) -> usize;

    /// Predicts new objects.
    fn predict_any(&self, new: &PredictFrom<'_>) -> Result<Predicted>;

    /// The number of classes it knows; nothing for what predicts no classes.
    fn class_count(&self) -> Option<usize> {
        None
    }

    /// The names of its decision values: see [`Prediction::columns`](super::Prediction::columns).
    fn decision_names(&self, classes: &[String]) -> Vec<String> {
        match classes {
            [a, b] => vec![format!("{a}|{b}")],
            all => all.to_vec(),
        }
    }

    /// The names of its solvers, one for each that says why it stopped.
    fn solver_names(&self, classes: &[String]) -> Vec<String> {
        self.decision_names(classes)
    }

    /// Whether it predicts from explicit features, and needs no training objects.
    fn uses_features(&self) -> bool {
        false
    }

    /// Whether the self-similarities of new objects are needed.
    fn uses_self_similarities(&self) -> bool {
        false
    }

    /// The support vector machines in it.
    fn binary(&self) -> &[Machine] {
        &[]
    }

    /// What its linear solvers can prove about themselves.
    fn dualities(&self) -> Vec<&Duality> {
        Vec::new()
    }

    /// Why solvers without a certificate stopped.
    fn other_stops(&self) -> Vec<Stop> {
        Vec::new()
    }

    /// The same with what its certificates prove taken back; nothing where there are none.
    fn without_proof(&self) -> Option<Box<dyn AnyMachine>> {
        None
    }

    /// Whether decision values are a base and a weighted sum of similarities to training objects.
    fn sums_similarities(&self) -> bool {
        false
    }

    /// Of a machine that decides by features: the offset of each decision value, and its weight for each column.
    fn feature_weights(&self) -> Option<(Vec<f64>, Vec<WeightOf<'_>>)> {
        None
    }

    /// The classes that each decision value tells apart, where they are pairs of more than two.
    fn pairs_of_classes(&self) -> Option<&[(usize, usize)]> {
        None
    }
}

/// What a trait object cannot do by itself; every machine has it.
pub trait Erased {
    /// The machine as [`Any`], for downcasts.
    fn as_any(&self) -> &dyn Any;

    /// A copy.
    fn boxed(&self) -> Box<dyn AnyMachine>;

    /// Whether the other is of the same type and equal.
    fn equals(&self, other: &dyn AnyMachine) -> bool;
}

impl<M: AnyMachine + Clone + PartialEq + 'static> Erased for M {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn boxed(&self) -> Box<dyn AnyMachine> {
        Box::new(self.clone())
    }

    fn equals(&self, other: &dyn AnyMachine) -> bool {
        other.as_any().downcast_ref::<M>() == Some(self)
    }
}

impl dyn AnyMachine + '_ {
    /// The machine by its type, where it is of that type.
    pub fn downcast_ref<M: 'static>(&self) -> Option<&M> {
        self.as_any().downcast_ref()
    }
}

impl Clone for Box<dyn AnyMachine> {
    fn clone(&self) -> Self {
        (**self).boxed()
    }
}
