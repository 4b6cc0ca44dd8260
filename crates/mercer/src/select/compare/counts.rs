//! Tests based on counts: the sign test and McNemar's.

use super::test::{Test, wins_ties_losses};
use crate::error::{Error, Result};
use crate::select::distribution::coin_two_sided;

/// The sign test: under the null hypothesis, wins among n differing pairs are distributed as heads of n fair coins.
/// Exact; ties are left out.
///
/// The statistic is the number of wins of a.
///
/// ```
/// use mercer::select::compare;
/// let test = compare::sign_test(&[0.9, 0.8, 0.7, 0.9, 0.6], &[0.8, 0.7, 0.6, 0.8, 0.5])?;
/// assert!((test.p.unwrap() - 0.0625).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// W. Dixon and A. Mood, *The statistical sign test*, JASA 41 (1946).
pub fn sign_test(a: &[f64], b: &[f64]) -> Result<Test> {
    let count = wins_ties_losses(a, b)?;
    Ok(coins("sign test", count.wins, count.losses))
}

/// McNemar's test in its exact form. It uses the objects that exactly one of two classifiers gets right. Under the null
/// hypothesis, the number that each gets right is distributed as heads of fair coins.
///
/// The statistic is the number of objects that only a gets right.
///
/// ```
/// use mercer::select::compare;
/// let truth = [0, 0, 1, 1, 1];
/// let test = compare::mcnemar(&truth, &[0, 0, 1, 1, 0], &[1, 1, 0, 1, 0])?;
/// assert_eq!(test.n, 3);
/// assert!((test.p.unwrap() - 0.25).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// Q. McNemar, *Note on the sampling error of the difference between correlated proportions*, Psychometrika 12 (1947).
pub fn mcnemar(truth: &[usize], a: &[usize], b: &[usize]) -> Result<Test> {
    if truth.len() != a.len() || truth.len() != b.len() {
        return Err(Error::Shape {
            expected: format!("{} predictions of each", truth.len()),
            found: format!("{} and {}", a.len(), b.len()),
        });
    }
    if truth.is_empty() {
        return Err(Error::usage("there are no predictions to compare"));
    }
    let only = |own: &[usize], other: &[usize]| {
        (0..truth.len()).filter(|&i| own[i] == truth[i] && other[i] != truth[i]).count()
    };
    Ok(coins("McNemar, exact", only(a, b), only(b, a)))
}

fn coins(name: &'static str, heads: usize, tails: usize) -> Test {
    let n = heads + tails;
    if n == 0 {
        return Test { exact: true, ..Test::no_difference(name, 0) };
    }
    let p = coin_two_sided(heads as u64, n as u64);
    Test { exact: true, ..Test::new(name, n, heads as f64, p) }.with_lead(heads as f64 - tails as f64)
}
