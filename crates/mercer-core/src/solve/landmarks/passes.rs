//! Passes over the similarities of all objects to the landmarks, block by block.

use std::ops::Range;
use std::sync::Arc;

use crate::budget::{self, Budget};
use crate::data::Dense;
use crate::error::Result;
use crate::numeric::allocate;
use crate::numeric::math::vectorised;
use crate::parallel;
use crate::solve::{Columns, View};

/// Rows computed at a time.
pub(super) const BLOCK: usize = 1024;
/// Rows whose sums are added by one thread. Fixed, so that bits do not depend on the number of threads.
const CHUNK: usize = 64;
/// Partial sums of an inner product.
const LANES: usize = 16;

/// K_nm: kept in memory, or computed block by block.
pub(super) struct Blocks<'a> {
    view: Box<dyn View + 'a>,
    rows: usize,
    width: usize,
    /// Whether entries are rounded to single precision.
    single: bool,
    kept: Kept,
    budget: &'a Budget,
}

enum Kept {
    Single(Dense<f32>),
    Double(Dense),
    Nothing,
}

impl<'a> Blocks<'a> {
    /// Keeps the entries if they take at most half of the memory that is left.
    pub(super) fn new(
        columns: &'a dyn Columns,
        landmarks: Arc<[u32]>,
        single: bool,
        budget: &'a Budget,
    ) -> Result<Self> {
        let (rows, width) = (columns.len(), landmarks.len());
        let view = columns.view(landmarks)?;
        let mut blocks = Blocks { view, rows, width, single, kept: Kept::Nothing, budget };
        let bytes = budget::matrix_bytes(rows, width, if single { 4 } else { 8 });
        if budget::room().is_none_or(|room| bytes <= room / 2) {
            blocks.kept = if single {
                let mut all = allocate::<f32>(rows, width);
                blocks.fill_all(all.values_mut(), |rows, out| blocks.view.fill(rows, 0..width, out))?;
                Kept::Single(all)
            } else {
                let mut all = allocate::<f64>(rows, width);
                blocks.fill_all(all.values_mut(), |rows, out| blocks.view.fill_exact(rows, 0..width, out))?;
                Kept::Double(all)
            };
        }
        Ok(blocks)
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn is_single(&self) -> bool {
        self.single
    }

    fn fill_all<T>(&self, out: &mut [T], fill: impl Fn(&[u32], &mut [&mut [T]]) -> Result<()>) -> Result<()> {
        for (rows, block) in ranges(self.rows).zip(out.chunks_mut((BLOCK * self.width).max(1))) {
            self.check()?;
            let rows: Vec<u32> = rows.map(|i| i as u32).collect();
            fill(&rows, &mut block.chunks_mut(self.width.max(1)).collect::<Vec<_>>())?;
        }
        Ok(())
    }

    fn check(&self) -> Result<()> {
        self.budget.check()?;
        budget::check()
    }

    /// K_nm·v, and Σ_i u_i·(K_nm·v)_i·K_i for each list of factors u; without v, Σ_i u_i·K_i and no product.
    ///
    /// With `exact`, entries are in double precision, computed again unless they are kept so.
    pub(super) fn pass(
        &self,
        v: Option<&[f64]>,
        factors: &[&[f64]],
        exact: bool,
    ) -> Result<(Vec<f64>, Vec<Vec<f64>>)> {
        let mut sums =
            Sums { v, factors, image: Vec::new(), back: vec![vec![0.0; self.width]; factors.len()] };
        match &self.kept {
            Kept::Single(kept) if !exact => {
                for rows in ranges(self.rows) {
                    self.check()?;
                    sums.add(rows.clone(), kept.block(rows));
                }
            }
            Kept::Double(kept) => {
                for rows in ranges(self.rows) {
                    self.check()?;
                    sums.add(rows.clone(), kept.block(rows));
                }
            }
            _ if self.single && !exact => {
                self.computed(&mut sums, |rows, out| self.view.fill(rows, 0..self.width, out))?;
            }
            _ => self.computed(&mut sums, |rows, out| self.view.fill_exact(rows, 0..self.width, out))?,
        }
        self.check()?;
        Ok((sums.image, sums.back))
    }

    /// Adds blocks that are computed and forgotten.
    fn computed<T: Copy + Default + Into<f64> + Sync>(
        &self,
        sums: &mut Sums<'_>,
        fill: impl Fn(&[u32], &mut [&mut [T]]) -> Result<()>,
    ) -> Result<()> {
        let mut block = vec![T::default(); BLOCK.min(self.rows) * self.width];
        for rows in ranges(self.rows) {
            self.check()?;
            let own = &mut block[..rows.len() * self.width];
            let places: Vec<u32> = rows.clone().map(|i| i as u32).collect();
            fill(&places, &mut own.chunks_mut(self.width.max(1)).collect::<Vec<_>>())?;
            sums.add(rows, own);
        }
        Ok(())
    }
}

/// The blocks of rows.
fn ranges(rows: usize) -> impl Iterator<Item = Range<usize>> {
    (0..rows).step_by(BLOCK).map(move |from| from..(from + BLOCK).min(rows))
}

/// The sums of a pass.
struct Sums<'s> {
    v: Option<&'s [f64]>,
    factors: &'s [&'s [f64]],
    image: Vec<f64>,
    back: Vec<Vec<f64>>,
}

impl Sums<'_> {
    /// Adds a block of rows, chunks of them in parallel.
    fn add<T: Copy + Into<f64> + Sync>(&mut self, rows: Range<usize>, block: &[T]) {
        let width = block.len() / rows.len().max(1);
        let chunk = |(at, lines): (usize, &[T])| {
            let first = rows.start + at * CHUNK;
            let mut image = Vec::new();
            let mut back = vec![vec![0.0; width]; self.factors.len()];
            for (i, line) in lines.chunks_exact(width.max(1)).enumerate() {
                let value = self.v.map_or(1.0, |v| product(line, v));
                if self.v.is_some() {
                    image.push(value);
                }
                for (sums, factors) in back.iter_mut().zip(self.factors) {
                    let factor = factors[first + i] * value;
                    if factor != 0.0 {
                        add(line, factor, sums);
                    }
                }
            }
            (image, back)
        };
        let chunks: Vec<_> = block.chunks((CHUNK * width).max(1)).collect();
        for (image, back) in parallel::map(chunks.len(), |k| chunk((k, chunks[k]))) {
            self.image.extend(image);
            for (sums, part) in self.back.iter_mut().zip(back) {
                sums.iter_mut().zip(part).for_each(|(s, p)| *s += p);
            }
        }
    }
}

/// The inner product, in a fixed order.
fn product<T: Copy + Into<f64>>(x: &[T], y: &[f64]) -> f64 {
    vectorised(
        #[inline(always)]
        || {
            let mut sums = [0.0; LANES];
            let (left, right) = (x.chunks_exact(LANES), y.chunks_exact(LANES));
            let tail: f64 = left.remainder().iter().zip(right.remainder()).map(|(&x, y)| x.into() * y).sum();
            for (x, y) in left.zip(right) {
                sums.iter_mut().zip(x).zip(y).for_each(|((s, &x), y)| *s += x.into() * y);
            }
            sums.iter().sum::<f64>() + tail
        },
    )
}

fn add<T: Copy + Into<f64>>(x: &[T], factor: f64, sums: &mut [f64]) {
    vectorised(
        #[inline(always)]
        || sums.iter_mut().zip(x).for_each(|(s, &x)| *s += factor * x.into()),
    );
}
