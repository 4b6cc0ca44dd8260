//! The implementation of [`AnyModel`] for every model.

use super::super::learner::{ModelOutput, PredictFrom, Predictor};
use super::super::svm::{DecisionFunction, OneClassModel, Scheme, SvcModel, SvrModel};
use super::super::targets::{choose, finite};
use super::super::{
    GpClassifierModel, GpModel, IterativeGpModel, KernelKMeansModel, KernelPcaModel, KnnClassifier,
    KnnRegressor, LinearClassifier, LinearMap, LinearModel, LinearRegressor, PerceptronModel, ProcessModel,
    RidgeClassifier, RidgeModel, SparseGpModel, VotedPerceptronModel,
};
use super::any::{AnyModel, Predicted, WeightOf};
use crate::error::{Result, Warning};
use crate::gram::NeighboursNeeded;
use crate::solve::{Duality, Stop};

/// The number of classes of this many binary classifiers: one classifier separates two classes.
fn class_count_of(models: usize) -> usize {
    if models == 1 { 2 } else { models }
}

fn regression(_: &[String]) -> Vec<String> {
    vec!["regression".into()]
}

/// The predictions of a Gaussian process.
fn normal(model: &(impl ProcessModel + Predictor<Output = f64>), new: &PredictFrom<'_>) -> Result<Predicted> {
    let ModelOutput { values, decisions } = model.predict_from(new)?;
    let deviations = (0..values.len()).map(|i| (decisions.at(i, 1) + model.noise()).sqrt()).collect();
    Ok(Predicted::Normal { means: values, deviations })
}

fn components(count: usize) -> Vec<String> {
    (1..=count).map(|k| format!("component {k}")).collect()
}

impl AnyModel for SvcModel {
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

    fn binary(&self) -> &[DecisionFunction] {
        self.classifiers()
    }

    fn without_proof(&self) -> Option<Box<dyn AnyModel>> {
        Some(Box::new(self.clone().unproved()))
    }

    fn sums_similarities(&self) -> bool {
        true
    }

    fn over_all(&self, support: &[usize], n: usize) -> Option<Box<dyn AnyModel>> {
        Some(Box::new(self.spread(support, n)))
    }

    fn pairs_of_classes(&self) -> Option<&[(usize, usize)]> {
        (self.scheme() == Scheme::OneVersusOne).then(|| self.pairs())
    }
}

impl AnyModel for SvrModel {
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

    fn over_all(&self, support: &[usize], n: usize) -> Option<Box<dyn AnyModel>> {
        Some(Box::new(self.spread(support, n)))
    }

    fn binary(&self) -> &[DecisionFunction] {
        std::slice::from_ref(self.model())
    }

    fn without_proof(&self) -> Option<Box<dyn AnyModel>> {
        Some(Box::new(self.clone().unproved()))
    }

    fn sums_similarities(&self) -> bool {
        true
    }
}

impl AnyModel for OneClassModel {
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

    fn binary(&self) -> &[DecisionFunction] {
        std::slice::from_ref(self.model())
    }

    fn without_proof(&self) -> Option<Box<dyn AnyModel>> {
        Some(Box::new(self.clone().unproved()))
    }

    fn sums_similarities(&self) -> bool {
        true
    }
}

impl AnyModel for RidgeModel {
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

impl AnyModel for RidgeClassifier {
    fn kind(&self) -> &'static str {
        "ridge-classes"
    }

    fn objects(&self) -> usize {
        self.model().alpha().rows()
    }

    fn predict_any(&self, new: &PredictFrom<'_>) -> Result<Predicted> {
        self.predict_from(new).map(Predicted::Classes)
    }

    fn class_count(&self) -> Option<usize> {
        Some(class_count_of(self.model().alpha().cols()))
    }

    fn sums_similarities(&self) -> bool {
        true
    }
}

impl AnyModel for GpModel {
    fn kind(&self) -> &'static str {
        "gp"
    }

    fn objects(&self) -> usize {
        self.alpha().len()
    }

    fn predict_any(&self, new: &PredictFrom<'_>) -> Result<Predicted> {
        normal(self, new)
    }

    fn process(&self) -> Option<&dyn ProcessModel> {
        Some(self)
    }

    fn uses_self_similarities(&self) -> bool {
        true
    }

    fn sums_similarities(&self) -> bool {
        true
    }

    fn fit_warnings(&self) -> Vec<Warning> {
        let jitter = (self.jitter() > 0.0).then(|| {
            let message = format!(
                "the covariance of the training objects is numerically singular (equal objects without noise?): {:.1e} \
                 was added to its diagonal",
                self.jitter()
            );
            Warning::new("W_JITTER", message)
        });
        let flat = self.is_flat().then(|| {
            let message = "all targets are equal: scale and noise could not be learned and are 1 where not given, so \
                           standard deviations mean nothing";
            Warning::new("W_CONSTANT", message.to_owned())
        });
        jitter.into_iter().chain(flat).collect()
    }
}

impl AnyModel for SparseGpModel {
    fn kind(&self) -> &'static str {
        "gp-landmarks"
    }

    fn objects(&self) -> usize {
        self.beta().len()
    }

    fn predict_any(&self, new: &PredictFrom<'_>) -> Result<Predicted> {
        normal(self, new)
    }

    fn process(&self) -> Option<&dyn ProcessModel> {
        Some(self)
    }

    fn uses_self_similarities(&self) -> bool {
        true
    }

    fn sums_similarities(&self) -> bool {
        true
    }

    fn fit_warnings(&self) -> Vec<Warning> {
        let message = format!(
            "{} landmarks miss {:.2} % of the objects' self-similarities; log p is at least {:.4}",
            self.beta().len(),
            100.0 * self.missed(),
            self.bound()
        );
        // Less is lost in the noise of any measurement.
        (self.missed() > 0.01).then(|| Warning::new("W_LANDMARKS", message)).into_iter().collect()
    }
}

