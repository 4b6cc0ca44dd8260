//! Products of row-major matrices.
//!
//! Everything runs on the calling thread, so the same input gives the same bits for any number of threads. An entry of
//! a product depends on its row and its column only, not on the number of others.

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, MatMut, MatRef, Par};

use crate::data::Dense;
use crate::numeric::inner::{self, Right};

/// A matrix as a faer view.
fn view(a: &Dense) -> MatRef<'_, f64> {
    MatRef::from_row_major_slice(a.values(), a.rows(), a.cols())
}

/// a · b.
pub(crate) fn product(a: &Dense, b: &Dense) -> Dense {
    multiply(a, Right::Columns(b.values()), b.cols())
}

/// a · b for a square b without entries below the diagonal: half of the work, and the same bits.
pub(crate) fn product_upper(a: &Dense, b: &Dense) -> Dense {
    multiply(a, Right::Upper(b.values()), b.cols())
}

/// a · bᵀ.
pub(crate) fn product_transposed(a: &Dense, b: &Dense) -> Dense {
    multiply(a, Right::Rows(b.values()), b.rows())
}

/// aᵀ · b.
pub(crate) fn product_of_transposed(a: &Dense, b: &Dense) -> Dense {
    let mut out = Dense::zeros(a.cols(), b.cols());
    let target = MatMut::from_row_major_slice_mut(out.values_mut(), a.cols(), b.cols());
    matmul(target, Accum::Replace, view(a).transpose(), view(b), 1.0, Par::Seq);
    out
}

fn multiply(a: &Dense, b: Right<'_, f64>, cols: usize) -> Dense {
    let mut out = Dense::zeros(a.rows(), cols);
    inner::multiply(a.values(), b, (a.rows(), cols, a.cols()), out.values_mut());
    out
}

/// base + vᵀ · diag(weights) · v, where v has one row per weight. Only one triangle is computed and then mirrored, so
/// the sum is exactly symmetric.
///
/// `base` must be symmetric with as many columns as v, or `None` for zero.
pub(crate) fn weighted_gram(v: &Dense, weights: &[f64], base: Option<&Dense>) -> Dense {
    let n = v.cols();
    let mut out = base.cloned().unwrap_or_else(|| Dense::zeros(n, n));
    let kept: Vec<usize> = (0..v.rows()).filter(|&k| weights[k] != 0.0).collect();
    if n > 0 && !kept.is_empty() {
        let left = v.select(&kept);
        let right = scale_rows(&left, kept.iter().map(|&k| weights[k]));
        let target = MatMut::from_row_major_slice_mut(out.values_mut(), n, n);
        triangular::matmul(
            target,
            BlockStructure::TriangularLower,
            Accum::Add,
            view(&left).transpose(),
            BlockStructure::Rectangular,
            view(&right),
            BlockStructure::Rectangular,
            1.0,
            Par::Seq,
        );
    }
    mirror(&mut out);
    out
}

/// The matrix with each row multiplied by its factor.
pub(crate) fn scale_rows(a: &Dense, factors: impl IntoIterator<Item = f64>) -> Dense {
    let mut out = a.clone();
    for (i, factor) in (0..a.rows()).zip(factors) {
        out.row_mut(i).iter_mut().for_each(|v| *v *= factor);
    }
    out
}

/// Copies the lower triangle to the upper one, tile by tile so that both stay in cache.
pub(crate) fn mirror(k: &mut Dense) {
    const TILE: usize = 32;
    let n = k.rows().min(k.cols());
    let values = k.values_mut();
    for top in (0..n).step_by(TILE) {
        for left in (0..=top).step_by(TILE) {
            for i in top..(top + TILE).min(n) {
                for j in left..(left + TILE).min(i) {
                    values[j * n + i] = values[i * n + j];
                }
            }
        }
    }
}

/// The largest magnitude among the values; 0 when there are none.
pub(crate) fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m, v| m.max(v.abs()))
}

/// The Frobenius norm, safe from overflow and underflow of the squares.
pub(crate) fn frobenius(values: &[f64]) -> f64 {
    let scale = largest(values);
    if scale == 0.0 {
        return 0.0;
    }
    scale * values.iter().map(|v| (v / scale) * (v / scale)).sum::<f64>().sqrt()
}

#[cfg(test)]
pub(crate) mod test_support {
    use super::*;
    use proptest::prelude::*;

    /// The five points of the worked example.
    pub(crate) fn points() -> Dense {
        Dense::from_rows(&[[5.9, 3.0], [6.9, 3.1], [6.6, 2.9], [4.6, 3.2], [6.0, 2.2]])
    }

    /// Their linear Gram matrix.
    pub(crate) fn worked_gram() -> Dense {
        linear(&points())
    }

    /// All dot products of the rows, by plain loops.
    pub(crate) fn linear(x: &Dense) -> Dense {
        cross(x, x)
    }

