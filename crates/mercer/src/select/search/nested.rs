//! Nested cross-validation: parameters chosen on inner divisions, judged on outer ones.

use std::path::Path;

use rayon::prelude::*;

use super::cells::{CellScores, Fold, Search};
use crate::error::{Error, Result};
use crate::expression::Matrices;
use crate::select::{Nested, Score, Split};

/// A search inside every outer division.
///
/// The inner divisions of all outer ones are scored in one search, so that matrices are shared. Then the best cell of each
/// outer division is fitted to its training part and predicts its test part. No test object has a part in a choice.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// One per outer division, in order.
    pub folds: Vec<OuterFold>,
    /// The scores of every cell on the inner divisions; empty when there was nothing to choose.
    pub tuning: Option<Tuning>,
}

/// The scores behind the choices.
#[derive(Clone, Debug)]
pub struct Tuning {
    /// Every cell on every inner division, those of the first outer division first.
    pub scores: CellScores,
    /// The inner divisions of each outer one.
    pub ranges: Vec<std::ops::Range<usize>>,
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
    /// The score of these, or why there is none.
    pub score: Option<f64>,
}

impl Search<'_> {
    /// Chooses and judges. With one cell only there is nothing to choose, and the inner divisions are not needed.
    pub fn nested(&self, divisions: &[Nested], journal: Option<&Path>) -> Result<Evaluation> {
        let cells: Vec<usize> = (0..self.grid.len()).collect();
        let tuning = match cells.len() {
            1 => None,
            _ => Some(self.tune(divisions, &cells, journal)?),
        };
        let choose = |at: usize| match &tuning {
            None => Ok((0, None)),
            Some(tuning) => tuning.choose(at, &cells),
        };
        let chosen = (0..divisions.len()).map(choose).collect::<Result<Vec<_>>>()?;
        let folds = self.judge_all(divisions, &chosen)?;
        Ok(Evaluation { folds, tuning })
    }

    /// Scores cells on the inner divisions of all outer ones.
    pub fn tune(&self, divisions: &[Nested], cells: &[usize], journal: Option<&Path>) -> Result<Tuning> {
        let mut inner = Vec::new();
        let mut ranges = Vec::new();
        for division in divisions {
            ranges.push(inner.len()..inner.len() + division.inner.len());
            inner.extend(division.inner.iter().cloned());
        }
        if ranges.iter().any(std::ops::Range::is_empty) {
            return Err(Error::usage("a choice between cells needs inner divisions"));
        }
        Ok(Tuning { scores: self.run_cells(&inner, cells, journal)?, ranges })
    }

    /// A chosen cell for each outer division. What a kernel needs of all objects is computed once for all its divisions.
    fn judge_all(&self, divisions: &[Nested], chosen: &[(usize, Option<f64>)]) -> Result<Vec<OuterFold>> {
        let mut out: Vec<Option<OuterFold>> = vec![None; divisions.len()];
        let kernel = |at: usize| chosen[at].0 / self.grid.learners().len();
        let mut kernels: Vec<usize> = (0..divisions.len()).map(kernel).collect();
        kernels.sort_unstable();
        kernels.dedup();
        for k in kernels {
            let mut matrices = Matrices::new(self.data, self.engine);
            matrices.prepare(std::slice::from_ref(&self.grid.kernels()[k]))?;
            let here: Vec<usize> = (0..divisions.len()).filter(|&at| kernel(at) == k).collect();
            let work = |&at: &usize| self.judge_with(&matrices, &divisions[at], chosen[at].0, chosen[at].1);
            let done: Vec<Result<OuterFold>> = self.engine.run(|| here.par_iter().map(work).collect());
            for (at, fold) in here.into_iter().zip(done) {
                out[at] = Some(fold?);
            }
        }
        Ok(out.into_iter().flatten().collect())
    }

    fn judge_with(
        &self,
        matrices: &Matrices<'_>,
        division: &Nested,
        cell: usize,
        inner: Option<f64>,
    ) -> Result<OuterFold> {
        self.engine.cancel().check()?;
        let fold = self.fold_with(matrices, cell, &division.outer)?;
        let score = self.measure(self.score, &fold.prediction, &division.outer)?.value();
        Ok(OuterFold { split: division.outer.clone(), cell, inner, fold, score })
    }

    /// A chosen cell on an outer division.
    pub fn judge(&self, division: &Nested, cell: usize, inner: Option<f64>) -> Result<OuterFold> {
        let mut matrices = Matrices::new(self.data, self.engine);
        matrices.prepare(std::slice::from_ref(self.grid.kernel(cell)))?;
        self.judge_with(&matrices, division, cell, inner)
    }
}

impl Tuning {
    /// The best of some cells for an outer division, with its mean inner score.
    pub fn choose(&self, outer: usize, cells: &[usize]) -> Result<(usize, Option<f64>)> {
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
