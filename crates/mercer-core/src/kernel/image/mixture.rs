//! Gaussian mixture models with diagonal covariances, and the gradients of their likelihood.

use super::seeding;
use crate::budget::{self, Budget};
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::math;
use crate::parallel;
use crate::random::Random;

/// Maximum number of EM iterations.
const ROUNDS: usize = 30;
/// Minimum increase of the mean log-likelihood for another iteration.
const ENOUGH: f64 = 1e-5;
/// Minimum variance as a fraction of that of all rows: identical blocks would give a word with zero variance.
const FLOOR: f64 = 0.01;
/// Minimum variance where all rows are equal.
const LEAST: f64 = 1e-10;
/// Minimum weight.
const LIGHTEST: f64 = 1e-8;
/// Responsibilities below this are ignored.
const TRACE: f64 = 1e-9;
/// Rows that are summed together. The sums are then added in a fixed order, whichever thread computed them.
const CHUNK: usize = 1024;

/// A Gaussian mixture model: p(x) = Σ_k w_k N(x; μ_k, diag σ²_k).
///
/// ```
/// use mercer_core::{data::Dense, Budget, kernel::image::Mixture};
/// let x = Dense::from_rows(&[[0.0], [0.2], [0.4], [9.0], [9.4]]);
/// let (mixture, rounds) = Mixture::fit(&x, 2, 1, &Budget::default())?;
/// let (weights, means, _) = mixture.parts();
/// let low = if means.at(0, 0) < means.at(1, 0) { 0 } else { 1 };
/// assert!((means.at(low, 0) - 0.2).abs() < 1e-9 && (weights[low] - 0.6).abs() < 1e-9);
/// assert!(rounds.windows(2).all(|w| w[1] > w[0] - 1e-12)); // the mean log-likelihood only rises
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mixture {
    weights: Vec<f64>,
    means: Dense,
    variances: Dense,
}

impl Mixture {
    /// A mixture of at most `words` Gaussians, and the mean log-likelihood of the rows before each iteration.
    ///
    /// It starts from k-means with seeded k-means++ and is improved by at most 30 EM iterations. Variances are at least
    /// a hundredth of those of all rows. If there are fewer distinct rows than words, there are fewer words. The result
    /// does not depend on the number of threads. Time O(n · words · d) per iteration.
    pub fn fit(x: &Dense, words: usize, seed: u64, budget: &Budget) -> Result<(Self, Vec<f64>)> {
        if x.rows() == 0 || x.cols() == 0 || words == 0 {
            return Err(Error::usage("a mixture needs at least one row, one column and one word"));
        }
        let (own, count) = seeding::groups(x, words, &mut Random::new(seed));
        budget::check()?;
        let floor = floor(x);
        let mut mixture = Mixture::of_groups(x, &own, count, &floor)?;
        let mut history: Vec<f64> = Vec::new();
        for _ in 0..ROUNDS {
            budget.check()?;
            let tally = mixture.tally(x);
            budget.check()?;
            budget::check()?;
            let likelihood = tally.log / x.rows() as f64;
            let last = history.last().copied().unwrap_or(f64::NEG_INFINITY);
            history.push(likelihood);
            if likelihood - last < ENOUGH {
                break;
            }
            mixture.improve(&tally, &floor);
        }
        Ok((mixture, history))
    }

    /// A mixture from its parameters, such as stored ones: one weight per row of the means and the variances.
    pub fn from_parts(weights: Vec<f64>, means: Dense, variances: Dense) -> Result<Self> {
        let shape = (weights.len(), means.cols());
        if (means.rows(), variances.rows(), variances.cols()) != (shape.0, shape.0, shape.1)
            || weights.is_empty()
        {
            return Err(Error::Shape {
                expected: format!("means and variances of {} words", weights.len()),
                found: format!(
                    "{} × {} and {} × {}",
                    means.rows(),
                    means.cols(),
                    variances.rows(),
                    variances.cols()
                ),
            });
        }
        let positive = |v: &f64| v.is_finite() && *v > 0.0;
        if !weights.iter().chain(variances.values()).all(positive) || means.find_non_finite().is_some() {
            return Err(Error::usage(
                "the weights and variances of a mixture must be above 0, and its means finite",
            ));
        }
        Ok(Mixture { weights, means, variances })
    }

    /// Weights, means and variances, one row per word.
    pub fn parts(&self) -> (&[f64], &Dense, &Dense) {
        (&self.weights, &self.means, &self.variances)
    }

    /// The number of words.
    pub fn words(&self) -> usize {
        self.weights.len()
    }

    /// The mean of ln p(x) over the rows.
    pub fn log_likelihood(&self, x: &Dense) -> Result<f64> {
        self.check(x)?;
        let tally = self.tally(x);
        budget::check()?;
        Ok(tally.log / x.rows().max(1) as f64)
    }

