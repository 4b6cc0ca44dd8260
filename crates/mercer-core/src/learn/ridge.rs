//! Kernel ridge regression, its exact leave-one-out errors, and ridge classification.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::{inverse, solve};
use faer::{MatMut, MatRef, Par};

use super::learner::{ClassCodes, Learner, ModelOutput, PredictFrom, Predictor, Resources};
use super::rows::whole;
use super::targets::{check_codes, choose, classes_of, column, finite, sides};
use super::typed::{Classifier, Regressor, fit_labels, fit_numbers};
use crate::budget;
use crate::data::{Categories, Dense};
use crate::error::{Error, Result};
use crate::gram::certificate::require_psd;
use crate::gram::{Centering, Engine, Spectrum, check_finite, check_symmetric, eigenvalues};
use crate::numeric::Cholesky;
use crate::numeric::algebra::product;
use crate::numeric::check::{check_cross, check_values};
use crate::solve::Columns;
use crate::traits::Kernel;

/// Kernel ridge regression: the function that minimises Σ_i (y_i - f(x_i))² + λ |f|².
///
/// f(x) = Σ_i α_i k(x_i, x) with (K + λ I) α = y. With an intercept, f(x) + b is fitted with b free: objects are
/// centred in feature space and targets around their mean. The Gram matrix must be positive semidefinite.
///
/// * `lambda`: λ > 0, finite. The loss is a sum, not a mean: twice the data need twice the λ.
/// * `intercept`: whether to fit b; by default not.
///
/// Time O(n³ / 3) for the Cholesky factor and O(n²) per target; memory for one more n × n matrix.
///
/// ```
/// use mercer_core::data::{Dense, Vectors};
/// use mercer_core::{Linear, Ridge};
/// // The points 1 and 2 on a line, y = 3 x; ridge with λ = 5 gives w = Σ x y / (Σ x² + λ) = 1.5.
/// let x = Vectors::from(Dense::from_rows(&[[1.0], [2.0]]));
/// let model = Ridge::new(5.0).fit(&Linear, &x, &[3.0, 6.0])?;
/// let new = Vectors::from(Dense::from_rows(&[[10.0]]));
/// assert!((model.predict(&new)?[0] - 15.0).abs() < 1e-12);
/// // Classification by ridge regression on targets ±1.
/// assert_eq!(Ridge::new(0.1).fit_classes(&Linear, &x, &["a", "b"])?.classes(), ["a", "b"]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// C. Saunders, A. Gammerman and V. Vovk, *Ridge regression learning algorithm in dual variables*, ICML 1998.
#[derive(Clone, Debug, PartialEq)]
pub struct Ridge {
    lambda: f64,
    intercept: bool,
    resources: Resources,
}

/// A fitted ridge regression; predicts all targets at once.
#[derive(Clone, Debug, PartialEq)]
pub struct RidgeModel {
    /// One row per training object, one column per target.
    alpha: Dense,
    /// The data for the intercept: the centring and the mean of each target.
    origin: Option<(Centering, Vec<f64>)>,
}

/// Classification by ridge regression on targets ±1, one class against the rest.
#[derive(Clone, Debug, PartialEq)]
pub struct RidgeClassifier {
    model: RidgeModel,
}

/// Leave-one-out residuals of numbers or classes.
#[derive(Clone, Debug, PartialEq)]
pub struct RidgeResiduals {
    /// y_i - f₋ᵢ(x_i): one row per object, one column per target.
    pub values: Dense,
    /// The classes that occur: with two, the one column is that of the second; with more, one column each. Empty for
    /// numbers.
    pub classes: Vec<String>,
    /// The leave-one-out accuracy; `None` for numbers.
    pub accuracy: Option<f64>,
}

/// Leave-one-out errors over a list of λ, from [`ridge_path`].
#[derive(Clone, Debug, PartialEq)]
pub struct RidgePath {
    lambdas: Vec<f64>,
    errors: Vec<f64>,
}

