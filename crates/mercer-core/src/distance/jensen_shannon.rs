//! The Jensen–Shannon distance of distributions.

use std::f64::consts::LN_2;

use super::Distance;
use crate::data::{Dense, Kind, Sparse, Strings, Vectors};
use crate::error::{Error, Result};
use crate::kernel::counts::Counts;
use crate::kernel::vector::{PreparedVectors, products};
use crate::numeric::math;
use crate::text::each_word;
use crate::traits::{Definiteness, Facts, Part, Prepared, declared};

/// The Jensen–Shannon distance of distributions.
///
/// d(x, y) = √((KL(p‖m) + KL(q‖m))/2) with natural logarithms, p = x/Σx, q = y/Σy and m = (p + q)/2, for nonnegative
/// vectors. It is a metric, from 0 for equal distributions to √ln 2 for disjoint ones. The distance between two zero
/// vectors is 0, and from a zero vector to any other vector √ln 2. A text is treated as the distribution of its words.
///
/// With f(s) = s·ln s the squared distance is ln 2 - ½Σ(f(p_i + q_i) - f(p_i) - f(q_i)), where only shared coordinates
/// contribute: one logarithm for each. Close pairs are computed from nonnegative terms instead. (The definition has two
/// logarithms per coordinate and costs twice as much.)
///
/// ```
/// use mercer_core::{data::{Dense, Vectors}, distance::{JensenShannon, NegativeSquaredDistance}, gram::Engine};
/// let x = Vectors::from(Dense::from_rows(&[[1.0, 0.0, 0.0], [0.0, 3.0, 0.0], [2.0, 0.0, 0.0]]));
/// let d = Engine::new().distances(&NegativeSquaredDistance(JensenShannon), &x)?;
/// assert!((d.at(0, 1) - 2.0f64.ln().sqrt()).abs() < 1e-15);
/// assert_eq!(d.at(0, 2), 0.0);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Reference: Endres & Schindelin 2003, A new metric for probability distributions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JensenShannon;

impl JensenShannon {
    /// Facts about this distance.
    pub const FACTS: Facts = Facts {
        name: "jensen-shannon",
        summary: "The Jensen–Shannon distance of distributions: counts of at least 0, or the words of a text.",
        formula: "d(x, y) = √(½ Σ p_i ln(p_i/m_i) + ½ Σ q_i ln(q_i/m_i)), p = x/Σx, q = y/Σy, m = (p + q)/2",
        takes: "numbers of at least 0, or text",
        kinds: &[Kind::Numbers, Kind::Sparse, Kind::Text],
        definiteness: Definiteness::Indefinite,
        parameters: &[],
        cost: "a logarithm for each shared coordinate",
        reference: "Endres & Schindelin 2003",
        example: "jensen-shannon",
    };
}

declared!(JensenShannon);

/// Distributions, with Σ p ln p of each; NaN marks a zero vector, which has no distribution.
#[derive(Debug)]
pub struct Distributions {
    shares: PreparedVectors,
    sums: Vec<f64>,
}

impl Prepared for Distributions {
    fn len(&self) -> usize {
        self.sums.len()
    }

    fn select(&self, chosen: &[usize]) -> Self {
        Distributions { shares: self.shares.select(chosen), sums: self.sums.select(chosen) }
    }
}

impl Distributions {
    fn new(vectors: &Vectors) -> Result<Self> {
        let shared = |index: usize, values: &[f64]| -> Result<Vec<f64>> {
            if values.iter().any(|v| *v < 0.0 || !v.is_finite()) {
                let reason =
                    "holds a value that is negative or not finite; jensen-shannon compares counts or shares";
                return Err(Error::Object { index, reason: reason.into(), hint: None });
            }
            // The sum of very large doubles may overflow.
            let scale = if values.iter().sum::<f64>().is_finite() { 1.0 } else { 2f64.powi(-64) };
            let total: f64 = values.iter().map(|v| v * scale).sum();
            Ok(values.iter().map(|v| if total > 0.0 { v * scale / total } else { 0.0 }).collect())
        };
        let scaled = match vectors {
            Vectors::Dense(x) => {
                let mut values = Vec::with_capacity(x.rows() * x.cols());
                for i in 0..x.rows() {
                    values.extend(shared(i, x.row(i))?);
                }
                Vectors::Dense(Dense::new(x.rows(), x.cols(), values)?)
            }
            Vectors::Sparse(x) => {
                let mut rows = Vec::with_capacity(x.rows());
                for i in 0..x.rows() {
                    let (features, values) = x.row(i);
                    let own = shared(i, values)?;
                    // A stored zero is not an entry.
                    rows.push(features.iter().copied().zip(own).filter(|(_, v)| *v > 0.0).collect());
                }
                Vectors::Sparse(Sparse::from_rows(x.dim(), &rows)?)
            }
        };
        let sum = |values: &[f64]| match values.iter().any(|v| *v > 0.0) {
            true => values.iter().map(|p| f(*p)).sum(),
            false => f64::NAN,
        };
        let sums = (0..scaled.len()).map(|i| match &scaled {
            Vectors::Dense(x) => sum(x.row(i)),
            Vectors::Sparse(x) => sum(x.row(i).1),
        });
        Ok(Distributions { sums: sums.collect(), shares: PreparedVectors::new(&scaled)? })
    }
}

