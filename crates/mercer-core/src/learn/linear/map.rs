//! Ridge regression and principal components on explicit features, in time and memory linear in the number of objects.

use crate::budget;
use crate::data::{Dense, FeatureRows, Vectors};
use crate::error::{Error, Result};
use crate::gram::{Spectrum, check_finite};
use crate::learn::ridge::{lambdas_around, learned_lambda};
use crate::learn::targets::positive;
use crate::numeric::algebra::{product, product_transposed, weighted_gram};
use crate::numeric::inverse;
use crate::numeric::math::dot;
use crate::parallel;
use crate::solve::products;
use crate::traits::Domain;

/// Several linear functions of features, x ↦ W·x + b, fitted by ridge regression or principal components.
///
/// ```
/// use mercer_core::{data::{Dense, Vectors}, learn::LinearMap};
/// // The points 1 and 2 on a line, y = 3 x; ridge with λ = 5 and no intercept gives w = Σ x y / (Σ x² + λ) = 1.5.
/// let x = Vectors::from(Dense::from_rows(&[[1.0], [2.0]]));
/// let map = LinearMap::ridge(&x, &Dense::from_rows(&[[3.0], [6.0]]), 5.0, false)?;
/// assert!((map.decide(&x)?.at(1, 0) - 3.0).abs() < 1e-12);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LinearMap {
    /// One row per function.
    weights: Dense,
    offsets: Vec<f64>,
    /// For principal components: the variance along each, largest first, and the total variance.
    variances: Option<(Vec<f64>, f64)>,
}

/// Number of chunks of objects whose moments are summed separately, for any number of threads.
const CHUNKS: usize = 16;
/// Objects processed at a time.
const BATCH: usize = 512;
/// The maximum number of features, limited by the memory for second moments.
const MOST: usize = 20_000;

/// Means of the features and of the targets, and the sums of products of deviations.
struct Moments {
    mean: Vec<f64>,
    target_mean: Vec<f64>,
    /// Σ (x - mean)(x - mean)ᵀ.
    square: Dense,
    /// Σ (x - mean)·y, one row per feature.
    cross: Dense,
}

