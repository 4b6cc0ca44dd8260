//! What was predicted beside what is true, as measures want it.

use crate::data::{Dense, Target};
use crate::error::{Error, Result};
use crate::learn::Prediction;
use crate::select::score::{Bootstrap, Interval};
use crate::select::{Measured, Predicted, Score, Truth};

/// Predictions of test objects, of one division or of several, beside the truth.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::select) struct Answers {
    /// The true classes and how many there are; 0 for numbers.
    pub(crate) truth: Vec<usize>,
    classes: usize,
    pub(crate) labels: Vec<usize>,
    /// A column per class.
    decisions: Vec<f64>,
    /// A column per class, where they are known of every object.
    probabilities: Vec<f64>,
    pub(crate) true_numbers: Vec<f64>,
    pub(crate) numbers: Vec<f64>,
}

impl Answers {
    /// No answers yet about a target.
    pub(crate) fn new(target: &Target) -> Self {
        let classes = match target {
            Target::Classes(classes) => classes.levels().len(),
            Target::Numbers(_) => 0,
        };
        Answers { classes, ..Answers::default() }
    }

    /// Adds what was predicted for some objects.
    pub(crate) fn add(&mut self, target: &Target, test: &[usize], prediction: &Prediction) -> Result<()> {
        match (target, &prediction.target) {
            (Target::Numbers(truth), Target::Numbers(predicted)) => {
                self.true_numbers.extend(test.iter().map(|&i| truth[i]));
                self.numbers.extend(predicted);
            }
            (Target::Classes(truth), Target::Classes(predicted)) => {
                let levels = truth.levels();
                let code = |name: &str| levels.iter().position(|l| l == name).unwrap_or(0);
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
            _ => return Err(Error::usage("predictions of another kind than the target")),
        }
        Ok(())
    }

    /// A measure of these answers.
    pub(crate) fn measure(&self, score: Score) -> Result<Measured> {
        self.with(|truth, predicted| score.measure(truth, predicted))
    }

    /// A confidence interval of a measure, which holds where objects are independent.
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

/// Decision values with a column per class of the data; of machines for pairs, the sums of each class's decisions.
fn per_class(prediction: &Prediction, levels: &[String], names: &[usize], classes: usize) -> Result<Dense> {
    let n = prediction.decisions.rows();
    let known = names.len();
    let mut out = Dense::zeros(n, classes);
    let columns = prediction.decisions.cols();
    // The places of the classes in each column: (against, for).
    let pairs: Vec<(usize, usize)> = match (columns, known) {
        (1, 2) => vec![(names[0], names[1])],
        // Three classes have three pairs: the names of the columns tell.
        _ if prediction.columns == levels => names.iter().map(|&name| (usize::MAX, name)).collect(),
        _ => (0..known)
            .flat_map(|a| (a + 1..known).map(move |b| (a, b)))
            .map(|(a, b)| (names[a], names[b]))
            .collect(),
    };
    if pairs.len() != columns {
        return Err(Error::usage("decision values that belong to no classes"));
    }
    for i in 0..n {
        let decisions = prediction.decisions.row(i);
        let row = out.row_mut(i);
        for (&(against, for_), &d) in pairs.iter().zip(decisions) {
            row[for_] += d;
            if against != usize::MAX {
                row[against] -= d;
            }
        }
    }
    Ok(out)
}

/// Probabilities with a column per class of the data; classes that were not there to learn have none.
fn spread(probabilities: &Dense, names: &[usize], classes: usize) -> Result<Dense> {
    if probabilities.cols() != names.len() {
        return Err(Error::usage("probabilities that belong to no classes"));
    }
    let mut out = Dense::zeros(probabilities.rows(), classes);
    for i in 0..probabilities.rows() {
        let row = out.row_mut(i);
        probabilities.row(i).iter().zip(names).for_each(|(p, &class)| row[class] += p);
    }
    Ok(out)
}
