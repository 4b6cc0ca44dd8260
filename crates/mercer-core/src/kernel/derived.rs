//! Kernels computed only from another kernel's values and self-similarities.

use std::fmt;

use super::numbered::{Numbered, numbered};
use super::{Definiteness, Domain, Facts, FeatureParts, Kernel, Parameter, Part, Prepared, operators};
use crate::error::{Error, Result};
use crate::gram::normalize::{Length, check_self_similarities};
use crate::numeric::math;

/// The cosine of the angle between φ(x) and φ(y): k(x, y) / √(k(x, x)·k(y, y)).
///
/// An object with self-similarity 0 has similarity 0 to every object. A self-similarity below 0, which an indefinite
/// kernel may give, is an error. Kernels that offer logarithms ([`Kernel::log_fill`]) are normalised through them, so
/// that large values do not overflow.
///
/// ```
/// use mercer_core::{data::{Dense, Vectors}, gram::Engine, kernel::{Normalize, vector::Linear}};
/// let x = Vectors::from(Dense::from_rows(&[[3.0, 0.0], [1.0, 1.0]]));
/// let k = Engine::new().gram(&Normalize(Linear), &x)?;
/// assert_eq!(k.at(0, 0), 1.0);
/// assert!((k.at(0, 1) - 0.5f64.sqrt()).abs() < 1e-15);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Normalize<K>(pub K);

impl<K> Normalize<K> {
    /// Facts about this wrapper.
    pub const FACTS: Facts = Facts {
        name: "normalize",
        summary: "The cosine of the angle between two objects in feature space.",
        formula: "k(x, y) / √(k(x, x) · k(y, y)); 0 where a self-similarity is 0; a negative self-similarity is an error",
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

/// Objects with their self-similarities or the logarithms of these.
#[derive(Debug)]
pub struct Lengths<P> {
    inner: P,
    lengths: Vec<Length>,
    logs: bool,
}

impl<P: Prepared> Prepared for Lengths<P> {
    fn len(&self) -> usize {
        self.lengths.len()
    }

    fn select(&self, chosen: &[usize]) -> Self {
        let (inner, lengths) = (self.inner.select(chosen), self.lengths.select(chosen));
        Lengths { inner, lengths, logs: self.logs }
    }
}

impl<X: ?Sized, K: Kernel<X>> Kernel<X> for Normalize<K> {
    type Prepared = Lengths<K::Prepared>;

    fn prepare(&self, objects: &X) -> Result<Self::Prepared> {
        let inner = self.0.prepare(objects)?;
        let mut numbers = vec![0.0; inner.len()];
        let logs = self.0.log_diagonal(Part::all(&inner), &mut numbers)?;
        if !logs {
            self.0.diagonal(Part::all(&inner), &mut numbers)?;
        }
        if let Some(at) = numbers.iter().position(|s| !s.is_finite()) {
            return Err(Error::NonFinite { row: at, col: at, overflow: true });
        }
        if !logs {
            check_self_similarities(&numbers)?;
        }
        Ok(Lengths { inner, lengths: numbers.into_iter().map(Length::of).collect(), logs })
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        let (own, theirs) = (&rows.set.lengths[rows.range.clone()], &cols.set.lengths[cols.range.clone()]);
        let (left, right) = (rows.of(|set| &set.inner), cols.of(|set| &set.inner));
        if rows.set.logs && self.0.log_fill(left.clone(), right.clone(), out)? {
            for (row, a) in out.chunks_exact_mut(cols.len().max(1)).zip(own) {
                row.iter_mut().zip(theirs).for_each(|(v, b)| *v -= (a.square() + b.square()) / 2.0);
                math::exp_all(row);
            }
            return Ok(());
        }
        self.0.fill(left, right, out)?;
        for (row, a) in out.chunks_exact_mut(cols.len().max(1)).zip(own) {
            row.iter_mut().zip(theirs).for_each(|(v, b)| *v = a.cosine(*b, *v));
        }
        Ok(())
    }

    fn diagonal(&self, of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
        let lengths = &of.set.lengths[of.range.clone()];
        let own = |length: &Length| if of.set.logs { 1.0 } else { length.of_self() };
        out.iter_mut().zip(lengths).for_each(|(v, length)| *v = own(length));
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        self.0.definiteness()
    }

    fn is_transductive(&self) -> bool {
        self.0.is_transductive()
    }

    fn parts<'a>(&self, prepared: &'a Self::Prepared) -> Result<Option<FeatureParts<'a>>> {
        if prepared.logs {
            return Ok(None);
        }
        let parts = self.0.parts(&prepared.inner)?;
        Ok(parts.map(|parts| parts.scaled(|i| prepared.lengths[i].factor())))
    }

    fn tile_side(&self) -> usize {
        self.0.tile_side()
    }
}

/// A Gaussian of the distance that another kernel induces: exp(-gamma·(k(x, x) + k(y, y) - 2k(x, y))).
///
/// A squared distance below 0, which rounding or an indefinite kernel may give, counts as 0, so that no value
/// exceeds 1. Over [`Linear`](super::vector::Linear) it equals [`Rbf`](super::vector::Rbf), except that here the three
/// terms cancel where the distance is small compared with the self-similarities. `Rbf` computes such pairs from the
/// coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct RbfOf<K> {
    inner: K,
    gamma: f64,
}

impl<K> RbfOf<K> {
    /// A Gaussian of the distance of `inner`; gamma must be above 0.
    pub fn new(inner: K, gamma: f64) -> Result<Self> {
        Ok(RbfOf { inner, gamma: RbfOf::<()>::FACTS.check("gamma", gamma)? })
    }

    /// Facts about this wrapper.
    pub const FACTS: Facts = Facts {
        name: "rbf-of",
        summary: "A Gaussian of the distance another kernel induces.",
        formula: "exp(-gamma · max(0, k(x, x) + k(y, y) - 2·k(x, y))); a squared distance below 0, from rounding or an indefinite kernel, counts as 0",
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
        RbfOf::<()>::FACTS.print(f, &[&self.inner], &[&self.gamma])
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