impl Ridge {
    /// Ridge regression with this λ > 0 and no intercept.
    pub fn new(lambda: f64) -> Self {
        Ridge { lambda, intercept: false, resources: Resources::default() }
    }

    /// Sets the engine of the typed fit: its threads, its memory and its time.
    #[must_use]
    pub fn with_engine(mut self, engine: Engine) -> Self {
        self.resources.engine = Some(engine);
        self
    }

    /// λ.
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// Whether an intercept is fitted.
    pub fn has_intercept(&self) -> bool {
        self.intercept
    }

    /// Sets whether to fit an intercept.
    #[must_use]
    pub fn with_intercept(self, intercept: bool) -> Self {
        Ridge { intercept, ..self }
    }

    /// Fits to objects with a finite number each, with any positive semidefinite kernel.
    pub fn fit<X: Sync + ?Sized, K: Kernel<X> + Clone>(
        &self,
        kernel: &K,
        objects: &X,
        target: &[f64],
    ) -> Result<Regressor<X, K, RidgeModel>> {
        fit_numbers(self, &self.resources, kernel, objects, target)
    }

    /// Fits to labelled objects: regression on targets ±1, one class against the rest.
    pub fn fit_classes<X: Sync + ?Sized, K: Kernel<X> + Clone, L: Ord + Clone>(
        &self,
        kernel: &K,
        objects: &X,
        labels: &[L],
    ) -> Result<Classifier<X, K, RidgeClassifier, L>> {
        fit_labels(self, &self.resources, kernel, objects, labels)
    }

    /// Checks that λ is in its domain.
    pub(super) fn check(&self) -> Result<()> {
        check_lambda(self.lambda)
    }

    /// Fits several targets with one factorisation: one row per object, one column per target.
    pub fn fit_many(&self, gram: &Dense, targets: &Dense) -> Result<RidgeModel> {
        self.check()?;
        let system = System::new(gram, targets, self.intercept)?;
        let origin = system.origin.clone();
        let (alpha, _) = self.solve(gram, system, false)?;
        Ok(RidgeModel { alpha, origin })
    }

    /// The leave-one-out residuals y_i - f₋ᵢ(x_i), where f₋ᵢ is fitted without object i: one row per object, one column
    /// per target.
    ///
    /// Exact and in closed form: α_i / G_ii with G = (K + λ I)⁻¹; with an intercept, the component of G along the
    /// constant vector is removed. Time O(n³), about three times that of fitting.
    ///
    /// ```
    /// use mercer_core::{data::Dense, learn::Ridge};
    /// let k = Dense::from_rows(&[[1.0, 2.0], [2.0, 4.0]]);
    /// let residuals = Ridge::new(5.0).leave_one_out(&k, &Dense::from_rows(&[[3.0], [6.0]]))?;
    /// // Without the first point w = 12 / 9, so it is predicted as 4/3 and not as 3.
    /// assert!((residuals.at(0, 0) - (3.0 - 4.0 / 3.0)).abs() < 1e-12);
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn leave_one_out(&self, gram: &Dense, targets: &Dense) -> Result<Dense> {
        self.check()?;
        let system = System::new(gram, targets, self.intercept)?;
        let constant = system.constant(self.lambda);
        let (mut residuals, diagonal) = self.solve(gram, system, true)?;
        for (i, g) in diagonal.iter().enumerate() {
            residuals.row_mut(i).iter_mut().for_each(|r| *r /= g - constant);
        }
        finite(residuals)
    }

    /// The leave-one-out residuals of one target: one finite number per object.
    pub fn residuals(&self, gram: &Dense, target: &[f64]) -> Result<RidgeResiduals> {
        let values = self.leave_one_out(gram, &column(target)?)?;
        Ok(RidgeResiduals { values, classes: Vec::new(), accuracy: None })
    }

