//! Support vector classification with probabilities.

use super::super::learner::{ClassCodes, Learner, ModelOutput, PredictFrom, Predictor};
use super::super::typed::{Classifier, fit_labels};
use super::{Calibration, Certificate, Svc, SvcModel};
use crate::data::Dense;
use crate::error::Result;
use crate::solve::Columns;
use crate::traits::Kernel;

/// A support vector classifier with probabilities: [`Svc::with_probability`].
///
/// p(y = 1 | f) = 1 / (1 + exp(A·f + B)) for each binary classifier, coupled over the pairs of classes. Each binary
/// classifier has its own five stratified folds of the objects of its classes, assigned by the seed. Weights count
/// relative to their mean; class weights move the boundary, not the probabilities. If a fold makes ν infeasible, it is
/// lowered for this fold.
///
/// * `seed`: assigns the folds; by default 0.
///
/// Time: about five more fits. The probabilities of a class with a single member are little more than its share.
///
/// ```
/// use mercer_core::data::{Dense, Vectors};
/// use mercer_core::{Linear, Svc};
/// // Forty points on a line; the classes overlap between 16 and 23.
/// let points: Vec<[f64; 1]> = (0..40).map(|i| [f64::from(i) / 10.0 - 2.0]).collect();
/// let x = Vectors::from(Dense::from_rows(&points));
/// let y: Vec<bool> = (0..40).map(|i| i > 23 || i > 15 && i % 2 == 0).collect();
/// let model = Svc::new(1.0).with_probability().fit(&Linear, &x, &y)?;
/// let p = model.predict_probability(&Vectors::from(Dense::from_rows(&[[2.0]])))?;
/// assert!(p.at(0, 1) > 0.9 && p.at(0, 1) < 1.0);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Reference: Platt 1999; Lin, Lin & Weng 2007; Wu, Lin & Weng 2004.
#[derive(Clone, Debug)]
pub struct ProbabilisticSvc {
    svc: Svc,
    seed: u64,
}

impl ProbabilisticSvc {
    pub(super) fn new(svc: Svc) -> Self {
        ProbabilisticSvc { svc, seed: 0 }
    }

    /// Sets the seed that assigns the folds.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Fits to labelled objects, as [`Svc::fit`] does.
    pub fn fit<X: Sync + ?Sized, K: Kernel<X> + Clone, L: Ord + Clone>(
        &self,
        kernel: &K,
        objects: &X,
        labels: &[L],
    ) -> Result<Classifier<X, K, ProbabilisticSvcModel, L>> {
        fit_labels(self, self.svc.resources(), kernel, objects, labels)
    }
}

impl Learner<ClassCodes> for ProbabilisticSvc {
    type Model = ProbabilisticSvcModel;

    fn fit_columns(&self, columns: &dyn Columns, target: &ClassCodes) -> Result<ProbabilisticSvcModel> {
        let (model, calibration) = self.svc.fit_calibrated(columns, target, self.seed)?;
        Ok(ProbabilisticSvcModel { model, calibration })
    }
}

/// A trained classifier and its calibration.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbabilisticSvcModel {
    model: SvcModel,
    calibration: Calibration,
}

impl ProbabilisticSvcModel {
    /// The classifier.
    pub fn model(&self) -> &SvcModel {
        &self.model
    }

    /// The sigmoids of its binary classifiers.
    pub fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    /// The classifier and its sigmoids.
    pub fn into_parts(self) -> (SvcModel, Calibration) {
        (self.model, self.calibration)
    }

    /// The probability of each class (columns) for objects (rows) with these decision values: see
    /// [`Calibration::probabilities`].
    pub fn probabilities(&self, decisions: &Dense) -> Result<Dense> {
        self.calibration.probabilities(&self.model, decisions)
    }
}

impl Predictor for ProbabilisticSvcModel {
    type Output = usize;

    fn predict_from(&self, new: &PredictFrom<'_>) -> Result<ModelOutput<usize>> {
        self.model.predict_from(new)
    }

    fn compact(self) -> Result<(Self, Vec<usize>)> {
        let (model, support) = self.model.compact()?;
        Ok((ProbabilisticSvcModel { model, ..self }, support))
    }

    fn certificates(&self) -> Vec<&Certificate> {
        self.model.certificates()
    }

    fn unproved(self) -> Self {
        ProbabilisticSvcModel { model: self.model.unproved(), ..self }
    }
}
