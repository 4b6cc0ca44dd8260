//! A trained classifier: one binary classifier per pair of classes, or per class against the rest.

use super::super::learner::{ModelOutput, PredictFrom, Predictor, take_back};
use super::super::targets::finite;
use super::problem::DecisionFunction;
use super::{Certificate, Scheme};
use crate::budget;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::math::dot;
use crate::parallel;

/// A trained classifier.
#[derive(Clone, Debug, PartialEq)]
pub struct SvcModel {
    pub(super) classes: usize,
    pub(super) scheme: Scheme,
    pub(super) pairs: Vec<(usize, usize)>,
    pub(super) models: Vec<DecisionFunction>,
    pub(super) support: Vec<usize>,
    /// The class of each support vector.
    pub(super) support_classes: Vec<u32>,
    /// The class of each training object; empty if unknown.
    pub(super) target: Vec<u32>,
}

/// The classes each binary classifier separates.
pub(super) fn pairs_of(scheme: Scheme, classes: usize) -> Vec<(usize, usize)> {
    match scheme {
        Scheme::OneVersusRest if classes > 2 => (0..classes).map(|c| (usize::MAX, c)).collect(),
        _ => (0..classes).flat_map(|a| (a + 1..classes).map(move |b| (a, b))).collect(),
    }
}

/// The number of binary classifiers; `None` on overflow.
fn models_of(scheme: Scheme, classes: usize) -> Option<usize> {
    match scheme {
        Scheme::OneVersusRest if classes > 2 => Some(classes),
        _ => classes.checked_mul(classes.checked_sub(1)?).map(|n| n / 2),
    }
}

/// The class for given decision values: see [`SvcModel::decide`].
pub(super) fn decide(classes: usize, pairs: &[(usize, usize)], decisions: &[f64]) -> usize {
    let mut values = vec![0.0; classes];
    for (&(negative, positive), &d) in pairs.iter().zip(decisions) {
        match negative {
            usize::MAX => values[positive] = d,
            _ => values[if d > 0.0 { positive } else { negative }] += 1.0,
        }
    }
    (0..classes).reduce(|best, c| if values[c] > values[best] { c } else { best }).unwrap_or(0)
}

impl SvcModel {
    /// A model from its parts, read from a file: support vectors are numbered from 0 and `support_classes` holds the
    /// class of each; `target` holds the class of each training object, or is empty if unknown.
    #[doc(hidden)]
    pub fn from_parts(
        classes: usize,
        scheme: Scheme,
        models: Vec<DecisionFunction>,
        support_classes: Vec<u32>,
        target: Vec<u32>,
    ) -> Result<Self> {
        if classes < 2 || models_of(scheme, classes) != Some(models.len()) {
            return Err(Error::usage(format!("{} models for {classes} classes", models.len())));
        }
        if let Some(bad) = support_classes.iter().chain(&target).find(|&&c| c as usize >= classes) {
            return Err(Error::usage(format!("class {bad} (from 0), but there are {classes} classes")));
        }
        let support: Vec<usize> = (0..support_classes.len()).collect();
        let pairs = pairs_of(scheme, classes);
        let mut members = vec![0usize; classes];
        target.iter().for_each(|&c| members[c as usize] += 1);
        for (model, &(negative, positive)) in models.iter().zip(&pairs) {
            model.check(support.len())?;
            let seen = match negative {
                usize::MAX => target.len(),
                _ => members[negative] + members[positive],
            };
            if model.locations.len() != seen {
                let found = model.locations.len();
                return Err(Error::usage(format!("{found} locations, but {seen} training objects")));
            }
        }
        Ok(SvcModel { classes, scheme, pairs, models, support, support_classes, target })
    }

    /// The same model with support vectors numbered from 0.
    #[doc(hidden)]
    pub fn renumbered(self) -> Self {
        let (old, models) = (self.support, self.models);
        let models = models.into_iter().map(|m| m.renumbered(&old)).collect();
        SvcModel { models, support: (0..old.len()).collect(), ..self }
    }

