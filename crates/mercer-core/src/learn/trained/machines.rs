//! Every machine as one of any kind.

use super::super::learner::{MachineOutput, PredictFrom, Predictor};
use super::super::svm::{Machine, OneClassMachine, Scheme, SvcMachine, SvrMachine};
use super::super::targets::{choose, finite};
use super::super::{
    KernelKMeansMachine, KernelPcaMachine, KnnClassifier, KnnRegressor, LinearClassifier, LinearMachine,
    LinearMap, LinearRegressor, PerceptronMachine, RidgeClassifier, RidgeMachine, VotedPerceptronMachine,
};
use super::any::{AnyMachine, Predicted, WeightOf};
use crate::error::Result;
use crate::solve::{Duality, Stop};

/// The classes of so many binary classifiers, of which one tells two classes apart.
fn sides(machines: usize) -> usize {
    if machines == 1 { 2 } else { machines }
}

fn regression(_: &[String]) -> Vec<String> {
    vec!["regression".into()]
}

fn components(count: usize) -> Vec<String> {
    (1..=count).map(|k| format!("component {k}")).collect()
}

impl AnyMachine for SvcMachine {
    fn kind(&self) -> &'static str {
        "svc"
    }

    fn objects(&self) -> usize {
        self.support().len()
    }

    fn predict_any(&self, new: &PredictFrom<'_>) -> Result<Predicted> {
        self.predict_from(new).map(Predicted::Classes)
    }

    fn class_count(&self) -> Option<usize> {
        Some(self.classes())
    }

    fn decision_names(&self, classes: &[String]) -> Vec<String> {
        match self.scheme() == Scheme::OneVersusOne || classes.len() == 2 {
            true => self.pairs().iter().map(|&(a, b)| format!("{}|{}", classes[a], classes[b])).collect(),
            false => classes.to_vec(),
        }
    }

    fn binary(&self) -> &[Machine] {
        self.machines()
    }

    fn without_proof(&self) -> Option<Box<dyn AnyMachine>> {
        Some(Box::new(self.clone().unproved()))
    }

    fn sums_similarities(&self) -> bool {
        true
    }

    fn pairs_of_classes(&self) -> Option<&[(usize, usize)]> {
        (self.scheme() == Scheme::OneVersusOne).then(|| self.pairs())
    }
}

impl AnyMachine for SvrMachine {
    fn kind(&self) -> &'static str {
        "svr"
    }

    fn objects(&self) -> usize {
        self.support().len()
    }

    fn predict_any(&self, new: &PredictFrom<'_>) -> Result<Predicted> {
        self.predict_from(new).map(|p| Predicted::Numbers(p.values))
    }

    fn solver_names(&self, classes: &[String]) -> Vec<String> {
        regression(classes)
    }

    fn binary(&self) -> &[Machine] {
        std::slice::from_ref(self.machine())
    }

    fn without_proof(&self) -> Option<Box<dyn AnyMachine>> {
        Some(Box::new(self.clone().unproved()))
    }

    fn sums_similarities(&self) -> bool {
        true
    }
}

impl AnyMachine for OneClassMachine {
    fn kind(&self) -> &'static str {
        "one-class"
    }

    fn objects(&self) -> usize {
        self.support().len()
    }

    fn predict_any(&self, new: &PredictFrom<'_>) -> Result<Predicted> {
        self.predict_from(new).map(Predicted::Membership)
    }

    fn decision_names(&self, _: &[String]) -> Vec<String> {
        vec!["inside".into()]
    }

    fn solver_names(&self, _: &[String]) -> Vec<String> {
        vec!["one-class".into()]
    }

    fn binary(&self) -> &[Machine] {
        std::slice::from_ref(self.machine())
    }

    fn without_proof(&self) -> Option<Box<dyn AnyMachine>> {
        Some(Box::new(self.clone().unproved()))
    }

    fn sums_similarities(&self) -> bool {
        true
    }
}

