//! A kernel on some objects, extended by zero to all objects.

use std::fmt;

use super::{Definiteness, Facts, Kernel, Part, Prepared, operators};
use crate::data::Dataset;
use crate::error::Result;

/// Sets of objects in which some objects have no value.
pub trait Partial: Sized {
    /// The indices of the objects that have a value, ascending.
    fn present(&self) -> Vec<usize>;

    /// The objects at these indices, in the given order.
    fn pick(&self, positions: &[usize]) -> Self;

    /// The number of objects, with and without a value.
    fn total(&self) -> usize;
}

impl Partial for Dataset {
    /// Objects with a value in every column.
    fn present(&self) -> Vec<usize> {
        (0..self.len()).filter(|&i| self.columns().iter().all(|c| !c.values.is_missing(i))).collect()
    }

    fn pick(&self, positions: &[usize]) -> Self {
        self.select(positions)
    }

    fn total(&self) -> usize {
        self.len()
    }
}

/// k(x, y) = inner(x, y) where both objects have a value, else 0.
///
/// Extending by zero keeps a kernel positive semidefinite. Objects without a value have similarity 0 to all objects,
/// including themselves.
#[derive(Clone, Debug, PartialEq)]
pub struct ZeroExtend<K>(pub K);

impl<K> ZeroExtend<K> {
    /// Facts about this wrapper.
    pub const FACTS: Facts = Facts {
        name: "zero-extend",
        summary: "A kernel where both objects have a value, 0 where one has none.",
        formula: "k(x, y) if x and y have values, else 0",
        takes: "a kernel",
        kinds: &[],
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[],
        cost: "that of the kernel",
        reference: "Haussler 1999, zero extension",
        example: "zero-extend(rbf(gamma=0.1)@age) + delta@sex",
    };
}

impl<K: fmt::Display> fmt::Display for ZeroExtend<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "zero-extend({})", self.0)
    }
}

/// The objects that have a value, and their indices among all objects.
#[derive(Debug)]
pub struct Present<P> {
    inner: P,
    /// Ascending.
    positions: Vec<usize>,
    total: usize,
}

impl<P> Present<P> {
    /// The objects at these ascending indices, out of `total`.
    pub(super) fn new(inner: P, positions: Vec<usize>, total: usize) -> Self {
        Present { inner, positions, total }
    }
}

impl<P: Prepared> Prepared for Present<P> {
    fn len(&self) -> usize {
        self.total
    }

    fn select(&self, chosen: &[usize]) -> Self {
        let (mut inside, mut positions) = (Vec::new(), Vec::new());
        for (at, i) in chosen.iter().enumerate() {
            if let Ok(present) = self.positions.binary_search(i) {
                inside.push(present);
                positions.push(at);
            }
        }
        Present { inner: self.inner.select(&inside), positions, total: chosen.len() }
    }
}

impl<'a, P> Part<'a, Present<P>> {
    /// The present objects of this part, and the offset of each within it.
    pub(super) fn inside(&self) -> (Part<'a, P>, impl Iterator<Item = usize> + Clone + 'a) {
        let (start, end) = (self.range.start, self.range.end);
        let first = self.set.positions.partition_point(|&p| p < start);
        let last = self.set.positions.partition_point(|&p| p < end);
        let offsets = self.set.positions[first..last].iter().map(move |p| p - start);
        (Part::new(&self.set.inner, first..last), offsets)
    }
}

impl<X: Partial, K: Kernel<X>> Kernel<X> for ZeroExtend<K> {
    type Prepared = Present<K::Prepared>;

    fn prepare(&self, objects: &X) -> Result<Self::Prepared> {
        let positions = objects.present();
        let inner = self.0.prepare(&objects.pick(&positions)).map_err(|e| e.of_object(|at| positions[at]))?;
        Ok(Present::new(inner, positions, objects.total()))
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        let (inner_rows, row_at) = rows.inside();
        let (inner_cols, col_at) = cols.inside();
        let width = inner_cols.len();
        let mut values = vec![0.0; inner_rows.len() * width];
        self.0.fill(inner_rows, inner_cols, &mut values)?;
        out.fill(0.0);
        for (at, i) in row_at.enumerate() {
            for (v, j) in values[at * width..(at + 1) * width].iter().zip(col_at.clone()) {
                out[i * cols.len() + j] = *v;
            }
        }
        Ok(())
    }

    fn diagonal(&self, of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
        let (inner, at) = of.inside();
        let mut values = vec![0.0; inner.len()];
        self.0.diagonal(inner, &mut values)?;
        out.fill(0.0);
        at.zip(values).for_each(|(i, v)| out[i] = v);
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        self.0.definiteness()
    }

    fn is_transductive(&self) -> bool {
        self.0.is_transductive()
    }

    fn tile_side(&self) -> usize {
        self.0.tile_side()
    }
}

operators!([K] ZeroExtend<K>);