    /// The dot products of the rows of x with those of y, by plain loops.
    pub(crate) fn cross(x: &Dense, y: &Dense) -> Dense {
        let mut k = Dense::zeros(x.rows(), y.rows());
        for i in 0..x.rows() {
            for j in 0..y.rows() {
                k.row_mut(i)[j] = x.row(i).iter().zip(y.row(j)).map(|(a, b)| a * b).sum();
            }
        }
        k
    }

    /// The largest difference between two matrices of the same shape.
    pub(crate) fn apart(a: &Dense, b: &Dense) -> f64 {
        assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()));
        a.values().iter().zip(b.values()).fold(0.0, |m, (x, y)| m.max((x - y).abs()))
    }

    /// Vectors: up to 12 objects in up to 6 dimensions, often fewer dimensions than objects, so that the
    /// Gram matrix is often singular.
    pub(crate) fn vectors() -> impl Strategy<Value = Dense> {
        (1usize..=12, 1usize..=6).prop_flat_map(|(n, d)| {
            prop::collection::vec(-3.0..3.0f64, n * d).prop_map(move |v| Dense::new(n, d, v).unwrap())
        })
    }

    /// Symmetric matrices of any signature, up to 12 × 12.
    pub(crate) fn symmetric() -> impl Strategy<Value = Dense> {
        (1usize..=12).prop_flat_map(|n| {
            prop::collection::vec(-3.0..3.0f64, n * n).prop_map(move |v| {
                let mut k = Dense::new(n, n, v).unwrap();
                mirror(&mut k);
                k
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::test_support::*;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn products_of_empty_matrices() {
        let none = Dense::zeros(0, 3);
        let x = Dense::zeros(2, 3);
        assert_eq!(product_transposed(&none, &x), Dense::zeros(0, 2));
        assert_eq!(product(&Dense::zeros(2, 0), &Dense::zeros(0, 4)), Dense::zeros(2, 4));
        assert_eq!(weighted_gram(&none, &[], None), Dense::zeros(3, 3));
        assert_eq!(weighted_gram(&Dense::zeros(0, 0), &[], None), Dense::zeros(0, 0));
    }

    #[test]
    fn a_row_does_not_depend_on_the_others() {
        for (inner, cols) in [(1, 1), (3, 1), (70, 1), (5, 2), (33, 17), (300, 40), (1100, 9)] {
            let number = |t: usize| ((t * 7919 + 13) % 1009) as f64 / 97.0 - 5.0;
            let a = Dense::new(70, inner, (0..70 * inner).map(number).collect()).unwrap();
            let b = Dense::new(inner, cols, (0..inner * cols).map(number).collect()).unwrap();
            let bt = Dense::new(cols, inner, (0..inner * cols).map(number).collect()).unwrap();
            let (all, all_t) = (product(&a, &b), product_transposed(&a, &bt));
            for batch in [1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 64] {
                for start in [0, 6] {
                    let rows: Vec<usize> = (start..start + batch).collect();
                    let part = a.select(&rows);
                    assert_eq!(product(&part, &b), all.select(&rows), "{inner} {cols} {batch}");
                    assert_eq!(product_transposed(&part, &bt), all_t.select(&rows), "{inner} {cols} {batch}");
                }
            }
        }
    }

    #[test]
    fn norms_do_not_overflow() {
        assert_eq!(frobenius(&[3e300, 4e300]), 5e300);
        assert_eq!(frobenius(&[]), 0.0);
    }

    proptest! {
        #[test]
        fn products_agree_with_loops(x in vectors()) {
            let k = linear(&x);
            prop_assert!(apart(&product_transposed(&x, &x), &k) < 1e-12 * (1.0 + largest(k.values())));
            let kx = product(&k, &x);
            for i in 0..x.rows() {
                for j in 0..x.cols() {
                    let sum: f64 = (0..x.rows()).map(|t| k.at(i, t) * x.at(t, j)).sum();
                    prop_assert!((sum - kx.at(i, j)).abs() < 1e-11 * (1.0 + sum.abs() + largest(k.values())));
                }
            }
        }

        #[test]
        fn weighted_gram_agrees_with_loops(k in symmetric()) {
            let n = k.rows();
            let weights: Vec<f64> = (0..n).map(|i| k.at(i, 0)).collect();
            let got = weighted_gram(&k, &weights, Some(&k));
            for i in 0..n {
                for j in 0..n {
                    let sum: f64 = k.at(i, j) + (0..n).map(|t| k.at(t, i) * weights[t] * k.at(t, j)).sum::<f64>();
                    prop_assert!((sum - got.at(i, j)).abs() < 1e-11 * (1.0 + sum.abs()));
                    prop_assert_eq!(got.at(i, j).to_bits(), got.at(j, i).to_bits());
                }
            }
        }
    }
}
