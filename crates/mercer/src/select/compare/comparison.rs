//! Scores of methods on data sets.

use std::collections::{BTreeMap, HashSet};

use super::test::{Test, rank_scores};
use crate::error::{Error, Result};
use crate::select::split::{Protocol, Splits};

/// Scores of methods on data sets, fold by fold, for testing and display.
///
/// All methods must have been evaluated on the same folds: differences are taken fold by fold. A fold whose score is
/// undefined is `None` and is left out of comparisons.
///
/// ```
/// use mercer::select::{Comparison, compare::ComparisonSettings};
/// let mut table = Comparison::new("accuracy", true, &["rbf", "linear"], &["iris"])?;
/// table.set(0, 0, &[Some(0.96), Some(0.94), Some(0.98)])?;
/// table.set(1, 0, &[Some(0.96), Some(0.92), Some(0.90)])?;
/// let tests = table.test(&ComparisonSettings::default())?;
/// assert!(tests.pairs[0].sentence.starts_with("no significant difference between rbf and linear"));
/// println!("{}", tests.text());
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    pub(super) score: String,
    pub(super) greater_is_better: bool,
    pub(super) methods: Vec<String>,
    pub(super) data: Vec<String>,
    /// Ordered by method, then by data set.
    scores: Vec<Vec<Option<f64>>>,
    pub(super) protocol: Option<Protocol>,
    pub(super) test_per_train: Option<f64>,
    /// Tests of pairs computed elsewhere: on the objects of one split.
    tests: BTreeMap<(usize, usize), Test>,
}

impl Comparison {
    /// A table without scores yet. Method names must differ, and so must data set names; there must be at least one of
    /// each.
    pub fn new(
        score: &str,
        greater_is_better: bool,
        methods: &[impl AsRef<str>],
        data: &[impl AsRef<str>],
    ) -> Result<Self> {
        let (methods, data) = (distinct("method", methods)?, distinct("data set", data)?);
        let scores = vec![Vec::new(); methods.len() * data.len()];
        let score = score.to_owned();
        Ok(Comparison {
            score,
            greater_is_better,
            methods,
            data,
            scores,
            protocol: None,
            test_per_train: None,
            tests: BTreeMap::new(),
        })
    }

    /// The same table with the protocol of the folds, which determines the tests on one data set.
    #[must_use]
    pub fn with_protocol(mut self, protocol: Protocol, splits: &Splits) -> Self {
        self.protocol = Some(protocol);
        self.test_per_train = Some(splits.test_per_train());
        self
    }

    /// Stores the scores of a method on a data set: finite numbers, one per fold in fold order. All methods must have
    /// the same number of folds on a data set.
    pub fn set(&mut self, method: usize, data: usize, scores: &[Option<f64>]) -> Result<()> {
        let within = |name, value, limit| {
            if value < limit { Ok(()) } else { Err(Error::param(name, value, &format!("below {limit}"))) }
        };
        within("method", method, self.methods.len())?;
        within("data", data, self.data.len())?;
        if let Some(index) = scores.iter().position(|s| s.is_some_and(|s| !s.is_finite())) {
            let reason =
                format!("the score of {} on {} is not finite", self.methods[method], self.data[data]);
            return Err(Error::Object { index, reason, hint: None });
        }
        let others = (0..self.methods.len()).filter(|&m| m != method).map(|m| self.scores(m, data).len());
        if let Some(folds) = others.into_iter().find(|&len| len > 0 && len != scores.len()) {
            return Err(Error::Shape {
                expected: format!(
                    "scores of {folds} folds, as the other methods have on {}",
                    self.data[data]
                ),
                found: scores.len().to_string(),
            });
        }
        let at = method * self.data.len() + data;
        self.scores[at] = scores.to_vec();
        Ok(())
    }

    /// Stores a test of the first method against the second, for use where the scores cannot be tested.
    pub(super) fn set_test(&mut self, a: usize, b: usize, test: Test) {
        self.tests.insert((a, b), test);
    }

