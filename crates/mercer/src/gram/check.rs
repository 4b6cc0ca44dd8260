//! Whether a matrix can be a Gram matrix at all: square, finite, symmetric.

use super::algebra::largest;
use crate::data::Dense;
use crate::error::{Error, Result};

/// A matrix counts as symmetric when |K_ij - K_ji| ≤ `SYMMETRY_THRESHOLD` · max |K|.
pub const SYMMETRY_THRESHOLD: f64 = 1e-8;

/// The number of objects of a square matrix; an error when it is not square or holds no object.
pub fn check_square(k: &Dense) -> Result<usize> {
    if k.rows() != k.cols() || k.rows() == 0 {
        return Err(Error::Shape {
            expected: "a square matrix with at least one row".into(),
            found: format!("{} × {}", k.rows(), k.cols()),
        });
    }
    Ok(k.rows())
}

/// An error naming the first entry that is NaN or infinite, if there is one.
pub fn check_finite(k: &Dense) -> Result<()> {
    match k.find_non_finite() {
        Some((row, col)) => Err(Error::NonFinite { row, col, overflow: false }),
        None => Ok(()),
    }
}

/// The entry farthest from its mirror image: (row, column, |K_ij - K_ji|), with row > column.
///
/// A perfectly symmetric matrix gives (0, 0, 0.0). The matrix must be square and finite. Time O(n²).
///
/// ```
/// use mercer::data::Dense;
/// let k = Dense::from_rows(&[[1.0, 0.5], [0.25, 1.0]]);
/// assert_eq!(mercer::gram::symmetry(&k)?, (1, 0, 0.25));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn symmetry(k: &Dense) -> Result<(usize, usize, f64)> {
    // Tiles keep the rows read down a column in cache.
    const TILE: usize = 32;
    let n = check_square(k)?;
    check_finite(k)?;
    let mut worst = (0, 0, 0.0);
    for top in (0..n).step_by(TILE) {
        for left in (0..=top).step_by(TILE) {
            for i in top..(top + TILE).min(n) {
                for j in left..(left + TILE).min(i) {
                    let difference = (k.at(i, j) - k.at(j, i)).abs();
                    if difference > worst.2 {
                        worst = (i, j, difference);
                    }
                }
            }
        }
    }
    Ok(worst)
}

/// The largest |K_ij - K_ji| of a square finite matrix, or an error when it exceeds
/// [`SYMMETRY_THRESHOLD`] · max |K|.
pub fn check_symmetric(k: &Dense) -> Result<f64> {
    let (row, col, difference) = symmetry(k)?;
    if difference > SYMMETRY_THRESHOLD * largest(k.values()) {
        return Err(Error::NotSymmetric { row, col, difference });
    }
    Ok(difference)
}

/// Whether a cross matrix compares new objects with n training objects, by finite numbers.
pub(crate) fn check_cross(cross: &Dense, n: usize) -> Result<()> {
    if cross.cols() != n {
        return Err(Error::Shape {
            expected: format!("a cross matrix with {n} columns, one per training object"),
            found: format!("{} × {}", cross.rows(), cross.cols()),
        });
    }
    check_finite(cross)
}

/// Whether a list has one finite value per object.
pub(crate) fn check_values(values: &[f64], n: usize, what: &str) -> Result<()> {
    if values.len() != n {
        return Err(Error::Shape { expected: format!("{n} {what}"), found: format!("{}", values.len()) });
    }
    match values.iter().position(|v| !v.is_finite()) {
        Some(index) => {
            Err(Error::Object { index, reason: format!("NaN or infinity among the {what}"), hint: None })
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::algebra::test_support::*;
    use super::*;
    use crate::error::Code;
    use proptest::prelude::*;

    #[test]
    fn refuses_what_is_no_gram_matrix() {
        assert_eq!(check_square(&Dense::zeros(2, 3)).unwrap_err().code(), Code::GramShape);
        assert_eq!(symmetry(&Dense::zeros(0, 0)).unwrap_err().code(), Code::GramShape);
        let nan = Dense::from_rows(&[[1.0, f64::NAN], [0.0, 1.0]]);
        let error = check_symmetric(&nan).unwrap_err();
        assert!(matches!(error, Error::NonFinite { row: 0, col: 1, overflow: false }));
        let lopsided = Dense::from_rows(&[[1.0, 2.0], [0.0, 1.0]]);
        let error = check_symmetric(&lopsided).unwrap_err();
        assert!(matches!(error, Error::NotSymmetric { row: 1, col: 0, difference: 2.0 }));
    }

    #[test]
    fn rounding_is_no_asymmetry() {
        let k = Dense::from_rows(&[[1.0, 0.1 + 0.2], [0.3, 1.0]]);
        assert!(check_symmetric(&k).unwrap() > 0.0);
        assert_eq!(check_symmetric(&Dense::zeros(3, 3)).unwrap(), 0.0);
    }

    #[test]
    fn cross_matrices_and_lists() {
        assert!(check_cross(&Dense::zeros(0, 3), 3).is_ok());
        assert!(check_cross(&Dense::zeros(2, 2), 3).is_err());
        assert!(check_values(&[1.0], 2, "values").is_err());
        assert!(check_values(&[1.0, f64::INFINITY], 2, "values").is_err());
    }

    proptest! {
        #[test]
        fn finds_the_one_entry_changed(n in 2usize..80, at in any::<(prop::sample::Index, prop::sample::Index)>()) {
            let mut k = Dense::zeros(n, n);
            let (i, j) = (at.0.index(n), at.1.index(n));
            k.row_mut(i)[j] = 1.0;
            let want = if i == j { (0, 0, 0.0) } else { (i.max(j), i.min(j), 1.0) };
            prop_assert_eq!(symmetry(&k).unwrap(), want);
        }

        #[test]
        fn gram_matrices_are_symmetric(x in vectors()) {
            prop_assert_eq!(symmetry(&linear(&x)).unwrap(), (0, 0, 0.0));
        }
    }
}
