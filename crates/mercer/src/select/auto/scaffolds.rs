//! How much of the score of molecules remains for new scaffolds.

use crate::data::{Categories, Dataset, Values, scaffolds};
use crate::error::Result;
use crate::select::Protocol;

/// The best single method on splits that keep molecules of one Bemis–Murcko scaffold together.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct ScaffoldGap {
    /// The outer splits.
    pub protocol: String,
    /// The number of scaffolds, no scaffold included.
    pub scaffolds: usize,
    /// The mean score of the method on them, with parameters chosen inside on splits of the same kind; none if it was
    /// not measured.
    pub score: Option<f64>,
    /// Its mean score on the splits of the report.
    pub at_random: Option<f64>,
    /// Why it was not measured.
    pub why: Option<String>,
}

impl ScaffoldGap {
    /// The result as a sentence.
    pub(super) fn sentence(&self, score: &str, is_single: bool) -> String {
        let method = if is_single { "the best method" } else { "the best single method" };
        match (self.score, self.at_random, &self.why) {
            (Some(own), Some(random), _) => format!(
                "For molecules with scaffolds that the training set lacks ({}, {} scaffolds), {method} has {score} \
                 {own:.3}, compared with {random:.3} on the splits above: expect the former for new series of compounds.",
                self.protocol, self.scaffolds
            ),
            (_, _, Some(why)) => format!("The score for new scaffolds was not measured: {why}."),
            _ => "The score for new scaffolds was not measured.".to_owned(),
        }
    }
}

/// The data with groups by the scaffolds of its first column of molecules, the protocol, and the number of scaffolds;
/// none without molecules, and where groups or times make splits already.
pub(super) fn grouped(data: &Dataset, outer: Protocol) -> Result<Option<(Dataset, Protocol, usize)>> {
    if data.groups().is_some() || data.times().is_some() {
        return Ok(None);
    }
    let molecules = data.columns().iter().find_map(|c| match &c.values {
        Values::Molecules(all) => Some(all),
        _ => None,
    });
    let Some(molecules) = molecules else { return Ok(None) };
    let names = scaffolds(molecules)?;
    let groups = Categories::from_values(names.iter().map(|name| Some(name.as_str())));
    let count = groups.levels().len();
    let folds = match outer {
        Protocol::Folds { folds, .. } => folds,
        _ => 5,
    };
    let protocol = Protocol::GroupFolds { folds: folds.min(count).max(2), repetitions: 1 };
    Ok(Some((data.clone().with_groups("scaffold", groups)?, protocol, count)))
}
