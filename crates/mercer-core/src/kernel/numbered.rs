//! Prepared objects with one statistic each, for kernels computed from another kernel's values.

use super::{Kernel, Part, Prepared};
use crate::error::{Error, Result};
use crate::gram::BlockTransform;

/// A prepared set with one statistic per object, such as its self-similarity or its mean similarity to others.
#[derive(Debug)]
pub struct Numbered<P, S = f64> {
    pub(crate) inner: P,
    pub(crate) numbers: Vec<S>,
}

impl<P: Prepared, S: Clone + Send + Sync> Prepared for Numbered<P, S> {
    fn len(&self) -> usize {
        self.numbers.len()
    }

    fn select(&self, chosen: &[usize]) -> Self {
        Numbered { inner: self.inner.select(chosen), numbers: self.numbers.select(chosen) }
    }
}

impl<'a, P, S> Part<'a, Numbered<P, S>> {
    pub(crate) fn inner(&self) -> Part<'a, P> {
        self.of(|set| &set.inner)
    }

    pub(crate) fn numbers(&self) -> &'a [S] {
        &self.set.numbers[self.range.clone()]
    }
}

/// The self-similarities of prepared objects as `write` computes them, which must be finite.
pub(crate) fn self_similarities<P: Prepared>(
    of: &P,
    write: impl FnOnce(Part<'_, P>, &mut [f64]) -> Result<()>,
) -> Result<Vec<f64>> {
    let mut numbers = vec![0.0; of.len()];
    write(Part::all(of), &mut numbers)?;
    match numbers.iter().position(|s| !s.is_finite()) {
        Some(at) => Err(Error::NonFinite { row: at, col: at, overflow: true }),
        None => Ok(numbers),
    }
}

/// Fills a tile with the values of a kernel, transformed.
#[inline]
pub(crate) fn fill_by<X: ?Sized, K: Kernel<X>, T: BlockTransform>(
    kernel: &K,
    transform: &T,
    rows: &Part<'_, Numbered<K::Prepared, T::Statistic>>,
    cols: &Part<'_, Numbered<K::Prepared, T::Statistic>>,
    out: &mut [f64],
) -> Result<()> {
    kernel.fill(rows.inner(), cols.inner(), out)?;
    transform.block(rows.numbers(), cols.numbers(), out);
    Ok(())
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
