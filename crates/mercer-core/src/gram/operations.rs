//! Norms, distances, mean and variance in feature space, from the Gram matrix alone.
//!
//! With φ(x_i) the image of object i and K_ij = φ(x_i)·φ(x_j), everything here follows from expanding squares.
//! Functions of one or two objects take O(1) or O(n); functions of all take O(n²).
//!
//! ```
//! use mercer_core::{data::Dense, gram::operations};
//! // Two objects at right angles, of lengths 3 and 4.
//! let k = Dense::from_rows(&[[9.0, 0.0], [0.0, 16.0]]);
//! assert_eq!(operations::norm(&k, 1)?, 4.0);
//! assert_eq!(operations::distance(&k, 0, 1)?, 5.0);
//! assert_eq!(operations::squared_norm_of_mean(&k)?, 6.25);
//! assert_eq!(operations::total_variance(&k)?, 6.25);
//! # Ok::<(), mercer_core::Error>(())
//! ```

use super::centering::Centering;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::check::{check_finite, check_square, check_symmetric, check_values};

/// Fails unless the matrix is square and has object i.
fn check_object(k: &Dense, i: usize) -> Result<usize> {
    let n = check_square(k)?;
    if i >= n {
        return Err(Error::usage(format!("object {} does not exist: there are {n} objects", i + 1)));
    }
    Ok(n)
}

/// |φ(x_i)|² = K_ii.
pub fn squared_norm(k: &Dense, i: usize) -> Result<f64> {
    check_object(k, i)?;
    Ok(k.at(i, i))
}

/// |φ(x_i)| = √K_ii; an indefinite similarity with K_ii < 0 gives 0.
pub fn norm(k: &Dense, i: usize) -> Result<f64> {
    Ok(squared_norm(k, i)?.max(0.0).sqrt())
}

/// Every |φ(x_i)|², the diagonal of K.
pub fn squared_norms(k: &Dense) -> Result<Vec<f64>> {
    let n = check_square(k)?;
    Ok((0..n).map(|i| k.at(i, i)).collect())
}

/// Computed as a sum of two differences: equal objects have distance 0 exactly, and large norms cancel early.
#[inline(always)]
pub(crate) fn squared_gap(own: f64, other: f64, between: f64) -> f64 {
    (own - between) + (other - between)
}

/// |φ(x_i) - φ(x_j)|² = K_ii + K_jj - 2 K_ij.
///
/// At least 0 up to rounding for dot products; a clearly negative value shows that K has no feature space.
pub fn squared_distance(k: &Dense, i: usize, j: usize) -> Result<f64> {
    check_object(k, i)?;
    check_object(k, j)?;
    Ok(squared_gap(k.at(i, i), k.at(j, j), k.at(i, j)))
}

/// |φ(x_i) - φ(x_j)|, with a negative square taken as 0.
pub fn distance(k: &Dense, i: usize, j: usize) -> Result<f64> {
    Ok(squared_distance(k, i, j)?.max(0.0).sqrt())
}

/// All squared distances: entry (i, j) is [`squared_distance`] of i and j.
pub fn squared_distances(k: &Dense) -> Result<Dense> {
    let own = squared_norms(k)?;
    squared_cross_distances(k, &own, &own)
}

/// All distances: entry (i, j) is [`distance`] of i and j.
pub fn distances(k: &Dense) -> Result<Dense> {
    let mut d = squared_distances(k)?;
    d.values_mut().iter_mut().for_each(|v| *v = v.max(0.0).sqrt());
    Ok(d)
}

/// The squared distances of new objects (rows) to training objects (columns): k(x,x) + K_jj - 2 k(x,x_j),
/// from the self-similarities of both.
pub fn squared_cross_distances(cross: &Dense, new_norms: &[f64], training_norms: &[f64]) -> Result<Dense> {
    check_finite(cross)?;
    check_values(new_norms, cross.rows(), "self-similarities of new objects")?;
    check_values(training_norms, cross.cols(), "self-similarities of training objects")?;
    let mut out = cross.clone();
    for (i, own) in new_norms.iter().enumerate() {
        for (v, other) in out.row_mut(i).iter_mut().zip(training_norms) {
            *v = squared_gap(*own, *other, *v);
        }
    }
    Ok(out)
}

