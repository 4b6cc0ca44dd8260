//! Gaussian process classification.

use super::super::learner::{Learner, ModelOutput, PredictFrom, Predictor, Resources};
use super::super::rows::whole;
use super::super::targets::finite;
use super::super::typed::{Classifier, fit_labels};
use super::latent::{Approximation, Latent, signs_of};
use super::marginal::{Covariance, Marginal, mean_diagonal};
use super::triangle::unpacked;
use super::{expectation, laplace};
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::certificate::require_psd;
use crate::gram::{Engine, check_symmetric, eigenvalues};
use crate::learn::ClassCodes;
use crate::numeric::check::check_values;
use crate::parallel;
use crate::solve::Columns;
use crate::traits::Kernel;

/// The most evaluations of the likelihood for the scale.
const EVALUATIONS: usize = 60;

/// Gaussian process classification: p(y = ±1 | f) = 1 / (1 + exp(-y·f)), f ~ N(0, s·K), by Laplace's approximation, or with
/// p(y = ±1 | f) = Φ(y·f) by expectation propagation.
///
/// The posterior of the latent function at the training objects is approximated by a normal distribution: around its
/// mode, which Newton's method finds, or with matched means and variances. The probability of a class is the mean of the link over the
/// normal distribution of the latent function at a new object, by quadrature or in closed form. For more than two classes,
/// each is separated from all others, and the probabilities are divided by their sum. The matrix must be positive
/// semidefinite.
///
/// * `scale`: the factor s > 0 of the kernel; by default that with the highest approximate marginal likelihood.
/// * `approximation`: see [`Approximation`]; Laplace's by default.
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
/// C. E. Rasmussen and C. K. I. Williams, *Gaussian processes for machine learning*, 2006, algorithms 3.1, 3.2, 5.1, and
/// 3.5, 3.6, 5.2 with all factors updated together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GpClassifier {
    scale: Option<f64>,
    approximation: Approximation,
    resources: Resources,
}

/// A fitted classifier, from [`GpClassifier`].
#[derive(Clone, Debug, PartialEq)]
pub struct GpClassifierModel {
    /// One for two classes, otherwise one for each.
    fits: Vec<Latent>,
    scale: f64,
    approximation: Approximation,
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

    /// Sets how the posterior is approximated.
    #[must_use]
    pub fn with_approximation(mut self, approximation: Approximation) -> Self {
        self.approximation = approximation;
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
        let approximation = self.approximation;
        let fit = |signs: &Vec<f64>| match approximation {
            Approximation::Laplace => laplace::fit(gram, signs, scale),
            Approximation::ExpectationPropagation => expectation::fit(gram, signs, scale),
        };
        let fits = problems.iter().map(fit).collect::<Result<Vec<_>>>()?;
        match fits.into_iter().collect::<Option<Vec<_>>>() {
            Some(fits) => Ok(GpClassifierModel { fits, scale, approximation }),
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
        let marginal = Marginal::of_classes(codes, None, self.approximation)?;
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
            let shares = parallel::map(m, |i| self.approximation.probability(means[i], variances[i]));
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

    /// How the posterior was approximated.
    pub fn approximation(&self) -> Approximation {
        self.approximation
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        if self.fits.len() == 1 { 2 } else { self.fits.len() }
    }

    /// The approximate log marginal likelihood; for more than two classes the sum over each against all others.
    pub fn log_likelihood(&self) -> f64 {
        self.fits.iter().map(|fit| fit.log_likelihood).sum()
    }

    /// The centre of the latent function at the training objects is s·K·α: α of each binary problem, class 1 against
    /// class 0 or each against all others.
    pub fn alphas(&self) -> impl Iterator<Item = &[f64]> {
        self.fits.iter().map(|fit| &fit.alpha[..])
    }

    /// The binary problems.
    #[doc(hidden)]
    pub fn fits(&self) -> &[Latent] {
        &self.fits
    }

    /// A model from its parts: of each binary problem α, √w, the rows of the lower factor one after another, and the log
    /// likelihood.
    #[doc(hidden)]
    #[expect(clippy::type_complexity, reason = "the arrays of each class, as files store them")]
    pub fn from_parts(
        scale: f64,
        approximation: Approximation,
        parts: Vec<(Vec<f64>, Vec<f64>, &[f64], f64)>,
    ) -> Result<Self> {
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
            fits.push(Latent { alpha, roots, factor, scale, log_likelihood });
        }
        Ok(GpClassifierModel { fits, scale, approximation })
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
