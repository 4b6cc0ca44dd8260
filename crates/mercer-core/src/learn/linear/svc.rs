//! Linear support vector classification.

use std::time::Instant;

use super::occurring::Occurring;
use super::{LinearModel, LinearParameters, check_weights};
use crate::budget;
use crate::data::{Dense, FeatureRows};
use crate::error::{Error, Result, Warning};
use crate::gram::Engine;
use crate::learn::learner::{ClassCodes, Learner, ModelOutput, PredictFrom, Predictor, Resources};
use crate::learn::targets::{check_codes, choose, finite};
use crate::learn::typed::{Classifier, fit_labels};
use crate::parallel;
use crate::solve::{Limits, Loss, Stop, Task};
use crate::traits::{Domain, Kernel};

/// How a linear classifier treats more than two classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinearScheme {
    /// One model per class against the rest.
    #[default]
    OneVersusRest,
    /// One problem for all classes, that of Crammer and Singer ([`descend_jointly`](crate::solve::descend_jointly)): an error is
    /// how far the best other class comes within a margin of 1 of the own one. The loss is [`Loss::Absolute`].
    CrammerSinger,
}

/// Linear support vector classification by dual coordinate descent on explicit features.
///
/// Minimises ½|w|² + Σ_k C_k·loss(max(0, 1 - y_k·(w·x_k + b))), where C_k is `c` times the weight of the object times
/// that of its class, and the loss is ξ or ξ². Two classes give one model; more give one model per class against the
/// rest, fitted in parallel, or with [`LinearScheme::CrammerSinger`] per class and fitted together. The offset is
/// regularised: see [`LinearParameters::bias`].
///
/// * `parameters`: C, the loss, the bias, epochs and the seed; see [`LinearParameters`].
/// * `weights`, `class_weights`: factors of C for each object and for each class; by default 1.
/// * `limits`: the tolerance and the stopping criteria; `engine`: threads, memory and time of [`LinearSvc::fit`].
///
/// Costs two passes over the stored values per epoch and model, and memory for a few numbers per object and model, plus
/// a weight for each feature that occurs.
///
/// ```
/// use mercer_core::data::{Dense, Vectors};
/// use mercer_core::{Linear, LinearSvc};
/// let x = Vectors::from(Dense::from_rows(&[[0.0, 1.0], [0.2, 0.8], [1.0, 0.1], [0.9, 0.0]]));
/// let y = ["no", "no", "yes", "yes"];
/// let model = LinearSvc::new(1.0).fit(&Linear, &x, &y)?;
/// assert!(model.fitted().classifiers()[0].duality().gap <= 1e-3);
/// assert_eq!(model.predict(&x)?, y);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Reference: Hsieh, Chang, Lin, Keerthi & Sundararajan 2008, A dual coordinate descent method for large-scale linear
/// SVM.
#[derive(Clone, Debug)]
pub struct LinearSvc {
    parameters: LinearParameters,
    scheme: LinearScheme,
    class_weights: Option<Vec<f64>>,
    weights: Option<Vec<f64>>,
    limits: Limits,
    resources: Resources,
}

impl LinearSvc {
    /// A learner with this C, finite and above 0, and otherwise default parameters.
    pub fn new(c: f64) -> Self {
        LinearSvc {
            parameters: LinearParameters { c, ..LinearParameters::default() },
            scheme: LinearScheme::default(),
            class_weights: None,
            weights: None,
            limits: Limits::default(),
            resources: Resources::default(),
        }
    }

    /// Sets a factor of C for each class, in ascending order of their labels; each finite and above 0.
    #[must_use]
    pub fn with_class_weights(mut self, weights: Vec<f64>) -> Self {
        self.class_weights = Some(weights);
        self
    }

    /// Sets these parameters, including C.
    #[must_use]
    pub fn with_parameters(mut self, parameters: LinearParameters) -> Self {
        self.parameters = parameters;
        self
    }

    /// Sets how more than two classes are treated.
    #[must_use]
    pub fn with_scheme(mut self, scheme: LinearScheme) -> Self {
        self.scheme = scheme;
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

    /// Fits to labelled objects, using a kernel with explicit features such as
    /// [`Linear`](crate::kernel::vector::Linear).
    ///
    /// Reaching a limit is not an error, but a warning of the model.
    pub fn fit<X: Sync + ?Sized, K: Kernel<X> + Clone, L: Ord + Clone>(
        &self,
        kernel: &K,
        objects: &X,
        labels: &[L],
    ) -> Result<Classifier<X, K, LinearClassifier, L>> {
        fit_labels(self, &self.resources, kernel, objects, labels)
    }
}

impl Learner<ClassCodes> for LinearSvc {
    type Model = LinearClassifier;

