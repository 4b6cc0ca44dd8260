//! Predictions for test objects.

use serde::Serialize;

use crate::data::{Dataset, Target};
use crate::doctor::Finding;
use crate::doctor::labels::{self, Tested};
use crate::error::Result;
use crate::select::OuterFold;
use crate::select::search::Answers;

/// Predictions for the test sets of all splits, with the true values.
///
/// Every vector has an entry for each test object of each split, splits in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Predictions {
    /// The object, from 0.
    pub objects: Vec<usize>,
    /// Its name, where objects have names.
    pub ids: Option<Vec<String>>,
    /// The outer split, from 0.
    pub split: Vec<usize>,
    /// The true class as an index into `classes`, or the true number.
    pub truth: Vec<f64>,
    /// The predicted class or number, in the same form.
    pub predicted: Vec<f64>,
    /// The class names; none for numbers.
    pub classes: Option<Vec<String>>,
    /// Decision values, one for each class.
    pub decisions: Option<Vec<Vec<f64>>>,
    /// Probabilities, one for each class, where all models gave them.
    pub probabilities: Option<Vec<Vec<f64>>>,
}

impl Predictions {
    /// Objects whose labels all predictions contradict with confidence: see [`labels::suspects`].
    pub fn suspects(&self) -> Option<Finding> {
        labels::suspects(&Tested {
            objects: &self.objects,
            truth: &self.truth,
            predicted: &self.predicted,
            confidence: self.probabilities.as_deref().or(self.decisions.as_deref()),
            classes: self.classes.as_deref(),
            ids: self.ids.as_deref(),
        })
    }

    /// The predictions of outer splits.
    pub(in crate::select) fn of(data: &Dataset, target: &Target, folds: &[OuterFold]) -> Result<Self> {
        let mut answers = Answers::new(target);
        let (mut objects, mut split) = (Vec::new(), Vec::new());
        for (number, fold) in folds.iter().enumerate() {
            answers.add(target, &fold.split.test, &fold.fold.prediction)?;
            objects.extend(&fold.split.test);
            split.resize(objects.len(), number);
        }
        Ok(Self::new(data, objects, split, &answers))
    }

    /// The predictions for one test set.
    pub(super) fn of_test(data: &Dataset, objects: Vec<usize>, answers: &Answers) -> Self {
        let split = vec![0; objects.len()];
        Self::new(data, objects, split, answers)
    }

    /// The predictions collected from all splits.
    fn new(data: &Dataset, objects: Vec<usize>, split: Vec<usize>, answers: &Answers) -> Self {
        let ids = data.ids().map(|ids| objects.iter().map(|&i| ids[i].clone()).collect());
        let Some(Target::Classes(classes)) = data.target() else {
            let (truth, predicted) = (answers.true_numbers.to_vec(), answers.numbers.to_vec());
            return Predictions { objects, ids, split, truth, predicted, ..Predictions::default() };
        };
        let levels = classes.levels().to_vec();
        let codes = |codes: &[usize]| codes.iter().map(|&c| c as f64).collect();
        let rows = |values: &[f64]| -> Option<Vec<Vec<f64>>> {
            let whole = !levels.is_empty() && values.len() == answers.truth.len() * levels.len();
            whole.then(|| values.chunks(levels.len()).map(<[f64]>::to_vec).collect())
        };
        Predictions {
            objects,
            ids,
            split,
            truth: codes(&answers.truth),
            predicted: codes(&answers.labels),
            decisions: rows(&answers.decisions),
            probabilities: rows(&answers.probabilities),
            classes: Some(levels),
        }
    }
}
