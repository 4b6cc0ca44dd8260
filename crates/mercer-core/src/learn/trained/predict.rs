//! Predictions of a model of any kind.

use super::super::learner::{ModelOutput, PredictFrom};
use super::super::svm::SvcModel;
use super::{Predicted, Trained};
use crate::data::{Categories, Dense, FeatureRows, Target};
use crate::error::{Error, Result};
use crate::gram::{Nearest, NeighboursNeeded};
use crate::numeric::check::check_cross;
use crate::numeric::normal_quantile;

/// The predictions for some objects, and the decision values behind them.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// The class of each object, with the levels [`Trained::classes`]; or the number of each; for membership 1 or -1.
    /// `None` if the model gives coordinates, which are in `decisions`.
    pub target: Option<Target>,
    /// The decision values: one row per object, one column per name in `columns`. No columns for numbers.
    pub decisions: Dense,
    /// The meaning of each column of `decisions`. `a|b` is negative for class a, positive for class b; `a` alone is
    /// class a against all others (nearest neighbours: its share; clusters: the distance from its mean, of which the
    /// smallest wins); `inside` is at least 0 for members; `component 1`, … are coordinates.
    pub columns: Vec<String>,
    /// The probability of each class of [`Trained::classes`] (columns) for each object (rows): every row sums to 1.
    /// `None` unless [`Trained::gives_probabilities`]. The most probable class is not always the predicted one,
    /// which is decided by votes.
    pub probabilities: Option<Dense>,
    /// The standard deviation of a new observation of each object, noise included: the prediction is a normal
    /// distribution around `target`. `None` for learners that predict no distribution.
    pub deviations: Option<Vec<f64>>,
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

    /// The class predicted for object i; `None` if no classes were predicted.
    pub fn class(&self, i: usize) -> Option<&str> {
        match &self.target {
            Some(Target::Classes(classes)) if i < classes.len() => classes.get(i),
            _ => None,
        }
    }

    /// The numbers predicted; `None` if no numbers were predicted.
    pub fn numbers(&self) -> Option<&[f64]> {
        match &self.target {
            Some(Target::Numbers(numbers)) => Some(numbers),
            _ => None,
        }
    }

    /// Predicted numbers without more.
    #[doc(hidden)]
    pub fn of_numbers(numbers: Vec<f64>) -> Prediction {
        let decisions = Dense::zeros(numbers.len(), 0);
        let target = Some(Target::Numbers(numbers));
        Prediction { target, decisions, columns: Vec::new(), probabilities: None, deviations: None }
    }

    /// The bounds of the central interval that holds a new observation of each object with probability `level`, above
    /// 0 and below 1; `None` if the learner predicts no distribution.
    ///
    /// ```
    /// use mercer_core::{data::{Dense, Target}, learn::Prediction};
    /// let target = Some(Target::Numbers(vec![10.0]));
    /// let (decisions, columns, deviations) = (Dense::zeros(1, 0), vec![], Some(vec![2.0]));
    /// let p = Prediction { target, decisions, columns, probabilities: None, deviations };
    /// let (low, high) = p.interval(0.95)?.unwrap()[0];
    /// assert!((low - 6.08).abs() < 1e-3 && (high - 13.92).abs() < 1e-3);
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn interval(&self, level: f64) -> Result<Option<Vec<(f64, f64)>>> {
        if !(level > 0.0 && level < 1.0) {
            return Err(Error::param("level", level, "above 0 and below 1"));
        }
        let width = normal_quantile(0.5 + level / 2.0);
        let (Some(means), Some(deviations)) = (self.numbers(), &self.deviations) else { return Ok(None) };
        let bounds = |(mean, deviation): (&f64, &f64)| (mean - width * deviation, mean + width * deviation);
        Ok(Some(means.iter().zip(deviations).map(bounds).collect()))
    }

    /// The value that a new observation of each object is below with probability `level`, above 0 and below 1; `None` if the
    /// learner predicts no distribution.
    pub fn quantile(&self, level: f64) -> Result<Option<Vec<f64>>> {
        if !(level > 0.0 && level < 1.0) {
            return Err(Error::param("level", level, "above 0 and below 1"));
        }
        let (Some(means), Some(deviations)) = (self.numbers(), &self.deviations) else { return Ok(None) };
        let z = normal_quantile(level);
        Ok(Some(means.iter().zip(deviations).map(|(mean, deviation)| mean + z * deviation).collect()))
    }

    /// Joins the predictions of several batches, at least one.
    pub fn joined(parts: Vec<Prediction>) -> Result<Prediction> {
        let objects = parts.iter().map(Prediction::len).sum();
        let (mut decisions, mut probabilities, mut deviations) = (Vec::new(), Vec::new(), Vec::new());
        let (mut codes, mut numbers) = (Vec::new(), Vec::new());
        parts.iter().for_each(|p| decisions.extend_from_slice(p.decisions.values()));
        for part in &parts {
            part.probabilities.iter().for_each(|p| probabilities.extend_from_slice(p.values()));
            part.deviations.iter().for_each(|d| deviations.extend_from_slice(d));
            match &part.target {
                Some(Target::Classes(c)) => codes.extend_from_slice(c.codes()),
                Some(Target::Numbers(v)) => numbers.extend_from_slice(v),
                None => {}
            }
        }
        let first =
            parts.into_iter().next().ok_or_else(|| Error::usage("there are no predictions to join"))?;
        let target = first.target.map(|target| match target {
            Target::Classes(c) => Target::Classes(Categories::from_codes(codes, c.levels().to_vec())),
            Target::Numbers(_) => Target::Numbers(numbers),
        });
        let decisions = Dense::new(objects, first.columns.len(), decisions)?;
        let probabilities =
            first.probabilities.map(|p| Dense::new(objects, p.cols(), probabilities)).transpose()?;
        let deviations = first.deviations.map(|_| deviations);
        Ok(Prediction { target, decisions, columns: first.columns, probabilities, deviations })
    }

    /// The coordinates of the objects (rows) along [`columns`](Prediction::columns), if the model gives coordinates.
    pub fn coordinates(&self) -> Option<&Dense> {
        self.target.is_none().then_some(&self.decisions)
    }
}

