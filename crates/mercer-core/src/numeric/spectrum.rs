//! The eigendecomposition of a Gram matrix.

use faer::diag::DiagMut;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{MatMut, MatRef, Par};

use super::algebra::{largest, weighted_gram};
use super::check::check_symmetric;
use crate::budget;
use crate::data::Dense;
use crate::error::{Error, Result};

/// The eigendecomposition of a symmetric matrix: K = U Λ Uᵀ, with eigenvalues Λ ascending and orthonormal eigenvectors
/// U.
///
/// Eigenvectors are rows: row k of [`vectors`](Spectrum::vectors) is the eigenvector of value k, that is, column k of
/// U. Each is signed so that its entry of largest magnitude (the first in a tie) is positive. The same matrix always
/// gives the same bits. Time O(n³), memory for about four n × n matrices.
///
/// ```
/// use mercer_core::{data::Dense, gram::Spectrum};
/// let k = Dense::from_rows(&[[2.0, 1.0], [1.0, 2.0]]);
/// let spectrum = Spectrum::of(&k)?;
/// assert!((spectrum.values[0] - 1.0).abs() < 1e-12 && (spectrum.values[1] - 3.0).abs() < 1e-12);
/// let squared = spectrum.rebuild(|lambda| lambda * lambda); // K²
/// assert!((squared.at(0, 0) - 5.0).abs() < 1e-12 && (squared.at(0, 1) - 4.0).abs() < 1e-12);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Spectrum {
    /// The eigenvalues, ascending.
    pub values: Vec<f64>,
    /// The eigenvectors, one per row, in the order of the values.
    pub vectors: Dense,
}

impl Spectrum {
    /// The decomposition of a square, finite, symmetric matrix.
    ///
    /// Asymmetry by rounding (see [`check_symmetric`]) is averaged out; more is an error.
    pub fn of(k: &Dense) -> Result<Self> {
        let (values, vectors) = decompose(k, ComputeEigenvectors::Yes)?;
        let mut spectrum = Spectrum { values, vectors };
        for k in 0..spectrum.values.len() {
            fix_sign(spectrum.vectors.row_mut(k));
        }
        Ok(spectrum)
    }

    /// The number of eigenvalues.
    pub fn n(&self) -> usize {
        self.values.len()
    }

    /// The largest eigenvalue in magnitude, max |λ|.
    pub fn radius(&self) -> f64 {
        largest(&self.values)
    }

    /// Eigenvalues up to this magnitude count as zero: n · ε · max |λ|, ε = 2.2e-16.
    pub fn tolerance(&self) -> f64 {
        tolerance(&self.values)
    }

    /// The matrix with the same eigenvectors and the eigenvalues f(λ): U f(Λ) Uᵀ, exactly symmetric.
    ///
    /// f must be finite on the eigenvalues. Eigenvalues with f(λ) = 0 cost nothing; otherwise time O(n³).
    pub fn rebuild(&self, f: impl Fn(f64) -> f64) -> Dense {
        let weights: Vec<f64> = self.values.iter().map(|&lambda| f(lambda)).collect();
        weighted_gram(&self.vectors, &weights, None)
    }
}

/// The eigenvalues of a square, finite, symmetric matrix, ascending: several times cheaper than
/// [`Spectrum::of`], and the same up to rounding.
///
/// ```
/// use mercer_core::{data::Dense, gram::eigenvalues};
/// let k = Dense::from_rows(&[[0.0, 1.0], [1.0, 0.0]]);
/// let values = eigenvalues(&k)?;
/// assert!((values[0] + 1.0).abs() < 1e-12 && (values[1] - 1.0).abs() < 1e-12);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn eigenvalues(k: &Dense) -> Result<Vec<f64>> {
    Ok(decompose(k, ComputeEigenvectors::No)?.0)
}

/// n · ε · max |λ|: eigenvalues of that magnitude are rounding.
pub(crate) fn tolerance(values: &[f64]) -> f64 {
    values.len() as f64 * f64::EPSILON * largest(values)
}

