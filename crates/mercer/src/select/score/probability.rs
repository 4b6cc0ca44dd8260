//! Measures of predicted probabilities: log loss, Brier, calibration.

use super::check::{self, NO_OBJECTS};
use super::interval::{Interval, wilson};
use super::measured::Measured;
use crate::data::Dense;
use crate::error::{Error, Result};

/// Tolerance of row sums around 1; single-precision probabilities need it.
const SUM_TOLERANCE: f64 = 1e-5;

/// Fails unless rows are distributions over the classes; with two classes, a single column P(class 1) is enough.
fn check_distributions(truth: &[usize], p: &Dense, classes: usize) -> Result<()> {
    check::same_length(truth.len(), p.rows())?;
    check::codes(truth, classes)?;
    let short = classes == 2 && p.cols() == 1;
    if classes < 2 || (p.cols() != classes && !short) {
        return Err(Error::Shape {
            expected: format!(
                "a column of probabilities for each of at least 2 classes (there are {classes})"
            ),
            found: format!("{} columns", p.cols()),
        });
    }
    for index in 0..p.rows() {
        let row = p.row(index);
        let bad = row.iter().find(|v| !(0.0..=1.0).contains(*v));
        let sum: f64 = row.iter().sum();
        let reason = match bad {
            Some(value) => format!("the probability {value} is not between 0 and 1"),
            None if !short && (sum - 1.0).abs() > SUM_TOLERANCE => format!("the probabilities sum to {sum}"),
            None => continue,
        };
        return Err(Error::Object { index, reason, hint: None });
    }
    Ok(())
}

/// P(class) in row i, from a single column or one per class.
fn probability(p: &Dense, i: usize, class: usize) -> f64 {
    match p.row(i) {
        [one] => {
            if class == 1 {
                *one
            } else {
                1.0 - one
            }
        }
        row => row[class],
    }
}

/// The log loss -Σ ln p(i, y_i) / n, in nats; 0 is best. Probabilities below 2⁻⁵² are raised to it, so that the value
/// is finite.
///
/// `p` has one column per class, or with two classes only P(class 1).
///
/// ```
/// use mercer::{data::Dense, select::{Measured, score}};
/// let p = Dense::from_rows(&[[0.5, 0.5], [0.0, 1.0]]);
/// assert_eq!(score::log_loss(&[0, 1], &p, 2)?, Measured::Value(0.5 * 2f64.ln()));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn log_loss(truth: &[usize], p: &Dense, classes: usize) -> Result<Measured> {
    check_distributions(truth, p, classes)?;
    if truth.is_empty() {
        return Ok(Measured::Undefined(NO_OBJECTS));
    }
    let loss = |(i, &class): (usize, &usize)| -probability(p, i, class).max(f64::EPSILON).ln();
    let sum: f64 = truth.iter().enumerate().map(loss).sum();
    // -ln 1 is -0.
    Ok(Measured::Value((sum / truth.len() as f64).abs()))
}

/// The Brier score; 0 is best. For two classes Σ (p_i - y_i)² / n with p = P(class 1), at most 1; for more the sum over
/// all classes, Σ Σ (p_ic - [y_i = c])² / n, at most 2.
///
/// ```
/// use mercer::{data::Dense, select::{Measured, score}};
/// let p = Dense::from_rows(&[[0.5, 0.5], [0.0, 1.0]]);
/// assert_eq!(score::brier(&[0, 1], &p, 2)?, Measured::Value(0.125));
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// G. Brier, *Verification of forecasts expressed in terms of probability*, Monthly Weather Review 78 (1950).
pub fn brier(truth: &[usize], p: &Dense, classes: usize) -> Result<Measured> {
    check_distributions(truth, p, classes)?;
    if truth.is_empty() {
        return Ok(Measured::Undefined(NO_OBJECTS));
    }
    let first = if classes == 2 { 1 } else { 0 };
    let mut sum = 0.0;
    for (i, &own) in truth.iter().enumerate() {
        for class in first..classes {
            let gap = probability(p, i, class) - f64::from(u8::from(class == own));
            sum += gap * gap;
        }
    }
    Ok(Measured::Value(sum / truth.len() as f64))
}

/// How calibration bins are formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binning {
    /// Bins of equal width in probability, each including its lower edge.
    Width,
    /// Bins of about equal numbers of objects; equal probabilities stay together.
    Count,
}

/// A bin of objects with similar predicted probability.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct CalibrationBin {
    /// The number of objects.
    pub count: usize,
    /// The mean of their predicted probabilities.
    pub predicted: f64,
    /// The share of objects that are positive.
    pub observed: f64,
    /// Wilson's 95 % interval of that share.
    pub interval: Interval,
}

/// How well predicted probabilities agree with observed frequencies.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Calibration {
    /// The non-empty bins, by ascending probability.
    pub bins: Vec<CalibrationBin>,
    /// Σ count · |predicted - observed| / n.
    pub expected_error: f64,
    /// max |predicted - observed|.
    pub largest_error: f64,
}

/// Predicted probabilities vs. observed frequencies, in at least 1 bin.
///
/// ```
/// use mercer::select::score::{self, Binning};
/// let truth = [false, false, true, true];
/// let table = score::calibration(&truth, &[0.1, 0.3, 0.7, 0.9], 2, Binning::Width)?.value().unwrap();
/// assert_eq!(table.bins.len(), 2);
/// assert!((table.expected_error - 0.2).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// M. Naeini, G. Cooper and M. Hauskrecht, *Obtaining well calibrated probabilities using Bayesian binning*, AAAI 2015.
pub fn calibration(
    truth: &[bool],
    p: &[f64],
    bins: usize,
    binning: Binning,
) -> Result<Measured<Calibration>> {
    check::same_length(truth.len(), p.len())?;
    if !(1..=100_000).contains(&bins) {
        return Err(Error::param("bins", bins, "from 1 to 100000"));
    }
    if let Some(index) = p.iter().position(|v| !(0.0..=1.0).contains(v)) {
        let reason = format!("the probability {} is not between 0 and 1", p[index]);
        return Err(Error::Object { index, reason, hint: None });
    }
    if p.is_empty() {
        return Ok(Measured::Undefined(NO_OBJECTS));
    }
    let n = p.len();
    let mut order: Vec<(f64, bool)> = p.iter().copied().zip(truth.iter().copied()).collect();
    order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut out = Calibration { bins: Vec::new(), expected_error: 0.0, largest_error: 0.0 };
    let bin = |at: usize| match binning {
        Binning::Width => ((order[at].0 * bins as f64) as usize).min(bins - 1),
        // Determined by the first object of that probability.
        Binning::Count => order.partition_point(|(v, _)| *v < order[at].0) * bins / n,
    };
    let numbers: Vec<usize> = (0..n).map(bin).collect();
    let mut start = 0;
    for run in numbers.chunk_by(|a, b| a == b) {
        let members = &order[start..start + run.len()];
        start += run.len();
        let count = members.len();
        let predicted = members.iter().map(|(p, _)| p).sum::<f64>() / count as f64;
        let positive = members.iter().filter(|(_, positive)| *positive).count();
        let observed = positive as f64 / count as f64;
        let gap = (predicted - observed).abs();
        out.expected_error += gap * count as f64 / n as f64;
        out.largest_error = out.largest_error.max(gap);
        if let Measured::Value(interval) = wilson(positive as u64, count as u64, 0.95)? {
            out.bins.push(CalibrationBin { count, predicted, observed, interval });
        }
    }
    Ok(Measured::Value(out))
}
