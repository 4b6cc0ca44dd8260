//! Choosing landmarks.

use super::pivots::{Pivot, drawn, pivoted_cholesky};
use crate::budget;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::{Engine, Spectrum};
use crate::numeric::algebra::product_transposed;
use crate::parallel;
use crate::random::{Random, derive_seed};
use crate::traits::{Kernel, Part, Prepared};

/// How landmarks are chosen. All but the first consider at most twenty times as many objects, drawn at random.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Landmarks {
    /// Uniformly at random.
    Uniform,
    /// At random, in proportion to approximate ridge leverage scores, which measure how much an object differs from the
    /// others.
    Leverage,
    /// Randomly one by one, in proportion to the squared distance to the nearest one chosen (k-means++).
    Spread,
    /// One by one, each the object least explained by those before: greedy pivots of the Cholesky factorisation.
    Pivots,
    /// Randomly one by one, in proportion to the residual left by those before.
    RandomPivots,
}

impl Landmarks {
    /// The names of all methods.
    pub const NAMES: [&str; 5] = ["uniform", "leverage", "kmeans", "pivots", "random-pivots"];

    /// The name in expressions.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The method with this name.
    pub fn named(name: &str) -> Option<Self> {
        use Landmarks::{Leverage, Pivots, RandomPivots, Spread, Uniform};
        [Uniform, Leverage, Spread, Pivots, RandomPivots].into_iter().find(|l| l.name() == name)
    }
}

/// Candidates for each landmark.
const POOL: usize = 20;
/// The largest sample for computing leverage scores.
const MOST_MEASURED: usize = 2000;
/// Entries of a row computed at a time.
const STRETCH: usize = 1024;
/// Candidates whose scores are computed at a time.
const BATCH: usize = 256;

/// Chooses `rank` of the prepared objects, in ascending order; all if there are no more. Fewer if the rest is already
/// explained.
///
/// Cost, in addition to one pass over the candidates: a matrix of candidates × 2·rank for leverage scores, `rank` rows
/// of the candidates for the others. A seed gives the same choice for any number of threads.
pub fn choose_landmarks<X: ?Sized, K: Kernel<X>>(
    engine: &Engine,
    kernel: &K,
    set: &K::Prepared,
    rank: usize,
    how: Landmarks,
    seed: u64,
) -> Result<Vec<usize>> {
    let n = set.len();
    if rank == 0 {
        return Err(Error::param("rank", rank, "a whole number of at least 1"));
    }
    if n <= rank {
        return Ok((0..n).collect());
    }
    let mut random = Random::new(derive_seed(seed, 0x1a2d));
    if how == Landmarks::Uniform {
        return Ok(sample(n, rank, &mut random));
    }
    let pool = sample(n, rank.saturating_mul(POOL).min(n), &mut random);
    let among = Candidates { engine, kernel, set: &set.select(&pool), rank };
    let chosen = engine.run(|| match how {
        Landmarks::Uniform => Ok((0..rank).collect()),
        Landmarks::Leverage => among.by_leverage(&mut random),
        Landmarks::Spread => among.by_distance(&mut random),
        Landmarks::Pivots => among.by_pivots(Pivot::Greedy),
        Landmarks::RandomPivots => among.by_pivots(Pivot::Random(derive_seed(seed, 0x91b0))),
    })?;
    let mut chosen: Vec<usize> = chosen.into_iter().map(|i: usize| pool[i]).collect();
    chosen.sort_unstable();
    Ok(chosen)
}

/// `count` distinct numbers below n, ascending.
fn sample(n: usize, count: usize, random: &mut Random) -> Vec<usize> {
    let mut all: Vec<usize> = (0..n).collect();
    // A partial shuffle, as many steps as numbers needed.
    for i in 0..count.min(n) {
        let other = i + random.below(n - i);
        all.swap(i, other);
    }
    all.truncate(count);
    all.sort_unstable();
    all
}

/// The candidates for landmarks.
struct Candidates<'a, X: ?Sized, K: Kernel<X>> {
    engine: &'a Engine,
    kernel: &'a K,
    set: &'a K::Prepared,
    rank: usize,
}

