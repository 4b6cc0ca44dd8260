//! The three blocks of similarities of one split.

use crate::data::{Dataset, Dense};
use crate::error::Result;
use crate::gram::Engine;
use crate::kernel::{Boxed, Kernel};

/// Similarities among training objects, of test objects to training objects, and of each test object to itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Blocks {
    /// Training × training.
    pub train: Dense,
    /// Test × training.
    pub cross: Dense,
    /// k(x, x) of each test object.
    pub own: Vec<f64>,
}

impl Blocks {
    /// The entries of a split in a matrix over all objects.
    pub(super) fn cut(whole: &Dense, train: &[usize], test: &[usize]) -> Blocks {
        let pick = |rows: &[usize]| {
            let mut out = Dense::zeros(rows.len(), train.len());
            for (r, &i) in rows.iter().enumerate() {
                let row = whole.row(i);
                out.row_mut(r).iter_mut().zip(train).for_each(|(v, &j)| *v = row[j]);
            }
            out
        };
        let own = test.iter().map(|&i| whole.at(i, i)).collect();
        Blocks { train: pick(train), cross: pick(test), own }
    }

    /// The blocks of a kernel between prepared training objects and prepared test objects.
    pub(super) fn compute(
        kernel: &Boxed<Dataset>,
        train: &Dataset,
        test: &Dataset,
        engine: &Engine,
    ) -> Result<Blocks> {
        let (known, new) = (kernel.prepare(train)?, kernel.prepare(test)?);
        Ok(Blocks {
            train: engine.gram_of(kernel, &known)?,
            cross: engine.cross_of(kernel, &new, &known)?,
            own: engine.diagonal_of(kernel, &new)?,
        })
    }

    /// k(x, x) of each training object.
    pub(in crate::expression) fn diagonal(&self) -> Vec<f64> {
        (0..self.train.rows()).map(|i| self.train.at(i, i)).collect()
    }

    pub(in crate::expression) fn map(&mut self, f: impl Fn(f64) -> f64 + Copy) {
        let all = self.train.values_mut().iter_mut().chain(self.cross.values_mut()).chain(&mut self.own);
        all.for_each(|v| *v = f(*v));
    }

    pub(super) fn join(&mut self, other: &Blocks, f: impl Fn(f64, f64) -> f64) {
        let all = self.train.values_mut().iter_mut().chain(self.cross.values_mut()).chain(&mut self.own);
        let theirs = other.train.values().iter().chain(other.cross.values()).chain(&other.own);
        all.zip(theirs).for_each(|(v, w)| *v = f(*v, *w));
    }
}
