//! The perceptron, for similarities and for vectors.

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

use super::learner::{ClassCodes, Learner, ModelOutput, PredictFrom, Predictor, Resources};
use super::targets::{check_codes, choose, finite, positive, sides, stack};
use super::typed::{Classifier, fit_labels};
use crate::budget::{self, Budget};
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::{Engine, check_finite};
use crate::numeric::algebra::product_transposed;
use crate::numeric::check::check_cross;
use crate::solve::{Columns, Stop};
use crate::traits::Kernel;

/// The perceptron: each misclassified object is added to the weights.
///
/// The decision value is a(x) = Σ_j α_j y_j k(x_j, x) + b (in the primal form w·x + b), with y = ±1. Objects are
/// visited in order; where y_i a(x_i) ≤ 0, α_i grows by 1 (w by y_i x_i) and b by y_i. Training ends after an epoch
/// without mistakes (converged) or after `epochs` epochs. On data separable with margin γ within radius R there are at
/// most (R/γ)² mistakes; other data never converge. Two classes give one model, positive for class 1; more give one
/// model per class against the rest, and the largest decision value wins.
///
/// * `epochs`: passes over the objects, at least 1.
/// * `bias`: whether there is a b, equivalent to adding 1 to the kernel; by default yes.
///
/// Time O(n) per mistake and per epoch for similarities, O(n d) per epoch for vectors, for each model.
///
/// ```
/// use mercer_core::data::{Dense, Vectors};
/// use mercer_core::{Linear, Perceptron};
/// // The points -2, -1, 1 and 3 on a line.
/// let points = Dense::from_rows(&[[-2.0], [-1.0], [1.0], [3.0]]);
/// let x = Vectors::from(points.clone());
/// let learner = Perceptron::new(100);
/// let model = learner.fit(&Linear, &x, &["left", "left", "right", "right"])?;
/// assert!(model.is_converged());
/// assert_eq!(model.predict(&x)?, ["left", "left", "right", "right"]);
/// // The primal form, from the points.
/// let primal = learner.fit_vectors(&points, &[0, 0, 1, 1], 2)?;
/// assert_eq!(primal.decisions(&points)?, model.decision_function(&x)?);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// F. Rosenblatt, *The perceptron*, Psychological Review 65 (1958); M. Aizerman et al., *Theoretical foundations
/// of the potential function method*, Automation and Remote Control 25 (1964).
#[derive(Clone, Debug, PartialEq)]
pub struct Perceptron {
    epochs: usize,
    bias: bool,
    resources: Resources,
}

/// A perceptron fitted to similarities.
#[derive(Clone, Debug, PartialEq)]
pub struct PerceptronModel {
    /// One row per model, one column per training object: α_j y_j.
    coefficients: Dense,
    biases: Vec<f64>,
    runs: Vec<Run>,
}

/// A perceptron fitted to vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearPerceptronModel {
    weights: Dense,
    biases: Vec<f64>,
    runs: Vec<Run>,
}

/// A summary of the training of one binary classifier.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[doc(hidden)]
pub struct Run {
    #[doc(hidden)]
    pub epochs: usize,
    #[doc(hidden)]
    pub mistakes: u64,
    #[doc(hidden)]
    pub converged: bool,
}

impl Perceptron {
    /// A perceptron with at most `epochs` passes over the objects, at least 1.
    pub fn new(epochs: usize) -> Self {
        Perceptron { epochs, bias: true, resources: Resources::default() }
    }

    /// Sets the engine of the typed fit: its threads, its memory and its time.
    #[must_use]
    pub fn with_engine(mut self, engine: Engine) -> Self {
        self.resources.engine = Some(engine);
        self
    }

    /// Sets an additional budget that can stop the fit.
    #[must_use]
    #[doc(hidden)]
    pub fn with_budget(mut self, budget: Budget) -> Self {
        self.resources.budget = budget;
        self
    }

    /// Sets whether there is a bias b.
    #[must_use]
    pub fn with_bias(self, bias: bool) -> Self {
        Perceptron { bias, ..self }
    }

    /// Fits to labelled objects, with any kernel.
    pub fn fit<X: Sync + ?Sized, K: Kernel<X> + Clone, L: Ord + Clone>(
        &self,
        kernel: &K,
        objects: &X,
        labels: &[L],
    ) -> Result<Classifier<X, K, PerceptronModel, L>> {
        fit_labels(self, &self.resources, kernel, objects, labels)
    }
}

impl Learner<ClassCodes> for Perceptron {
    type Model = PerceptronModel;

