//! A kernel that stops when asked to.

use std::fmt;

use crate::data::Dataset;
use crate::error::Result;
use crate::gram::Cancel;
use crate::kernel::{Boxed, Definiteness, Kernel, Part};

/// The same kernel, whose next tile is [`Error::Interrupted`](crate::Error::Interrupted) once its work was asked to stop.
///
/// Solvers look at their limits after many rows, and finish their certificates after that: with costly rows this takes
/// longer than anyone wants to wait.
pub(super) struct Stopping<'a> {
    pub(super) kernel: &'a Boxed<Dataset>,
    pub(super) cancel: &'a Cancel,
}

impl fmt::Display for Stopping<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kernel.fmt(f)
    }
}

impl Kernel<Dataset> for Stopping<'_> {
    type Prepared = <Boxed<Dataset> as Kernel<Dataset>>::Prepared;

    fn prepare(&self, objects: &Dataset) -> Result<Self::Prepared> {
        self.kernel.prepare(objects)
    }

    fn count(&self, prepared: &Self::Prepared) -> usize {
        self.kernel.count(prepared)
    }

    fn select(&self, prepared: &Self::Prepared, chosen: &[usize]) -> Self::Prepared {
        self.kernel.select(prepared, chosen)
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        self.cancel.check()?;
        self.kernel.fill(rows, cols, out)
    }

    fn diagonal(&self, of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
        self.kernel.diagonal(of, out)
    }

    fn definiteness(&self) -> Definiteness {
        self.kernel.definiteness()
    }

    fn is_transductive(&self) -> bool {
        self.kernel.is_transductive()
    }

    fn tile_side(&self) -> usize {
        self.kernel.tile_side()
    }
}
