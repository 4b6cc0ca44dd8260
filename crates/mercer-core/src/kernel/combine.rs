//! Sums, products and positive multiples of kernels. These operations preserve positive semidefiniteness.
//!
//! A sum concatenates feature spaces, a product is their tensor product (Schur product theorem), and a positive factor
//! scales every feature.

use std::cell::RefCell;
use std::fmt;

use super::{Definiteness, Domain, Facts, FeatureParts, Kernel, Part};
use crate::error::Result;
use crate::numeric::math::vectorised;

/// k(x, y) = a(x, y) + b(x, y).
///
/// ```
/// use mercer_core::kernel::vector::{Linear, Rbf};
/// let k = Rbf::new(0.1)? + Linear;
/// assert_eq!(k.to_string(), "rbf(gamma=0.1) + linear");
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Sum<A, B>(pub A, pub B);

/// k(x, y) = a(x, y) · b(x, y).
///
/// ```
/// use mercer_core::kernel::vector::{Linear, Rbf};
/// let k = Linear * (Rbf::new(0.1)? + Linear);
/// assert_eq!(k.to_string(), "linear * (rbf(gamma=0.1) + linear)");
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Product<A, B>(pub A, pub B);

/// k(x, y) = factor · inner(x, y) with a positive factor.
///
/// ```
/// use mercer_core::kernel::{combine::Scale, vector::Linear};
/// assert_eq!(Scale::new(0.5, Linear)?.to_string(), "0.5*linear");
/// assert!(Scale::new(-1.0, Linear).is_err());
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Scale<K> {
    factor: f64,
    inner: K,
}

impl<K> Scale<K> {
    /// A multiple of a kernel. The factor must be finite and above 0.
    pub fn new(factor: f64, inner: K) -> Result<Self> {
        Ok(Scale { factor: Domain::Positive.check("factor", factor)?, inner })
    }
}

impl<A: fmt::Display, B: fmt::Display> fmt::Display for Sum<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The alternate form is used inside a product or before an `@`.
        if f.alternate() {
            write!(f, "({} + {})", self.0, self.1)
        } else {
            write!(f, "{} + {}", self.0, self.1)
        }
    }
}

impl<A: fmt::Display, B: fmt::Display> fmt::Display for Product<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#} * {:#}", self.0, self.1)
    }
}

impl<K: fmt::Display> fmt::Display for Scale<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}*{:#}", self.factor, self.inner)
    }
}

/// Buffers of tiles up to this many entries are kept.
const KEPT: usize = 1 << 18;

thread_local! {
    static BUFFERS: RefCell<Vec<Vec<f64>>> = const { RefCell::new(Vec::new()) };
}

/// Calls `work` with a buffer of this length and any contents. A fresh buffer for every tile would take a third of the
/// time of a sum of fast kernels: the system clears its pages each time.
fn with_buffer<R>(len: usize, work: impl FnOnce(&mut [f64]) -> R) -> R {
    let mut buffer = BUFFERS.with_borrow_mut(Vec::pop).unwrap_or_default();
    buffer.resize(len, 0.0);
    let done = work(&mut buffer);
    if buffer.capacity() <= KEPT {
        BUFFERS.with_borrow_mut(|kept| kept.push(buffer));
    }
    done
}

/// Implements `Kernel` for `Sum` and `Product`, which differ only in the operator.
macro_rules! entrywise {
    ($name:ident, $apply:expr, $parts:expr) => {
        impl<X: ?Sized, A: Kernel<X>, B: Kernel<X>> Kernel<X> for $name<A, B> {
            type Prepared = (A::Prepared, B::Prepared);

            fn prepare(&self, objects: &X) -> Result<Self::Prepared> {
                Ok((self.0.prepare(objects)?, self.1.prepare(objects)?))
            }

            fn fill(
                &self,
                rows: Part<'_, Self::Prepared>,
                cols: Part<'_, Self::Prepared>,
                out: &mut [f64],
            ) -> Result<()> {
                self.0.fill(rows.of(|p| &p.0), cols.of(|p| &p.0), out)?;
                with_buffer(out.len(), |other| {
                    self.1.fill(rows.of(|p| &p.1), cols.of(|p| &p.1), other)?;
                    vectorised(
                        #[inline(always)]
                        || out.iter_mut().zip(&*other).for_each(|(a, b)| *a = $apply(*a, *b)),
                    );
                    Ok(())
                })
            }

            fn diagonal(&self, of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
                self.0.diagonal(of.of(|p| &p.0), out)?;
                let mut other = vec![0.0; out.len()];
                self.1.diagonal(of.of(|p| &p.1), &mut other)?;
                out.iter_mut().zip(&other).for_each(|(a, b)| *a = $apply(*a, *b));
                Ok(())
            }

            fn definiteness(&self) -> Definiteness {
                self.0.definiteness().min(self.1.definiteness())
            }

            fn is_transductive(&self) -> bool {
                self.0.is_transductive() || self.1.is_transductive()
            }

            fn tile_side(&self) -> usize {
                self.0.tile_side().min(self.1.tile_side())
            }

            fn parts<'a>(&self, prepared: &'a Self::Prepared) -> Result<Option<FeatureParts<'a>>> {
                let both = self.0.parts(&prepared.0)?.zip(self.1.parts(&prepared.1)?);
                Ok(both.and_then(|(a, b)| $parts(a, b)))
            }
        }
    };
}