    /// Fits to similarities; only the rows of misclassified objects are computed.
    fn fit_columns(&self, columns: &dyn Columns, target: &ClassCodes) -> Result<PerceptronModel> {
        positive("epochs", self.epochs)?;
        let mut rows = self.resources.rows(columns)?;
        let (n, codes, classes) = (rows.len(), target.codes(), target.classes());
        check_codes(codes, n, classes)?;
        let step = if self.bias { 1.0 } else { 0.0 };
        let (mut coefficients, mut biases, mut runs) = (Vec::new(), Vec::new(), Vec::new());
        for y in sides(codes, classes) {
            let (mut signed, mut bias) = (vec![0.0; n], 0.0);
            // The decision values of all training objects, without the bias, are updated incrementally.
            let mut values = vec![0.0; n];
            let mut run = self.run(&y, |i, update| {
                if update {
                    signed[i] += y[i];
                    bias += step * y[i];
                    values.iter_mut().zip(rows.row(i)?).for_each(|(v, k)| *v += y[i] * k);
                }
                Ok(values[i] + bias)
            })?;
            if run.converged {
                // Updated decision values are recomputed before they count as proof.
                let mut fresh = vec![0.0; n];
                for i in (0..n).filter(|&i| signed[i] != 0.0) {
                    fresh.iter_mut().zip(rows.row(i)?).for_each(|(v, k)| *v += signed[i] * k);
                }
                run.converged = fresh.iter().zip(&y).all(|(v, y)| y * (v + bias) > 0.0);
            }
            coefficients.push(signed);
            biases.push(bias);
            runs.push(run);
        }
        Ok(PerceptronModel { coefficients: stack(&coefficients, n)?, biases, runs })
    }
}

impl Perceptron {
    /// Fits to vectors, one per row. This is the primal form and equals [`fit`](Perceptron::fit) with the linear kernel
    /// up to rounding.
    pub fn fit_vectors(&self, x: &Dense, codes: &[usize], classes: usize) -> Result<LinearPerceptronModel> {
        positive("epochs", self.epochs)?;
        check_finite(x)?;
        check_codes(codes, x.rows(), classes)?;
        let step = if self.bias { 1.0 } else { 0.0 };
        let (mut weights, mut biases, mut runs) = (Vec::new(), Vec::new(), Vec::new());
        for y in sides(codes, classes) {
            let (mut w, mut bias) = (vec![0.0; x.cols()], 0.0);
            let run = self.run(&y, |i, update| {
                if update {
                    bias += step * y[i];
                    w.iter_mut().zip(x.row(i)).for_each(|(w, x)| *w += y[i] * x);
                }
                Ok(w.iter().zip(x.row(i)).map(|(w, x)| w * x).sum::<f64>() + bias)
            })?;
            weights.push(w);
            biases.push(bias);
            runs.push(run);
        }
        Ok(LinearPerceptronModel { weights: stack(&weights, x.cols())?, biases, runs })
    }

    /// Visits the objects; `visit` returns the decision value of an object, after updating the weights if requested.
    fn run(&self, y: &[f64], mut visit: impl FnMut(usize, bool) -> Result<f64>) -> Result<Run> {
        let mut run = Run::default();
        while run.epochs < self.epochs && !run.converged {
            run.epochs += 1;
            run.converged = true;
            for (i, y) in y.iter().enumerate() {
                budget::check_often()?;
                let a = visit(i, false)?;
                if !a.is_finite() {
                    return Err(Error::NonFinite { row: i, col: 0, overflow: true });
                }
                if y * a <= 0.0 {
                    visit(i, true)?;
                    run.mistakes += 1;
                    run.converged = false;
                }
            }
        }
        Ok(run)
    }
}

macro_rules! reports {
    ($model:ident, $rows:ident, $compared:literal) => {
        impl $model {
            #[doc = concat!("The decision values a(x) from ", $compared)]
            /// One column per model: one for two classes, otherwise one per class.
            pub fn decisions(&self, rows: &Dense) -> Result<Dense> {
                check_cross(rows, self.$rows.cols())?;
                let mut values = product_transposed(rows, &self.$rows);
                for i in 0..values.rows() {
                    values.row_mut(i).iter_mut().zip(&self.biases).for_each(|(v, b)| *v += b);
                }
                finite(values)
            }

            #[doc = concat!("The classes from ", $compared)]
            /// A single decision value of 0 gives class 0; the lowest class wins a tie.
            pub fn predict(&self, rows: &Dense) -> Result<Vec<usize>> {
                Ok(choose(&self.decisions(rows)?))
            }

            /// Whether every model completed an epoch without mistakes.
            pub fn converged(&self) -> bool {
                self.runs.iter().all(|run| run.converged)
            }

            /// The largest number of epochs of any model.
            pub fn epochs(&self) -> usize {
                self.runs.iter().map(|run| run.epochs).max().unwrap_or(0)
            }

            /// The total number of mistakes of all models.
            pub fn mistakes(&self) -> u64 {
                self.runs.iter().map(|run| run.mistakes).sum()
            }

            /// The bias b of each model.
            pub fn biases(&self) -> &[f64] {
                &self.biases
            }
        }
    };
}

