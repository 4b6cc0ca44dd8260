//! Checking whether a matrix is positive semidefinite, that is, a matrix of dot products.

#[cfg(feature = "serde")]
use serde::Serialize;

use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::check::check_symmetric;
use crate::numeric::{eigenvalues, tolerance};

/// A matrix is rejected where dot products are needed when λmin < -`PSD_THRESHOLD` · max |λ|.
///
/// Wider than [`Certificate::tolerance`], because similarities from other programs, in single precision or printed with
/// few digits, have larger errors than our rounding.
pub const PSD_THRESHOLD: f64 = 1e-8;

/// The signs of the eigenvalues; those within the tolerance count as zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Verdict {
    /// Every eigenvalue is positive: the objects are linearly independent in feature space.
    PositiveDefinite,
    /// No eigenvalue is negative and some are zero.
    PositiveSemidefinite,
    /// Some eigenvalue is negative: no feature space has these dot products.
    Indefinite,
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Verdict::PositiveDefinite => "positive definite",
            Verdict::PositiveSemidefinite => "positive semidefinite",
            Verdict::Indefinite => "indefinite",
        })
    }
}

/// The outcome of checking a Gram matrix: K is a matrix of dot products exactly when it is symmetric and no
/// eigenvalue is negative.
///
/// Eigenvalues are known up to rounding, so "zero" means |λ| ≤ `tolerance` = n · ε · max |λ| with ε = 2.2e-16.
/// Time O(n³) without eigenvectors.
///
/// ```
/// use mercer_core::{data::Dense, gram::{Certificate, Verdict}};
/// let ok = Certificate::of(&Dense::from_rows(&[[2.0, 1.0], [1.0, 2.0]]))?;
/// assert_eq!((ok.verdict, ok.rank, ok.negative), (Verdict::PositiveDefinite, 2, 0));
/// let bad = Certificate::of(&Dense::from_rows(&[[0.0, 1.0], [1.0, 0.0]]))?;
/// assert_eq!((bad.verdict, bad.negative), (Verdict::Indefinite, 1));
/// assert!(bad.require_psd().is_err());
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct Certificate {
    /// The number of objects.
    pub n: usize,
    /// The largest |K_ij - K_ji|.
    pub symmetry_error: f64,
    /// The smallest eigenvalue.
    pub lambda_min: f64,
    /// The largest eigenvalue.
    pub lambda_max: f64,
    /// How many eigenvalues exceed the tolerance in magnitude.
    pub rank: usize,
    /// How many eigenvalues are below minus the tolerance.
    pub negative: usize,
    /// The magnitude at or below which an eigenvalue counts as zero.
    pub tolerance: f64,
    /// The signs of the eigenvalues.
    pub verdict: Verdict,
    /// The sum of the eigenvalues, that is, of the diagonal.
    pub trace: f64,
    /// exp(-Σ p log p) with p = |λ| / Σ |λ|: the effective number of dimensions the objects span; 0 for the zero
    /// matrix.
    pub effective_rank: f64,
    /// λmax / λmin of a positive definite matrix; `None` otherwise.
    pub condition: Option<f64>,
}

impl Certificate {
    /// Checks a matrix. Fails when it is empty, not square, not finite or not symmetric; a negative eigenvalue is a
    /// verdict, not an error.
    pub fn of(k: &Dense) -> Result<Self> {
        Self::with_eigenvalues(k).map(|(certificate, _)| certificate)
    }

    /// Like [`Certificate::of`], and also returns the eigenvalues, ascending.
    pub fn with_eigenvalues(k: &Dense) -> Result<(Self, Vec<f64>)> {
        let symmetry_error = check_symmetric(k)?;
        let values = eigenvalues(k)?;
        Ok((Self::new(k, symmetry_error, &values), values))
    }

    fn new(k: &Dense, symmetry_error: f64, values: &[f64]) -> Self {
        let n = values.len();
        let (lambda_min, lambda_max) = (values[0], values[n - 1]);
        let tolerance = tolerance(values);
        let verdict = if lambda_min < -tolerance {
            Verdict::Indefinite
        } else if lambda_min > tolerance {
            Verdict::PositiveDefinite
        } else {
            Verdict::PositiveSemidefinite
        };
        Certificate {
            n,
            symmetry_error,
            lambda_min,
            lambda_max,
            rank: values.iter().filter(|v| v.abs() > tolerance).count(),
            negative: values.iter().filter(|v| **v < -tolerance).count(),
            tolerance,
            verdict,
            trace: (0..n).map(|i| k.at(i, i)).sum(),
            effective_rank: effective_rank(values),
            condition: (verdict == Verdict::PositiveDefinite).then(|| lambda_max / lambda_min),
        }
    }

    /// True when no eigenvalue is negative beyond the tolerance.
    pub fn is_psd(&self) -> bool {
        self.verdict != Verdict::Indefinite
    }

