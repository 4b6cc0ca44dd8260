//! Makes a learner of [`crate::learn`] from settings, and trains it.

use std::time::Duration;

use super::Learner;
use super::facts::Fit;
use crate::budget::Budget;
use crate::data::{ClassWeights, Dense, FeatureRows, Target};
use crate::error::{Error, Result};
use crate::learn::ridge::signs;
use crate::learn::rows::whole;
use crate::learn::svm::{Margin, OneClass, Scheme, Svc, Svr, Tube};
use crate::learn::targets::classes_of;
use crate::learn::{
    Approximation, ClassCodes, GaussianProcess, GpClassifier, IterativeGp, KernelKMeans, KernelPca, Knn,
    LandmarkSvc, Learner as _, Linear, LinearFunctions, LinearMap, LinearParameters, LinearScheme, LinearSvc,
    LinearSvr, Measure, Neighbours, Order, Perceptron, Ridge, RidgeClassifier, Rule, SparseGp, Trained,
    VotedPerceptron, learned_lambda,
};
use crate::random::Random;
use crate::solve::{Columns, GramColumns, Limits, Loss, Method};

/// Pivots of the preconditioner of `gp(solver=cg)`.
const PIVOTS: usize = 256;

/// What a learner is trained on besides the objects.
///
/// ```
/// use mercer::data::Target;
/// use mercer::expression::Training;
/// let target = Target::Numbers(vec![1.0, 2.0]);
/// let training = Training { weights: Some(&[1.0, 0.5]), seed: 7, ..Training::of(&target) };
/// assert_eq!(training.target, Some(&target));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Training<'a> {
    /// The target; ignored if none is [needed](super::Predicts::needs_target).
    pub target: Option<&'a Target>,
    /// The weight of each object, finite and at least 0; equal weights if `None`.
    pub weights: Option<&'a [f64]>,
    /// The seed of all random choices, such as the order of objects, calibration folds and initial clusters.
    pub seed: u64,
    /// Cancels the training.
    pub budget: Budget,
}

impl<'a> Training<'a> {
    /// Training for a target, with defaults for everything else.
    pub fn of(target: &'a Target) -> Self {
        Training { target: Some(target), ..Training::default() }
    }

    /// The target as classes: their names, and the code of each object.
    pub(super) fn classes(&self, learner: &str, n: usize) -> Result<(Vec<String>, ClassCodes)> {
        match self.target {
            Some(Target::Classes(target)) => {
                let (classes, codes) = classes_of(target, n)?;
                let count = classes.len();
                Ok((classes, ClassCodes::new(codes, count)))
            }
            Some(Target::Numbers(_)) => Err(self.wrong(learner, "classes", "numbers")),
            None => Err(self.wrong(learner, "classes", "nothing")),
        }
    }

    /// The target as numbers.
    pub(super) fn numbers(&self, learner: &str) -> Result<&'a [f64]> {
        match self.target {
            Some(Target::Numbers(target)) => Ok(target),
            Some(Target::Classes(_)) => Err(self.wrong(learner, "numbers", "classes")),
            None => Err(self.wrong(learner, "numbers", "nothing")),
        }
    }

    fn wrong(&self, learner: &str, needs: &str, has: &str) -> Error {
        Error::usage(format!("{learner} needs {needs}, but the target holds {has}"))
    }

    fn is_numeric(&self) -> bool {
        matches!(self.target, Some(Target::Numbers(_)))
    }
}