reports!(PerceptronModel, coefficients, "similarities of new objects (rows) to training objects (columns).");
reports!(LinearPerceptronModel, weights, "vectors of new objects, one per row.");

impl Predictor for PerceptronModel {
    type Output = usize;

    fn predict_from(&self, new: &PredictFrom<'_>) -> Result<ModelOutput<usize>> {
        let decisions = self.decisions(new.similarities()?.0)?;
        Ok(ModelOutput { values: choose(&decisions), decisions })
    }

    fn compact(self) -> Result<(Self, Vec<usize>)> {
        let support = self.used();
        Ok((self.restricted(&support)?, support))
    }

    fn stops(&self) -> Vec<Stop> {
        let stop = |run: &Run| if run.converged { Stop::Settled } else { Stop::Iterations };
        self.runs.iter().map(stop).collect()
    }
}

impl PerceptronModel {
    /// The coefficients α_j y_j: one row per model, one column per training object.
    pub fn coefficients(&self) -> &Dense {
        &self.coefficients
    }

    /// The number of training objects needed by any model.
    pub fn support_count(&self) -> usize {
        self.used().len()
    }

    /// The training objects needed by any model, ascending.
    pub(crate) fn used(&self) -> Vec<usize> {
        let used = |j: &usize| (0..self.coefficients.rows()).any(|m| self.coefficients.at(m, *j) != 0.0);
        (0..self.coefficients.cols()).filter(used).collect()
    }

    /// The same model restricted to the chosen objects.
    #[doc(hidden)]
    pub fn restricted(self, chosen: &[usize]) -> Result<Self> {
        let row = |m: usize| chosen.iter().map(|&j| self.coefficients.at(m, j)).collect();
        let rows: Vec<Vec<f64>> = (0..self.coefficients.rows()).map(row).collect();
        Ok(PerceptronModel { coefficients: stack(&rows, chosen.len())?, ..self })
    }

    /// A summary of the training of each model.
    #[doc(hidden)]
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// A model from its parts: one row of coefficients, one bias and one run per model.
    #[doc(hidden)]
    pub fn from_parts(coefficients: Dense, biases: Vec<f64>, runs: Vec<Run>) -> Result<Self> {
        let n = coefficients.rows();
        if biases.len() != n || runs.len() != n {
            let reason = format!("{n} rows of coefficients, {} biases, {} runs", biases.len(), runs.len());
            return Err(Error::usage(reason));
        }
        check_finite(&coefficients)?;
        check_finite(&stack(std::slice::from_ref(&biases), n)?)?;
        Ok(PerceptronModel { coefficients, biases, runs })
    }
}

