//! The interface between a solver and a kernel.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use crate::budget;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::{Engine, Progress, Scalar};
use crate::numeric::math::vectorised;
use crate::parallel;
use crate::traits::{Kernel, Part, Prepared};

/// A symmetric matrix of similarities whose rows are computed on demand.
pub trait Columns: Sync {
    /// The number of objects.
    fn len(&self) -> usize;

    /// True when there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where a solver reports its progress, if anywhere.
    fn progress(&self) -> Option<&dyn Progress> {
        None
    }

    /// The whole matrix, if it is in memory already.
    fn in_memory(&self) -> Option<&Dense> {
        None
    }

    /// The whole matrix, computed. Unless a matrix computes one of its halves only, this is [`exact`](Self::exact).
    fn whole(&self) -> Result<Dense> {
        let n = self.len();
        let most =
            u32::try_from(n).map_err(|_| Error::usage(format!("{n} objects exceed the limit of 2^32")))?;
        budget::ask("the Gram matrix", budget::matrix_bytes(n, n, 8))?;
        let (all, mut out) = ((0..most).collect::<Vec<_>>(), Dense::zeros(n, n));
        self.exact(&all, &all, out.values_mut())?;
        Ok(out)
    }

    /// The self-similarity of every object.
    fn diagonal(&self) -> Result<Vec<f64>>;

    /// The matrix with only the columns `order`, in that order.
    fn view(&self, order: Arc<[u32]>) -> Result<Box<dyn View + '_>>;

    /// How many rows are best computed together; 1 if a row is only looked up.
    fn batch(&self) -> usize;

    /// Σ_j K_ij · weight_j over the objects `chosen`, for each object i of `of`, in double precision throughout.
    fn combine(&self, of: &[u32], chosen: &[u32], weights: &[f64]) -> Result<Vec<f64>>;

    /// Writes the entries of the objects `rows` with the objects `cols` to `out`, row after row, in double precision.
    /// `out` holds exactly `rows.len() * cols.len()` values.
    fn exact(&self, rows: &[u32], cols: &[u32], out: &mut [f64]) -> Result<()>;
}

/// A selection of columns of a matrix, arranged for reading.
pub trait View: Sync {
    /// Writes the entries of the objects `rows` in the columns `cols` of this view, each row to its own slice.
    fn fill(&self, rows: &[u32], cols: Range<usize>, out: &mut [&mut [f32]]) -> Result<()>;

    /// Like `fill`, in double precision.
    fn fill_exact(&self, rows: &[u32], cols: Range<usize>, out: &mut [&mut [f64]]) -> Result<()>;
}

/// The two precisions of cached rows.
pub(super) trait Precision: Scalar {
    /// Fills rows in this precision.
    fn fill(view: &dyn View, rows: &[u32], cols: Range<usize>, out: &mut [&mut [Self]]) -> Result<()>;
}

impl Precision for f32 {
    fn fill(view: &dyn View, rows: &[u32], cols: Range<usize>, out: &mut [&mut [f32]]) -> Result<()> {
        view.fill(rows, cols, out)
    }
}

impl Precision for f64 {
    fn fill(view: &dyn View, rows: &[u32], cols: Range<usize>, out: &mut [&mut [f64]]) -> Result<()> {
        view.fill_exact(rows, cols, out)
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
    /// The Gram matrix of prepared objects, never stored as a whole.
    pub fn new(engine: &'a Engine, kernel: &'a K, set: &'a K::Prepared) -> Self {
        KernelColumns { engine, kernel, set, objects: std::marker::PhantomData }
    }

    fn select(&self, which: &[u32]) -> K::Prepared {
        let positions: Vec<usize> = which.iter().map(|&i| i as usize).collect();
        self.set.select(&positions)
    }
}

impl<X: ?Sized, K: Kernel<X>> Columns for KernelColumns<'_, X, K> {
    fn len(&self) -> usize {
        self.set.len()
    }

    fn progress(&self) -> Option<&dyn Progress> {
        Some(self.engine.progress())
    }

    fn whole(&self) -> Result<Dense> {
        self.engine.gram_of(self.kernel, self.set)
    }

    fn diagonal(&self) -> Result<Vec<f64>> {
        self.engine.diagonal_of(self.kernel, self.set)
    }

