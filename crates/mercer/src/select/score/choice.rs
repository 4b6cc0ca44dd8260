//! Selecting a measure by name.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use super::check::{self, NO_OBJECTS, ONE_CLASS};
use super::tally::two_classes;
use super::{Average, Bootstrap, Interpolation, Interval, Measured};
use super::{accuracy, auc, average_precision, balanced_accuracy, brier, delong, f1, log_loss};
use super::{mae, matthews, r2, rmse, wilson};
use crate::data::{Dataset, Dense, Target};
use crate::doctor::is_imbalanced;
use crate::error::{Error, Result, nearest};

/// The kind of prediction that a measure needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Needs {
    /// Predicted classes.
    Labels,
    /// Decision values, or anything that grows with confidence, such as probabilities.
    Decisions,
    /// Probabilities of classes.
    Probabilities,
    /// Predicted numbers.
    Numbers,
}

macro_rules! scores {
    ($($variant:ident: $name:literal $(| $alias:literal)*, $needs:ident, $greater:literal, $summary:literal;)*) => {
        /// A measure of predictions. It can be parsed from its name and prints as its name.
        ///
        /// ```
        /// use mercer::select::{Measured, Needs, Predicted, Score, Truth};
        /// let score: Score = "f1-macro".parse()?;
        /// assert!(score.greater_is_better() && score.needs() == Needs::Labels);
        /// let truth = Truth::Classes { codes: &[0, 1, 1], classes: 2 };
        /// let predicted = Predicted { labels: Some(&[0, 1, 1]), ..Predicted::default() };
        /// assert_eq!(score.measure(&truth, &predicted)?, Measured::Value(1.0));
        /// # Ok::<(), mercer::Error>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Score { $(#[doc = $summary] $variant),* }

        impl Score {
            /// Every measure.
            pub const ALL: &'static [Score] = &[$(Score::$variant),*];

            /// Its name.
            pub fn name(self) -> &'static str {
                match self { $(Score::$variant => $name),* }
            }

            /// A one-sentence description.
            pub fn summary(self) -> &'static str {
                match self { $(Score::$variant => $summary),* }
            }

            /// The kind of prediction it needs.
            pub fn needs(self) -> Needs {
                match self { $(Score::$variant => Needs::$needs),* }
            }

            /// Whether larger values are better.
            pub fn greater_is_better(self) -> bool {
                match self { $(Score::$variant => $greater),* }
            }

            /// The measure with this name or alias.
            fn named(name: &str) -> Option<Self> {
                match name { $($name $(| $alias)* => Some(Score::$variant),)* _ => None }
            }
        }
    };
}

scores! {
    Accuracy: "accuracy", Labels, true, "The share of objects whose class is predicted right.";
    BalancedAccuracy: "balanced-accuracy", Labels, true, "The mean over classes of the share of members predicted right.";
    F1: "f1", Labels, true, "F1 of class 1 of two.";
    F1Macro: "f1-macro", Labels, true, "The mean of F1 over classes.";
    F1Micro: "f1-micro", Labels, true, "F1 of counts summed over classes: the accuracy.";
    F1Weighted: "f1-weighted", Labels, true, "The mean of F1 over classes weighted by their size.";
    Matthews: "matthews" | "mcc", Labels, true, "Matthews' correlation of truth and prediction.";
    Auc: "auc" | "roc-auc", Decisions, true, "The area under the ROC curve of two classes.";
    AucMacro: "auc-macro", Decisions, true, "The mean over classes of the area under the ROC curve against the rest.";
    AucWeighted: "auc-weighted", Decisions, true, "The same mean weighted by the size of the classes.";
    AveragePrecision: "average-precision" | "ap", Decisions, true, "The mean precision at the recalls of class 1 of two.";
    MeanAveragePrecision: "mean-average-precision" | "map", Decisions, true, "The mean of average precision over classes against the rest.";
    InterpolatedPrecision: "interpolated-precision", Decisions, true, "Average precision of class 1 of two, interpolated at all points.";
    MeanInterpolatedPrecision: "mean-interpolated-precision", Decisions, true, "The mean over classes of average precision interpolated at all points.";
    ElevenPointPrecision: "interpolated-precision-11", Decisions, true, "Average precision of class 1 of two, interpolated at the recalls 0, 0.1, …, 1.";
    MeanElevenPointPrecision: "mean-interpolated-precision-11", Decisions, true, "The mean over classes of average precision interpolated at the recalls 0, 0.1, …, 1.";
    LogLoss: "log-loss", Probabilities, false, "The mean negative logarithm of the true class's probability.";
    Brier: "brier", Probabilities, false, "The mean squared error of the probabilities.";
    Mae: "mae", Numbers, false, "The mean absolute error.";
    Rmse: "rmse", Numbers, false, "The root mean squared error.";
    R2: "r2", Numbers, true, "The share of variance explained.";
}

