//! Gaussian process classification by Laplace's approximation.

use super::super::learner::{Learner, ModelOutput, PredictFrom, Predictor, Resources};
use super::super::rows::whole;
use super::super::targets::finite;
use super::super::typed::{Classifier, fit_labels};
use super::ROWS;
use super::marginal::{Covariance, Marginal, Slope, entrywise, mean_diagonal};
use super::triangle::{solved, unpacked};
use crate::budget;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::certificate::require_psd;
use crate::gram::{Engine, check_symmetric, eigenvalues};
use crate::learn::ClassCodes;
use crate::numeric::check::check_values;
use crate::numeric::math::dot;
use crate::numeric::{Cholesky, inverse_of};
use crate::parallel;
use crate::solve::Columns;
use crate::traits::Kernel;

/// The most steps of Newton's method; it converges in about ten.
const STEPS: usize = 100;
/// A step that gains less ends it.
const SETTLED: f64 = 1e-12;
/// The most evaluations of the likelihood for the scale.
const EVALUATIONS: usize = 60;

/// Gaussian process classification: p(y = ±1 | f) = 1 / (1 + exp(-y·f)), f ~ N(0, s·K), by Laplace's approximation.
///
/// The posterior of the latent function at the training objects is approximated by a normal distribution around its
/// mode, which Newton's method finds. The probability of a class is the mean of the logistic function over the normal
/// distribution of the latent function at a new object, by quadrature. For more than two classes, each is separated from
/// all others, and the probabilities are divided by their sum. The matrix must be positive semidefinite.
///
/// * `scale`: the factor s > 0 of the kernel; by default that with the highest approximate marginal likelihood.
///
/// Time O(n³) for each step of each class, memory for four n × n matrices, and n (n + 1) / 2 numbers for each class in
/// the model.
///
/// ```
/// use mercer_core::data::Dense;
/// use mercer_core::learn::{ClassCodes, GpClassifier};
/// let x = [-2.0, -1.5, -1.0, 1.0, 1.5, 2.0f64];
/// let k = x.iter().flat_map(|a| x.iter().map(move |b| (-0.5 * (a - b) * (a - b)).exp())).collect();
/// let codes = ClassCodes::new(vec![0, 0, 0, 1, 1, 1], 2);
/// let model = GpClassifier::new().fit_gram(&Dense::new(6, 6, k)?, &codes)?;
/// let near = |new: f64| x.iter().map(|a| (-0.5 * (a - new) * (a - new)).exp()).collect::<Vec<_>>();
/// let cross = Dense::new(2, 6, [near(1.4), near(9.0)].concat())?;
/// let probabilities = model.probabilities(&cross, &[1.0, 1.0])?;
/// assert!(probabilities.at(0, 1) > 0.8);
/// assert!((probabilities.at(1, 1) - 0.5).abs() < 1e-6); // far from the data nothing is known
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// C. E. Rasmussen and C. K. I. Williams, *Gaussian processes for machine learning*, 2006, algorithms 3.1, 3.2 and 5.1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GpClassifier {
    scale: Option<f64>,
    resources: Resources,
}

/// A fitted classifier, from [`GpClassifier`].
#[derive(Clone, Debug, PartialEq)]
pub struct GpClassifierModel {
    /// One for two classes, otherwise one for each.
    fits: Vec<Laplace>,
    scale: f64,
}

/// The normal approximation of the latent function of one binary problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Laplace {
    /// The derivative of the log likelihood at the mode: the mode is s·K·α.
    pub(super) alpha: Vec<f64>,
    /// √w, w the negative second derivatives of the log likelihood at the mode.
    pub(super) roots: Vec<f64>,
    /// The lower factor of I + W^½ s·K W^½, with zeros above the diagonal.
    pub(super) factor: Dense,
    pub(super) scale: f64,
    /// The approximate log marginal likelihood.
    pub(super) log_likelihood: f64,
}

fn logistic(z: f64) -> f64 {
    if z >= 0.0 { 1.0 / (1.0 + (-z).exp()) } else { z.exp() / (1.0 + z.exp()) }
}

/// log 1 / (1 + exp(-z)).
fn log_logistic(z: f64) -> f64 {
    if z >= 0.0 { -(-z).exp().ln_1p() } else { z - z.exp().ln_1p() }
}

