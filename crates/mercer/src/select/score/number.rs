//! Measures of predicted numbers.

use super::check::{self, NO_OBJECTS};
use super::measured::Measured;
use crate::error::Result;

/// Both lists divided by a power of two that makes the largest value about 1, and that power. Sums of squares then
/// neither overflow nor underflow, and every division is exact.
fn scaled(truth: &[f64], predicted: &[f64]) -> Result<(Vec<f64>, Vec<f64>, f64)> {
    check::same_length(truth.len(), predicted.len())?;
    check::finite(truth, "true value")?;
    check::finite(predicted, "prediction")?;
    let largest = truth.iter().chain(predicted).fold(0.0, |m: f64, v| m.max(v.abs()));
    // Beyond ±1020 the power or its inverse would leave the range of normal numbers.
    let exponent = if largest > 0.0 { largest.log2().floor().clamp(-1020.0, 1020.0) } else { 0.0 };
    let unit = exponent.exp2();
    let shrink = |values: &[f64]| values.iter().map(|v| v / unit).collect();
    Ok((shrink(truth), shrink(predicted), unit))
}

/// The mean absolute error, Σ |y_i - ŷ_i| / n.
///
/// ```
/// use mercer::select::{Measured, score};
/// assert_eq!(score::mae(&[1.0, 2.0], &[1.5, 4.0])?, Measured::Value(1.25));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn mae(truth: &[f64], predicted: &[f64]) -> Result<Measured> {
    let (y, f, unit) = scaled(truth, predicted)?;
    if y.is_empty() {
        return Ok(Measured::Undefined(NO_OBJECTS));
    }
    let sum: f64 = y.iter().zip(&f).map(|(y, f)| (y - f).abs()).sum();
    Ok(Measured::finite(sum / y.len() as f64 * unit))
}

/// The root mean squared error, √(Σ (y_i - ŷ_i)² / n).
///
/// ```
/// use mercer::select::{Measured, score};
/// assert_eq!(score::rmse(&[1.0, 2.0], &[4.0, 6.0])?, Measured::Value(12.5f64.sqrt()));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn rmse(truth: &[f64], predicted: &[f64]) -> Result<Measured> {
    let (y, f, unit) = scaled(truth, predicted)?;
    if y.is_empty() {
        return Ok(Measured::Undefined(NO_OBJECTS));
    }
    let sum: f64 = y.iter().zip(&f).map(|(y, f)| (y - f) * (y - f)).sum();
    Ok(Measured::finite((sum / y.len() as f64).sqrt() * unit))
}

/// The share of variance explained, 1 - Σ (y_i - ŷ_i)² / Σ (y_i - ȳ)²; below 0 when the mean would predict better.
///
/// Undefined when the truth is constant.
///
/// ```
/// use mercer::select::{Measured, score};
/// assert_eq!(score::r2(&[1.0, 2.0, 3.0], &[1.0, 2.0, 2.0])?, Measured::Value(0.5));
/// assert!(score::r2(&[1.0, 1.0], &[1.0, 1.0])?.value().is_none());
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn r2(truth: &[f64], predicted: &[f64]) -> Result<Measured> {
    let (y, f, _) = scaled(truth, predicted)?;
    if y.is_empty() {
        return Ok(Measured::Undefined(NO_OBJECTS));
    }
    if y.iter().all(|v| *v == y[0]) {
        return Ok(Measured::Undefined("the truth is constant"));
    }
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    let around: f64 = y.iter().map(|y| (y - mean) * (y - mean)).sum();
    let error: f64 = y.iter().zip(&f).map(|(y, f)| (y - f) * (y - f)).sum();
    if around <= 0.0 {
        return Ok(Measured::Undefined("the truth varies too little compared with the predictions"));
    }
    Ok(Measured::finite(1.0 - error / around))
}
