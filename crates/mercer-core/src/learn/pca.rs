//! Principal components in feature space.

use super::learner::{Learner, MachineOutput, PredictFrom, Predictor, Resources};
use super::rows::whole;
use super::targets::{finite, positive};
use super::typed::{KernelModel, Unlabelled, fit_objects};
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::{Centering, Engine, Spectrum, check_symmetric};
use crate::numeric::algebra::{largest, product_transposed, scale_rows};
use crate::numeric::check::{check_finite, check_values};
use crate::solve::Columns;
use crate::traits::Kernel;

/// Kernel principal component analysis: the directions of feature space along which the training objects vary most.
///
/// The centred Gram matrix is K̂ = U Λ Uᵀ. Along component k training object i has the coordinate √λ_k U_ik, and a
/// new object x has Σ_i k̂(x, x_i) U_ik / √λ_k; the variance along it is λ_k / n. Signs are fixed: of each
/// component, the training coordinate of largest magnitude (the first of equals) is positive.
///
/// * `components`: how many, from 1 to the number of objects. Components whose variance cannot be told from 0 are
///   left out, so there may be fewer. Where so many are asked for that one would have a negative eigenvalue, which no rounding
///   explains, the similarities are no dot products and are refused.
///
/// Time O(n³) to fit, O(n r) to project an object on r components.
///
/// ```
/// use mercer_core::data::{Dense, Vectors};
/// use mercer_core::{KernelPca, Linear};
/// // The points 1, 3 and 5 on a line.
/// let x = Vectors::from(Dense::from_rows(&[[1.0], [3.0], [5.0]]));
/// let model = KernelPca::new(2).fit(&Linear, &x)?;
/// assert_eq!(model.machine().components(), 1);
/// assert!((model.machine().variances()[0] - 8.0 / 3.0).abs() < 1e-12);
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

/// Negative eigenvalues beyond this share of the largest are no rounding.
const NEGATIVE: f64 = 1e-5;

/// Principal components of training objects, on which new ones can be projected.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelPcaMachine {
    centering: Centering,
    /// U_ik / √λ_k: one row per component.
    directions: Dense,
    training: Dense,
    variances: Vec<f64>,
    total: f64,
}

impl KernelPca {
    /// At most so many components, at least 1.
    pub fn new(components: usize) -> Self {
        KernelPca { components, resources: Resources::default() }
    }

    /// The same, whose typed fit works on this engine: its threads, its memory and its time.
    #[must_use]
    pub fn with_engine(mut self, engine: Engine) -> Self {
        self.resources.engine = Some(engine);
        self
    }

    /// Finds the components of objects, with any kernel on them. The model gives coordinates by
    /// [`transform`](KernelModel::transform).
    pub fn fit<X: Sync + ?Sized, K: Kernel<X> + Clone>(
        &self,
        kernel: &K,
        objects: &X,
    ) -> Result<KernelModel<X, K, KernelPcaMachine, Unlabelled>> {
        fit_objects(self, &self.resources, kernel, objects)
    }

    /// Finds the components of the objects behind a symmetric Gram matrix.
    fn fit_gram(&self, gram: &Dense) -> Result<KernelPcaMachine> {
        positive("components", self.components)?;
        check_symmetric(gram)?;
        let n = gram.rows();
        if self.components > n {
            let domain = format!("at most {n}, the number of objects");
            return Err(Error::param("components", self.components, &domain));
        }
        let centering = Centering::fit(gram)?;
        let mut centred = gram.clone();
        centering.apply_train(&mut centred)?;
        let spectrum = Spectrum::of(&centred)?;
        // Centring subtracts numbers of the size of the entries: their rounding stays when little else does.
        let rounding = 4.0 * n as f64 * f64::EPSILON * spectrum.radius().max(largest(gram.values()));
        let positive = |k: &usize| spectrum.values[*k] > rounding;
        let total = (0..n).filter(positive).map(|k| spectrum.values[k] / n as f64).sum();
        let (least, most) = (spectrum.values[n - self.components], spectrum.values[n - 1]);
        if least < -NEGATIVE * most.abs().max(largest(gram.values()) * f64::EPSILON) {
            return Err(Error::NotPositiveDefinite { lambda_min: spectrum.values[0], lambda_max: most });
        }
        let kept: Vec<usize> = (0..n).rev().filter(positive).take(self.components).collect();
        let vectors = spectrum.vectors.select(&kept);
        let roots: Vec<f64> = kept.iter().map(|&k| spectrum.values[k].sqrt()).collect();
        let mut training = Dense::zeros(n, kept.len());
        for i in 0..n {
            for (k, value) in training.row_mut(i).iter_mut().enumerate() {
                *value = vectors.at(k, i) * roots[k];
            }
        }
        let directions = scale_rows(&vectors, roots.iter().map(|root| 1.0 / root));
        let variances = kept.iter().map(|&k| spectrum.values[k] / n as f64).collect();
        Ok(KernelPcaMachine { centering, directions, training, variances, total })
    }
}

impl Learner<()> for KernelPca {
    type Machine = KernelPcaMachine;

    fn fit_columns(&self, columns: &dyn Columns, (): &()) -> Result<KernelPcaMachine> {
        // The centred matrix, the solver's copy and its scratch, its eigenvectors, and those as rows.
        let gram = whole(columns, 7, "the matrix of the components and its eigenvectors, in memory,")?;
        self.fit_gram(&gram)
    }
}