impl AnyModel for IterativeGpModel {
    fn kind(&self) -> &'static str {
        "gp-iterative"
    }

    fn objects(&self) -> usize {
        self.alpha().len()
    }

    fn predict_any(&self, new: &PredictFrom<'_>) -> Result<Predicted> {
        normal(self, new)
    }

    fn process(&self) -> Option<&dyn ProcessModel> {
        Some(self)
    }

    fn uses_self_similarities(&self) -> bool {
        true
    }

    fn sums_similarities(&self) -> bool {
        true
    }

    fn fit_warnings(&self) -> Vec<Warning> {
        let message = format!(
            "conjugate gradients stopped after {} steps: means may be {:.2e} from the exact ones, which is more than {:.2e}; \
             more landmarks, or more noise, need fewer steps",
            self.steps(),
            self.error(),
            self.wanted()
        );
        (!self.converged()).then(|| Warning::new("W_ITERATIVE", message)).into_iter().collect()
    }
}

impl AnyModel for GpClassifierModel {
    fn kind(&self) -> &'static str {
        "gpc"
    }

    fn objects(&self) -> usize {
        self.alphas().next().map_or(0, <[f64]>::len)
    }

    fn predict_any(&self, new: &PredictFrom<'_>) -> Result<Predicted> {
        self.classified(new).map(|(output, probabilities)| Predicted::Probable(output, probabilities))
    }

    fn class_count(&self) -> Option<usize> {
        Some(self.classes())
    }

    fn uses_self_similarities(&self) -> bool {
        true
    }

    fn sums_similarities(&self) -> bool {
        true
    }

    fn gives_probabilities(&self) -> bool {
        true
    }
}

impl AnyModel for PerceptronModel {
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
        Some(class_count_of(self.coefficients().rows()))
    }

    fn other_stops(&self) -> Vec<Stop> {
        self.stops()
    }

    fn sums_similarities(&self) -> bool {
        true
    }
}

impl AnyModel for VotedPerceptronModel {
    fn kind(&self) -> &'static str {
        "voted-perceptron"
    }

    fn objects(&self) -> usize {
        VotedPerceptronModel::objects(self)
    }

    fn predict_any(&self, new: &PredictFrom<'_>) -> Result<Predicted> {
        self.predict_from(new).map(Predicted::Classes)
    }

    fn class_count(&self) -> Option<usize> {
        Some(class_count_of(self.made().len()))
    }
}

impl AnyModel for KnnClassifier {
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

    fn gives_shares(&self) -> bool {
        true
    }

    fn uses_self_similarities(&self) -> bool {
        self.needs_self_similarities()
    }

    fn neighbours_needed(&self) -> Option<NeighboursNeeded<'_>> {
        Predictor::neighbours_needed(self)
    }
}

impl AnyModel for KnnRegressor {
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

    fn neighbours_needed(&self) -> Option<NeighboursNeeded<'_>> {
        Predictor::neighbours_needed(self)
    }
}

impl AnyModel for KernelPcaModel {
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

impl AnyModel for KernelKMeansModel {
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

fn weight_of(model: &LinearModel) -> WeightOf<'_> {
    Box::new(|column| model.weight(column))
}

impl AnyModel for LinearClassifier {
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

    fn solver_names(&self, classes: &[String]) -> Vec<String> {
        if self.is_joint() { vec!["all classes".to_owned()] } else { self.decision_names(classes) }
    }

    fn dualities(&self) -> Vec<&Duality> {
        let solved = if self.is_joint() { 1 } else { self.classifiers().len() };
        self.classifiers().iter().take(solved).map(LinearModel::duality).collect()
    }

    fn feature_weights(&self) -> Option<(Vec<f64>, Vec<WeightOf<'_>>)> {
        let offsets = self.classifiers().iter().map(LinearModel::intercept).collect();
        Some((offsets, self.classifiers().iter().map(weight_of).collect()))
    }
}

impl AnyModel for LinearRegressor {
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
        vec![self.model().duality()]
    }

    fn feature_weights(&self) -> Option<(Vec<f64>, Vec<WeightOf<'_>>)> {
        Some((vec![self.model().intercept()], vec![weight_of(self.model())]))
    }
}

/// The meaning of linear functions of features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linear {
    /// A number.
    Number,
    /// Classes: one function for two classes, otherwise one per class.
    Classes,
    /// Coordinates along components.
    Components,
}

/// Linear functions of explicit features, fitted by ridge regression or principal components, and their meaning.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearFunctions {
    /// The functions.
    pub map: LinearMap,
    /// Their meaning.
    pub stand_for: Linear,
}

impl AnyModel for LinearFunctions {
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
            Linear::Number => Predicted::Numbers(ModelOutput::numbers(decisions.into_values())?.values),
            Linear::Classes => {
                let decisions = finite(decisions)?;
                Predicted::Classes(ModelOutput { values: choose(&decisions), decisions })
            }
            Linear::Components => Predicted::Coordinates(finite(decisions)?),
        })
    }

    fn class_count(&self) -> Option<usize> {
        (self.stand_for == Linear::Classes).then(|| class_count_of(self.map.offsets().len()))
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
