//! Kernel principal component analysis.

use std::borrow::Cow;

use super::learner::{Learner, ModelOutput, PredictFrom, Predictor, Resources};
use super::rows::whole;
use super::targets::{finite, positive};
use super::typed::{KernelModel, Unlabelled, fit_objects};
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::{Centering, Engine, Spectrum, eigenvalues};
use crate::numeric::algebra::{largest, product_transposed, scale_rows};
use crate::numeric::check::{check_finite, check_gram, check_values};
use crate::numeric::largest_pairs;
use crate::solve::Columns;
use crate::traits::Kernel;

/// Kernel principal component analysis: the directions of largest variance of the training objects in feature space.
///
/// The centred Gram matrix is K̂ = U Λ Uᵀ. Along component k training object i has the coordinate √λ_k U_ik, and a new
/// object x has Σ_i k̂(x, x_i) U_ik / √λ_k; the variance along it is λ_k / n. Signs are fixed: the training coordinate
/// of largest magnitude of each component (the first in a tie) is positive.
///
/// * `components`: from 1 to the number of objects. Components with zero variance up to rounding are dropped, so there
///   may be fewer. If one of the requested components has a clearly negative eigenvalue, the similarities are
///   indefinite, which is an error.
///
/// Time to fit: O(n²) a few times `components` where the eigenvalues decay, with every eigenpair certified by its
/// residual (relative to the largest eigenvalue, 4·n·ε), otherwise O(n³); O(n r) to project an object on r components.
///
/// ```
/// use mercer_core::data::{Dense, Vectors};
/// use mercer_core::{KernelPca, Linear};
/// // The points 1, 3 and 5 on a line.
/// let x = Vectors::from(Dense::from_rows(&[[1.0], [3.0], [5.0]]));
/// let model = KernelPca::new(2).fit(&Linear, &x)?;
/// assert_eq!(model.fitted().components(), 1);
/// assert!((model.fitted().variances()[0] - 8.0 / 3.0).abs() < 1e-12);
/// let new = Vectors::from(Dense::from_rows(&[[4.0]])); // one to the right of the mean
/// assert!((model.transform(&new)?.at(0, 0).abs() - 1.0).abs() < 1e-12);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// B. Schölkopf, A. Smola and K.-R. Müller, *Nonlinear component analysis as a kernel eigenvalue problem*, Neural
/// Computation 10 (1998).
#[derive(Clone, Debug, PartialEq)]
pub struct KernelPca {
    components: usize,
    resources: Resources,
}

/// Negative eigenvalues beyond this fraction of the largest are more than rounding.
const NEGATIVE: f64 = 1e-5;

/// Principal components of training objects, with projection of new ones.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelPcaModel {
    centering: Centering,
    /// U_ik / √λ_k: one row per component.
    directions: Dense,
    training: Dense,
    variances: Vec<f64>,
    total: f64,
}

impl KernelPca {
    /// At most this many components, at least 1.
    pub fn new(components: usize) -> Self {
        KernelPca { components, resources: Resources::default() }
    }

    /// Sets the engine of the typed fit: its threads, its memory and its time.
    #[must_use]
    pub fn with_engine(mut self, engine: Engine) -> Self {
        self.resources.engine = Some(engine);
        self
    }

    /// Fits the components of objects, with any kernel. The model returns coordinates by
    /// [`transform`](KernelModel::transform).
    pub fn fit<X: Sync + ?Sized, K: Kernel<X> + Clone>(
        &self,
        kernel: &K,
        objects: &X,
    ) -> Result<KernelModel<X, K, KernelPcaModel, Unlabelled>> {
        fit_objects(self, &self.resources, kernel, objects)
    }

