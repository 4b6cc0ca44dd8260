//! Fisher vectors from distances to reference objects, used by the similarity kernel.

use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::Cholesky;
use crate::numeric::algebra::{product_transposed, weighted_gram};
use crate::random::Random;
use crate::traits::Domain;

/// Which part of the Fisher information of the distances is used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fisher {
    /// The diagonal: each distance is scaled by its own standard deviation.
    Diagonal,
    /// The full matrix: F = the covariance matrix of the distances, with its diagonal multiplied by 1 + ridge.
    Full {
        /// The relative increase of the diagonal; above 0, because distances to similar references are nearly equal.
        ridge: f64,
    },
}

/// How reference objects are chosen among the training objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Choice {
    /// Uniformly at random.
    Random,
    /// The first at random, then always the object farthest from those chosen.
    Farthest,
    /// The medoids of as many clusters (k-medoids).
    Medoids,
}

/// Fisher vectors from distances to references.
///
/// For distances d_j to reference j with mean μ_j and standard deviation σ_j over the training objects, the feature of
/// an object is u_j = (μ_j - d_j) / σ_j; with [`Fisher::Full`], L⁻¹u where LLᵀ is the correlation matrix of the
/// distances plus ridge·I. The inner product of two such vectors is the similarity kernel, G_xᵀ F⁻¹ G_y. A distance
/// that is constant over the training objects is dropped; a missing one (NaN) counts as the mean.
///
/// Cost: n·p for p references, with [`Fisher::Full`] n·p² + p³ for fitting and p² per object.
///
/// ```
/// use mercer_core::{data::Dense, gram::{Fisher, FisherMap}};
/// let distances = Dense::from_rows(&[[0.0, 7.0], [2.0, 7.0]]);
/// let map = FisherMap::fit(&distances, Fisher::Diagonal)?;
/// assert_eq!(map.used_references(), [0]); // everything is equally far from the second reference
/// assert_eq!(map.features(&Dense::from_rows(&[[4.0, 1.0]]))?.values(), [-3.0]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// B. Daróczy, K. Buza and A. A. Benczúr, *Similarity kernel learning*, 2015.
#[derive(Clone, Debug, PartialEq)]
pub struct FisherMap {
    inputs: usize,
    kept: Vec<usize>,
    mean: Vec<f64>,
    deviation: Vec<f64>,
    /// L⁻¹.
    whitening: Option<Dense>,
}

impl FisherMap {
    /// Fits to the distances of the training objects (rows) to the references (columns).
    pub fn fit(distances: &Dense, fisher: Fisher) -> Result<Self> {
        let inputs = distances.cols();
        let mut map =
            FisherMap { inputs, kept: Vec::new(), mean: Vec::new(), deviation: Vec::new(), whitening: None };
        let (sums, counts) = column_sums(distances, |_, d| d);
        let means: Vec<f64> = sums.iter().zip(&counts).map(|(s, n)| s / *n as f64).collect();
        let (squares, _) = column_sums(distances, |j, d| (d - means[j]) * (d - means[j]));
        for j in 0..inputs {
            let deviation = (squares[j] / counts[j] as f64).sqrt();
            if means[j].is_infinite() || deviation.is_infinite() {
                return Err(Error::NonFinite { row: 0, col: j, overflow: true });
            }
            // Rounding alone must not create a feature.
            if counts[j] > 0 && deviation > 1e-12 * means[j].abs() && deviation > 0.0 {
                map.kept.push(j);
                map.mean.push(means[j]);
                map.deviation.push(deviation);
            }
        }
        if let Fisher::Full { ridge } = fisher {
            Domain::Positive.check("ridge", ridge)?;
            let u = map.standardized(distances)?;
            let share = 1.0 / u.rows().max(1) as f64;
            let mut correlation = weighted_gram(&u, &vec![share; u.rows()], None);
            (0..correlation.rows()).for_each(|j| correlation.row_mut(j)[j] += ridge);
            map.whitening = Some(inverse_root(correlation)?);
        }
        Ok(map)
    }

