//! Predictions of a machine of any kind.

use super::super::learner::{MachineOutput, PredictFrom};
use super::super::svm::SvcMachine;
use super::{Predicted, Trained};
use crate::data::{Categories, Dense, FeatureRows, Target};
use crate::error::{Error, Result};
use crate::numeric::check::check_cross;

/// What was predicted for some objects, and the decision values behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// The class of each object, whose levels are [`Trained::classes`]; or the number of each; for membership 1 or -1.
    /// Nothing where objects are given coordinates: those are in `decisions`.
    pub target: Option<Target>,
    /// The decision values: a row per object, a column per name in `columns`. No columns for numbers.
    pub decisions: Dense,
    /// What each column of `decisions` tells apart. `a|b` is negative for class a, positive for class b; `a` alone speaks
    /// for class a against all others (for nearest neighbours: its share; for clusters, where the least wins: the distance
    /// from its mean); `inside` is at least 0 for members; `component 1`, … are coordinates.
    pub columns: Vec<String>,
    /// The probability of each class of [`Trained::classes`] (columns) for each object (rows): every row adds up to 1.
    /// Nothing without a [calibration](Trained::calibration). The most probable class is not always the predicted one,
    /// which goes by votes.
    pub probabilities: Option<Dense>,
}

impl Prediction {
    /// The number of objects.
    pub fn len(&self) -> usize {
        self.decisions.rows()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The class predicted for object i; nothing where no classes were predicted.
    pub fn class(&self, i: usize) -> Option<&str> {
        match &self.target {
            Some(Target::Classes(classes)) if i < classes.len() => classes.get(i),
            _ => None,
        }
    }

    /// The numbers predicted; nothing where no numbers were.
    pub fn numbers(&self) -> Option<&[f64]> {
        match &self.target {
            Some(Target::Numbers(numbers)) => Some(numbers),
            _ => None,
        }
    }

    /// Predictions of several parts of the objects, of which there is at least one, as one.
    pub fn joined(parts: Vec<Prediction>) -> Result<Prediction> {
        let objects = parts.iter().map(Prediction::len).sum();
        let (mut decisions, mut probabilities) = (Vec::new(), Vec::new());
        let (mut codes, mut numbers) = (Vec::new(), Vec::new());
        parts.iter().for_each(|p| decisions.extend_from_slice(p.decisions.values()));
        for part in &parts {
            part.probabilities.iter().for_each(|p| probabilities.extend_from_slice(p.values()));
            match &part.target {
                Some(Target::Classes(c)) => codes.extend_from_slice(c.codes()),
                Some(Target::Numbers(v)) => numbers.extend_from_slice(v),
                None => {}
            }
        }
        let first = parts.into_iter().next().ok_or_else(|| Error::usage("nothing was predicted"))?;
        let target = first.target.map(|target| match target {
            Target::Classes(c) => Target::Classes(Categories::from_codes(codes, c.levels().to_vec())),
            Target::Numbers(_) => Target::Numbers(numbers),
        });
        let decisions = Dense::new(objects, first.columns.len(), decisions)?;
        let probabilities =
            first.probabilities.map(|p| Dense::new(objects, p.cols(), probabilities)).transpose()?;
        Ok(Prediction { target, decisions, columns: first.columns, probabilities })
    }

    /// The coordinates of the objects (rows) along [`columns`](Prediction::columns), where it is these that a machine gives.
    pub fn coordinates(&self) -> Option<&Dense> {
        self.target.is_none().then_some(&self.decisions)
    }
}

impl Trained {
    /// Predicts from similarities of new objects (rows) to the objects of [`Trained::support`] (columns, in that order).
    ///
    /// `own` holds the self-similarities k(x, x) of the new objects. Only clusters and nearest neighbours that count by
    /// distance need them: see [`Trained::needs_self_similarities`].
    pub fn predict(&self, cross: &Dense, own: Option<&[f64]>) -> Result<Prediction> {
        if self.needs_features() {
            return Err(Error::usage("a linear machine predicts from features, not from similarities"));
        }
        check_cross(cross, self.support().len())?;
        self.predicted(&PredictFrom::Similarities { cross, own })
    }

    fn predicted(&self, new: &PredictFrom<'_>) -> Result<Prediction> {
        let columns = self.columns();
        Ok(match self.machine.predict_any(new)? {
            Predicted::Classes(MachineOutput { values, decisions }) => {
                let machine = self.calibration.as_ref().zip(self.machine_as::<SvcMachine>());
                let probabilities = machine.map(|(c, m)| c.probabilities(m, &decisions)).transpose()?;
                let codes = values.into_iter().map(|c| c as u32).collect();
                let target = Some(Target::Classes(Categories::from_codes(codes, self.classes.clone())));
                Prediction { target, decisions, columns, probabilities }
            }
            Predicted::Numbers(numbers) => {
                let decisions = Dense::zeros(numbers.len(), 0);
                let target = Some(Target::Numbers(numbers));
                Prediction { target, decisions, columns: Vec::new(), probabilities: None }
            }
            Predicted::Membership(MachineOutput { values, decisions }) => {
                let sides = values.into_iter().map(|inside| if inside { 1.0 } else { -1.0 }).collect();
                Prediction { target: Some(Target::Numbers(sides)), decisions, columns, probabilities: None }
            }
            Predicted::Coordinates(decisions) => {
                Prediction { target: None, decisions, columns, probabilities: None }
            }
        })
    }

    /// Predicts from explicit features, for what [`Trained::needs_features`].
    pub fn predict_features<'r>(&self, vectors: impl Into<FeatureRows<'r>>) -> Result<Prediction> {
        if !self.needs_features() {
            return Err(Error::usage("this machine predicts from similarities, not from features"));
        }
        self.predicted(&PredictFrom::Features(vectors.into()))
    }

    /// Whether [`Trained::predict`] needs the self-similarities of new objects.
    pub fn needs_self_similarities(&self) -> bool {
        self.machine.uses_self_similarities()
    }

    /// The names of the decision values: see [`Prediction::columns`].
    pub fn columns(&self) -> Vec<String> {
        self.machine.decision_names(&self.classes)
    }
}
