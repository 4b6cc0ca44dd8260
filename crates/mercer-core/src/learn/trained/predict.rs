//! Predictions of a machine of any kind.

use super::super::knn::Measure;
use super::super::svm::Scheme;
use super::super::targets::{choose, column, finite};
use super::{AnyMachine, Linear, Neighbours, Trained};
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
        match &self.machine {
            AnyMachine::Svc(m) => {
                let decisions = finite(m.decisions(cross)?)?;
                let codes = (0..decisions.rows()).map(|i| m.decide(decisions.row(i))).collect();
                let calibration = self.calibration.as_ref();
                let probabilities = calibration.map(|c| c.probabilities(m, &decisions)).transpose()?;
                Ok(Prediction { probabilities, ..self.of_classes(codes, decisions) })
            }
            AnyMachine::Svr(m) => self.of_numbers(m.predict(cross)?),
            AnyMachine::OneClass(m) => {
                let decisions = finite(column(&m.decisions(cross)?)?)?;
                let sides = decisions.values().iter().map(|&d| if d >= 0.0 { 1.0 } else { -1.0 }).collect();
                let target = Some(Target::Numbers(sides));
                Ok(Prediction { target, decisions, columns: self.columns(), probabilities: None })
            }
            AnyMachine::Ridge(m) => {
                let values = m.predict(cross)?;
                self.of_numbers((0..values.rows()).map(|i| values.at(i, 0)).collect())
            }
            AnyMachine::RidgeClasses(m) => self.of_decisions(m.decisions(cross)?),
            AnyMachine::Perceptron(m) => self.of_decisions(m.decisions(cross)?),
            AnyMachine::VotedPerceptron(m, rule) => {
                Ok(self.of_classes(m.predict(cross, *rule)?, m.decisions(cross, *rule)?))
            }
            AnyMachine::KnnClasses(m, Neighbours::Uniform) => {
                Ok(self.of_classes(m.predict(cross)?, m.shares(cross)?))
            }
            AnyMachine::KnnClasses(m, Neighbours::Distance) => {
                self.of_decisions(m.shares_weighted(cross, own)?)
            }
            AnyMachine::Knn(m, Neighbours::Uniform) => self.of_numbers(m.predict(cross)?),
            AnyMachine::Knn(m, Neighbours::Distance) => self.of_numbers(m.predict_weighted(cross, own)?),
            AnyMachine::Pca(m) => {
                let decisions = m.project(cross)?;
                Ok(Prediction { target: None, decisions, columns: self.columns(), probabilities: None })
            }
            AnyMachine::KMeans(m) => {
                let own = own.ok_or_else(|| {
                    Error::usage("distances from clusters need the self-similarities of new objects")
                })?;
                let (clusters, distances) = m.predict_with_distances(cross, own)?;
                Ok(self.of_classes(clusters, distances))
            }
            AnyMachine::LinearSvc(_) | AnyMachine::LinearSvr(_) | AnyMachine::Linear(..) => {
                Err(Error::usage("no features"))
            }
        }
    }

    /// Predicts from explicit features, for what [`Trained::needs_features`].
    pub fn predict_features<'r>(&self, vectors: impl Into<FeatureRows<'r>>) -> Result<Prediction> {
        let vectors = vectors.into();
        match &self.machine {
            AnyMachine::LinearSvc(m) => {
                let values = m.decide(vectors)?;
                let mut decisions = Dense::zeros(vectors.len(), values.len());
                for (c, machine) in values.iter().enumerate() {
                    for (i, v) in machine.iter().enumerate() {
                        decisions.row_mut(i)[c] = *v;
                    }
                }
                self.of_decisions(finite(decisions)?)
            }
            AnyMachine::LinearSvr(m) => self.of_numbers(m.predict(vectors)?),
            AnyMachine::Linear(m, Linear::Number) => self.of_numbers(m.decide(vectors)?.into_values()),
            AnyMachine::Linear(m, Linear::Classes) => self.of_decisions(finite(m.decide(vectors)?)?),
            AnyMachine::Linear(m, Linear::Components) => {
                let decisions = finite(m.decide(vectors)?)?;
                Ok(Prediction { target: None, decisions, columns: self.columns(), probabilities: None })
            }
            _ => Err(Error::usage("this machine predicts from similarities, not from features")),
        }
    }

    /// Whether [`Trained::predict`] needs the self-similarities of new objects.
    pub fn needs_self_similarities(&self) -> bool {
        let measure = match &self.machine {
            AnyMachine::KnnClasses(m, Neighbours::Distance) => m.parts().1,
            AnyMachine::Knn(m, Neighbours::Distance) => m.parts().1,
            AnyMachine::KMeans(_) => return true,
            _ => return false,
        };
        measure == Measure::Similarity
    }

    /// The names of the decision values: see [`Prediction::columns`].
    pub fn columns(&self) -> Vec<String> {
        let names = &self.classes;
        match &self.machine {
            AnyMachine::OneClass(_) => vec!["inside".into()],
            AnyMachine::Svc(m) if m.scheme() == Scheme::OneVersusOne || names.len() == 2 => {
                m.pairs().iter().map(|&(a, b)| format!("{}|{}", names[a], names[b])).collect()
            }
            AnyMachine::KnnClasses(..) | AnyMachine::KMeans(_) => names.clone(),
            AnyMachine::Linear(m, Linear::Components) => {
                (1..=m.offsets().len()).map(|k| format!("component {k}")).collect()
            }
            AnyMachine::Pca(m) => (1..=m.components()).map(|k| format!("component {k}")).collect(),
            _ => match names.as_slice() {
                [a, b] => vec![format!("{a}|{b}")],
                all => all.to_vec(),
            },
        }
    }

    fn of_decisions(&self, decisions: Dense) -> Result<Prediction> {
        Ok(self.of_classes(choose(&decisions), decisions))
    }

    fn of_classes(&self, codes: Vec<usize>, decisions: Dense) -> Prediction {
        let codes = codes.into_iter().map(|c| c as u32).collect();
        let target = Some(Target::Classes(Categories::from_codes(codes, self.classes.clone())));
        Prediction { target, decisions, columns: self.columns(), probabilities: None }
    }

    fn of_numbers(&self, numbers: Vec<f64>) -> Result<Prediction> {
        if let Some(row) = numbers.iter().position(|v| !v.is_finite()) {
            return Err(Error::NonFinite { row, col: 0, overflow: true });
        }
        let decisions = Dense::zeros(numbers.len(), 0);
        let target = Some(Target::Numbers(numbers));
        Ok(Prediction { target, decisions, columns: Vec::new(), probabilities: None })
    }
}
