//! The scores of cells on divisions, and which cell is best.

use crate::error::{Error, Result};
use crate::select::Score;

/// The score of a cell on a division; none where it has no value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Entry {
    /// The round of a search that goes in rounds; 0 for others.
    pub(super) round: u32,
    pub(super) cell: usize,
    pub(super) split: usize,
    pub(super) score: Option<f64>,
    pub(super) converged: bool,
}

/// The scores of cells on divisions.
#[derive(Clone, Debug, PartialEq)]
pub struct CellScores {
    splits: usize,
    score: Score,
    /// The cells that were tried, ascending.
    cells: Vec<usize>,
    /// By cell, then by division.
    values: Vec<Option<f64>>,
    converged: Vec<bool>,
}

impl CellScores {
    pub(super) fn new(cells: Vec<usize>, splits: usize, score: Score) -> Self {
        let count = cells.len() * splits;
        CellScores { splits, score, cells, values: vec![None; count], converged: vec![true; count] }
    }

    pub(super) fn absorb(&mut self, entries: &[Entry]) -> Result<()> {
        for entry in entries {
            let place = self.cells.binary_search(&entry.cell).ok().filter(|_| entry.split < self.splits);
            let at = place.ok_or_else(|| Error::usage("a noted score of no cell of this search"))?;
            self.values[at * self.splits + entry.split] = entry.score;
            self.converged[at * self.splits + entry.split] = entry.converged;
        }
        Ok(())
    }

    /// The cells that were tried, ascending.
    pub fn cells(&self) -> &[usize] {
        &self.cells
    }

    /// The scores of a cell, one per division, none where it has no value; empty for a cell that was not tried.
    pub fn of(&self, cell: usize) -> &[Option<f64>] {
        match self.cells.binary_search(&cell) {
            Ok(at) => &self.values[at * self.splits..(at + 1) * self.splits],
            Err(_) => &[],
        }
    }

    /// The mean score of a cell over all divisions; none where one has no value.
    pub fn mean(&self, cell: usize) -> Option<f64> {
        self.mean_over(cell, 0..self.splits)
    }

    /// The mean over some divisions.
    pub fn mean_over(&self, cell: usize, splits: std::ops::Range<usize>) -> Option<f64> {
        let count = splits.len();
        let values = self.of(cell).get(splits)?;
        let sum = values.iter().try_fold(0.0, |sum, v| v.map(|v| sum + v))?;
        (count > 0).then(|| sum / count as f64)
    }

    /// Whether every machine of a cell converged.
    pub fn converged(&self, cell: usize) -> bool {
        match self.cells.binary_search(&cell) {
            Ok(at) => self.converged[at * self.splits..(at + 1) * self.splits].iter().all(|c| *c),
            Err(_) => true,
        }
    }

    /// The number of fits that did not converge.
    pub fn unconverged(&self) -> usize {
        self.converged.iter().filter(|c| !**c).count()
    }

    /// The cell with the best mean; the first among equals.
    pub fn best(&self) -> Option<usize> {
        self.best_among(self.cells.iter().copied(), 0..self.splits)
    }

    /// The best of some cells over some divisions; the first among equals.
    pub fn best_among(
        &self,
        cells: impl Iterator<Item = usize>,
        splits: std::ops::Range<usize>,
    ) -> Option<usize> {
        let valued = cells.filter_map(|c| Some((c, self.quality(c, splits.clone())?)));
        // Means of equal scores may differ by a rounding, which is no difference.
        let better = |new: f64, old: f64| new > old + 1e-12 * old.abs();
        valued
            .fold(None, |best: Option<(usize, f64)>, (cell, mean)| match best {
                Some((_, old)) if !better(mean, old) => best,
                _ => Some((cell, mean)),
            })
            .map(|(cell, _)| cell)
    }

    /// The mean over some divisions, its sign such that larger is better.
    pub(super) fn quality(&self, cell: usize, splits: std::ops::Range<usize>) -> Option<f64> {
        let sign = if self.score.greater_is_better() { 1.0 } else { -1.0 };
        self.mean_over(cell, splits).map(|mean| sign * mean)
    }

    /// The number of divisions.
    pub fn splits(&self) -> usize {
        self.splits
    }
}
