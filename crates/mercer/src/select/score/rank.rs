//! Measures of rankings: the area under the ROC curve, average precision; and the two curves.

use super::check::{self, NO_POSITIVE, ONE_CLASS};
use super::measured::Measured;
use crate::error::Result;

/// The counts of objects at or above one of the distinct decision values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Level {
    pub(super) threshold: f64,
    /// Positive objects at or above it.
    pub(super) positives: u64,
    /// Negative objects at or above it.
    pub(super) negatives: u64,
}

/// The distinct decision values, largest first, with the number of objects that reach them. Equal decision values form
/// one level, so that the order of the objects does not matter. Time O(n log n).
pub(super) fn levels(truth: &[bool], decisions: &[f64]) -> Result<Vec<Level>> {
    check::same_length(truth.len(), decisions.len())?;
    check::finite(decisions, "decision value")?;
    let mut order: Vec<(f64, bool)> = decisions.iter().copied().zip(truth.iter().copied()).collect();
    order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    let mut levels: Vec<Level> = Vec::new();
    let (mut positives, mut negatives) = (0, 0);
    for run in order.chunk_by(|a, b| a.0 == b.0) {
        let here = run.iter().filter(|(_, positive)| *positive).count() as u64;
        positives += here;
        negatives += run.len() as u64 - here;
        levels.push(Level { threshold: run[0].0, positives, negatives });
    }
    Ok(levels)
}

/// The total numbers of positive and negative objects.
fn totals(levels: &[Level]) -> (u64, u64) {
    levels.last().map_or((0, 0), |last| (last.positives, last.negatives))
}

/// The area under the ROC curve: the probability that a positive object has a larger decision value than a negative
/// one, a tie counting half.
///
/// Undefined unless both classes occur. Time O(n log n).
///
/// ```
/// use mercer::select::{Measured, score};
/// let area = score::auc(&[false, false, true, true], &[0.1, 0.4, 0.4, 0.8])?;
/// assert_eq!(area, Measured::Value(0.875));
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// J. Hanley and B. McNeil, *The meaning and use of the area under a ROC curve*, Radiology 143 (1982).
pub fn auc(truth: &[bool], decisions: &[f64]) -> Result<Measured> {
    Ok(area(&levels(truth, decisions)?))
}

fn area(levels: &[Level]) -> Measured {
    let (positives, negatives) = totals(levels);
    if positives == 0 || negatives == 0 {
        return Measured::Undefined(ONE_CLASS);
    }
    // Twice the number of correctly ordered pairs, as an integer.
    let mut twice = 0u128;
    let mut before = Level { threshold: 0.0, positives: 0, negatives: 0 };
    for level in levels {
        let negatives_here = u128::from(level.negatives - before.negatives);
        twice += negatives_here * u128::from(before.positives + level.positives);
        before = *level;
    }
    Measured::Value(twice as f64 / (2.0 * positives as f64 * negatives as f64))
}

/// How average precision treats the precision between levels of recall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpolation {
    /// None: Σ (R_i - R_{i-1}) · P_i over the distinct decision values, largest first.
    None,
    /// Precision at recall r is the largest at any recall of at least r, summed over all levels: Σ (R_i - R_{i-1}) ·
    /// max_{j ≥ i} P_j.
    AllPoints,
    /// The mean of that precision at the recalls 0, 0.1, …, 1.
    ElevenPoints,
}

/// Average precision: the area under the precision–recall curve, with or without interpolation.
///
/// Undefined when no object is positive. Time O(n log n).
///
/// ```
/// use mercer::select::{Measured, score::{self, Interpolation}};
/// let (truth, decisions) = ([true, false, true, true], [0.9, 0.8, 0.7, 0.6]);
/// let plain = score::average_precision(&truth, &decisions, Interpolation::None)?;
/// assert_eq!(plain, Measured::Value((1.0 + 2.0 / 3.0 + 3.0 / 4.0) / 3.0));
/// let smoothed = score::average_precision(&truth, &decisions, Interpolation::AllPoints)?;
/// assert_eq!(smoothed, Measured::Value((1.0 + 3.0 / 4.0 + 3.0 / 4.0) / 3.0));
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// C. Manning, P. Raghavan and H. Schütze, *Introduction to Information Retrieval*, 2008, chapter 8; M. Everingham et
/// al., *The Pascal visual object classes challenge*, IJCV 88 (2010), which uses eleven points until 2009, all since.
pub fn average_precision(truth: &[bool], decisions: &[f64], how: Interpolation) -> Result<Measured> {
    Ok(precision(&levels(truth, decisions)?, how))
}

