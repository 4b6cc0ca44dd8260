//! The perceptron, on similarities and on vectors.

use serde::{Deserialize, Serialize};

use super::learner::{ClassCodes, Learner, MachineOutput, PredictFrom, Predictor, Resources};
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

/// The perceptron: whenever an object is not on its side, it is added to the weights.
///
/// The decision is a(x) = Σ_j α_j y_j k(x_j, x) + b (in the primal form w·x + b), with y = ±1. Objects are
/// visited in their order; where y_i a(x_i) ≤ 0, α_i grows by 1 (w by y_i x_i) and b by y_i. Training ends after
/// an epoch without mistakes (converged) or after `epochs` of them. On data separable with margin γ within
/// radius R there are at most (R/γ)² mistakes; other data never converge. Two classes make one machine,
/// positive for class 1; more make one machine per class against the rest, and the largest decision wins.
///
/// * `epochs`: passes over the objects, at least 1.
/// * `bias`: whether there is a b, as if 1 were added to the kernel; by default yes.
///
/// Time O(n) per mistake and per epoch for similarities, O(n d) per epoch for vectors, for each machine.
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
/// // The same from the points themselves.
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

/// What a perceptron learnt from similarities.
#[derive(Clone, Debug, PartialEq)]
pub struct PerceptronMachine {
    /// One row per machine, one column per training object: α_j y_j.
    coefficients: Dense,
    biases: Vec<f64>,
    runs: Vec<Run>,
}

/// What a perceptron learnt from vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearPerceptronMachine {
    weights: Dense,
    biases: Vec<f64>,
    runs: Vec<Run>,
}

/// How the training of one machine went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
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
    /// A perceptron that passes over the objects at most so many times, at least 1.
    pub fn new(epochs: usize) -> Self {
        Perceptron { epochs, bias: true, resources: Resources::default() }
    }

    /// The same, whose typed fit works on this engine: its threads, its memory and its time.
    #[must_use]
    pub fn with_engine(mut self, engine: Engine) -> Self {
        self.resources.engine = Some(engine);
        self
    }

    /// The same, stopped by this budget too.
    #[must_use]
    #[doc(hidden)]
    pub fn with_budget(mut self, budget: Budget) -> Self {
        self.resources.budget = budget;
        self
    }

    /// The same with a bias b or without.
    #[must_use]
    pub fn with_bias(self, bias: bool) -> Self {
        Perceptron { bias, ..self }
    }

    /// Fits to labelled objects, with any kernel on them.
    pub fn fit<X: Sync + ?Sized, K: Kernel<X> + Clone, L: Ord + Clone>(
        &self,
        kernel: &K,
        objects: &X,
        labels: &[L],
    ) -> Result<Classifier<X, K, PerceptronMachine, L>> {
        fit_labels(self, &self.resources, kernel, objects, labels)
    }
}

impl Learner<ClassCodes> for Perceptron {
    type Machine = PerceptronMachine;

    /// Fits to similarities, of which the rows of objects mistaken are computed.
    fn fit_columns(&self, columns: &dyn Columns, target: &ClassCodes) -> Result<PerceptronMachine> {
        positive("epochs", self.epochs)?;
        let mut rows = self.resources.rows(columns)?;
        let (n, codes, classes) = (rows.len(), target.codes(), target.classes());
        check_codes(codes, n, classes)?;
        let step = if self.bias { 1.0 } else { 0.0 };
        let (mut coefficients, mut biases, mut runs) = (Vec::new(), Vec::new(), Vec::new());
        for y in sides(codes, classes) {
            let (mut signed, mut bias) = (vec![0.0; n], 0.0);
            // The decision for every training object, without the bias, is kept up to date.
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
                // Decisions that were kept up to date are summed afresh before they count as a proof.
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
        Ok(PerceptronMachine { coefficients: stack(&coefficients, n)?, biases, runs })
    }
}

impl Perceptron {
    /// Learns classes from vectors, one per row: the primal form, the same as [`fit`](Perceptron::fit) with the
    /// linear kernel up to rounding.
    pub fn fit_vectors(&self, x: &Dense, codes: &[usize], classes: usize) -> Result<LinearPerceptronMachine> {
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
        Ok(LinearPerceptronMachine { weights: stack(&weights, x.cols())?, biases, runs })
    }

    /// Visits the objects; `visit` gives the decision for an object, after learning from it when told to.
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
    ($machine:ident, $rows:ident, $compared:literal) => {
        impl $machine {
            #[doc = concat!("The decisions a(x) from ", $compared)]
            /// One column per machine: one with two classes, otherwise one per class.
            pub fn decisions(&self, rows: &Dense) -> Result<Dense> {
                check_cross(rows, self.$rows.cols())?;
                let mut values = product_transposed(rows, &self.$rows);
                for i in 0..values.rows() {
                    values.row_mut(i).iter_mut().zip(&self.biases).for_each(|(v, b)| *v += b);
                }
                finite(values)
            }

            #[doc = concat!("The classes from ", $compared)]
            /// Where a lone decision is 0 the class is 0; of equal ones the lower class wins.
            pub fn predict(&self, rows: &Dense) -> Result<Vec<usize>> {
                Ok(choose(&self.decisions(rows)?))
            }

            /// Whether every machine went through an epoch without mistakes.
            pub fn converged(&self) -> bool {
                self.runs.iter().all(|run| run.converged)
            }

            /// The most epochs that a machine took.
            pub fn epochs(&self) -> usize {
                self.runs.iter().map(|run| run.epochs).max().unwrap_or(0)
            }

            /// The mistakes of all machines together.
            pub fn mistakes(&self) -> u64 {
                self.runs.iter().map(|run| run.mistakes).sum()
            }

            /// The bias b of each machine.
            pub fn biases(&self) -> &[f64] {
                &self.biases
            }
        }
    };
}

reports!(
    PerceptronMachine,
    coefficients,
    "similarities of new objects (rows) to training objects (columns)."
);
reports!(LinearPerceptronMachine, weights, "vectors of new objects, one per row.");

impl Predictor for PerceptronMachine {
    type Output = usize;