    /// The stored test of two methods, with the direction seen from the first.
    pub(super) fn stored_test(&self, a: usize, b: usize) -> Option<Test> {
        let reversed =
            |test: &Test| Test { first_larger: test.first_larger.map(|first| !first), ..test.clone() };
        self.tests.get(&(a, b)).cloned().or_else(|| self.tests.get(&(b, a)).map(reversed))
    }

    /// The methods.
    pub fn methods(&self) -> &[String] {
        &self.methods
    }

    /// The data sets.
    pub fn data_sets(&self) -> &[String] {
        &self.data
    }

    /// The scores of a method on a data set, fold by fold; empty for indices outside the table.
    pub fn scores(&self, method: usize, data: usize) -> &[Option<f64>] {
        if method >= self.methods.len() || data >= self.data.len() {
            return &[];
        }
        &self.scores[method * self.data.len() + data]
    }

    /// The mean over the folds with a score; `None` when no fold has one.
    pub fn mean(&self, method: usize, data: usize) -> Option<f64> {
        mean(&self.known(method, data))
    }

    /// The standard deviation over the folds with a score, with n - 1 in the denominator; `None` for fewer than two.
    pub fn sd(&self, method: usize, data: usize) -> Option<f64> {
        let values = self.known(method, data);
        let mean = mean(&values)?;
        if values.len() < 2 {
            return None;
        }
        let unit = values.iter().map(|v| (v - mean).abs()).fold(0.0, f64::max);
        if unit == 0.0 {
            return Some(0.0);
        }
        let sum: f64 = values.iter().map(|v| ((v - mean) / unit).powi(2)).sum();
        Some(unit * (sum / (values.len() - 1) as f64).sqrt()).filter(|sd| sd.is_finite())
    }

    fn known(&self, method: usize, data: usize) -> Vec<f64> {
        self.scores(method, data).iter().flatten().copied().collect()
    }

    /// Whether a method has the best mean on a data set, up to rounding.
    pub fn is_best(&self, method: usize, data: usize) -> bool {
        let known: Vec<usize> = (0..self.methods.len()).filter(|&m| self.mean(m, data).is_some()).collect();
        let means: Vec<f64> = known.iter().filter_map(|&m| self.mean(m, data)).collect();
        let (ranks, sizes) = rank_scores(&means, self.greater_is_better);
        let best = sizes.first().map_or(1.0, |&tied| (tied + 1) as f64 / 2.0);
        known.iter().zip(ranks).any(|(&m, rank)| m == method && rank <= best)
    }

    /// Scores of two methods where both have one: means per data set if there are several, otherwise folds of the only
    /// one. Signs are such that larger is better.
    pub(super) fn paired(&self, a: usize, b: usize) -> (Vec<f64>, Vec<f64>) {
        let sign = if self.greater_is_better { 1.0 } else { -1.0 };
        let both = |(a, b): (Option<f64>, Option<f64>)| Some((sign * a?, sign * b?));
        if self.data.len() == 1 {
            let (a, b) = (self.scores(a, 0).iter().copied(), self.scores(b, 0).iter().copied());
            return a.zip(b).filter_map(both).unzip();
        }
        (0..self.data.len()).filter_map(|d| both((self.mean(a, d), self.mean(b, d)))).unzip()
    }
}

/// Checks that names are distinct and that there is at least one.
fn distinct(what: &str, names: &[impl AsRef<str>]) -> Result<Vec<String>> {
    let names: Vec<String> = names.iter().map(|n| n.as_ref().to_owned()).collect();
    let mut seen = HashSet::new();
    if let Some(twice) = names.iter().find(|n| !seen.insert(n.as_str())) {
        return Err(Error::usage(format!("the {what} '{twice}' is there twice")));
    }
    if names.is_empty() {
        return Err(Error::usage(format!("there is no {what} to compare")));
    }
    Ok(names)
}

/// The mean, computed so that the sum cannot overflow.
fn mean(values: &[f64]) -> Option<f64> {
    let n = values.len() as f64;
    (!values.is_empty()).then(|| {
        let sum: f64 = values.iter().sum();
        if sum.is_finite() { sum / n } else { values.iter().map(|v| v / n).sum() }
    })
}
