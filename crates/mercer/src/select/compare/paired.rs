//! Tests on differences of scores from the same folds: paired t, corrected resampled t, the 5×2cv tests, DeLong's.

use super::test::{Test, differences, relative};
use crate::error::{Error, Result};
use crate::select::distribution::{fisher_upper, normal_two_sided, student_two_sided};
use crate::select::score::{Placements, check_ratio, covariance};

const NO_VARIANCE: &str = "the differences are all the same, so their variance is 0";

/// The paired t test: mean / √(s² / n) of the differences, n - 1 degrees of freedom.
///
/// It assumes independent differences. Folds with overlapping training sets violate this, and the test then finds
/// differences where there are none. [`corrected_t`] accounts for that.
///
/// ```
/// use mercer::select::compare;
/// let test = compare::paired_t(&[0.9, 0.8, 0.7], &[0.8, 0.6, 0.6])?;
/// assert_eq!(test.degrees, [2.0]);
/// assert!((test.statistic.unwrap() - 4.0).abs() < 1e-9);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// Student, *The probable error of a mean*, Biometrika 6 (1908).
pub fn paired_t(a: &[f64], b: &[f64]) -> Result<Test> {
    resampled("paired t", a, b, 0.0)
}

/// The corrected resampled t test: mean / √((1/J + n₂/n₁) · s²) of the J differences, J - 1 degrees of freedom.
///
/// `test_per_train` is n₂/n₁, test objects per training object ([`Splits::test_per_train`](crate::select::Splits)).
///
/// ```
/// use mercer::select::compare;
/// let (a, b) = ([0.9, 0.8, 0.7], [0.8, 0.6, 0.6]);
/// let test = compare::corrected_t(&a, &b, 0.5)?;
/// assert!(test.p > compare::paired_t(&a, &b)?.p);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// C. Nadeau and Y. Bengio, *Inference for the generalization error*, Machine Learning 52 (2003).
pub fn corrected_t(a: &[f64], b: &[f64], test_per_train: f64) -> Result<Test> {
    check_ratio(test_per_train)?;
    resampled("corrected resampled t", a, b, test_per_train)
}

fn resampled(name: &'static str, a: &[f64], b: &[f64], ratio: f64) -> Result<Test> {
    let n = a.len();
    let Some((d, rounding)) = relative(&differences(a, b)?) else {
        return Ok(Test::no_difference(name, n));
    };
    if n < 2 {
        return Ok(Test::inconclusive(name, n, "one pair of scores has no variance"));
    }
    let mean = d.iter().sum::<f64>() / n as f64;
    let spread = covariance(&d, &d);
    if spread <= rounding {
        return Ok(Test::inconclusive(name, n, NO_VARIANCE));
    }
    let t = mean / ((1.0 / n as f64 + ratio) * spread).sqrt();
    let degrees = (n - 1) as f64;
    Ok(Test::new(name, n, t, student_two_sided(t, degrees)).with_degrees(&[degrees]).with_lead(mean))
}

/// The differences of five repetitions of two folds, relative to the largest, and Σ s_i².
struct FiveByTwo {
    d: Vec<f64>,
    /// `None` when it is due to rounding only.
    variances: Option<f64>,
}

impl FiveByTwo {
    /// `None` when all differences are 0.
    fn new(a: &[f64], b: &[f64]) -> Result<Option<Self>> {
        let differences = differences(a, b)?;
        if differences.len() != 10 {
            return Err(Error::Shape {
                expected: "ten scores: five repetitions of two folds, repetition by repetition".into(),
                found: differences.len().to_string(),
            });
        }
        Ok(relative(&differences).map(|(d, rounding)| {
            // For two values, (x - m)² + (y - m)² = (x - y)² / 2.
            let sum = d.chunks(2).map(|two| (two[0] - two[1]) * (two[0] - two[1]) / 2.0).sum();
            FiveByTwo { d, variances: Some(sum).filter(|&sum: &f64| sum > rounding) }
        }))
    }
}

