//! Access of learners to a similarity matrix: single rows, or the whole matrix.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::budget::{self, Budget};
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::solve::Columns;

/// Memory for cached rows, in bytes.
const ROOM: usize = 1 << 30;

/// Rows of a matrix, computed on first use and cached while memory lasts.
#[doc(hidden)]
pub struct Rows<'a> {
    columns: &'a dyn Columns,
    all: Vec<u32>,
    kept: HashMap<usize, Vec<f64>>,
    /// How many more rows can be cached.
    room: usize,
    latest: Vec<f64>,
    budget: Budget,
}

impl<'a> Rows<'a> {
    #[doc(hidden)]
    pub fn new(columns: &'a dyn Columns) -> Result<Self> {
        let n = columns.len();
        // The cache takes at most half of the available memory.
        let bytes = budget::room().map_or(ROOM, |room| ROOM.min(usize::try_from(room / 2).unwrap_or(ROOM)));
        let room = bytes / (8 * n.max(1));
        let (kept, latest, budget) = (HashMap::new(), Vec::new(), Budget::default());
        Ok(Rows { columns, all: all(n)?, kept, room, latest, budget })
    }

    /// The same rows; access fails once the budget is stopped.
    #[doc(hidden)]
    pub fn stopped_by(mut self, budget: &Budget) -> Self {
        self.budget = budget.clone();
        self
    }

    /// The number of objects.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// The similarities of object i to all objects.
    pub(super) fn row(&mut self, i: usize) -> Result<&[f64]> {
        self.budget.check()?;
        budget::check()?;
        if let Some(gram) = self.columns.in_memory() {
            return Ok(gram.row(i));
        }
        if !self.kept.contains_key(&i) {
            let mut row = std::mem::take(&mut self.latest);
            row.resize(self.all.len(), 0.0);
            // The matrix is symmetric, so row i is column i, which is computed in parallel.
            self.columns.exact(&self.all, &[i as u32], &mut row)?;
            if self.room == 0 {
                self.latest = row;
                return Ok(&self.latest);
            }
            self.room -= 1;
            self.kept.insert(i, row);
        }
        Ok(self.kept.get(&i).map_or(&[], Vec::as_slice))
    }
}

/// The whole matrix, borrowed or computed. Fails unless memory suffices for it and for `more` others of its size.
#[doc(hidden)]
pub fn whole<'a>(columns: &'a dyn Columns, more: usize, what: &str) -> Result<Cow<'a, Dense>> {
    let n = columns.len();
    let held = columns.in_memory();
    let matrices = more + usize::from(held.is_none());
    let needed = budget::matrix_bytes(n, n, 8).saturating_mul(matrices as u64);
    budget::ask(what, needed)?;
    if let Some(gram) = held {
        return Ok(Cow::Borrowed(gram));
    }
    columns.whole().map(Cow::Owned)
}

fn all(n: usize) -> Result<Vec<u32>> {
    let most = u32::try_from(n).map_err(|_| Error::usage(format!("{n} objects exceed the limit of 2^32")))?;
    Ok((0..most).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Vectors;
    use crate::gram::Engine;
    use crate::kernel::vector::Rbf;
    use crate::solve::{GramColumns, KernelColumns};
    use crate::traits::Kernel;

    #[test]
    fn computed_rows_and_rows_in_memory_equal_the_matrix() {
        let x = Dense::new(7, 2, (0..14).map(|i| f64::from(i * i % 11)).collect()).unwrap();
        let x = Vectors::from(x);
        let (engine, kernel) = (Engine::new(), Rbf::new(0.03).unwrap());
        let gram = engine.gram(&kernel, &x).unwrap();
        let set = kernel.prepare(&x).unwrap();
        let on_demand = KernelColumns::<Vectors, _>::new(&engine, &kernel, &set);
        let held = GramColumns::new(&gram).unwrap();
        assert!(matches!(whole(&held, 1, "").unwrap(), Cow::Borrowed(_)));
        let computed = whole(&on_demand, 0, "").unwrap();
        let mut lazy = Rows::new(&on_demand).unwrap();
        lazy.room = 2;
        let mut ready = Rows::new(&held).unwrap();
        for i in [3, 0, 3, 6, 1, 6] {
            let close = |row: &[f64]| row.iter().zip(gram.row(i)).all(|(a, b)| (a - b).abs() < 1e-12);
            assert!(close(lazy.row(i).unwrap()) && close(computed.row(i)));
            assert_eq!(ready.row(i).unwrap(), gram.row(i));
        }
        assert_eq!(lazy.kept.len(), 2);
    }

    #[test]
    fn matrices_beyond_memory_are_rejected() {
        let gram = Dense::from_rows(&[[1.0]]);
        let columns = GramColumns::new(&gram).unwrap();
        assert!(whole(&columns, usize::MAX >> 1, "too much").is_err());
    }
}