impl Predictor for KernelPcaMachine {
    /// The coordinates of an object.
    type Output = Vec<f64>;

    fn predict_from(&self, new: &PredictFrom<'_>) -> Result<MachineOutput<Vec<f64>>> {
        let decisions = self.project(new.similarities()?.0)?;
        let values = (0..decisions.rows()).map(|i| decisions.row(i).to_vec()).collect();
        Ok(MachineOutput { values, decisions })
    }

    fn compact(self) -> Result<(Self, Vec<usize>)> {
        let support = (0..self.training.rows()).collect();
        Ok((self, support))
    }
}

impl KernelPcaMachine {
    /// The number of components found.
    pub fn components(&self) -> usize {
        self.variances.len()
    }

    /// The variance λ_k / n along each component, largest first.
    pub fn variances(&self) -> &[f64] {
        &self.variances
    }

    /// The part of the total variance along each component, in (0, 1].
    pub fn explained(&self) -> Vec<f64> {
        self.variances.iter().map(|v| v / self.total).collect()
    }

    /// The coordinates of the training objects: a row per object, a column per component.
    pub fn training(&self) -> &Dense {
        &self.training
    }

    /// The sum of the variances along all components there are, kept or not.
    pub fn total_variance(&self) -> f64 {
        self.total
    }

    /// What is subtracted from similarities, and the coefficients U_ik / √λ_k of each component (rows).
    #[doc(hidden)]
    pub fn parts(&self) -> (&Centering, &Dense) {
        (&self.centering, &self.directions)
    }

    /// A machine from its parts: at least one component, variances above 0 that descend and make up no more than the
    /// total.
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
        // Both are sums of the same numbers, in other orders.
        if !descend || !total.is_finite() || sum > total * (1.0 + 1e-9) {
            return Err(Error::usage("variances that do not descend to a number above 0 within their total"));
        }
        Ok(KernelPcaMachine { centering, directions, training, variances, total })
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
    fn refuses_what_does_not_fit() {
        assert!(KernelPca::new(0).fit_alone(&worked_gram()).is_err());
        assert!(KernelPca::new(6).fit_alone(&worked_gram()).is_err());
        assert!(KernelPca::new(1).fit_alone(&Dense::zeros(0, 0)).is_err());
        assert!(KernelPca::new(1).fit_alone(&Dense::from_rows(&[[1.0, 2.0], [0.0, 1.0]])).is_err());
        let machine = KernelPca::new(2).fit_alone(&worked_gram()).unwrap();
        assert!(machine.project(&Dense::zeros(1, 4)).is_err());
        assert!(machine.project(&Dense::from_rows(&[[f64::NAN; 5]])).is_err());
    }

    #[test]
    fn equal_objects_have_no_components() {
        let machine = KernelPca::new(2).fit_alone(&Dense::from_rows(&[[0.1; 3]; 3])).unwrap();
        assert_eq!((machine.components(), machine.explained()), (0, vec![]));
        assert_eq!(machine.project(&Dense::from_rows(&[[0.1; 3]; 2])).unwrap(), Dense::zeros(2, 0));
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
        fn ordinary_components_with_the_linear_kernel(x in vectors()) {
            let k = linear(&x);
            let machine = KernelPca::new(x.rows()).fit_alone(&k).unwrap();
            let ordinary = Spectrum::of(&covariance(&x)).unwrap();
            for (r, variance) in machine.variances().iter().enumerate() {
                let at = x.cols() - 1 - r;
                prop_assert!((variance - ordinary.values[at]).abs() < 1e-10);
                // Directions are unique where the variance differs from the others.
                let gap = |o: usize| (ordinary.values[o] - ordinary.values[at]).abs();
                if *variance < 1e-3 || (0..x.cols()).any(|o| o != at && gap(o) < 1e-3) {
                    continue;
                }
                let along: Vec<f64> = (0..x.rows())
                    .map(|i| x.row(i).iter().zip(ordinary.vectors.row(at)).map(|(a, b)| a * b).sum())
                    .collect();
                let mean = along.iter().sum::<f64>() / along.len() as f64;
                let first = (0..x.rows()).find(|&i| machine.training().at(i, r).abs() > 1e-3).unwrap();
                let sign = (machine.training().at(first, r) * (along[first] - mean)).signum();
                for (i, value) in along.iter().enumerate() {
                    prop_assert!((machine.training().at(i, r) - sign * (value - mean)).abs() < 1e-8);
                }
            }
        }

        #[test]
        fn training_objects_as_new_ones_and_all_variance(x in vectors()) {
            let k = linear(&x);
            let machine = KernelPca::new(x.rows()).fit_alone(&k).unwrap();
            prop_assert!(apart(&machine.project(&k).unwrap(), machine.training()) < 1e-6);
            prop_assert!((machine.variances().iter().sum::<f64>() - total_variance(&k).unwrap()).abs() < 1e-10);
            prop_assert!(machine.variances().is_sorted_by(|a, b| a >= b));
            // All components together keep distances.
            for i in 0..x.rows() {
                let d = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
                let t = machine.training();
                prop_assert!((d(t.row(i), t.row(0)) - d(x.row(i), x.row(0))).abs() < 1e-9);
            }
            for r in 0..machine.components() {
                let column: Vec<f64> = (0..x.rows()).map(|i| machine.training().at(i, r)).collect();
                prop_assert!(column.iter().any(|v| *v == largest(&column)));
            }
        }
    }
}
