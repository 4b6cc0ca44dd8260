//! Kernel alignment: how well a Gram matrix agrees with another one or with a target.
//!
//! The alignment of K with T is their cosine as vectors of n² numbers, ⟨K, T⟩ / (|K| |T|) with ⟨K, T⟩ = Σ K_ij T_ij. It
//! lies in [-1, 1], and in [0, 1] when both are positive semidefinite. The centred alignment centres both first, so
//! that a constant added to the kernel has no effect and unbalanced classes do not dominate (Cortes, Mohri,
//! Rostamizadeh 2012). A zero matrix (or a constant one, if centred) has alignment 0. All functions take O(n²) time.
//!
//! ```
//! use mercer_core::{data::Dense, gram::alignment};
//! let k = Dense::from_rows(&[[1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 1.0, 1.0]]);
//! assert!((alignment::centered_with_classes(&k, &[7, 3, 3])? - 1.0).abs() < 1e-12);
//! assert!(alignment::centered_with_classes(&k, &[3, 3, 7])? < 0.5);
//! # Ok::<(), mercer_core::Error>(())
//! ```

use std::collections::BTreeMap;

use super::centering::{Centering, mean};
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::algebra::{frobenius, largest};
use crate::numeric::check::{check_finite, check_square, check_values};

/// ⟨K, T⟩ / (|K| |T|) of two Gram matrices over the same objects.
pub fn alignment(k: &Dense, target: &Dense) -> Result<f64> {
    check_pair(k, target)?;
    Ok(cosine(k.values(), target.values()))
}

/// The alignment of both matrices after centring each.
pub fn centered_alignment(k: &Dense, target: &Dense) -> Result<f64> {
    check_pair(k, target)?;
    match (centred(k)?, centred(target)?) {
        (Some(a), Some(b)) => Ok(cosine(a.values(), b.values())),
        _ => Ok(0.0),
    }
}

/// The alignment with classes: T_ij = 1 for two objects of one class and -1/(c-1) for two of different classes, c the
/// number of classes. For two classes that is y yᵀ, y = ±1.
///
/// T is never built.
pub fn with_classes(k: &Dense, classes: &[usize]) -> Result<f64> {
    check_square(k)?;
    check_finite(k)?;
    let sizes = sizes(k, classes)?;
    let n = classes.len() as f64;
    let scale = largest(k.values());
    if scale == 0.0 {
        return Ok(0.0);
    }
    let (same, all) = sums(k, classes, scale);
    let away = if sizes.len() > 1 { -1.0 / (sizes.len() as f64 - 1.0) } else { 0.0 };
    let pairs: f64 = sizes.iter().map(|s| s * s).sum();
    let target = (pairs + away * away * (n * n - pairs)).sqrt();
    Ok((same + away * (all - same)) / (frobenius(k.values()) / scale * target))
}

/// The centred alignment with classes. Any T that is one constant within classes and a smaller one between
/// them gives the same value.
///
/// T is never built. 0 when there is only one class.
pub fn centered_with_classes(k: &Dense, classes: &[usize]) -> Result<f64> {
    let sizes = sizes(k, classes)?;
    let Some(centred) = centred(k)? else { return Ok(0.0) };
    let n = classes.len() as f64;
    // |J Z Zᵀ J|² for the indicator matrix Z: only the class sizes matter.
    let power = |p: i32| sizes.iter().map(|s| (s / n).powi(p)).sum::<f64>();
    let target = (power(2) - 2.0 * power(3) + power(2) * power(2)).max(0.0).sqrt() * n;
    if sizes.len() < 2 || target == 0.0 {
        return Ok(0.0);
    }
    let scale = largest(centred.values());
    let (same, _) = sums(&centred, classes, scale);
    Ok(same / (frobenius(centred.values()) / scale * target))
}

