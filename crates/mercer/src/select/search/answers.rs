//! Predictions and true values, in the form that measures need.

use std::collections::{BTreeMap, HashMap};

use crate::data::{Categories, Dense, Target};
use crate::error::{Error, Result};
use crate::learn::Prediction;
use crate::select::score::{Bootstrap, Interval};
use crate::select::{Measured, Predicted, Score, Truth};

/// Predictions of test objects with their true values, from one split or several.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::select) struct Answers {
    /// The true classes; empty for numbers.
    pub(crate) truth: Vec<usize>,
    /// The number of classes; 0 for numbers.
    classes: usize,
    pub(crate) labels: Vec<usize>,
    /// A column per class.
    pub(crate) decisions: Vec<f64>,
    /// A column per class, if known for every object.
    pub(crate) probabilities: Vec<f64>,
    pub(crate) true_numbers: Vec<f64>,
    pub(crate) numbers: Vec<f64>,
    /// The group of each object; empty where the data has none.
    groups: Vec<usize>,
}

impl Answers {
    /// An empty collection for a target.
    pub(crate) fn new(target: &Target) -> Self {
        let classes = match target {
            Target::Classes(classes) => classes.levels().len(),
            Target::Numbers(_) => 0,
        };
        Answers { classes, ..Answers::default() }
    }

    /// Adds the predictions for some objects.
    pub(crate) fn add(&mut self, target: &Target, test: &[usize], prediction: &Prediction) -> Result<()> {
        match (target, &prediction.target) {
            (Target::Numbers(truth), Some(Target::Numbers(predicted))) => {
                self.true_numbers.extend(test.iter().map(|&i| truth[i]));
                self.numbers.extend(predicted);
            }
            (Target::Classes(truth), Some(Target::Classes(predicted))) => {
                let levels = truth.levels();
                let places: HashMap<&str, usize> = levels.iter().map(String::as_str).zip(0..).collect();
                let code = |name: &str| places.get(name).copied().unwrap_or(0);
                let names: Vec<usize> = predicted.levels().iter().map(|l| code(l)).collect();
                self.labels
                    .extend((0..predicted.len()).map(|i| predicted.code(i).map_or(0, |c| names[c as usize])));
                self.truth.extend(test.iter().map(|&i| truth.code(i).map_or(0, |c| c as usize)));
                self.decisions
                    .extend(per_class(prediction, predicted.levels(), &names, levels.len())?.values());
                if let Some(p) = &prediction.probabilities {
                    self.probabilities.extend(spread(p, &names, levels.len())?.values());
                }
            }
            _ => {
                return Err(Error::usage(
                    "the predictions and the target must both be classes or both be numbers",
                ));
            }
        }
        Ok(())
    }

    /// Adds the groups of the objects added last. Objects without a group are groups of their own.
    pub(crate) fn add_groups(&mut self, groups: Option<&Categories>, test: &[usize]) {
        let Some(groups) = groups else { return };
        let levels = groups.levels().len();
        self.groups.extend(test.iter().map(|&i| groups.code(i).map_or(levels + i, |code| code as usize)));
    }

    /// The objects of each group in ascending order of the groups; every object by itself where there are no groups.
    pub(crate) fn units(&self) -> Vec<Vec<usize>> {
        if self.groups.len() != self.len() {
            return (0..self.len()).map(|i| vec![i]).collect();
        }
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (i, &group) in self.groups.iter().enumerate() {
            members.entry(group).or_default().push(i);
        }
        members.into_values().collect()
    }

    /// Whether the objects come in groups.
    pub(crate) fn is_grouped(&self) -> bool {
        !self.groups.is_empty() && self.groups.len() == self.len()
    }

    /// The number of objects.
    pub(crate) fn len(&self) -> usize {
        self.truth.len().max(self.true_numbers.len())
    }

    /// The size of the smallest class that occurs; none for numbers.
    pub(crate) fn fewest(&self) -> Option<usize> {
        let mut counts = vec![0usize; self.classes];
        self.truth.iter().for_each(|&code| counts[code] += 1);
        counts.into_iter().filter(|&count| count > 0).min()
    }

    /// The predicted values, and the number of values per object, for each kind of prediction.
    fn rows(&mut self) -> [(&mut Vec<f64>, usize); 3] {
        let classes = self.classes;
        [(&mut self.decisions, classes), (&mut self.probabilities, classes), (&mut self.numbers, 1)]
    }

    /// Whether both predict the same for object i.
    pub(crate) fn same(&self, other: &Answers, i: usize) -> bool {
        let range = i * self.classes..(i + 1) * self.classes;
        self.labels.get(i) == other.labels.get(i)
            && self.numbers.get(i) == other.numbers.get(i)
            && self.probabilities.get(range.clone()) == other.probabilities.get(range)
    }