    /// The Fisher vector of the rows, without normalisation: the gradients of their mean log-likelihood with respect to
    /// means and deviations, each in units of its own deviation. For T rows with responsibilities γ_t(k):
    ///
    /// * for μ_k: 1/(T √w_k) Σ_t γ_t(k) (x_t - μ_k)/σ_k
    /// * for σ_k: 1/(T √(2 w_k)) Σ_t γ_t(k) ((x_t - μ_k)²/σ_k² - 1)
    ///
    /// The means of all words come first, then the deviations; without rows all are 0. Sánchez et al., *Image
    /// classification with the Fisher vector*, IJCV 2013, equations 16 to 18.
    pub fn fisher(&self, x: &Dense) -> Result<Vec<f64>> {
        self.check(x)?;
        let tally = self.tally(x);
        budget::check()?;
        Ok(tally.fisher(&self.weights))
    }

    fn check(&self, x: &Dense) -> Result<()> {
        match x.cols() == self.means.cols() {
            true => Ok(()),
            false => Err(Error::Dimension { expected: self.means.cols(), found: x.cols() }),
        }
    }

    /// The mixture for a partition of the rows into groups.
    fn of_groups(x: &Dense, own: &[usize], count: usize, floor: &[f64]) -> Result<Self> {
        let mut sums = Tally::new(count, x.cols());
        for (i, &group) in own.iter().enumerate() {
            sums.add(group, 1.0, x.row(i).iter().copied());
        }
        // With mean 0 and variance 1, the sums are in the units of the rows.
        let mut mixture = Mixture {
            weights: vec![1.0 / count as f64; count],
            means: Dense::zeros(count, x.cols()),
            variances: Dense::new(count, x.cols(), vec![1.0; count * x.cols()])?,
        };
        mixture.improve(&sums, floor);
        Ok(mixture)
    }

    /// The sums over the rows, by chunks on all threads and then in order.
    fn tally(&self, x: &Dense) -> Tally {
        let ready = Ready::of(self);
        let starts: Vec<usize> = (0..x.rows()).step_by(CHUNK).collect();
        let part = |&start: &usize| {
            let mut tally = Tally::new(self.words(), x.cols());
            let mut shares = Vec::new();
            for i in start..(start + CHUNK).min(x.rows()) {
                if budget::is_spent_after(4 * self.words() * x.cols()) {
                    break;
                }
                ready.add(x.row(i), &mut shares, &mut tally);
            }
            tally
        };
        let mut all = Tally::new(self.words(), x.cols());
        // Some chunks at a time, so that not all sums are kept.
        for some in starts.chunks(64) {
            parallel::map(some.len(), |k| part(&some[k])).iter().for_each(|part| all.join(part));
        }
        all
    }

    /// The M-step: the parameters that maximise the likelihood, given the responsibilities.
    fn improve(&mut self, tally: &Tally, floor: &[f64]) {
        let total = tally.rows;
        for k in 0..self.words() {
            let own = tally.zero[k];
            self.weights[k] = (own / total).max(LIGHTEST);
            // A word without rows does not change.
            if own < LIGHTEST {
                continue;
            }
            let range = k * floor.len()..(k + 1) * floor.len();
            let sums = tally.first[range.clone()].iter().zip(&tally.second[range]);
            let parts = self.means.row_mut(k).iter_mut().zip(self.variances.row_mut(k)).zip(sums).zip(floor);
            for (((mean, variance), (first, second)), floor) in parts {
                let shift = first / own;
                *mean += variance.sqrt() * shift;
                *variance = (*variance * (second / own - shift * shift)).max(*floor);
            }
        }
        let sum: f64 = self.weights.iter().sum();
        self.weights.iter_mut().for_each(|w| *w /= sum);
    }
}

/// The minimum variance of each coordinate.
fn floor(x: &Dense) -> Vec<f64> {
    let n = x.rows() as f64;
    let mut mean = vec![0.0; x.cols()];
    let mut spread = vec![0.0; x.cols()];
    for i in 0..x.rows() {
        mean.iter_mut().zip(x.row(i)).for_each(|(m, v)| *m += v / n);
    }
    for i in 0..x.rows() {
        let from = x.row(i).iter().zip(&mean);
        spread.iter_mut().zip(from).for_each(|(s, (v, m))| *s += (v - m) * (v - m) / n);
    }
    spread.into_iter().map(|s| (FLOOR * s).max(LEAST)).collect()
}