/// The centred alignment with a numeric target, T = y yᵀ: ŷᵀ K ŷ / (|K̂| |ŷ|²) with ŷ = y - mean(y).
///
/// 0 when y is constant.
pub fn centered_with_values(k: &Dense, y: &[f64]) -> Result<f64> {
    let n = check_square(k)?;
    check_values(y, n, "target values")?;
    let top = largest(y);
    let Some(centred) = centred(k)? else { return Ok(0.0) };
    if top == 0.0 {
        return Ok(0.0);
    }
    let scaled: Vec<f64> = y.iter().map(|v| v / top).collect();
    let middle = mean(&scaled);
    let y: Vec<f64> = scaled.iter().map(|v| v - middle).collect();
    let squares: f64 = y.iter().map(|v| v * v).sum();
    if squares.sqrt() <= n as f64 * f64::EPSILON {
        return Ok(0.0);
    }
    let scale = largest(centred.values());
    let form: f64 =
        (0..n).map(|i| y[i] * centred.row(i).iter().zip(&y).map(|(v, b)| v / scale * b).sum::<f64>()).sum();
    Ok(form / (frobenius(centred.values()) / scale * squares))
}

fn check_pair(k: &Dense, target: &Dense) -> Result<()> {
    let (n, m) = (check_square(k)?, check_square(target)?);
    if n != m {
        return Err(Error::Shape { expected: format!("{n} × {n}"), found: format!("{m} × {m}") });
    }
    check_finite(k)?;
    check_finite(target)
}

/// The class sizes; every object must have a class.
fn sizes(k: &Dense, classes: &[usize]) -> Result<Vec<f64>> {
    let n = check_square(k)?;
    if classes.len() != n {
        return Err(Error::Shape {
            expected: format!("{n} class codes"),
            found: format!("{}", classes.len()),
        });
    }
    let mut counts: BTreeMap<usize, f64> = BTreeMap::new();
    for c in classes {
        *counts.entry(*c).or_default() += 1.0;
    }
    Ok(counts.into_values().collect())
}

/// Σ over pairs of one class, and over all pairs, in units of `scale`.
fn sums(k: &Dense, classes: &[usize], scale: f64) -> (f64, f64) {
    let (mut same, mut all) = (0.0, 0.0);
    for (i, class) in classes.iter().enumerate() {
        let (mut near, mut row) = (0.0, 0.0);
        for (j, v) in k.row(i).iter().enumerate() {
            let v = v / scale;
            row += v;
            if classes[j] == *class {
                near += v;
            }
        }
        same += near;
        all += row;
    }
    (same, all)
}

fn cosine(a: &[f64], b: &[f64]) -> f64 {
    let (top_a, top_b) = (largest(a), largest(b));
    if top_a == 0.0 || top_b == 0.0 {
        return 0.0;
    }
    let dot: f64 = a.iter().zip(b).map(|(x, y)| (x / top_a) * (y / top_b)).sum();
    dot / (frobenius(a) / top_a) / (frobenius(b) / top_b)
}