fn decompose(k: &Dense, vectors: ComputeEigenvectors) -> Result<(Vec<f64>, Dense)> {
    check_symmetric(k)?;
    let n = k.rows();
    let failed = |why: &str| Error::Numeric { reason: format!("eigenvalues of a {n} × {n} matrix: {why}") };
    // Scaling by a power of two brings the entries near 1 without rounding, so that squares of very large or very small
    // similarities neither overflow nor underflow.
    let scale = power_of_two(largest(k.values()));
    // The decomposition cannot be interrupted, so memory for the copy, the vectors and the workspace is checked first.
    let matrices = if vectors == ComputeEigenvectors::Yes { 4 } else { 2 };
    let needed = budget::matrix_bytes(n, n, size_of::<f64>()).saturating_mul(matrices);
    budget::ask(&format!("the eigenvalues of a {n} × {n} matrix"), needed)?;
    budget::check()?;
    let mut balanced = halves(k, scale);
    let mut values = vec![0.0; n];
    let keep = vectors == ComputeEigenvectors::Yes;
    let mut u = if keep { Dense::zeros(n, n) } else { Dense::default() };
    let need = self_adjoint_evd_scratch::<f64>(n, vectors, Par::Seq, Default::default());
    let mut buffer = MemBuffer::try_new(need).map_err(|_| failed("not enough memory"))?;
    // Matrices with many equal rows occasionally do not converge. Permuting the objects keeps the eigenvalues and
    // changes the rounding.
    let mut found = false;
    for stride in [1, n.max(2) - 1, coprime(n)] {
        let order = strided(n, stride);
        if stride != 1 {
            balanced = reordered(&halves(k, scale), &order);
        }
        let end = self_adjoint_evd(
            MatRef::from_row_major_slice(balanced.values(), n, n),
            DiagMut::from_slice_mut(&mut values),
            // Its column-major order is our row-major order.
            keep.then(|| MatMut::from_column_major_slice_mut(u.values_mut(), n, n)),
            Par::Seq,
            MemStack::new(&mut buffer),
            Default::default(),
        );
        budget::check()?;
        if end.is_ok() {
            if stride != 1 {
                (0..u.rows()).for_each(|r| unpermute(u.row_mut(r), &order));
            }
            found = true;
            break;
        }
    }
    if !found {
        return Err(failed("no convergence"));
    }
    values.iter_mut().for_each(|v| *v *= scale);
    if values.iter().chain(u.values()).any(|v| !v.is_finite()) {
        return Err(failed("the result is not finite"));
    }
    Ok((values, u))
}

/// A number above n / 3 that is coprime to n.
fn coprime(n: usize) -> usize {
    let is_coprime = |m: usize| {
        let (mut a, mut b) = (n, m);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a == 1
    };
    (n / 3 + 2..n.max(3)).find(|&m| is_coprime(m)).unwrap_or(1)
}

/// The numbers below n in steps of `stride` modulo n; the stride is coprime to n.
fn strided(n: usize, stride: usize) -> Vec<usize> {
    (0..n)
        .scan(0, |at, _| {
            let now = *at;
            *at = (*at + stride) % n;
            Some(now)
        })
        .collect()
}

/// The lower triangle of a symmetric matrix, given by its lower triangle, with rows and columns permuted.
fn reordered(lower: &Dense, order: &[usize]) -> Dense {
    let n = order.len();
    let mut out = Dense::zeros(n, n);
    for i in 0..n {
        for j in 0..=i {
            out.row_mut(i)[j] = lower.at(order[i].max(order[j]), order[i].min(order[j]));
        }
    }
    out
}

/// Undoes the permutation of the entries of a vector.
fn unpermute(vector: &mut [f64], order: &[usize]) {
    let entries = vector.to_vec();
    order.iter().zip(entries).for_each(|(&at, v)| vector[at] = v);
}

