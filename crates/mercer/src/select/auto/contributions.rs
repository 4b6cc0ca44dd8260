//! What each kind of column contributes to the best score.

use super::report::{AutoReport, Trial};
use crate::data::Dataset;
use crate::error::Result;
use crate::select::Score;

/// The best score with and without the columns of one kind.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Contribution {
    /// The kind, such as `numbers`.
    pub kind: String,
    /// The names of its columns.
    pub columns: Vec<String>,
    /// The mean score of the best method that uses some of them.
    pub with: f64,
    /// The mean score of the best method that uses none of them.
    pub without: f64,
}

/// The best trials with and without each kind of column, where there are several kinds and both trials exist. The trials
/// are sorted, best first.
pub(super) fn contributions(data: &Dataset, trials: &[Trial], score: Score) -> Result<Vec<Contribution>> {
    let mut kinds: Vec<(String, Vec<String>)> = Vec::new();
    for column in data.columns() {
        let kind = column.values.kind().to_string();
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, columns)) => columns.push(column.name.clone()),
            None => kinds.push((kind, vec![column.name.clone()])),
        }
    }
    if kinds.len() < 2 {
        return Ok(Vec::new());
    }
    let mut used = Vec::with_capacity(trials.len());
    for trial in trials {
        used.push((trial.candidate.kernel.columns_used(data)?, trial.summary.mean));
    }
    let mut out = Vec::new();
    for (kind, columns) in kinds {
        let best = |wanted: bool| {
            let uses = |of: &[String]| of.iter().any(|name| columns.contains(name));
            used.iter().filter(|(names, _)| uses(names) == wanted).find_map(|(_, mean)| *mean)
        };
        if let (Some(with), Some(without)) = (best(true), best(false)) {
            out.push(Contribution { kind, columns, with, without });
        }
    }
    let gain =
        |c: &Contribution| if score.greater_is_better() { c.with - c.without } else { c.without - c.with };
    out.sort_by(|a, b| gain(b).total_cmp(&gain(a)));
    Ok(out)
}

impl AutoReport {
    /// The contributions as a sentence; none without any.
    pub(super) fn contributions_in_words(&self) -> Option<String> {
        if self.contributions.is_empty() {
            return None;
        }
        let one = |c: &Contribution| {
            let columns = if c.columns.len() == 1 { "column" } else { "columns" };
            format!("{} ({} {columns}) {:.3} and {:.3}", c.kind, c.columns.len(), c.with, c.without)
        };
        let all: Vec<String> = self.contributions.iter().map(one).collect();
        Some(format!("Best {} with and without each kind of column: {}.", self.score, all.join("; ")))
    }
}