impl AnyMachine for RidgeMachine {
    fn kind(&self) -> &'static str {
        "ridge"
    }

    fn objects(&self) -> usize {
        self.alpha().rows()
    }

    fn predict_any(&self, new: &PredictFrom<'_>) -> Result<Predicted> {
        self.predict_from(new).map(|p| Predicted::Numbers(p.values))
    }

    fn sums_similarities(&self) -> bool {
        true
    }
}

impl AnyMachine for RidgeClassifier {
    fn kind(&self) -> &'static str {
        "ridge-classes"
    }

    fn objects(&self) -> usize {
        self.machine().alpha().rows()
    }

    fn predict_any(&self, new: &PredictFrom<'_>) -> Result<Predicted> {
        self.predict_from(new).map(Predicted::Classes)
    }

    fn class_count(&self) -> Option<usize> {
        Some(sides(self.machine().alpha().cols()))
    }

    fn sums_similarities(&self) -> bool {
        true
    }
}

impl AnyMachine for PerceptronMachine {
    fn kind(&self) -> &'static str {
        "perceptron"
    }

    fn objects(&self) -> usize {
        self.coefficients().cols()
    }

    fn predict_any(&self, new: &PredictFrom<'_>) -> Result<Predicted> {
        self.predict_from(new).map(Predicted::Classes)
    }

    fn class_count(&self) -> Option<usize> {
        Some(sides(self.coefficients().rows()))
    }

    fn other_stops(&self) -> Vec<Stop> {
        self.stops()
    }

    fn sums_similarities(&self) -> bool {
        true
    }
}

impl AnyMachine for VotedPerceptronMachine {
    fn kind(&self) -> &'static str {
        "voted-perceptron"
    }

    fn objects(&self) -> usize {
        VotedPerceptronMachine::objects(self)
    }

    fn predict_any(&self, new: &PredictFrom<'_>) -> Result<Predicted> {
        self.predict_from(new).map(Predicted::Classes)
    }

    fn class_count(&self) -> Option<usize> {
        Some(sides(self.made().len()))
    }
}

impl AnyMachine for KnnClassifier {
    fn kind(&self) -> &'static str {
        "knn-classes"
    }

    fn objects(&self) -> usize {
        self.codes().len()
    }

    fn predict_any(&self, new: &PredictFrom<'_>) -> Result<Predicted> {
        self.predict_from(new).map(Predicted::Classes)
    }

    fn class_count(&self) -> Option<usize> {
        Some(self.classes())
    }

    fn decision_names(&self, classes: &[String]) -> Vec<String> {
        classes.to_vec()
    }

    fn uses_self_similarities(&self) -> bool {
        self.needs_self_similarities()
    }
}

impl AnyMachine for KnnRegressor {
    fn kind(&self) -> &'static str {
        "knn"
    }

    fn objects(&self) -> usize {
        self.target().len()
    }

    fn predict_any(&self, new: &PredictFrom<'_>) -> Result<Predicted> {
        self.predict_from(new).map(|p| Predicted::Numbers(p.values))
    }

    fn uses_self_similarities(&self) -> bool {
        self.needs_self_similarities()
    }
}

impl AnyMachine for KernelPcaMachine {
    fn kind(&self) -> &'static str {
        "pca"
    }

    fn objects(&self) -> usize {
        self.training().rows()
    }

    fn predict_any(&self, new: &PredictFrom<'_>) -> Result<Predicted> {
        self.project(new.similarities()?.0).map(Predicted::Coordinates)
    }

    fn decision_names(&self, _: &[String]) -> Vec<String> {
        components(self.components())
    }
}

impl AnyMachine for KernelKMeansMachine {
    fn kind(&self) -> &'static str {
        "kmeans"
    }

    fn objects(&self) -> usize {
        self.assignments().len()
    }

    fn predict_any(&self, new: &PredictFrom<'_>) -> Result<Predicted> {
        self.predict_from(new).map(Predicted::Classes)
    }

    fn class_count(&self) -> Option<usize> {
        Some(self.sizes().len())
    }

    fn decision_names(&self, classes: &[String]) -> Vec<String> {
        classes.to_vec()
    }

    fn solver_names(&self, _: &[String]) -> Vec<String> {
        vec!["clusters".into()]
    }

    fn uses_self_similarities(&self) -> bool {
        self.needs_self_similarities()
    }

    fn other_stops(&self) -> Vec<Stop> {
        self.stops()
    }
}

