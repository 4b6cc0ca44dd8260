//! Classification with soft margin, hard margin or ν, for two or more classes.

use super::super::learner::{ClassCodes, Learner, Resources};
use super::super::typed::{Classifier, fit_labels};
use super::binary::{hard, most_nu, soft, soft_nu};
use super::problem::{DecisionFunction, check_weights};
use super::svc_model::pairs_of;
use super::{ProbabilisticSvc, SvcModel};
use crate::budget;
use crate::data::Dense;
use crate::error::{Code, Error, Result};
use crate::gram::Engine;
use crate::parallel;
use crate::solve::{Columns, GramColumns, Limits, Subset};
use crate::traits::{Domain, Kernel};

/// The trade-off between errors and the width of the margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Margin {
    /// Soft margin: C times the sum of errors.
    C(f64),
    /// Soft margin with ν in (0, 1]: at most this share of objects inside the margin, at least this share of support
    /// vectors.
    Nu(f64),
    /// No errors allowed; fails if the classes are not separable.
    Hard,
}

/// Fits models for two classes, from columns, signs and weights.
type FitPair<'a> = dyn Fn(&dyn Columns, &[f64], &[f64]) -> Result<Vec<DecisionFunction>> + Sync + 'a;

/// The scheme for more than two classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Scheme {
    /// A binary classifier for each pair of classes, decided by votes; in a tie the first class wins, as in LIBSVM.
    #[default]
    OneVersusOne,
    /// A binary classifier for each class against all others; the largest decision value decides.
    OneVersusRest,
}

/// A support vector classifier.
///
/// For two classes with y = ±1: minimise ½|w|² + C·Σ w_i·max(0, 1 - y_i·f(x_i)), f(x) = w·φ(x) - b, through its dual.
///
/// * `C`: the cost of errors, finite and above 0 ([`Svc::new`]); or ν in (0, 1] ([`Svc::nu`]); or no errors at all
///   ([`Svc::hard`]).
/// * `scheme`: the scheme for more than two classes; by default [`Scheme::OneVersusOne`].
/// * `weights`, `class_weights`: factors of C for each object and for each class; by default 1.
/// * `limits`: the tolerance and the stopping criteria; `engine`: threads, memory and time of [`Svc::fit`].
///
/// Parameters outside their domain are errors of the fit. Time between O(n²) and O(n³) kernel values; rows are cached.
///
/// ```
/// use mercer_core::data::{Dense, Vectors};
/// use mercer_core::{Linear, Svc};
/// // Four points on a line.
/// let x = Vectors::from(Dense::from_rows(&[[-2.0], [-1.0], [1.0], [3.0]]));
/// let model = Svc::new(10.0).fit(&Linear, &x, &["left", "left", "right", "right"])?;
/// assert!(model.certificate().is_some_and(|c| c.converged()));
/// assert_eq!(model.support(), [1, 2]);
/// assert_eq!(model.predict(&Vectors::from(Dense::from_rows(&[[0.5]])))?, ["right"]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Reference: Cortes & Vapnik 1995; Schölkopf et al. 2000 (ν).
#[derive(Clone, Debug)]
pub struct Svc {
    margin: Margin,
    scheme: Scheme,
    class_weights: Option<Vec<f64>>,
    weights: Option<Vec<f64>>,
    limits: Limits,
    resources: Resources,
}

impl Svc {
    /// A classifier with a soft margin; C must be finite and above 0.
    pub fn new(c: f64) -> Self {
        Svc::by(Margin::C(c))
    }

    /// A classifier with a soft margin given by ν, which must be above 0 and at most 1.
    pub fn nu(nu: f64) -> Self {
        Svc::by(Margin::Nu(nu))
    }

    /// A classifier that allows no errors; its fit fails if the classes are not separable.
    pub fn hard() -> Self {
        Svc::by(Margin::Hard)
    }

