//! Which methods differ significantly.

use super::comparison::Comparison;
use super::test::{Test, WinsTiesLosses, wins_ties_losses};
use super::{Correction, Friedman, Nemenyi, Zeros};
use super::{corrected_t, five_by_two_f, five_by_two_t, friedman, paired_t, sign_test, wilcoxon};
use crate::data::Dense;
use crate::error::Result;
use crate::select::distribution::check_probability;
use crate::select::split::Protocol;

/// Settings of the tests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ComparisonSettings {
    /// Significance level for adjusted p values; 0.05 by default.
    pub alpha: f64,
    /// How p values of pairs are adjusted for their number; Holm by default.
    pub correction: Correction,
    /// How Wilcoxon's test handles pairs without difference.
    pub zeros: Zeros,
}

impl Default for ComparisonSettings {
    fn default() -> Self {
        ComparisonSettings { alpha: 0.05, correction: Correction::default(), zeros: Zeros::default() }
    }
}

/// The comparison of two methods.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The first method.
    pub a: usize,
    /// The second.
    pub b: usize,
    /// How often the first is better than the second: over data sets if there are several, otherwise over folds.
    pub count: WinsTiesLosses,
    /// The applicable tests, the decisive one first; empty when there is nothing to test.
    pub tests: Vec<Test>,
    /// The first test's p adjusted for the number of pairs.
    pub adjusted: Option<f64>,
    /// The method that is significantly better, if one is.
    pub better: Option<usize>,
    /// The verdict as a sentence.
    pub sentence: String,
}

/// A comparison with its significance tests and verdicts.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparisonTests<'a> {
    /// The compared scores.
    pub table: &'a Comparison,
    /// The settings used.
    pub settings: ComparisonSettings,
    /// Friedman's test over the data sets on which all methods have a score; `None` for fewer than two.
    pub friedman: Option<Friedman>,
    /// Nemenyi's comparison of all methods by mean rank, following Friedman's test.
    pub nemenyi: Option<Nemenyi>,
    /// Every pair of methods.
    pub pairs: Vec<Pair>,
}