    fn predict_from(&self, new: &PredictFrom<'_>) -> Result<MachineOutput<usize>> {
        let decisions = self.decisions(new.similarities()?.0)?;
        Ok(MachineOutput { values: choose(&decisions), decisions })
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

impl PerceptronMachine {
    /// The coefficients α_j y_j: one row per machine, one column per training object.
    pub fn coefficients(&self) -> &Dense {
        &self.coefficients
    }

    /// The number of training objects that some machine needs.
    pub fn support(&self) -> usize {
        self.used().len()
    }

    /// The training objects that some machine needs, ascending.
    pub(crate) fn used(&self) -> Vec<usize> {
        let used = |j: &usize| (0..self.coefficients.rows()).any(|m| self.coefficients.at(m, *j) != 0.0);
        (0..self.coefficients.cols()).filter(used).collect()
    }

    /// The same machine on the chosen objects alone.
    #[doc(hidden)]
    pub fn restricted(self, chosen: &[usize]) -> Result<Self> {
        let row = |m: usize| chosen.iter().map(|&j| self.coefficients.at(m, j)).collect();
        let rows: Vec<Vec<f64>> = (0..self.coefficients.rows()).map(row).collect();
        Ok(PerceptronMachine { coefficients: stack(&rows, chosen.len())?, ..self })
    }

    /// How the training of each machine went.
    #[doc(hidden)]
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// A machine from its parts: a row of coefficients, a bias and a run per machine.
    #[doc(hidden)]
    pub fn from_parts(coefficients: Dense, biases: Vec<f64>, runs: Vec<Run>) -> Result<Self> {
        let n = coefficients.rows();
        if biases.len() != n || runs.len() != n {
            let reason = format!("{n} rows of coefficients, {} biases, {} runs", biases.len(), runs.len());
            return Err(Error::usage(reason));
        }
        check_finite(&coefficients)?;
        check_finite(&stack(std::slice::from_ref(&biases), n)?)?;
        Ok(PerceptronMachine { coefficients, biases, runs })
    }
}

impl LinearPerceptronMachine {
    /// The weights w: one row per machine, one column per feature.
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
    fn refuses_what_does_not_fit() {
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
        let machine = learner.fit_codes(&k, &[0, 1], 2).unwrap();
        assert!(machine.predict(&Dense::zeros(1, 3)).is_err());
        assert!(machine.predict(&Dense::zeros(0, 2)).unwrap().is_empty());
        let huge = Dense::from_rows(&[[-1e308; 2]; 2]);
        assert!(matches!(learner.fit_codes(&huge, &[0, 1], 2), Err(Error::NonFinite { overflow: true, .. })));
    }

    /// Exclusive or is not separable by a line, and is by the kernel (x·z + 1)².
    #[test]
    fn exclusive_or() {
        let x = Dense::from_rows(&[[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]);
        let codes = [0, 1, 1, 0];
        let learner = Perceptron::new(200);
        let line = learner.fit_vectors(&x, &codes, 2).unwrap();
        assert!(!line.converged() && line.epochs() == 200);
        let mut k = linear(&x);
        k.values_mut().iter_mut().for_each(|v| *v = (*v + 1.0).powi(2));
        let machine = learner.fit_codes(&k, &codes, 2).unwrap();
        assert!(machine.converged());
        assert_eq!(machine.predict(&k).unwrap(), codes);
    }

    /// By hand, without bias: x1 = 1 of class 1 is a mistake at first, after that nothing is.
    #[test]
    fn worked_line() {
        let k = linear(&Dense::from_rows(&[[1.0], [-2.0]]));
        let machine = Perceptron::new(9).with_bias(false).fit_codes(&k, &[1, 0], 2).unwrap();
        assert_eq!(machine.coefficients().values(), [1.0, 0.0]);
        assert_eq!((machine.epochs(), machine.mistakes(), machine.support()), (2, 1, 1));
        assert_eq!(machine.decisions(&k).unwrap().values(), [1.0, -2.0]);
    }

    /// Small whole numbers, on which both forms compute without rounding.
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
            // Points are pushed away from the plane by a margin of at least 0.5 |w|, so (R/γ)² is bounded.
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
            let machine = Perceptron::new(200_000).fit_codes(&k, &codes, 2).unwrap();
            prop_assert!(machine.converged());
            prop_assert_eq!(machine.predict(&k).unwrap(), codes);
            prop_assert!(machine.support() >= 1 && machine.support() <= x.rows());
        }
    }
}
