//! The scores of the cells of a search.

use serde::Serialize;

use crate::select::{Evaluation, Grid, Score};

/// Every cell that was tried, with its mean score on all inner divisions and how often it was chosen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SearchMap {
    /// The measure.
    pub score: String,
    /// Whether more of it is better.
    pub greater_is_better: bool,
    /// What was chosen.
    pub parameters: Vec<SearchParameter>,
    /// The cells that were tried to the end.
    pub cells: Vec<SearchCell>,
}

/// A parameter and the values that were tried.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SearchParameter {
    /// Its name.
    pub name: String,
    /// Its values, in order.
    pub values: Vec<String>,
}

/// One cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SearchCell {
    /// The place of its value in the list of each parameter.
    pub position: Vec<usize>,
    /// The mean score over the inner divisions of all outer ones; none where a fit failed.
    pub mean: Option<f64>,
    /// The outer divisions that chose it.
    pub chosen: usize,
}

impl SearchMap {
    /// The map of an evaluation; none where nothing was chosen, or not by name.
    pub(in crate::select) fn of(grid: &Grid, evaluation: &Evaluation, score: Score) -> Option<Self> {
        let tuning = evaluation.tuning.as_ref()?;
        if grid.names().is_empty() {
            return None;
        }
        let parameter = |(name, values): (&String, &Vec<_>)| SearchParameter {
            name: name.clone(),
            values: values.iter().map(ToString::to_string).collect(),
        };
        let cell = |&cell: &usize| SearchCell {
            position: grid.position(cell),
            mean: tuning.scores.mean(cell),
            chosen: evaluation.folds.iter().filter(|f| f.cell == cell).count(),
        };
        Some(SearchMap {
            score: score.name().to_owned(),
            greater_is_better: score.greater_is_better(),
            parameters: grid.names().iter().zip(grid.values()).map(parameter).collect(),
            cells: tuning.scores.cells().iter().map(cell).collect(),
        })
    }
}
