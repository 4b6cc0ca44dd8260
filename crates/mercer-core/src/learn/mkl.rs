//! Multiple kernel learning: weights of several kernels, fitted to the target.
//!
//! Each function takes Gram matrices of the same training objects and returns a non-negative weight for each; the
//! weights sum to 1. The weighted sum can be used with any learner. Matrices should have the same scale
//! ([`trace_scales`]), because a larger kernel would dominate.

use crate::budget::Budget;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::{alignment, check_finite, check_square};
use crate::learn::targets::{check_codes, sides};
use crate::learn::{ClassCodes, Learner, Svc};
use crate::solve::{GramColumns, Limits};
use crate::traits::Domain;

/// The mean self-similarity of each matrix, or 1 if it is not above 0; dividing by it makes kernels comparable.
pub fn trace_scales(kernels: &[Dense]) -> Vec<f64> {
    let mean = |k: &Dense| (0..k.rows()).map(|i| k.at(i, i)).sum::<f64>() / k.rows().max(1) as f64;
    kernels.iter().map(mean).map(|m| if m > 0.0 && m.is_finite() { m } else { 1.0 }).collect()
}

/// Weights proportional to the centred alignment of each kernel with the classes; 0 for negative alignment.
///
/// Time O(n²) per kernel. Equal weights if no kernel aligns with the target.
///
/// ```
/// use mercer_core::{data::Dense, learn::mkl};
/// let good = Dense::from_rows(&[[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
/// let bad = Dense::from_rows(&[[1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 1.0, 1.0]]);
/// let weights = mkl::alignment_weights(&[good, bad], &[0, 0, 1])?;
/// assert!(weights[0] > weights[1]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// C. Cortes, M. Mohri and A. Rostamizadeh, *Algorithms for learning kernels based on centered alignment*, JMLR 13,
/// 2012.
pub fn alignment_weights(kernels: &[Dense], classes: &[usize]) -> Result<Vec<f64>> {
    let aligned = kernels.iter().map(|k| alignment::centered_with_classes(k, classes));
    Ok(shares(aligned.collect::<Result<_>>()?))
}

/// Like [`alignment_weights`], for a numeric target.
pub fn alignment_weights_of_values(kernels: &[Dense], target: &[f64]) -> Result<Vec<f64>> {
    let aligned = kernels.iter().map(|k| alignment::centered_with_values(k, target));
    Ok(shares(aligned.collect::<Result<_>>()?))
}

/// EasyMKL: the distance between the two classes in each kernel, at the nearest points of the classes under the
/// unweighted sum.
///
/// γ solves min (1 - λ)·γᵀYKYγ + λ·|γ|² over distributions on each class, K = Σ K_m; the weight of kernel m is
/// proportional to γᵀYK_mYγ. λ ranges from 0 (hard margin) to 1 (class means). With more than two classes the weights
/// of one class against the rest are averaged. Time O(n²) per step, with a small multiple of n steps.
///
/// F. Aiolli and M. Donini, *EasyMKL: a scalable multiple kernel learning algorithm*, Neurocomputing 169, 2015.
pub fn easy_weights(
    kernels: &[Dense],
    classes: &[usize],
    count: usize,
    lambda: f64,
    budget: &Budget,
) -> Result<Vec<f64>> {
    let n = check_all(kernels)?;
    check_codes(classes, n, count)?;
    if !(0.0..=1.0).contains(&lambda) {
        return Err(Error::param("lambda", lambda, "from 0 to 1"));
    }
    let sum = weighted_sum(kernels, &vec![1.0; kernels.len()]);
    let mut weights = vec![0.0; kernels.len()];
    for signs in sides(classes, count) {
        if signs.iter().all(|s| *s == signs[0]) {
            continue;
        }
        let gamma = nearest_points(&sum, &signs, lambda, budget)?;
        let signed: Vec<f64> = gamma.iter().zip(&signs).map(|(g, s)| g * s).collect();
        let own = shares(kernels.iter().map(|k| quadratic(k, &signed)).collect());
        weights.iter_mut().zip(own).for_each(|(w, own)| *w += own);
    }
    Ok(shares(weights))
}