/// The signs of the objects in each binary problem: class 1 against class 0, or each against all others.
pub(super) fn signs_of(codes: &ClassCodes) -> Result<Vec<Vec<f64>>> {
    let count = codes.classes();
    if let Some(index) = codes.codes().iter().position(|c| *c >= count) {
        let reason = format!("its class {} is not below {count}", codes.codes()[index]);
        return Err(Error::Object { index, reason, hint: None });
    }
    let members = |class: usize| codes.codes().iter().filter(|c| **c == class).count();
    let there = (0..count).filter(|&class| members(class) > 0).count();
    if count < 2 || there < count {
        let reason =
            format!("a Gaussian process classifier needs members of two or more classes, found {there}");
        return Err(Error::Classes { reason });
    }
    let against = |class: usize| {
        codes.codes().iter().map(|c| if *c == class { 1.0 } else { -1.0 }).collect::<Vec<f64>>()
    };
    Ok(if count == 2 { vec![against(1)] } else { (0..count).map(against).collect() })
}

impl Laplace {
    /// Finds the mode by Newton's method with halving; `None` where the matrix is not positive semidefinite.
    pub(super) fn fit(gram: &Dense, signs: &[f64], scale: f64) -> Result<Option<Laplace>> {
        let n = signs.len();
        let needed = budget::matrix_bytes(n, n, 2 * size_of::<f64>());
        budget::ask(&format!("the covariance of {n} objects and its factor"), needed)?;
        let times = |v: &[f64]| -> Vec<f64> { parallel::map(n, |i| scale * dot(gram.row(i), v)) };
        let objective = |alpha: &[f64], latent: &[f64]| {
            let fit: f64 = latent.iter().zip(signs).map(|(f, y)| log_logistic(y * f)).sum();
            fit - 0.5 * dot(alpha, latent)
        };
        let mut alpha = vec![0.0; n];
        let mut latent = vec![0.0; n];
        let mut value = objective(&alpha, &latent);
        for step in 0..=STEPS {
            budget::check()?;
            let share: Vec<f64> = latent.iter().map(|f| logistic(*f)).collect();
            let roots: Vec<f64> = share.iter().map(|p| (p * (1.0 - p)).sqrt()).collect();
            let Some(factor) = shifted(gram, &roots, scale)? else { return Ok(None) };
            let gradient: Vec<f64> = (0..n).map(|i| 0.5 * (signs[i] + 1.0) - share[i]).collect();
            let pull: Vec<f64> = (0..n).map(|i| roots[i] * roots[i] * latent[i] + gradient[i]).collect();
            let mut solved: Vec<f64> = times(&pull).iter().zip(&roots).map(|(v, r)| v * r).collect();
            factor.forward(&mut solved);
            factor.backward(&mut solved);
            let next: Vec<f64> = (0..n).map(|i| pull[i] - roots[i] * solved[i]).collect();
            let (mut length, mut found) = (1.0, None);
            for _ in 0..30 {
                let tried: Vec<f64> = alpha.iter().zip(&next).map(|(a, b)| a + length * (b - a)).collect();
                let there = times(&tried);
                let other = objective(&tried, &there);
                if !other.is_finite() {
                    return Ok(None);
                }
                if other >= value - SETTLED * value.abs() {
                    found = Some((tried, there, other));
                    break;
                }
                length *= 0.5;
            }
            let gain = found.as_ref().map_or(0.0, |(_, _, other)| other - value);
            if let Some((tried, there, other)) = found {
                (alpha, latent, value) = (tried, there, other);
            }
            if gain <= SETTLED * (1.0 + value.abs()) || step == STEPS {
                return Laplace::around(gram, signs, &latent, value, scale);
            }
        }
        Ok(None)
    }

    /// The approximation around a mode.
    fn around(
        gram: &Dense,
        signs: &[f64],
        latent: &[f64],
        value: f64,
        scale: f64,
    ) -> Result<Option<Laplace>> {
        let n = signs.len();
        let share: Vec<f64> = latent.iter().map(|f| logistic(*f)).collect();
        let roots: Vec<f64> = share.iter().map(|p| (p * (1.0 - p)).sqrt()).collect();
        let Some(factor) = shifted(gram, &roots, scale)? else { return Ok(None) };
        let log_diagonal: f64 = (0..n).map(|i| factor.lower().at(i, i).ln()).sum();
        let log_likelihood = value - log_diagonal;
        if !log_likelihood.is_finite() {
            return Ok(None);
        }
        let alpha = (0..n).map(|i| 0.5 * (signs[i] + 1.0) - share[i]).collect();
        let mut factor = factor.into_lower();
        (0..n).for_each(|i| factor.row_mut(i)[i + 1..].fill(0.0));
        Ok(Some(Laplace { alpha, roots, factor, scale, log_likelihood }))
    }