/// The power of two at or below x, or 1 for x = 0; at least 2^-1000 so that its inverse is finite.
fn power_of_two(x: f64) -> f64 {
    if x == 0.0 {
        return 1.0;
    }
    2f64.powi(x.log2().floor().clamp(-1000.0, 1000.0) as i32)
}

/// The lower triangle of (K + Kᵀ) / (2 · scale), in a full matrix.
fn halves(k: &Dense, scale: f64) -> Dense {
    const TILE: usize = 32;
    let n = k.rows();
    let mut out = Dense::zeros(n, n);
    for top in (0..n).step_by(TILE) {
        for left in (0..=top).step_by(TILE) {
            for i in top..(top + TILE).min(n) {
                for j in left..(left + TILE).min(i + 1) {
                    out.row_mut(i)[j] = 0.5 * (k.at(i, j) / scale + k.at(j, i) / scale);
                }
            }
        }
    }
    out
}

pub(super) fn fix_sign(vector: &mut [f64]) {
    let mut top = 0.0f64;
    for &v in vector.iter() {
        if v.abs() > top.abs() {
            top = v;
        }
    }
    if top < 0.0 {
        vector.iter_mut().for_each(|v| *v = -*v);
    }
}

#[cfg(test)]
mod tests {
    use super::super::algebra::test_support::*;
    use super::super::algebra::{product, product_transposed};
    use super::*;
    use proptest::prelude::*;

    /// A permutation of the objects has the same eigenvalues, and eigenvectors that are permuted back.
    #[test]
    fn permutations_are_undone() {
        for n in [1usize, 2, 3, 7, 12, 30] {
            let values =
                (0..n * n).map(|at| ((at / n).min(at % n) as f64 * 0.7 + (at / n).max(at % n) as f64).sin());
            let k = Dense::new(n, n, values.collect()).unwrap();
            let spectrum = Spectrum::of(&k).unwrap();
            for stride in [n.max(2) - 1, coprime(n)] {
                let order = strided(n, stride);
                let mut sorted = order.clone();
                sorted.sort_unstable();
                assert_eq!(sorted, (0..n).collect::<Vec<_>>(), "{n} by {stride}");
                let lower = reordered(&halves(&k, 1.0), &order);
                let mut whole = lower.clone();
                (0..n).for_each(|i| (0..i).for_each(|j| whole.row_mut(j)[i] = lower.at(i, j)));
                let mut other = Spectrum::of(&whole).unwrap();
                (0..n).for_each(|r| unpermute(other.vectors.row_mut(r), &order));
                assert!(apart(&other.rebuild(|x| x), &k) < 1e-12 * n as f64);
                assert!(spectrum.values.iter().zip(&other.values).all(|(a, b)| (a - b).abs() < 1e-12));
            }
        }
    }

    /// K and U Λ Uᵀ agree up to rounding, U is orthonormal, values ascend and agree with those computed without
    /// vectors.
    fn decomposes(k: &Dense) {
        let spectrum = Spectrum::of(k).unwrap();
        let n = k.rows();
        let room = 1e-13 * n as f64;
        assert!(apart(&spectrum.rebuild(|x| x), k) <= room * spectrum.radius(), "U Λ Uᵀ is not K");
        let unit = product_transposed(&spectrum.vectors, &spectrum.vectors);
        assert!(apart(&unit, &identity(n)) < room, "U is not orthonormal");
        assert!(spectrum.values.is_sorted());
        for (a, b) in spectrum.values.iter().zip(eigenvalues(k).unwrap()) {
            assert!((a - b).abs() <= room * spectrum.radius(), "values alone differ: {a} {b}");
        }
    }

    fn identity(n: usize) -> Dense {
        let mut k = Dense::zeros(n, n);
        (0..n).for_each(|i| k.row_mut(i)[i] = 1.0);
        k
    }

