//! One-class models: the region that contains most objects.

use super::super::learner::{Learner, ModelOutput, PredictFrom, Predictor, Resources, take_back};
use super::super::targets::{column, finite};
use super::super::typed::{KernelModel, Unlabelled, fit_objects};
use super::Certificate;
use super::binary::unit;
use super::problem::{DecisionFunction, check_some, check_weights, fill_up, run};
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::Engine;
use crate::solve::{Bank, Columns, Limits};
use crate::traits::Kernel;

/// The one-class model: f(x) ≥ 0 on a region that contains all but about a share ν of the objects.
///
/// Minimises ½|w|² - ν·n·ρ + Σ w_i·max(0, ρ - w·φ(x_i)); f(x) = w·φ(x) - ρ.
///
/// * `nu`: above 0 and at most 1; at most about this share of the training objects lies outside.
/// * `weights`: a factor of each object's error; `limits`: the tolerance and the stopping criteria; `engine`: threads,
///   memory and time.
///
/// Parameters outside their domain are errors of the fit. Time between O(n²) and O(n³) kernel values; rows are cached.
///
/// ```
/// use mercer_core::data::{Dense, Vectors};
/// use mercer_core::{OneClass, Rbf};
/// let x = Vectors::from(Dense::from_rows(&[[0.0], [0.1], [0.2], [0.3], [0.4]]));
/// let model = OneClass::new(0.2).fit(&Rbf::new(1.0)?, &x)?;
/// let new = Vectors::from(Dense::from_rows(&[[0.2], [9.0]]));
/// assert_eq!(model.predict(&new)?, [true, false]); // inside, outside
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Reference: Schölkopf, Platt, Shawe-Taylor, Smola & Williamson 2001.
#[derive(Clone, Debug)]
pub struct OneClass {
    nu: f64,
    weights: Option<Vec<f64>>,
    limits: Limits,
    resources: Resources,
}

impl OneClass {
    /// A one-class model; ν must be above 0 and at most 1.
    pub fn new(nu: f64) -> Self {
        OneClass { nu, weights: None, limits: Limits::default(), resources: Resources::default() }
    }

    /// Sets a weight for each training object; each finite and at least 0.
    #[must_use]
    pub fn with_weights(mut self, weights: Vec<f64>) -> Self {
        self.weights = Some(weights);
        self
    }

    /// Sets the engine of the typed fit: its threads, its memory and its time.
    #[must_use]
    pub fn with_engine(mut self, engine: Engine) -> Self {
        self.resources.engine = Some(engine);
        self
    }

    /// Sets other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Fits to objects, with any kernel. The model predicts whether an object lies inside the region.
    pub fn fit<X: Sync + ?Sized, K: Kernel<X> + Clone>(
        &self,
        kernel: &K,
        objects: &X,
    ) -> Result<KernelModel<X, K, OneClassModel, Unlabelled>> {
        fit_objects(self, &self.resources, kernel, objects)
    }
}

impl Learner<()> for OneClass {
    type Model = OneClassModel;

    fn fit_columns(&self, columns: &dyn Columns, (): &()) -> Result<OneClassModel> {
        if !(self.nu > 0.0 && self.nu <= 1.0) {
            return Err(Error::param("nu", self.nu, "above 0 and at most 1"));
        }
        let n = columns.len();
        if n == 0 {
            return Err(Error::usage("no objects to fit to"));
        }
        let bounds = check_weights(self.weights.as_deref(), n)?;
        check_some(&bounds)?;
        let total = self.nu * bounds.iter().sum::<f64>();
        let bank = Bank {
            beta: fill_up(&bounds, total),
            lower: vec![0.0; n],
            upper: bounds.clone(),
            linear: vec![0.0; n],
            kink: 0.0,
        };
        // The scale of the problem is that of the similarities.
        let tolerance = self.limits.tolerance * unit(columns, total)?.min(1.0);
        let outcome = run(columns, vec![bank], &Limits { tolerance, ..self.limits.clone() })?;
        let offset = outcome.solution.offsets[0];
        Ok(OneClassModel { model: outcome.model(offset, 1.0) })
    }
}

/// A trained one-class model.
#[derive(Clone, Debug, PartialEq)]
pub struct OneClassModel {
    model: DecisionFunction,
}

impl OneClassModel {
    /// A model from a file, whose support vectors are numbered from 0.
    #[doc(hidden)]
    pub fn from_parts(model: DecisionFunction) -> Result<Self> {
        model.check(model.support.len())?;
        Ok(OneClassModel { model })
    }

    /// The same model with support vectors numbered from 0.
    #[doc(hidden)]
    pub fn renumbered(mut self) -> Self {
        self.model.support = (0..self.model.support.len()).collect();
        self
    }

    /// The training objects it needs, ascending.
    pub fn support(&self) -> &[usize] {
        &self.model.support
    }

    /// The decision function, with its certificate.
    pub fn model(&self) -> &DecisionFunction {
        &self.model
    }

    /// f(x) of each new object: at least 0 inside the region.
    pub fn decisions(&self, cross: &Dense) -> Result<Vec<f64>> {
        self.model.decisions(cross)
    }
}

impl Predictor for OneClassModel {
    /// Whether the object lies inside the region.
    type Output = bool;

    fn predict_from(&self, new: &PredictFrom<'_>) -> Result<ModelOutput<bool>> {
        let decisions = finite(column(&self.decisions(new.similarities()?.0)?)?)?;
        let values = decisions.values().iter().map(|&d| d >= 0.0).collect();
        Ok(ModelOutput { values, decisions })
    }

    fn compact(self) -> Result<(Self, Vec<usize>)> {
        let support = self.support().to_vec();
        Ok((self.renumbered(), support))
    }

    fn certificates(&self) -> Vec<&Certificate> {
        self.model.certificate.iter().collect()
    }

    fn unproved(mut self) -> Self {
        self.model.certificate.iter_mut().for_each(take_back);
        self
    }
}
