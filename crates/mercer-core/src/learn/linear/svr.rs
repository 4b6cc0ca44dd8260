//! Linear support vector regression.

use super::occurring::Occurring;
use super::{LinearModel, LinearParameters, check_weights};
use crate::data::FeatureRows;
use crate::error::{Error, Result, Warning};
use crate::gram::Engine;
use crate::learn::learner::{Learner, ModelOutput, PredictFrom, Predictor, Resources};
use crate::learn::typed::{Regressor, fit_numbers};
use crate::solve::{Limits, Stop, Task};
use crate::traits::{Domain, Kernel};

/// Linear support vector regression by dual coordinate descent on explicit features.
///
/// Minimises ½|w|² + Σ_k C_k·loss(max(0, |y_k - w·x_k - b| - epsilon)), where C_k is `c` times the weight of the object
/// and the loss is ξ or ξ². The offset is regularised (see [`LinearParameters::bias`]), so targets far from 0 should be
/// centred.
///
/// * `parameters`: C, the loss, the bias, epochs and the seed; see [`LinearParameters`].
/// * `epsilon`: errors up to this have no cost; finite and at least 0.
/// * `weights`: a factor of C for each object; `limits`: the tolerance and the stopping criteria; `engine`: threads,
///   memory and time.
///
/// Costs two passes over the stored values per epoch, and memory for a few numbers per object.
///
/// ```
/// use mercer_core::data::{Dense, Vectors};
/// use mercer_core::{Linear, LinearSvr};
/// let x = Vectors::from(Dense::from_rows(&[[-1.0], [0.0], [1.0], [2.0]]));
/// let model = LinearSvr::new(1e3, 0.0).fit(&Linear, &x, &[-1.0, 1.0, 3.0, 5.0])?;
/// let fitted = model.fitted().model();
/// assert!(fitted.duality().is_converged());
/// assert!((fitted.weights()[0] - 2.0).abs() < 0.01 && (fitted.intercept() - 1.0).abs() < 0.01);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Reference: Ho & Lin 2012, Large-scale linear support vector regression.
#[derive(Clone, Debug)]
pub struct LinearSvr {
    parameters: LinearParameters,
    epsilon: f64,
    weights: Option<Vec<f64>>,
    limits: Limits,
    resources: Resources,
}

impl LinearSvr {
    /// A learner with this C, finite and above 0, and otherwise default parameters. Errors up to epsilon, finite and at
    /// least 0, have no cost.
    pub fn new(c: f64, epsilon: f64) -> Self {
        LinearSvr {
            parameters: LinearParameters { c, ..LinearParameters::default() },
            epsilon,
            weights: None,
            limits: Limits::default(),
            resources: Resources::default(),
        }
    }

    /// Sets these parameters, including C.
    #[must_use]
    pub fn with_parameters(mut self, parameters: LinearParameters) -> Self {
        self.parameters = parameters;
        self
    }

    /// Sets the seed of the random orders of visits.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.parameters.seed = seed;
        self
    }

    /// Sets a factor of C for each training object, finite and at least 0. A weight of 2 equals duplicating the object.
    #[must_use]
    pub fn with_weights(mut self, weights: Vec<f64>) -> Self {
        self.weights = Some(weights);
        self
    }

    /// Sets other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the engine of the typed fit: its threads, its memory and its time.
    #[must_use]
    pub fn with_engine(mut self, engine: Engine) -> Self {
        self.resources.engine = Some(engine);
        self
    }

    /// The parameters.
    pub fn parameters(&self) -> &LinearParameters {
        &self.parameters
    }

    /// The error without cost, in units of the target.
    pub fn epsilon(&self) -> f64 {
        self.epsilon
    }

    /// Fits to objects with a finite number each, using a kernel with explicit features such as
    /// [`Linear`](crate::kernel::vector::Linear).
    ///
    /// Reaching a limit is not an error, but a warning of the model.
    pub fn fit<X: Sync + ?Sized, K: Kernel<X> + Clone>(
        &self,
        kernel: &K,
        objects: &X,
        target: &[f64],
    ) -> Result<Regressor<X, K, LinearRegressor>> {
        fit_numbers(self, &self.resources, kernel, objects, target)
    }
}

impl Learner<[f64]> for LinearSvr {
    type Model = LinearRegressor;

    fn fit_features(&self, vectors: FeatureRows<'_>, target: &[f64]) -> Result<LinearRegressor> {
        self.parameters.check()?;
        Domain::NonNegative.check("epsilon", self.epsilon)?;
        let weights = check_weights(self.weights.as_deref(), vectors.len())?;
        if vectors.is_empty() {
            return Err(Error::usage("no vectors to fit to"));
        }
        let costs: Vec<f64> = weights.iter().map(|w| self.parameters.c * w).collect();
        let task = Task::Numbers { epsilon: self.epsilon };
        let occurring = Occurring::of(vectors)?;
        let model = self.parameters.fit(vectors, occurring.as_ref(), task, target, &costs, &self.limits)?;
        Ok(LinearRegressor { model })
    }
}

/// A fitted [`LinearSvr`].
#[derive(Clone, Debug, PartialEq)]
pub struct LinearRegressor {
    model: LinearModel,
}

impl LinearRegressor {
    /// A regressor from its linear function.
    #[doc(hidden)]
    pub fn from_parts(model: LinearModel) -> Self {
        LinearRegressor { model }
    }

    /// The linear function and its certificate.
    pub fn model(&self) -> &LinearModel {
        &self.model
    }

    /// A warning if the solver reached a limit, with advice.
    pub fn warnings(&self) -> Vec<Warning> {
        self.model.warning("regression").into_iter().collect()
    }

    /// The number predicted for each vector: see [`LinearModel::decide`].
    pub fn predict<'r>(&self, vectors: impl Into<FeatureRows<'r>>) -> Result<Vec<f64>> {
        self.model.decide(vectors)
    }

    /// The weights, the largest magnitude first: see [`LinearModel::explain`].
    pub fn explain(&self) -> Vec<(usize, f64)> {
        self.model.explain()
    }
}

impl Predictor for LinearRegressor {
    type Output = f64;
    const FROM_FEATURES: bool = true;

    fn predict_from(&self, new: &PredictFrom<'_>) -> Result<ModelOutput<f64>> {
        ModelOutput::numbers(self.predict(new.features()?)?)
    }

    fn compact(self) -> Result<(Self, Vec<usize>)> {
        Ok((self, Vec::new()))
    }

    fn stops(&self) -> Vec<Stop> {
        vec![self.model.duality().stop]
    }
}