    /// A classifier with this margin.
    pub fn by(margin: Margin) -> Self {
        Svc {
            margin,
            scheme: Scheme::default(),
            class_weights: None,
            weights: None,
            limits: Limits::default(),
            resources: Resources::default(),
        }
    }

    /// Sets the scheme for more than two classes.
    #[must_use]
    pub fn with_scheme(mut self, scheme: Scheme) -> Self {
        self.scheme = scheme;
        self
    }

    /// Sets a factor of C for each class, in ascending order of their labels; each finite and above 0.
    #[must_use]
    pub fn with_class_weights(mut self, weights: Vec<f64>) -> Self {
        self.class_weights = Some(weights);
        self
    }

    /// Sets a factor of C for each training object; each finite and at least 0.
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

    /// Adds probabilities, calibrated on held-out decision values: about five more fits.
    pub fn with_probability(self) -> ProbabilisticSvc {
        ProbabilisticSvc::new(self)
    }

    /// Sets other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Fits to labelled objects, with any kernel.
    ///
    /// Fails if the numbers of labels and objects differ, or with fewer than two classes. A solver that reaches a limit
    /// is not an error; it is reported in the certificate and the warnings of the model.
    ///
    /// ```
    /// use mercer_core::data::{Dense, Vectors};
    /// use mercer_core::{Rbf, Svc};
    /// let x = Vectors::from(Dense::from_rows(&[[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]));
    /// let model = Svc::new(10.0).fit(&Rbf::new(1.0)?, &x, &[true, true, false, false])?;
    /// assert_eq!(model.predict(&x)?, [true, true, false, false]);
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn fit<X: Sync + ?Sized, K: Kernel<X> + Clone, L: Ord + Clone>(
        &self,
        kernel: &K,
        objects: &X,
        labels: &[L],
    ) -> Result<Classifier<X, K, SvcModel, L>> {
        fit_labels(self, &self.resources, kernel, objects, labels)
    }

    pub(super) fn margin(&self) -> Margin {
        self.margin
    }