    fn view(&self, order: Arc<[u32]>) -> Result<Box<dyn View + '_>> {
        let cols = self.select(&order);
        let mut place = vec![u32::MAX; self.len()];
        order.iter().enumerate().for_each(|(at, &o)| place[o as usize] = at as u32);
        Ok(Box::new(KernelView { source: self, cols, diagonal: self.diagonal()?, place, order }))
    }

    fn batch(&self) -> usize {
        16
    }

    fn combine(&self, of: &[u32], chosen: &[u32], weights: &[f64]) -> Result<Vec<f64>> {
        let n = self.len();
        // With more than half of all objects, zeros for the others cost less than both halves of the matrix.
        if 2 * chosen.len() > n && of.len() == n && of.iter().enumerate().all(|(at, &i)| at == i as usize) {
            let mut all = vec![0.0; n];
            chosen.iter().zip(weights).for_each(|(&j, w)| all[j as usize] += w);
            return self.engine.symmetric_sums(self.kernel, self.set, &all);
        }
        let (rows, support) = (self.select(of), self.select(chosen));
        let mut sums = self.engine.weighted_sums(self.kernel, &rows, &support, weights)?;
        // Only the set itself gives exact self-similarities (a shift is added to these only).
        let diagonal = self.diagonal()?;
        let mut place = vec![usize::MAX; self.len()];
        chosen.iter().enumerate().for_each(|(at, &j)| place[j as usize] = at);
        let mut own = [0.0];
        for (r, &i) in of.iter().enumerate() {
            let at = place[i as usize];
            if at == usize::MAX {
                continue;
            }
            self.kernel.fill(Part::new(&rows, r..r + 1), Part::new(&support, at..at + 1), &mut own)?;
            if own[0] != diagonal[i as usize] {
                sums[r] += weights[at] * (diagonal[i as usize] - own[0]);
            }
        }
        Ok(sums)
    }

    fn exact(&self, rows: &[u32], cols: &[u32], out: &mut [f64]) -> Result<()> {
        // All rows in order are the set itself, so nothing is copied.
        let is_whole = rows.len() == self.len() && rows.iter().enumerate().all(|(at, &i)| at == i as usize);
        let picked = if is_whole { None } else { Some(self.select(rows)) };
        let (left, right) = (picked.as_ref().unwrap_or(self.set), self.select(cols));
        let width = cols.len().max(1);
        let strip = |block: usize, tile: &mut [f64]| -> Result<()> {
            let from = block * STRIP;
            let part = from..from + tile.len() / width;
            let places = &rows[part.clone()];
            budget::check()?;
            budget::finished(self.kernel.fill(Part::new(left, part), Part::all(&right), tile))?;
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
        self.engine.run(|| parallel::chunks_mut(out, STRIP * width, strip)).map(drop)
    }
}

struct KernelView<'a, X: ?Sized, K: Kernel<X>> {
    source: &'a KernelColumns<'a, X, K>,
    cols: K::Prepared,
    diagonal: Vec<f64>,
    /// The position of each object in the order; `u32::MAX` for objects not in it.
    place: Vec<u32>,
    order: Arc<[u32]>,
}

/// Rows and columns of a tile, and the slices for its rows.
type Tile<'t, T> = (Range<usize>, Range<usize>, Vec<&'t mut [T]>);

/// Rows and columns of a tile, which fits in a core's cache.
const GROUP: usize = 64;
const STRIP: usize = 512;

impl<X: ?Sized, K: Kernel<X>> View for KernelView<'_, X, K> {
    fn fill(&self, rows: &[u32], cols: Range<usize>, out: &mut [&mut [f32]]) -> Result<()> {
        self.compute(rows, cols, out)
    }

    fn fill_exact(&self, rows: &[u32], cols: Range<usize>, out: &mut [&mut [f64]]) -> Result<()> {
        self.compute(rows, cols, out)
    }
}

impl<X: ?Sized, K: Kernel<X>> KernelView<'_, X, K> {
    fn compute<T: Scalar>(&self, rows: &[u32], cols: Range<usize>, out: &mut [&mut [T]]) -> Result<()> {
        let (kernel, engine) = (self.source.kernel, self.source.engine);
        let chosen = self.source.select(rows);
        // Tiles have a fixed size for any number of threads: the last bits of a product may depend on its shape.
        let mut tiles: Vec<Mutex<Tile<'_, T>>> = Vec::new();
        let mut first = 0;
        for group in out.chunks_mut(GROUP) {
            let own = first..first + group.len();
            first = own.end;
            let mut rest: Vec<&mut [T]> = group.iter_mut().map(|row| &mut **row).collect();
            for left in cols.clone().step_by(STRIP) {
                let part = left..(left + STRIP).min(cols.end);
                let mut strip = Vec::with_capacity(rest.len());
                for row in &mut rest {
                    let (head, tail) = std::mem::take(row).split_at_mut(part.len());
                    strip.push(head);
                    *row = tail;
                }
                tiles.push(Mutex::new((own.clone(), part, strip)));
            }
        }
        let work = |tile: &mut Vec<f64>, k: usize| -> Result<()> {
            // Each tile is locked once.
            let (own, part, targets) = &mut *tiles[k].lock().unwrap_or_else(PoisonError::into_inner);
            budget::check()?;
            tile.resize(own.len() * part.len(), 0.0);
            let (down, across) = (Part::new(&chosen, own.clone()), Part::new(&self.cols, part.clone()));
            budget::finished(kernel.fill(down, across, tile))?;
            for ((values, target), &object) in
                tile.chunks_exact(part.len()).zip(targets).zip(&rows[own.clone()])
            {
                let good = vectorised(
                    #[inline(always)]
                    || {
                        target.iter_mut().zip(values).fold(true, |good, (t, v)| {
                            *t = T::from_f64(*v);
                            good & v.is_finite()
                        })
                    },
                );
                if !good {
                    let at = values.iter().position(|v| !v.is_finite()).unwrap_or(0);
                    let (row, col) = (object as usize, self.order[part.start + at] as usize);
                    return Err(Error::NonFinite { row, col, overflow: true });
                }
                // Only the set itself gives exact self-similarities.
                let place = self.place[object as usize] as usize;
                if part.contains(&place) {
                    target[place - part.start] = T::from_f64(self.diagonal[object as usize]);
                }
            }
            Ok(())
        };
        engine.run(|| parallel::map_with(tiles.len(), 1, Vec::new, work)).into_iter().collect()
    }
}