/// The nearest points of the reduced convex hulls of the two classes: pairs of coefficients of one class are moved,
/// always those with the largest gain.
fn nearest_points(k: &Dense, signs: &[f64], lambda: f64, budget: &Budget) -> Result<Vec<f64>> {
    const TOLERANCE: f64 = 1e-6;
    let n = signs.len();
    let entry = |i: usize, j: usize| {
        (1.0 - lambda) * signs[i] * signs[j] * k.at(i, j) + if i == j { lambda } else { 0.0 }
    };
    let positive = signs.iter().filter(|s| **s > 0.0).count();
    let even = |s: f64| 1.0 / if s > 0.0 { positive } else { n - positive } as f64;
    let mut gamma: Vec<f64> = signs.iter().map(|s| even(*s)).collect();
    let mut gradient: Vec<f64> = (0..n).map(|i| (0..n).map(|j| entry(i, j) * gamma[j]).sum()).collect();
    for _ in 0..(100 * n + 10_000) {
        budget.check()?;
        let mut best = (0, 0, 0.0);
        for side in [1.0, -1.0] {
            let own = || (0..n).filter(|&i| signs[i] == side);
            let low = own().fold(None, |b: Option<usize>, i| match b {
                Some(b) if gradient[b] <= gradient[i] => Some(b),
                _ => Some(i),
            });
            let high = own().filter(|&i| gamma[i] > 0.0).fold(None, |b: Option<usize>, i| match b {
                Some(b) if gradient[b] >= gradient[i] => Some(b),
                _ => Some(i),
            });
            if let (Some(low), Some(high)) = (low, high)
                && gradient[high] - gradient[low] > best.2
            {
                best = (low, high, gradient[high] - gradient[low]);
            }
        }
        let (to, from, gap) = best;
        let objective: f64 = gamma.iter().zip(&gradient).map(|(g, d)| g * d).sum();
        if gap <= TOLERANCE * objective.abs().max(f64::MIN_POSITIVE) {
            break;
        }
        let curvature = entry(to, to) + entry(from, from) - 2.0 * entry(to, from);
        let step = if curvature > 0.0 { (gap / curvature).min(gamma[from]) } else { gamma[from] };
        gamma[to] += step;
        gamma[from] = (gamma[from] - step).max(0.0);
        for (i, slope) in gradient.iter_mut().enumerate() {
            *slope += step * (entry(i, to) - entry(i, from));
        }
    }
    Ok(gamma)
}

/// SimpleMKL: the weights that minimise the objective of a support vector machine.
///
/// Minimises, over weights that sum to 1, the optimal value of the model with kernel Σ w_m K_m. Alternates: fit the
/// model, then w_m ← w_m·√s_m / Σ w_l·√s_l with s_m = αᵀYK_mYα, until the largest s_m is within a thousandth of the
/// weighted mean, which bounds the duality gap. Reduced gradients with a line search, as first published, need more
/// fits for the same accuracy. With more than two classes s_m is summed over one-versus-one models.
///
/// A. Rakotomamonjy, F. Bach, S. Canu and Y. Grandvalet, *SimpleMKL*, JMLR 9, 2008; Z. Xu, R. Jin, H. Yang, I. King and
/// M. Lyu, *Simple and efficient multiple kernel learning by group lasso*, ICML 2010.
pub fn simple_weights(
    kernels: &[Dense],
    classes: &[usize],
    count: usize,
    c: f64,
    budget: &Budget,
) -> Result<Vec<f64>> {
    const MOST_ROUNDS: usize = 200;
    const TOLERANCE: f64 = 1e-3;
    let n = check_all(kernels)?;
    check_codes(classes, n, count)?;
    Domain::Positive.check("C", c)?;
    let limits = Limits { budget: budget.clone(), ..Limits::default() };
    let svc = Svc::new(c).with_limits(limits);
    let codes = ClassCodes::new(classes, count);
    let mut weights = vec![1.0 / kernels.len().max(1) as f64; kernels.len()];
    for _ in 0..MOST_ROUNDS {
        let sum = weighted_sum(kernels, &weights);
        let model = svc.fit_columns(&GramColumns::new(&sum)?, &codes)?;
        budget.check()?;
        let norms: Vec<f64> = kernels
            .iter()
            .map(|k| {
                let of = |m: &crate::learn::svm::DecisionFunction| {
                    let rows = m.support.iter().zip(&m.coefficients);
                    rows.map(|(&i, a)| {
                        let row = k.row(i);
                        a * m.support.iter().zip(&m.coefficients).map(|(&j, b)| b * row[j]).sum::<f64>()
                    })
                    .sum::<f64>()
                };
                model.classifiers().iter().map(of).sum::<f64>().max(0.0)
            })
            .collect();
        let mean: f64 = weights.iter().zip(&norms).map(|(w, s)| w * s).sum();
        let largest = norms.iter().fold(0.0, |m: f64, s| m.max(*s));
        if largest - mean <= TOLERANCE * mean {
            break;
        }
        weights = shares(weights.iter().zip(&norms).map(|(w, s)| w * s.sqrt()).collect());
    }
    Ok(weights)
}

