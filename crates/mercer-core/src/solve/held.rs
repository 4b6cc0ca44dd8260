//! A cache of exact columns of a matrix.

use super::columns::Columns;
use crate::error::Result;
use crate::numeric::math::vectorised;

/// Columns computed together.
const BATCH: usize = 64;

/// Columns in double precision by object, within a memory limit; others are computed when used.
pub(super) struct Held<'a> {
    columns: &'a dyn Columns,
    all: Vec<u32>,
    of: Vec<Option<Vec<f64>>>,
    held: usize,
    most: usize,
    /// The number of columns computed.
    pub(super) computed: u64,
}

impl<'a> Held<'a> {
    pub(super) fn new(columns: &'a dyn Columns, bytes: u64) -> Self {
        let n = columns.len();
        let most = (bytes / (8 * n.max(1) as u64)).min(n as u64) as usize;
        Held { columns, all: (0..n as u32).collect(), of: vec![None; n], held: 0, most, computed: 0 }
    }

    /// Caches the columns of these objects if there is room, evicting those of objects for which `keep` is false.
    pub(super) fn hold(&mut self, objects: &[usize], keep: impl Fn(usize) -> bool) -> Result<()> {
        let mut wanted: Vec<u32> =
            objects.iter().filter(|&&o| self.of[o].is_none()).map(|&o| o as u32).collect();
        wanted.sort_unstable();
        wanted.dedup();
        if self.held + wanted.len() > self.most {
            for (object, column) in self.of.iter_mut().enumerate() {
                if column.is_some() && !keep(object) && !objects.contains(&object) {
                    *column = None;
                    self.held -= 1;
                }
            }
        }
        wanted.truncate(self.most.saturating_sub(self.held));
        for batch in wanted.chunks(BATCH) {
            let mut block = vec![0.0; self.all.len() * batch.len()];
            self.columns.exact(&self.all, batch, &mut block)?;
            for (c, &object) in batch.iter().enumerate() {
                let column = block.iter().skip(c).step_by(batch.len()).copied().collect();
                self.of[object as usize] = Some(column);
            }
            self.held += batch.len();
            self.computed += batch.len() as u64;
        }
        Ok(())
    }

    /// The entries of an object with others.
    pub(super) fn entries(&mut self, object: usize, others: &[usize]) -> Result<Vec<f64>> {
        if let Some(column) = &self.of[object] {
            return Ok(others.iter().map(|&o| column[o]).collect());
        }
        let rows: Vec<u32> = others.iter().map(|&o| o as u32).collect();
        let mut out = vec![0.0; rows.len()];
        self.columns.exact(&rows, &[object as u32], &mut out)?;
        self.computed += 1;
        Ok(out)
    }

    /// Σ_j K_ij · weight_j for every object i.
    pub(super) fn combine(&mut self, weights: &[(usize, f64)]) -> Result<Vec<f64>> {
        let rest: Vec<&(usize, f64)> =
            weights.iter().filter(|(o, w)| self.of[*o].is_none() && *w != 0.0).collect();
        let mut sums = vec![0.0; self.all.len()];
        if !rest.is_empty() {
            let (chosen, by): (Vec<u32>, Vec<f64>) = rest.iter().map(|(o, w)| (*o as u32, *w)).unzip();
            sums = self.columns.combine(&super::active_set::everyone(self.columns), &chosen, &by)?;
            self.computed += rest.len() as u64;
        }
        for (object, weight) in weights {
            if let Some(column) = &self.of[*object] {
                vectorised(
                    #[inline(always)]
                    || sums.iter_mut().zip(column).for_each(|(s, k)| *s += weight * k),
                );
            }
        }
        Ok(sums)
    }
}
