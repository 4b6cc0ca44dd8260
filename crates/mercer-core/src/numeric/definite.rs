//! Testing for negative eigenvalues by a factorisation.

use crate::budget;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::Cholesky;

/// Eigenvalues down to minus this fraction of the trace count as rounding.
const ROUNDING: f64 = 1e-10;

/// Whether cᵀKc is at least 0, up to rounding, for all c whose entries sum to 0. Then the dual problems of
/// support vector machines are convex and their duality gap bounds the distance to the optimum. O(n³ / 3).
///
/// The matrix is centred and factored with a ridge of 1e-10 of its trace, which succeeds if and only if no eigenvalue
/// is below minus that.
///
/// ```
/// use mercer_core::data::Dense;
/// use mercer_core::numeric::is_conditionally_definite;
/// // -|x - y|² / 2 of three points on a line, and an indefinite matrix.
/// assert!(is_conditionally_definite(&Dense::from_rows(&[[0.0, -0.5, -2.0], [-0.5, 0.0, -0.5], [-2.0, -0.5, 0.0]]))?);
/// assert!(!is_conditionally_definite(&Dense::from_rows(&[[0.0, 1.0], [1.0, 0.0]]))?);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn is_conditionally_definite(gram: &Dense) -> Result<bool> {
    let n = gram.rows();
    if n != gram.cols() {
        return Err(Error::Shape {
            expected: "a square matrix".into(),
            found: format!("{n} × {}", gram.cols()),
        });
    }
    budget::ask(&format!("a centred {n} × {n} matrix"), budget::matrix_bytes(n, n, 2 * size_of::<f64>()))?;
    let means: Vec<f64> = (0..n).map(|i| gram.row(i).iter().sum::<f64>() / n as f64).collect();
    let mean = means.iter().sum::<f64>() / n.max(1) as f64;
    let mut centred = Dense::zeros(n, n);
    for (i, own) in means.iter().enumerate() {
        let entries = gram.row(i).iter().zip(&means).map(|(k, other)| k - own - other + mean);
        centred.row_mut(i).iter_mut().zip(entries).for_each(|(out, value)| *out = value);
    }
    let trace: f64 = (0..n).map(|i| centred.at(i, i)).sum();
    let size = (0..n).map(|i| gram.at(i, i).abs()).fold(f64::MIN_POSITIVE, f64::max);
    if trace < -ROUNDING * size * n as f64 || !trace.is_finite() {
        return Ok(false);
    }
    let ridge = ROUNDING * trace.max(size);
    (0..n).for_each(|i| centred.row_mut(i)[i] += ridge);
    Ok(Cholesky::new(centred)?.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn singular_and_degenerate_matrices() {
        assert!(is_conditionally_definite(&Dense::zeros(0, 0)).unwrap());
        assert!(is_conditionally_definite(&Dense::zeros(3, 3)).unwrap());
        assert!(is_conditionally_definite(&Dense::from_rows(&[[-5.0]])).unwrap());
        assert!(is_conditionally_definite(&Dense::from_rows(&[[1.0, 2.0]])).is_err());
        let x: Vec<f64> = (0..50).map(|i| f64::from(i) * 1e3).collect();
        let linear =
            Dense::new(50, 50, x.iter().flat_map(|a| x.iter().map(move |b| a * b)).collect()).unwrap();
        assert!(is_conditionally_definite(&linear).unwrap());
        let mut negated = linear;
        negated.values_mut().iter_mut().for_each(|v| *v = -*v);
        assert!(!is_conditionally_definite(&negated).unwrap());
    }

    #[test]
    fn indefinite_sigmoid_kernels_are_detected() {
        let x: Vec<f64> = (0..20).map(|i| (f64::from(i) * 1.7).sin() * 2.0).collect();
        let values = x.iter().flat_map(|a| x.iter().map(move |b| (a * b - 1.0).tanh())).collect();
        assert!(!is_conditionally_definite(&Dense::new(20, 20, values).unwrap()).unwrap());
    }
}
