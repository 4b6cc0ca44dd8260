//! Matrices in memory as columns of a solver, and submatrices of any columns.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::columns::{Columns, View};
use super::scan::{add_picked, add_rows};
use crate::budget;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::Scalar;
use crate::numeric::check::{check_gram, check_square};
use crate::numeric::math::vectorised;
use crate::parallel;

/// A Gram matrix in memory, borrowed.
#[derive(Clone, Copy, Debug)]
pub struct GramColumns<'a> {
    gram: &'a Dense,
    /// Set once a check on another thread has refused the matrix.
    refused: Option<&'a AtomicBool>,
}

impl<'a> GramColumns<'a> {
    /// Checks that the matrix is square, finite and symmetric to 1e-8 of its largest entry.
    pub fn new(gram: &'a Dense) -> Result<Self> {
        check_gram(gram)?;
        Ok(GramColumns::trusted(gram))
    }

    /// A matrix that was computed here.
    pub(crate) fn trusted(gram: &'a Dense) -> Self {
        GramColumns { gram, refused: None }
    }

    /// Calls `work` with a matrix while another thread makes the checks of [`GramColumns::new`], which read the matrix
    /// once. If they fail, `work` ends at its next use of columns, and the result is the error of the check.
    ///
    /// For work by a solver, which uses one thread: it takes no notice of entries that are not finite, but finds no
    /// solution.
    #[doc(hidden)]
    pub fn while_checked<R: Send>(
        gram: &Dense,
        work: impl Fn(&GramColumns<'_>) -> Result<R> + Sync,
    ) -> Result<R> {
        check_square(gram)?;
        let refused = AtomicBool::new(false);
        let columns = GramColumns { gram, refused: Some(&refused) };
        let work = budget::carried(work);
        let check = || check_gram(gram).inspect_err(|_| refused.store(true, Ordering::Relaxed));
        let (done, checked) = rayon::join(|| work(&columns), check);
        checked.and(done)
    }

    /// An error once the matrix was refused.
    fn check(&self) -> Result<()> {
        match self.refused.is_some_and(|refused| refused.load(Ordering::Relaxed)) {
            true => Err(Error::Interrupted),
            false => Ok(()),
        }
    }
}

impl Columns for GramColumns<'_> {
    fn len(&self) -> usize {
        self.gram.rows()
    }

    fn in_memory(&self) -> Option<&Dense> {
        Some(self.gram)
    }

    fn diagonal(&self) -> Result<Vec<f64>> {
        Ok((0..self.len()).map(|i| self.gram.at(i, i)).collect())
    }

    fn view(&self, order: Arc<[u32]>) -> Result<Box<dyn View + '_>> {
        self.check()?;
        let is_whole = order.iter().enumerate().all(|(at, &j)| at == j as usize);
        Ok(Box::new(GramView { gram: self.gram, order, is_whole }))
    }

    fn batch(&self) -> usize {
        1
    }

    fn combine(&self, of: &[u32], chosen: &[u32], weights: &[f64]) -> Result<Vec<f64>> {
        self.check()?;
        // By symmetry, a column is read as a row. Each sum follows the order of `chosen`, for any number of threads.
        let rows: Vec<&[f64]> = chosen.iter().map(|&j| self.gram.row(j as usize)).collect();
        // Reading whole rows is faster than picking a large part of them.
        let picks = PICKED * of.len() < self.len();
        let mut sums = vec![0.0; if picks { of.len() } else { self.len() }];
        let stretch = |at: usize, sums: &mut [f64]| {
            if budget::check_after(sums.len() * rows.len() / 4)
                .is_err_and(|e| !matches!(e, Error::Interrupted))
            {
                return;
            }
            let own = at * SUMS..at * SUMS + sums.len();
            if picks {
                return add_picked(sums, &rows, weights, &of[own]);
            }
            let parts: Vec<&[f64]> = rows.iter().map(|r| &r[own.clone()]).collect();
            add_rows(sums, &parts, weights);
        };
        parallel::for_chunks_mut(&mut sums, SUMS, 1, stretch);
        // An interrupted solver still reports the quality of its solution.
        match budget::check() {
            Err(Error::Interrupted) => {}
            other => other?,
        }
        Ok(if picks { sums } else { of.iter().map(|&i| sums[i as usize]).collect() })
    }

    fn exact(&self, rows: &[u32], cols: &[u32], out: &mut [f64]) -> Result<()> {
        // As in `combine`, a column is read as a row.
        for (c, &j) in cols.iter().enumerate() {
            let column = self.gram.row(j as usize);
            out.iter_mut().skip(c).step_by(cols.len()).zip(rows).for_each(|(o, &i)| *o = column[i as usize]);
        }
        Ok(())
    }
}

/// Number of sums per task.
const SUMS: usize = 512;

/// Picking an entry of a row takes about as long as reading this many in order.
const PICKED: usize = 3;

struct GramView<'a> {
    gram: &'a Dense,
    order: Arc<[u32]>,
    is_whole: bool,
}

impl GramView<'_> {
    fn copy<T: Scalar>(&self, rows: &[u32], cols: Range<usize>, out: &mut [&mut [T]]) {
        let one = |(target, &i): (&mut &mut [T], &u32)| {
            let row = self.gram.row(i as usize);
            vectorised(
                #[inline(always)]
                || match self.is_whole {
                    true => target.iter_mut().zip(&row[cols.clone()]).for_each(|(t, v)| *t = T::from_f64(*v)),
                    false => {
                        let order = &self.order[cols.clone()];
                        target.iter_mut().zip(order).for_each(|(t, &j)| *t = T::from_f64(row[j as usize]));
                    }
                },
            );
        };
        // Distributing a few rows to other threads takes longer than copying them.
        match rows.len() < 16 {
            true => out.iter_mut().zip(rows).for_each(one),
            false => out.par_iter_mut().zip(rows).for_each(one),
        }
    }
}