/// The centred matrix, or `None` when only rounding is left of it.
fn centred(k: &Dense) -> Result<Option<Dense>> {
    let mut out = k.clone();
    Centering::fit(k)?.apply_train(&mut out)?;
    let noise = k.rows() as f64 * f64::EPSILON * largest(k.values());
    Ok((largest(out.values()) > noise).then_some(out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::algebra::test_support::*;
    use proptest::prelude::*;

    /// The full target matrix.
    fn target(classes: &[usize], away: f64) -> Dense {
        let n = classes.len();
        let values = (0..n * n).map(|t| if classes[t / n] == classes[t % n] { 1.0 } else { away });
        Dense::new(n, n, values.collect()).unwrap()
    }

    fn labelled() -> impl Strategy<Value = (Dense, Vec<usize>)> {
        vectors().prop_flat_map(|x| {
            let n = x.rows();
            (Just(x), prop::collection::vec(0usize..3, n))
        })
    }

    #[test]
    fn worked_points() {
        let k = worked_gram();
        assert!((alignment(&k, &k).unwrap() - 1.0).abs() < 1e-12);
        assert!((centered_alignment(&k, &k).unwrap() - 1.0).abs() < 1e-12);
        let y = [1.0, -1.0, -1.0, 1.0, -1.0];
        let yy = Dense::new(5, 5, (0..25).map(|t| y[t / 5] * y[t % 5]).collect()).unwrap();
        let want = alignment(&k, &yy).unwrap();
        assert!((with_classes(&k, &[1, 0, 0, 1, 0]).unwrap() - want).abs() < 1e-12);
    }

    #[test]
    fn zero_and_constant_matrices_have_alignment_zero() {
        let (zero, flat) = (Dense::zeros(3, 3), Dense::new(3, 3, vec![0.7; 9]).unwrap());
        let k = linear(&Dense::from_rows(&[[1.0], [2.0], [4.0]]));
        assert_eq!(alignment(&zero, &k).unwrap(), 0.0);
        assert_eq!(centered_alignment(&flat, &k).unwrap(), 0.0);
        assert_eq!(with_classes(&zero, &[0, 1, 2]).unwrap(), 0.0);
        assert_eq!(centered_with_classes(&flat, &[0, 1, 2]).unwrap(), 0.0);
        assert_eq!(centered_with_classes(&k, &[4, 4, 4]).unwrap(), 0.0);
        assert_eq!(centered_with_values(&k, &[0.1, 0.1, 0.1]).unwrap(), 0.0);
        assert_eq!(centered_with_values(&k, &[0.0; 3]).unwrap(), 0.0);
        let huge = Dense::from_rows(&[[1e300, 0.0], [0.0, 1e300]]);
        assert!((alignment(&huge, &huge).unwrap() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn mismatched_arguments_are_rejected() {
        let k = worked_gram();
        for bad in [Dense::zeros(0, 0), Dense::zeros(2, 3), Dense::zeros(4, 4)] {
            assert!(alignment(&k, &bad).is_err() && centered_alignment(&k, &bad).is_err());
            assert!(with_classes(&bad, &[0; 5]).is_err() && centered_with_values(&bad, &[0.0; 5]).is_err());
        }
        assert!(centered_with_classes(&k, &[0]).is_err());
        assert!(centered_with_values(&k, &[f64::NAN; 5]).is_err());
        assert!(alignment(&k, &Dense::new(5, 5, vec![f64::NAN; 25]).unwrap()).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn class_alignment_equals_that_of_the_target_matrix((x, classes) in labelled()) {
            let k = linear(&x);
            let mut distinct = classes.clone();
            distinct.sort_unstable();
            distinct.dedup();
            let away = -1.0 / (distinct.len() as f64 - 1.0).max(1.0);
            let t = target(&classes, away);
            let got = with_classes(&k, &classes).unwrap();
            prop_assert!((got - alignment(&k, &t).unwrap()).abs() < 1e-9);
            let got = centered_with_classes(&k, &classes).unwrap();
            prop_assert!((got - centered_alignment(&k, &t).unwrap()).abs() < 1e-7);
        }

        #[test]
        fn value_alignment_equals_that_of_the_target_matrix((x, classes) in labelled()) {
            let k = linear(&x);
            let y: Vec<f64> = classes.iter().map(|c| *c as f64).collect();
            let n = y.len();
            let t = Dense::new(n, n, (0..n * n).map(|i| y[i / n] * y[i % n]).collect()).unwrap();
            let got = centered_with_values(&k, &y).unwrap();
            prop_assert!((got - centered_alignment(&k, &t).unwrap()).abs() < 1e-7);
        }

        #[test]
        fn dot_products_align_between_zero_and_one(x in vectors(), scale in 0.1..10.0f64, shift in 0.0..10.0f64) {
            let k = linear(&x);
            let mut other = k.clone();
            other.values_mut().iter_mut().for_each(|v| *v = (1.0 + *v).powi(2));
            for value in [alignment(&k, &other).unwrap(), centered_alignment(&k, &other).unwrap()] {
                prop_assert!((-1e-9..=1.0 + 1e-9).contains(&value), "{}", value);
            }
            let mut moved = other.clone();
            moved.values_mut().iter_mut().for_each(|v| *v = scale * (*v + shift));
            let (a, b) = (centered_alignment(&k, &other).unwrap(), centered_alignment(&k, &moved).unwrap());
            prop_assert!((a - b).abs() < 1e-7, "{} {}", a, b);
        }
    }
}
