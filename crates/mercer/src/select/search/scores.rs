//! The scores of configurations on splits, and the best configuration.

use crate::error::{Error, Result};
use crate::select::Score;

/// The score of a configuration on a split; none where it is undefined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Entry {
    /// The round of successive halving; 0 for other searches.
    pub(super) round: u32,
    pub(super) configuration: usize,
    pub(super) split: usize,
    pub(super) score: Option<f64>,
    pub(super) converged: bool,
}

/// The scores of configurations on splits.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfigurationScores {
    splits: usize,
    score: Score,
    /// The configurations that were tried, in ascending order.
    configurations: Vec<usize>,
    /// By configuration, then by split.
    values: Vec<Option<f64>>,
    converged: Vec<bool>,
}

impl ConfigurationScores {
    pub(super) fn new(configurations: Vec<usize>, splits: usize, score: Score) -> Self {
        let count = configurations.len() * splits;
        ConfigurationScores {
            splits,
            score,
            configurations,
            values: vec![None; count],
            converged: vec![true; count],
        }
    }

    pub(super) fn absorb(&mut self, entries: &[Entry]) -> Result<()> {
        for entry in entries {
            let place = self
                .configurations
                .binary_search(&entry.configuration)
                .ok()
                .filter(|_| entry.split < self.splits);
            let at = place
                .ok_or_else(|| Error::usage("a recorded score belongs to no configuration of this search"))?;
            self.values[at * self.splits + entry.split] = entry.score;
            self.converged[at * self.splits + entry.split] = entry.converged;
        }
        Ok(())
    }

    /// The configurations that were tried, in ascending order.
    pub fn configurations(&self) -> &[usize] {
        &self.configurations
    }

    /// The scores of a configuration, one per split, none where undefined; empty for a configuration that was not
    /// tried.
    pub fn of(&self, configuration: usize) -> &[Option<f64>] {
        match self.configurations.binary_search(&configuration) {
            Ok(at) => &self.values[at * self.splits..(at + 1) * self.splits],
            Err(_) => &[],
        }
    }

    /// The mean score of a configuration over all splits; none where one of them is undefined.
    pub fn mean(&self, configuration: usize) -> Option<f64> {
        self.mean_over(configuration, 0..self.splits)
    }

    /// The mean over some splits.
    pub fn mean_over(&self, configuration: usize, splits: std::ops::Range<usize>) -> Option<f64> {
        let count = splits.len();
        let values = self.of(configuration).get(splits)?;
        let sum = values.iter().try_fold(0.0, |sum, v| v.map(|v| sum + v))?;
        (count > 0).then(|| sum / count as f64)
    }

    /// Whether every model of a configuration converged.
    pub fn converged(&self, configuration: usize) -> bool {
        match self.configurations.binary_search(&configuration) {
            Ok(at) => self.converged[at * self.splits..(at + 1) * self.splits].iter().all(|c| *c),
            Err(_) => true,
        }
    }

    /// The number of fits that did not converge.
    pub fn unconverged(&self) -> usize {
        self.converged.iter().filter(|c| !**c).count()
    }

    /// The configuration with the best mean; ties go to the first.
    pub fn best(&self) -> Option<usize> {
        self.best_among(self.configurations.iter().copied(), 0..self.splits)
    }

    /// The best of some configurations over some splits; ties go to the first.
    pub fn best_among(
        &self,
        configurations: impl Iterator<Item = usize>,
        splits: std::ops::Range<usize>,
    ) -> Option<usize> {
        let valued = configurations.filter_map(|c| Some((c, self.quality(c, splits.clone())?)));
        // Means of equal scores may differ by rounding, which does not count as a difference.
        let better = |new: f64, old: f64| new > old + 1e-12 * old.abs();
        valued
            .fold(None, |best: Option<(usize, f64)>, (configuration, mean)| match best {
                Some((_, old)) if !better(mean, old) => best,
                _ => Some((configuration, mean)),
            })
            .map(|(configuration, _)| configuration)
    }

    /// The mean over some splits, its sign such that larger is better.
    pub(super) fn quality(&self, configuration: usize, splits: std::ops::Range<usize>) -> Option<f64> {
        let sign = if self.score.greater_is_better() { 1.0 } else { -1.0 };
        self.mean_over(configuration, splits).map(|mean| sign * mean)
    }

    /// The number of splits.
    pub fn splits(&self) -> usize {
        self.splits
    }
}
