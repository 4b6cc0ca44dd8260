//! The result of a test, and functions shared by tests.

use crate::error::{Error, Result};

/// Numbers closer than this, relative to the scores they come from, count as equal. Means over folds carry rounding
/// errors, and a difference in the last bit is neither a win nor a rank.
const ROUNDING: f64 = 1e-12;

/// The result of a statistical test. All tests are two-sided.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Test {
    /// The name of the test.
    pub name: &'static str,
    /// The value of its statistic; `None` where it is undefined.
    pub statistic: Option<f64>,
    /// Its degrees of freedom, if its distribution has any.
    pub degrees: Vec<f64>,
    /// The probability of a statistic at least as extreme under the null hypothesis; `None` where the test gives no
    /// result.
    pub p: Option<f64>,
    /// Whether p comes from the exact distribution rather than a large-sample approximation.
    pub exact: bool,
    /// The number of values used.
    pub n: usize,
    /// Whether the first of two has the larger scores, as weighted by the test; `None` when neither has, or there are
    /// more.
    pub first_larger: Option<bool>,
    /// A remark on a special case.
    pub remark: Option<&'static str>,
}

impl Test {
    pub(super) fn new(name: &'static str, n: usize, statistic: f64, p: f64) -> Self {
        Test {
            name,
            statistic: Some(statistic),
            degrees: Vec::new(),
            p: Some(p),
            exact: false,
            n,
            first_larger: None,
            remark: None,
        }
    }

    /// The result when there is no difference anywhere.
    pub(super) fn no_difference(name: &'static str, n: usize) -> Self {
        Test { remark: Some("there are no differences"), ..Test::new(name, n, 0.0, 1.0) }
    }

    /// A test that gives no p value.
    pub(super) fn inconclusive(name: &'static str, n: usize, remark: &'static str) -> Self {
        Test { statistic: None, p: None, remark: Some(remark), ..Test::new(name, n, 0.0, 1.0) }
    }

    /// The same test, with the direction given by the lead of the first.
    pub(super) fn with_lead(self, lead: f64) -> Self {
        Test { first_larger: (lead != 0.0).then_some(lead > 0.0), ..self }
    }

    /// The same test with degrees of freedom.
    pub(super) fn with_degrees(self, degrees: &[f64]) -> Self {
        Test { degrees: degrees.to_vec(), ..self }
    }
}

/// A difference a - b, and how much of it may be rounding error.
#[derive(Clone, Copy, Debug)]
pub(super) struct Difference {
    pub(super) value: f64,
    pub(super) tolerance: f64,
}

/// Paired differences a_i - b_i of finite scores; those within rounding are set to 0. Needs at least one pair.
pub(super) fn differences(a: &[f64], b: &[f64]) -> Result<Vec<Difference>> {
    if a.len() != b.len() {
        return Err(Error::Shape {
            expected: format!("{} paired scores", a.len()),
            found: b.len().to_string(),
        });
    }
    if a.is_empty() {
        return Err(Error::usage("there are no scores to compare"));
    }
    let pair = |(index, (&a, &b)): (usize, (&f64, &f64))| {
        let value = a - b;
        // Finite scores may have an infinite difference.
        if !a.is_finite() || !b.is_finite() || !value.is_finite() {
            let reason = format!("the scores {a} and {b} have no finite difference");
            return Err(Error::Object { index, reason, hint: None });
        }
        let tolerance = ROUNDING * a.abs().max(b.abs());
        Ok(Difference { value: if value.abs() <= tolerance { 0.0 } else { value }, tolerance })
    };
    a.iter().zip(b).enumerate().map(pair).collect()
}

/// Differences relative to the largest, so that squares neither overflow nor underflow, and the variance that rounding
/// alone can give them. `None` when all differences are 0.
pub(super) fn relative(differences: &[Difference]) -> Option<(Vec<f64>, f64)> {
    let largest = |of: fn(&Difference) -> f64| differences.iter().map(of).fold(0.0, f64::max);
    let unit = largest(|d| d.value.abs());
    let rounding = largest(|d| d.tolerance) / unit;
    (unit > 0.0).then(|| (differences.iter().map(|d| d.value / unit).collect(), rounding * rounding))
}

/// Ranks from 1, smallest first, of values with their rounding tolerance; ties share the mean of their ranks. Also
/// returns the sizes of the groups of ties.
pub(super) fn midranks(values: &[(f64, f64)]) -> (Vec<f64>, Vec<usize>) {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].0.total_cmp(&values[b].0));
    let equal = |a: usize, b: usize| {
        let tolerance = values[a].1.max(values[b].1);
        values[b].0 - values[a].0 <= tolerance
    };
    let mut ranks = vec![0.0; values.len()];
    let mut sizes = Vec::new();
    let mut before = 0;
    for run in order.chunk_by(|&a, &b| equal(a, b)) {
        // Ranks before + 1 … before + m have the mean before + (m + 1) / 2.
        let rank = before as f64 + (run.len() + 1) as f64 / 2.0;
        run.iter().for_each(|&i| ranks[i] = rank);
        sizes.push(run.len());
        before += run.len();
    }
    (ranks, sizes)
}

/// Ranks of one row of finite scores, 1 for the best.
pub(super) fn rank_scores(scores: &[f64], greater_is_better: bool) -> (Vec<f64>, Vec<usize>) {
    let sign = if greater_is_better { -1.0 } else { 1.0 };
    let values: Vec<(f64, f64)> = scores.iter().map(|s| (sign * s, ROUNDING * s.abs())).collect();
    midranks(&values)
}

/// How often a is larger than b, equal to b, and smaller than b.
///
/// ```
/// use mercer::select::compare;
/// let count = compare::wins_ties_losses(&[0.9, 0.8, 0.7], &[0.8, 0.8, 0.6])?;
/// assert_eq!((count.wins, count.ties, count.losses), (2, 1, 0));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn wins_ties_losses(a: &[f64], b: &[f64]) -> Result<WinsTiesLosses> {
    let differences = differences(a, b)?;
    let count = |what: fn(f64) -> bool| differences.iter().filter(|d| what(d.value)).count();
    Ok(WinsTiesLosses { wins: count(|d| d > 0.0), ties: count(|d| d == 0.0), losses: count(|d| d < 0.0) })
}

/// How often one method was better than another, equal, and worse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct WinsTiesLosses {
    /// Better.
    pub wins: usize,
    /// Equal, up to rounding.
    pub ties: usize,
    /// Worse.
    pub losses: usize,
}
