//! Kernels computed only from another kernel's values and self-similarities.

use std::fmt;

use super::numbered::{Numbered, fill_by, numbered, self_similarities};
use super::{Definiteness, Domain, Facts, FeatureParts, Kernel, Parameter, Part, Prepared, operators};
use crate::error::Result;
use crate::gram::normalize::Length;
use crate::gram::{BlockTransform as _, Gaussian, Normalized, Ratio};
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
    objects: Numbered<P, Length>,
    logs: bool,
}

impl<P: Prepared> Prepared for Lengths<P> {
    fn len(&self) -> usize {
        self.objects.len()
    }

    fn select(&self, chosen: &[usize]) -> Self {
        Lengths { objects: self.objects.select(chosen), logs: self.logs }
    }
}

impl<X: ?Sized, K: Kernel<X>> Kernel<X> for Normalize<K> {
    type Prepared = Lengths<K::Prepared>;

    fn prepare(&self, objects: &X) -> Result<Self::Prepared> {
        let inner = self.0.prepare(objects)?;
        let mut logs = false;
        let numbers = self_similarities(&inner, |all, out| {
            logs = self.0.log_diagonal(all.clone(), out)?;
            if logs { Ok(()) } else { self.0.diagonal(all, out) }
        })?;
        let numbers = match logs {
            true => numbers.into_iter().map(Length::of).collect(),
            false => Normalized.statistics(numbers)?,
        };
        Ok(Lengths { objects: Numbered { inner, numbers }, logs })
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        let (left, right) = (rows.of(|set| &set.objects), cols.of(|set| &set.objects));
        if rows.set.logs && self.0.log_fill(left.inner(), right.inner(), out)? {
            for (row, a) in out.chunks_exact_mut(cols.len().max(1)).zip(left.numbers()) {
                let others = row.iter_mut().zip(right.numbers());
                others.for_each(|(v, b)| *v -= (a.square() + b.square()) / 2.0);
                math::exp_all(row);
            }
            return Ok(());
        }
        fill_by::<X, _, _>(&self.0, &Normalized, &left, &right, out)
    }

    fn diagonal(&self, of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
        match of.set.logs {
            true => out.fill(1.0),
            false => Normalized.diagonal(of.of(|set| &set.objects).numbers(), out),
        }
        Ok(())
    }

    fn parts<'a>(&self, prepared: &'a Self::Prepared) -> Result<Option<FeatureParts<'a>>> {
        if prepared.logs {
            return Ok(None);
        }
        let Numbered { inner, numbers } = &prepared.objects;
        Ok(self.0.parts(inner)?.map(|parts| parts.scaled(|i| numbers[i].factor())))
    }

    numbered!(0);
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
    gaussian: Gaussian,
}

impl<K> RbfOf<K> {
    /// A Gaussian of the distance of `inner`; gamma must be above 0.
    pub fn new(inner: K, gamma: f64) -> Result<Self> {
        Ok(RbfOf { inner, gaussian: Gaussian { gamma: RbfOf::<()>::FACTS.check("gamma", gamma)? } })
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
        RbfOf::<()>::FACTS.print(f, &[&self.inner], &[&self.gaussian.gamma])
    }
}

impl<X: ?Sized, K: Kernel<X>> Kernel<X> for RbfOf<K> {
    type Prepared = Numbered<K::Prepared>;

    fn prepare(&self, objects: &X) -> Result<Self::Prepared> {
        let inner = self.inner.prepare(objects)?;
        let numbers = self_similarities(&inner, |all, out| self.inner.diagonal(all, out))?;
        Ok(Numbered { numbers: self.gaussian.statistics(numbers)?, inner })
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        fill_by::<X, _, _>(&self.inner, &self.gaussian, &rows, &cols, out)
    }

    fn diagonal(&self, of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
        self.gaussian.diagonal(of.numbers(), out);
        Ok(())
    }

    numbered!(inner);
}