fn weight_of(machine: &LinearMachine) -> WeightOf<'_> {
    Box::new(|column| machine.weight(column))
}

impl AnyMachine for LinearClassifier {
    fn kind(&self) -> &'static str {
        "linear-svc"
    }

    fn objects(&self) -> usize {
        0
    }

    fn predict_any(&self, new: &PredictFrom<'_>) -> Result<Predicted> {
        self.predict_from(new).map(Predicted::Classes)
    }

    fn class_count(&self) -> Option<usize> {
        Some(self.classes())
    }

    fn uses_features(&self) -> bool {
        true
    }

    fn dualities(&self) -> Vec<&Duality> {
        self.machines().iter().map(LinearMachine::duality).collect()
    }

    fn feature_weights(&self) -> Option<(Vec<f64>, Vec<WeightOf<'_>>)> {
        let offsets = self.machines().iter().map(LinearMachine::intercept).collect();
        Some((offsets, self.machines().iter().map(weight_of).collect()))
    }
}

impl AnyMachine for LinearRegressor {
    fn kind(&self) -> &'static str {
        "linear-svr"
    }

    fn objects(&self) -> usize {
        0
    }

    fn predict_any(&self, new: &PredictFrom<'_>) -> Result<Predicted> {
        self.predict_from(new).map(|p| Predicted::Numbers(p.values))
    }

    fn solver_names(&self, classes: &[String]) -> Vec<String> {
        regression(classes)
    }

    fn uses_features(&self) -> bool {
        true
    }

    fn dualities(&self) -> Vec<&Duality> {
        vec![self.machine().duality()]
    }

    fn feature_weights(&self) -> Option<(Vec<f64>, Vec<WeightOf<'_>>)> {
        Some((vec![self.machine().intercept()], vec![weight_of(self.machine())]))
    }
}

/// What linear functions of features stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linear {
    /// A number.
    Number,
    /// Classes: one function for two, otherwise one for each.
    Classes,
    /// Coordinates along components.
    Components,
}

/// Linear functions of explicit features that ridge regression or principal components found, and what they stand for.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearFunctions {
    /// The functions.
    pub map: LinearMap,
    /// What they stand for.
    pub stand_for: Linear,
}

impl AnyMachine for LinearFunctions {
    fn kind(&self) -> &'static str {
        match self.stand_for {
            Linear::Number => "linear-ridge",
            Linear::Classes => "linear-ridge-classes",
            Linear::Components => "linear-pca",
        }
    }

    fn objects(&self) -> usize {
        0
    }

    fn predict_any(&self, new: &PredictFrom<'_>) -> Result<Predicted> {
        let decisions = self.map.decide(new.features()?)?;
        Ok(match self.stand_for {
            Linear::Number => Predicted::Numbers(MachineOutput::numbers(decisions.into_values())?.values),
            Linear::Classes => {
                let decisions = finite(decisions)?;
                Predicted::Classes(MachineOutput { values: choose(&decisions), decisions })
            }
            Linear::Components => Predicted::Coordinates(finite(decisions)?),
        })
    }

    fn class_count(&self) -> Option<usize> {
        (self.stand_for == Linear::Classes).then(|| sides(self.map.offsets().len()))
    }

    fn decision_names(&self, classes: &[String]) -> Vec<String> {
        match (self.stand_for, classes) {
            (Linear::Components, _) => components(self.map.offsets().len()),
            (_, [a, b]) => vec![format!("{a}|{b}")],
            (_, all) => all.to_vec(),
        }
    }

    fn uses_features(&self) -> bool {
        true
    }

    fn feature_weights(&self) -> Option<(Vec<f64>, Vec<WeightOf<'_>>)> {
        let row = |k: usize| -> WeightOf<'_> {
            Box::new(move |column| self.map.weights().row(k).get(column).copied().unwrap_or(0.0))
        };
        let count = self.map.offsets().len();
        (self.stand_for != Linear::Components)
            .then(|| (self.map.offsets().to_vec(), (0..count).map(row).collect()))
    }
}
