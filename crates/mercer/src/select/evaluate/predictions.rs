//! What was predicted of objects that were not there to learn from.

use serde::Serialize;

use crate::data::{Dataset, Target};
use crate::error::Result;
use crate::select::OuterFold;
use crate::select::search::Answers;

/// Predictions of the test parts of all divisions beside the truth.
///
/// Every vector has an entry for each test object of each division, divisions in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Predictions {
    /// The object, from 0.
    pub objects: Vec<usize>,
    /// What it is called, where objects have names.
    pub ids: Option<Vec<String>>,
    /// The outer division, from 0.
    pub division: Vec<usize>,
    /// The true class, a number into `classes`, or the true number.
    pub truth: Vec<f64>,
    /// The same as predicted.
    pub predicted: Vec<f64>,
    /// The classes, where there are classes.
    pub classes: Option<Vec<String>>,
    /// Decision values, one for each class.
    pub decisions: Option<Vec<Vec<f64>>>,
    /// Probabilities, one for each class, where all machines gave them.
    pub probabilities: Option<Vec<Vec<f64>>>,
}

impl Predictions {
    /// The predictions of outer divisions.
    pub(in crate::select) fn of(data: &Dataset, target: &Target, folds: &[OuterFold]) -> Result<Self> {
        let mut said = Answers::new(target);
        let (mut objects, mut division) = (Vec::new(), Vec::new());
        for (number, fold) in folds.iter().enumerate() {
            said.add(target, &fold.split.test, &fold.fold.prediction)?;
            objects.extend(&fold.split.test);
            division.resize(objects.len(), number);
        }
        Ok(Self::new(data, objects, division, &said))
    }

    /// What was answered about objects of divisions, as it was collected.
    fn new(data: &Dataset, objects: Vec<usize>, division: Vec<usize>, said: &Answers) -> Self {
        let ids = data.ids().map(|ids| objects.iter().map(|&i| ids[i].clone()).collect());
        let Some(Target::Classes(classes)) = data.target() else {
            let (truth, predicted) = (said.true_numbers.to_vec(), said.numbers.to_vec());
            return Predictions { objects, ids, division, truth, predicted, ..Predictions::default() };
        };
        let levels = classes.levels().to_vec();
        let codes = |codes: &[usize]| codes.iter().map(|&c| c as f64).collect();
        let rows = |values: &[f64]| -> Option<Vec<Vec<f64>>> {
            let whole = !levels.is_empty() && values.len() == said.truth.len() * levels.len();
            whole.then(|| values.chunks(levels.len()).map(<[f64]>::to_vec).collect())
        };
        Predictions {
            objects,
            ids,
            division,
            truth: codes(&said.truth),
            predicted: codes(&said.labels),
            decisions: rows(&said.decisions),
            probabilities: rows(&said.probabilities),
            classes: Some(levels),
        }
    }
}
