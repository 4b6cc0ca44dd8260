//! Linear support vector machines on explicit features, for data too large for a similarity matrix.
//!
//! [`LinearSvc`] is a classifier, [`LinearSvr`] predicts numbers. Both minimise ½|w|² + Σ_k C_k·loss(ξ_k) by dual
//! coordinate descent ([`descend`](crate::solve::descend)): time per epoch and memory are proportional to the stored
//! values.
//!
//! **The offset is regularised.** A bias is a constant feature of value B added to every row, so its weight v = b/B is
//! part of |w|², and the penalty on the offset b is b²/(2B²). A larger `bias` penalises it less and slows convergence.
//! A kernel model with a linear kernel has a free offset and gives different (usually close) results.

mod map;
mod occurring;
mod svc;
mod svr;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use self::occurring::Occurring;
use crate::data::FeatureRows;
use crate::error::{Error, Result, Warning};
use crate::solve::{
    DescentResult, Duality, Explicit, Joint, Limits, Loss, Task, descend, descend_jointly, products,
};
use crate::traits::Domain;

pub use map::LinearMap;
pub use svc::{LinearClassifier, LinearScheme, LinearSvc};
pub use svr::{LinearRegressor, LinearSvr};

/// The common parameters of linear models.
///
/// ```
/// use mercer_core::data::{Dense, Vectors};
/// use mercer_core::learn::{LinearParameters, LinearSvc};
/// use mercer_core::{Linear, solve::Loss};
/// let x = Vectors::from(Dense::from_rows(&[[0.0], [1.0]]));
/// let parameters = LinearParameters { loss: Loss::Absolute, ..LinearParameters::default() };
/// let learner = LinearSvc::new(1.0).with_parameters(parameters);
/// assert!(learner.fit(&Linear, &x, &["a", "b"]).is_ok());
/// let negative = learner.with_parameters(LinearParameters { c: -1.0, ..parameters });
/// assert!(negative.fit(&Linear, &x, &["a", "b"]).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearParameters {
    /// The cost of errors relative to |w|²: finite and above 0; default 1.
    pub c: f64,
    /// Absolute or squared loss; default squared.
    pub loss: Loss,
    /// The value of the constant feature that gives the model an offset: finite and above 0; default 1. Without one the
    /// decision function passes through the origin. The offset is regularised, more strongly for smaller values.
    pub bias: Option<f64>,
    /// The maximum number of epochs, each with as many visits as there are objects; default 1000.
    /// [`Limits::iterations`] bounds them too.
    pub epochs: u64,
    /// The seed of the random orders of visits. A seed gives the same bits for any number of threads.
    pub seed: u64,
}

impl Default for LinearParameters {
    fn default() -> Self {
        LinearParameters { c: 1.0, loss: Loss::default(), bias: Some(1.0), epochs: 1000, seed: 0 }
    }
}

impl LinearParameters {
    fn check(&self) -> Result<()> {
        Domain::Positive.check("c", self.c)?;
        self.bias.map_or(Ok(()), |b| Domain::Positive.check("bias", b).map(drop))
    }

    /// Fits one model, restricted to the columns that occur if only those were kept.
    fn fit(
        &self,
        vectors: FeatureRows<'_>,
        occurring: Option<&Occurring>,
        task: Task,
        targets: &[f64],
        costs: &[f64],
        limits: &Limits,
    ) -> Result<LinearModel> {
        let bias = self.bias.unwrap_or(0.0);
        let (loss, epochs, seed) = (self.loss, self.epochs, self.seed);
        let dim = vectors.dim();
        let vectors = occurring.map_or(vectors, |kept| FeatureRows::from(&kept.rows));
        let problem = Explicit { vectors, bias, targets, costs, task, loss, epochs, seed };
        let DescentResult { weights, intercept, duality, .. } = descend(&problem, limits)?;
        let features = occurring.map(|kept| kept.features.clone());
        Ok(LinearModel { weights, dim, features, intercept, duality })
    }

    /// Fits the models of all classes together, with one certificate for all of them.
    fn fit_jointly(
        &self,
        vectors: FeatureRows<'_>,
        occurring: Option<&Occurring>,
        codes: &[usize],
        classes: usize,
        costs: &[f64],
        limits: &Limits,
    ) -> Result<Vec<LinearModel>> {
        let (bias, epochs, seed, dim) = (self.bias.unwrap_or(0.0), self.epochs, self.seed, vectors.dim());
        let vectors = occurring.map_or(vectors, |kept| FeatureRows::from(&kept.rows));
        let fitted = descend_jointly(&Joint { vectors, bias, codes, classes, costs, epochs, seed }, limits)?;
        let models = fitted.weights.into_iter().zip(fitted.intercepts);
        let model = |(weights, intercept)| LinearModel {
            weights,
            dim,
            features: occurring.map(|kept| kept.features.clone()),
            intercept,
            duality: fitted.duality,
        };
        Ok(models.map(model).collect())
    }
}