    /// Reproducible numbers in (-1, 1).
    fn noise(n: usize) -> impl FnMut() -> f64 {
        let mut state = n as u64 + 1;
        move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }
    }

    #[test]
    fn small_and_degenerate_matrices() {
        for n in [1, 2, 3, 31, 64, 130] {
            decomposes(&Dense::zeros(n, n));
            decomposes(&identity(n));
            decomposes(&Dense::new(n, n, vec![1.0; n * n]).unwrap());
        }
        assert!(Spectrum::of(&Dense::zeros(0, 0)).is_err());
        assert!(Spectrum::of(&Dense::zeros(2, 1)).is_err());
        assert!(eigenvalues(&Dense::from_rows(&[[f64::NAN]])).is_err());
    }

    #[test]
    fn larger_matrices() {
        for n in [100, 257] {
            let mut next = noise(n);
            // Full rank; rank 7; and groups of equal objects, whose eigenvalues are mostly repeated.
            for d in [n, 7] {
                let x = Dense::new(n, d, (0..n * d).map(|_| next()).collect()).unwrap();
                decomposes(&linear(&x));
            }
            let mut blocks = Dense::zeros(n, n);
            for i in 0..n {
                for j in 0..n {
                    blocks.row_mut(i)[j] = if i % 5 == j % 5 { 1.0 } else { 0.2 };
                }
            }
            decomposes(&blocks);
        }
    }

    #[test]
    fn very_large_and_very_small_entries() {
        for scale in [1e-310, 1e-200, 1e150, 1e300] {
            let mut k = worked_gram();
            k.values_mut().iter_mut().for_each(|v| *v *= scale);
            let plain = Spectrum::of(&worked_gram()).unwrap();
            let scaled = Spectrum::of(&k).unwrap();
            let top = scaled.values[4] / scale;
            assert!((top / plain.values[4] - 1.0).abs() < 1e-9, "{scale}: {top}");
        }
        let huge = Dense::new(4, 4, vec![f64::MAX; 16]).unwrap();
        assert!(matches!(Spectrum::of(&huge), Err(Error::Numeric { .. })));
    }

    /// The graph of five nodes with edges 1-3 1-4 2-3 2-5 3-4 4-5, S = A - D; values as printed in the book chapter.
    #[test]
    fn worked_example() {
        let s = Dense::from_rows(&[
            [-2.0, 0.0, 1.0, 1.0, 0.0],
            [0.0, -2.0, 1.0, 0.0, 1.0],
            [1.0, 1.0, -3.0, 1.0, 0.0],
            [1.0, 0.0, 1.0, -3.0, 1.0],
            [0.0, 1.0, 0.0, 1.0, -2.0],
        ]);
        let spectrum = Spectrum::of(&s).unwrap();
        for (got, want) in spectrum.values.iter().zip([-4.62, -3.62, -2.38, -1.38, 0.0]) {
            assert!((got - want).abs() < 0.005, "{got} {want}");
        }
        let diffusion = spectrum.rebuild(|lambda| (0.2 * lambda).exp());
        for (got, want) in diffusion.row(0).iter().zip([0.70, 0.01, 0.14, 0.14, 0.01]) {
            assert!((got - want).abs() < 0.005, "{got} {want}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn any_symmetric_matrix(k in symmetric()) {
            decomposes(&k);
        }

        #[test]
        fn same_bits_twice(k in symmetric()) {
            let (a, b) = (Spectrum::of(&k).unwrap(), Spectrum::of(&k.clone()).unwrap());
            prop_assert_eq!(a, b);
        }

        #[test]
        fn powers_are_products(k in symmetric()) {
            let spectrum = Spectrum::of(&k).unwrap();
            let cube = product(&k, &product(&k, &k));
            let room = 1e-12 * spectrum.radius().powi(3) + 1e-300;
            prop_assert!(apart(&spectrum.rebuild(|x| x.powi(3)), &cube) <= room);
        }
    }
}