impl LinearMap {
    /// Ridge regression of each column of `targets`: minimises Σ_i (y_i - w·x_i - b)² + λ|w|², b free, or 0 without an
    /// intercept.
    ///
    /// Equals kernel ridge regression with the inner product of the features. Time O(n·d²), memory O(d²) in addition to
    /// the features; d is at most 20,000.
    pub fn ridge<'r>(
        rows: impl Into<FeatureRows<'r>>,
        targets: &Dense,
        lambda: f64,
        intercept: bool,
    ) -> Result<Self> {
        let rows = rows.into();
        Domain::Positive.check("lambda", lambda)?;
        if targets.rows() != rows.len() || rows.is_empty() {
            return Err(Error::usage(format!("{} targets for {} objects", targets.rows(), rows.len())));
        }
        check_finite(targets)?;
        let Moments { mean, target_mean, mut square, cross } = moments(rows, Some(targets), intercept)?;
        (0..square.rows()).for_each(|i| square.row_mut(i)[i] += lambda);
        let by_feature = product(&inverse(square)?, &cross);
        let mut weights = Dense::zeros(targets.cols(), rows.dim());
        for t in 0..targets.cols() {
            for f in 0..rows.dim() {
                weights.row_mut(t)[f] = by_feature.at(f, t);
            }
        }
        let offsets = (0..targets.cols()).map(|t| target_mean[t] - dot(weights.row(t), &mean)).collect();
        LinearMap::from_parts(weights, offsets, None)
    }

    /// The λ of least squared leave-one-out error, as [`learned_lambda`] finds it from the inner products of the features.
    ///
    /// With fewer features than objects it follows from their second moments: time O(n·d² + d³), memory as for
    /// [`LinearMap::ridge`].
    pub fn learned_lambda<'r>(
        rows: impl Into<FeatureRows<'r>>,
        targets: &Dense,
        intercept: bool,
    ) -> Result<f64> {
        let rows = rows.into();
        let (n, d, m) = (rows.len(), rows.dim(), targets.cols());
        if targets.rows() != n || n < 2 || m == 0 {
            return Err(Error::usage(format!("{} targets for {n} objects", targets.rows())));
        }
        check_finite(targets)?;
        if n <= d {
            if let Some(index) = rows.find_non_finite() {
                return Err(Error::Object {
                    index,
                    reason: "a feature is NaN or infinite".into(),
                    hint: None,
                });
            }
            let needed = budget::matrix_bytes(n, d, 8).saturating_add(budget::matrix_bytes(n, n, 8));
            budget::ask("features of all objects and their inner products", needed)?;
            let x = doubles(rows, 0..n);
            return learned_lambda(&product_transposed(&x, &x), targets, intercept);
        }
        let Moments { mean, target_mean, square, cross } = moments(rows, Some(targets), intercept)?;
        let spectrum = Spectrum::of(&square)?;
        let lambdas = lambdas_around(spectrum.values.iter().sum::<f64>() / n as f64);
        // Along each direction: what the targets have in common with it.
        let along = product(&spectrum.vectors, &cross);
        let constant = if intercept { 1.0 / n as f64 } else { 0.0 };
        let batches: Vec<_> = (0..n).step_by(BATCH).map(|from| from..(from + BATCH).min(n)).collect();
        let errors = parallel::try_map(batches.len(), |b| {
            budget::check()?;
            let mut x = doubles(rows, batches[b].clone());
            for i in 0..x.rows() {
                x.row_mut(i).iter_mut().zip(&mean).for_each(|(v, m)| *v -= m);
            }
            let turned = product_transposed(&x, &spectrum.vectors);
            let mut sums = vec![0.0; lambdas.len()];
            for (i, object) in batches[b].clone().enumerate() {
                for (sum, lambda) in sums.iter_mut().zip(&lambdas) {
                    let (mut own, mut values) = (constant, vec![0.0; m]);
                    for (k, z) in turned.row(i).iter().enumerate() {
                        let part = z / (spectrum.values[k].max(0.0) + lambda);
                        own += part * z;
                        values.iter_mut().zip(along.row(k)).for_each(|(v, c)| *v += part * c);
                    }
                    for (t, value) in values.iter().enumerate() {
                        let residual = targets.at(object, t) - target_mean[t] - value;
                        *sum += (residual / (1.0 - own).max(f64::MIN_POSITIVE)).powi(2);
                    }
                }
            }
            Ok::<_, Error>(sums)
        })?;
        let total = |k: usize| errors.iter().map(|sums| sums[k]).sum::<f64>();
        let mut best = (f64::INFINITY, 1.0);
        for (k, &lambda) in lambdas.iter().enumerate() {
            // Of equal ones the largest.
            if total(k) <= best.0 {
                best = (total(k), lambda);
            }
        }
        if best.0.is_finite() {
            return Ok(best.1);
        }
        Err(Error::Numeric { reason: "no leave-one-out error is finite".into() })
    }

    /// At most `components` directions of largest variance: equals kernel principal components with the inner product
    /// of the features.
    ///
    /// Directions with zero variance up to rounding are dropped. The weight of largest magnitude of each is positive.
    pub fn components<'r>(rows: impl Into<FeatureRows<'r>>, components: usize) -> Result<Self> {
        let rows = rows.into();
        positive("components", components)?;
        if rows.is_empty() {
            return Err(Error::usage("no objects to fit to"));
        }
        let Moments { mean, square, .. } = moments(rows, None, true)?;
        let spectrum = Spectrum::of(&square)?;
        let (d, n) = (spectrum.n(), rows.len() as f64);
        let rounding = 4.0 * d as f64 * f64::from(f32::EPSILON) * f64::from(f32::EPSILON) * spectrum.radius();
        let found = |k: &usize| spectrum.values[*k] > rounding.max(spectrum.tolerance());
        let total = (0..d).filter(found).map(|k| spectrum.values[k] / n).sum();
        let kept: Vec<usize> = (0..d).rev().filter(found).take(components).collect();
        let weights = spectrum.vectors.select(&kept);
        let offsets = (0..kept.len()).map(|k| -dot(weights.row(k), &mean)).collect();
        let variances = kept.iter().map(|&k| spectrum.values[k] / n).collect();
        LinearMap::from_parts(weights, offsets, Some((variances, total)))
    }

    /// A map from its parts, all finite.
    #[doc(hidden)]
    pub fn from_parts(weights: Dense, offsets: Vec<f64>, variances: Option<(Vec<f64>, f64)>) -> Result<Self> {
        check_finite(&weights)?;
        let along = variances.as_ref().is_none_or(|(v, total)| {
            v.len() == offsets.len() && total.is_finite() && v.iter().all(|v| v.is_finite() && *v > 0.0)
        });
        if weights.rows() != offsets.len() || offsets.iter().any(|b| !b.is_finite()) || !along {
            return Err(Error::usage("offsets or variances do not match the functions, or are not finite"));
        }
        Ok(LinearMap { weights, offsets, variances })
    }

    /// W: one row per function, one column per feature.
    pub fn weights(&self) -> &Dense {
        &self.weights
    }

    /// b of each function.
    pub fn offsets(&self) -> &[f64] {
        &self.offsets
    }

    /// The variance along each component, largest first, and the total variance; `None` for a regression.
    pub fn variances(&self) -> Option<(&[f64], f64)> {
        self.variances.as_ref().map(|(each, total)| (each.as_slice(), *total))
    }

    /// The value of each function (columns) for each row.
    pub fn decide<'r>(&self, rows: impl Into<FeatureRows<'r>>) -> Result<Dense> {
        let rows = rows.into();
        if rows.dim() != self.weights.cols() {
            return Err(Error::Dimension { expected: self.weights.cols(), found: rows.dim() });
        }
        if let Some(index) = rows.find_non_finite() {
            return Err(Error::Object { index, reason: "a feature is NaN or infinite".into(), hint: None });
        }
        let mut out = Dense::zeros(rows.len(), self.offsets.len());
        for (k, offset) in self.offsets.iter().enumerate() {
            for (i, v) in products(rows, self.weights.row(k)).into_iter().enumerate() {
                out.row_mut(i)[k] = v + offset;
            }
        }
        Ok(out)
    }
}

