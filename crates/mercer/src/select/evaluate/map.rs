//! The scores of the configurations of a search, for plotting.

use serde::Serialize;

use crate::select::{Evaluation, Grid, Score};

/// Every configuration that was tried, with its mean score on all inner splits and how often it was chosen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SearchMap {
    /// The measure.
    pub score: String,
    /// Whether larger values are better.
    pub greater_is_better: bool,
    /// The searched parameters.
    pub parameters: Vec<SearchParameter>,
    /// The configurations that were tried to the end.
    pub configurations: Vec<SearchPoint>,
}

/// A parameter and the values that were tried.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SearchParameter {
    /// Its name.
    pub name: String,
    /// Its values, in order.
    pub values: Vec<String>,
}

/// One configuration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SearchPoint {
    /// The index of its value among the values of each parameter.
    pub position: Vec<usize>,
    /// The mean score over the inner splits of all outer splits; none where a fit failed.
    pub mean: Option<f64>,
    /// The number of outer splits that chose it.
    pub chosen: usize,
}

impl SearchMap {
    /// The map of an evaluation; none where nothing was chosen or the grid has no parameter names.
    pub(in crate::select) fn of(grid: &Grid, evaluation: &Evaluation, score: Score) -> Option<Self> {
        let tuning = evaluation.tuning.as_ref()?;
        if grid.names().is_empty() {
            return None;
        }
        let parameter = |(name, values): (&String, &Vec<_>)| SearchParameter {
            name: name.clone(),
            values: values.iter().map(ToString::to_string).collect(),
        };
        let configuration = |&configuration: &usize| SearchPoint {
            position: grid.position(configuration),
            mean: tuning.scores.mean(configuration),
            chosen: evaluation.folds.iter().filter(|f| f.configuration == configuration).count(),
        };
        Some(SearchMap {
            score: score.name().to_owned(),
            greater_is_better: score.greater_is_better(),
            parameters: grid.names().iter().zip(grid.values()).map(parameter).collect(),
            configurations: tuning.scores.configurations().iter().map(configuration).collect(),
        })
    }
}