impl Score {
    /// The smallest and the largest value it can have.
    pub fn range(self) -> (f64, f64) {
        match self {
            Score::Rmse | Score::Mae | Score::LogLoss => (0.0, f64::INFINITY),
            Score::Brier => (0.0, 2.0),
            Score::R2 => (f64::NEG_INFINITY, 1.0),
            Score::Matthews => (-1.0, 1.0),
            _ => (0.0, 1.0),
        }
    }

    /// Whether no value is better.
    pub(crate) fn is_perfect(self, value: f64) -> bool {
        let (least, most) = self.range();
        if self.greater_is_better() { value >= most } else { value <= least }
    }
}

/// The true values of the objects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Truth<'a> {
    /// Classes.
    Classes {
        /// The classes of the objects, each below `classes`.
        codes: &'a [usize],
        /// The number of classes, whether or not all occur.
        classes: usize,
    },
    /// Numbers.
    Numbers(&'a [f64]),
}

impl Truth<'_> {
    /// The number of objects.
    pub fn len(&self) -> usize {
        match self {
            Truth::Classes { codes, .. } => codes.len(),
            Truth::Numbers(values) => values.len(),
        }
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The predictions, as far as they are known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Predicted<'a> {
    /// The class of each object.
    pub labels: Option<&'a [usize]>,
    /// A row of decision values per object: one column per class, or for two classes a single one that grows towards
    /// class 1.
    pub decisions: Option<&'a Dense>,
    /// A row of probabilities per object: one column per class, or for two classes only P(class 1).
    pub probabilities: Option<&'a Dense>,
    /// The number of each object.
    pub numbers: Option<&'a [f64]>,
}

impl Score {
    /// The default measure for a data set: accuracy; balanced accuracy where one class has more than three quarters of
    /// the training objects; for numbers the root mean squared error.
    pub fn suiting(data: &Dataset) -> Score {
        match data.target() {
            Some(Target::Numbers(_)) => Score::Rmse,
            _ if is_imbalanced(data) => Score::BalancedAccuracy,
            _ => Score::Accuracy,
        }
    }

    /// Whether it counts objects, so that small classes hardly affect it.
    pub fn counts_objects(self) -> bool {
        matches!(self, Score::Accuracy | Score::F1Micro | Score::F1Weighted)
    }

    /// The value of the measure.
    ///
    /// One-vs.-rest measures average over the classes that occur: a class missing from a fold has no ranking. Fails
    /// when the predictions do not match the truth, when the required predictions are missing, or when a two-class
    /// measure gets another number of classes.
    pub fn measure(self, truth: &Truth<'_>, predicted: &Predicted<'_>) -> Result<Measured> {
        match *truth {
            Truth::Classes { codes, classes } => self.of_classes(codes, classes, predicted),
            Truth::Numbers(y) => {
                if self.needs() != Needs::Numbers {
                    return Err(Error::usage(format!("{self} measures classes, and the truth is numbers")));
                }
                let f = predicted.numbers.ok_or_else(|| self.lacks("numbers"))?;
                match self {
                    Score::Mae => mae(y, f),
                    Score::Rmse => rmse(y, f),
                    _ => r2(y, f),
                }
            }
        }
    }