    /// Swaps the predictions for object i.
    pub(crate) fn exchange(&mut self, other: &mut Answers, i: usize) {
        if let (Some(a), Some(b)) = (self.labels.get_mut(i), other.labels.get_mut(i)) {
            std::mem::swap(a, b);
        }
        for ((own, width), (others, _)) in self.rows().into_iter().zip(other.rows()) {
            let range = i * width..(i + 1) * width;
            if let (Some(a), Some(b)) = (own.get_mut(range.clone()), others.get_mut(range)) {
                a.swap_with_slice(b);
            }
        }
    }

    /// The predictions for some of the objects, which may occur more than once.
    pub(crate) fn select(&self, objects: &[usize]) -> Self {
        let classes = self.classes;
        let codes = |of: &[usize]| objects.iter().filter_map(|&i| of.get(i).copied()).collect();
        let rows = |of: &[f64], width: usize| -> Vec<f64> {
            objects.iter().filter_map(|&i| of.get(i * width..(i + 1) * width)).flatten().copied().collect()
        };
        Answers {
            truth: codes(&self.truth),
            classes,
            labels: codes(&self.labels),
            decisions: rows(&self.decisions, classes),
            probabilities: rows(&self.probabilities, classes),
            true_numbers: rows(&self.true_numbers, 1),
            numbers: rows(&self.numbers, 1),
            groups: codes(&self.groups),
        }
    }

    /// A measure of these predictions.
    pub(crate) fn measure(&self, score: Score) -> Result<Measured> {
        self.with(|truth, predicted| score.measure(truth, predicted))
    }

    /// A confidence interval of a measure, valid where objects are independent.
    pub(crate) fn interval(&self, score: Score, bootstrap: &Bootstrap) -> Result<Measured<Interval>> {
        self.with(|truth, predicted| score.interval(truth, predicted, bootstrap))
    }

    fn with<R>(&self, f: impl FnOnce(&Truth<'_>, &Predicted<'_>) -> Result<R>) -> Result<R> {
        if self.classes == 0 {
            let predicted = Predicted { numbers: Some(&self.numbers), ..Predicted::default() };
            return f(&Truth::Numbers(&self.true_numbers), &predicted);
        }
        let decisions = Dense::new(self.labels.len(), self.classes, self.decisions.clone())?;
        let known = self.probabilities.len() == self.decisions.len();
        let probabilities = match known && !self.probabilities.is_empty() {
            true => Some(Dense::new(self.labels.len(), self.classes, self.probabilities.clone())?),
            false => None,
        };
        let predicted = Predicted {
            labels: Some(&self.labels),
            decisions: Some(&decisions),
            probabilities: probabilities.as_ref(),
            ..Predicted::default()
        };
        f(&Truth::Classes { codes: &self.truth, classes: self.classes }, &predicted)
    }
}

/// Decision values with one column per class of the data.
///
/// With more than two classes, the classifiers for pairs vote. A class scores its number of pairs won, and with the sum s
/// of its decision values `s / (3 (|s| + 1))` on top. That term orders objects of equal votes and never outweighs a vote
/// (as in scikit-learn).
fn per_class(prediction: &Prediction, levels: &[String], names: &[usize], classes: usize) -> Result<Dense> {
    let n = prediction.decisions.rows();
    let (columns, known) = (prediction.decisions.cols(), names.len());
    let mut out = Dense::zeros(n, classes);
    // Three classes also have three pairs, so the column names decide.
    let alone = prediction.columns == levels;
    let pairs: Vec<(usize, usize)> = (0..known).flat_map(|a| (a + 1..known).map(move |b| (a, b))).collect();
    if !alone && pairs.len() != columns || alone && columns != known {
        return Err(Error::usage("the columns of decision values match neither the classes nor their pairs"));
    }
    let mut sums = vec![0.0; known];
    for i in 0..n {
        let (decisions, row) = (prediction.decisions.row(i), out.row_mut(i));
        if alone {
            names.iter().zip(decisions).for_each(|(&name, &d)| row[name] = d);
            continue;
        }
        sums.fill(0.0);
        for (&(against, for_), &d) in pairs.iter().zip(decisions) {
            sums[for_] += d;
            sums[against] -= d;
            if known > 2 {
                row[names[if d > 0.0 { for_ } else { against }]] += 1.0;
            }
        }
        for (&name, &s) in names.iter().zip(&sums) {
            row[name] += if known > 2 { s / (3.0 * (s.abs() + 1.0)) } else { s };
        }
    }
    Ok(out)
}

/// Probabilities with one column per class of the data; classes absent from training get 0.
fn spread(probabilities: &Dense, names: &[usize], classes: usize) -> Result<Dense> {
    if probabilities.cols() != names.len() {
        return Err(Error::usage("the columns of probabilities do not match the classes"));
    }
    let mut out = Dense::zeros(probabilities.rows(), classes);
    for i in 0..probabilities.rows() {
        let row = out.row_mut(i);
        probabilities.row(i).iter().zip(names).for_each(|(p, &class)| row[class] += p);
    }
    Ok(out)
}