impl Trained {
    /// Predicts from similarities of new objects (rows) to the objects of [`Trained::support`] (columns, in that
    /// order).
    ///
    /// `own` holds the self-similarities k(x, x) of the new objects. Only clusters and nearest neighbours by distance
    /// need them: see [`Trained::needs_self_similarities`].
    pub fn predict(&self, cross: &Dense, own: Option<&[f64]>) -> Result<Prediction> {
        if self.needs_features() {
            return Err(Error::usage("a linear model predicts from features, not from similarities"));
        }
        check_cross(cross, self.support().len())?;
        self.predicted(&PredictFrom::Similarities { cross, own })
    }

    /// Predicts from the neighbours of new objects among the objects of [`Trained::support`], for models with
    /// [`Trained::neighbours_needed`]; `own` as in [`Trained::predict`].
    pub fn predict_nearest(&self, near: &Nearest, own: Option<&[f64]>) -> Result<Prediction> {
        self.predicted(&PredictFrom::Neighbours { near, own })
    }

    /// The neighbours that are enough for a prediction; `None` for models that need all similarities.
    pub fn neighbours_needed(&self) -> Option<NeighboursNeeded<'_>> {
        self.model.neighbours_needed()
    }

    /// Predicts from similarities of new objects (rows) to all training objects (columns), without copying those to the
    /// objects of [`Trained::support`] where that takes longer than reading all.
    ///
    /// `None` if the model must select, or if a value is not finite: [`Trained::predict`] then tells which.
    #[doc(hidden)]
    pub fn predict_among(&self, all: &Dense) -> Result<Option<Prediction>> {
        let n = all.cols();
        if self.needs_features() || self.support.last().is_none_or(|&last| last >= n) {
            return Ok(None);
        }
        let Some(model) = self.model.over_all(&self.support, n) else { return Ok(None) };
        match self.named(model.predict_any(&PredictFrom::Similarities { cross: all, own: None })) {
            Err(Error::NonFinite { .. }) => Ok(None),
            other => other.map(Some),
        }
    }

    fn predicted(&self, new: &PredictFrom<'_>) -> Result<Prediction> {
        self.named(self.model.predict_any(new))
    }

    /// Adds names and probabilities to a prediction of the model.
    fn named(&self, predicted: Result<Predicted>) -> Result<Prediction> {
        let columns = self.columns();
        Ok(match predicted? {
            Predicted::Classes(ModelOutput { values, decisions }) => {
                let model = self.calibration.as_ref().zip(self.model_as::<SvcModel>());
                let probabilities = model.map(|(c, m)| c.probabilities(m, &decisions)).transpose()?;
                let codes = values.into_iter().map(|c| c as u32).collect();
                let target = Some(Target::Classes(Categories::from_codes(codes, self.classes.clone())));
                Prediction { target, decisions, columns, probabilities, deviations: None }
            }
            Predicted::Probable(ModelOutput { values, decisions }, probabilities) => {
                let codes = values.into_iter().map(|c| c as u32).collect();
                let target = Some(Target::Classes(Categories::from_codes(codes, self.classes.clone())));
                let probabilities = Some(probabilities);
                Prediction { target, decisions, columns, probabilities, deviations: None }
            }
            Predicted::Numbers(numbers) => Prediction::of_numbers(numbers),
            Predicted::Normal { means, deviations } => {
                Prediction { deviations: Some(deviations), ..Prediction::of_numbers(means) }
            }
            Predicted::Membership(ModelOutput { values, decisions }) => {
                let sides = values.into_iter().map(|inside| if inside { 1.0 } else { -1.0 }).collect();
                let target = Some(Target::Numbers(sides));
                Prediction { target, decisions, columns, probabilities: None, deviations: None }
            }
            Predicted::Coordinates(decisions) => {
                Prediction { target: None, decisions, columns, probabilities: None, deviations: None }
            }
        })
    }

    /// Predicts from explicit features, for models with [`Trained::needs_features`].
    pub fn predict_features<'r>(&self, vectors: impl Into<FeatureRows<'r>>) -> Result<Prediction> {
        if !self.needs_features() {
            return Err(Error::usage("this model predicts from similarities, not from features"));
        }
        self.predicted(&PredictFrom::Features(vectors.into()))
    }

    /// Whether [`Trained::predict`] needs the self-similarities of new objects.
    pub fn needs_self_similarities(&self) -> bool {
        self.model.uses_self_similarities()
    }

    /// Whether its predictions have the probabilities of the classes.
    pub fn gives_probabilities(&self) -> bool {
        self.calibration.is_some() || self.model.gives_probabilities()
    }

    /// The names of the decision values: see [`Prediction::columns`].
    pub fn columns(&self) -> Vec<String> {
        self.model.decision_names(&self.classes)
    }
}