    /// The leave-one-out residuals of classes with targets ±1, and the accuracy.
    pub fn class_residuals(&self, gram: &Dense, target: &Categories) -> Result<RidgeResiduals> {
        let (classes, codes) = classes_of(target, gram.rows())?;
        let targets = signs(&codes, classes.len());
        let values = self.leave_one_out(gram, &targets)?;
        let mut predicted = targets;
        predicted.values_mut().iter_mut().zip(values.values()).for_each(|(y, r)| *y -= r);
        let right = choose(&predicted).iter().zip(&codes).filter(|(a, b)| a == b).count();
        let accuracy = Some(right as f64 / codes.len().max(1) as f64);
        Ok(RidgeResiduals { values, classes, accuracy })
    }

    /// α and, if `inverted`, the diagonal of the inverse.
    fn solve(&self, original: &Dense, system: System, inverted: bool) -> Result<(Dense, Vec<f64>)> {
        let System { mut gram, mut targets, .. } = system;
        let (n, m) = (gram.rows(), targets.cols());
        let memory = |_| numeric("not enough memory for K + λ I");
        (0..n).for_each(|i| gram.row_mut(i)[i] += self.lambda);
        let Some(factor) = Cholesky::new(gram)? else {
            let values = eigenvalues(original)?;
            require_psd(values[0], values[n - 1])?;
            return Err(numeric("K + λ I is numerically singular: raise lambda"));
        };
        budget::check()?;
        let lower = MatRef::from_row_major_slice(factor.lower().values(), n, n);
        if m > 0 {
            let right = MatMut::from_row_major_slice_mut(targets.values_mut(), n, m);
            let need = solve::solve_in_place_scratch::<f64>(n, m, Par::Seq);
            let mut buffer = MemBuffer::try_new(need).map_err(memory)?;
            solve::solve_in_place(lower, right, Par::Seq, MemStack::new(&mut buffer));
        }
        let mut diagonal = Vec::new();
        budget::check()?;
        if inverted {
            let needed = budget::matrix_bytes(n, n, size_of::<f64>());
            budget::ask(&format!("the inverse of a {n} × {n} matrix"), needed)?;
            let mut g = Dense::zeros(n, n);
            let out = MatMut::from_column_major_slice_mut(g.values_mut(), n, n);
            let mut buffer =
                MemBuffer::try_new(inverse::inverse_scratch::<f64>(n, Par::Seq)).map_err(memory)?;
            inverse::inverse(out, lower, Par::Seq, MemStack::new(&mut buffer));
            diagonal.extend((0..n).map(|i| g.at(i, i)));
        }
        if targets.values().iter().chain(&diagonal).any(|v| !v.is_finite()) {
            return Err(numeric("the solution of (K + λ I) α = y is not finite: raise lambda"));
        }
        Ok((targets, diagonal))
    }
}