    /// The derivatives of the approximate marginal likelihood by the matrix and by the logarithm of the scale.
    pub(super) fn slope(&self, gram: &Dense, signs: &[f64]) -> Result<Slope> {
        let n = self.alpha.len();
        let (s, roots) = (self.scale, &self.roots);
        let needed = budget::matrix_bytes(n, n, 3 * size_of::<f64>());
        budget::ask(&format!("the derivatives of the likelihood of {n} objects"), needed)?;
        let mut rest = self.inverse()?;
        // R = W^½ B⁻¹ W^½.
        parallel::for_chunks_mut(rest.values_mut(), n.max(1), ROWS, |i, row: &mut [f64]| {
            row.iter_mut().zip(roots).for_each(|(v, r)| *v *= r * roots[i]);
        });
        // The posterior variances: s·k_ii - |L⁻¹ W^½ s·k_i|².
        let solved = self.solved(gram)?;
        let variances: Vec<f64> =
            (0..n).map(|i| s * gram.at(i, i) - dot(solved.row(i), solved.row(i))).collect();
        drop(solved);
        let share = |i: usize| 0.5 * (signs[i] + 1.0) - self.alpha[i];
        let turn: Vec<f64> = (0..n)
            .map(|i| -0.5 * variances[i] * share(i) * (1.0 - share(i)) * (1.0 - 2.0 * share(i)))
            .collect();
        // u = (I - R·s·K) · turn.
        let through: Vec<f64> = parallel::map(n, |i| s * dot(gram.row(i), &turn));
        let u: Vec<f64> = parallel::map(n, |i| turn[i] - dot(rest.row(i), &through));
        let alpha = &self.alpha;
        parallel::for_chunks_mut(rest.values_mut(), n.max(1), ROWS, |i, row: &mut [f64]| {
            for (j, v) in row.iter_mut().enumerate() {
                *v = 0.5 * s * (alpha[i] * alpha[j] - *v + u[i] * alpha[j] + alpha[i] * u[j]);
            }
        });
        let by_own = vec![entrywise(&rest, gram)];
        Ok(Slope { value: self.log_likelihood, by_gram: rest, by_own })
    }

    /// (I + W^½ s·K W^½)⁻¹.
    fn inverse(&self) -> Result<Dense> {
        inverse_of(&Cholesky::from_lower(self.factor.clone()))
    }

    /// L⁻¹ W^½ s·k for each row of similarities.
    fn solved(&self, cross: &Dense) -> Result<Dense> {
        let scaled =
            |row: &mut [f64]| row.iter_mut().zip(&self.roots).for_each(|(v, r)| *v *= self.scale * r);
        solved(&self.factor, cross, scaled)
    }

    /// The mean and variance of the latent function at new objects.
    fn latent(&self, cross: &Dense, own: &[f64]) -> Result<(Vec<f64>, Vec<f64>)> {
        let solved = self.solved(cross)?;
        let means = (0..cross.rows()).map(|i| self.scale * dot(cross.row(i), &self.alpha)).collect();
        let variance = |i: usize| (self.scale * own[i] - dot(solved.row(i), solved.row(i))).max(0.0);
        Ok((means, (0..cross.rows()).map(variance).collect()))
    }

    /// The parts that a file stores.
    #[doc(hidden)]
    pub fn parts(&self) -> (&[f64], &[f64], &Dense, f64) {
        (&self.alpha, &self.roots, &self.factor, self.log_likelihood)
    }
}

/// The factor of I + W^½ s·K W^½.
fn shifted(gram: &Dense, roots: &[f64], scale: f64) -> Result<Option<Cholesky>> {
    let n = roots.len();
    let mut matrix = gram.clone();
    parallel::for_chunks_mut(matrix.values_mut(), n.max(1), ROWS, |i, row: &mut [f64]| {
        row.iter_mut().zip(roots).for_each(|(v, r)| *v *= scale * r * roots[i]);
        row[i] += 1.0;
    });
    Cholesky::new(matrix)
}

