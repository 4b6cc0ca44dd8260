//! Class probabilities from the decision values of any classifier.

use super::{Prediction, Trained};
use crate::data::Dense;
use crate::error::{Error, Result};

/// A share of 0 counts as this, so that its logarithm is finite.
const LEAST: f64 = 1e-9;

impl Trained {
    /// The logarithm of the probability of each class, up to a constant for each object: one row per object, one column
    /// per class.
    ///
    /// These are the logarithms of [`Prediction::probabilities`] where the model has them, and of the shares of nearest
    /// neighbours. Otherwise they are the decision values: of two classes the margin d gives ±d, so that the probability
    /// is 1 / (1 + exp(-2d)); of more classes, twice the decision value of a class, or twice its mean margin over the
    /// classifiers of pairs. Such probabilities are not calibrated; conformal sets need only their order to make sense.
    ///
    /// Fails for models that predict no classes.
    pub fn class_logs(&self, prediction: &Prediction) -> Result<Dense> {
        let (n, classes) = (prediction.len(), self.classes.len());
        if self.model.class_count().is_none() || classes < 2 {
            return Err(Error::usage("this model predicts no classes"));
        }
        let decisions = &prediction.decisions;
        let log = |p: &f64| p.max(LEAST).ln();
        let mut out = Dense::zeros(n, classes);
        for i in 0..n {
            let row = out.row_mut(i);
            if let Some(probabilities) = &prediction.probabilities {
                row.iter_mut().zip(probabilities.row(i)).for_each(|(v, p)| *v = log(p));
                continue;
            }
            let values = decisions.row(i);
            if self.model.gives_shares() {
                row.iter_mut().zip(values).for_each(|(v, p)| *v = log(p));
            } else if let [margin] = values {
                (row[0], row[1]) = (-margin, *margin);
            } else if let Some(pairs) = self.model.pairs_of_classes() {
                let weight = 2.0 / (classes - 1) as f64;
                for (&(a, b), margin) in pairs.iter().zip(values) {
                    row[a] -= weight * margin;
                    row[b] += weight * margin;
                }
            } else {
                row.iter_mut().zip(values).for_each(|(v, d)| *v = 2.0 * d);
            }
        }
        Ok(out)
    }
}