    fn fit_features(&self, vectors: FeatureRows<'_>, target: &ClassCodes) -> Result<LinearClassifier> {
        let (started, limits) = (Instant::now(), &self.limits);
        self.parameters.check()?;
        let weights = check_weights(self.weights.as_deref(), vectors.len())?;
        let (codes, classes) = (target.codes(), target.classes());
        check_codes(codes, vectors.len(), classes)?;
        let factors = self.class_weights.clone().unwrap_or_else(|| vec![1.0; classes]);
        factors.iter().try_for_each(|w| Domain::Positive.check("class weight", *w).map(drop))?;
        if factors.len() != classes {
            return Err(Error::usage(format!("{} class weights for {classes} classes", factors.len())));
        }
        let class_costs: Vec<f64> = factors.iter().map(|w| self.parameters.c * w).collect();
        let costs: Vec<f64> = codes.iter().zip(&weights).map(|(&c, w)| class_costs[c] * w).collect();
        let positive: Vec<usize> = if classes == 2 { vec![1] } else { (0..classes).collect() };
        let occurring = Occurring::of(vectors)?;
        let joint = self.scheme == LinearScheme::CrammerSinger;
        if joint && classes > 2 {
            let models =
                self.parameters.fit_jointly(vectors, occurring.as_ref(), codes, classes, &costs, limits)?;
            return Ok(LinearClassifier { classes, models });
        }
        // For two classes w_0 = -w_1, and w = w_1 - w_0 solves the binary problem with twice the costs.
        let parameters = match joint {
            true => LinearParameters { loss: Loss::Absolute, ..self.parameters },
            false => self.parameters,
        };
        let costs: Vec<f64> = if joint { costs.iter().map(|c| 2.0 * c).collect() } else { costs };
        let models = parallel::try_map(positive.len(), |k| {
            budget::check()?;
            let sign = |&c: &usize| if c == positive[k] { 1.0 } else { -1.0 };
            let targets: Vec<f64> = codes.iter().map(sign).collect();
            // Models that wait for a thread share the time limit with those that run.
            let mut own = limits.clone();
            own.time = limits.time.map(|t| t.saturating_sub(started.elapsed()));
            parameters.fit(vectors, occurring.as_ref(), Task::Sides, &targets, &costs, &own)
        })?;
        Ok(LinearClassifier { classes, models })
    }
}

/// A fitted [`LinearSvc`].
#[derive(Clone, Debug, PartialEq)]
pub struct LinearClassifier {
    classes: usize,
    models: Vec<LinearModel>,
}

impl LinearClassifier {
    /// A classifier from its parts: one model for two classes, otherwise one per class, over the same features.
    #[doc(hidden)]
    pub fn from_parts(classes: usize, models: Vec<LinearModel>) -> Result<Self> {
        let needed = if classes == 2 { 1 } else { classes };
        if classes < 2 || models.len() != needed {
            let reason = format!("{} models for {classes} classes", models.len());
            return Err(Error::usage(reason));
        }
        if models.windows(2).any(|w| w[0].dim() != w[1].dim() || w[0].features() != w[1].features()) {
            return Err(Error::usage("the models have different numbers of features"));
        }
        Ok(LinearClassifier { classes, models })
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// One model for two classes, positive for the second; otherwise one per class, positive for it.
    pub fn classifiers(&self) -> &[LinearModel] {
        &self.models
    }

    /// Whether every model reached the tolerance.
    pub fn is_converged(&self) -> bool {
        self.models.iter().all(|m| m.duality().is_converged())
    }

    /// Whether the models were fitted together, so that they share a certificate.
    pub fn is_joint(&self) -> bool {
        let (first, rest) = (self.models.first(), self.models.iter().skip(1));
        self.models.len() > 1
            && rest.map(LinearModel::duality).all(|d| first.is_some_and(|f| f.duality() == d))
    }

    /// A warning for each model that reached a limit, with advice.
    pub fn warnings(&self) -> Vec<Warning> {
        if self.is_joint() {
            return self.models.first().and_then(|m| m.warning("all classes")).into_iter().collect();
        }
        let first = usize::from(self.models.len() == 1);
        let numbered = self.models.iter().zip(first..);
        numbered.filter_map(|(m, c)| m.warning(&format!("class {c} (from 0)"))).collect()
    }

    /// The decision values w·x + b of each model for each vector: `values[model][vector]`. See [`LinearModel::decide`].
    pub fn decide<'r>(&self, vectors: impl Into<FeatureRows<'r>>) -> Result<Vec<Vec<f64>>> {
        let vectors = vectors.into();
        self.models.iter().map(|m| m.decide(vectors)).collect()
    }

    /// The class of each vector: that of the largest decision value, the first in a tie; with two classes, the second
    /// if the decision value is above 0.
    pub fn predict<'r>(&self, vectors: impl Into<FeatureRows<'r>>) -> Result<Vec<usize>> {
        Ok(self.predict_from(&PredictFrom::Features(vectors.into()))?.values)
    }

    /// The weights of each model, the largest magnitude first: see [`LinearModel::explain`].
    pub fn explain(&self) -> Vec<Vec<(usize, f64)>> {
        self.models.iter().map(LinearModel::explain).collect()
    }
}

impl Predictor for LinearClassifier {
    type Output = usize;
    const FROM_FEATURES: bool = true;

    fn predict_from(&self, new: &PredictFrom<'_>) -> Result<ModelOutput<usize>> {
        let vectors = new.features()?;
        let values = self.decide(vectors)?;
        let mut decisions = Dense::zeros(vectors.len(), values.len());
        for (c, model) in values.iter().enumerate() {
            for (i, v) in model.iter().enumerate() {
                decisions.row_mut(i)[c] = *v;
            }
        }
        let decisions = finite(decisions)?;
        Ok(ModelOutput { values: choose(&decisions), decisions })
    }

    fn compact(self) -> Result<(Self, Vec<usize>)> {
        Ok((self, Vec::new()))
    }

    fn stops(&self) -> Vec<Stop> {
        let solved = if self.is_joint() { 1 } else { self.models.len() };
        self.models.iter().take(solved).map(|m| m.duality().stop).collect()
    }
}