/// One fitted linear function x ↦ w·x + b with its optimality certificate.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearModel {
    weights: Vec<f64>,
    /// The number of features.
    dim: usize,
    /// The features with weights, ascending, if most features have weight 0 because no training object has them.
    features: Option<Arc<[u32]>>,
    intercept: f64,
    duality: Duality,
}

impl LinearModel {
    /// A model from its parts, all finite: the weights of all `dim` features, or of those listed, which ascend.
    #[doc(hidden)]
    pub fn from_parts(
        weights: Vec<f64>,
        dim: usize,
        features: Option<Arc<[u32]>>,
        intercept: f64,
        duality: Duality,
    ) -> Result<Self> {
        let listed = features.as_ref().map_or(dim, |f| f.len());
        let ascend = features.as_ref().is_none_or(|f| {
            f.windows(2).all(|p| p[0] < p[1]) && f.last().is_none_or(|&last| (last as usize) < dim)
        });
        if weights.len() != listed || !ascend {
            return Err(Error::usage("the weights do not match the features"));
        }
        if !intercept.is_finite() || weights.iter().any(|w| !w.is_finite()) {
            return Err(Error::usage("a weight or an intercept is NaN or infinite"));
        }
        Ok(LinearModel { weights, dim, features, intercept, duality })
    }

    /// w: one weight per feature, or per feature of [`LinearModel::features`] if not all are kept.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The number of features.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The features with stored weights, ascending, if most features occur in no training object: the others have
    /// weight 0. `None` if every feature has a weight.
    pub fn features(&self) -> Option<&[u32]> {
        self.features.as_deref()
    }

    /// The weight of one feature, from 0.
    pub fn weight(&self, feature: usize) -> f64 {
        let place = match &self.features {
            None => Some(feature),
            Some(features) => u32::try_from(feature).ok().and_then(|f| features.binary_search(&f).ok()),
        };
        place.and_then(|at| self.weights.get(at)).copied().unwrap_or(0.0)
    }

    /// b; 0 without a bias.
    pub fn intercept(&self) -> f64 {
        self.intercept
    }

    /// The objectives, the gap between them, and why the solver stopped.
    pub fn duality(&self) -> &Duality {
        &self.duality
    }

    /// w·x + b for each vector, vectors in parallel. Fails if the number of features differs from that of the training
    /// vectors (for sparse vectors from another file see [`Sparse::with_dim`](crate::data::Sparse::with_dim)), and on
    /// NaN or infinity. Costs one multiplication per stored value.
    pub fn decide<'r>(&self, vectors: impl Into<FeatureRows<'r>>) -> Result<Vec<f64>> {
        let vectors = vectors.into();
        if vectors.dim() != self.dim {
            return Err(Error::Dimension { expected: self.dim, found: vectors.dim() });
        }
        if let Some(index) = vectors.find_non_finite() {
            return Err(Error::Object { index, reason: "a feature is NaN or infinite".into(), hint: None });
        }
        let mut values = match &self.features {
            None => products(vectors, &self.weights),
            Some(features) => occurring::products(vectors, features, &self.weights),
        };
        values.iter_mut().for_each(|v| *v += self.intercept);
        Ok(values)
    }

    /// The features with non-zero weight, from 0, with their weights, the largest magnitude first.
    ///
    /// A weight is the change of the decision per unit of its feature, so weights are only comparable between features
    /// of the same scale.
    pub fn explain(&self) -> Vec<(usize, f64)> {
        let feature = |at: usize| self.features.as_ref().map_or(at, |features| features[at] as usize);
        let all = self.weights.iter().enumerate().map(|(at, w)| (feature(at), *w));
        let mut used: Vec<(usize, f64)> = all.filter(|(_, w)| *w != 0.0).collect();
        used.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
        used
    }

    /// A warning about the fit of the model with this name, if any.
    fn warning(&self, name: &str) -> Option<Warning> {
        let d = &self.duality;
        (!d.is_converged()).then(|| {
            Warning::new(
                "W_NOT_CONVERGED",
                format!(
                    "{name}: stopped ({:?}) after {} epochs with a relative duality gap of {:.1e}; scale the features, \
                     lower C, or allow more epochs",
                    d.stop, d.epochs, d.gap
                ),
            )
        })
    }
}

/// One weight per object, each checked; default 1.
fn check_weights(weights: Option<&[f64]>, n: usize) -> Result<Vec<f64>> {
    let Some(weights) = weights else { return Ok(vec![1.0; n]) };
    if weights.len() != n {
        return Err(Error::usage(format!("{} weights for {n} vectors", weights.len())));
    }
    match weights.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
        Some(index) => {
            let reason = format!("its weight {} is not a finite number of at least 0", weights[index]);
            Err(Error::Object { index, reason, hint: None })
        }
        None => Ok(weights.to_vec()),
    }
}