impl View for GramView<'_> {
    fn fill(&self, rows: &[u32], cols: Range<usize>, out: &mut [&mut [f32]]) -> Result<()> {
        self.copy(rows, cols, out);
        Ok(())
    }

    fn fill_exact(&self, rows: &[u32], cols: Range<usize>, out: &mut [&mut [f64]]) -> Result<()> {
        self.copy(rows, cols, out);
        Ok(())
    }
}

/// A submatrix of some objects, such as those of two classes.
pub struct Subset<'a> {
    inner: &'a dyn Columns,
    chosen: Vec<u32>,
}

impl<'a> Subset<'a> {
    /// The objects `chosen` of `inner`, which must exist.
    pub fn new(inner: &'a dyn Columns, chosen: Vec<u32>) -> Result<Self> {
        match chosen.iter().find(|&&i| i as usize >= inner.len()) {
            Some(i) => {
                Err(Error::usage(format!("object {i} does not exist: there are {} objects", inner.len())))
            }
            None => Ok(Subset { inner, chosen }),
        }
    }

    fn outer(&self, which: &[u32]) -> Vec<u32> {
        which.iter().map(|&i| self.chosen[i as usize]).collect()
    }
}

impl Columns for Subset<'_> {
    fn len(&self) -> usize {
        self.chosen.len()
    }

    fn diagonal(&self) -> Result<Vec<f64>> {
        let all = self.inner.diagonal()?;
        Ok(self.chosen.iter().map(|&i| all[i as usize]).collect())
    }

    fn view(&self, order: Arc<[u32]>) -> Result<Box<dyn View + '_>> {
        let view = self.inner.view(self.outer(&order).into())?;
        Ok(Box::new(SubsetView { subset: self, view }))
    }

    fn batch(&self) -> usize {
        self.inner.batch()
    }

    fn combine(&self, of: &[u32], chosen: &[u32], weights: &[f64]) -> Result<Vec<f64>> {
        self.inner.combine(&self.outer(of), &self.outer(chosen), weights)
    }

    fn exact(&self, rows: &[u32], cols: &[u32], out: &mut [f64]) -> Result<()> {
        self.inner.exact(&self.outer(rows), &self.outer(cols), out)
    }
}

struct SubsetView<'a> {
    subset: &'a Subset<'a>,
    view: Box<dyn View + 'a>,
}

impl View for SubsetView<'_> {
    fn fill(&self, rows: &[u32], cols: Range<usize>, out: &mut [&mut [f32]]) -> Result<()> {
        self.view.fill(&self.subset.outer(rows), cols, out)
    }

    fn fill_exact(&self, rows: &[u32], cols: Range<usize>, out: &mut [&mut [f64]]) -> Result<()> {
        self.view.fill_exact(&self.subset.outer(rows), cols, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;
    use crate::solve::{Bank, Limits, solve};

    /// Similarities of points on a circle.
    fn circle(n: usize) -> Dense {
        let entry = |i: usize, j: usize| (i as f64 - j as f64).cos();
        Dense::new(n, n, (0..n * n).map(|at| entry(at / n, at % n)).collect()).unwrap()
    }

    fn bank(n: usize) -> Bank {
        let sign = |k: usize| if k.is_multiple_of(2) { 1.0 } else { -1.0 };
        Bank {
            beta: vec![0.0; n],
            lower: (0..n).map(|k| if sign(k) > 0.0 { 0.0 } else { -1.0 }).collect(),
            upper: (0..n).map(|k| if sign(k) > 0.0 { 1.0 } else { 0.0 }).collect(),
            linear: (0..n).map(|k| -sign(k)).collect(),
            kink: 0.0,
        }
    }

    #[test]
    fn picked_sums_equal_whole_sums() {
        let gram = circle(40);
        let columns = GramColumns::new(&gram).unwrap();
        let (chosen, weights): (Vec<u32>, Vec<f64>) =
            ([3, 8, 9, 30, 31].into(), [0.5, -1.0, 2.0, 0.1, 7.0].into());
        let all: Vec<u32> = (0..40).collect();
        let whole = columns.combine(&all, &chosen, &weights).unwrap();
        let some = columns.combine(&[39, 0, 8], &chosen, &weights).unwrap();
        assert_eq!(some, [whole[39], whole[0], whole[8]]);
    }

    #[test]
    fn a_matrix_is_checked_while_it_is_used() {
        let good = circle(50);
        let work = |columns: &GramColumns<'_>| solve(columns, vec![bank(50)], &Limits::default());
        let alone = work(&GramColumns::new(&good).unwrap()).unwrap();
        assert_eq!(GramColumns::while_checked(&good, work).unwrap().betas, alone.betas);
        let bad = |row: usize, col: usize, value: f64| {
            let mut gram = circle(50);
            gram.row_mut(row)[col] = value;
            GramColumns::while_checked(&gram, work).unwrap_err()
        };
        assert!(matches!(bad(7, 3, f64::NAN), Error::NonFinite { row: 7, col: 3, .. }));
        assert!(matches!(bad(0, 49, f64::INFINITY), Error::NonFinite { row: 0, col: 49, .. }));
        assert!(matches!(bad(7, 3, 5.0), Error::NotSymmetric { row: 7, col: 3, .. }));
        let flat = Dense::zeros(2, 3);
        assert_eq!(GramColumns::while_checked(&flat, work).unwrap_err().code(), Code::GramShape);
        // Refused columns end the work that uses them.
        let refused = AtomicBool::new(true);
        let columns = GramColumns { gram: &good, refused: Some(&refused) };
        assert!(matches!(work(&columns), Err(Error::Interrupted)));
    }
}