impl<X: ?Sized, K: Kernel<X>> Candidates<'_, X, K> {
    /// Row p of the Gram matrix of the candidates.
    fn row(&self, p: usize) -> Result<Vec<f64>> {
        let n = self.set.len();
        let mut out = vec![0.0; n];
        let stretch = |at: usize, part: &mut [f64]| {
            budget::check()?;
            let cols = at * STRETCH..at * STRETCH + part.len();
            let row = Part::new(self.set, p..p + 1);
            budget::finished(self.kernel.fill(row, Part::new(self.set, cols), part))
        };
        self.engine.run(|| parallel::chunks_mut(&mut out, STRETCH, stretch))?;
        match out.iter().position(|v| !v.is_finite()) {
            Some(col) => Err(Error::NonFinite { row: p, col, overflow: true }),
            None => Ok(out),
        }
    }

    fn by_pivots(&self, rule: Pivot) -> Result<Vec<usize>> {
        let diagonal = self.engine.diagonal_of(self.kernel, self.set)?;
        let found = pivoted_cholesky(&diagonal, |p| self.row(p), self.rank, rule, 0.0)?;
        Ok(found.pivots)
    }

    fn by_distance(&self, random: &mut Random) -> Result<Vec<usize>> {
        let own = self.engine.diagonal_of(self.kernel, self.set)?;
        let mut nearest = vec![f64::INFINITY; own.len()];
        let mut chosen = Vec::with_capacity(self.rank);
        let mut next = Some(random.below(own.len()));
        while let Some(p) = next {
            chosen.push(p);
            if chosen.len() == self.rank {
                break;
            }
            let row = self.row(p)?;
            for (d, (k, o)) in nearest.iter_mut().zip(row.iter().zip(&own)) {
                *d = d.min((o + own[p] - 2.0 * k).max(0.0));
            }
            nearest[p] = 0.0;
            next = drawn(&nearest, random);
        }
        Ok(chosen)
    }

    /// l_i = (k_ii - k_iS·(K_SS + μI)⁻¹·k_Si) / λ from a uniform sample S, then a draw without replacement.
    ///
    /// λ is the mean of the eigenvalues beyond the rank, estimated from the sample; μ = λ·|S|/n.
    ///
    /// References: El Alaoui & Mahoney 2015, Fast randomized kernel ridge regression with statistical guarantees; Musco
    /// & Musco 2017, Recursive sampling for the Nyström method.
    fn by_leverage(&self, random: &mut Random) -> Result<Vec<usize>> {
        let n = self.set.len();
        let measured = sample(n, (2 * self.rank).min(n).min(MOST_MEASURED), random);
        let scale = n as f64 / measured.len() as f64;
        let anchors = self.set.select(&measured);
        let spectrum = Spectrum::of(&self.engine.gram_of(self.kernel, &anchors)?)?;
        let beyond = spectrum.values.iter().rev().skip(self.rank).map(|v| v.max(0.0)).sum::<f64>();
        let least = 1e-12 * spectrum.radius();
        let lambda = (scale * beyond / self.rank as f64).max(least);
        let shift = (lambda / scale).max(least);
        let own = self.engine.diagonal_of(self.kernel, self.set)?;
        // Leverage scores are at most 1; directions missing from the sample would give larger values.
        let share = |left: f64| (left.max(0.0) / lambda).min(1.0);
        let starts: Vec<usize> = (0..n).step_by(BATCH).collect();
        let score = |&start: &usize| -> Result<Vec<f64>> {
            budget::check()?;
            let rows = start..(start + BATCH).min(n);
            let mut tile = Dense::zeros(rows.len(), measured.len());
            let part = Part::new(self.set, rows.clone());
            budget::finished(self.kernel.fill(part, Part::all(&anchors), tile.values_mut()))?;
            let seen = product_transposed(&tile, &spectrum.vectors);
            let explained = |i: usize| -> f64 {
                let terms = seen.row(i).iter().zip(&spectrum.values);
                terms.map(|(b, v)| b * b / (v.max(0.0) + shift)).sum()
            };
            Ok(rows.clone().enumerate().map(|(i, at)| share(own[at] - explained(i))).collect())
        };
        let scores = self.engine.run(|| parallel::try_map(starts.len(), |k| score(&starts[k])))?.concat();
        // The objects with the smallest -ln(u)/l are a draw without replacement (Efraimidis & Spirakis 2006).
        let mut keys: Vec<(f64, usize)> = scores
            .iter()
            .enumerate()
            .map(|(i, l)| (-random.unit().max(f64::MIN_POSITIVE).ln() / l.max(f64::MIN_POSITIVE), i))
            .collect();
        keys.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        Ok(keys.into_iter().take(self.rank).map(|(_, i)| i).collect())
    }
}
