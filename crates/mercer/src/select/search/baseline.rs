//! What knows nothing of the objects: the most frequent class, the mean.

use super::cells::Search;
use crate::data::{Categories, Dense, Target};
use crate::error::Result;
use crate::learn::Prediction;
use crate::select::Split;

impl Search<'_> {
    /// What the baseline is called: `majority` for classes, `mean` for numbers.
    pub fn baseline_name(&self) -> &'static str {
        match self.target() {
            Target::Classes(_) => "majority",
            Target::Numbers(_) => "mean",
        }
    }

    /// The most frequent class of the training part (the first among equals), or its mean, for every test object. Decision
    /// values and probabilities are the shares of the classes, the same for all objects: they order nothing.
    pub fn baseline(&self, split: &Split) -> Result<Prediction> {
        let n = split.test.len();
        match self.target() {
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
                let mut counts = vec![0usize; classes.levels().len()];
                let codes = split.train.iter().filter_map(|&i| classes.code(i));
                codes.for_each(|code| counts[code as usize] += 1);
                let known: Vec<usize> = (0..counts.len()).filter(|&c| counts[c] > 0).collect();
                let levels: Vec<String> = known.iter().map(|&c| classes.levels()[c].clone()).collect();
                let most = known.iter().map(|&c| counts[c]).max().unwrap_or(0);
                let first = known.iter().position(|&c| counts[c] == most).unwrap_or(0) as u32;
                let shares: Vec<f64> =
                    known.iter().map(|&c| counts[c] as f64 / split.train.len() as f64).collect();
                let shares = Dense::new(n, shares.len(), shares.repeat(n))?;
                Ok(Prediction {
                    target: Some(Target::Classes(Categories::from_codes(vec![first; n], levels.clone()))),
                    probabilities: Some(shares.clone()),
                    decisions: shares,
                    columns: levels,
                })
            }
        }
    }
}

/// The mean, without overflow of the sum.
fn mean_of(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = values.len().max(1) as f64;
    values.map(|v| v / n).sum()
}