    pub(super) fn scheme(&self) -> Scheme {
        self.scheme
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(super) fn resources(&self) -> &Resources {
        &self.resources
    }

    /// Checks that the parameters are in their domains.
    pub(super) fn check(&self) -> Result<()> {
        match self.margin {
            Margin::C(c) => {
                Domain::Positive.check("C", c)?;
            }
            Margin::Nu(nu) if !(nu > 0.0 && nu <= 1.0) => {
                return Err(Error::param("nu", nu, "above 0 and at most 1"));
            }
            _ => {}
        }
        let mut factors = self.class_weights.iter().flatten();
        factors.try_for_each(|w| Domain::Positive.check("class weight", *w).map(drop))
    }

    /// Fits one model for each C of an ascending list, each starting from the previous solution.
    ///
    /// Once no support vector is at its bound, a larger C changes nothing, and the fit ends immediately. Starting from
    /// multiples of the previous solution is known from the literature to gain nothing.
    ///
    /// ```
    /// use mercer_core::{data::Dense, learn::{ClassCodes, Svc}, solve::GramColumns};
    /// let x = [-2.0, -1.0, 1.0, 3.0f64];
    /// let gram = Dense::new(4, 4, x.iter().flat_map(|a| x.iter().map(move |b| a * b)).collect())?;
    /// let codes = ClassCodes::new([0, 0, 1, 1], 2);
    /// let path = Svc::new(1.0).fit_path(&GramColumns::new(&gram)?, &codes, &[0.1, 1.0, 10.0])?;
    /// assert_eq!(path[1].classifiers()[0].coefficients, path[2].classifiers()[0].coefficients);
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn fit_path(&self, columns: &dyn Columns, target: &ClassCodes, cs: &[f64]) -> Result<Vec<SvcModel>> {
        if !matches!(self.margin, Margin::C(_)) {
            return Err(Error::usage("a path over C needs a soft margin given by C"));
        }
        cs.iter().try_for_each(|c| Domain::Positive.check("C", *c).map(drop))?;
        if !cs.is_sorted() {
            return Err(Error::usage("the values of C must ascend"));
        }
        let path = |part: &dyn Columns, signs: &[f64], own: &[f64]| {
            let mut beta = vec![0.0; signs.len()];
            let one = |&c: &f64| {
                let start = std::mem::take(&mut beta);
                let model = soft(part, signs, own, c, start, &self.limits)?;
                beta = vec![0.0; signs.len()];
                model.support.iter().zip(&model.coefficients).for_each(|(&k, v)| beta[k] = *v);
                Ok(model)
            };
            cs.iter().map(one).collect::<Result<Vec<_>>>()
        };
        self.fit_pairs(columns, target, &path)
    }

    /// Fits models for every pair of classes (or every class); returns as many classifiers as `fit` returns models.
    fn fit_pairs(
        &self,
        columns: &dyn Columns,
        target: &ClassCodes,
        fit: &FitPair<'_>,
    ) -> Result<Vec<SvcModel>> {
        self.check()?;
        let (n, classes) = (columns.len(), target.classes());
        self.check_target(n, target)?;
        let weights = self.object_weights(target)?;
        let target = target.codes();
        let pairs = pairs_of(self.scheme, classes);
        let shared = self.shared(columns, pairs.len())?;
        let held = shared.as_ref().map(GramColumns::trusted);
        let columns = held.as_ref().map_or(columns, |held| held as &dyn Columns);
        if let Some(empty) =
            (0..classes).find(|c| !target.iter().zip(&weights).any(|(t, w)| t == c && *w > 0.0))
        {
            // The wording of scikit-learn, which users search for.
            let reason = match (0..n).any(|i| weights[i] > 0.0) {
                false => "Invalid input - all samples have zero or negative weights".to_owned(),
                true if classes == 2 => {
                    "Invalid input - all samples with positive weights belong to the same class".to_owned()
                }
                true => format!("all objects of class {empty} (from 0) have weight 0"),
            };
            return Err(Error::Classes { reason });
        }
        let of_pair = |&(negative, positive): &(usize, usize)| {
            budget::check()?;
            let of_pair = |c: usize| c == positive || c == negative || negative == usize::MAX;
            let chosen: Vec<u32> = (0..n as u32).filter(|&i| of_pair(target[i as usize])).collect();
            let signs: Vec<f64> =
                chosen.iter().map(|&i| if target[i as usize] == positive { 1.0 } else { -1.0 }).collect();
            let own: Vec<f64> = chosen.iter().map(|&i| weights[i as usize]).collect();
            let models = match chosen.len() == n {
                true => fit(columns, &signs, &own)?,
                false => fit(&Subset::new(columns, chosen.clone())?, &signs, &own)?,
            };
            let outer = |model: DecisionFunction| {
                let support = model.support.iter().map(|&k| chosen[k] as usize).collect();
                DecisionFunction { support, ..model }
            };
            Ok(models.into_iter().map(outer).collect())
        };
        let fitted = parallel::try_map(pairs.len(), |k| of_pair(&pairs[k]))?;
        let count = fitted.first().map_or(0, Vec::len);
        let mut left: Vec<_> = fitted.into_iter().map(Vec::into_iter).collect();
        let codes: Vec<u32> = target.iter().map(|&c| c as u32).collect();
        let join = |_| {
            let models: Vec<DecisionFunction> = left.iter_mut().filter_map(Iterator::next).collect();
            let mut support: Vec<usize> = models.iter().flat_map(|m| m.support.iter().copied()).collect();
            support.sort_unstable();
            support.dedup();
            let support_classes = support.iter().map(|&s| codes[s]).collect();
            let (scheme, pairs, target) = (self.scheme, pairs.clone(), codes.clone());
            SvcModel { classes, scheme, pairs, models, support, support_classes, target }
        };
        Ok((0..count).map(join).collect())
    }

    /// The whole matrix, if `fits` classifiers would otherwise compute its rows again and again and the cache has room
    /// for it.
    ///
    /// With ten classes, each object takes part in nine pairs, and its row is computed in each of them. The matrix
    /// needs half of its entries once.
    pub(super) fn shared(&self, columns: &dyn Columns, fits: usize) -> Result<Option<Dense>> {
        let n = columns.len();
        let bytes = budget::matrix_bytes(n, n, 8);
        let looked_up = columns.batch() == 1;
        if fits < 2 || looked_up || bytes > self.limits.cache_bytes {
            return Ok(None);
        }
        match columns.whole() {
            // Rows on demand need less memory.
            Err(error) if error.code() == Code::MemoryPlan => Ok(None),
            whole => whole.map(Some),
        }
    }

    /// Checks that there is a class for each of n objects, and an object of each class.
    pub(super) fn check_target(&self, n: usize, target: &ClassCodes) -> Result<()> {
        let (target, classes) = (target.codes(), target.classes());
        if target.len() != n {
            return Err(Error::usage(format!("{} classes for {n} objects", target.len())));
        }
        if let Some(index) = target.iter().position(|&c| c >= classes) {
            let reason = format!("class {} (from 0), but there are {classes} classes", target[index]);
            return Err(Error::Object { index, reason, hint: None });
        }
        if let Some(missing) = (0..classes.max(2)).find(|c| !target.contains(c)) {
            return Err(Error::usage(format!("no object of class {missing}: every class needs members")));
        }
        Ok(())
    }

    /// The classes each model separates, as in [`SvcModel::pairs`].
    pub(super) fn pairs(&self, classes: usize) -> Vec<(usize, usize)> {
        pairs_of(self.scheme, classes)
    }

    /// Fits one model to a subset of its objects, lowering ν if the subset makes it infeasible.
    pub(super) fn fit_part(
        &self,
        columns: &dyn Columns,
        signs: &[f64],
        weights: &[f64],
    ) -> Result<DecisionFunction> {
        match self.margin {
            Margin::Nu(nu) => soft_nu(columns, signs, weights, nu.min(most_nu(signs, weights)), &self.limits),
            _ => self.fit_two(columns, signs, weights),
        }
    }

    /// The weight of each object, without its class weight.
    pub(super) fn own_weights(&self, n: usize) -> Result<Vec<f64>> {
        check_weights(self.weights.as_deref(), n)
    }

    /// The weight of each object times its class weight.
    pub(super) fn object_weights(&self, target: &ClassCodes) -> Result<Vec<f64>> {
        let (target, classes) = (target.codes(), target.classes());
        let mut weights = self.own_weights(target.len())?;
        if let Some(factors) = &self.class_weights {
            if factors.len() != classes {
                return Err(Error::usage(format!("{} class weights for {classes} classes", factors.len())));
            }
            weights.iter_mut().zip(target).for_each(|(w, &c)| *w *= factors[c]);
        }
        Ok(weights)
    }

    fn fit_two(&self, columns: &dyn Columns, signs: &[f64], weights: &[f64]) -> Result<DecisionFunction> {
        match self.margin {
            Margin::C(c) => soft(columns, signs, weights, c, vec![0.0; signs.len()], &self.limits),
            Margin::Nu(nu) => soft_nu(columns, signs, weights, nu, &self.limits),
            Margin::Hard => hard(columns, signs, weights, &self.limits),
        }
    }
}

impl Learner<ClassCodes> for Svc {
    type Model = SvcModel;

    fn fit_columns(&self, columns: &dyn Columns, target: &ClassCodes) -> Result<SvcModel> {
        let one = |part: &dyn Columns, signs: &[f64], own: &[f64]| Ok(vec![self.fit_two(part, signs, own)?]);
        let mut models = self.fit_pairs(columns, target, &one)?;
        models.pop().ok_or_else(|| Error::usage("no model was fitted"))
    }
}
