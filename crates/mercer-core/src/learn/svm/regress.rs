//! Support vector regression.

use super::super::learner::{Learner, ModelOutput, PredictFrom, Predictor, Resources, take_back};
use super::super::typed::{Regressor, fit_numbers};
use super::Certificate;
use super::problem::{DecisionFunction, check_some, check_weights, fill_up, run};
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::Engine;
use crate::solve::{Bank, Columns, Limits};
use crate::traits::{Domain, Kernel};

/// The width of the tube within which errors have no cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tube {
    /// This half-width, at least 0.
    Epsilon(f64),
    /// A width that leaves about this share of objects outside: ν in (0, 1].
    Nu(f64),
}

/// Support vector regression.
///
/// Minimises ½|w|² + C·Σ w_i·max(0, |y_i - f(x_i)| - ε) through its dual.
///
/// * `C`: the cost of errors beyond the tube, finite and above 0.
/// * `epsilon`: the half-width of the tube, at least 0 ([`Svr::new`]); or ν in (0, 1], which determines it
///   ([`Svr::nu`]).
/// * `weights`: a factor of C for each object; `limits`: the tolerance and the stopping criteria; `engine`: threads,
///   memory and time.
///
/// Parameters outside their domain are errors of the fit. Time between O(n²) and O(n³) kernel values; rows are cached.
///
/// ```
/// use mercer_core::data::{Dense, Vectors};
/// use mercer_core::{Linear, Svr};
/// let x = Vectors::from(Dense::from_rows(&[[0.0], [1.0], [2.0], [3.0]]));
/// let model = Svr::new(100.0, 0.1).fit(&Linear, &x, &[1.0, 3.0, 5.0, 7.0])?;
/// let predicted = model.predict(&Vectors::from(Dense::from_rows(&[[4.0]])))?;
/// assert!((predicted[0] - 9.0).abs() < 0.25); // the flattest line in the tube is a little flatter than y = 2x + 1
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Reference: Vapnik 1995; Schölkopf et al. 2000 (ν).
#[derive(Clone, Debug)]
pub struct Svr {
    c: f64,
    tube: Tube,
    weights: Option<Vec<f64>>,
    limits: Limits,
    resources: Resources,
}

impl Svr {
    /// Regression with a tube of this half-width; C must be finite and above 0, ε at least 0.
    pub fn new(c: f64, epsilon: f64) -> Self {
        Svr::by(c, Tube::Epsilon(epsilon))
    }

    /// Regression with a tube that leaves about a share ν of objects outside; above 0 and at most 1.
    pub fn nu(c: f64, nu: f64) -> Self {
        Svr::by(c, Tube::Nu(nu))
    }

    /// Regression with this tube.
    pub fn by(c: f64, tube: Tube) -> Self {
        Svr { c, tube, weights: None, limits: Limits::default(), resources: Resources::default() }
    }