    /// The references with non-constant distances, ascending.
    pub fn used_references(&self) -> &[usize] {
        &self.kept
    }

    /// The number of distances it was fitted to.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The Fisher vectors of objects (rows) from their distances to all references (columns).
    pub fn features(&self, distances: &Dense) -> Result<Dense> {
        let u = self.standardized(distances)?;
        Ok(match &self.whitening {
            None => u,
            Some(whitening) => product_transposed(&u, whitening),
        })
    }

    fn standardized(&self, distances: &Dense) -> Result<Dense> {
        if distances.cols() != self.inputs {
            return Err(Error::Dimension { expected: self.inputs, found: distances.cols() });
        }
        let mut out = Dense::zeros(distances.rows(), self.kept.len());
        for i in 0..distances.rows() {
            let row = distances.row(i);
            let scale = self.mean.iter().zip(&self.deviation);
            for ((to, &j), (mean, deviation)) in out.row_mut(i).iter_mut().zip(&self.kept).zip(scale) {
                *to = if row[j].is_nan() { 0.0 } else { (mean - row[j]) / deviation };
            }
        }
        Ok(out)
    }

    /// The parts: the number of distances, the references kept, their means and standard deviations, and L⁻¹.
    #[doc(hidden)]
    pub fn parts(&self) -> (usize, &[usize], &[f64], &[f64], Option<&Dense>) {
        (self.inputs, &self.kept, &self.mean, &self.deviation, self.whitening.as_ref())
    }

    /// A map from its parts, after checks.
    #[doc(hidden)]
    pub fn from_parts(
        inputs: usize,
        kept: Vec<usize>,
        mean: Vec<f64>,
        deviation: Vec<f64>,
        whitening: Option<Dense>,
    ) -> Result<Self> {
        let p = kept.len();
        let ascending = kept.windows(2).all(|w| w[0] < w[1]) && kept.last().is_none_or(|&j| j < inputs);
        let square = whitening.as_ref().is_none_or(|w| (w.rows(), w.cols()) == (p, p));
        let good = deviation.iter().all(|d| *d > 0.0 && d.is_finite()) && mean.iter().all(|m| m.is_finite());
        if !ascending || !square || !good || mean.len() != p || deviation.len() != p {
            return Err(Error::usage("the parts of a Fisher map do not fit together"));
        }
        Ok(FisherMap { inputs, kept, mean, deviation, whitening })
    }
}

/// For each column the sum of a function of its values, and the number of values that are not NaN.
fn column_sums(a: &Dense, f: impl Fn(usize, f64) -> f64) -> (Vec<f64>, Vec<usize>) {
    let (mut sums, mut counts) = (vec![0.0; a.cols()], vec![0; a.cols()]);
    for i in 0..a.rows() {
        for (j, &v) in a.row(i).iter().enumerate().filter(|(_, v)| !v.is_nan()) {
            sums[j] += f(j, v);
            counts[j] += 1;
        }
    }
    (sums, counts)
}

/// L⁻¹ of a positive definite matrix LLᵀ.
fn inverse_root(matrix: Dense) -> Result<Dense> {
    let numeric = |reason: &str| Error::Numeric { reason: reason.into() };
    let factor = Cholesky::new(matrix)?
        .ok_or_else(|| numeric("the Fisher matrix is numerically singular: raise ridge"))?;
    Ok(factor.inverse_root())
}

