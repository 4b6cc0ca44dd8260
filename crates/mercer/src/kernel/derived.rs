//! Kernels made from another kernel's values and self-similarities alone.

use std::fmt;

use super::numbered::{Numbered, adjust, numbered};
use super::{Definiteness, Domain, Facts, FeatureParts, Kernel, Parameter, Part, operators};
use crate::error::Result;
use crate::kernel::vector::math;

/// The cosine of the angle between φ(x) and φ(y): k(x, y) / √(k(x, x)·k(y, y)).
///
/// An object of self-similarity 0 (or, with an indefinite kernel, below) is similar to nothing: its row is 0.
///
/// ```
/// use mercer::{data::{Dense, Vectors}, gram::Engine, kernel::{Normalize, vector::Linear}};
/// let x = Vectors::from(Dense::from_rows(&[[3.0, 0.0], [1.0, 1.0]]));
/// let k = Engine::new().gram(&Normalize(Linear), &x)?;
/// assert_eq!(k.at(0, 0), 1.0);
/// assert!((k.at(0, 1) - 0.5f64.sqrt()).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Normalize<K>(pub K);

impl<K> Normalize<K> {
    /// Facts about this wrapper.
    pub const FACTS: Facts = Facts {
        name: "normalize",
        summary: "The cosine of the angle between two objects in feature space.",
        formula: "k(x, y) / √(k(x, x) · k(y, y)); 0 where a self-similarity is 0",
        takes: "a kernel",
        kinds: &[],
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[],
        cost: "that of the kernel",
        reference: "Shawe-Taylor & Cristianini 2004, section 5.1",
        example: "normalize(polynomial(degree=2))",
    };
}

impl<K: fmt::Display> fmt::Display for Normalize<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "normalize({})", self.0)
    }
}

impl<X: ?Sized, K: Kernel<X>> Kernel<X> for Normalize<K> {
    type Prepared = Numbered<K::Prepared>;

    fn prepare(&self, objects: &X) -> Result<Self::Prepared> {
        Numbered::by_self(&self.0, objects)
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        self.0.fill(rows.inner(), cols.inner(), out)?;
        // The product of two roots cannot overflow, where that of two self-similarities can.
        let roots = |numbers: &[f64]| numbers.iter().map(|s| root(*s)).collect::<Vec<_>>();
        adjust(&roots(rows.numbers()), &roots(cols.numbers()), out, |v, own, their| over(v, own * their));
        Ok(())
    }

    fn diagonal(&self, of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
        out.iter_mut().zip(of.numbers()).for_each(|(v, own)| *v = f64::from(u8::from(*own > 0.0)));
        Ok(())
    }

    fn parts<'a>(&self, prepared: &'a Self::Prepared) -> Option<FeatureParts<'a>> {
        let factor = |i: usize| over(1.0, root(prepared.numbers[i]));
        Some(self.0.parts(&prepared.inner)?.scaled(factor))
    }

    numbered!(0);
}

/// The length of an object in feature space; 0 for a self-similarity that is none.
pub(super) fn root(own: f64) -> f64 {
    if own > 0.0 { own.sqrt() } else { 0.0 }
}

/// v / length, or 0 where the length is.
#[inline(always)]
pub(super) fn over(v: f64, length: f64) -> f64 {
    if length > 0.0 { v / length } else { 0.0 }
}

/// A Gaussian of another kernel's distance: exp(-gamma·(k(x, x) + k(y, y) - 2k(x, y))).
///
/// Over [`Linear`](super::vector::Linear) it equals [`Rbf`](super::vector::Rbf), except that here the three terms cancel
/// where the distance is small beside the self-similarities; `Rbf` goes back to the coordinates then.
#[derive(Clone, Debug, PartialEq)]
pub struct RbfOf<K> {
    inner: K,
    gamma: f64,
}

impl<K> RbfOf<K> {
    /// A Gaussian of the distance of `inner`; gamma must be above 0.
    pub fn new(inner: K, gamma: f64) -> Result<Self> {
        Ok(RbfOf { inner, gamma: Domain::Positive.check("gamma", gamma)? })
    }

    /// Facts about this wrapper.
    pub const FACTS: Facts = Facts {
        name: "rbf-of",
        summary: "A Gaussian of the distance another kernel induces.",
        formula: "exp(-gamma · (k(x, x) + k(y, y) - 2·k(x, y)))",
        takes: "a kernel",
        kinds: &[],
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[Parameter {
            name: "gamma",
            default: "1",
            domain: Domain::Positive,
            doc: "how fast similarity falls with squared distance in feature space",
            alias: Some(("sigma", super::vector::gamma_of_sigma)),
        }],
        cost: "that of the kernel",
        reference: "Schölkopf & Smola 2002, proposition 13.2",
        example: "rbf-of(polynomial(degree=2), gamma=0.01)",
    };
}

impl<K: fmt::Display> fmt::Display for RbfOf<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rbf-of({}, gamma={})", self.inner, self.gamma)
    }
}

impl<X: ?Sized, K: Kernel<X>> Kernel<X> for RbfOf<K> {
    type Prepared = Numbered<K::Prepared>;

    fn prepare(&self, objects: &X) -> Result<Self::Prepared> {
        Numbered::by_self(&self.inner, objects)
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        self.inner.fill(rows.inner(), cols.inner(), out)?;
        for (row, own) in out.chunks_exact_mut(cols.len().max(1)).zip(rows.numbers()) {
            for (v, other) in row.iter_mut().zip(cols.numbers()) {
                *v = -self.gamma * math::at_least_zero(own + other - 2.0 * *v);
            }
            math::exp_all(row);
        }
        Ok(())
    }

    fn diagonal(&self, _of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
        out.fill(1.0);
        Ok(())
    }

    numbered!(inner);
}

operators!([K] Normalize<K>, [K] RbfOf<K>);