fn precision(levels: &[Level], how: Interpolation) -> Measured {
    let (positives, _) = totals(levels);
    if positives == 0 {
        return Measured::Undefined(NO_POSITIVE);
    }
    let plain = |level: &Level| level.positives as f64 / (level.positives + level.negatives) as f64;
    let mut heights: Vec<f64> = levels.iter().map(plain).collect();
    if how != Interpolation::None {
        for i in (1..heights.len()).rev() {
            heights[i - 1] = heights[i - 1].max(heights[i]);
        }
    }
    if how == Interpolation::ElevenPoints {
        // The first level whose recall reaches point / 10, compared in integers.
        let at = |point: u64| levels.partition_point(|l| 10 * l.positives < point * positives);
        return Measured::Value((0..=10).map(|point| heights[at(point)]).sum::<f64>() / 11.0);
    }
    let mut sum = 0.0;
    let mut before = 0;
    for (level, height) in levels.iter().zip(heights) {
        sum += (level.positives - before) as f64 * height;
        before = level.positives;
    }
    Measured::Value(sum / positives as f64)
}

/// A point of a ROC or precision–recall curve.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct CurvePoint {
    /// The false positive rate, or the recall.
    pub x: f64,
    /// The true positive rate, or the precision.
    pub y: f64,
    /// Objects at or above this decision value are classified as positive; `None` where none is.
    pub threshold: Option<f64>,
}

/// The ROC curve: true against false positive rate, from (0, 0) to (1, 1), one point per distinct decision value.
///
/// ```
/// use mercer::select::score;
/// let curve = score::roc_curve(&[false, true], &[0.1, 0.8])?.value().unwrap();
/// let points: Vec<_> = curve.iter().map(|p| (p.x, p.y)).collect();
/// assert_eq!(points, [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0)]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn roc_curve(truth: &[bool], decisions: &[f64]) -> Result<Measured<Vec<CurvePoint>>> {
    let levels = levels(truth, decisions)?;
    let (positives, negatives) = totals(&levels);
    if positives == 0 || negatives == 0 {
        return Ok(Measured::Undefined(ONE_CLASS));
    }
    let point = |l: &Level| CurvePoint {
        x: l.negatives as f64 / negatives as f64,
        y: l.positives as f64 / positives as f64,
        threshold: Some(l.threshold),
    };
    let start = CurvePoint { x: 0.0, y: 0.0, threshold: None };
    Ok(Measured::Value(std::iter::once(start).chain(levels.iter().map(point)).collect()))
}

/// The precision–recall curve, one point per distinct decision value, largest first: recall increases along it.
///
/// ```
/// use mercer::select::score;
/// let curve = score::precision_recall_curve(&[false, true], &[0.1, 0.8])?.value().unwrap();
/// let points: Vec<_> = curve.iter().map(|p| (p.x, p.y)).collect();
/// assert_eq!(points, [(1.0, 1.0), (1.0, 0.5)]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn precision_recall_curve(truth: &[bool], decisions: &[f64]) -> Result<Measured<Vec<CurvePoint>>> {
    let levels = levels(truth, decisions)?;
    let (positives, _) = totals(&levels);
    if positives == 0 {
        return Ok(Measured::Undefined(NO_POSITIVE));
    }
    let point = |l: &Level| CurvePoint {
        x: l.positives as f64 / positives as f64,
        y: l.positives as f64 / (l.positives + l.negatives) as f64,
        threshold: Some(l.threshold),
    };
    Ok(Measured::Value(levels.iter().map(point).collect()))
}