/// s·ln s, 0 at 0.
#[inline(always)]
fn f(s: f64) -> f64 {
    s * math::ln(s)
}

/// Squared distances below this are computed from coordinates, because they are differences of sums of about 1.
const CLOSE: f64 = 1e-3;

fn fill_between(rows: Part<'_, Distributions>, cols: Part<'_, Distributions>, out: &mut [f64]) -> Result<()> {
    let (own, their) = (rows.of(|s| &s.shares), cols.of(|s| &s.shares));
    let dense = matches!((&own.set.vectors, &their.set.vectors), (Vectors::Dense(_), Vectors::Dense(_)));
    if dense {
        products::fill_shared_sums(
            &own,
            &their,
            out,
            #[inline(always)]
            |p, q| f(p + q),
        )?;
    } else {
        products::fill_shared_sums(&own, &their, out, |p, q| f(p + q) - f(p) - f(q))?;
    }
    let sums = |part: &Part<'_, Distributions>| part.set.sums[part.range.clone()].to_vec();
    let theirs = sums(&cols);
    for ((row, mine), i) in out.chunks_exact_mut(cols.len().max(1)).zip(sums(&rows)).zip(rows.range.clone()) {
        for ((v, their_sum), j) in row.iter_mut().zip(&theirs).zip(cols.range.clone()) {
            if mine.is_nan() || their_sum.is_nan() {
                *v = if mine.is_nan() && their_sum.is_nan() { 0.0 } else { LN_2.sqrt() };
                continue;
            }
            let shared = if dense { *v - mine - their_sum } else { *v };
            let squared = LN_2 - 0.5 * shared;
            let squared =
                if squared < CLOSE { close(&own.set.vectors, i, &their.set.vectors, j) } else { squared };
            *v = squared.min(LN_2).sqrt();
        }
    }
    Ok(())
}

/// The squared distance as a sum of nonnegative terms: with r = (p - q)/(p + q) each is
/// (p + q)/4·((1 + r) ln(1 + r) + (1 - r) ln(1 - r)).
fn close(a: &Vectors, i: usize, b: &Vectors, j: usize) -> f64 {
    let mut sum = 0.0;
    products::merge(a, i, b, j, |p, q| {
        let s = p + q;
        if s > 0.0 {
            let r = (p - q) / s;
            let r2 = r * r;
            let term = if r2 < 1e-3 {
                // The series Σ r^2n/(n(2n - 1)) avoids the cancellation of the formula below.
                r2 * (1.0 + r2 * (1.0 / 6.0 + r2 * (1.0 / 15.0 + r2 * (1.0 / 28.0 + r2 * (1.0 / 45.0)))))
            } else {
                let entropy = |t: f64| if t > 0.0 { t * t.ln() } else { 0.0 };
                entropy(1.0 + r) + entropy(1.0 - r)
            };
            sum += 0.25 * s * term;
        }
    });
    sum
}

impl Distance<Vectors> for JensenShannon {
    type Prepared = Distributions;

    fn prepare(&self, objects: &Vectors) -> Result<Self::Prepared> {
        Distributions::new(objects)
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        fill_between(rows, cols, out)
    }

    fn tile_side(&self) -> usize {
        64
    }
}

/// Texts as distributions of their words, in lower case and split by Unicode word boundaries.
impl Distance<Strings> for JensenShannon {
    type Prepared = Counts;

    fn prepare(&self, texts: &Strings) -> Result<Counts> {
        Counts::collect(texts.len(), |i, bag| {
            each_word(texts.get(i), |word| bag.add(xxhash_rust::xxh3::xxh3_128(word.as_bytes())));
            Ok(())
        })
    }