    /// An error when λmin < -[`PSD_THRESHOLD`] · max |λ|: too negative to be rounding.
    pub fn require_psd(&self) -> Result<()> {
        require_psd(self.lambda_min, self.lambda_max)
    }
}

/// The check of [`Certificate::require_psd`] for known eigenvalues.
pub(crate) fn require_psd(lambda_min: f64, lambda_max: f64) -> Result<()> {
    if lambda_min < -PSD_THRESHOLD * lambda_max.abs().max(lambda_min.abs()) {
        return Err(Error::NotPositiveDefinite { lambda_min, lambda_max });
    }
    Ok(())
}

fn effective_rank(values: &[f64]) -> f64 {
    let top = crate::numeric::algebra::largest(values);
    if top == 0.0 {
        return 0.0;
    }
    // Dividing by the largest first prevents overflow of the sum.
    let sum: f64 = values.iter().map(|v| v.abs() / top).sum();
    let parts = values.iter().map(|v| v.abs() / top / sum).filter(|p| *p > 0.0);
    parts.map(|p| -p * p.ln()).sum::<f64>().exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;
    use crate::numeric::algebra::test_support::*;
    use proptest::prelude::*;

    #[test]
    fn worked_gram_has_rank_two() {
        let c = Certificate::of(&worked_gram()).unwrap();
        assert_eq!((c.n, c.rank, c.negative), (5, 2, 0));
        assert_eq!(c.verdict, Verdict::PositiveSemidefinite);
        // 43.81 + 57.22 + 51.97 + 31.40 + 40.84
        assert!((c.trace - 225.24).abs() < 1e-9);
        assert!((c.lambda_max + c.lambda_min - c.trace).abs() < 2.0 && c.lambda_max < c.trace);
        assert!(c.effective_rank > 1.0 && c.effective_rank < 2.0);
        assert_eq!(c.condition, None);
        assert!(c.is_psd() && c.require_psd().is_ok());
    }

    #[test]
    fn thresholds() {
        let diagonal = |a, b| Certificate::of(&Dense::from_rows(&[[a, 0.0], [0.0, b]])).unwrap();
        let slightly = diagonal(1.0, -1e-9);
        assert_eq!((slightly.verdict, slightly.negative), (Verdict::Indefinite, 1));
        assert!(slightly.require_psd().is_ok(), "negative by less than the threshold is accepted");
        assert_eq!(diagonal(1.0, -2e-8).require_psd().unwrap_err().code(), Code::GramDefinite);
        assert!(diagonal(-1.0, -1.0).require_psd().is_err());
        assert_eq!(diagonal(1.0, -1e-17).verdict, Verdict::PositiveSemidefinite);
        assert_eq!(diagonal(4.0, 2.0).condition, Some(2.0));
        let zero = diagonal(0.0, 0.0);
        assert_eq!((zero.rank, zero.effective_rank, zero.is_psd()), (0, 0.0, true));
        let one = Certificate::of(&Dense::from_rows(&[[3.0]])).unwrap();
        assert_eq!((one.n, one.rank, one.lambda_min, one.condition), (1, 1, 3.0, Some(1.0)));
    }

    #[test]
    fn invalid_matrices_are_rejected() {
        assert_eq!(Certificate::of(&Dense::zeros(2, 3)).unwrap_err().code(), Code::GramShape);
        assert_eq!(Certificate::of(&Dense::zeros(0, 0)).unwrap_err().code(), Code::GramShape);
        let nan = Dense::from_rows(&[[f64::NAN]]);
        assert_eq!(Certificate::of(&nan).unwrap_err().code(), Code::NonFinite);
        let lopsided = Dense::from_rows(&[[1.0, 1.0], [0.0, 1.0]]);
        assert_eq!(Certificate::of(&lopsided).unwrap_err().code(), Code::GramSymmetry);
    }

    #[cfg(feature = "serde")]
    #[test]
    fn serializes_to_json() {
        let json = serde_json::to_value(Certificate::of(&worked_gram()).unwrap()).unwrap();
        assert_eq!(json["verdict"], "positive-semidefinite");
        assert_eq!(json["rank"], 2);
        assert!(json["condition"].is_null());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn gram_matrices_pass(x in vectors()) {
            let c = Certificate::of(&linear(&x)).unwrap();
            prop_assert!(c.require_psd().is_ok());
            prop_assert!(c.effective_rank <= c.n as f64 + 1e-9);
            prop_assert!(c.trace >= 0.0 && c.lambda_max <= c.trace * (1.0 + 1e-12));
        }

        #[test]
        fn negated_gram_matrices_fail(x in vectors()) {
            let mut k = linear(&x);
            k.values_mut().iter_mut().for_each(|v| *v = -*v);
            let c = Certificate::of(&k).unwrap();
            prop_assert_eq!(c.require_psd().is_err(), k.values().iter().any(|v| *v != 0.0));
        }
    }
}
