//! Several methods on several data sets: Friedman's test and Nemenyi's comparison of all pairs.

use super::test::{Test, rank_scores};
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::select::distribution::{
    check_probability, chi_square_upper, fisher_upper, range_quantile, range_upper,
};

/// The mean ranks of methods over data sets, and tests of whether they differ.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Friedman {
    /// The mean rank of each method, 1 for the best.
    pub ranks: Vec<f64>,
    /// The number of data sets.
    pub data_sets: usize,
    /// Friedman's chi-square test.
    pub chi_square: Test,
    /// Iman and Davenport's F test based on it, which is less conservative.
    pub iman_davenport: Test,
}

/// Friedman's test: methods (columns) are ranked on each data set (rows), and mean ranks compared.
///
/// χ² = (12 / (N k (k+1)) · Σ R_j² - 3 N (k+1)) / (1 - Σ (t³ - t) / (N k (k² - 1))), with rank sums R_j over N data
/// sets, k methods and groups of t equal scores; k - 1 degrees of freedom. F = (N-1) χ² / (N (k-1) - χ²) with k - 1 and
/// (k-1)(N-1). When all data sets agree on every rank F is infinite and p = (1/k!)^(N-1) (Conover 1999). Needs two
/// methods and two data sets.
///
/// ```
/// use mercer::{data::Dense, select::compare};
/// let scores = Dense::from_rows(&[[0.9, 0.8, 0.7], [0.8, 0.7, 0.75], [0.9, 0.6, 0.5], [0.7, 0.6, 0.5]]);
/// let friedman = compare::friedman(&scores, true)?;
/// assert_eq!(friedman.ranks, [1.0, 2.25, 2.75]);
/// assert_eq!(friedman.chi_square.degrees, [2.0]);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// M. Friedman, JASA 32 (1937); R. Iman and J. Davenport, Communications in Statistics 9 (1980); J. Demšar,
/// *Statistical comparisons of classifiers over multiple data sets*, JMLR 7 (2006).
pub fn friedman(scores: &Dense, greater_is_better: bool) -> Result<Friedman> {
    let (n, k) = (scores.rows(), scores.cols());
    if n < 2 || k < 2 {
        return Err(Error::Shape {
            expected: "scores of at least 2 methods on at least 2 data sets".into(),
            found: format!("{k} methods on {n} data sets"),
        });
    }
    if let Some((row, col)) = scores.find_non_finite() {
        return Err(Error::NonFinite { row, col, overflow: false });
    }
    let mut sums = vec![0.0; k];
    let mut ties = 0.0;
    for i in 0..n {
        let (ranks, sizes) = rank_scores(scores.row(i), greater_is_better);
        sums.iter_mut().zip(ranks).for_each(|(sum, rank)| *sum += rank);
        ties += sizes.iter().map(|&t| (t as f64).powi(3) - t as f64).sum::<f64>();
    }
    let (blocks, methods) = (n as f64, k as f64);
    let tied = 1.0 - ties / (blocks * methods * (methods * methods - 1.0));
    const CHI: &str = "Friedman χ²";
    const F: &str = "Iman–Davenport F";
    let (chi_degrees, below) = (methods - 1.0, (methods - 1.0) * (blocks - 1.0));
    let (chi_square, iman_davenport) = if tied <= 1e-12 {
        (Test::no_difference(CHI, n), Test::no_difference(F, n))
    } else {
        // Uses squared deviations from the mean rank sum: the published formula suffers from cancellation.
        let expected = blocks * (methods + 1.0) / 2.0;
        let squares: f64 = sums.iter().map(|r| (r - expected) * (r - expected)).sum();
        let chi = 12.0 / (blocks * methods * (methods + 1.0)) * squares / tied;
        let room = blocks * chi_degrees - chi;
        let test = Test::new(CHI, n, chi, chi_square_upper(chi, chi_degrees)).with_degrees(&[chi_degrees]);
        let second = if room <= 1e-9 * blocks * chi_degrees {
            let log_orders: f64 = (2..=k).map(|i| (i as f64).ln()).sum();
            let p = (-(blocks - 1.0) * log_orders).exp();
            let remark = Some("all data sets rank the methods in the same order: F is infinite");
            Test { statistic: None, exact: true, remark, ..Test::new(F, n, 0.0, p) }
        } else {
            let f = (blocks - 1.0) * chi / room;
            Test::new(F, n, f, fisher_upper(f, chi_degrees, below))
        };
        (test, second.with_degrees(&[chi_degrees, below]))
    };
    let ranks = sums.iter().map(|sum| sum / blocks).collect();
    Ok(Friedman { ranks, data_sets: n, chi_square, iman_davenport })
}

/// All pairs of methods compared by their mean ranks.
#[derive(Clone, Debug, PartialEq)]
pub struct Nemenyi {
    /// Methods whose mean ranks differ by less are not distinguishable.
    pub critical_difference: f64,
    /// The probability of finding any difference under the null hypothesis.
    pub alpha: f64,
    /// The p value of each pair of methods, 1 on the diagonal.
    pub p: Dense,
    /// The maximal sets of methods that are not distinguishable, each by ascending rank, best first. Every method is in
    /// at least one.
    pub groups: Vec<Vec<usize>>,
}

impl Friedman {
    /// Nemenyi's comparison: the ranks of two methods differ significantly when their difference exceeds
    /// CD = q_α / √2 · √(k (k+1) / 6N), with q_α of the studentised range of k means, computed numerically.
    ///
    /// ```
    /// use mercer::{data::Dense, select::compare};
    /// let scores = Dense::from_rows(&[[0.9, 0.8, 0.7], [0.8, 0.7, 0.75], [0.9, 0.6, 0.5], [0.7, 0.6, 0.5]]);
    /// let nemenyi = compare::friedman(&scores, true)?.nemenyi(0.05)?;
    /// assert!((nemenyi.critical_difference - 2.343 * 0.5f64.sqrt()).abs() < 1e-3);
    /// assert_eq!(nemenyi.groups, [vec![0, 1], vec![1, 2]]);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// P. Nemenyi, *Distribution-free multiple comparisons*, 1963.
    pub fn nemenyi(&self, alpha: f64) -> Result<Nemenyi> {
        check_probability("alpha", alpha)?;
        let k = self.ranks.len();
        let error = ((k * (k + 1)) as f64 / (12.0 * self.data_sets as f64)).sqrt();
        let critical_difference = range_quantile(alpha, k) * error;
        let mut p = Dense::zeros(k, k);
        for i in 0..k {
            p.row_mut(i)[i] = 1.0;
            for j in 0..i {
                let value = range_upper((self.ranks[i] - self.ranks[j]).abs() / error, k);
                p.row_mut(i)[j] = value;
                p.row_mut(j)[i] = value;
            }
        }
        let groups = indistinct(&self.ranks, critical_difference);
        Ok(Nemenyi { critical_difference, alpha, p, groups })
    }
}

/// The maximal runs of methods, in order of rank, whose ends differ by at most `width`.
fn indistinct(ranks: &[f64], width: f64) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..ranks.len()).collect();
    order.sort_by(|&a, &b| ranks[a].total_cmp(&ranks[b]));
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut reached = 0;
    for start in 0..order.len() {
        let within = |&&m: &&usize| ranks[m] - ranks[order[start]] <= width;
        let end = start + order[start..].iter().take_while(within).count();
        // A run that ends where an earlier one does is contained in it.
        if end > reached {
            groups.push(order[start..end].to_vec());
            reached = end;
        }
    }
    groups
}