    /// Fits the components of the objects of a symmetric Gram matrix.
    fn fit_gram(&self, gram: Cow<'_, Dense>) -> Result<KernelPcaModel> {
        positive("components", self.components)?;
        let magnitude = check_gram(&gram)?;
        let n = gram.rows();
        if self.components > n {
            let domain = format!("at most {n}, the number of objects");
            return Err(Error::param("components", self.components, &domain));
        }
        let (centering, centred) = Centering::of_checked(gram)?;
        let (values, vectors) = match largest_pairs(&centred, self.components)? {
            Some(pairs) => pairs,
            None => {
                let spectrum = Spectrum::of(&centred)?;
                let top: Vec<usize> = (n - self.components..n).rev().collect();
                (top.iter().map(|&k| spectrum.values[k]).collect(), spectrum.vectors.select(&top))
            }
        };
        // Centring subtracts numbers of the magnitude of the entries, so their rounding remains.
        let rounding = 4.0 * n as f64 * f64::EPSILON * largest(&values).max(magnitude);
        let (least, most) = (values[self.components - 1], values[0]);
        if least < -NEGATIVE * most.abs().max(magnitude * f64::EPSILON) {
            let lambda_min = eigenvalues(&centred)?[0];
            return Err(Error::NotPositiveDefinite { lambda_min, lambda_max: most });
        }
        let values: Vec<f64> = values.into_iter().take_while(|value| *value > rounding).collect();
        let vectors = vectors.select(&(0..values.len()).collect::<Vec<_>>());
        let variances: Vec<f64> = values.iter().map(|value| value / n as f64).collect();
        let trace: f64 = (0..n).map(|i| centred.at(i, i)).sum();
        let total = (trace / n as f64).max(variances.iter().sum());
        let roots: Vec<f64> = values.iter().map(|value| value.sqrt()).collect();
        let mut training = Dense::zeros(n, values.len());
        for i in 0..n {
            for (k, value) in training.row_mut(i).iter_mut().enumerate() {
                *value = vectors.at(k, i) * roots[k];
            }
        }
        let directions = scale_rows(&vectors, roots.iter().map(|root| 1.0 / root));
        Ok(KernelPcaModel { centering, directions, training, variances, total })
    }
}

impl Learner<()> for KernelPca {
    type Model = KernelPcaModel;

    fn fit_columns(&self, columns: &dyn Columns, (): &()) -> Result<KernelPcaModel> {
        // Memory for the centred matrix, the solver's copy and workspace, its eigenvectors, and those as rows.
        let gram = whole(columns, 7, "the matrix of the components and its eigenvectors, in memory,")?;
        self.fit_gram(gram)
    }
}

impl Predictor for KernelPcaModel {
    /// The coordinates of an object.
    type Output = Vec<f64>;

    fn predict_from(&self, new: &PredictFrom<'_>) -> Result<ModelOutput<Vec<f64>>> {
        let decisions = self.project(new.similarities()?.0)?;
        let values = (0..decisions.rows()).map(|i| decisions.row(i).to_vec()).collect();
        Ok(ModelOutput { values, decisions })
    }

    fn compact(self) -> Result<(Self, Vec<usize>)> {
        let support = (0..self.training.rows()).collect();
        Ok((self, support))
    }
}

impl KernelPcaModel {
    /// The number of components found.
    pub fn components(&self) -> usize {
        self.variances.len()
    }

    /// The variance λ_k / n along each component, largest first.
    pub fn variances(&self) -> &[f64] {
        &self.variances
    }

    /// The fraction of the total variance along each component, in (0, 1].
    pub fn explained(&self) -> Vec<f64> {
        self.variances.iter().map(|v| v / self.total).collect()
    }

    /// The coordinates of the training objects: one row per object, one column per component.
    pub fn training(&self) -> &Dense {
        &self.training
    }

    /// The total variance along all components, kept or not: the trace of the centred matrix over n.
    pub fn total_variance(&self) -> f64 {
        self.total
    }

    /// The centring, and the coefficients U_ik / √λ_k of each component (rows).
    #[doc(hidden)]
    pub fn parts(&self) -> (&Centering, &Dense) {
        (&self.centering, &self.directions)
    }

    /// A model from its parts: at least one component, variances that are positive, descending and at most the total.
    #[doc(hidden)]
    pub fn from_parts(
        centering: Centering,
        directions: Dense,
        training: Dense,
        variances: Vec<f64>,
        total: f64,
    ) -> Result<Self> {
        let (n, components) = (directions.cols(), variances.len());
        check_finite(&directions)?;
        check_finite(&training)?;
        check_values(&centering.row_means, n, "means of rows")?;
        check_values(&[centering.grand_mean], 1, "means of the matrix")?;
        check_values(&variances, directions.rows(), "variances")?;
        if (training.rows(), training.cols()) != (n, components) {
            return Err(Error::Shape {
                expected: format!("coordinates of {n} objects along {components} components"),
                found: format!("{} × {}", training.rows(), training.cols()),
            });
        }
        if components == 0 || components > n {
            return Err(Error::param(
                "components",
                components,
                &format!("from 1 to {n}, the number of objects"),
            ));
        }
        let sum: f64 = variances.iter().sum();
        let descend = variances.is_sorted_by(|a, b| a >= b) && variances[components - 1] > 0.0;
        // Both are sums of the same numbers in different orders.
        if !descend || !total.is_finite() || sum > total * (1.0 + 1e-9) {
            return Err(Error::usage("the variances must be positive, descending and at most their total"));
        }
        Ok(KernelPcaModel { centering, directions, training, variances, total })
    }