/// Chooses references among n training objects, in ascending order; all of them if `count` is 0 or at least n.
///
/// `row(i)` returns the distances of object i to all. It is never called by [`Choice::Random`], once per reference by
/// [`Choice::Farthest`] and once per object by [`Choice::Medoids`].
pub fn choose_references(
    n: usize,
    count: usize,
    choice: Choice,
    seed: u64,
    mut row: impl FnMut(usize) -> Result<Vec<f64>>,
) -> Result<Vec<usize>> {
    if count == 0 || count >= n {
        return Ok((0..n).collect());
    }
    let mut random = Random::new(seed);
    let mut chosen = match choice {
        Choice::Random => {
            let mut all: Vec<usize> = (0..n).collect();
            random.shuffle(&mut all);
            all.truncate(count);
            all
        }
        Choice::Farthest => farthest(n, count, random.below(n), &mut row)?,
        Choice::Medoids => {
            let rows = (0..n).map(&mut row).collect::<Result<Vec<_>>>()?;
            let first = farthest(n, count, random.below(n), &mut |i| Ok(rows[i].clone()))?;
            medoids(&rows, first)
        }
    };
    chosen.sort_unstable();
    Ok(chosen)
}

/// Farthest-first traversal: T. F. Gonzalez, *Clustering to minimize the maximum intercluster distance*, 1985.
fn farthest(
    n: usize,
    count: usize,
    first: usize,
    row: &mut dyn FnMut(usize) -> Result<Vec<f64>>,
) -> Result<Vec<usize>> {
    let mut chosen = vec![first];
    let mut nearest = vec![f64::INFINITY; n];
    while chosen.len() < count {
        let last = chosen[chosen.len() - 1];
        nearest.iter_mut().zip(row(last)?).for_each(|(d, new)| *d = d.min(new));
        chosen.iter().for_each(|&i| nearest[i] = f64::NEG_INFINITY);
        // The first in a tie, so that the result does not depend on the order of threads.
        let next = (0..n).fold(None, |best: Option<usize>, i| match best {
            Some(b) if nearest[b] >= nearest[i] => Some(b),
            _ => Some(i),
        });
        chosen.extend(next);
    }
    Ok(chosen)
}