/// What two objects share, relative to what either has: k(x, y) / (k(x, x) + k(y, y) - k(x, y)).
///
/// Over features that are present or absent it is the Tanimoto coefficient of the two sets. Over the sum of the smaller
/// counts, as `ecfp` has it, it is the min–max kernel Σ min / Σ max. Positive semidefinite for every positive
/// semidefinite k: 1 / (k(x, x) + k(y, y)) is, and so is every power of k times a power of it, whose sum this is. An
/// object with self-similarity 0 has similarity 0 to every object.
///
/// ```
/// use mercer_core::{data::{Dense, Vectors}, gram::Engine, kernel::{Tanimoto, vector::Linear}};
/// let x = Vectors::from(Dense::from_rows(&[[1.0, 1.0, 1.0], [0.0, 0.0, 1.0]]));
/// let k = Engine::new().gram(&Tanimoto(Linear), &x)?;
/// assert_eq!(k.values(), [1.0, 1.0 / 3.0, 1.0 / 3.0, 1.0]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// L. Ralaivola, S. J. Swamidass, H. Saigo and P. Baldi, *Graph kernels for chemical informatics*, Neural Networks 18,
/// 2005.
#[derive(Clone, Debug, PartialEq)]
pub struct Tanimoto<K>(pub K);

/// Twice what two objects share, relative to the sum of what each has: 2 k(x, y) / (k(x, x) + k(y, y)).
///
/// Positive semidefinite for every positive semidefinite k. An object with self-similarity 0 has similarity 0 to every
/// object.
///
/// ```
/// use mercer_core::{data::{Dense, Vectors}, gram::Engine, kernel::{Dice, vector::Linear}};
/// let x = Vectors::from(Dense::from_rows(&[[1.0, 1.0, 1.0], [0.0, 0.0, 1.0]]));
/// let k = Engine::new().gram(&Dice(Linear), &x)?;
/// assert_eq!(k.values(), [1.0, 0.5, 0.5, 1.0]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Dice<K>(pub K);

impl<K> Tanimoto<K> {
    /// Facts about this wrapper.
    pub const FACTS: Facts = Facts {
        name: "tanimoto",
        summary: "What two objects share, relative to what either has; over counts, the min–max kernel.",
        formula: "k(x, y) / (k(x, x) + k(y, y) - k(x, y)); 0 where both self-similarities are 0; a negative self-similarity is an error",
        takes: "a kernel",
        kinds: &[],
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[],
        cost: "that of the kernel",
        reference: "Ralaivola, Swamidass, Saigo & Baldi 2005, Graph kernels for chemical informatics",
        example: "tanimoto(ecfp(radius=2))",
    };
}

impl<K> Dice<K> {
    /// Facts about this wrapper.
    pub const FACTS: Facts = Facts {
        name: "dice",
        summary: "Twice what two objects share, relative to the sum of what each has.",
        formula: "2 k(x, y) / (k(x, x) + k(y, y)); 0 where both self-similarities are 0; a negative self-similarity is an error",
        takes: "a kernel",
        kinds: &[],
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[],
        cost: "that of the kernel",
        reference: "Dice 1945, Measures of the amount of ecologic association between species",
        example: "dice(torsions)",
    };
}

/// The kernel of a ratio over another kernel.
macro_rules! ratio {
    ($type:ident, $ratio:expr) => {
        impl<K: fmt::Display> fmt::Display for $type<K> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", $type::<()>::FACTS.name, self.0)
            }
        }

        impl<X: ?Sized, K: Kernel<X>> Kernel<X> for $type<K> {
            type Prepared = Numbered<K::Prepared>;

            fn prepare(&self, objects: &X) -> Result<Self::Prepared> {
                let inner = self.0.prepare(objects)?;
                let numbers = self_similarities(&inner, |all, out| self.0.diagonal(all, out))?;
                Ok(Numbered { numbers: $ratio.statistics(numbers)?, inner })
            }

            fn fill(
                &self,
                rows: Part<'_, Self::Prepared>,
                cols: Part<'_, Self::Prepared>,
                out: &mut [f64],
            ) -> Result<()> {
                fill_by::<X, _, _>(&self.0, &$ratio, &rows, &cols, out)
            }

            fn diagonal(&self, of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
                $ratio.diagonal(of.numbers(), out);
                Ok(())
            }

            numbered!(0);
        }
    };
}

ratio!(Tanimoto, Ratio::Tanimoto);
ratio!(Dice, Ratio::Dice);

operators!([K] Normalize<K>, [K] RbfOf<K>, [K] Tanimoto<K>, [K] Dice<K>);