impl Comparison {
    /// Tests every pair of methods, and all methods together where there are several data sets.
    ///
    /// Over several data sets: Wilcoxon's signed-rank test on their means, then the sign test and the paired t test. On
    /// one data set, over folds: the combined F test and the t test for `5x2`, the corrected resampled t test for other
    /// protocols, and the paired t test when the protocol is unknown. The p values of the first test are adjusted over
    /// the pairs.
    ///
    /// Where an evaluation has one split, or folds that all differ by the same amount, it adds a paired test on the
    /// test objects.
    pub fn test(&self, settings: &ComparisonSettings) -> Result<ComparisonTests<'_>> {
        check_probability("alpha", settings.alpha)?;
        let mut pairs = Vec::new();
        for a in 0..self.methods.len() {
            for b in a + 1..self.methods.len() {
                pairs.push(self.pair(a, b, settings.zeros)?);
            }
        }
        self.adjust(&mut pairs, settings)?;
        let friedman =
            self.complete_means().map(|means| friedman(&means, self.greater_is_better)).transpose()?;
        let nemenyi = friedman.as_ref().map(|f| f.nemenyi(settings.alpha)).transpose()?;
        Ok(ComparisonTests { table: self, settings: *settings, friedman, nemenyi, pairs })
    }

    /// Tests one method against each of the others, in order, with the same tests. p values are adjusted over these
    /// pairs only, so that a question about one method is not corrected for pairs of the others.
    ///
    /// ```
    /// use mercer::select::{Comparison, compare::ComparisonSettings};
    /// let mut table = Comparison::new("accuracy", true, &["baseline", "rbf", "linear"], &["iris"])?;
    /// table.set(0, 0, &[Some(0.33), Some(0.35), Some(0.34)])?;
    /// table.set(1, 0, &[Some(0.96), Some(0.94), Some(0.98)])?;
    /// table.set(2, 0, &[Some(0.94), Some(0.96), Some(0.92)])?;
    /// let pairs = table.against(0, &ComparisonSettings::default())?;
    /// assert_eq!(pairs.iter().map(|p| (p.a, p.b)).collect::<Vec<_>>(), [(1, 0), (2, 0)]);
    /// assert_eq!(pairs[0].better, Some(1));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// J. Demšar, *Statistical comparisons of classifiers over multiple data sets*, JMLR 7 (2006), for tests with a
    /// control.
    pub fn against(&self, method: usize, settings: &ComparisonSettings) -> Result<Vec<Pair>> {
        check_probability("alpha", settings.alpha)?;
        let others = (0..self.methods.len()).filter(|&m| m != method);
        let mut pairs = others.map(|m| self.pair(m, method, settings.zeros)).collect::<Result<Vec<_>>>()?;
        self.adjust(&mut pairs, settings)?;
        Ok(pairs)
    }

    /// Adjusts the p values of pairs for their number and fills in the conclusions.
    fn adjust(&self, pairs: &mut [Pair], settings: &ComparisonSettings) -> Result<()> {
        let known: Vec<f64> = pairs.iter().filter_map(first_p).collect();
        let mut adjusted = settings.correction.adjust(&known)?.into_iter();
        for pair in pairs {
            pair.adjusted = first_p(pair).and_then(|_| adjusted.next());
            self.conclude(pair, settings, known.len());
        }
        Ok(())
    }

    fn pair(&self, a: usize, b: usize, zeros: Zeros) -> Result<Pair> {
        let (x, y) = self.paired(a, b);
        let mut pair = Pair {
            a,
            b,
            count: WinsTiesLosses::default(),
            tests: Vec::new(),
            adjusted: None,
            better: None,
            sentence: String::new(),
        };
        if x.is_empty() {
            return Ok(pair);
        }
        pair.count = wins_ties_losses(&x, &y)?;
        pair.tests = self.fold_tests(&x, &y, zeros)?;
        if first_p(&pair).is_none()
            && let Some(test) = self.stored_test(a, b)
        {
            pair.tests = vec![test];
        }
        Ok(pair)
    }

    /// Whether the scores of two methods on one data set give no test result: there are fewer than two, or they differ
    /// by the same amount everywhere.
    pub(super) fn is_undecided(&self, a: usize, b: usize) -> Result<bool> {
        let (x, y) = self.paired(a, b);
        if self.data.len() > 1 || x.is_empty() {
            return Ok(false);
        }
        Ok(self.fold_tests(&x, &y, Zeros::default())?.first().and_then(|test| test.p).is_none())
    }

    /// The tests that apply to scores of the same folds or data sets; none for fewer than two.
    fn fold_tests(&self, x: &[f64], y: &[f64], zeros: Zeros) -> Result<Vec<Test>> {
        if x.len() < 2 {
            return Ok(Vec::new());
        }
        let five_by_two = matches!(
            self.protocol,
            Some(
                Protocol::Folds { folds: 2, repetitions: 5 }
                    | Protocol::GroupFolds { folds: 2, repetitions: 5 }
            )
        );
        Ok(if self.data.len() > 1 {
            vec![wilcoxon(x, y, zeros)?, sign_test(x, y)?, paired_t(x, y)?]
        } else if five_by_two && x.len() == 10 {
            vec![five_by_two_f(x, y)?, five_by_two_t(x, y)?]
        } else if let Some(ratio) = self.test_per_train {
            vec![corrected_t(x, y, ratio)?]
        } else {
            vec![paired_t(x, y)?]
        })
    }

    /// Fills in the better method and the sentence.
    fn conclude(&self, pair: &mut Pair, settings: &ComparisonSettings, tested: usize) {
        let (a, b) = (&self.methods[pair.a], &self.methods[pair.b]);
        let Some(test) = pair.tests.first() else {
            let why = "fewer than two pairs of scores";
            pair.sentence = format!("no test between {a} and {b}: {why}");
            return;
        };
        let Some(p) = pair.adjusted else {
            let why = test.remark.unwrap_or("the test gives no p value");
            pair.sentence = format!("no test between {a} and {b}: {why}");
            return;
        };
        let adjusted = match settings.correction {
            Correction::None => String::new(),
            _ if tested < 2 => String::new(),
            Correction::Bonferroni => format!(", Bonferroni-adjusted over {tested} pairs"),
            Correction::Holm => format!(", Holm-adjusted over {tested} pairs"),
            Correction::BenjaminiHochberg => format!(", Benjamini–Hochberg-adjusted over {tested} pairs"),
        };
        let proof = format!("(p {}, {}{adjusted})", p_value(p), test.name);
        if p >= settings.alpha {
            pair.sentence = format!("no significant difference between {a} and {b} {proof}");
            return;
        }
        // A combined F test may be significant for differences that cancel out; then the number of wins decides.
        let first = test.first_larger.unwrap_or(pair.count.wins >= pair.count.losses);
        let (winner, loser) = if first { (pair.a, pair.b) } else { (pair.b, pair.a) };
        pair.better = Some(winner);
        pair.sentence = format!("{} is better than {} {proof}", self.methods[winner], self.methods[loser]);
    }

    /// Means of all methods on the data sets where each has one; `None` for fewer than two methods or data sets.
    fn complete_means(&self) -> Option<Dense> {
        let k = self.methods.len();
        let row = |d: usize| (0..k).map(|m| self.mean(m, d)).collect::<Option<Vec<f64>>>();
        let rows: Vec<Vec<f64>> = (0..self.data.len()).filter_map(row).collect();
        if k < 2 || rows.len() < 2 {
            return None;
        }
        Dense::new(rows.len(), k, rows.concat()).ok()
    }
}

fn first_p(pair: &Pair) -> Option<f64> {
    pair.tests.first().and_then(|test| test.p)
}

/// A p value for display, with its relation: `= 0.043`, `< 0.001`.
pub(in crate::select) fn p_value(p: f64) -> String {
    if p < 0.001 {
        "< 0.001".into()
    } else if p < 0.1 {
        format!("= {p:.3}")
    } else {
        format!("= {p:.2}")
    }
}