impl Learner {
    /// Trains on similarities: a Gram matrix in memory or rows computed on demand.
    ///
    /// Classes without members are left out. Every parameter must be fixed: a range is for a search to choose from.
    /// Reaching a limit of the solver is not an error, but [`Trained::converged`] reports it. Ridge regression,
    /// principal components and k-means need the whole matrix, which is refused when it does not fit in memory;
    /// perceptrons need the rows of misclassified objects, nearest neighbours only the diagonal.
    ///
    /// ```
    /// use mercer::{data::{Dense, Target}, expression::{Learner, Training}, solve::GramColumns};
    /// // The points 1 and 2 on a line, y = 3 x; ridge with λ = 5 gives w = Σ x y / (Σ x² + λ) = 1.5.
    /// let gram = Dense::from_rows(&[[1.0, 2.0], [2.0, 4.0]]);
    /// let target = Target::Numbers(vec![3.0, 6.0]);
    /// let trained = "ridge(lambda=5)".parse::<Learner>()?.fit(&GramColumns::new(&gram)?, &Training::of(&target))?;
    /// let new = Dense::from_rows(&[[10.0, 20.0]]); // the point 10
    /// assert!((trained.predict(&new, None)?.numbers().unwrap()[0] - 15.0).abs() < 1e-12);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn fit(&self, columns: &dyn Columns, training: &Training<'_>) -> Result<Trained> {
        let name = self.name();
        let (Fit::Similarities(fit) | Fit::Both(fit, _)) = self.facts.fit else {
            return Err(Error::usage(format!("{name} learns from features, not from similarities")));
        };
        if columns.is_empty() {
            return Err(Error::usage("no objects to fit to"));
        }
        if !self.facts.weighted && training.weights.is_some() {
            return Err(Error::usage(format!("{name} does not support object weights: leave them out")));
        }
        training.budget.check()?;
        let trained = fit(self, columns, training);
        training.budget.check()?;
        trained
    }

    /// Trains on a Gram matrix in memory, which must be square, finite and symmetric.
    ///
    /// The same as [`Learner::fit`] with [`GramColumns::new`], but a support vector machine is already trained while
    /// other threads check the matrix.
    pub fn fit_gram(&self, gram: &Dense, training: &Training<'_>) -> Result<Trained> {
        // Only solvers with a cache of rows end when the matrix is refused.
        match self.settings().any(|(parameter, _)| parameter.name == "cache") {
            true => GramColumns::while_checked(gram, |columns| self.fit(columns, training)),
            false => self.fit(&GramColumns::new(gram)?, training),
        }
    }

    pub(super) fn fit_soft_svc(&self, columns: &dyn Columns, training: &Training<'_>) -> Result<Trained> {
        self.fit_svc(self.margin()?, columns, training)
    }

    pub(super) fn fit_nu_svc(&self, columns: &dyn Columns, training: &Training<'_>) -> Result<Trained> {
        self.fit_svc(Margin::Nu(self.number("nu")?), columns, training)
    }

    fn fit_svc(&self, margin: Margin, columns: &dyn Columns, training: &Training<'_>) -> Result<Trained> {
        let (classes, codes) = training.classes(self.name(), columns.len())?;
        let factors = self.class_factors(training, &classes, &codes)?;
        let svc = self.svc(margin, training, factors.as_ref())?;
        let trained = if self.gives_probabilities() {
            let svc = svc.with_probability().with_seed(training.seed);
            let (model, calibration) = svc.fit_columns(columns, &codes)?.into_parts();
            Trained::new(model, classes)?.with_calibration(calibration)?
        } else {
            Trained::new(svc.fit_columns(columns, &codes)?, classes)?
        };
        trained.with_class_weights(factors)
    }

    pub(super) fn fit_landmark_svc(&self, columns: &dyn Columns, training: &Training<'_>) -> Result<Trained> {
        let (classes, codes) = training.classes(self.name(), columns.len())?;
        let factors = self.class_factors(training, &classes, &codes)?;
        let learner = LandmarkSvc::new(self.number("C")?, self.number("landmarks")? as usize);
        let mut learner = learner.with_seed(training.seed).with_limits(self.limits(training)?);
        if let Some(factors) = &factors {
            learner = learner.with_class_weights(factors.clone());
        }
        if let Some(weights) = training.weights {
            learner = learner.with_weights(weights.to_vec());
        }
        Trained::new(learner.fit_columns(columns, &codes)?, classes)?.with_class_weights(factors)
    }

    pub(super) fn fit_epsilon_svr(&self, columns: &dyn Columns, training: &Training<'_>) -> Result<Trained> {
        self.fit_svr(Tube::Epsilon(self.number("epsilon")?), columns, training)
    }

    pub(super) fn fit_nu_svr(&self, columns: &dyn Columns, training: &Training<'_>) -> Result<Trained> {
        self.fit_svr(Tube::Nu(self.number("nu")?), columns, training)
    }

    fn fit_svr(&self, tube: Tube, columns: &dyn Columns, training: &Training<'_>) -> Result<Trained> {
        let mut svr = Svr::by(self.number("C")?, tube).with_limits(self.limits(training)?);
        if let Some(weights) = training.weights {
            svr = svr.with_weights(weights.to_vec());
        }
        let model = svr.fit_columns(columns, training.numbers(self.name())?)?;
        Trained::new(model, Vec::new())
    }

    pub(super) fn fit_one_class(&self, columns: &dyn Columns, training: &Training<'_>) -> Result<Trained> {
        let mut learner = OneClass::new(self.number("nu")?).with_limits(self.limits(training)?);
        if let Some(weights) = training.weights {
            learner = learner.with_weights(weights.to_vec());
        }
        Trained::new(learner.fit_columns(columns, &())?, Vec::new())
    }

    pub(super) fn fit_perceptron(&self, columns: &dyn Columns, training: &Training<'_>) -> Result<Trained> {
        let learner = Perceptron::new(self.number("rounds")? as usize).with_bias(self.word("bias")? == "yes");
        let (classes, codes) = training.classes(self.name(), columns.len())?;
        let model = learner.with_budget(training.budget.clone()).fit_columns(columns, &codes)?;
        Trained::new(model, classes)
    }

    /// Trains several learners on the same similarities, in their order.
    ///
    /// Support vector classifiers that differ only in C are trained in ascending order of C, each warm-started from the
    /// one before: see [`Svc::fit_path`]. All others are trained one by one.
    pub fn fit_path(
        learners: &[&Learner],
        columns: &dyn Columns,
        training: &Training<'_>,
    ) -> Vec<Result<Trained>> {
        let mut out: Vec<Option<Result<Trained>>> = learners.iter().map(|_| None).collect();
        for at in 0..learners.len() {
            if out[at].is_some() {
                continue;
            }
            let mut alike: Vec<(f64, usize)> = match learners[at].without_c() {
                None => Vec::new(),
                Some(rest) => {
                    let same =
                        (at..learners.len()).filter(|&i| learners[i].without_c().as_ref() == Some(&rest));
                    same.filter_map(|i| Some((learners[i].number("C").ok()?, i))).collect()
                }
            };
            alike.sort_by(|a, b| a.0.total_cmp(&b.0));
            alike.dedup_by(|a, b| a.0 == b.0);
            match learners[at].fit_along(&alike, columns, training) {
                Some(Ok(path)) => alike.iter().zip(path).for_each(|(a, t)| out[a.1] = Some(Ok(t))),
                // Train one by one, so that each reports its own error.
                _ => out[at] = Some(learners[at].fit(columns, training)),
            }
        }
        // Equal learners are trained only once.
        for at in 0..learners.len() {
            if out[at].is_none() {
                out[at] = Some(learners[at].fit(columns, training));
            }
        }
        // A model that was cancelled is not a result.
        if training.budget.is_stopped() {
            return learners.iter().map(|_| Err(Error::Interrupted)).collect();
        }
        out.into_iter().flatten().collect()
    }

    /// The same learner at C = 1, for soft-margin classifiers only.
    fn without_c(&self) -> Option<Learner> {
        // Of all learners only `svc` has such a parameter.
        let soft = self.word("margin").ok()? == "soft";
        if soft && !self.gives_probabilities() { self.with("C", 1.0).ok() } else { None }
    }

    /// Models along ascending C, if there are several to train and the path applies.
    fn fit_along(
        &self,
        along: &[(f64, usize)],
        columns: &dyn Columns,
        training: &Training<'_>,
    ) -> Option<Result<Vec<Trained>>> {
        if along.len() < 2 || columns.is_empty() {
            return None;
        }
        let path = || {
            let (classes, codes) = training.classes(self.name(), columns.len())?;
            let factors = self.class_factors(training, &classes, &codes)?;
            let svc = self.svc(self.margin()?, training, factors.as_ref())?;
            let cs: Vec<f64> = along.iter().map(|a| a.0).collect();
            let models = svc.fit_path(columns, &codes, &cs)?;
            let trained = |m| Trained::new(m, classes.clone())?.with_class_weights(factors.clone());
            models.into_iter().map(trained).collect()
        };
        Some(path())
    }

    /// Trains on explicit features: for learners that [need them](Learner::needs_features), and for ridge regression
    /// and principal components, which give the same result as on the inner products of the features.
    ///
    /// ```
    /// use mercer::{data::{Dense, Target, Vectors}, expression::{Learner, Training}};
    /// let x = Vectors::from(Dense::from_rows(&[[-1.0], [0.0], [1.0], [2.0]]));
    /// let target = Target::Numbers(vec![-1.0, 1.0, 3.0, 5.0]);
    /// let learner: Learner = "linear-svr(C=1000, epsilon=0)".parse()?;
    /// let trained = learner.fit_features(&x, &Training::of(&target))?;
    /// let new = Vectors::from(Dense::from_rows(&[[3.0]]));
    /// assert!((trained.predict_features(&new)?.numbers().unwrap()[0] - 7.0).abs() < 0.1);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn fit_features<'r>(
        &self,
        vectors: impl Into<FeatureRows<'r>>,
        training: &Training<'_>,
    ) -> Result<Trained> {
        let vectors = vectors.into();
        let name = self.name();
        let (Fit::Features(fit) | Fit::Both(_, fit)) = self.facts.fit else {
            return Err(Error::usage(format!("{name} learns from similarities, not from features")));
        };
        training.budget.check()?;
        let trained = fit(self, vectors, training);
        training.budget.check()?;
        trained
    }

    fn linear_parameters(&self, training: &Training<'_>) -> Result<LinearParameters> {
        Ok(LinearParameters {
            c: self.number("C")?,
            loss: if self.word("loss")? == "absolute" { Loss::Absolute } else { Loss::Squared },
            bias: Some(self.number("bias")?).filter(|b| *b > 0.0),
            epochs: self.number("epochs")? as u64,
            seed: training.seed,
        })
    }

    pub(super) fn fit_linear_svr(&self, rows: FeatureRows<'_>, training: &Training<'_>) -> Result<Trained> {
        let parameters = self.linear_parameters(training)?;
        let learner = LinearSvr::new(parameters.c, self.number("epsilon")?);
        let mut learner = learner.with_parameters(parameters).with_limits(self.limits(training)?);
        if let Some(weights) = training.weights {
            learner = learner.with_weights(weights.to_vec());
        }
        let target = training.numbers(self.name())?;
        if target.len() != rows.len() {
            return Err(Error::usage(format!("{} numbers for {} vectors", target.len(), rows.len())));
        }
        Trained::new(learner.fit_features(rows, target)?, Vec::new())
    }

    pub(super) fn fit_linear_svc(&self, rows: FeatureRows<'_>, training: &Training<'_>) -> Result<Trained> {
        let parameters = self.linear_parameters(training)?;
        let (classes, codes) = training.classes(self.name(), rows.len())?;
        let scheme = match self.word("scheme")? {
            "crammer-singer" => LinearScheme::CrammerSinger,
            _ => LinearScheme::OneVersusRest,
        };
        let learner = LinearSvc::new(parameters.c).with_parameters(parameters).with_scheme(scheme);
        let mut learner = learner.with_limits(self.limits(training)?);
        let factors = self.class_factors(training, &classes, &codes)?;
        if let Some(factors) = &factors {
            learner = learner.with_class_weights(factors.clone());
        }
        if let Some(weights) = training.weights {
            learner = learner.with_weights(weights.to_vec());
        }
        Trained::new(learner.fit_features(rows, &codes)?, classes)?.with_class_weights(factors)
    }

    /// Principal components from explicit features.
    pub(super) fn fit_pca_features(&self, rows: FeatureRows<'_>, _: &Training<'_>) -> Result<Trained> {
        let map = LinearMap::components(rows, self.number("components")? as usize)?;
        Trained::stored(Box::new(LinearFunctions { map, stand_for: Linear::Components }), Vec::new())
    }

    /// Ridge regression from explicit features.
    pub(super) fn fit_ridge_features(
        &self,
        rows: FeatureRows<'_>,
        training: &Training<'_>,
    ) -> Result<Trained> {
        if training.weights.is_some() {
            return Err(Error::usage("ridge does not support object weights: leave them out"));
        }
        let learner = self.resolved_on_features(rows, training)?;
        let (lambda, intercept) = (learner.number("lambda")?, self.word("intercept")? == "yes");
        let (targets, classes) = self.ridge_targets(rows.len(), training)?;
        let stand_for = if training.is_numeric() { Linear::Number } else { Linear::Classes };
        let map = LinearMap::ridge(rows, &targets, lambda, intercept)?;
        Trained::stored(Box::new(LinearFunctions { map, stand_for }), classes)
    }

    /// The targets of ridge regression, one column for each function, and the names of the classes.
    fn ridge_targets(&self, n: usize, training: &Training<'_>) -> Result<(Dense, Vec<String>)> {
        if training.is_numeric() {
            let target = training.numbers("ridge")?.to_vec();
            return Ok((Dense::new(target.len(), 1, target)?, Vec::new()));
        }
        let (classes, codes) = training.classes("ridge", n)?;
        Ok((signs(codes.codes(), classes.len()), classes))
    }

    /// Whether the penalty of ridge regression is still to be learned, by [`Learner::resolved`].
    pub fn learns_lambda(&self) -> bool {
        self.word("lambda").is_ok_and(|word| word == "learned")
    }

    /// The learner with the number that `ridge(lambda=learned)` finds on a Gram matrix; other learners are unchanged.
    ///
    /// ```
    /// use mercer::{data::{Dense, Target}, expression::{Learner, Training}};
    /// let x = [-2.0, -1.0, 1.0, 2.0f64];
    /// let gram = Dense::new(4, 4, x.iter().flat_map(|a| x.iter().map(move |b| a * b)).collect())?;
    /// let target = Target::Numbers(vec![-4.0, -2.0, 2.0, 4.0]);
    /// let learner: Learner = "ridge(lambda=learned)".parse()?;
    /// // y = 2 x without noise: hardly any penalty. The mean squared length is 2.5.
    /// assert_eq!(learner.resolved(&gram, &Training::of(&target))?.to_string(), "ridge(lambda=2.5e-7)");
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn resolved(&self, gram: &Dense, training: &Training<'_>) -> Result<Learner> {
        self.resolved_by(gram.rows(), training, |targets, intercept| learned_lambda(gram, targets, intercept))
    }

    /// The same on explicit features.
    pub fn resolved_on_features(&self, rows: FeatureRows<'_>, training: &Training<'_>) -> Result<Learner> {
        self.resolved_by(rows.len(), training, |targets, intercept| {
            LinearMap::learned_lambda(rows, targets, intercept)
        })
    }

    fn resolved_by(
        &self,
        n: usize,
        training: &Training<'_>,
        learn: impl FnOnce(&Dense, bool) -> Result<f64>,
    ) -> Result<Learner> {
        if !self.learns_lambda() {
            return Ok(self.clone());
        }
        if self.number("landmarks")? > 0.0 {
            let domain = "a number above 0 with landmarks: leave-one-out errors need all objects";
            return Err(Error::param("lambda", "learned", domain));
        }
        let (targets, _) = self.ridge_targets(n, training)?;
        self.with("lambda", learn(&targets, self.word("intercept")? == "yes")?)
    }

    /// The factor of each class of the training set; `None` if all are 1.
    pub(super) fn class_factors(
        &self,
        training: &Training<'_>,
        classes: &[String],
        codes: &ClassCodes,
    ) -> Result<Option<Vec<f64>>> {
        let known = match training.target {
            Some(Target::Classes(target)) => target.levels(),
            _ => classes,
        };
        self.word("weights")?.parse::<ClassWeights>()?.factors(classes, known, codes.codes())
    }

    /// The margin of `svc`.
    pub(super) fn margin(&self) -> Result<Margin> {
        match self.word("margin")? {
            "hard" => Ok(Margin::Hard),
            _ => Ok(Margin::C(self.number("C")?)),
        }
    }

    pub(super) fn scheme(&self) -> Result<Scheme> {
        Ok(match self.word("scheme")? {
            "one-versus-rest" => Scheme::OneVersusRest,
            _ => Scheme::OneVersusOne,
        })
    }

    pub(super) fn svc(
        &self,
        margin: Margin,
        training: &Training<'_>,
        factors: Option<&Vec<f64>>,
    ) -> Result<Svc> {
        let mut svc = Svc::by(margin).with_scheme(self.scheme()?).with_limits(self.limits(training)?);
        if let Some(factors) = factors {
            svc = svc.with_class_weights(factors.clone());
        }
        if let Some(weights) = training.weights {
            svc = svc.with_weights(weights.to_vec());
        }
        Ok(svc)
    }

    pub(super) fn fit_ridge(&self, columns: &dyn Columns, training: &Training<'_>) -> Result<Trained> {
        if self.learns_lambda() {
            let gram = whole(columns, 3, "the matrix of ridge regression and its eigenvectors, in memory,")?;
            return self.resolved(&gram, training)?.fit_ridge(&GramColumns::new(&gram)?, training);
        }
        let intercept = self.word("intercept")? == "yes";
        let ridge = Ridge::new(self.number("lambda")?).with_intercept(intercept);
        let landmarks = self.number("landmarks")? as usize;
        if (1..columns.len()).contains(&landmarks) {
            return self.fit_on_landmarks(&ridge, landmarks, columns, training);
        }
        if training.is_numeric() {
            let model = ridge.fit_columns(columns, training.numbers("ridge")?)?;
            return Trained::new(model, Vec::new());
        }
        let (classes, codes) = training.classes("ridge", columns.len())?;
        let model = ridge.fit_columns(columns, &codes)?;
        Trained::new(model, classes)
    }

    /// The Gaussian process of the settings.
    pub(super) fn gaussian_process(&self, training: &Training<'_>) -> Result<GaussianProcess> {
        let mut gp = GaussianProcess::new().with_constant_mean(self.word("mean")? == "constant");
        for (name, with) in [
            ("noise", GaussianProcess::with_noise as fn(GaussianProcess, f64) -> GaussianProcess),
            ("scale", GaussianProcess::with_scale),
        ] {
            match self.word(name) {
                Ok("learned") => {}
                Ok(_) => gp = with(gp, 0.0),
                Err(_) => gp = with(gp, self.number(name)?),
            }
        }
        if let Some(weights) = training.weights {
            gp = gp.with_weights(weights.to_vec());
        }
        Ok(gp)
    }

    pub(super) fn fit_gp(&self, columns: &dyn Columns, training: &Training<'_>) -> Result<Trained> {
        let target = training.numbers(self.name())?;
        if self.word("mean")? == "linear" {
            // With a kernel it became a part of that: see `Learner::with_kernel`.
            let domain =
                "constant or zero where similarities are given: a linear mean needs columns of numbers";
            return Err(Error::param("mean", "linear", domain));
        }
        let landmarks = self.number("landmarks")? as usize;
        if self.word("solver")? == "cg" {
            return self.fit_iterative_gp(columns, landmarks, target, training);
        }
        if (1..columns.len()).contains(&landmarks) {
            return self.fit_sparse_gp(columns, landmarks, target, training);
        }
        Trained::new(self.gaussian_process(training)?.fit_columns(columns, target)?, Vec::new())
    }

    fn fit_sparse_gp(
        &self,
        columns: &dyn Columns,
        landmarks: usize,
        target: &[f64],
        training: &Training<'_>,
    ) -> Result<Trained> {
        if training.weights.is_some() {
            return Err(Error::usage("gp with landmarks does not support object weights: leave them out"));
        }
        let chosen = Random::derived(training.seed, 0xfa1c).sample(columns.len(), landmarks);
        let mut gp = SparseGp::new().with_constant_mean(self.word("mean")? == "constant");
        if self.word("noise").is_err() {
            gp = gp.with_noise(self.number("noise")?);
        } else if self.word("noise")? == "none" {
            return Err(Error::param(
                "noise",
                "none",
                "learned or a number above 0, where landmarks are used",
            ));
        }
        if self.word("scale").is_err() {
            gp = gp.with_scale(self.number("scale")?);
        }
        Trained::new(gp.fit_landmarks(columns, &chosen, target)?, Vec::new())?.over(chosen)
    }

    fn fit_iterative_gp(
        &self,
        columns: &dyn Columns,
        landmarks: usize,
        target: &[f64],
        training: &Training<'_>,
    ) -> Result<Trained> {
        let rank = if landmarks == 0 { PIVOTS } else { landmarks };
        let mut gp = IterativeGp::new(rank).with_constant_mean(self.word("mean")? == "constant");
        if self.word("noise").is_err() {
            gp = gp.with_noise(self.number("noise")?);
        } else if self.word("noise")? == "none" {
            return Err(Error::param("noise", "none", "learned or a number above 0, with solver=cg"));
        }
        if self.word("scale").is_err() {
            gp = gp.with_scale(self.number("scale")?);
        }
        let model = gp.fit_columns(columns, target, training.weights, training.seed)?;
        Trained::new(model, Vec::new())
    }

    pub(super) fn fit_gpc(&self, columns: &dyn Columns, training: &Training<'_>) -> Result<Trained> {
        let (classes, codes) = training.classes(self.name(), columns.len())?;
        let mut learner = GpClassifier::new().with_approximation(match self.word("approximation")? {
            "ep" => Approximation::ExpectationPropagation,
            _ => Approximation::Laplace,
        });
        if self.word("scale").is_err() {
            learner = learner.with_scale(self.number("scale")?);
        }
        Trained::new(learner.fit_columns(columns, &codes)?, classes)
    }

    fn fit_on_landmarks(
        &self,
        ridge: &Ridge,
        count: usize,
        columns: &dyn Columns,
        training: &Training<'_>,
    ) -> Result<Trained> {
        let chosen = Random::derived(training.seed, 0xfa1c).sample(columns.len(), count);
        let fit = |targets: &Dense| ridge.fit_landmarks(columns, &chosen, targets, &training.budget);
        let trained = if training.is_numeric() {
            let target = training.numbers("ridge")?.to_vec();
            let model = fit(&Dense::new(target.len(), 1, target)?)?;
            Trained::new(model, Vec::new())?
        } else {
            let (classes, codes) = training.classes("ridge", columns.len())?;
            let model = fit(&signs(codes.codes(), classes.len()))?;
            Trained::new(RidgeClassifier::from_parts(model), classes)?
        };
        trained.over(chosen)
    }

    pub(super) fn fit_voted(&self, columns: &dyn Columns, training: &Training<'_>) -> Result<Trained> {
        let order = match self.word("order")? {
            "shuffled" => Order::Seeded(training.seed),
            _ => Order::Given,
        };
        let rule = match self.word("rule")? {
            "average" => Rule::Average,
            "last" => Rule::Last,
            _ => Rule::Vote,
        };
        let learner = VotedPerceptron::new(self.number("rounds")? as usize).with_rule(rule);
        let learner = learner.with_order(order).with_bias(self.word("bias")? == "yes");
        let (classes, codes) = training.classes("voted-perceptron", columns.len())?;
        let model = learner.with_budget(training.budget.clone()).fit_columns(columns, &codes)?;
        Trained::new(model, classes)
    }

    pub(super) fn fit_knn(&self, columns: &dyn Columns, training: &Training<'_>) -> Result<Trained> {
        let measure = match self.word("measure")? {
            "distance" => Measure::Distance,
            _ => Measure::Similarity,
        };
        let counted = match self.word("weights")? {
            "distance" => Neighbours::Distance,
            _ => Neighbours::Uniform,
        };
        let knn = Knn::new(self.number("k")? as usize).with_measure(measure).with_neighbours(counted);
        if training.is_numeric() {
            let model = knn.fit_columns(columns, training.numbers("knn")?)?;
            return Trained::new(model, Vec::new());
        }
        let (classes, codes) = training.classes("knn", columns.len())?;
        let model = knn.fit_columns(columns, &codes)?;
        Trained::new(model, classes)
    }

    pub(super) fn fit_pca(&self, columns: &dyn Columns, _: &Training<'_>) -> Result<Trained> {
        let model = KernelPca::new(self.number("components")? as usize).fit_columns(columns, &())?;
        if model.components() == 0 {
            return Err(Error::usage("no components: the kernel maps all objects to the same point"));
        }
        Trained::new(model, Vec::new())
    }

    pub(super) fn fit_kmeans(&self, columns: &dyn Columns, training: &Training<'_>) -> Result<Trained> {
        let (k, n) = (self.number("k")? as usize, columns.len());
        if k > n {
            return Err(Error::param("k", k, &format!("at most {n}, the number of objects")));
        }
        let learner = KernelKMeans::new(k)
            .with_restarts(self.number("restarts")? as usize)
            .with_iterations(self.number("iterations")? as usize)
            .with_seed(training.seed)
            .with_budget(training.budget.clone());
        let model = learner.fit_columns(columns, &())?;
        let names = (1..=k).map(|c| format!("cluster {c}")).collect();
        Trained::new(model, names)
    }

    /// The limits among the parameters; those a learner does not have keep their defaults.
    pub(super) fn limits(&self, training: &Training<'_>) -> Result<Limits> {
        let mut limits = Limits { budget: training.budget.clone(), ..Limits::default() };
        for (parameter, _) in self.settings() {
            match parameter.name {
                "tolerance" => limits.tolerance = self.number("tolerance")?,
                "solver" => {
                    limits.method = match self.word("solver")? {
                        "smo" => Method::Pairs,
                        "active-set" => Method::ActiveSet,
                        _ => Method::Auto,
                    }
                }
                "indefinite" => limits.indefinite = self.word("indefinite")? == "accept",
                "iterations" => limits.iterations = self.number("iterations")? as u64,
                "cache" => limits.cache_bytes = (self.number("cache")? * 1e6) as u64,
                "seconds" => {
                    let seconds = self.number("seconds")?;
                    // Times too long for a Duration mean no limit.
                    limits.time = Duration::try_from_secs_f64(seconds).ok().filter(|t| !t.is_zero());
                }
                _ => {}
            }
        }
        Ok(limits)
    }
}