/// The mean squared leave-one-out error for each λ, from one eigendecomposition K = U S Uᵀ.
///
/// α = U (S + λ)⁻¹ Uᵀ y and G_ii = Σ_k U_ik² / (s_k + λ); residuals as in [`Ridge::leave_one_out`], averaged over
/// objects and targets. Needs at least one λ, each above 0. Time O(n³) once and O(n² m) per λ for m targets.
///
/// ```
/// use mercer_core::{data::Dense, learn::ridge_path};
/// let k = Dense::from_rows(&[[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [3.0, 6.0, 9.0]]);
/// let y = Dense::from_rows(&[[3.1], [5.9], [9.0]]);
/// let path = ridge_path(&k, &y, &[0.01, 1.0, 100.0], false)?;
/// assert_eq!(path.best(), 0.01);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// R. Rifkin and R. Lippert, *Notes on regularized least squares*, MIT-CSAIL-TR-2007-025.
pub fn ridge_path(gram: &Dense, targets: &Dense, lambdas: &[f64], intercept: bool) -> Result<RidgePath> {
    lambdas.iter().try_for_each(|&lambda| check_lambda(lambda))?;
    if lambdas.is_empty() || targets.cols() == 0 {
        return Err(Error::usage("a path needs at least one lambda and one target"));
    }
    let system = System::new(gram, targets, intercept)?;
    let spectrum = Spectrum::of(&system.gram)?;
    let (n, m) = (system.gram.rows(), targets.cols());
    let mut squares = spectrum.vectors.clone();
    squares.values_mut().iter_mut().for_each(|u| *u *= *u);
    let rotated = product(&spectrum.vectors, &system.targets);
    // Eigenvalues that are negative by rounding count as 0.
    let rounding = spectrum.tolerance();
    let values: Vec<f64> =
        spectrum.values.iter().map(|&s| if (-rounding..0.0).contains(&s) { 0.0 } else { s }).collect();
    let mut errors = Vec::with_capacity(lambdas.len());
    for &lambda in lambdas {
        let weights: Vec<f64> = values.iter().map(|s| 1.0 / (s + lambda)).collect();
        if values[0] + lambda <= 0.0 {
            return Err(Error::NotPositiveDefinite { lambda_min: values[0], lambda_max: values[n - 1] });
        }
        let mut scaled = Dense::zeros(m + 1, n);
        for (k, weight) in weights.iter().enumerate() {
            (0..m).for_each(|t| scaled.row_mut(t)[k] = weight * rotated.at(k, t));
        }
        let alpha = product(&scaled, &spectrum.vectors);
        scaled.row_mut(m).copy_from_slice(&weights);
        let diagonal = product(&scaled, &squares);
        let constant = system.constant(lambda);
        let mut sum = 0.0;
        for t in 0..m {
            for (a, g) in alpha.row(t).iter().zip(diagonal.row(m)) {
                sum += (a / (g - constant)).powi(2);
            }
        }
        let error = sum / (n as f64 * m as f64);
        if !error.is_finite() {
            return Err(numeric(&format!("the leave-one-out error for lambda = {lambda} is not finite")));
        }
        errors.push(error);
    }
    Ok(RidgePath { lambdas: lambdas.to_vec(), errors })
}

/// The λ of least squared leave-one-out error among 21 values: the mean squared length of the objects in feature space
/// times 1e-7, 3e-7, 1e-6, …, 1e3, rounded to three digits.
///
/// With an intercept, lengths are those of centred objects. Time as for [`ridge_path`].
///
/// ```
/// use mercer_core::{data::Dense, learn::learned_lambda};
/// // Inner products of 1, 2 and 3: y is nearly a multiple of x, so that little smoothing is best.
/// let k = Dense::from_rows(&[[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [3.0, 6.0, 9.0]]);
/// let y = Dense::from_rows(&[[3.1], [5.9], [9.0]]);
/// assert!(learned_lambda(&k, &y, false)? < 0.1);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn learned_lambda(gram: &Dense, targets: &Dense, intercept: bool) -> Result<f64> {
    let n = gram.rows();
    check_symmetric(gram)?;
    let mut scale = (0..n).map(|i| gram.at(i, i) / n as f64).sum::<f64>();
    if intercept {
        let means = (0..n).map(|i| gram.row(i).iter().map(|v| v / n as f64).sum::<f64>());
        scale -= means.map(|mean| mean / n as f64).sum::<f64>();
    }
    ridge_path(gram, targets, &lambdas_around(scale), intercept).map(|path| path.best())
}

/// The multiples of the mean squared length among which λ is learned.
const FACTORS: [f64; 21] = [
    1e-7, 3e-7, 1e-6, 3e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0,
    100.0, 300.0, 1000.0,
];

/// The values of λ to choose from, for objects of this mean squared length.
pub(super) fn lambdas_around(length: f64) -> Vec<f64> {
    let length = if length.is_finite() && length > 0.0 { length } else { 1.0 };
    let rounded = |factor: &f64| format!("{:.2e}", length * factor).parse().ok();
    let found: Vec<f64> =
        FACTORS.iter().filter_map(rounded).filter(|v: &f64| v.is_finite() && *v > 0.0).collect();
    if found.is_empty() { FACTORS.to_vec() } else { found }
}

/// The system to solve: with an intercept, the centred matrix and targets.
struct System {
    gram: Dense,
    targets: Dense,
    origin: Option<(Centering, Vec<f64>)>,
    /// Centring makes the constant vector a null vector. This eigenvalue replaces 0, so that its contribution to the
    /// inverse has the magnitude of the rest and can be subtracted without loss of digits.
    filled: f64,
}

