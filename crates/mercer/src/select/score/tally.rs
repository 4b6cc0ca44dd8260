//! Measures of predicted classes: accuracy, balanced accuracy, F1, Matthews; the confusion matrix.

use super::check::{self, NO_OBJECTS, ONE_CLASS};
use super::measured::Measured;
use crate::error::{Error, Result};

/// For every class, how often it is true, predicted, and both. All measures here follow from these counts.
struct Tally {
    objects: u64,
    truth: Vec<u64>,
    predicted: Vec<u64>,
    right: Vec<u64>,
}

impl Tally {
    fn new(truth: &[usize], predicted: &[usize], classes: usize) -> Result<Self> {
        check::same_length(truth.len(), predicted.len())?;
        check::codes(truth, classes)?;
        check::codes(predicted, classes)?;
        // No larger than needed for the codes that occur.
        let seen = truth.iter().chain(predicted).max().map_or(0, |&code| code + 1);
        let mut tally = Tally {
            objects: truth.len() as u64,
            truth: vec![0; seen],
            predicted: vec![0; seen],
            right: vec![0; seen],
        };
        for (&t, &p) in truth.iter().zip(predicted) {
            tally.truth[t] += 1;
            tally.predicted[p] += 1;
            tally.right[t] += u64::from(t == p);
        }
        Ok(tally)
    }

    /// 2 · right / (true + predicted); `None` where the class neither occurs nor is predicted.
    fn f1(&self, class: usize) -> Option<f64> {
        let at = |counts: &[u64]| counts.get(class).copied().unwrap_or(0);
        let both = at(&self.truth) + at(&self.predicted);
        (both > 0).then(|| 2.0 * at(&self.right) as f64 / both as f64)
    }

    fn classes(&self) -> std::ops::Range<usize> {
        0..self.truth.len()
    }
}

/// The share of objects whose class is predicted correctly.
///
/// ```
/// use mercer::select::{Measured, score};
/// assert_eq!(score::accuracy(&[0, 1, 1, 0], &[0, 1, 0, 0])?, Measured::Value(0.75));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn accuracy(truth: &[usize], predicted: &[usize]) -> Result<Measured> {
    check::same_length(truth.len(), predicted.len())?;
    if truth.is_empty() {
        return Ok(Measured::Undefined(NO_OBJECTS));
    }
    let right = truth.iter().zip(predicted).filter(|(t, p)| t == p).count();
    Ok(Measured::Value(right as f64 / truth.len() as f64))
}

/// The mean over the classes that occur of the share of members predicted correctly. `classes` bounds the codes.
///
/// ```
/// use mercer::select::{Measured, score};
/// assert_eq!(score::balanced_accuracy(&[0, 0, 0, 1], &[0, 0, 0, 0], 2)?, Measured::Value(0.5));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn balanced_accuracy(truth: &[usize], predicted: &[usize], classes: usize) -> Result<Measured> {
    let tally = Tally::new(truth, predicted, classes)?;
    let recalls: Vec<f64> = tally
        .classes()
        .filter(|&c| tally.truth[c] > 0)
        .map(|c| tally.right[c] as f64 / tally.truth[c] as f64)
        .collect();
    if recalls.is_empty() {
        return Ok(Measured::Undefined(NO_OBJECTS));
    }
    Ok(Measured::Value(recalls.iter().sum::<f64>() / recalls.len() as f64))
}

/// How F1 is averaged over classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Average {
    /// F1 of class 1 only, the positive one.
    Binary,
    /// The mean over classes that occur or are predicted.
    Macro,
    /// From counts summed over classes, which is the accuracy.
    Micro,
    /// The mean over classes weighted by how often they occur.
    Weighted,
}

/// F1 = 2 · TP / (2 · TP + FP + FN), the harmonic mean of precision and recall.
///
/// Undefined without objects; the binary one also when class 1 neither occurs nor is predicted.
///
/// ```
/// use mercer::select::{Measured, score::{self, Average}};
/// assert_eq!(score::f1(&[0, 1, 1, 1], &[1, 1, 0, 1], 2, Average::Binary)?, Measured::Value(2.0 / 3.0));
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// C. van Rijsbergen, *Information Retrieval*, 1979.
pub fn f1(truth: &[usize], predicted: &[usize], classes: usize, average: Average) -> Result<Measured> {
    let tally = Tally::new(truth, predicted, classes)?;
    if truth.is_empty() {
        return Ok(Measured::Undefined(NO_OBJECTS));
    }
    let value = match average {
        Average::Binary if classes != 2 => return Err(two_classes("f1", classes, "f1-macro")),
        Average::Binary => match tally.f1(1) {
            Some(value) => value,
            None => return Ok(Measured::Undefined("no object is positive and none is predicted positive")),
        },
        Average::Macro => {
            let known: Vec<f64> = tally.classes().filter_map(|c| tally.f1(c)).collect();
            known.iter().sum::<f64>() / known.len() as f64
        }
        Average::Micro => tally.right.iter().sum::<u64>() as f64 / tally.objects as f64,
        Average::Weighted => {
            let part = |c: usize| tally.f1(c).unwrap_or(0.0) * tally.truth[c] as f64;
            tally.classes().map(part).sum::<f64>() / tally.objects as f64
        }
    };
    Ok(Measured::Value(value))
}