/// Rows in double precision.
fn doubles(rows: FeatureRows<'_>, range: std::ops::Range<usize>) -> Dense {
    let mut out = Dense::zeros(range.len(), rows.dim());
    for (to, i) in range.enumerate() {
        let to = out.row_mut(to);
        match rows {
            FeatureRows::Single(x) => to.iter_mut().zip(x.row(i)).for_each(|(v, &x)| *v = f64::from(x)),
            FeatureRows::Vectors(Vectors::Dense(x)) => to.copy_from_slice(x.row(i)),
            FeatureRows::Vectors(Vectors::Sparse(x)) => {
                let (features, values) = x.row(i);
                features.iter().zip(values).for_each(|(&f, v)| to[f as usize] = *v);
            }
        }
    }
    out
}

/// The moments of rows and targets, about the means if `centred`, otherwise about 0.
fn moments(rows: FeatureRows<'_>, targets: Option<&Dense>, centred: bool) -> Result<Moments> {
    let (n, d) = (rows.len(), rows.dim());
    if d > MOST {
        let domain = format!("at most {MOST}, so that their second moments fit in memory");
        return Err(Error::param("features", d, &domain));
    }
    if let Some(index) = rows.find_non_finite() {
        return Err(Error::Object { index, reason: "a feature is NaN or infinite".into(), hint: None });
    }
    let t = targets.map_or(0, Dense::cols);
    let needed = budget::matrix_bytes(d, d + t, 8).saturating_mul(CHUNKS as u64 + 1);
    budget::ask(&format!("second moments of {d} features"), needed)?;
    let batches = |s: usize| {
        let end = (s + 1) * n / CHUNKS;
        (s * n / CHUNKS..end).step_by(BATCH).map(move |from| from..(from + BATCH).min(end))
    };
    let sums: Vec<Vec<f64>> = parallel::map(CHUNKS, |s| {
        let mut sums = vec![0.0; d];
        for batch in batches(s) {
            if budget::is_spent() {
                break;
            }
            let x = doubles(rows, batch);
            (0..x.rows()).for_each(|i| sums.iter_mut().zip(x.row(i)).for_each(|(s, v)| *s += v));
        }
        sums
    });
    budget::check()?;
    let scale = if centred { 1.0 / n as f64 } else { 0.0 };
    let mean: Vec<f64> = (0..d).map(|f| scale * sums.iter().map(|s| s[f]).sum::<f64>()).collect();
    let total = |k: usize| targets.map_or(0.0, |y| (0..n).map(|i| y.at(i, k)).sum());
    let target_mean: Vec<f64> = (0..t).map(|k| scale * total(k)).collect();
    let parts: Vec<(Dense, Dense)> = parallel::map(CHUNKS, |s| {
        let (mut square, mut cross) = (Dense::zeros(d, d), Dense::zeros(d, t));
        for batch in batches(s) {
            if budget::is_spent() {
                break;
            }
            let mut x = doubles(rows, batch.clone());
            for i in 0..x.rows() {
                x.row_mut(i).iter_mut().zip(&mean).for_each(|(v, m)| *v -= m);
            }
            square = weighted_gram(&x, &vec![1.0; x.rows()], Some(&square));
            for (i, object) in batch.enumerate() {
                for (k, mean) in target_mean.iter().enumerate() {
                    let y = targets.map_or(0.0, |y| y.at(object, k)) - mean;
                    x.row(i).iter().enumerate().for_each(|(f, v)| cross.row_mut(f)[k] += v * y);
                }
            }
        }
        (square, cross)
    });
    budget::check()?;
    let mut square = Dense::zeros(d, d);
    let mut cross = Dense::zeros(d, t);
    for (more, with) in &parts {
        square.values_mut().iter_mut().zip(more.values()).for_each(|(s, v)| *s += v);
        cross.values_mut().iter_mut().zip(with.values()).for_each(|(s, v)| *s += v);
    }
    Ok(Moments { mean, target_mean, square, cross })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::learner::on_gram::OnGram;
    use crate::learn::{KernelPca, Ridge};
    use crate::random::Random;

    fn points(n: usize) -> (Dense, Dense) {
        let mut random = Random::new(8);
        let x = Dense::new(n, 6, (0..6 * n).map(|_| random.normal() + 0.3).collect()).unwrap();
        let y = (0..n).flat_map(|i| [x.at(i, 0) - 2.0 * x.at(i, 3), x.at(i, 1).abs() + 5.0]).collect();
        (x, Dense::new(n, 2, y).unwrap())
    }

    #[test]
    fn ridge_equals_kernel_ridge() {
        let (x, y) = points(70);
        let gram = product_transposed(&x, &x);
        let single = Dense::new(70, 6, x.values().iter().map(|&v| v as f32).collect()).unwrap();
        for intercept in [false, true] {
            let exact = Ridge::new(0.7).with_intercept(intercept).fit_many(&gram, &y).unwrap();
            let exact = exact.predict(&gram).unwrap();
            let map = LinearMap::ridge(&Vectors::from(x.clone()), &y, 0.7, intercept).unwrap();
            let found = map.decide(&Vectors::from(x.clone())).unwrap();
            for (a, b) in found.values().iter().zip(exact.values()) {
                assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{a} {b}");
            }
            let coarse = LinearMap::ridge(&single, &y, 0.7, intercept).unwrap().decide(&single).unwrap();
            assert!(coarse.values().iter().zip(exact.values()).all(|(a, b)| (a - b).abs() < 1e-4));
        }
    }

    #[test]
    fn a_learned_lambda_equals_that_of_inner_products() {
        let (x, y) = points(1300);
        let noisy = |scale: f64| {
            let mut random = Random::new(3);
            let mut y = y.clone();
            y.values_mut().iter_mut().for_each(|v| *v += scale * random.normal());
            y
        };
        for (n, scale) in [(1300, 0.0), (1300, 40.0), (70, 1.0), (5, 1.0)] {
            let some: Vec<usize> = (0..n).collect();
            let (x, y) = (x.select(&some), noisy(scale).select(&some));
            let gram = product_transposed(&x, &x);
            for intercept in [false, true] {
                let exact = learned_lambda(&gram, &y, intercept).unwrap();
                let found = LinearMap::learned_lambda(&Vectors::from(x.clone()), &y, intercept).unwrap();
                assert!((found / exact - 1.0).abs() < 0.006, "{n} {scale} {intercept}: {found} {exact}");
            }
        }
        assert!(LinearMap::learned_lambda(&Vectors::from(x), &y.select(&[0]), true).is_err());
    }

    #[test]
    fn components_equal_kernel_components() {
        let (x, _) = points(50);
        let gram = product_transposed(&x, &x);
        let exact = KernelPca::new(3).fit_alone(&gram).unwrap();
        let map = LinearMap::components(&Vectors::from(x.clone()), 3).unwrap();
        let (variances, _) = map.variances().unwrap();
        let found = map.decide(&Vectors::from(x)).unwrap();
        for (k, variance) in variances.iter().enumerate() {
            assert!((variance - exact.variances()[k]).abs() < 1e-9);
            let sign = (found.at(0, k) * exact.training().at(0, k)).signum();
            assert!((0..50).all(|i| (found.at(i, k) - sign * exact.training().at(i, k)).abs() < 1e-8));
        }
        assert!(LinearMap::components(&Vectors::from(Dense::zeros(4, 2)), 1).unwrap().offsets().is_empty());
    }

    #[test]
    fn invalid_arguments_are_rejected() {
        let (x, y) = points(10);
        let x = Vectors::from(x);
        assert!(LinearMap::ridge(&x, &y.select(&[0, 1]), 1.0, true).is_err());
        assert!(LinearMap::ridge(&x, &y, 0.0, true).is_err());
        assert!(LinearMap::components(&x, 0).is_err());
        let map = LinearMap::ridge(&x, &y, 1.0, true).unwrap();
        assert!(map.decide(&Vectors::from(Dense::zeros(1, 5))).is_err());
    }
}