/// The similarity of two objects from their squared norms and squared distance: ½ (|a|² + |b|² - d²).
pub fn similarity(squared_norm_a: f64, squared_norm_b: f64, squared_distance: f64) -> f64 {
    0.5 * (squared_norm_a + squared_norm_b - squared_distance)
}

/// The Gram matrix of objects whose squared distances and squared norms are known: entry (i, j) is
/// [`similarity`] of both. Inverts [`squared_distances`].
pub fn similarities(squared_distances: &Dense, squared_norms: &[f64]) -> Result<Dense> {
    let n = check_square(squared_distances)?;
    check_finite(squared_distances)?;
    check_values(squared_norms, n, "squared norms")?;
    let mut k = squared_distances.clone();
    for i in 0..n {
        for (v, other) in k.row_mut(i).iter_mut().zip(squared_norms) {
            *v = similarity(squared_norms[i], *other, *v);
        }
    }
    Ok(k)
}

/// The Gram matrix of objects given by their squared distances D only, with the origin at their mean: -½ J D J with J =
/// I - 11ᵀ/n (classical multidimensional scaling).
///
/// Positive semidefinite exactly when D holds squared Euclidean distances.
///
/// ```
/// use mercer_core::{data::Dense, gram::operations};
/// let d = Dense::from_rows(&[[0.0, 4.0], [4.0, 0.0]]); // two points, 2 apart
/// assert_eq!(operations::from_squared_distances(&d)?, Dense::from_rows(&[[1.0, -1.0], [-1.0, 1.0]]));
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn from_squared_distances(squared_distances: &Dense) -> Result<Dense> {
    check_symmetric(squared_distances)?;
    let mut k = squared_distances.clone();
    Centering::fit(squared_distances)?.apply_train(&mut k)?;
    k.values_mut().iter_mut().for_each(|v| *v *= -0.5);
    Ok(k)
}

/// The dot product of φ(x_i) and the mean μ of all objects: the mean of row i.
pub fn row_mean(k: &Dense, i: usize) -> Result<f64> {
    let n = check_object(k, i)?;
    Ok(k.row(i).iter().sum::<f64>() / n as f64)
}

/// |μ|², the squared norm of the mean of all objects: the mean of all entries of K.
pub fn squared_norm_of_mean(k: &Dense) -> Result<f64> {
    Ok(Centering::fit(k)?.grand_mean)
}

/// |φ(x_i) - μ|² = K_ii - 2 φ(x_i)·μ + |μ|², the squared distance of object i from the mean. Time O(n²).
pub fn squared_distance_to_mean(k: &Dense, i: usize) -> Result<f64> {
    check_object(k, i)?;
    let means = Centering::fit(k)?;
    Ok(squared_gap(k.at(i, i), means.grand_mean, means.row_means[i]))
}

