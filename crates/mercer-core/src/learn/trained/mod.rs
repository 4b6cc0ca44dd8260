//! Trained models of any kind behind one type: the input they need, their predictions, and the quality of their fit.

mod any;
mod class_logs;
mod models;
mod predict;

pub use any::{AnyModel, Erased, Predicted, WeightOf};
pub use models::{Linear, LinearFunctions};
pub use predict::Prediction;

use super::gp::ProcessModel;
use super::learner::Predictor;
use super::svm::{Calibration, Certificate, SvcModel};
use crate::error::{Error, Result, Warning};
use crate::solve::{Duality, Stop};

/// A trained model of any kind.
#[derive(Clone, Debug)]
pub struct Trained {
    model: Box<dyn AnyModel>,
    classes: Vec<String>,
    support: Vec<usize>,
    calibration: Option<Calibration>,
    /// The factor of each class's error costs; empty if all were 1.
    class_weights: Vec<f64>,
}

impl PartialEq for Trained {
    fn eq(&self, other: &Self) -> bool {
        let own = (&self.classes, &self.support, &self.calibration, &self.class_weights);
        let others = (&other.classes, &other.support, &other.calibration, &other.class_weights);
        own == others && self.model.equals(&*other.model)
    }
}

impl Trained {
    /// A model fitted to training objects. `classes` are the class names; empty for models that predict numbers.
    #[doc(hidden)]
    pub fn new<M: AnyModel + Predictor + 'static>(model: M, classes: Vec<String>) -> Result<Self> {
        let (model, support) = model.compact()?;
        let model = Box::new(model);
        Ok(Trained { model, classes, support, calibration: None, class_weights: Vec::new() })
    }

    /// A model whose training objects are already numbered from 0, as in a file, or that needs none.
    #[doc(hidden)]
    pub fn stored(model: Box<dyn AnyModel>, classes: Vec<String>) -> Result<Self> {
        let known = model.class_count().unwrap_or(0);
        if known != classes.len() {
            let reason = format!("{} class names for a model of {known} classes", classes.len());
            return Err(Error::usage(reason));
        }
        let support = (0..model.objects()).collect();
        Ok(Trained { model, classes, support, calibration: None, class_weights: Vec::new() })
    }

    /// Adds the sigmoids that convert decision values to probabilities.
    #[doc(hidden)]
    pub fn with_calibration(self, calibration: Calibration) -> Result<Self> {
        match self.model_as::<SvcModel>() {
            Some(model) => calibration.check(model)?,
            None => {
                return Err(Error::usage("only support vector classifiers have probabilities"));
            }
        }
        Ok(Trained { calibration: Some(calibration), ..self })
    }

    /// Adds the class weights used in training.
    #[doc(hidden)]
    pub fn with_class_weights(self, factors: Option<Vec<f64>>) -> Result<Self> {
        let class_weights = factors.unwrap_or_default();
        let good = |w: &f64| w.is_finite() && *w > 0.0;
        if !class_weights.is_empty()
            && (class_weights.len() != self.classes.len() || !class_weights.iter().all(good))
        {
            return Err(Error::usage("class weights must be one per class, finite and above 0"));
        }
        Ok(Trained { class_weights, ..self })
    }

    /// The same model over these training objects, one per column, ascending.
    pub fn over(self, support: Vec<usize>) -> Result<Self> {
        if support.len() != self.support.len() || !support.is_sorted_by(|a, b| a < b) {
            return Err(Error::usage("support objects must be one per column, ascending"));
        }
        Ok(Trained { support, ..self })
    }

    /// The training objects needed for prediction, ascending: the columns of a cross matrix. Empty for models on
    /// explicit features.
    pub fn support(&self) -> &[usize] {
        &self.support
    }

    /// The class names, in the order of their codes; for clusters `cluster 1`, `cluster 2`, …. Empty for models that
    /// predict numbers, membership or coordinates.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// The factor of each class's error costs in training, in the order of [`Trained::classes`]; empty if all were 1.
    pub fn class_weights(&self) -> &[f64] {
        &self.class_weights
    }

    /// The underlying model.
    pub fn model(&self) -> &dyn AnyModel {
        &*self.model
    }

    /// The underlying model, if it is of that type.
    pub fn model_as<M: 'static>(&self) -> Option<&M> {
        self.model.downcast_ref()
    }

    /// The Gaussian process that predicts normal distributions; `None` for other models.
    pub fn process(&self) -> Option<&dyn ProcessModel> {
        self.model.process()
    }

    /// The conversion of decision values to probabilities; `None` if trained without `probability=yes`.
    pub fn calibration(&self) -> Option<&Calibration> {
        self.calibration.as_ref()
    }

    /// Whether it predicts from explicit features, by [`Trained::predict_features`].
    pub fn needs_features(&self) -> bool {
        self.model.uses_features()
    }

    /// Renumbers the training objects: returns the same model over objects 0, 1, 2 …, and the training objects with
    /// these numbers, in this order.
    #[must_use]
    pub fn compact(mut self) -> (Trained, Vec<usize>) {
        let kept = std::mem::take(&mut self.support);
        self.support = (0..kept.len()).collect();
        (self, kept)
    }

    /// The optimality certificate of each support vector machine, with the name of its column of [`Prediction`] for
    /// classifiers. Empty for other learners, and for models of other programs.
    pub fn certificates(&self) -> Vec<(String, &Certificate)> {
        let known = self.solver_names().into_iter().zip(self.model.binary());
        known.filter_map(|(name, m)| m.certificate.as_ref().map(|c| (name, c))).collect()
    }

    fn solver_names(&self) -> Vec<String> {
        self.model.solver_names(&self.classes)
    }

    /// The optimality certificates of linear models on explicit features.
    pub fn dualities(&self) -> Vec<(String, &Duality)> {
        self.solver_names().into_iter().zip(self.model.dualities()).collect()
    }

    /// Why the training of each model stopped. Empty for closed-form solutions, for learners without a solver, and for
    /// models of other programs.
    pub fn stops(&self) -> Vec<(String, Stop)> {
        let others = self.solver_names().into_iter().zip(self.model.other_stops());
        let svm = self.certificates().into_iter().map(|(name, c)| (name, c.stop));
        others.chain(svm).chain(self.dualities().into_iter().map(|(name, d)| (name, d.stop))).collect()
    }

    /// The same model without proofs of optimality: `Stop::Converged` becomes [`Stop::Stationary`], because the matrix
    /// is not known to be positive semidefinite.
    #[must_use]
    pub fn unproved(mut self) -> Self {
        if let Some(model) = self.model.without_proof() {
            self.model = model;
        }
        self
    }

    /// Whether every solver finished, including those of the probabilities.
    pub fn converged(&self) -> bool {
        let behind = self.calibration.as_ref().map_or(0, |c| c.unconverged);
        behind == 0 && self.stops().iter().all(|(_, stop)| stop.is_done())
    }

    /// Whether a binary classifier of `nu-svc` has no margin, so that its decision values carry no information.
    pub fn has_no_margin(&self) -> bool {
        self.certificates().iter().any(|(_, c)| c.no_margin)
    }

    /// A warning for each model that stopped early or has no margin, and for unreliable probabilities.
    pub fn warnings(&self) -> Vec<Warning> {
        let unfinished = self.stops().into_iter().filter(|(_, stop)| !stop.is_done());
        let warn = |(name, stop): (String, Stop)| {
            Warning::new("W_NOT_CONVERGED", format!("{name}: stopped early, {}", reason(stop)))
        };
        let calibration = self.calibration.iter().flat_map(Calibration::warnings);
        let certificates = self.certificates().into_iter().filter(|(_, c)| c.no_margin);
        let marginless = certificates.map(|(name, _)| {
            let message = format!(
                "{name}: nu leaves no margin between the classes, which overlap: decision values and \
                 predictions carry no information; use a larger nu, or svc with a penalty C"
            );
            Warning::new("W_NO_MARGIN", message)
        });
        let stationary = self.stops().into_iter().filter(|(_, stop)| *stop == Stop::Stationary);
        let indefinite = stationary.take(1).map(|(name, _)| {
            let message = format!(
                "{name}: the kernel is not known to be positive semidefinite on these objects: the solution satisfies the optimality \
                 conditions, but there may be better ones; repair(kernel) makes it definite"
            );
            Warning::new("W_INDEFINITE", message)
        });
        let own = self.model.fit_warnings();
        unfinished.map(warn).chain(own).chain(marginless).chain(indefinite).chain(calibration).collect()
    }
}

/// Why a solver stopped, in words.
pub(super) fn reason(stop: Stop) -> String {
    match stop {
        Stop::Converged(_) | Stop::Stationary | Stop::Settled => "it converged".to_owned(),
        Stop::WideGap => {
            "the tolerance was reached, but the duality gap is large: lower the tolerance, scale the \
                          objects or lower C"
                .to_owned()
        }
        Stop::Unproved => "its file holds no proof of convergence".to_owned(),
        Stop::Iterations => "the iteration limit was reached".to_owned(),
        Stop::Time => "the time limit was reached".to_owned(),
        Stop::Interrupted => "it was interrupted".to_owned(),
        Stop::Stalled => "rounding prevents further progress".to_owned(),
        Stop::NegativeCurvature { first, second, .. } => {
            format!("the matrix is not positive semidefinite at objects {} and {}", first + 1, second + 1)
        }
    }
}