entrywise!(Sum, |a: f64, b: f64| a + b, both);
entrywise!(Product, |a: f64, b: f64| a * b, neither);

/// The features of a sum.
fn both<'a>(a: FeatureParts<'a>, b: FeatureParts<'a>) -> Option<FeatureParts<'a>> {
    Some(a.concat(b))
}

/// The features of a product are all pairwise products; they are not made explicit.
fn neither<'a>(_: FeatureParts<'a>, _: FeatureParts<'a>) -> Option<FeatureParts<'a>> {
    None
}

impl<X: ?Sized, K: Kernel<X>> Kernel<X> for Scale<K> {
    type Prepared = K::Prepared;

    fn prepare(&self, objects: &X) -> Result<Self::Prepared> {
        self.inner.prepare(objects)
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        self.inner.fill(rows, cols, out)?;
        vectorised(
            #[inline(always)]
            || out.iter_mut().for_each(|v| *v *= self.factor),
        );
        Ok(())
    }

    fn diagonal(&self, of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
        self.inner.diagonal(of, out)?;
        out.iter_mut().for_each(|v| *v *= self.factor);
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        self.inner.definiteness()
    }

    fn is_transductive(&self) -> bool {
        self.inner.is_transductive()
    }

    fn parts<'a>(&self, prepared: &'a Self::Prepared) -> Result<Option<FeatureParts<'a>>> {
        Ok(self.inner.parts(prepared)?.map(|parts| parts.scaled(|_| self.factor.sqrt())))
    }

    fn tile_side(&self) -> usize {
        self.inner.tile_side()
    }
}

/// Lets kernels be added and multiplied with `+` and `*`.
macro_rules! operators {
    ($([$($generics:tt)*] $kernel:ty),* $(,)?) => {$(
        impl<Other, $($generics)*> std::ops::Add<Other> for $kernel {
            type Output = $crate::kernel::combine::Sum<Self, Other>;
            fn add(self, other: Other) -> Self::Output {
                $crate::kernel::combine::Sum(self, other)
            }
        }
        impl<Other, $($generics)*> std::ops::Mul<Other> for $kernel {
            type Output = $crate::kernel::combine::Product<Self, Other>;
            fn mul(self, other: Other) -> Self::Output {
                $crate::kernel::combine::Product(self, other)
            }
        }
    )*};
}
pub(crate) use operators;

operators!([A, B] Sum<A, B>, [A, B] Product<A, B>, [K] Scale<K>, [X: ?Sized] super::Boxed<X>);

/// Facts about sums, products and multiples, which expressions write as `+` and `*`.
#[doc(hidden)]
pub const ALGEBRA: [Facts; 3] = [
    Facts {
        name: "+",
        summary: "The sum of two kernels: their feature spaces are concatenated.",
        formula: "k(x, y) = a(x, y) + b(x, y)",
        takes: "two kernels",
        kinds: &[],
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[],
        cost: "that of both",
        reference: "Aronszajn 1950",
        example: "rbf(gamma=0.1) + linear",
    },
    Facts {
        name: "*",
        summary: "The product of two kernels: the tensor product of their feature spaces.",
        formula: "k(x, y) = a(x, y) · b(x, y)",
        takes: "two kernels",
        kinds: &[],
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[],
        cost: "that of both",
        reference: "Schur 1911",
        example: "rbf(gamma=0.1) * polynomial(degree=2)",
    },
    Facts {
        name: "c*",
        summary: "A positive multiple of a kernel.",
        formula: "k(x, y) = c · a(x, y), c > 0",
        takes: "a number and a kernel",
        kinds: &[],
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[],
        cost: "that of the kernel",
        reference: "Aronszajn 1950",
        example: "0.5*rbf(gamma=0.1)",
    },
];