/// The error when a two-class measure is used with another number of classes.
pub(super) fn two_classes(name: &str, classes: usize, instead: &str) -> Error {
    Error::usage(format!("{name} is for two classes and there are {classes}: use {instead}"))
}

/// Matthews' correlation of truth and prediction, for any number of classes:
/// (n · Σ right_k - Σ true_k predicted_k) / √((n² - Σ true_k²)(n² - Σ predicted_k²)).
///
/// 0 when all predictions are one class; undefined when the truth has one class only.
///
/// ```
/// use mercer::select::{Measured, score};
/// assert_eq!(score::matthews(&[0, 0, 1, 1], &[1, 1, 0, 0], 2)?, Measured::Value(-1.0));
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// J. Gorodkin, *Comparing two K-category assignments by a K-category correlation coefficient*, 2004.
pub fn matthews(truth: &[usize], predicted: &[usize], classes: usize) -> Result<Measured> {
    let tally = Tally::new(truth, predicted, classes)?;
    if truth.is_empty() {
        return Ok(Measured::Undefined(NO_OBJECTS));
    }
    // 128-bit integers: differences of products are exact.
    let n = i128::from(tally.objects);
    let products = |a: &[u64], b: &[u64]| -> i128 {
        a.iter().zip(b).map(|(&a, &b)| i128::from(a) * i128::from(b)).sum()
    };
    let right: i128 = tally.right.iter().map(|&r| i128::from(r)).sum();
    let truth_spread = n * n - products(&tally.truth, &tally.truth);
    let predicted_spread = n * n - products(&tally.predicted, &tally.predicted);
    if truth_spread == 0 {
        return Ok(Measured::Undefined(ONE_CLASS));
    }
    if predicted_spread == 0 {
        return Ok(Measured::Value(0.0));
    }
    let covariance = n * right - products(&tally.truth, &tally.predicted);
    let value = covariance as f64 / (truth_spread as f64 * predicted_spread as f64).sqrt();
    Ok(Measured::Value(value.clamp(-1.0, 1.0)))
}

/// The confusion matrix: how often each true class was predicted as each class.
///
/// ```
/// use mercer::select::score::Confusion;
/// let confusion = Confusion::new(&[0, 0, 1, 2], &[0, 1, 1, 1], 3)?;
/// assert_eq!(confusion.count(0, 1), 1);
/// assert_eq!(confusion.recall(0), Some(0.5));
/// assert_eq!(confusion.precision(2), None);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confusion {
    classes: usize,
    counts: Vec<u64>,
}

impl Confusion {
    /// The maximum number of classes.
    pub const MOST_CLASSES: usize = 4096;

    /// The matrix for codes below `classes`, of which there may be at most [`Confusion::MOST_CLASSES`].
    pub fn new(truth: &[usize], predicted: &[usize], classes: usize) -> Result<Self> {
        if classes > Self::MOST_CLASSES {
            return Err(Error::param("classes", classes, &format!("at most {}", Self::MOST_CLASSES)));
        }
        check::same_length(truth.len(), predicted.len())?;
        check::codes(truth, classes)?;
        check::codes(predicted, classes)?;
        let mut counts = vec![0; classes * classes];
        truth.iter().zip(predicted).for_each(|(t, p)| counts[t * classes + p] += 1);
        Ok(Confusion { classes, counts })
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The number of members of class `truth` that were predicted as `predicted`; 0 for codes outside the classes.
    pub fn count(&self, truth: usize, predicted: usize) -> u64 {
        if predicted >= self.classes {
            return 0;
        }
        self.counts.get(truth * self.classes + predicted).copied().unwrap_or(0)
    }

    /// The counts, one row per true class.
    pub fn rows(&self) -> impl Iterator<Item = &[u64]> {
        self.counts.chunks(self.classes.max(1))
    }

    /// The share of a class's members that are predicted correctly; `None` when it has no members.
    pub fn recall(&self, class: usize) -> Option<f64> {
        let all = (0..self.classes).map(|p| self.count(class, p)).sum::<u64>();
        (all > 0).then(|| self.count(class, class) as f64 / all as f64)
    }

    /// The share of predictions of a class that are correct; `None` when it is never predicted.
    pub fn precision(&self, class: usize) -> Option<f64> {
        let all = (0..self.classes).map(|t| self.count(t, class)).sum::<u64>();
        (all > 0).then(|| self.count(class, class) as f64 / all as f64)
    }
}