    fn of_classes(self, codes: &[usize], classes: usize, predicted: &Predicted<'_>) -> Result<Measured> {
        check::codes(codes, classes)?;
        let labels = || predicted.labels.ok_or_else(|| self.lacks("classes"));
        let p = || predicted.probabilities.ok_or_else(|| self.lacks("probabilities"));
        let precise = |how| move |truth: &[bool], d: &[f64]| average_precision(truth, d, how);
        let (none, all, eleven) =
            (Interpolation::None, Interpolation::AllPoints, Interpolation::ElevenPoints);
        match self {
            Score::Accuracy => accuracy(codes, labels()?),
            Score::BalancedAccuracy => balanced_accuracy(codes, labels()?, classes),
            Score::F1 => f1(codes, labels()?, classes, Average::Binary),
            Score::F1Macro => f1(codes, labels()?, classes, Average::Macro),
            Score::F1Micro => f1(codes, labels()?, classes, Average::Micro),
            Score::F1Weighted => f1(codes, labels()?, classes, Average::Weighted),
            Score::Matthews => matthews(codes, labels()?, classes),
            Score::Auc => self.of_two(codes, classes, predicted, "auc-macro", auc),
            Score::AucMacro => self.against_rest(codes, classes, predicted, false, auc),
            Score::AucWeighted => self.against_rest(codes, classes, predicted, true, auc),
            Score::AveragePrecision => {
                self.of_two(codes, classes, predicted, "mean-average-precision", precise(none))
            }
            Score::MeanAveragePrecision => self.against_rest(codes, classes, predicted, false, precise(none)),
            Score::InterpolatedPrecision => {
                self.of_two(codes, classes, predicted, "mean-interpolated-precision", precise(all))
            }
            Score::MeanInterpolatedPrecision => {
                self.against_rest(codes, classes, predicted, false, precise(all))
            }
            Score::ElevenPointPrecision => {
                self.of_two(codes, classes, predicted, "mean-interpolated-precision-11", precise(eleven))
            }
            Score::MeanElevenPointPrecision => {
                self.against_rest(codes, classes, predicted, false, precise(eleven))
            }
            Score::LogLoss => log_loss(codes, p()?, classes),
            Score::Brier => brier(codes, p()?, classes),
            Score::Mae | Score::Rmse | Score::R2 => {
                Err(Error::usage(format!("{self} measures numbers, and the truth is classes")))
            }
        }
    }

    fn lacks(self, what: &str) -> Error {
        Error::usage(format!("{self} needs predicted {what}, and the learner gives none"))
    }

    /// The decision values in favour of a class.
    fn towards(self, class: usize, n: usize, classes: usize, predicted: &Predicted<'_>) -> Result<Vec<f64>> {
        let values = predicted.decisions.or(predicted.probabilities);
        let values = values.ok_or_else(|| self.lacks("decision values or probabilities"))?;
        check::same_length(n, values.rows())?;
        let column = |j: usize| (0..n).map(move |i| values.at(i, j));
        match (values.cols(), classes) {
            (1, 2) if class == 1 => Ok(column(0).collect()),
            (1, 2) => Ok(column(0).map(|v| -v).collect()),
            // With two classes, one ranking serves both.
            (2, 2) => {
                Ok(column(class).zip(column(1 - class)).map(|(own, other)| 0.5 * own - 0.5 * other).collect())
            }
            (cols, _) if cols == classes => Ok(column(class).collect()),
            (cols, _) => Err(Error::Shape {
                expected: format!("a column of decision values for each of {classes} classes"),
                found: format!("{cols} columns"),
            }),
        }
    }

    fn of_two(
        self,
        codes: &[usize],
        classes: usize,
        predicted: &Predicted<'_>,
        instead: &str,
        measure: impl Fn(&[bool], &[f64]) -> Result<Measured>,
    ) -> Result<Measured> {
        if classes != 2 {
            return Err(two_classes(self.name(), classes, instead));
        }
        let truth: Vec<bool> = codes.iter().map(|&code| code == 1).collect();
        measure(&truth, &self.towards(1, codes.len(), classes, predicted)?)
    }