impl System {
    fn new(gram: &Dense, targets: &Dense, intercept: bool) -> Result<Self> {
        check_symmetric(gram)?;
        let n = gram.rows();
        if targets.rows() != n {
            let found = format!("{}", targets.rows());
            return Err(Error::Shape { expected: format!("targets of {n} objects"), found });
        }
        check_finite(targets)?;
        let (mut gram, mut targets) = (gram.clone(), targets.clone());
        if !intercept {
            return Ok(System { gram, targets, origin: None, filled: 0.0 });
        }
        if n < 2 {
            return Err(Error::usage("an intercept needs at least two objects"));
        }
        let centering = Centering::fit(&gram)?;
        centering.apply_train(&mut gram)?;
        let trace: f64 = (0..n).map(|i| gram.at(i, i) / n as f64).sum();
        let filled = if trace > 0.0 { trace } else { 1.0 };
        gram.values_mut().iter_mut().for_each(|v| *v += filled / n as f64);
        let mut means = vec![0.0; targets.cols()];
        for i in 0..n {
            means.iter_mut().zip(targets.row(i)).for_each(|(mean, y)| *mean += y / n as f64);
        }
        for i in 0..n {
            targets.row_mut(i).iter_mut().zip(&means).for_each(|(y, mean)| *y -= mean);
        }
        check_finite(&gram)?;
        Ok(System { gram, targets, origin: Some((centering, means)), filled })
    }

    /// The contribution of the constant vector to every entry of the inverse; 0 without an intercept.
    fn constant(&self, lambda: f64) -> f64 {
        let n = self.gram.rows() as f64;
        if self.origin.is_some() { 1.0 / (n * (lambda + self.filled)) } else { 0.0 }
    }
}

/// The memory needed in addition to the matrix: the solver factors a copy.
const WHOLE: &str = "the matrix of ridge regression and its factor, in memory,";

impl Learner<[f64]> for Ridge {
    type Model = RidgeModel;

    fn fit_columns(&self, columns: &dyn Columns, target: &[f64]) -> Result<RidgeModel> {
        let gram = whole(columns, 1, WHOLE)?;
        self.fit_many(&gram, &column(target)?)
    }
}

impl Learner<ClassCodes> for Ridge {
    type Model = RidgeClassifier;

    fn fit_columns(&self, columns: &dyn Columns, target: &ClassCodes) -> Result<RidgeClassifier> {
        let gram = whole(columns, 1, WHOLE)?;
        check_codes(target.codes(), gram.rows(), target.classes())?;
        Ok(RidgeClassifier { model: self.fit_many(&gram, &signs(target.codes(), target.classes()))? })
    }
}

impl Predictor for RidgeModel {
    type Output = f64;

    fn predict_from(&self, new: &PredictFrom<'_>) -> Result<ModelOutput<f64>> {
        let values = self.predict(new.similarities()?.0)?;
        ModelOutput::numbers((0..values.rows()).map(|i| values.at(i, 0)).collect())
    }

    fn compact(self) -> Result<(Self, Vec<usize>)> {
        let support = (0..self.alpha.rows()).collect();
        Ok((self, support))
    }
}

impl Predictor for RidgeClassifier {
    type Output = usize;

    fn predict_from(&self, new: &PredictFrom<'_>) -> Result<ModelOutput<usize>> {
        let decisions = self.decisions(new.similarities()?.0)?;
        Ok(ModelOutput { values: choose(&decisions), decisions })
    }

    fn compact(self) -> Result<(Self, Vec<usize>)> {
        let support = (0..self.model.alpha.rows()).collect();
        Ok((self, support))
    }
}

impl RidgeModel {
    /// The predictions for new objects (rows) from their similarities to training objects (columns): one row per new
    /// object, one column per target.
    pub fn predict(&self, cross: &Dense) -> Result<Dense> {
        check_cross(cross, self.alpha.rows())?;
        let Some((centering, means)) = &self.origin else {
            return finite(product(cross, &self.alpha));
        };
        let mut centred = cross.clone();
        centering.apply_cross(&mut centred)?;
        let mut values = product(&centred, &self.alpha);
        for i in 0..values.rows() {
            values.row_mut(i).iter_mut().zip(means).for_each(|(v, mean)| *v += mean);
        }
        finite(values)
    }