    fn fill(&self, rows: Part<'_, Counts>, cols: Part<'_, Counts>, out: &mut [f64]) -> Result<()> {
        let (own, their) = Counts::in_common_space(&rows, &cols)?;
        let own = Distributions::new(&Vectors::Sparse(own))?;
        let their = Distributions::new(&Vectors::Sparse(their))?;
        fill_between(Part::all(&own), Part::all(&their), out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::NegativeSquaredDistance;
    use crate::gram::Engine;
    use crate::random::Random;

    /// The distance by its definition.
    fn by_definition(x: &[f64], y: &[f64]) -> f64 {
        let (a, b): (f64, f64) = (x.iter().sum(), y.iter().sum());
        let mut sum = 0.0;
        for (x, y) in x.iter().zip(y) {
            let (p, q) = (x / a, y / b);
            let m = (p + q) / 2.0;
            sum += if p > 0.0 { p * (p / m).ln() } else { 0.0 };
            sum += if q > 0.0 { q * (q / m).ln() } else { 0.0 };
        }
        (sum / 2.0).max(0.0).sqrt()
    }

    #[test]
    fn dense_sparse_and_mixed_agree_with_the_definition() {
        let mut random = Random::new(3);
        // Values over many orders of magnitude, half of them 0.
        let value = |random: &mut Random| {
            let size = (-30.0 * random.unit()).exp();
            if random.below(2) == 0 { 0.0 } else { size }
        };
        let rows: Vec<Vec<f64>> = (0..40).map(|_| (0..23).map(|_| value(&mut random)).collect()).collect();
        let dense = Vectors::Dense(Dense::new(40, 23, rows.concat()).unwrap());
        let stored =
            |r: &Vec<f64>| (0..).zip(r.iter().copied()).filter(|e| e.1 > 0.0).collect::<Vec<(u32, f64)>>();
        let sparse =
            Vectors::Sparse(Sparse::from_rows(23, &rows.iter().map(stored).collect::<Vec<_>>()).unwrap());
        let engine = Engine::new();
        let kernel = NegativeSquaredDistance(JensenShannon);
        for (a, b) in [(&dense, &dense), (&sparse, &sparse), (&dense, &sparse)] {
            let d = engine.cross_distances(&kernel, a, b).unwrap();
            for (i, x) in rows.iter().enumerate() {
                for (j, y) in rows.iter().enumerate() {
                    let expected = by_definition(x, y);
                    assert!(
                        (d.at(i, j) - expected).abs() < 1e-12 || i == j,
                        "{i} {j}: {} {expected}",
                        d.at(i, j)
                    );
                    assert!(i != j || d.at(i, j) < 1e-15);
                }
            }
        }
    }

    #[test]
    fn distances_of_close_distributions_are_accurate() {
        let x: Vec<f64> = (1..50).map(f64::from).collect();
        for change in [1e-3, 1e-6, 1e-9] {
            let mut y = x.clone();
            y[7] *= 1.0 + change;
            let both = Vectors::Dense(Dense::new(2, 49, [x.clone(), y].concat()).unwrap());
            let d = Engine::new().distances(&NegativeSquaredDistance(JensenShannon), &both).unwrap().at(0, 1);
            // To second order the divergence is an eighth of Σ (p - q)²/p.
            let p = 8.0 / 1225.0;
            let expected = (p * (1.0 - p) / 8.0f64).sqrt() * change;
            assert!((d / expected - 1.0).abs() < 2.0 * change + 1e-6, "{change}: {d} {expected}");
        }
    }

    #[test]
    fn scipy_values() {
        // scipy.spatial.distance.jensenshannon of SciPy 1.17.1.
        let x = Vectors::Dense(Dense::from_rows(&[
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.5, 0.5, 0.0],
            [1.0, 2.0, 3.0],
            [3.0, 1.0, 7.0],
        ]));
        let d = Engine::new().distances(&NegativeSquaredDistance(JensenShannon), &x).unwrap();
        assert!((d.at(0, 1) - 0.832_554_611_157_697_7).abs() < 1e-15);
        assert!((d.at(0, 2) - 0.464_501_404_022_459).abs() < 1e-15);
        assert!((d.at(3, 4) - 0.217_673_961_998_417_57).abs() < 1e-15);
    }

    #[test]
    fn zero_vectors_and_extreme_values() {
        let x = Vectors::Dense(Dense::from_rows(&[
            [0.0, 0.0],
            [1e308, 1.7e308],
            [1.0, 1.7],
            [5e-324, 0.0],
            [0.0, 0.0],
        ]));
        let d = Engine::new().distances(&NegativeSquaredDistance(JensenShannon), &x).unwrap();
        assert_eq!(d.at(0, 4), 0.0);
        assert!((d.at(0, 1) - LN_2.sqrt()).abs() < 1e-15);
        assert!(d.at(1, 2) < 1e-8 && d.at(3, 2) > 0.3);
        let bad = Vectors::Dense(Dense::from_rows(&[[1.0], [-1.0]]));
        assert!(matches!(JensenShannon.prepare(&bad), Err(Error::Object { index: 1, .. })));
    }

    #[test]
    fn texts_are_distributions_of_words() {
        let texts: Strings = ["to be or not to be", "Be or not!", "", "kernel"].into_iter().collect();
        let engine = Engine::new();
        let d = engine.distances(&NegativeSquaredDistance(JensenShannon), &texts).unwrap();
        // to, be, or, not, kernel
        let counts =
            [[2.0, 2.0, 1.0, 1.0, 0.0], [0.0, 1.0, 1.0, 1.0, 0.0], [0.0; 5], [0.0, 0.0, 0.0, 0.0, 1.0]];
        let plain = engine
            .distances(&NegativeSquaredDistance(JensenShannon), &Vectors::Dense(Dense::from_rows(&counts)))
            .unwrap();
        for (a, b) in d.values().iter().zip(plain.values()) {
            assert!((a - b).abs() < 1e-14);
        }
        let cross = engine
            .cross_distances(
                &NegativeSquaredDistance(JensenShannon),
                &texts.select(&[3, 1]),
                &texts.select(&[0, 2]),
            )
            .unwrap();
        assert!((cross.at(1, 0) - d.at(1, 0)).abs() < 1e-14 && (cross.at(0, 1) - d.at(3, 2)).abs() < 1e-14);
    }
}