/// Assigns objects to their nearest medoid, then takes the object with the least sum of distances as medoid of each
/// cluster, until nothing changes (H.-S. Park and C.-H. Jun, *A simple and fast algorithm for K-medoids clustering*,
/// 2009).
fn medoids(rows: &[Vec<f64>], mut chosen: Vec<usize>) -> Vec<usize> {
    const MOST_ROUNDS: usize = 100;
    let least = |at: &mut dyn Iterator<Item = (usize, f64)>| {
        at.fold(None, |best: Option<(usize, f64)>, new| match best {
            Some(b) if b.1 <= new.1 => Some(b),
            _ => Some(new),
        })
    };
    for _ in 0..MOST_ROUNDS {
        let mut clusters: Vec<Vec<usize>> = vec![Vec::new(); chosen.len()];
        for (i, row) in rows.iter().enumerate() {
            // A medoid stays in its own cluster even if others are at distance 0 too.
            let own = chosen.iter().position(|&c| c == i);
            let nearest = own.or_else(|| least(&mut chosen.iter().map(|&c| row[c]).enumerate()).map(|b| b.0));
            nearest.into_iter().for_each(|c| clusters[c].push(i));
        }
        let centre = |members: &Vec<usize>| {
            let sum = |i: usize| members.iter().map(|&j| rows[i][j]).sum::<f64>();
            least(&mut members.iter().map(|&i| (i, sum(i)))).map(|b| b.0)
        };
        let next: Vec<usize> = clusters.iter().filter_map(centre).collect();
        if next == chosen {
            break;
        }
        chosen = next;
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random_distances(n: usize, p: usize, seed: u64) -> Dense {
        let mut random = Random::new(seed);
        Dense::new(n, p, (0..n * p).map(|_| random.unit() + 0.1).collect()).unwrap()
    }

    /// Uᵀ(C + ridge·diag C)⁻¹U with the covariance C, by Gaussian elimination.
    #[test]
    fn full_is_the_inverse_covariance() {
        let (n, p, ridge) = (30, 6, 0.05);
        let d = random_distances(n, p, 4);
        let map = FisherMap::fit(&d, Fisher::Full { ridge }).unwrap();
        let features = map.features(&d).unwrap();
        let mean: Vec<f64> = (0..p).map(|j| (0..n).map(|i| d.at(i, j)).sum::<f64>() / n as f64).collect();
        let mut c = vec![vec![0.0; p]; p];
        for (a, row) in c.iter_mut().enumerate() {
            for (b, v) in row.iter_mut().enumerate() {
                *v = (0..n).map(|i| (d.at(i, a) - mean[a]) * (d.at(i, b) - mean[b])).sum::<f64>() / n as f64;
            }
        }
        (0..p).for_each(|a| c[a][a] *= 1.0 + ridge);
        let (x, y): (Vec<f64>, Vec<f64>) =
            (0..p).map(|j| (mean[j] - d.at(3, j), mean[j] - d.at(8, j))).unzip();
        // c·z = y.
        let mut z = y;
        for k in 0..p {
            for r in k + 1..p {
                let f = c[r][k] / c[k][k];
                (k..p).for_each(|s| c[r][s] -= f * c[k][s]);
                z[r] -= f * z[k];
            }
        }
        for k in (0..p).rev() {
            z[k] = (z[k] - (k + 1..p).map(|s| c[k][s] * z[s]).sum::<f64>()) / c[k][k];
        }
        let want: f64 = x.iter().zip(&z).map(|(a, b)| a * b).sum();
        let found: f64 = features.row(3).iter().zip(features.row(8)).map(|(a, b)| a * b).sum();
        assert!((want - found).abs() < 1e-10, "{want} {found}");
        assert!(FisherMap::fit(&d, Fisher::Full { ridge: 0.0 }).is_err());
    }

    #[test]
    fn missing_distances_count_as_the_mean_and_constants_are_left_out() {
        let nan = f64::NAN;
        let d = Dense::from_rows(&[[1.0, nan, 5.0, nan], [3.0, 2.0, 5.0, nan], [nan, 4.0, 5.0, nan]]);
        let map = FisherMap::fit(&d, Fisher::Diagonal).unwrap();
        assert_eq!(map.used_references(), [0, 1]);
        let f = map.features(&d).unwrap();
        assert_eq!(f.values(), [1.0, 0.0, -1.0, 1.0, 0.0, -1.0]);
        let none = FisherMap::fit(&Dense::zeros(0, 3), Fisher::Full { ridge: 1.0 }).unwrap();
        assert_eq!(none.features(&Dense::zeros(2, 3)).unwrap().cols(), 0);
        assert!(map.features(&Dense::zeros(1, 3)).is_err());
    }

    #[test]
    fn references_cover_the_groups() {
        // Three groups on a line.
        let x: [f64; 9] = [0.0, 0.1, 0.2, 10.0, 10.1, 10.2, 30.0, 30.1, 30.2];
        let row = |i: usize| Ok(x.iter().map(|v| (v - x[i]).abs()).collect());
        for seed in 0..20 {
            let far = choose_references(9, 3, Choice::Farthest, seed, row).unwrap();
            let middle = choose_references(9, 3, Choice::Medoids, seed, row).unwrap();
            assert_eq!(middle, [1, 4, 7]);
            assert_eq!(far.iter().map(|i| i / 3).collect::<Vec<_>>(), [0, 1, 2]);
        }
        let none = |_: usize| -> Result<Vec<f64>> { Err(Error::usage("not needed")) };
        let a = choose_references(9, 4, Choice::Random, 1, none).unwrap();
        assert!(a.len() == 4 && a.windows(2).all(|w| w[0] < w[1]));
        assert_ne!(a, choose_references(9, 4, Choice::Random, 2, none).unwrap());
        assert_eq!(choose_references(3, 0, Choice::Medoids, 1, none).unwrap(), [0, 1, 2]);
        // Identical objects: the requested number is chosen nevertheless.
        let same = choose_references(5, 3, Choice::Medoids, 1, |_| Ok(vec![0.0; 5])).unwrap();
        assert_eq!(same.len(), 3);
    }
}
