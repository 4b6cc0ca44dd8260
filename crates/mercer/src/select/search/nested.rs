//! Nested cross-validation: parameters are chosen on inner splits and evaluated on outer splits.

use std::ops::Range;
use std::path::Path;

use super::configurations::{Fold, Search};
use super::halving;
use super::scores::ConfigurationScores;
use super::strategy::Strategy;
use crate::error::{Error, Result};
use crate::select::{Nested, Score, Split};

/// The result of a search inside every outer split.
///
/// The inner splits of all outer splits are scored in one search, so that matrices are shared. Then the best
/// configuration of each outer split is fitted to its training set and predicts its test set. No test object influences
/// a choice.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// One per outer split, in order.
    pub folds: Vec<OuterFold>,
    /// The scores of the configurations on the inner splits; none when there was nothing to choose.
    pub tuning: Option<Tuning>,
}

/// The inner scores on which the choices are based.
#[derive(Clone, Debug)]
pub struct Tuning {
    /// Every configuration on every inner split, ordered by outer split. After successive halving, the configurations
    /// and scores of the last round.
    pub scores: ConfigurationScores,
    /// The range of inner splits of each outer split.
    pub ranges: Vec<Range<usize>>,
    /// For each outer split, the configurations from which the best was chosen, in ascending order.
    pub left: Vec<Vec<usize>>,
    /// The number of rounds: 1 without successive halving.
    pub rounds: u32,
    /// The number of fits over all rounds.
    pub fits: usize,
    /// The number of fits that did not converge.
    pub unconverged: usize,
}

/// One outer split: the chosen configuration and its predictions.
#[derive(Clone, Debug)]
pub struct OuterFold {
    /// The split.
    pub split: Split,
    /// The chosen configuration.
    pub configuration: usize,
    /// Its mean score on the inner splits, if there was a choice.
    pub inner: Option<f64>,
    /// Its predictions for the test set.
    pub fold: Fold,
    /// The score of the predictions; none where it is undefined.
    pub score: Option<f64>,
}

impl Search<'_> {
    /// Chooses among all configurations and evaluates the choice. With a single configuration there is nothing to
    /// choose, and the inner splits are not needed. With a path, the scores of configurations are recorded there and
    /// not computed again.
    pub fn nested(&self, splits: &[Nested], journal: Option<&Path>) -> Result<Evaluation> {
        self.nested_by(splits, Strategy::Grid, journal)
    }

    /// The same among the configurations that a strategy tries.
    pub fn nested_by(
        &self,
        splits: &[Nested],
        strategy: Strategy,
        journal: Option<&Path>,
    ) -> Result<Evaluation> {
        let configurations = strategy.configurations(self.grid, self.seed)?;
        let tuning = match configurations.as_slice() {
            [_] => None,
            _ => Some(self.tune(splits, strategy, journal)?),
        };
        let mut chosen = Vec::with_capacity(splits.len());
        for at in 0..splits.len() {
            chosen.push(match &tuning {
                None => (configurations[0], None),
                Some(tuning) => {
                    tuning.choose(at).map_err(|e| self.reason(splits, &configurations).unwrap_or(e))?
                }
            });
        }
        let tasks: Vec<(usize, &Split)> =
            chosen.iter().zip(splits).map(|(c, split)| (c.0, &split.outer)).collect();
        let mut folds = Vec::with_capacity(splits.len());
        for ((fold, split), (configuration, inner)) in self.folds(&tasks)?.into_iter().zip(splits).zip(chosen)
        {
            let score = self.measure(self.score, &fold.prediction, &split.outer)?.value();
            folds.push(OuterFold { split: split.outer.clone(), configuration, inner, fold, score });
        }
        Ok(Evaluation { folds, tuning })
    }

    /// Scores the configurations that a strategy tries on the inner splits of all outer splits.
    pub fn tune(&self, splits: &[Nested], strategy: Strategy, journal: Option<&Path>) -> Result<Tuning> {
        let configurations = &strategy.configurations(self.grid, self.seed)?[..];
        let (inner, ranges) = Tuning::splits(splits)?;
        let mut journal = self.journal(journal, || self.identity(&inner, configurations, strategy))?;
        if let Strategy::Halving(_) = strategy {
            return self.halve(splits, configurations, &mut journal);
        }
        let wanted: Vec<&[usize]> = vec![configurations; inner.len()];
        let scores = self.run_wanted(&inner, &wanted, 0, &mut journal)?;
        let (fits, unconverged) = (configurations.len() * inner.len(), scores.unconverged());
        let left = vec![configurations.to_vec(); ranges.len()];
        Ok(Tuning { scores, ranges, left, rounds: 1, fits, unconverged })
    }

    /// The reason why no configuration could be fitted everywhere: the error of the first one where it fails.
    fn reason(&self, splits: &[Nested], configurations: &[usize]) -> Option<Error> {
        let configuration = *configurations.first()?;
        splits.iter().flat_map(|d| &d.inner).find_map(|split| self.fold(configuration, split).err())
    }

    /// The number of fits that a strategy needs on the inner splits.
    pub(in crate::select) fn inner_fits(&self, splits: &[Nested], strategy: Strategy) -> Result<usize> {
        let configurations = strategy.configurations(self.grid, self.seed)?.len();
        let inner: usize = splits.iter().map(|d| d.inner.len()).sum();
        let per_split = match strategy {
            _ if configurations == 1 => 0,
            Strategy::Halving(_) => {
                let rounds = halving::rounds(configurations, halving::smallest(splits));
                halving::counts(configurations, rounds).iter().sum()
            }
            _ => configurations,
        };
        Ok(per_split * inner)
    }
}

impl Tuning {
    /// The inner splits of all outer splits in one list, and the range of each outer split.
    pub(super) fn splits(splits: &[Nested]) -> Result<(Vec<Split>, Vec<Range<usize>>)> {
        let mut inner = Vec::new();
        let mut ranges = Vec::new();
        for split in splits {
            ranges.push(inner.len()..inner.len() + split.inner.len());
            inner.extend(split.inner.iter().cloned());
        }
        if ranges.iter().any(Range::is_empty) {
            return Err(Error::usage("choosing between configurations needs inner splits"));
        }
        Ok((inner, ranges))
    }

    /// The best configuration for an outer split, with its mean inner score.
    pub fn choose(&self, outer: usize) -> Result<(usize, Option<f64>)> {
        self.choose_among(outer, self.left.get(outer).map_or(&[][..], Vec::as_slice))
    }

    /// The best of some configurations for an outer split, with its mean inner score.
    pub fn choose_among(&self, outer: usize, configurations: &[usize]) -> Result<(usize, Option<f64>)> {
        let range = self.ranges.get(outer).cloned().unwrap_or(0..0);
        let best = self.scores.best_among(configurations.iter().copied(), range.clone());
        let configuration = best.ok_or_else(|| {
            Error::usage(
                "no configuration of the grid has a score on every inner split: none could be fitted everywhere",
            )
        })?;
        Ok((configuration, self.scores.mean_over(configuration, range)))
    }
}

impl Evaluation {
    /// The scores of the outer splits for which the score is defined.
    pub fn scores(&self) -> Vec<f64> {
        self.folds.iter().filter_map(|f| f.score).collect()
    }

    /// Another measure of the same predictions, one value per outer split.
    pub fn measured(&self, search: &Search<'_>, score: Score) -> Result<Vec<Option<f64>>> {
        let one = |f: &OuterFold| Ok(search.measure(score, &f.fold.prediction, &f.split)?.value());
        self.folds.iter().map(one).collect()
    }
}
