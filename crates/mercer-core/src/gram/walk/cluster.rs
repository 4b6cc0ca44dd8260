//! Cluster kernels: Markov walks with a transformed spectrum that emphasises clusters.

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

use super::{Markov, is_noise};
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::{Spectrum, normalize};

/// The transformation of the eigenvalues λ of S = D^(-1/2)·K·D^(-1/2), which lie between 0 and 1 for a kernel K ≥ 0.
///
/// Eigenvalues near 1 belong to clusters; the transfer function weights the others.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Transfer {
    /// φ(λ) = λ: the normalised base kernel.
    Linear,
    /// φ(λ) = 1 for the `keep` largest eigenvalues and those tied with the last of them, else 0.
    Step {
        /// The number of eigenvalues kept, at least 1.
        keep: usize,
    },
    /// φ(λ) = λ for the `keep` largest eigenvalues and those tied with the last of them, else 0.
    LinearStep {
        /// The number of eigenvalues kept, at least 1.
        keep: usize,
    },
    /// φ(λ) = λ^t: a walk of t steps.
    Polynomial {
        /// The exponent, finite and above 0; it need not be an integer. Below 1 it magnifies rounding: an eigenvalue
        /// with error ε has error ε^t afterwards.
        t: f64,
    },
}

impl Transfer {
    fn check(&self) -> Result<()> {
        match *self {
            Transfer::Step { keep: 0 } | Transfer::LinearStep { keep: 0 } => {
                Err(Error::param("keep", 0, "a whole number of at least 1"))
            }
            Transfer::Polynomial { t } if !(t.is_finite() && t > 0.0) => {
                Err(Error::param("t", t, "a finite number above 0"))
            }
            _ => Ok(()),
        }
    }

    /// φ(λ) for an eigenvalue of at least 0; `cut` is the smallest eigenvalue kept.
    fn apply(&self, lambda: f64, cut: f64) -> f64 {
        match *self {
            Transfer::Linear => lambda,
            Transfer::Step { .. } => f64::from(u8::from(lambda >= cut)),
            Transfer::LinearStep { .. } => {
                if lambda >= cut {
                    lambda
                } else {
                    0.0
                }
            }
            Transfer::Polynomial { t } => lambda.powf(t),
        }
    }

    fn kept(&self, n: usize) -> usize {
        match *self {
            Transfer::Step { keep } | Transfer::LinearStep { keep } => keep.min(n),
            _ => n,
        }
    }
}

impl Markov {
    /// The cluster kernel: S = U Λ Uᵀ, L̃ = U φ(Λ) Uᵀ, normalised to L̃_ij / √(L̃_ii·L̃_jj), with 1 on its diagonal.
    ///
    /// For a base kernel with 1 on its diagonal, such as rbf, the linear transfer gives the base kernel. Negative
    /// eigenvalues count as 0, so the result is positive semidefinite. An object whose norm vanishes up to rounding has
    /// similarity 0, including to itself. *Transductive*: defined for the objects of K only. Time O(n³).
    ///
    /// ```
    /// use mercer_core::{data::Dense, gram::{Markov, Transfer}};
    /// let k = Dense::from_rows(&[[1.0, 0.9, 0.1], [0.9, 1.0, 0.1], [0.1, 0.1, 1.0]]);
    /// // The two leading eigenvectors separate two clusters.
    /// let clusters = Markov::of(&k)?.cluster(Transfer::Step { keep: 2 })?;
    /// assert!((clusters.at(0, 1) - 1.0).abs() < 1e-12 && clusters.at(0, 2).abs() < 1e-12);
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    ///
    /// Reference: Chapelle, Weston & Schölkopf 2002, Cluster kernels for semi-supervised learning.
    pub fn cluster(&self, transfer: Transfer) -> Result<Dense> {
        transfer.check()?;
        let spectrum = Spectrum::of(&self.symmetric())?;
        let n = spectrum.n();
        // Eigenvalues equal up to rounding are kept or dropped together: their order is arbitrary.
        let cut = spectrum.values[n - transfer.kept(n)] - spectrum.tolerance();
        // An eigenvalue of 0 up to rounding is set to 0: a small power would magnify it.
        let zero = spectrum.tolerance();
        let bent = |lambda: f64| transfer.apply(if lambda > zero { lambda } else { 0.0 }, cut);
        let mut out = spectrum.rebuild(bent);
        let most = spectrum.values.iter().fold(0.0f64, |m, v| m.max(bent(*v)));
        for i in 0..n {
            if is_noise(out.at(i, i), most, n) {
                out.row_mut(i).fill(0.0);
                (0..n).for_each(|j| out.row_mut(j)[i] = 0.0);
            }
        }
        normalize::train(&mut out)?;
        Ok(out)
    }
}
