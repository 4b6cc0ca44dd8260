//! Markov walks: similarities normalised to transition probabilities.

use super::{Walk, check_power};
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::algebra::{largest, mirror, product, scale_rows};
use crate::numeric::check::check_symmetric;

/// A Markov walk over a matrix of similarities: P = D⁻¹K goes from object i to j with probability K_ij / d_i, d_i = Σ_j
/// K_ij.
///
/// P is not symmetric and therefore not a kernel: [`transitions`](Markov::transitions) returns P^p as a similarity. The
/// symmetric matrix S = D^(-1/2)·K·D^(-1/2) has the same eigenvalues, and P^p = D^(-1/2)·S^p·D^(1/2). It is a kernel if
/// K is; `Walk::of(&markov.symmetric())` gives its powers, [`laplacian`](Markov::laplacian) the p-step walk and
/// [`cluster`](Markov::cluster) the cluster kernels.
///
/// An object whose similarities are all 0 has a row of zeros. Time O(n²).
///
/// ```
/// use mercer_core::{data::Dense, gram::Markov};
/// let k = Dense::from_rows(&[[1.0, 1.0], [1.0, 3.0]]);
/// let markov = Markov::of(&k)?;
/// assert_eq!(markov.transitions(1)?, Dense::from_rows(&[[0.5, 0.5], [0.25, 0.75]]));
/// assert_eq!(markov.transitions(2)?.row(0), [0.375, 0.625]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Reference: Szummer & Jaakkola 2001; Chapelle, Weston & Schölkopf 2002; Smola & Kondor 2003.
#[derive(Clone, Debug, PartialEq)]
pub struct Markov {
    gram: Dense,
    degrees: Vec<f64>,
}

impl Markov {
    /// A walk over symmetric similarities. No row may have a negative sum.
    pub fn of(gram: &Dense) -> Result<Self> {
        check_symmetric(gram)?;
        let mut gram = gram.clone();
        mirror(&mut gram);
        let degrees: Vec<f64> = (0..gram.rows()).map(|i| gram.row(i).iter().sum()).collect();
        if let Some(i) = degrees.iter().position(|d| !d.is_finite()) {
            return Err(Error::NonFinite { row: i, col: i, overflow: true });
        }
        check_degrees(&degrees)?;
        Ok(Markov { gram, degrees })
    }

    /// The row sums of the similarities.
    pub fn degrees(&self) -> &[f64] {
        &self.degrees
    }

    /// S = D^(-1/2)·K·D^(-1/2): K_ij / √(d_i·d_j), exactly symmetric.
    pub fn symmetric(&self) -> Dense {
        let mut out = self.gram.clone();
        let roots: Vec<f64> = self.degrees.iter().map(|d| d.sqrt()).collect();
        for (i, own) in roots.iter().enumerate() {
            for (v, other) in out.row_mut(i).iter_mut().zip(&roots) {
                let length = own * other;
                *v = if length > 0.0 { *v / length } else { 0.0 };
            }
        }
        out
    }

    /// P^p, p ≥ 1: entry (i, j) is the probability of being at j after p steps from i. *Not symmetric*: a
    /// similarity, not a kernel.
    ///
    /// Uses repeated squaring, which never subtracts probabilities: every entry is exact to a few units of rounding.
    /// Rows sum to 1. Fails on negative similarities. Time O(n³·log p).
    pub fn transitions(&self, p: u32) -> Result<Dense> {
        check_power(p)?;
        self.check_non_negative()?;
        let inverses = self.degrees.iter().map(|d| if *d > 0.0 { 1.0 / d } else { 0.0 });
        let mut square = scale_rows(&self.gram, inverses);
        let (mut out, mut left): (Option<Dense>, u32) = (None, p);
        loop {
            if left % 2 == 1 {
                out = Some(out.map_or_else(|| square.clone(), |so_far| product(&so_far, &square)));
            }
            left /= 2;
            if left == 0 {
                return Ok(out.unwrap_or(square));
            }
            square = product(&square, &square);
        }
    }

    /// The p-step walk by the normalised Laplacian L̃ = I - S: `laplacian(a)?.train(p)` is (a·I - L̃)^p / ρ^(p-1)
    /// with ρ = a, for a ≥ 2.
    ///
    /// Eigenvalues of L̃ lie in [0, 2] for non-negative similarities (others are rejected), so that every power is
    /// positive semidefinite. *Transductive*: the identity term compares an object with itself, which is undefined for
    /// new objects.
    pub fn laplacian(&self, a: f64) -> Result<Walk> {
        if !(a.is_finite() && a >= 2.0) {
            return Err(Error::param("a", a, "a finite number of at least 2"));
        }
        self.check_non_negative()?;
        let mut m = self.symmetric();
        (0..m.rows()).for_each(|i| m.row_mut(i)[i] += a - 1.0);
        Walk::of(&m)
    }

    fn check_non_negative(&self) -> Result<()> {
        // A similarity of 0 may be slightly negative by rounding.
        let least = -1e-12 * largest(self.gram.values());
        match self.gram.values().iter().position(|v| *v < least) {
            Some(at) => {
                let (index, other) = (at / self.gram.cols(), at % self.gram.cols());
                let value = self.gram.values()[at];
                Err(Error::Object {
                    index,
                    reason: format!(
                        "its similarity {value} to object {} is negative, so it cannot be the weight of a step",
                        other + 1
                    ),
                    hint: Some("use a kernel without negative values, such as rbf".into()),
                })
            }
            None => Ok(()),
        }
    }
}

/// An error at the first object whose similarities have a negative sum.
pub(crate) fn check_degrees(degrees: &[f64]) -> Result<()> {
    match degrees.iter().position(|d| *d < 0.0) {
        Some(index) => Err(Error::Object {
            index,
            reason: format!("the sum {:e} of its similarities is negative", degrees[index]),
            hint: Some("use a kernel without negative values, such as rbf".into()),
        }),
        None => Ok(()),
    }
}
