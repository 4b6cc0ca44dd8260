//! Checks that a matrix is square, finite and symmetric.

use super::algebra::largest;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::math::vectorised;
use crate::parallel;

/// A matrix counts as symmetric when |K_ij - K_ji| ≤ `SYMMETRY_THRESHOLD` · max |K|.
pub const SYMMETRY_THRESHOLD: f64 = 1e-8;

/// The number of objects of a square matrix; an error if it is not square or empty.
pub fn check_square(k: &Dense) -> Result<usize> {
    if k.rows() != k.cols() || k.rows() == 0 {
        return Err(Error::Shape {
            expected: "a square matrix with at least one row".into(),
            found: format!("{} × {}", k.rows(), k.cols()),
        });
    }
    Ok(k.rows())
}

/// An error at the first entry that is NaN or infinite, if any.
pub fn check_finite(k: &Dense) -> Result<()> {
    match k.find_non_finite() {
        Some((row, col)) => Err(Error::NonFinite { row, col, overflow: false }),
        None => Ok(()),
    }
}

/// The entry that differs most from its mirror image: (row, column, |K_ij - K_ji|), with row > column.
///
/// A perfectly symmetric matrix gives (0, 0, 0.0). The matrix must be square and finite. Time O(n²).
///
/// ```
/// use mercer_core::data::Dense;
/// let k = Dense::from_rows(&[[1.0, 0.5], [0.25, 1.0]]);
/// assert_eq!(mercer_core::gram::symmetry(&k)?, (1, 0, 0.25));
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn symmetry(k: &Dense) -> Result<(usize, usize, f64)> {
    // Tiles keep the rows of a column in cache.
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

/// Checks that a matrix is square, finite and symmetric to [`SYMMETRY_THRESHOLD`], on all threads and in one pass;
/// returns the largest magnitude of its entries.
///
/// Only after a failure is the matrix searched again for the entry. Time O(n²), no memory.
pub(crate) fn check_gram(k: &Dense) -> Result<f64> {
    let n = check_square(k)?;
    let found = parallel::map(n.div_ceil(TILE), |band| {
        let (top, mut worst) = (TILE * band, Worst::default());
        vectorised(
            #[inline(always)]
            || {
                let mut left = 0;
                while left <= top {
                    worst.compare(k, top, left);
                    left += TILE;
                }
            },
        );
        (worst.sizes.into_iter().fold(0, u64::max), worst.differences.into_iter().fold(0, u64::max))
    });
    let (size, difference) = found.into_iter().fold((0, 0), |a, b| (a.0.max(b.0), a.1.max(b.1)));
    let (size, difference) = (f64::from_bits(size), f64::from_bits(difference));
    if size.is_finite() && difference <= SYMMETRY_THRESHOLD * size {
        return Ok(size);
    }
    check_symmetric(k).map(|_| size)
}

/// The side length of the tiles that are compared with their mirror images: both fit in the L1 cache.
const TILE: usize = 32;

/// Number of running maxima, one per vector lane.
const LANES: usize = 8;

/// The bits of a double without its sign: their order is that of magnitudes, and NaN is above infinity.
#[inline(always)]
fn size(v: f64) -> u64 {
    v.to_bits() & !(1 << 63)
}

/// Running maxima of the magnitudes of entries and of their differences from their mirror images.
#[derive(Default)]
struct Worst {
    sizes: [u64; LANES],
    differences: [u64; LANES],
}

impl Worst {
    #[inline(always)]
    fn compare(&mut self, k: &Dense, top: usize, left: usize) {
        let n = k.rows();
        let (rows, cols) = (top..(top + TILE).min(n), left..(left + TILE).min(n));
        // The mirror image is transposed first, so that the comparison runs along rows. Plain loops are vectorised.
        let mut transposed = [[0.0; TILE]; TILE];
        for (c, j) in cols.clone().enumerate() {
            let column = &k.row(j)[rows.clone()];
            for (r, v) in column.iter().enumerate() {
                transposed[r][c] = *v;
            }
        }
        for (i, transposed) in rows.zip(&transposed) {
            let own = &k.row(i)[cols.clone()];
            for (own, transposed) in own.chunks(LANES).zip(transposed.chunks_exact(LANES)) {
                for lane in 0..own.len() {
                    let (a, b) = (own[lane], transposed[lane]);
                    self.sizes[lane] = self.sizes[lane].max(size(a)).max(size(b));
                    self.differences[lane] = self.differences[lane].max(size(a - b));
                }
            }
        }
    }
}

/// Checks that a cross matrix has n columns and finite entries.
pub(crate) fn check_cross(cross: &Dense, n: usize) -> Result<()> {
    if cross.cols() != n {
        return Err(Error::Shape {
            expected: format!("a cross matrix with {n} columns, one per training object"),
            found: format!("{} × {}", cross.rows(), cross.cols()),
        });
    }
    check_finite(cross)
}

/// Checks that there is one finite value per object.
pub(crate) fn check_values(values: &[f64], n: usize, what: &str) -> Result<()> {
    if values.len() != n {
        return Err(Error::Shape { expected: format!("{n} {what}"), found: format!("{}", values.len()) });
    }
    match values.iter().position(|v| !v.is_finite()) {
        Some(index) => {
            Err(Error::Object { index, reason: format!("the {what} contain NaN or infinity"), hint: None })
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
    fn invalid_gram_matrices_are_rejected() {
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
    fn rounding_is_tolerated_as_symmetric() {
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
        fn finds_the_one_changed_entry(n in 2usize..80, at in any::<(prop::sample::Index, prop::sample::Index)>()) {
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
