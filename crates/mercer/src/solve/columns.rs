//! All a solver ever sees of a kernel.

use std::ops::Range;

use rayon::prelude::*;

use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::{Engine, check_finite, check_square};
use crate::kernel::{Kernel, Part};

/// A symmetric matrix of similarities whose rows are computed when they are asked for.
pub trait Columns: Sync {
    /// The number of objects.
    fn len(&self) -> usize;

    /// True when there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The self-similarity of every object.
    fn diagonal(&self) -> Result<Vec<f64>>;

    /// The matrix with only the columns `order`, in that order.
    fn view<'a>(&'a self, order: &'a [u32]) -> Result<Box<dyn View + 'a>>;

    /// How many rows are best computed together: 1 where a row is only looked up.
    fn batch(&self) -> usize;

    /// Σ_j K_ij · weight_j over the objects `chosen`, for every object i: in double precision throughout.
    fn combine(&self, chosen: &[u32], weights: &[f64]) -> Result<Vec<f64>>;

    /// Writes the entries of the objects `rows` with the objects `cols` to `out`, row after row, in double precision.
    /// `out` holds exactly `rows.len() * cols.len()` values.
    fn exact(&self, rows: &[u32], cols: &[u32], out: &mut [f64]) -> Result<()>;
}

/// Some columns of a matrix, arranged for reading.
pub trait View: Sync {
    /// Writes the entries of the objects `rows` in the columns `cols` of this view, row after row.
    fn fill(&self, rows: &[u32], cols: Range<usize>, out: &mut [f32]) -> Result<()>;
}

/// A Gram matrix in memory, borrowed.
#[derive(Clone, Copy, Debug)]
pub struct GramColumns<'a> {
    gram: &'a Dense,
}

impl<'a> GramColumns<'a> {
    /// Checks that the matrix is square, finite and symmetric to 1e-8 of its largest entry.
    pub fn new(gram: &'a Dense) -> Result<Self> {
        check_square(gram)?;
        check_finite(gram)?;
        crate::gram::check_symmetric(gram)?;
        Ok(GramColumns { gram })
    }
}

impl Columns for GramColumns<'_> {
    fn len(&self) -> usize {
        self.gram.rows()
    }

    fn diagonal(&self) -> Result<Vec<f64>> {
        Ok((0..self.len()).map(|i| self.gram.at(i, i)).collect())
    }

    fn view<'b>(&'b self, order: &'b [u32]) -> Result<Box<dyn View + 'b>> {
        let straight = order.iter().enumerate().all(|(at, &j)| at == j as usize);
        Ok(Box::new(GramView { gram: self.gram, order, straight }))
    }

    fn batch(&self) -> usize {
        1
    }

    fn combine(&self, chosen: &[u32], weights: &[f64]) -> Result<Vec<f64>> {
        let n = self.len();
        let mut out = vec![0.0; n];
        // Rows of the chosen objects are columns too: the matrix is symmetric. Blocks of the result are
        // independent, so threads change nothing.
        out.par_chunks_mut(1024).enumerate().for_each(|(block, sums)| {
            let start = block * 1024;
            for (&j, &w) in chosen.iter().zip(weights) {
                let row = &self.gram.row(j as usize)[start..start + sums.len()];
                sums.iter_mut().zip(row).for_each(|(s, k)| *s += w * k);
            }
        });
        Ok(out)
    }

    fn exact(&self, rows: &[u32], cols: &[u32], out: &mut [f64]) -> Result<()> {
        // As in `combine`, a column is read as the row it equals.
        for (c, &j) in cols.iter().enumerate() {
            let column = self.gram.row(j as usize);
            out.iter_mut().skip(c).step_by(cols.len()).zip(rows).for_each(|(o, &i)| *o = column[i as usize]);
        }
        Ok(())
    }
}

struct GramView<'a> {
    gram: &'a Dense,
    order: &'a [u32],
    straight: bool,
}

impl View for GramView<'_> {
    fn fill(&self, rows: &[u32], cols: Range<usize>, out: &mut [f32]) -> Result<()> {
        for (&i, target) in rows.iter().zip(out.chunks_exact_mut(cols.len().max(1))) {
            let row = self.gram.row(i as usize);
            if self.straight {
                target.iter_mut().zip(&row[cols.clone()]).for_each(|(t, v)| *t = *v as f32);
            } else {
                target
                    .iter_mut()
                    .zip(&self.order[cols.clone()])
                    .for_each(|(t, &j)| *t = row[j as usize] as f32);
            }
        }
        Ok(())
    }
}

/// Objects and a kernel: rows are computed in batches on all cores.
pub struct KernelColumns<'a, X: ?Sized, K: Kernel<X>> {
    engine: &'a Engine,
    kernel: &'a K,
    set: &'a K::Prepared,
    objects: std::marker::PhantomData<fn(&X)>,
}

impl<'a, X: ?Sized, K: Kernel<X>> KernelColumns<'a, X, K> {
    /// The Gram matrix of prepared objects, never held as a whole.
    pub fn new(engine: &'a Engine, kernel: &'a K, set: &'a K::Prepared) -> Self {
        KernelColumns { engine, kernel, set, objects: std::marker::PhantomData }
    }
}