fn check_all(kernels: &[Dense]) -> Result<usize> {
    let n = kernels.first().map_or(0, Dense::rows);
    for k in kernels {
        check_finite(k)?;
        if check_square(k)? != n {
            return Err(Error::usage("the kernels must be over the same objects"));
        }
    }
    Ok(n)
}

/// Σ w_m K_m.
fn weighted_sum(kernels: &[Dense], weights: &[f64]) -> Dense {
    let n = kernels.first().map_or(0, Dense::rows);
    let mut out = Dense::zeros(n, n);
    for (k, w) in kernels.iter().zip(weights).filter(|(_, w)| **w != 0.0) {
        out.values_mut().iter_mut().zip(k.values()).for_each(|(sum, v)| *sum += w * v);
    }
    out
}

fn quadratic(k: &Dense, x: &[f64]) -> f64 {
    let row = |i: usize| k.row(i).iter().zip(x).map(|(v, b)| v * b).sum::<f64>();
    (0..x.len()).filter(|&i| x[i] != 0.0).map(|i| x[i] * row(i)).sum()
}

/// The values normalised to sum 1, negative ones as 0; equal values if nothing is left.
fn shares(values: Vec<f64>) -> Vec<f64> {
    let sum: f64 = values.iter().map(|v| v.max(0.0)).sum();
    if !(sum > 0.0 && sum.is_finite()) {
        return vec![1.0 / values.len().max(1) as f64; values.len()];
    }
    values.into_iter().map(|v| v.max(0.0) / sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Kernels of single features of points: the first separates the classes, the others are noise.
    fn problem(n: usize, noise: usize, seed: u64) -> (Vec<Dense>, Vec<usize>) {
        let mut random = Random::new(seed);
        let classes: Vec<usize> = (0..n).map(|i| i % 2).collect();
        let kernels = (0..=noise).map(|m| {
            let x: Vec<f64> = classes
                .iter()
                .map(|&c| random.normal() + if m == 0 { 3.0 * c as f64 } else { 0.0 })
                .collect();
            Dense::new(
                n,
                n,
                x.iter().flat_map(|a| x.iter().map(move |b| (-(a - b) * (a - b)).exp())).collect(),
            )
            .unwrap()
        });
        (kernels.collect(), classes)
    }

    #[test]
    fn the_informative_kernel_gets_most_weight() {
        let (kernels, classes) = problem(60, 4, 3);
        let budget = Budget::default();
        let all = [
            alignment_weights(&kernels, &classes).unwrap(),
            easy_weights(&kernels, &classes, 2, 0.1, &budget).unwrap(),
            simple_weights(&kernels, &classes, 2, 1.0, &budget).unwrap(),
        ];
        for weights in all {
            assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!(weights[1..].iter().all(|w| *w < weights[0]), "{weights:?}");
        }
    }

    /// At the optimum no kernel's s_m exceeds the common value: moving weight to it gains nothing.
    #[test]
    fn simple_weights_are_optimal_against_a_grid() {
        let (kernels, classes) = problem(40, 1, 8);
        let weights = simple_weights(&kernels, &classes, 2, 2.0, &Budget::default()).unwrap();
        let objective = |w: f64| {
            let sum = weighted_sum(&kernels, &[w, 1.0 - w]);
            let svc = Svc::new(2.0);
            let model =
                svc.fit_columns(&GramColumns::new(&sum).unwrap(), &ClassCodes::new(&classes[..], 2)).unwrap();
            model.classifiers()[0].certificate.as_ref().unwrap().dual
        };
        let own = objective(weights[0]);
        let best = (0..=50).map(|i| objective(f64::from(i) / 50.0)).fold(f64::INFINITY, f64::min);
        assert!(own <= best * (1.0 + 2e-3), "{own} against {best} at {weights:?}");
    }

    /// λ = 1 gives the class means: weights are squared distances of means, in closed form.
    #[test]
    fn easy_weights_of_class_means() {
        let (kernels, classes) = problem(20, 2, 5);
        let weights = easy_weights(&kernels, &classes, 2, 1.0, &Budget::default()).unwrap();
        let signed: Vec<f64> = classes.iter().map(|&c| if c == 1 { 0.1 } else { -0.1 }).collect();
        let want = shares(kernels.iter().map(|k| quadratic(k, &signed)).collect());
        weights.iter().zip(&want).for_each(|(a, b)| assert!((a - b).abs() < 1e-12));
    }

    /// Compares the nearest points with many random feasible ones.
    #[test]
    fn nearest_points_are_nearest() {
        let (kernels, classes) = problem(24, 0, 9);
        let signs: Vec<f64> = classes.iter().map(|&c| if c == 1 { 1.0 } else { -1.0 }).collect();
        let value = |g: &[f64], lambda: f64| {
            let signed: Vec<f64> = g.iter().zip(&signs).map(|(g, s)| g * s).collect();
            (1.0 - lambda) * quadratic(&kernels[0], &signed) + lambda * g.iter().map(|g| g * g).sum::<f64>()
        };
        let mut random = Random::new(1);
        for lambda in [0.0, 0.2, 0.9] {
            let gamma = nearest_points(&kernels[0], &signs, lambda, &Budget::default()).unwrap();
            for side in [1.0, -1.0] {
                let sum: f64 = gamma.iter().zip(&signs).filter(|(_, s)| **s == side).map(|(g, _)| g).sum();
                assert!((sum - 1.0).abs() < 1e-9);
            }
            let best = value(&gamma, lambda);
            for _ in 0..500 {
                let raw: Vec<f64> = gamma.iter().map(|g| (g + 0.05 * random.normal()).max(0.0)).collect();
                let total = |side: f64| {
                    raw.iter().zip(&signs).filter(|(_, s)| **s == side).map(|(g, _)| g).sum::<f64>()
                };
                let (a, b) = (total(1.0), total(-1.0));
                let other: Vec<f64> =
                    raw.iter().zip(&signs).map(|(g, s)| g / if *s > 0.0 { a } else { b }).collect();
                assert!(value(&other, lambda) >= best * (1.0 - 1e-5) - 1e-12);
            }
        }
    }

    #[test]
    fn invalid_input_is_rejected_and_no_alignment_gives_equal_weights() {
        let k = Dense::from_rows(&[[1.0, 0.0], [0.0, 1.0]]);
        let budget = Budget::default();
        assert!(easy_weights(std::slice::from_ref(&k), &[0, 0], 2, 0.1, &budget).is_err());
        assert!(easy_weights(std::slice::from_ref(&k), &[0, 1], 2, 2.0, &budget).is_err());
        assert!(simple_weights(&[k.clone(), Dense::zeros(3, 3)], &[0, 1], 2, 1.0, &budget).is_err());
        let none = Dense::zeros(2, 2);
        assert_eq!(alignment_weights(&[none.clone(), none], &[0, 1]).unwrap(), [0.5, 0.5]);
    }
}