impl LinearPerceptronModel {
    /// The weights w: one row per model, one column per feature.
    pub fn weights(&self) -> &Dense {
        &self.weights
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::learner::on_gram::OnGram;
    use crate::numeric::algebra::test_support::*;
    use proptest::prelude::*;

    #[test]
    fn mismatched_arguments_are_rejected() {
        let learner = Perceptron::new(5);
        let k = Dense::from_rows(&[[1.0, 0.0], [0.0, 1.0]]);
        assert!(Perceptron::new(0).fit_codes(&k, &[0, 1], 2).is_err());
        assert!(Perceptron::new(0).fit_vectors(&k, &[0, 1], 2).is_err());
        assert!(learner.fit_codes(&k, &[0, 1, 1], 2).is_err());
        assert!(learner.fit_codes(&k, &[0, 2], 2).is_err());
        assert!(learner.fit_codes(&k, &[1, 1], 2).is_err());
        assert!(learner.fit_codes(&Dense::zeros(0, 0), &[], 2).is_err());
        assert!(learner.fit_codes(&Dense::zeros(2, 3), &[0, 1], 2).is_err());
        assert!(learner.fit_vectors(&Dense::zeros(0, 0), &[], 2).is_err());
        assert!(learner.fit_vectors(&Dense::from_rows(&[[f64::NAN], [1.0]]), &[0, 1], 2).is_err());
        let model = learner.fit_codes(&k, &[0, 1], 2).unwrap();
        assert!(model.predict(&Dense::zeros(1, 3)).is_err());
        assert!(model.predict(&Dense::zeros(0, 2)).unwrap().is_empty());
        let huge = Dense::from_rows(&[[-1e308; 2]; 2]);
        assert!(matches!(learner.fit_codes(&huge, &[0, 1], 2), Err(Error::NonFinite { overflow: true, .. })));
    }

    /// Exclusive or is not linearly separable, but separable with the kernel (x·z + 1)².
    #[test]
    fn exclusive_or() {
        let x = Dense::from_rows(&[[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]);
        let codes = [0, 1, 1, 0];
        let learner = Perceptron::new(200);
        let line = learner.fit_vectors(&x, &codes, 2).unwrap();
        assert!(!line.converged() && line.epochs() == 200);
        let mut k = linear(&x);
        k.values_mut().iter_mut().for_each(|v| *v = (*v + 1.0).powi(2));
        let model = learner.fit_codes(&k, &codes, 2).unwrap();
        assert!(model.converged());
        assert_eq!(model.predict(&k).unwrap(), codes);
    }

    /// Worked by hand, without bias: x1 = 1 of class 1 is the only mistake.
    #[test]
    fn worked_line() {
        let k = linear(&Dense::from_rows(&[[1.0], [-2.0]]));
        let model = Perceptron::new(9).with_bias(false).fit_codes(&k, &[1, 0], 2).unwrap();
        assert_eq!(model.coefficients().values(), [1.0, 0.0]);
        assert_eq!((model.epochs(), model.mistakes(), model.support_count()), (2, 1, 1));
        assert_eq!(model.decisions(&k).unwrap().values(), [1.0, -2.0]);
    }

    /// Small integers, for which both forms compute without rounding.
    fn grid() -> impl Strategy<Value = (Dense, Vec<usize>, usize)> {
        (3usize..=14, 1usize..=3, 2usize..=4).prop_flat_map(|(n, d, classes)| {
            let points = prop::collection::vec(-5..=5i8, n * d);
            (points, prop::collection::vec(0..classes, n)).prop_map(move |(x, mut codes)| {
                (codes[0], codes[1]) = (0, 1);
                (Dense::new(n, d, x.into_iter().map(f64::from).collect()).unwrap(), codes, classes)
            })
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn both_forms_agree((x, codes, classes) in grid(), bias in any::<bool>()) {
            let learner = Perceptron::new(20).with_bias(bias);
            let k = linear(&x);
            let dual = learner.fit_codes(&k, &codes, classes).unwrap();
            let primal = learner.fit_vectors(&x, &codes, classes).unwrap();
            prop_assert_eq!(dual.decisions(&k).unwrap(), primal.decisions(&x).unwrap());
            prop_assert_eq!(dual.mistakes(), primal.mistakes());
            prop_assert_eq!(dual.converged(), primal.converged());
            if dual.converged() {
                prop_assert_eq!(dual.predict(&k).unwrap(), codes);
            }
        }

        #[test]
        fn separable_data_are_separated(x in vectors(), w in prop::collection::vec(-1.0..1.0f64, 7)) {
            // Points are moved away from the plane by a margin of at least 0.5 |w|, so (R/γ)² is bounded.
            let mut x = x;
            let norm = w[..x.cols()].iter().map(|v| v * v).sum::<f64>();
            prop_assume!(norm > 0.01);
            let mut codes = Vec::new();
            for i in 0..x.rows() {
                let a = x.row(i).iter().zip(&w).map(|(x, w)| x * w).sum::<f64>() + w[6];
                let push = if a > 0.0 { 0.5 } else { -0.5 };
                x.row_mut(i).iter_mut().zip(&w).for_each(|(x, w)| *x += push * w / norm.sqrt());
                codes.push(usize::from(a > 0.0));
            }
            prop_assume!(codes.contains(&0) && codes.contains(&1));
            let k = linear(&x);
            let model = Perceptron::new(200_000).fit_codes(&k, &codes, 2).unwrap();
            prop_assert!(model.converged());
            prop_assert_eq!(model.predict(&k).unwrap(), codes);
            prop_assert!(model.support_count() >= 1 && model.support_count() <= x.rows());
        }
    }
}
