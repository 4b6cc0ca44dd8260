//! Confidence intervals of measures.

use super::check::{self, NO_OBJECTS, ONE_CLASS};
use super::measured::Measured;
use super::rank;
use crate::budget;
use crate::error::{Error, Result};
use crate::parallel;
use crate::random::Random;
use crate::select::distribution::{check_probability, normal_width, student_width};

/// A confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// The share of intervals computed this way that contain the true value, such as 0.95.
    pub level: f64,
    /// The method: `Wilson`, `DeLong`, `bootstrap percentile`, `corrected resampled t`.
    pub method: &'static str,
}

/// Wilson's interval of a share, `successes` of `trials`:
/// (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n).
///
/// ```
/// use mercer::select::score;
/// let interval = score::wilson(9, 10, 0.95)?.value().unwrap();
/// assert!((interval.low - 0.5958).abs() < 1e-4 && (interval.high - 0.9821).abs() < 1e-4);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// E. Wilson, *Probable inference, the law of succession, and statistical inference*, JASA 22 (1927).
pub fn wilson(successes: u64, trials: u64, level: f64) -> Result<Measured<Interval>> {
    check_probability("level", level)?;
    if successes > trials {
        return Err(Error::param("successes", successes, &format!("at most {trials}, the number of trials")));
    }
    if trials == 0 {
        return Ok(Measured::Undefined(NO_OBJECTS));
    }
    let (z, n) = (normal_width(level), trials as f64);
    let p = successes as f64 / n;
    let centre = p + z * z / (2.0 * n);
    let half = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z * z / n;
    // Exactly 0 and 1 where no or every trial succeeds, regardless of rounding.
    let low = if successes == 0 { 0.0 } else { ((centre - half) / scale).max(0.0) };
    let high = if successes == trials { 1.0 } else { ((centre + half) / scale).min(1.0) };
    Ok(Measured::Value(Interval { low, high, level, method: "Wilson" }))
}

/// For each object, in the order given, the share of objects of the other class that are ranked correctly relative to
/// it; ties count half. The means are the area under the ROC curve.
pub(crate) struct Placements {
    /// Placements of the positive objects.
    pub(crate) positive: Vec<f64>,
    /// Placements of the negative objects.
    pub(crate) negative: Vec<f64>,
}

impl Placements {
    pub(crate) fn new(truth: &[bool], decisions: &[f64]) -> Result<Self> {
        let levels = rank::levels(truth, decisions)?;
        let (positives, negatives) = levels.last().map_or((0, 0), |last| (last.positives, last.negatives));
        let mut out = Placements { positive: Vec::new(), negative: Vec::new() };
        for (&is_positive, &value) in truth.iter().zip(decisions) {
            let at = levels.partition_point(|level| level.threshold > value);
            let (above, here) = (at.checked_sub(1).map(|a| levels[a]), levels[at]);
            let (p_above, n_above) = above.map_or((0, 0), |l| (l.positives, l.negatives));
            // Twice the number of correctly ranked objects of the other class.
            if is_positive {
                let twice = 2 * negatives - here.negatives - n_above;
                out.positive.push(twice as f64 / (2 * negatives) as f64);
            } else {
                out.negative.push((p_above + here.positives) as f64 / (2 * positives) as f64);
            }
        }
        Ok(out)
    }
}

/// Σ (a_i - ā)(b_i - b̄) / (n - 1).
pub(crate) fn covariance(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len() as f64;
    let (mean_a, mean_b) = (a.iter().sum::<f64>() / n, b.iter().sum::<f64>() / n);
    a.iter().zip(b).map(|(a, b)| (a - mean_a) * (b - mean_b)).sum::<f64>() / (n - 1.0)
}

/// DeLong's interval of the area under the ROC curve, clipped to [0, 1]: the area ± z √(S₁₀/m + S₀₁/n), with the
/// variances of the placements of the positive and of the negative objects.
///
/// Undefined unless there are two objects of each class. Time O(n log n). A perfect ranking gives an interval of zero
/// width, which is a limitation of the method.
///
/// ```
/// use mercer::select::score;
/// let interval = score::delong(&[true, true, false, false], &[0.9, 0.4, 0.5, 0.1], 0.95)?;
/// assert!(interval.value().is_some_and(|i| i.low < 0.75 && i.high == 1.0));
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// E. DeLong, D. DeLong and D. Clarke-Pearson, *Comparing the areas under two or more correlated receiver operating
/// characteristic curves*, Biometrics 44 (1988); X. Sun and W. Xu 2014 for the fast computation.
pub fn delong(truth: &[bool], decisions: &[f64], level: f64) -> Result<Measured<Interval>> {
    check_probability("level", level)?;
    let placements = Placements::new(truth, decisions)?;
    let (m, n) = (placements.positive.len(), placements.negative.len());
    if m == 0 || n == 0 {
        return Ok(Measured::Undefined(ONE_CLASS));
    }
    if m < 2 || n < 2 {
        return Ok(Measured::Undefined("a class has one member only"));
    }
    let Measured::Value(area) = rank::auc(truth, decisions)? else {
        return Ok(Measured::Undefined(ONE_CLASS));
    };
    let spread = |v: &[f64]| covariance(v, v) / v.len() as f64;
    let half = normal_width(level) * (spread(&placements.positive) + spread(&placements.negative)).sqrt();
    let (low, high) = ((area - half).max(0.0), (area + half).min(1.0));
    Ok(Measured::Value(Interval { low, high, level, method: "DeLong" }))
}

