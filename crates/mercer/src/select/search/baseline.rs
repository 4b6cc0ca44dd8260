//! Baseline predictors that ignore the objects: the majority class, the mean.

use super::configurations::Search;
use crate::data::{Categories, Dense, Target};
use crate::error::Result;
use crate::learn::Prediction;
use crate::select::{Protocol, Split};

impl Search<'_> {
    /// The name of the baseline: `majority` for classes, `mean` for numbers.
    pub fn baseline_name(&self) -> &'static str {
        match self.target() {
            Target::Classes(_) => "majority",
            Target::Numbers(_) => "mean",
        }
    }

    /// The baseline's predictions for a test set: the majority class, or the mean of the training set, for every
    /// object.
    ///
    /// Where every object is tested once (folds, leave-one-out, leave-one-group-out), the majority class is that of all
    /// objects. The majority of the training set would be the class that is rarer in the test set. With two classes of
    /// equal size, leave-one-out would always predict the wrong one, and any method would beat a score of 0.
    ///
    /// With one split (train-test, hold-out) and in the order of time, it is the majority class of the training set. Ties go to the first
    /// class. Decision values and probabilities are the class shares in
    /// the same objects, so they rank nothing.
    pub fn baseline(&self, split: &Split, protocol: &Protocol) -> Result<Prediction> {
        of_target(self.target(), split, protocol)
    }
}

/// The baseline's predictions for a test set.
pub(in crate::select) fn of_target(
    target: &Target,
    split: &Split,
    protocol: &Protocol,
) -> Result<Prediction> {
    let n = split.test.len();
    match target {
        Target::Numbers(numbers) => {
            let mean = mean_of(split.train.iter().map(|&i| numbers[i]));
            Ok(Prediction::of_numbers(vec![mean; n]))
        }
        Target::Classes(classes) => {
            let count = |objects: &mut dyn Iterator<Item = usize>| {
                let mut counts = vec![0usize; classes.levels().len()];
                objects.filter_map(|i| classes.code(i)).for_each(|code| counts[code as usize] += 1);
                counts
            };
            let counts = match protocol {
                Protocol::Holdout { .. }
                | Protocol::GroupHoldout { .. }
                | Protocol::Forward { .. }
                | Protocol::TrainTest
                | Protocol::Given => count(&mut split.train.iter().copied()),
                _ => count(&mut (0..classes.len())),
            };
            let known: Vec<usize> = (0..counts.len()).filter(|&c| counts[c] > 0).collect();
            let levels: Vec<String> = known.iter().map(|&c| classes.levels()[c].clone()).collect();
            // `max_by_key` returns the last maximum: reversing the order makes it the first.
            let most = (0..known.len()).rev().max_by_key(|&k| counts[known[k]]);
            let total: usize = counts.iter().sum();
            let shares: Vec<f64> = known.iter().map(|&c| counts[c] as f64 / total.max(1) as f64).collect();
            let shares = Dense::new(n, shares.len(), shares.repeat(n))?;
            Ok(Prediction {
                target: Some(Target::Classes(Categories::from_codes(
                    vec![most.unwrap_or(0) as u32; n],
                    levels.clone(),
                ))),
                probabilities: Some(shares.clone()),
                deviations: None,
                decisions: shares,
                columns: levels,
            })
        }
    }
}

/// The mean, computed so that the sum cannot overflow.
fn mean_of(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = values.len().max(1) as f64;
    values.map(|v| v / n).sum()
}