/// A mixture stored by coordinate, so that the loop over words is vectorised.
pub(super) struct Ready<'m> {
    mixture: &'m Mixture,
    /// ln w_k - Σ ln(σ √2π).
    constants: Vec<f64>,
    centres: Vec<f64>,
    /// 1 / 2σ².
    halves: Vec<f64>,
    /// 1 / σ, word after word.
    inverses: Vec<f64>,
}

impl<'m> Ready<'m> {
    pub(super) fn of(mixture: &'m Mixture) -> Self {
        let (words, d) = (mixture.words(), mixture.means.cols());
        let places = || (0..d).flat_map(move |j| (0..words).map(move |k| (k, j)));
        let constant = |k: usize| {
            let spread = mixture.variances.row(k).iter().map(|v| math::ln(std::f64::consts::TAU * v));
            math::ln(mixture.weights[k]) - 0.5 * spread.sum::<f64>()
        };
        Ready {
            mixture,
            constants: (0..words).map(constant).collect(),
            centres: places().map(|(k, j)| mixture.means.at(k, j)).collect(),
            halves: places().map(|(k, j)| 0.5 / mixture.variances.at(k, j)).collect(),
            inverses: mixture.variances.values().iter().map(|v| 1.0 / v.sqrt()).collect(),
        }
    }

    /// Adds a row to the sums. `shares` is scratch memory for responsibilities.
    pub(super) fn add(&self, row: &[f64], shares: &mut Vec<f64>, tally: &mut Tally) {
        let words = self.constants.len();
        shares.clear();
        shares.extend_from_slice(&self.constants);
        math::vectorised(
            #[inline(always)]
            || {
                let parts = self.centres.chunks_exact(words).zip(self.halves.chunks_exact(words));
                for (x, (centres, halves)) in row.iter().zip(parts) {
                    for ((s, c), h) in shares.iter_mut().zip(centres).zip(halves) {
                        *s -= (x - c) * (x - c) * h;
                    }
                }
            },
        );
        let most = shares.iter().fold(f64::NEG_INFINITY, |m, s| m.max(*s));
        shares.iter_mut().for_each(|s| *s -= most);
        math::exp_all(shares);
        let sum: f64 = shares.iter().sum();
        tally.log += most + math::ln(sum);
        tally.rows += 1.0;
        let d = row.len();
        for (k, share) in shares.iter().map(|s| s / sum).enumerate().filter(|(_, s)| *s > TRACE) {
            let inverses = &self.inverses[k * d..(k + 1) * d];
            let units =
                row.iter().zip(self.mixture.means.row(k)).zip(inverses).map(|((x, m), i)| (x - m) * i);
            tally.add_share(k, share, units);
        }
    }
}

/// Sums over rows, in units u = (x - μ_k)/σ_k of each word.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    /// Σ γ.
    zero: Vec<f64>,
    /// Σ γ u.
    first: Vec<f64>,
    /// Σ γ u².
    second: Vec<f64>,
    log: f64,
    rows: f64,
}

impl Tally {
    pub(super) fn new(words: usize, d: usize) -> Self {
        let empty = vec![0.0; words * d];
        Tally { zero: vec![0.0; words], first: empty.clone(), second: empty, log: 0.0, rows: 0.0 }
    }

    fn add(&mut self, word: usize, share: f64, units: impl ExactSizeIterator<Item = f64>) {
        self.rows += share;
        self.add_share(word, share, units);
    }

    #[inline(always)]
    fn add_share(&mut self, word: usize, share: f64, units: impl ExactSizeIterator<Item = f64>) {
        self.zero[word] += share;
        let range = word * units.len()..(word + 1) * units.len();
        let sums = self.first[range.clone()].iter_mut().zip(&mut self.second[range]);
        for (u, (first, second)) in units.zip(sums) {
            *first += share * u;
            *second += share * u * u;
        }
    }

    pub(super) fn join(&mut self, other: &Tally) {
        let add = |own: &mut [f64], other: &[f64]| own.iter_mut().zip(other).for_each(|(a, b)| *a += b);
        add(&mut self.zero, &other.zero);
        add(&mut self.first, &other.first);
        add(&mut self.second, &other.second);
        self.log += other.log;
        self.rows += other.rows;
    }

    /// The Fisher vector of the rows.
    pub(super) fn fisher(&self, weights: &[f64]) -> Vec<f64> {
        let d = self.first.len() / weights.len().max(1);
        let rows = self.rows.max(1.0);
        let scale = |k: usize, factor: f64| 1.0 / (rows * (factor * weights[k]).sqrt());
        let means = self.first.iter().enumerate().map(|(at, v)| v * scale(at / d, 1.0));
        let spreads = self.second.iter().enumerate();
        let spreads = spreads.map(|(at, v)| (v - self.zero[at / d]) * scale(at / d, 2.0));
        means.chain(spreads).collect()
    }
}