    fn check(&self) -> Result<()> {
        Domain::Positive.check("C", self.c)?;
        match self.tube {
            Tube::Epsilon(e) => Domain::NonNegative.check("epsilon", e).map(drop),
            Tube::Nu(nu) if !(nu > 0.0 && nu <= 1.0) => Err(Error::param("nu", nu, "above 0 and at most 1")),
            Tube::Nu(_) => Ok(()),
        }
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

    /// Sets other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Fits to objects with a finite number each, with any kernel.
    pub fn fit<X: Sync + ?Sized, K: Kernel<X> + Clone>(
        &self,
        kernel: &K,
        objects: &X,
        target: &[f64],
    ) -> Result<Regressor<X, K, SvrModel>> {
        fit_numbers(self, &self.resources, kernel, objects, target)
    }

    /// Checks the parameters, and that there is a finite number for each of n objects.
    fn check_target(&self, n: usize, target: &[f64]) -> Result<()> {
        self.check()?;
        if target.len() != n || n == 0 {
            return Err(Error::usage(format!("{} numbers for {n} objects", target.len())));
        }
        match target.iter().position(|y| !y.is_finite()) {
            Some(index) => {
                Err(Error::Object { index, reason: "its target is not finite".into(), hint: None })
            }
            None => Ok(()),
        }
    }

    /// The problem after all checks, for a tube given by ε.
    pub(super) fn problem(&self, n: usize, target: &[f64]) -> Result<Bank> {
        let Tube::Epsilon(epsilon) = self.tube else {
            return Err(Error::usage("leave-one-out values need a tube given by epsilon"));
        };
        self.check_target(n, target)?;
        let weights = self.own_weights(n)?;
        if weights.iter().filter(|w| **w > 0.0).count() < 2 {
            return Err(Error::usage("leave-one-out values need two objects with positive weights"));
        }
        let bounds: Vec<f64> = weights.iter().map(|w| self.c * w).collect();
        Ok(bank(target, &bounds, epsilon))
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(super) fn own_weights(&self, n: usize) -> Result<Vec<f64>> {
        check_weights(self.weights.as_deref(), n)
    }

    pub(super) fn fit_weighted(
        &self,
        columns: &dyn Columns,
        target: &[f64],
        weights: Vec<f64>,
    ) -> Result<SvrModel> {
        self.check_target(columns.len(), target)?;
        check_some(&weights)?;
        let bounds: Vec<f64> = weights.iter().map(|w| self.c * w).collect();
        let model = match self.tube {
            Tube::Epsilon(epsilon) => self.fit_epsilon(columns, target, &bounds, epsilon)?,
            Tube::Nu(nu) => self.fit_nu(columns, target, &bounds, nu)?,
        };
        Ok(model)
    }

    fn fit_epsilon(
        &self,
        columns: &dyn Columns,
        target: &[f64],
        bounds: &[f64],
        epsilon: f64,
    ) -> Result<SvrModel> {
        let outcome = run(columns, vec![bank(target, bounds, epsilon)], &self.limits)?;
        let offset = outcome.solution.offsets[0];
        Ok(SvrModel { model: outcome.model(offset, 1.0), epsilon })
    }

    fn fit_nu(&self, columns: &dyn Columns, target: &[f64], bounds: &[f64], nu: f64) -> Result<SvrModel> {
        let sum = 0.5 * nu * bounds.iter().sum::<f64>();
        let linear: Vec<f64> = target.iter().map(|y| -y).collect();
        let zeros = vec![0.0; target.len()];
        let start = fill_up(bounds, sum);
        let above = Bank {
            beta: start.clone(),
            lower: zeros.clone(),
            upper: bounds.to_vec(),
            linear: linear.clone(),
            kink: 0.0,
        };
        let below = Bank {
            beta: start.iter().map(|v| -v).collect(),
            lower: bounds.iter().map(|b| -b).collect(),
            upper: zeros,
            linear,
            kink: 0.0,
        };
        let outcome = run(columns, vec![above, below], &self.limits)?;
        let (up, down) = (outcome.solution.offsets[0], outcome.solution.offsets[1]);
        let (offset, epsilon) = (0.5 * (up + down), (0.5 * (down - up)).max(0.0));
        Ok(SvrModel { model: outcome.model(offset, 1.0), epsilon })
    }
}

/// The bank of ε-SVR.
fn bank(target: &[f64], bounds: &[f64], epsilon: f64) -> Bank {
    Bank {
        beta: vec![0.0; target.len()],
        lower: bounds.iter().map(|b| -b).collect(),
        upper: bounds.to_vec(),
        linear: target.iter().map(|y| -y).collect(),
        kink: epsilon,
    }
}

impl Learner<[f64]> for Svr {
    type Model = SvrModel;

    fn fit_columns(&self, columns: &dyn Columns, target: &[f64]) -> Result<SvrModel> {
        self.fit_weighted(columns, target, self.own_weights(columns.len())?)
    }
}

impl Predictor for SvrModel {
    type Output = f64;

    fn predict_from(&self, new: &PredictFrom<'_>) -> Result<ModelOutput<f64>> {
        ModelOutput::numbers(self.predict(new.similarities()?.0)?)
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

/// A trained regression.
#[derive(Clone, Debug, PartialEq)]
pub struct SvrModel {
    model: DecisionFunction,
    epsilon: f64,
}

impl SvrModel {
    /// A model from a file, whose support vectors are numbered from 0.
    #[doc(hidden)]
    pub fn from_parts(model: DecisionFunction, epsilon: f64) -> Result<Self> {
        model.check(model.support.len())?;
        Ok(SvrModel { model, epsilon })
    }

    /// The same model with support vectors numbered from 0.
    #[doc(hidden)]
    pub fn renumbered(mut self) -> Self {
        self.model.support = (0..self.model.support.len()).collect();
        self
    }

    /// The same function over all of n training objects; object k of this model is object `support[k]` there.
    pub(in super::super) fn spread(&self, support: &[usize], n: usize) -> Self {
        let mut coefficients = vec![0.0; n];
        self.model
            .support
            .iter()
            .zip(&self.model.coefficients)
            .for_each(|(&k, c)| coefficients[support[k]] = *c);
        let model = DecisionFunction {
            support: (0..n).collect(),
            coefficients,
            certificate: None,
            locations: Vec::new(),
            offset: self.model.offset,
        };
        SvrModel { model, epsilon: self.epsilon }
    }

    /// The training objects it needs, ascending.
    pub fn support(&self) -> &[usize] {
        &self.model.support
    }

    /// The decision function, with its certificate.
    pub fn model(&self) -> &DecisionFunction {
        &self.model
    }

    /// The half-width of the tube: given, or determined by ν; NaN if the model comes from a file without it.
    pub fn epsilon(&self) -> f64 {
        self.epsilon
    }

    /// The number predicted for each new object, from its similarities to [`SvrModel::support`].
    pub fn predict(&self, cross: &Dense) -> Result<Vec<f64>> {
        self.model.decisions(cross)
    }
}