    /// The coefficients α: one row per training object, one column per target.
    pub fn alpha(&self) -> &Dense {
        &self.alpha
    }

    /// The data for the intercept: the centring and the mean of each target; `None` without one.
    #[doc(hidden)]
    pub fn origin(&self) -> Option<&(Centering, Vec<f64>)> {
        self.origin.as_ref()
    }

    /// A model from its parts.
    #[doc(hidden)]
    pub fn from_parts(alpha: Dense, origin: Option<(Centering, Vec<f64>)>) -> Result<Self> {
        if alpha.cols() == 0 {
            return Err(Error::usage("the coefficients have no target"));
        }
        check_finite(&alpha)?;
        if let Some((centering, means)) = &origin {
            check_values(&centering.row_means, alpha.rows(), "means of rows")?;
            check_values(&[centering.grand_mean], 1, "means of the matrix")?;
            check_values(means, alpha.cols(), "means of targets")?;
        }
        Ok(RidgeModel { alpha, origin })
    }
}

impl RidgeClassifier {
    /// The underlying regression.
    pub fn model(&self) -> &RidgeModel {
        &self.model
    }

    /// A classifier from a regression on targets ±1: one target for two classes, otherwise one per class.
    #[doc(hidden)]
    pub fn from_parts(model: RidgeModel) -> Self {
        RidgeClassifier { model }
    }

    /// The predicted targets: one column for two classes, positive for class 1, otherwise one per class.
    pub fn decisions(&self, cross: &Dense) -> Result<Dense> {
        self.model.predict(cross)
    }

    /// The classes of new objects (rows) from their similarities to training objects (columns): that of the largest
    /// decision value, the lowest class in a tie.
    pub fn predict(&self, cross: &Dense) -> Result<Vec<usize>> {
        Ok(choose(&self.decisions(cross)?))
    }
}

impl RidgePath {
    /// The given values of λ.
    pub fn lambdas(&self) -> &[f64] {
        &self.lambdas
    }

    /// The mean squared leave-one-out error of each λ.
    pub fn errors(&self) -> &[f64] {
        &self.errors
    }

    /// The λ of least error; the largest, and so smoothest, in a tie.
    pub fn best(&self) -> f64 {
        let mut pairs = self.errors.iter().zip(&self.lambdas);
        let first = pairs.next().unwrap_or((&0.0, &0.0));
        let better = |a: (&f64, &f64), b: (&f64, &f64)| b.0 < a.0 || (b.0 == a.0 && b.1 > a.1);
        *pairs.fold(first, |best, pair| if better(best, pair) { pair } else { best }).1
    }
}

/// The targets ±1 of each binary classifier, one per column.
#[doc(hidden)]
pub fn signs(codes: &[usize], classes: usize) -> Dense {
    let sides = sides(codes, classes);
    let mut targets = Dense::zeros(codes.len(), sides.len());
    for i in 0..codes.len() {
        targets.row_mut(i).iter_mut().zip(&sides).for_each(|(value, side)| *value = side[i]);
    }
    targets
}

fn check_lambda(lambda: f64) -> Result<()> {
    if lambda > 0.0 && lambda.is_finite() {
        return Ok(());
    }
    Err(Error::param("lambda", lambda, "a finite number above 0"))
}