/// Dietterich's 5×2cv paired t test: t = p₁⁽¹⁾ / √(Σ s_i² / 5), 5 degrees of freedom, where p_i⁽ʲ⁾ is the difference in
/// fold j of repetition i and s_i² the variance of repetition i.
///
/// Scores are ordered by repetition. [`five_by_two_f`] uses all ten differences instead of the first.
///
/// ```
/// use mercer::select::compare;
/// let a = [0.91, 0.92, 0.90, 0.93, 0.92, 0.91, 0.94, 0.90, 0.92, 0.93];
/// let b = [0.88, 0.90, 0.89, 0.88, 0.90, 0.87, 0.91, 0.88, 0.89, 0.90];
/// assert_eq!(compare::five_by_two_t(&a, &b)?.degrees, [5.0]);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// T. Dietterich, *Approximate statistical tests for comparing supervised classification learning algorithms*, Neural
/// Computation 10 (1998).
pub fn five_by_two_t(a: &[f64], b: &[f64]) -> Result<Test> {
    const NAME: &str = "5×2cv t";
    let Some(five) = FiveByTwo::new(a, b)? else { return Ok(Test::no_difference(NAME, 10)) };
    let Some(variances) = five.variances else { return Ok(Test::inconclusive(NAME, 10, NO_VARIANCE)) };
    let t = five.d[0] / (variances / 5.0).sqrt();
    Ok(Test::new(NAME, 10, t, student_two_sided(t, 5.0)).with_degrees(&[5.0]).with_lead(t))
}

/// Alpaydin's combined 5×2cv F test: F = Σ Σ (p_i⁽ʲ⁾)² / (2 Σ s_i²) with 10 and 5 degrees of freedom; its 5 % point is
/// 4.74.
///
/// Scores are ordered by repetition.
///
/// ```
/// use mercer::select::compare;
/// let a = [0.91, 0.92, 0.90, 0.93, 0.92, 0.91, 0.94, 0.90, 0.92, 0.93];
/// let b = [0.88, 0.90, 0.89, 0.88, 0.90, 0.87, 0.91, 0.88, 0.89, 0.90];
/// assert_eq!(compare::five_by_two_f(&a, &b)?.degrees, [10.0, 5.0]);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// E. Alpaydin, *Combined 5 × 2 cv F test for comparing supervised classification learning algorithms*, Neural
/// Computation 11 (1999).
pub fn five_by_two_f(a: &[f64], b: &[f64]) -> Result<Test> {
    const NAME: &str = "combined 5×2cv F";
    let Some(five) = FiveByTwo::new(a, b)? else { return Ok(Test::no_difference(NAME, 10)) };
    let Some(variances) = five.variances else { return Ok(Test::inconclusive(NAME, 10, NO_VARIANCE)) };
    let f = five.d.iter().map(|d| d * d).sum::<f64>() / (2.0 * variances);
    let lead = five.d.iter().sum();
    Ok(Test::new(NAME, 10, f, fisher_upper(f, 10.0, 5.0)).with_degrees(&[10.0, 5.0]).with_lead(lead))
}

/// DeLong's test of two areas under the ROC curve on the same objects: z = (A - B) / √(variance of the difference).
///
/// ```
/// use mercer::select::compare;
/// let truth = [true, true, true, false, false, false];
/// let (a, b) = ([0.9, 0.8, 0.4, 0.5, 0.2, 0.1], [0.6, 0.3, 0.4, 0.5, 0.2, 0.7]);
/// assert!(compare::delong_test(&truth, &a, &b)?.statistic.unwrap() > 0.0);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// E. DeLong, D. DeLong and D. Clarke-Pearson, Biometrics 44 (1988).
pub fn delong_test(truth: &[bool], a: &[f64], b: &[f64]) -> Result<Test> {
    const NAME: &str = "DeLong";
    let (n, a, b) = (truth.len(), Placements::new(truth, a)?, Placements::new(truth, b)?);
    if a.positive.len() < 2 || a.negative.len() < 2 {
        return Ok(Test::inconclusive(NAME, n, "a class has fewer than two members"));
    }
    let gaps = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<f64>>();
    let (positive, negative) = (gaps(&a.positive, &b.positive), gaps(&a.negative, &b.negative));
    let area = positive.iter().sum::<f64>() / positive.len() as f64;
    let spread = |v: &[f64]| covariance(v, v) / v.len() as f64;
    let variance = spread(&positive) + spread(&negative);
    if variance <= 1e-24 {
        return Ok(if area.abs() <= 1e-12 {
            Test::no_difference(NAME, n)
        } else {
            Test::inconclusive(NAME, n, NO_VARIANCE)
        });
    }
    let z = area / variance.sqrt();
    Ok(Test::new(NAME, n, z, normal_two_sided(z)).with_lead(z))
}
