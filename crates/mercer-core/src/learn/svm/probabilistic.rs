//! Support vector classification with probabilities.

use super::super::learner::{ClassCodes, Learner, MachineOutput, PredictFrom, Predictor};
use super::super::typed::{Classifier, fit_labels};
use super::{Calibration, Certificate, Svc, SvcMachine};
use crate::data::Dense;
use crate::error::Result;
use crate::solve::Columns;
use crate::traits::Kernel;

/// A support vector classifier whose decision values become probabilities: [`Svc::with_probability`].
///
/// p(y = 1 | f) = 1 / (1 + exp(A·f + B)) for each binary classifier, coupled over the pairs of classes. Every binary classifier has
/// its own five folds, dealt out by the seed with the same share of each class, among the objects of its own classes. Weights count
/// relative to their mean; class weights move the boundary, not the probabilities. ν beyond what a fold's classes allow is lowered to
/// that for this fold.
///
/// * `seed`: deals out the folds; by default 0.
///
/// Time: about five more fits. Fails where a class has a single member.
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

    /// The same with folds dealt out by another seed.
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
    ) -> Result<Classifier<X, K, ProbabilisticSvcMachine, L>> {
        fit_labels(self, self.svc.resources(), kernel, objects, labels)
    }
}

impl Learner<ClassCodes> for ProbabilisticSvc {
    type Machine = ProbabilisticSvcMachine;

    fn fit_columns(&self, columns: &dyn Columns, target: &ClassCodes) -> Result<ProbabilisticSvcMachine> {
        let (machine, calibration) = self.svc.fit_calibrated(columns, target, self.seed)?;
        Ok(ProbabilisticSvcMachine { machine, calibration })
    }
}

/// A trained classifier, and how its decision values become probabilities.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbabilisticSvcMachine {
    machine: SvcMachine,
    calibration: Calibration,
}

impl ProbabilisticSvcMachine {
    /// The classifier.
    pub fn machine(&self) -> &SvcMachine {
        &self.machine
    }

    /// The sigmoids of its binary classifiers.
    pub fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    /// The classifier and its sigmoids.
    pub fn into_parts(self) -> (SvcMachine, Calibration) {
        (self.machine, self.calibration)
    }

    /// The probability of each class (columns) for objects (rows) with these decision values: see [`Calibration::probabilities`].
    pub fn probabilities(&self, decisions: &Dense) -> Result<Dense> {
        self.calibration.probabilities(&self.machine, decisions)
    }
}

impl Predictor for ProbabilisticSvcMachine {
    type Output = usize;

    fn predict_from(&self, new: &PredictFrom<'_>) -> Result<MachineOutput<usize>> {
        self.machine.predict_from(new)
    }

    fn compact(self) -> Result<(Self, Vec<usize>)> {
        let (machine, support) = self.machine.compact()?;
        Ok((ProbabilisticSvcMachine { machine, ..self }, support))
    }

    fn certificates(&self) -> Vec<&Certificate> {
        self.machine.certificates()
    }

    fn unproved(self) -> Self {
        ProbabilisticSvcMachine { machine: self.machine.unproved(), ..self }
    }
}