fn numeric(reason: &str) -> Error {
    Error::Numeric { reason: reason.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::learner::on_gram::OnGram;
    use crate::numeric::algebra::test_support::*;
    use proptest::prelude::*;

    fn ridge(lambda: f64, intercept: bool) -> Ridge {
        Ridge::new(lambda).with_intercept(intercept)
    }

    #[test]
    fn mismatched_arguments_are_rejected() {
        for lambda in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Ridge::new(lambda).on_values(&worked_gram(), &[1.0; 5]).is_err());
            assert!(Ridge::new(lambda).leave_one_out(&worked_gram(), &Dense::zeros(5, 1)).is_err());
            assert!(ridge_path(&worked_gram(), &Dense::zeros(5, 1), &[lambda], false).is_err());
        }
        let learner = ridge(1.0, false);
        assert!(learner.on_values(&worked_gram(), &[1.0; 4]).is_err());
        assert!(learner.on_values(&worked_gram(), &[f64::NAN; 5]).is_err());
        assert!(learner.on_values(&Dense::zeros(0, 0), &[]).is_err());
        assert!(learner.fit_codes(&worked_gram(), &[0; 5], 2).is_err());
        assert!(ridge(1.0, true).on_values(&Dense::from_rows(&[[1.0]]), &[1.0]).is_err());
        assert!(ridge_path(&worked_gram(), &Dense::zeros(5, 1), &[], false).is_err());
        let model = learner.on_values(&worked_gram(), &[1.0; 5]).unwrap();
        assert!(model.predict(&Dense::zeros(1, 4)).is_err());
        assert_eq!(learner.fit_many(&worked_gram(), &Dense::zeros(5, 0)).unwrap().alpha().cols(), 0);
        let indefinite = Dense::from_rows(&[[1.0, 2.0], [2.0, 1.0]]);
        let error = ridge(0.5, false).on_values(&indefinite, &[1.0, 2.0]).unwrap_err();
        assert!(matches!(error, Error::NotPositiveDefinite { .. }));
        let error = ridge_path(&indefinite, &Dense::zeros(2, 1), &[0.5], false).unwrap_err();
        assert!(matches!(error, Error::NotPositiveDefinite { .. }));
    }

    #[test]
    fn classes_of_points() {
        let x =
            Dense::from_rows(&[[0.0, 1.0], [0.1, 0.9], [1.0, 0.0], [0.9, 0.1], [-1.0, -1.0], [-0.9, -1.0]]);
        let codes = [0, 0, 1, 1, 2, 2];
        for intercept in [false, true] {
            let k = linear(&x);
            let model = ridge(0.01, intercept).fit_codes(&k, &codes, 3).unwrap();
            assert_eq!(model.predict(&k).unwrap(), codes);
            let model = ridge(0.01, intercept).fit_codes(&k, &[0, 0, 1, 1, 1, 1], 2).unwrap();
            assert_eq!(model.decisions(&k).unwrap().cols(), 1);
        }
    }

    #[test]
    fn a_larger_system_is_solved_accurately() {
        let mut random = crate::random::Random::new(3);
        let x = Dense::new(150, 5, (0..750).map(|_| random.unit() - 0.5).collect()).unwrap();
        let y = Dense::new(150, 3, (0..450).map(|_| random.unit()).collect()).unwrap();
        let k = linear(&x);
        let alpha = ridge(0.1, false).fit_many(&k, &y).unwrap().alpha;
        let mut back = product(&k, &alpha);
        back.values_mut().iter_mut().zip(alpha.values()).for_each(|(b, a)| *b += 0.1 * a);
        assert!(apart(&back, &y) < 1e-11);
    }

    /// The objects without object i.
    fn without(x: &Dense, i: usize) -> Dense {
        x.select(&(0..x.rows()).filter(|&j| j != i).collect::<Vec<_>>())
    }

    fn targets(n: usize, seed: u64) -> Dense {
        let mut random = crate::random::Random::new(seed);
        Dense::new(n, 2, (0..2 * n).map(|_| 4.0 * random.unit() - 1.0).collect()).unwrap()
    }

    #[test]
    fn a_learned_lambda_has_the_least_leave_one_out_error() {
        let mut random = crate::random::Random::new(5);
        let x = Dense::new(60, 4, (0..240).map(|_| random.normal()).collect()).unwrap();
        for noise in [0.01, 1.0, 30.0] {
            let y = (0..60).map(|i| x.at(i, 0) - x.at(i, 2) + 5.0 + noise * random.normal()).collect();
            let (k, y) = (linear(&x), Dense::new(60, 1, y).unwrap());
            for intercept in [false, true] {
                let found = learned_lambda(&k, &y, intercept).unwrap();
                let error = |lambda: f64| {
                    let left = ridge(lambda, intercept).leave_one_out(&k, &y).unwrap();
                    left.values().iter().map(|r| r * r).sum::<f64>()
                };
                let least = error(found);
                for factor in [0.01, 0.1, 0.3, 3.0, 10.0, 100.0] {
                    assert!(least <= error(found * factor) * 1.02, "{noise} {found} {factor}");
                }
                // The same for a multiple of the matrix.
                let mut large = k.clone();
                large.values_mut().iter_mut().for_each(|v| *v *= 1000.0);
                let again = learned_lambda(&large, &y, intercept).unwrap();
                assert!((again / found / 1000.0 - 1.0).abs() < 0.01, "{again} {found}");
            }
        }
        assert!(learned_lambda(&Dense::zeros(3, 3), &Dense::from_rows(&[[1.0], [2.0], [4.0]]), true).is_ok());
        assert!(learned_lambda(&worked_gram(), &Dense::zeros(4, 1), true).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        /// The gradient of Σ (y - w·x - b)² + λ |w|² vanishes at w = Xᵀ α and b.
        #[test]
        fn explicit_ridge(x in vectors(), seed in any::<u64>(), lambda in 0.01..10.0f64, intercept in any::<bool>()) {
            prop_assume!(x.rows() > 1);
            let y = targets(x.rows(), seed);
            let k = linear(&x);
            let model = ridge(lambda, intercept).fit_many(&k, &y).unwrap();
            let fitted = model.predict(&k).unwrap();
            let origin = model.predict(&Dense::zeros(1, x.rows())).unwrap();
            for t in 0..2 {
                // Along axis d the function increases by w_d.
                for d in 0..x.cols() {
                    let axis = Dense::new(1, x.rows(), (0..x.rows()).map(|i| x.at(i, d)).collect()).unwrap();
                    let w = model.predict(&axis).unwrap().at(0, t) - origin.at(0, t);
                    let pull: f64 = (0..x.rows()).map(|i| (y.at(i, t) - fitted.at(i, t)) * x.at(i, d)).sum();
                    prop_assert!((pull - lambda * w).abs() < 1e-9, "{} {}", pull, lambda * w);
                }
                let left: f64 = (0..x.rows()).map(|i| y.at(i, t) - fitted.at(i, t)).sum();
                let settled = if intercept { left.abs() < 1e-9 } else { origin.at(0, t) == 0.0 };
                prop_assert!(settled);
            }
        }

        #[test]
        fn leave_one_out_equals_refitting(
            x in vectors(), seed in any::<u64>(), exponent in -4.0..2.0f64, intercept in any::<bool>(),
        ) {
            let n = x.rows();
            prop_assume!(n > 2);
            let learner = ridge(10f64.powf(exponent), intercept);
            let (k, y) = (linear(&x), targets(n, seed));
            let got = learner.leave_one_out(&k, &y).unwrap();
            let (mut sum, mut scale) = (0.0, 1.0f64);
            for i in 0..n {
                let rest = without(&x, i);
                let model = learner.fit_many(&linear(&rest), &without(&y, i)).unwrap();
                let predicted = model.predict(&cross(&x.select(&[i]), &rest)).unwrap();
                for t in 0..2 {
                    let want = y.at(i, t) - predicted.at(0, t);
                    prop_assert!((got.at(i, t) - want).abs() < 1e-6 * (1.0 + want.abs()), "{} {}", got.at(i, t), want);
                    sum += want * want / (2 * n) as f64;
                    scale = scale.max(want * want);
                }
            }
            let path = ridge_path(&k, &y, &[learner.lambda, 7.0], intercept).unwrap();
            prop_assert!((path.errors()[0] - sum).abs() < 1e-6 * scale, "{} {}", path.errors()[0], sum);
            prop_assert!(path.lambdas().contains(&path.best()));
        }
    }
}