    /// The coordinates of new objects (rows) from their similarities to training objects (columns), not centred.
    pub fn project(&self, cross: &Dense) -> Result<Dense> {
        let mut centred = cross.clone();
        self.centering.apply_cross(&mut centred)?;
        finite(product_transposed(&centred, &self.directions))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gram::operations::total_variance;
    use crate::learn::learner::on_gram::OnGram;
    use crate::numeric::algebra::test_support::*;
    use proptest::prelude::*;

    #[test]
    fn mismatched_arguments_are_rejected() {
        assert!(KernelPca::new(0).fit_alone(&worked_gram()).is_err());
        assert!(KernelPca::new(6).fit_alone(&worked_gram()).is_err());
        assert!(KernelPca::new(1).fit_alone(&Dense::zeros(0, 0)).is_err());
        assert!(KernelPca::new(1).fit_alone(&Dense::from_rows(&[[1.0, 2.0], [0.0, 1.0]])).is_err());
        let model = KernelPca::new(2).fit_alone(&worked_gram()).unwrap();
        assert!(model.project(&Dense::zeros(1, 4)).is_err());
        assert!(model.project(&Dense::from_rows(&[[f64::NAN; 5]])).is_err());
    }

    #[test]
    fn equal_objects_have_no_components() {
        let model = KernelPca::new(2).fit_alone(&Dense::from_rows(&[[0.1; 3]; 3])).unwrap();
        assert_eq!((model.components(), model.explained()), (0, vec![]));
        assert_eq!(model.project(&Dense::from_rows(&[[0.1; 3]; 2])).unwrap(), Dense::zeros(2, 0));
    }

    /// The covariance matrix of the rows, over n.
    fn covariance(x: &Dense) -> Dense {
        let (n, d) = (x.rows() as f64, x.cols());
        let mean: Vec<f64> = (0..d).map(|c| (0..x.rows()).map(|i| x.at(i, c)).sum::<f64>() / n).collect();
        let mut s = Dense::zeros(d, d);
        for i in 0..x.rows() {
            for a in 0..d {
                for b in 0..d {
                    s.row_mut(a)[b] += (x.at(i, a) - mean[a]) * (x.at(i, b) - mean[b]) / n;
                }
            }
        }
        s
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn the_linear_kernel_gives_ordinary_components(x in vectors()) {
            let k = linear(&x);
            let model = KernelPca::new(x.rows()).fit_alone(&k).unwrap();
            let ordinary = Spectrum::of(&covariance(&x)).unwrap();
            for (r, variance) in model.variances().iter().enumerate() {
                let at = x.cols() - 1 - r;
                prop_assert!((variance - ordinary.values[at]).abs() < 1e-10);
                // Directions are unique if the variance differs from the others.
                let gap = |o: usize| (ordinary.values[o] - ordinary.values[at]).abs();
                if *variance < 1e-3 || (0..x.cols()).any(|o| o != at && gap(o) < 1e-3) {
                    continue;
                }
                let along: Vec<f64> = (0..x.rows())
                    .map(|i| x.row(i).iter().zip(ordinary.vectors.row(at)).map(|(a, b)| a * b).sum())
                    .collect();
                let mean = along.iter().sum::<f64>() / along.len() as f64;
                let first = (0..x.rows()).find(|&i| model.training().at(i, r).abs() > 1e-3).unwrap();
                let sign = (model.training().at(first, r) * (along[first] - mean)).signum();
                for (i, value) in along.iter().enumerate() {
                    prop_assert!((model.training().at(i, r) - sign * (value - mean)).abs() < 1e-8);
                }
            }
        }

        #[test]
        fn training_objects_passed_as_new_agree_and_variance_is_complete(x in vectors()) {
            let k = linear(&x);
            let model = KernelPca::new(x.rows()).fit_alone(&k).unwrap();
            prop_assert!(apart(&model.project(&k).unwrap(), model.training()) < 1e-6);
            prop_assert!((model.variances().iter().sum::<f64>() - total_variance(&k).unwrap()).abs() < 1e-10);
            prop_assert!(model.variances().is_sorted_by(|a, b| a >= b));
            // All components together preserve distances.
            for i in 0..x.rows() {
                let d = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
                let t = model.training();
                prop_assert!((d(t.row(i), t.row(0)) - d(x.row(i), x.row(0))).abs() < 1e-9);
            }
            for r in 0..model.components() {
                let column: Vec<f64> = (0..x.rows()).map(|i| model.training().at(i, r)).collect();
                prop_assert!(column.iter().any(|v| *v == largest(&column)));
            }
        }
    }
}
