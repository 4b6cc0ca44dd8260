//! Prepared objects with one number each, for kernels computed from another kernel's values.

use super::{Kernel, Part, Prepared};
use crate::error::{Error, Result};

/// A prepared set with one number per object, such as its self-similarity or its mean similarity to others.
#[derive(Debug)]
pub struct Numbered<P> {
    pub(crate) inner: P,
    pub(crate) numbers: Vec<f64>,
}

impl<P: Prepared> Numbered<P> {
    /// Objects with their self-similarities.
    pub(crate) fn by_self<X: ?Sized, K: Kernel<X, Prepared = P>>(kernel: &K, objects: &X) -> Result<Self> {
        let inner = kernel.prepare(objects)?;
        let mut numbers = vec![0.0; inner.len()];
        kernel.diagonal(Part::all(&inner), &mut numbers)?;
        if let Some(at) = numbers.iter().position(|s| !s.is_finite()) {
            return Err(Error::NonFinite { row: at, col: at, overflow: true });
        }
        Ok(Numbered { inner, numbers })
    }
}

impl<P: Prepared> Prepared for Numbered<P> {
    fn len(&self) -> usize {
        self.numbers.len()
    }

    fn select(&self, chosen: &[usize]) -> Self {
        Numbered { inner: self.inner.select(chosen), numbers: self.numbers.select(chosen) }
    }
}

impl<'a, P> Part<'a, Numbered<P>> {
    pub(crate) fn inner(&self) -> Part<'a, P> {
        self.of(|set| &set.inner)
    }

    pub(crate) fn numbers(&self) -> &'a [f64] {
        &self.set.numbers[self.range.clone()]
    }
}

/// Updates each entry of a tile from the numbers of its two objects.
#[inline(always)]
pub(crate) fn adjust(rows: &[f64], cols: &[f64], out: &mut [f64], change: impl Fn(f64, f64, f64) -> f64) {
    for (row, own) in out.chunks_exact_mut(cols.len().max(1)).zip(rows) {
        row.iter_mut().zip(cols).for_each(|(v, their)| *v = change(*v, *own, *their));
    }
}

/// The methods of a kernel on [`Numbered`] objects that it takes from its inner kernel.
macro_rules! numbered {
    ($inner:tt) => {
        fn definiteness(&self) -> Definiteness {
            self.$inner.definiteness()
        }

        fn is_transductive(&self) -> bool {
            self.$inner.is_transductive()
        }

        fn tile_side(&self) -> usize {
            self.$inner.tile_side()
        }
    };
}

pub(crate) use numbered;
