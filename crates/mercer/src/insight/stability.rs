//! Whether the drivers of a model are the same in every outer split.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;

use crate::budget;
use crate::data::Dataset;
use crate::error::Result;
use crate::gram::Engine;
use crate::model::{AttributionOptions, Model};
use crate::random::Random;
use crate::select::EvaluationReport;

/// How often features or columns are among the drivers of the models of outer splits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stability {
    /// A description of the numbers.
    pub about: String,
    /// The number of outer splits whose models were looked at.
    pub splits: usize,
    /// The drivers, those of most splits first.
    pub drivers: Vec<StableDriver>,
}

/// A driver, and the splits in which it is one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StableDriver {
    /// The feature or column.
    pub name: String,
    /// The number of splits whose model has it among its drivers.
    pub found: usize,
    /// Whether that are fewer than half of them: what the model of all objects says of it depends on the objects.
    pub weak: bool,
}

/// Outer splits that are looked at, and training objects of each.
const MOST_SPLITS: usize = 10;
const MOST_OBJECTS: usize = 500;
/// Features of each class that count as drivers; drivers listed.
const FEATURES: usize = 12;
const LISTED: usize = 30;
/// Test objects that are explained, and the background of columns.
const EXPLAINED: usize = 40;
const BACKGROUND: usize = 10;
/// Columns that are enumerated where there is no formula.
const MOST_ENUMERATED: usize = 8;

impl Stability {
    /// Fits the chosen kernel and learner of up to ten outer splits to their training sets again, at most 500 objects of each.
    /// Drivers are the 12 features of each class with the largest weights times means; for kernels without named features the
    /// columns whose mean |Shapley value| on the test set is above that of an average column. `None` with fewer than two splits,
    /// and where models have neither.
    pub(super) fn of(
        data: &Dataset,
        report: &EvaluationReport,
        engine: &Engine,
    ) -> Result<Option<Stability>> {
        let said = &report.predictions;
        let mut names: BTreeMap<String, usize> = BTreeMap::new();
        let (mut splits, mut by_columns) = (0, false);
        for (at, fold) in report.folds.iter().enumerate() {
            budget::check()?;
            if splits == MOST_SPLITS {
                break;
            }
            let tested: HashSet<usize> = said
                .objects
                .iter()
                .zip(&said.split)
                .filter(|(_, split)| **split == at)
                .map(|(i, _)| *i)
                .collect();
            let training: Vec<usize> = (0..data.len()).filter(|i| !tested.contains(i)).collect();
            // Splits that use a part of the other objects are not known from the predictions.
            if tested.len() != fold.test || training.len() != fold.train {
                continue;
            }
            let drawn = Random::derived(report.settings.seed, 0x57ab + at as u64)
                .sample(training.len(), MOST_OBJECTS);
            let part =
                data.select(&drawn.into_iter().map(|i| training[i]).collect::<Vec<_>>()).without_test();
            let (kernel, learner) = (fold.kernel.parse()?, fold.learner.parse()?);
            let model = Model::fit(&part, &kernel, &learner, report.settings.seed, engine)?;
            let mut tested: Vec<usize> = tested.into_iter().collect();
            tested.sort_unstable();
            tested.truncate(EXPLAINED);
            let Some((found, are_columns)) = drivers(&model, &part, &data.select(&tested), engine)? else {
                return Ok(None);
            };
            by_columns = are_columns;
            splits += 1;
            found.into_iter().for_each(|name| *names.entry(name).or_default() += 1);
        }
        if splits < 2 {
            return Ok(None);
        }
        let driver = |(name, found): (String, usize)| StableDriver { name, found, weak: 2 * found < splits };
        let mut drivers: Vec<StableDriver> = names.into_iter().map(driver).collect();
        drivers.sort_by(|a, b| b.found.cmp(&a.found).then_with(|| a.name.cmp(&b.name)));
        drivers.truncate(LISTED);
        let what = match by_columns {
            true => "columns whose mean |Shapley value| on the test set is above the average of all columns",
            false => "the features of each class with the largest weights times means",
        };
        let about = format!(
            "The models of {splits} outer splits, each with its drivers: {what}. Those of fewer than half of the splits are weak."
        );
        Ok(Some(Stability { about, splits, drivers }))
    }
}

/// The names of the drivers of a model, and whether they are columns.
fn drivers(
    model: &Model,
    part: &Dataset,
    tested: &Dataset,
    engine: &Engine,
) -> Result<Option<(HashSet<String>, bool)>> {
    match model.weights(FEATURES) {
        Ok(weights) => return Ok(Some((weights.into_iter().map(|w| w.feature).collect(), false))),
        Err(error) if error.is_end_of_budget() => return Err(error),
        Err(_) => {}
    }
    let columns = model.columns_explained().len();
    if columns < 2 || tested.is_empty() || columns > MOST_ENUMERATED && !model.is_known_by_columns(engine)? {
        return Ok(None);
    }
    let background = model.background(Some(part), BACKGROUND, 0)?;
    let found = model.attributions(tested, &background, &AttributionOptions::default(), engine)?;
    let importance = found.importance();
    let mean = importance.iter().sum::<f64>() / columns as f64;
    let above = found.columns.iter().zip(&importance).filter(|(_, i)| **i > mean);
    Ok(Some((above.map(|(column, _)| column.to_string()).collect(), true)))
}