/// The mean squared distance from the mean: (1/n) Σ K_ii - |μ|².
///
/// At least 0 for dot products, up to rounding.
pub fn total_variance(k: &Dense) -> Result<f64> {
    let means = Centering::fit(k)?;
    let n = k.rows();
    let sum: f64 = (0..n).map(|i| squared_gap(k.at(i, i), means.grand_mean, means.row_means[i])).sum();
    Ok(sum / n as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::algebra::test_support::*;
    use proptest::prelude::*;

    fn close(got: f64, want: f64) -> bool {
        (got - want).abs() < 1e-9 * (1.0 + want.abs())
    }

    fn mean(x: &Dense) -> Vec<f64> {
        (0..x.cols()).map(|c| (0..x.rows()).map(|i| x.at(i, c)).sum::<f64>() / x.rows() as f64).collect()
    }

    fn squared(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum()
    }

    #[test]
    fn worked_points() {
        let k = worked_gram();
        for (got, want) in k.row(0).iter().zip([43.81, 50.01, 47.64, 36.74, 42.00]) {
            assert!((got - want).abs() < 1e-9);
        }
        assert!(close(squared_norm(&k, 0).unwrap(), 43.81));
        // x1 - x2 = (-1, -0.1).
        assert!(close(squared_distance(&k, 0, 1).unwrap(), 1.01));
        assert!(close(distance(&k, 0, 1).unwrap(), 1.01f64.sqrt()));
        // The mean is (6, 2.88): squared norm 36 + 8.2944.
        assert!(close(squared_norm_of_mean(&k).unwrap(), 44.2944));
        // 225.24 / 5 - 44.2944.
        assert!(close(total_variance(&k).unwrap(), 0.7536));
        // x1 - mean = (-0.1, 0.12).
        assert!(close(squared_distance_to_mean(&k, 0).unwrap(), 0.0244));
        // x1 · mean = 35.4 + 8.64.
        assert!(close(row_mean(&k, 0).unwrap(), 44.04));
    }

    #[test]
    fn one_object() {
        let k = Dense::from_rows(&[[4.0]]);
        assert_eq!(norm(&k, 0).unwrap(), 2.0);
        assert_eq!(distances(&k).unwrap(), Dense::from_rows(&[[0.0]]));
        assert_eq!((squared_norm_of_mean(&k).unwrap(), total_variance(&k).unwrap()), (4.0, 0.0));
        assert_eq!(from_squared_distances(&Dense::from_rows(&[[0.0]])).unwrap().values(), [0.0]);
    }

    #[test]
    fn invalid_arguments_are_rejected() {
        let k = worked_gram();
        assert!(squared_norm(&k, 5).is_err() && distance(&k, 0, 9).is_err() && row_mean(&k, 5).is_err());
        for bad in [Dense::zeros(0, 0), Dense::zeros(1, 2), Dense::from_rows(&[[f64::NAN]])] {
            assert!(squared_distances(&bad).is_err() && distances(&bad).is_err());
            assert!(squared_norm_of_mean(&bad).is_err() && total_variance(&bad).is_err());
            assert!(from_squared_distances(&bad).is_err() && similarities(&bad, &[1.0]).is_err());
        }
        assert!(squared_cross_distances(&k, &[1.0], &[1.0; 5]).is_err());
        assert!(similarities(&k, &[1.0]).is_err());
        // A negative self-similarity has norm 0.
        assert_eq!(norm(&Dense::from_rows(&[[-4.0]]), 0).unwrap(), 0.0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn distances_are_those_of_the_vectors(x in vectors()) {
            let k = linear(&x);
            let d = squared_distances(&k).unwrap();
            for i in 0..x.rows() {
                for j in 0..x.rows() {
                    let want = squared(x.row(i), x.row(j));
                    prop_assert!((d.at(i, j) - want).abs() < 1e-11 * (1.0 + k.at(i, i) + k.at(j, j)));
                    prop_assert_eq!(d.at(i, j), squared_distance(&k, i, j).unwrap());
                }
                prop_assert_eq!(d.at(i, i), 0.0);
            }
        }

        #[test]
        fn similarities_invert_distances(x in vectors()) {
            let k = linear(&x);
            let back = similarities(&squared_distances(&k).unwrap(), &squared_norms(&k).unwrap()).unwrap();
            prop_assert!(apart(&back, &k) < 1e-11 * (1.0 + k.values().iter().fold(0.0f64, |m, v| m.max(*v))));
        }

        #[test]
        fn distances_alone_give_the_centred_gram(x in vectors()) {
            let mu = mean(&x);
            let mut centred = x.clone();
            for i in 0..x.rows() {
                centred.row_mut(i).iter_mut().zip(&mu).for_each(|(v, m)| *v -= m);
            }
            let got = from_squared_distances(&squared_distances(&linear(&x)).unwrap()).unwrap();
            prop_assert!(apart(&got, &linear(&centred)) < 1e-10);
        }

        #[test]
        fn mean_and_variance_are_those_of_the_vectors(x in vectors()) {
            let (k, mu) = (linear(&x), mean(&x));
            let zero = vec![0.0; mu.len()];
            prop_assert!((squared_norm_of_mean(&k).unwrap() - squared(&mu, &zero)).abs() < 1e-11);
            let spread: Vec<f64> = (0..x.rows()).map(|i| squared(x.row(i), &mu)).collect();
            let variance = spread.iter().sum::<f64>() / x.rows() as f64;
            prop_assert!((total_variance(&k).unwrap() - variance).abs() < 1e-11);
            for (i, want) in spread.iter().enumerate() {
                prop_assert!((squared_distance_to_mean(&k, i).unwrap() - want).abs() < 1e-11);
            }
        }
    }
}
