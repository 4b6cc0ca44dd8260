//! Sums over the parts of objects: Haussler's R-convolution.

use std::fmt;

use super::{Definiteness, Facts, Kernel, Part, Prepared, operators};
use crate::budget;
use crate::data::Kind;
use crate::error::{Error, Result};

/// Decomposes objects of type `X` into parts.
///
/// `Display` prints its parameters as they appear in an expression.
pub trait Decomposition<X: ?Sized>: fmt::Display + Send + Sync {
    /// Sets of parts.
    type Parts;

    /// The parts of all objects, object by object, and the start index of each object's parts. Object i has parts
    /// `starts[i]..starts[i + 1]`, so there is one more start than objects.
    fn parts(&self, objects: &X) -> Result<(Self::Parts, Vec<usize>)>;
}

/// k(X, Y) = Σ over parts s of X, Σ over parts t of Y, of inner(s, t).
///
/// The parts of all objects are prepared together, once. With [`Delta`](super::Delta) as the inner kernel it counts the
/// parts that two objects share.
///
/// An object without parts has similarity 0 to everything.
#[derive(Clone, Debug, PartialEq)]
pub struct Convolution<D, K> {
    /// The decomposition of objects into parts.
    pub decomposition: D,
    /// The kernel that compares parts.
    pub inner: K,
}

impl Convolution<(), ()> {
    /// Facts about this wrapper.
    pub const FACTS: Facts = Facts {
        name: "convolution",
        summary: "The sum of a kernel over all pairs of parts of two objects.",
        formula: "Σ_{s ∈ parts(x)} Σ_{t ∈ parts(y)} k(s, t)",
        takes: "a kernel of the parts",
        kinds: &[Kind::Numbers, Kind::Strings, Kind::Text],
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            super::Parameter {
                name: "parts",
                default: "columns",
                domain: super::Domain::Word(&["columns", "symbols", "words", "substrings"]),
                doc: "columns: each number of the object; symbols, words, substrings: of its string or text",
                alias: None,
            },
            super::Parameter {
                name: "length",
                default: "3",
                domain: super::Domain::Whole(1, 1000),
                doc: "symbols in a substring",
                alias: None,
            },
        ],
        cost: "parts of x times parts of y",
        reference: "Haussler 1999, Convolution kernels on discrete structures",
        example: "convolution(delta, parts=substrings, length=3)@sequence",
    };
}

impl<D: fmt::Display, K: fmt::Display> fmt::Display for Convolution<D, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "convolution({}, {})", self.inner, self.decomposition)
    }
}

/// The parts of a set of objects, prepared.
#[derive(Debug)]
pub struct Parts<P> {
    inner: P,
    starts: Vec<usize>,
}

impl<P: Prepared> Prepared for Parts<P> {
    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn select(&self, chosen: &[usize]) -> Self {
        let (mut parts, mut starts) = (Vec::new(), vec![0]);
        for &i in chosen {
            parts.extend(self.starts[i]..self.starts[i + 1]);
            starts.push(parts.len());
        }
        Parts { inner: self.inner.select(&parts), starts }
    }
}

impl<'a, P> Part<'a, Parts<P>> {
    fn parts_of(&self, object: usize) -> Part<'a, P> {
        Part::new(&self.set.inner, self.set.starts[object]..self.set.starts[object + 1])
    }
}

/// Maximum number of part pairs whose similarities are held at once.
const AT_ONCE: usize = 1 << 18;

/// Sum over all pairs, in blocks of bounded size and in a fixed order.
fn sum_of_pairs<X: ?Sized, K: Kernel<X>>(
    kernel: &K,
    rows: Part<'_, K::Prepared>,
    cols: Part<'_, K::Prepared>,
    scratch: &mut Vec<f64>,
) -> Result<f64> {
    let mut sum = 0.0;
    let width = cols.len().clamp(1, AT_ONCE);
    let height = (AT_ONCE / width).max(1);
    for top in rows.range.clone().step_by(height) {
        let block = Part::new(rows.set, top..(top + height).min(rows.range.end));
        for left in cols.range.clone().step_by(width) {
            let across = Part::new(cols.set, left..(left + width).min(cols.range.end));
            budget::check_after(block.len() * across.len())?;
            scratch.resize(block.len() * across.len(), 0.0);
            kernel.fill(block.clone(), across, scratch)?;
            sum += scratch.iter().sum::<f64>();
        }
    }
    Ok(sum)
}

impl<X: ?Sized, D: Decomposition<X>, K: Kernel<D::Parts>> Kernel<X> for Convolution<D, K> {
    type Prepared = Parts<K::Prepared>;

    fn prepare(&self, objects: &X) -> Result<Self::Prepared> {
        let (parts, starts) = self.decomposition.parts(objects)?;
        // Errors name the object, because the caller does not see parts.
        let owner = |part: usize| starts.partition_point(|&start| start <= part).saturating_sub(1);
        let inner = self.inner.prepare(&parts).map_err(|e| e.of_object(owner))?;
        if starts.is_empty() || starts.last() != Some(&inner.len()) || !starts.is_sorted() {
            return Err(Error::usage("the starts of a decomposition do not cover its parts"));
        }
        Ok(Parts { inner, starts })
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        let mut scratch = Vec::new();
        let mut entries = out.iter_mut();
        for i in rows.range.clone() {
            for (j, v) in cols.range.clone().zip(&mut entries) {
                *v = sum_of_pairs(&self.inner, rows.parts_of(i), cols.parts_of(j), &mut scratch)?;
            }
        }
        Ok(())
    }

    fn diagonal(&self, of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
        let mut scratch = Vec::new();
        for (v, i) in out.iter_mut().zip(of.range.clone()) {
            *v = sum_of_pairs(&self.inner, of.parts_of(i), of.parts_of(i), &mut scratch)?;
        }
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        self.inner.definiteness()
    }

    fn is_transductive(&self) -> bool {
        self.inner.is_transductive()
    }

    fn tile_side(&self) -> usize {
        32
    }
}

operators!([D, K] Convolution<D, K>);