/// The mean of the logistic function over a normal distribution, by the trapezoidal rule, whose error falls
/// exponentially with the number of points for such functions.
pub(super) fn mean_logistic(mean: f64, variance: f64) -> f64 {
    let deviation = variance.sqrt();
    // 1 / (1 + exp(-z)) is analytic within π of the real line: the step shrinks where the deviation is large.
    let step = 0.25 / (1.0 + deviation / 4.0);
    let count = (8.5 / step).ceil().min(20_000.0) as i64;
    let (mut sum, mut total) = (0.0, 0.0);
    for k in -count..=count {
        let z = step * k as f64;
        let weight = (-0.5 * z * z).exp();
        sum += weight * logistic(mean + deviation * z);
        total += weight;
    }
    sum / total
}

impl GpClassifier {
    /// A classifier whose scale is learned.
    pub fn new() -> Self {
        GpClassifier::default()
    }

    /// Sets the factor of the kernel instead of learning it: above 0, finite.
    #[must_use]
    pub fn with_scale(mut self, scale: f64) -> Self {
        self.scale = Some(scale);
        self
    }

    /// Sets the engine of the typed fit: its threads, its memory and its time.
    #[must_use]
    pub fn with_engine(mut self, engine: Engine) -> Self {
        self.resources.engine = Some(engine);
        self
    }

    /// Fits to labelled objects, with any positive semidefinite kernel.
    pub fn fit<X: Sync + ?Sized, K: Kernel<X> + Clone, L: Ord + Clone>(
        &self,
        kernel: &K,
        objects: &X,
        labels: &[L],
    ) -> Result<Classifier<X, K, GpClassifierModel, L>> {
        fit_labels(self, &self.resources, kernel, objects, labels)
    }

    /// Fits to a Gram matrix and the class of each object.
    pub fn fit_gram(&self, gram: &Dense, codes: &ClassCodes) -> Result<GpClassifierModel> {
        check_symmetric(gram)?;
        let n = gram.rows();
        if codes.codes().len() != n {
            let found = format!("{} classes", codes.codes().len());
            return Err(Error::Shape { expected: format!("{n} classes"), found });
        }
        if let Some(scale) = self.scale
            && !(scale.is_finite() && scale > 0.0)
        {
            return Err(Error::param("scale", scale, "a finite number above 0"));
        }
        let problems = signs_of(codes)?;
        let scale = match self.scale {
            Some(scale) => scale,
            None => self.best_scale(gram, codes)?,
        };
        let fits =
            problems.iter().map(|signs| Laplace::fit(gram, signs, scale)).collect::<Result<Vec<_>>>()?;
        match fits.into_iter().collect::<Option<Vec<_>>>() {
            Some(fits) => Ok(GpClassifierModel { fits, scale }),
            None => Err(indefinite(gram)?),
        }
    }

    fn best_scale(&self, gram: &Dense, codes: &ClassCodes) -> Result<f64> {
        /// A matrix without parameters.
        struct Given<'a>(&'a Dense);
        impl Covariance for Given<'_> {
            fn gram(&mut self, _: &[f64]) -> Result<Dense> {
                Ok(self.0.clone())
            }

            fn slope(&mut self, _: &Dense) -> Result<Vec<f64>> {
                Ok(Vec::new())
            }
        }
        let marginal = Marginal::of_classes(codes, None)?;
        let ends = marginal.highest(&mut Given(gram), &[Vec::new()], &[], EVALUATIONS)?;
        let known = ends.first().and_then(|best| best.own.first());
        Ok(known.map_or(1.0 / mean_diagonal(gram), |log| log.exp()))
    }
}

/// The error for a matrix without a factor.
fn indefinite(gram: &Dense) -> Result<Error> {
    let values = eigenvalues(gram)?;
    Ok(match require_psd(values[0], values[values.len() - 1]) {
        Err(error) => error,
        Ok(()) => {
            Error::Numeric { reason: "the mode of the latent function was not found: lower scale".into() }
        }
    })
}

impl GpClassifierModel {
    /// The probability of each class (columns) for new objects (rows), from their similarities to the training objects
    /// (columns) and to themselves: rows sum to 1. Time O(n²) per object and class.
    pub fn probabilities(&self, cross: &Dense, own: &[f64]) -> Result<Dense> {
        Ok(self.both(cross, own)?.1)
    }