/// Settings of the bootstrap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bootstrap {
    /// The number of bootstrap samples; 2000 by default, at least 100.
    pub resamples: usize,
    /// The confidence level; 0.95 by default.
    pub level: f64,
    /// The seed of the draws; the same seed gives the same bits on any number of threads.
    pub seed: u64,
}

impl Default for Bootstrap {
    fn default() -> Self {
        Bootstrap { resamples: 2000, level: 0.95, seed: 0 }
    }
}

impl Bootstrap {
    /// The percentile interval of a statistic of `n` objects, from repeatedly drawing n of them with replacement.
    ///
    /// `statistic` receives the drawn objects; returning `None` discards the draw, which may lack a class. The interval
    /// is undefined when less than half of the draws have a value. Quantiles are interpolated linearly. Time:
    /// `resamples` times that of the statistic, on all cores.
    ///
    /// ```
    /// use mercer::select::score::Bootstrap;
    /// let x = [1.0, 2.0, 3.0, 4.0, 5.0];
    /// let mean = |drawn: &[usize]| Some(drawn.iter().map(|&i| x[i]).sum::<f64>() / 5.0);
    /// let interval = Bootstrap::default().interval(5, mean)?.value().unwrap();
    /// assert!(interval.low < 3.0 && 3.0 < interval.high);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// B. Efron, *Nonparametric standard errors and confidence intervals*, 1981.
    pub fn interval(
        &self,
        n: usize,
        statistic: impl Fn(&[usize]) -> Option<f64> + Sync,
    ) -> Result<Measured<Interval>> {
        check_probability("level", self.level)?;
        if !(100..=10_000_000).contains(&self.resamples) {
            return Err(Error::param("resamples", self.resamples, "from 100 to 10000000"));
        }
        if n == 0 {
            return Ok(Measured::Undefined(NO_OBJECTS));
        }
        // One random stream per draw: the values do not depend on the thread, nor their order after sorting.
        let draw = |at: usize| {
            if budget::is_spent_after(8 * n) {
                return None;
            }
            let mut random = Random::derived(self.seed, at as u64);
            let drawn: Vec<usize> = (0..n).map(|_| random.below(n)).collect();
            statistic(&drawn).filter(|value| value.is_finite())
        };
        let mut values: Vec<f64> = parallel::map(self.resamples, draw).into_iter().flatten().collect();
        budget::check()?;
        if values.len() * 2 < self.resamples {
            return Ok(Measured::Undefined("the measure is undefined on most bootstrap samples"));
        }
        values.sort_unstable_by(f64::total_cmp);
        let quantile = |p: f64| {
            let at = p * (values.len() - 1) as f64;
            let below = at.floor() as usize;
            let next = values[(below + 1).min(values.len() - 1)];
            let share = at - below as f64;
            values[below] * (1.0 - share) + next * share
        };
        let outside = (1.0 - self.level) / 2.0;
        let (low, high) = (quantile(outside), quantile(1.0 - outside));
        Ok(Measured::Value(Interval { low, high, level: self.level, method: "bootstrap percentile" }))
    }
}

/// The interval of a mean over folds by the corrected resampled t: mean ± t √((1/J + n₂/n₁) · s²), where J values come
/// from overlapping training sets and `test_per_train` is n₂/n₁ (see
/// [`Splits::test_per_train`](crate::select::Splits)).
///
/// Undefined with fewer than two values.
///
/// ```
/// use mercer::select::score;
/// let interval = score::mean_over_folds(&[0.8, 0.9, 0.85, 0.95, 0.9], 0.25, 0.95)?.value().unwrap();
/// assert!(interval.low < 0.88 && 0.88 < interval.high);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// C. Nadeau and Y. Bengio, *Inference for the generalization error*, Machine Learning 52 (2003).
pub fn mean_over_folds(values: &[f64], test_per_train: f64, level: f64) -> Result<Measured<Interval>> {
    check_probability("level", level)?;
    check_ratio(test_per_train)?;
    check::finite(values, "score")?;
    if values.len() < 2 {
        return Ok(Measured::Undefined("fewer than two folds have a value"));
    }
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let error = ((1.0 / count + test_per_train) * covariance(values, values)).sqrt();
    let half = student_width(level, count - 1.0) * error;
    if !(mean - half).is_finite() || !(mean + half).is_finite() {
        return Ok(Measured::Undefined("the value overflows"));
    }
    Ok(Measured::Value(Interval {
        low: mean - half,
        high: mean + half,
        level,
        method: "corrected resampled t",
    }))
}

/// Fails unless the ratio of test to training objects is a finite number above 0.
pub(crate) fn check_ratio(test_per_train: f64) -> Result<()> {
    if test_per_train > 0.0 && test_per_train.is_finite() {
        return Ok(());
    }
    Err(Error::param("test_per_train", test_per_train, "a finite number above 0"))
}