    /// The same classifiers over all of n training objects; object k of this model is object `support[k]` there.
    pub(in super::super) fn spread(&self, support: &[usize], n: usize) -> Self {
        let outer = |model: &DecisionFunction| DecisionFunction {
            support: model.support.iter().map(|&k| support[k]).collect(),
            certificate: None,
            locations: Vec::new(),
            ..model.clone()
        };
        SvcModel {
            models: self.models.iter().map(outer).collect(),
            support: (0..n).collect(),
            support_classes: Vec::new(),
            target: Vec::new(),
            pairs: self.pairs.clone(),
            ..*self
        }
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The class of each object of [`SvcModel::support`].
    pub fn support_classes(&self) -> &[u32] {
        &self.support_classes
    }

    /// The class of each training object; empty if the model comes from a file without them.
    pub fn target(&self) -> &[u32] {
        &self.target
    }

    /// The training objects of a binary classifier, ascending: those of its [`DecisionFunction::locations`].
    pub fn members(&self, model: usize) -> Vec<usize> {
        let Some(&(negative, positive)) = self.pairs.get(model) else { return Vec::new() };
        let among = |c: usize| negative == usize::MAX || c == negative || c == positive;
        (0..self.target.len()).filter(|&i| among(self.target[i] as usize)).collect()
    }

    /// The training objects that any binary classifier needs, ascending: the columns of a cross matrix for prediction.
    pub fn support(&self) -> &[usize] {
        &self.support
    }

    /// The binary classifiers, one per pair of classes (or per class), in the order of [`SvcModel::pairs`].
    pub fn classifiers(&self) -> &[DecisionFunction] {
        &self.models
    }

    /// The classes each binary classifier separates: (negative, positive), with the negative one `usize::MAX` for all
    /// others.
    pub fn pairs(&self) -> &[(usize, usize)] {
        &self.pairs
    }

    /// The decision value of each binary classifier (columns) for new objects (rows), from their similarities to
    /// [`SvcModel::support`].
    pub fn decisions(&self, cross: &Dense) -> Result<Dense> {
        if cross.cols() != self.support.len() {
            return Err(Error::Shape {
                expected: format!("similarities to {} support vectors", self.support.len()),
                found: format!("{} columns", cross.cols()),
            });
        }
        let mut out = Dense::zeros(cross.rows(), self.models.len());
        let places: Vec<Vec<usize>> = self
            .models
            .iter()
            .map(|m| m.support.iter().map(|s| self.support.binary_search(s).unwrap_or(0)).collect())
            .collect();
        // Reading a whole row is faster than selecting a large part of it.
        let spread = |(model, places): (&DecisionFunction, &Vec<usize>)| {
            (4 * places.len() >= self.support.len()).then(|| {
                let mut all = vec![0.0; self.support.len()];
                places.iter().zip(&model.coefficients).for_each(|(&at, c)| all[at] = *c);
                all
            })
        };
        let spread: Vec<Option<Vec<f64>>> = self.models.iter().zip(&places).map(spread).collect();
        let width = self.models.len();
        let one = |i: usize, values: &mut [f64]| {
            let row = cross.row(i);
            for (m, (value, model)) in values.iter_mut().zip(&self.models).enumerate() {
                if budget::is_spent_after(places[m].len()) {
                    return;
                }
                let sum = match &spread[m] {
                    Some(all) => dot(row, all),
                    None => places[m].iter().zip(&model.coefficients).map(|(&at, c)| c * row[at]).sum(),
                };
                *value = sum - model.offset;
            }
        };
        parallel::for_chunks_mut(out.values_mut(), width, 1, one);
        budget::check().map(|()| out)
    }

    /// The class of each new object, from its similarities to [`SvcModel::support`].
    pub fn predict(&self, cross: &Dense) -> Result<Vec<usize>> {
        let decisions = self.decisions(cross)?;
        Ok((0..decisions.rows()).map(|i| self.decide(decisions.row(i))).collect())
    }

    /// The class for given decision values: the one that wins most pairs, or the one with the largest value against the
    /// rest; the first in a tie, as in LIBSVM.
    pub fn decide(&self, decisions: &[f64]) -> usize {
        decide(self.classes, &self.pairs, decisions)
    }

    /// The scheme for more than two classes.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }
}

impl Predictor for SvcModel {
    type Output = usize;

    fn predict_from(&self, new: &PredictFrom<'_>) -> Result<ModelOutput<usize>> {
        let decisions = finite(self.decisions(new.similarities()?.0)?)?;
        let values = (0..decisions.rows()).map(|i| self.decide(decisions.row(i))).collect();
        Ok(ModelOutput { values, decisions })
    }

    fn compact(self) -> Result<(Self, Vec<usize>)> {
        let support = self.support.clone();
        Ok((self.renumbered(), support))
    }

    fn certificates(&self) -> Vec<&Certificate> {
        self.models.iter().filter_map(|m| m.certificate.as_ref()).collect()
    }

    fn unproved(mut self) -> Self {
        self.models.iter_mut().filter_map(|m| m.certificate.as_mut()).for_each(take_back);
        self
    }
}
