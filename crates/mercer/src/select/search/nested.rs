//! Nested cross-validation: parameters chosen on inner divisions, judged on outer ones.

use std::ops::Range;
use std::path::Path;

use super::cells::{Fold, Search};
use super::halving;
use super::scores::CellScores;
use super::strategy::Strategy;
use crate::error::{Error, Result};
use crate::select::{Nested, Score, Split};

/// A search inside every outer division.
///
/// The inner divisions of all outer ones are scored in one search, so that matrices are shared. Then the best cell of each
/// outer division is fitted to its training part and predicts its test part. No test object has a part in a choice.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// One per outer division, in order.
    pub folds: Vec<OuterFold>,
    /// The scores of the cells on the inner divisions; none when there was nothing to choose.
    pub tuning: Option<Tuning>,
}

/// The scores behind the choices.
#[derive(Clone, Debug)]
pub struct Tuning {
    /// Every cell on every inner division, those of the first outer division first; after successive halving, the cells and
    /// scores of the last round.
    pub scores: CellScores,
    /// The inner divisions of each outer one.
    pub ranges: Vec<Range<usize>>,
    /// The cells that the choice of each outer division was made among, ascending.
    pub left: Vec<Vec<usize>>,
    /// The number of rounds: 1 without successive halving.
    pub rounds: u32,
    /// The number of fits, in all rounds.
    pub fits: usize,
    /// The number of these that did not converge.
    pub unconverged: usize,
}

/// One outer division: what was chosen, and what it predicted.
#[derive(Clone, Debug)]
pub struct OuterFold {
    /// The division.
    pub split: Split,
    /// The chosen cell.
    pub cell: usize,
    /// Its mean score on the inner divisions, when there was a choice.
    pub inner: Option<f64>,
    /// Its predictions of the test part.
    pub fold: Fold,
    /// The score of these, or none where it has no meaning.
    pub score: Option<f64>,
}

impl Search<'_> {
    /// Chooses among all cells and judges. With one cell only there is nothing to choose, and the inner divisions are not
    /// needed. With a path, the scores of cells are noted there, and noted ones are not computed again.
    pub fn nested(&self, divisions: &[Nested], journal: Option<&Path>) -> Result<Evaluation> {
        self.nested_by(divisions, Strategy::Grid, journal)
    }

    /// The same among the cells a strategy tries.
    pub fn nested_by(
        &self,
        divisions: &[Nested],
        strategy: Strategy,
        journal: Option<&Path>,
    ) -> Result<Evaluation> {
        let cells = strategy.cells(self.grid, self.seed)?;
        let tuning = match cells.as_slice() {
            [_] => None,
            _ => Some(self.tune(divisions, strategy, journal)?),
        };
        let mut chosen = Vec::with_capacity(divisions.len());
        for at in 0..divisions.len() {
            chosen.push(match &tuning {
                None => (cells[0], None),
                Some(tuning) => tuning.choose(at).map_err(|e| self.reason(divisions, &cells).unwrap_or(e))?,
            });
        }
        let tasks: Vec<(usize, &Split)> =
            chosen.iter().zip(divisions).map(|(c, division)| (c.0, &division.outer)).collect();
        let mut folds = Vec::with_capacity(divisions.len());
        for ((fold, division), (cell, inner)) in self.folds(&tasks)?.into_iter().zip(divisions).zip(chosen) {
            let score = self.measure(self.score, &fold.prediction, &division.outer)?.value();
            folds.push(OuterFold { split: division.outer.clone(), cell, inner, fold, score });
        }
        Ok(Evaluation { folds, tuning })
    }

    /// Scores the cells that a strategy tries on the inner divisions of all outer ones.
    pub fn tune(&self, divisions: &[Nested], strategy: Strategy, journal: Option<&Path>) -> Result<Tuning> {
        let cells = &strategy.cells(self.grid, self.seed)?[..];
        let (inner, ranges) = Tuning::divisions(divisions)?;
        let mut journal = self.journal(journal, || self.identity(&inner, cells, strategy))?;
        if let Strategy::Halving(_) = strategy {
            return self.halve(divisions, cells, &mut journal);
        }
        let wanted: Vec<&[usize]> = vec![cells; inner.len()];
        let scores = self.run_wanted(&inner, &wanted, 0, &mut journal)?;
        let (fits, unconverged) = (cells.len() * inner.len(), scores.unconverged());
        let left = vec![cells.to_vec(); ranges.len()];
        Ok(Tuning { scores, ranges, left, rounds: 1, fits, unconverged })
    }

    /// Why no cell could be fitted everywhere: what the first says where it fails.
    fn reason(&self, divisions: &[Nested], cells: &[usize]) -> Option<Error> {
        let cell = *cells.first()?;
        divisions.iter().flat_map(|d| &d.inner).find_map(|split| self.fold(cell, split).err())
    }

    /// The number of fits that a strategy needs on the inner divisions.
    pub(in crate::select) fn inner_fits(&self, divisions: &[Nested], strategy: Strategy) -> Result<usize> {
        let cells = strategy.cells(self.grid, self.seed)?.len();
        let inner: usize = divisions.iter().map(|d| d.inner.len()).sum();
        let per_division = match strategy {
            _ if cells == 1 => 0,
            Strategy::Halving(_) => {
                let rounds = halving::rounds(cells, halving::smallest(divisions));
                halving::counts(cells, rounds).iter().sum()
            }
            _ => cells,
        };
        Ok(per_division * inner)
    }
}

impl Tuning {
    /// The inner divisions of all outer ones in one list, and where those of each are.
    pub(super) fn divisions(divisions: &[Nested]) -> Result<(Vec<Split>, Vec<Range<usize>>)> {
        let mut inner = Vec::new();
        let mut ranges = Vec::new();
        for division in divisions {
            ranges.push(inner.len()..inner.len() + division.inner.len());
            inner.extend(division.inner.iter().cloned());
        }
        if ranges.iter().any(Range::is_empty) {
            return Err(Error::usage("a choice between cells needs inner divisions"));
        }
        Ok((inner, ranges))
    }

    /// The best cell for an outer division, with its mean inner score.
    pub fn choose(&self, outer: usize) -> Result<(usize, Option<f64>)> {
        self.choose_among(outer, self.left.get(outer).map_or(&[][..], Vec::as_slice))
    }

    /// The best of some cells for an outer division, with its mean inner score.
    pub fn choose_among(&self, outer: usize, cells: &[usize]) -> Result<(usize, Option<f64>)> {
        let range = self.ranges.get(outer).cloned().unwrap_or(0..0);
        let best = self.scores.best_among(cells.iter().copied(), range.clone());
        let cell = best.ok_or_else(|| {
            Error::usage(
                "no cell of the grid has a score on every inner division: none could be fitted everywhere",
            )
        })?;
        Ok((cell, self.scores.mean_over(cell, range)))
    }
}

impl Evaluation {
    /// The scores of the outer divisions that have one.
    pub fn scores(&self) -> Vec<f64> {
        self.folds.iter().filter_map(|f| f.score).collect()
    }

    /// Another measure of the same predictions, one value per outer division.
    pub fn measured(&self, search: &Search<'_>, score: Score) -> Result<Vec<Option<f64>>> {
        let one = |f: &OuterFold| Ok(search.measure(score, &f.fold.prediction, &f.split)?.value());
        self.folds.iter().map(one).collect()
    }
}