    fn against_rest(
        self,
        codes: &[usize],
        classes: usize,
        predicted: &Predicted<'_>,
        weighted: bool,
        measure: impl Fn(&[bool], &[f64]) -> Result<Measured>,
    ) -> Result<Measured> {
        let mut present = codes.to_vec();
        present.sort_unstable();
        let (mut sum, mut total) = (0.0, 0.0);
        for run in present.chunk_by(|a, b| a == b) {
            let truth: Vec<bool> = codes.iter().map(|&code| code == run[0]).collect();
            let value = measure(&truth, &self.towards(run[0], codes.len(), classes, predicted)?)?;
            let Measured::Value(value) = value else { return Ok(Measured::Undefined(ONE_CLASS)) };
            let weight = if weighted { run.len() as f64 } else { 1.0 };
            sum += weight * value;
            total += weight;
        }
        Ok(if total > 0.0 { Measured::Value(sum / total) } else { Measured::Undefined(NO_OBJECTS) })
    }

    /// A confidence interval of the measure's value: Wilson's for accuracy, DeLong's for the area under the ROC curve
    /// of two classes, the bootstrap for all others.
    pub fn interval(
        self,
        truth: &Truth<'_>,
        predicted: &Predicted<'_>,
        bootstrap: &Bootstrap,
    ) -> Result<Measured<Interval>> {
        // Checks the input once, so that draws can only fail by being undefined.
        if let Measured::Undefined(reason) = self.measure(truth, predicted)? {
            return Ok(Measured::Undefined(reason));
        }
        match (self, *truth) {
            (Score::Accuracy | Score::F1Micro, Truth::Classes { codes, .. }) => {
                let labels = predicted.labels.ok_or_else(|| self.lacks("classes"))?;
                let right = codes.iter().zip(labels).filter(|(t, p)| t == p).count();
                wilson(right as u64, codes.len() as u64, bootstrap.level)
            }
            (Score::Auc, Truth::Classes { codes, classes }) => {
                let positive: Vec<bool> = codes.iter().map(|&code| code == 1).collect();
                let decisions = self.towards(1, codes.len(), classes, predicted)?;
                delong(&positive, &decisions, bootstrap.level)
            }
            _ => bootstrap.interval(truth.len(), |drawn| self.redrawn(truth, predicted, drawn)),
        }
    }

    /// The value on objects drawn with replacement; `None` when it is undefined there.
    fn redrawn(self, truth: &Truth<'_>, predicted: &Predicted<'_>, drawn: &[usize]) -> Option<f64> {
        let pick = |values: &[usize]| -> Vec<usize> { drawn.iter().map(|&i| values[i]).collect() };
        let pick_numbers = |values: &[f64]| -> Vec<f64> { drawn.iter().map(|&i| values[i]).collect() };
        let needs = self.needs();
        let labels = predicted.labels.filter(|_| needs == Needs::Labels).map(pick);
        let rows = |values: Option<&Dense>, wanted: bool| values.filter(|_| wanted).map(|v| v.select(drawn));
        let decisions = rows(predicted.decisions, needs == Needs::Decisions);
        let wanted = needs == Needs::Probabilities || needs == Needs::Decisions && decisions.is_none();
        let probabilities = rows(predicted.probabilities, wanted);
        let numbers = predicted.numbers.filter(|_| needs == Needs::Numbers).map(pick_numbers);
        let predicted = Predicted {
            labels: labels.as_deref(),
            decisions: decisions.as_ref(),
            probabilities: probabilities.as_ref(),
            numbers: numbers.as_deref(),
        };
        let measured = match *truth {
            Truth::Classes { codes, classes } => {
                self.measure(&Truth::Classes { codes: &pick(codes), classes }, &predicted)
            }
            Truth::Numbers(y) => self.measure(&Truth::Numbers(&pick_numbers(y)), &predicted),
        };
        measured.ok()?.value()
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// As its name.
impl Serialize for Score {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

impl FromStr for Score {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let name = text.trim().to_lowercase().replace('_', "-");
        Score::named(&name).ok_or_else(|| {
            let names = || Score::ALL.iter().map(|s| s.name());
            let near = nearest(&name, names());
            let hint = near.first().map_or_else(String::new, |name| format!("; did you mean {name}?"));
            let all = names().collect::<Vec<_>>().join(", ");
            Error::param("score", format!("'{text}'"), &format!("one of {all}{hint}"))
        })
    }
}
