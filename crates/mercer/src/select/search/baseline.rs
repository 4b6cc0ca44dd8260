//! What knows nothing of the objects: the majority class, the mean.

use super::cells::Search;
use crate::data::{Categories, Dense, Target};
use crate::error::Result;
use crate::learn::Prediction;
use crate::select::{Protocol, Split};

impl Search<'_> {
    /// What the baseline is called: `majority` for classes, `mean` for numbers.
    pub fn baseline_name(&self) -> &'static str {
        match self.target() {
            Target::Classes(_) => "majority",
            Target::Numbers(_) => "mean",
        }
    }

    /// The baseline's predictions of a test set: the majority class, or the mean of the training set, for every object.
    ///
    /// Where every object is tested once (folds, leave-one-out, leave-one-group-out), the majority class is that of all objects.
    /// The training set's would be the class that the test set has less of: of two classes of the same size, leave-one-out would
    /// always predict the wrong one, and any method would beat a score of 0. With one split (train-test, hold-out) it is the
    /// majority of the training set, where several are as frequent the one that is most frequent among all objects. The first
    /// of equals counts. Decision values and probabilities are the shares of the classes in the same objects: they rank nothing.
    pub fn baseline(&self, split: &Split, protocol: &Protocol) -> Result<Prediction> {
        of_target(self.target(), split, protocol)
    }
}

/// The baseline's predictions of a test set.
pub(in crate::select) fn of_target(
    target: &Target,
    split: &Split,
    protocol: &Protocol,
) -> Result<Prediction> {
    let n = split.test.len();
    match target {
        Target::Numbers(numbers) => {
            let mean = mean_of(split.train.iter().map(|&i| numbers[i]));
            Ok(Prediction {
                target: Some(Target::Numbers(vec![mean; n])),
                decisions: Dense::zeros(n, 0),
                columns: Vec::new(),
                probabilities: None,
            })
        }
        Target::Classes(classes) => {
            let count = |objects: &mut dyn Iterator<Item = usize>| {
                let mut counts = vec![0usize; classes.levels().len()];
                objects.filter_map(|i| classes.code(i)).for_each(|code| counts[code as usize] += 1);
                counts
            };
            let all = count(&mut (0..classes.len()));
            let counts = match protocol {
                Protocol::Holdout { .. } | Protocol::GroupHoldout { .. } | Protocol::TrainTest => {
                    count(&mut split.train.iter().copied())
                }
                _ => all.clone(),
            };
            let known: Vec<usize> = (0..counts.len()).filter(|&c| counts[c] > 0).collect();
            let levels: Vec<String> = known.iter().map(|&c| classes.levels()[c].clone()).collect();
            // Of equals the last would be found: the order is turned, so that it is the first.
            let most = (0..known.len()).rev().max_by_key(|&k| (counts[known[k]], all[known[k]]));
            let total: usize = counts.iter().sum();
            let shares: Vec<f64> = known.iter().map(|&c| counts[c] as f64 / total.max(1) as f64).collect();
            let shares = Dense::new(n, shares.len(), shares.repeat(n))?;
            Ok(Prediction {
                target: Some(Target::Classes(Categories::from_codes(
                    vec![most.unwrap_or(0) as u32; n],
                    levels.clone(),
                ))),
                probabilities: Some(shares.clone()),
                decisions: shares,
                columns: levels,
            })
        }
    }
}

/// The mean, without overflow of the sum.
fn mean_of(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = values.len().max(1) as f64;
    values.map(|v| v / n).sum()
}