    /// The means of the latent functions and the probabilities.
    fn both(&self, cross: &Dense, own: &[f64]) -> Result<(Dense, Dense)> {
        check_values(own, cross.rows(), "self-similarities")?;
        let (m, classes) = (cross.rows(), self.classes());
        let mut decisions = Dense::zeros(m, self.fits.len());
        let mut probabilities = Dense::zeros(m, classes);
        for (k, fit) in self.fits.iter().enumerate() {
            let (means, variances) = fit.latent(cross, own)?;
            let shares = parallel::map(m, |i| mean_logistic(means[i], variances[i]));
            for i in 0..m {
                decisions.row_mut(i)[k] = means[i];
                match self.fits.len() {
                    1 => probabilities.row_mut(i).copy_from_slice(&[1.0 - shares[i], shares[i]]),
                    _ => probabilities.row_mut(i)[k] = shares[i],
                }
            }
        }
        for i in 0..m {
            let row = probabilities.row_mut(i);
            let total: f64 = row.iter().sum();
            row.iter_mut().for_each(|p| *p /= total);
        }
        Ok((finite(decisions)?, finite(probabilities)?))
    }

    /// The most probable class of each object, the means of the latent functions, and the probabilities.
    pub(crate) fn classified(&self, new: &PredictFrom<'_>) -> Result<(ModelOutput<usize>, Dense)> {
        let (cross, own) = new.similarities()?;
        let own =
            own.ok_or_else(|| Error::usage("probabilities need the self-similarities of new objects"))?;
        let (decisions, probabilities) = self.both(cross, own)?;
        // Of equal ones, the first.
        let best = |i: usize| {
            let row = probabilities.row(i);
            (1..row.len()).fold(0, |best, c| if row[c] > row[best] { c } else { best })
        };
        let values = (0..cross.rows()).map(best).collect();
        Ok((ModelOutput { values, decisions }, probabilities))
    }

    /// The factor s of the kernel.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        if self.fits.len() == 1 { 2 } else { self.fits.len() }
    }

    /// The approximate log marginal likelihood; for more than two classes the sum over each against all others.
    pub fn log_likelihood(&self) -> f64 {
        self.fits.iter().map(|fit| fit.log_likelihood).sum()
    }

    /// The mode of the latent function at the training objects is s·K·α: α of each binary problem, class 1 against
    /// class 0 or each against all others.
    pub fn alphas(&self) -> impl Iterator<Item = &[f64]> {
        self.fits.iter().map(|fit| &fit.alpha[..])
    }

    /// The binary problems.
    #[doc(hidden)]
    pub fn fits(&self) -> &[Laplace] {
        &self.fits
    }

    /// A model from its parts: of each binary problem α, √w, the rows of the lower factor one after another, and the log
    /// likelihood.
    #[doc(hidden)]
    #[expect(clippy::type_complexity, reason = "the arrays of each class, as files store them")]
    pub fn from_parts(scale: f64, parts: Vec<(Vec<f64>, Vec<f64>, &[f64], f64)>) -> Result<Self> {
        check_values(&[scale], 1, "scale")?;
        let objects = parts.first().map_or(0, |part| part.0.len());
        if scale <= 0.0 || parts.is_empty() || parts.len() == 2 {
            return Err(Error::usage("scale must be above 0, and classes at least 2"));
        }
        let mut fits = Vec::with_capacity(parts.len());
        for (alpha, roots, packed, log_likelihood) in parts {
            let n = objects;
            check_values(&alpha, n, "coefficients")?;
            check_values(&roots, n, "roots of the weights")?;
            check_values(&[log_likelihood], 1, "log likelihood")?;
            if roots.iter().any(|r| *r < 0.0) {
                return Err(Error::usage("the roots of the weights must be at least 0"));
            }
            let factor = unpacked(packed, n)?;
            fits.push(Laplace { alpha, roots, factor, scale, log_likelihood });
        }
        Ok(GpClassifierModel { fits, scale })
    }
}

impl Learner<ClassCodes> for GpClassifier {
    type Model = GpClassifierModel;

    fn fit_columns(&self, columns: &dyn Columns, codes: &ClassCodes) -> Result<GpClassifierModel> {
        const WHOLE: &str = "the matrix of a Gaussian process classifier and its factors, in memory,";
        let gram = whole(columns, 4, WHOLE)?;
        self.fit_gram(&gram, codes)
    }
}

impl Predictor for GpClassifierModel {
    type Output = usize;

    /// The values are the most probable classes, the decision values the means of the latent functions.
    fn predict_from(&self, new: &PredictFrom<'_>) -> Result<ModelOutput<usize>> {
        self.classified(new).map(|(output, _)| output)
    }

    fn compact(self) -> Result<(Self, Vec<usize>)> {
        let n = self.fits.first().map_or(0, |fit| fit.alpha.len());
        Ok((self, (0..n).collect()))
    }

    fn needs_self_similarities(&self) -> bool {
        true
    }
}