impl<X: ?Sized, K: Kernel<X>> Columns for KernelColumns<'_, X, K> {
    fn len(&self) -> usize {
        self.kernel.count(self.set)
    }

    fn diagonal(&self) -> Result<Vec<f64>> {
        self.engine.diagonal_of(self.kernel, self.set)
    }

    fn view<'b>(&'b self, order: &'b [u32]) -> Result<Box<dyn View + 'b>> {
        let positions: Vec<usize> = order.iter().map(|&j| j as usize).collect();
        let cols = self.kernel.select(self.set, &positions);
        Ok(Box::new(KernelView { source: self, cols, diagonal: self.diagonal()?, order }))
    }

    fn batch(&self) -> usize {
        64
    }

    fn combine(&self, chosen: &[u32], weights: &[f64]) -> Result<Vec<f64>> {
        let n = self.len();
        let positions: Vec<usize> = chosen.iter().map(|&j| j as usize).collect();
        let support = self.kernel.select(self.set, &positions);
        let mut sums = self.engine.weighted_sums(self.kernel, self.set, &support, weights)?;
        // Only the set itself knows its objects' self-similarities exactly (a shift adds to them alone).
        let diagonal = self.diagonal()?;
        let mut own = [0.0];
        for (at, &j) in chosen.iter().enumerate() {
            let i = j as usize;
            self.kernel.fill(Part::new(self.set, i..i + 1), Part::new(&support, at..at + 1), &mut own)?;
            if own[0] != diagonal[i] && i < n {
                sums[i] += weights[at] * (diagonal[i] - own[0]);
            }
        }
        Ok(sums)
    }

    fn exact(&self, rows: &[u32], cols: &[u32], out: &mut [f64]) -> Result<()> {
        let pick = |of: &[u32]| {
            let positions: Vec<usize> = of.iter().map(|&i| i as usize).collect();
            self.kernel.select(self.set, &positions)
        };
        // All rows in order are the set itself: nothing to copy.
        let straight = rows.len() == self.len() && rows.iter().enumerate().all(|(at, &i)| at == i as usize);
        let picked = if straight { None } else { Some(pick(rows)) };
        let (left, right) = (picked.as_ref().unwrap_or(self.set), pick(cols));
        let width = cols.len().max(1);
        let strip = |(block, tile): (usize, &mut [f64])| -> Result<()> {
            let from = block * STRIP;
            let part = from..from + tile.len() / width;
            let places = &rows[part.clone()];
            self.kernel.fill(Part::new(left, part), Part::new(&right, 0..cols.len()), tile)?;
            for (line, &i) in tile.chunks_exact_mut(width).zip(places) {
                for (entry, &j) in line.iter_mut().zip(cols) {
                    if i == j {
                        let own = i as usize..i as usize + 1;
                        let entry = std::slice::from_mut(entry);
                        self.kernel.diagonal(Part::new(self.set, own), entry)?;
                    }
                    if !entry.is_finite() {
                        let (row, col) = (i as usize, j as usize);
                        return Err(Error::NonFinite { row, col, overflow: true });
                    }
                }
            }
            Ok(())
        };
        let strips =
            self.engine.run(|| out.par_chunks_mut(STRIP * width).enumerate().map(strip).collect::<Vec<_>>());
        // The first fault in the order of the rows, whatever the threads did.
        strips.into_iter().collect()
    }
}

struct KernelView<'a, X: ?Sized, K: Kernel<X>> {
    source: &'a KernelColumns<'a, X, K>,
    cols: K::Prepared,
    diagonal: Vec<f64>,
    order: &'a [u32],
}

/// Columns computed by one task.
const STRIP: usize = 512;

impl<X: ?Sized, K: Kernel<X>> View for KernelView<'_, X, K> {
    fn fill(&self, rows: &[u32], cols: Range<usize>, out: &mut [f32]) -> Result<()> {
        let kernel = self.source.kernel;
        let positions: Vec<usize> = rows.iter().map(|&i| i as usize).collect();
        let chosen = kernel.select(self.source.set, &positions);
        let width = cols.len();
        let starts: Vec<usize> = cols.clone().step_by(STRIP).collect();
        let strips = self.source.engine.run(|| {
            let strip = |&left: &usize| -> Result<Vec<f64>> {
                let part = left..(left + STRIP).min(cols.end);
                let mut tile = vec![0.0; rows.len() * part.len()];
                kernel.fill(Part::new(&chosen, 0..rows.len()), Part::new(&self.cols, part), &mut tile)?;
                Ok(tile)
            };
            starts.par_iter().map(strip).collect::<Vec<_>>()
        });
        for (&left, strip) in starts.iter().zip(strips) {
            let strip = strip?;
            let part = (left + STRIP).min(cols.end) - left;
            let offset = left - cols.start;
            for (r, values) in strip.chunks_exact(part).enumerate() {
                if values.iter().any(|v| !v.is_finite()) {
                    let at = values.iter().position(|v| !v.is_finite()).unwrap_or(0);
                    let col = self.order[left + at] as usize;
                    return Err(Error::NonFinite { row: rows[r] as usize, col, overflow: true });
                }
                let target = &mut out[r * width + offset..r * width + offset + part];
                target.iter_mut().zip(values).for_each(|(t, v)| *t = *v as f32);
                for (at, t) in target.iter_mut().enumerate() {
                    if self.order[left + at] == rows[r] {
                        *t = self.diagonal[rows[r] as usize] as f32;
                    }
                }
            }
        }
        Ok(())
    }
}
