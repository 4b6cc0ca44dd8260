//! Explicit coordinates of objects, as prepared by low-rank kernels.

use super::{Part, Prepared};
use crate::budget;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::inner::{self, Right};
use crate::parallel;

/// Rows of coordinates z(x); the kernel is their inner product.
///
/// Coordinates are stored in single precision. That is more accurate than the approximations that produce them, and it
/// halves the memory of the largest array. Products are computed in double precision.
#[derive(Clone, Debug)]
pub struct Coordinates {
    rows: Dense<f32>,
    norms: Vec<f64>,
}

impl Prepared for Coordinates {
    fn len(&self) -> usize {
        self.norms.len()
    }

    fn select(&self, chosen: &[usize]) -> Self {
        Coordinates { rows: self.rows.select(chosen), norms: self.norms.select(chosen) }
    }
}

impl Coordinates {
    /// Computes rows with `write`, one block per thread. The block boundaries do not depend on the number of threads.
    pub(crate) fn made(
        count: usize,
        dim: usize,
        block: usize,
        write: impl Fn(std::ops::Range<usize>, &mut [f32]) -> Result<()> + Sync,
    ) -> Result<Self> {
        let needed = budget::matrix_bytes(count, dim, size_of::<f32>());
        budget::ask(&format!("explicit coordinates ({count} × {dim})"), needed)?;
        let mut rows = crate::numeric::allocate::<f32>(count, dim);
        parallel::chunks_mut(rows.values_mut(), block * dim, |at, out| {
            budget::check()?;
            write(at * block..at * block + out.len() / dim.max(1), out)
        })?;
        let norm = |k: usize| {
            let some = 256 * k..(256 * (k + 1)).min(count);
            inner::squared_lengths(rows.block(some.clone()), some.len(), dim)
        };
        budget::check()?;
        let norms = parallel::map(count.div_ceil(256), norm).concat();
        match norms.iter().position(|v| !v.is_finite()) {
            Some(at) => Err(Error::NonFinite { row: at, col: at, overflow: true }),
            None => Ok(Coordinates { rows, norms }),
        }
    }

    /// The rows.
    pub fn rows(&self) -> &Dense<f32> {
        &self.rows
    }

    /// Writes z(x)·z(y) for every pair.
    pub(crate) fn fill(rows: &Part<'_, Self>, cols: &Part<'_, Self>, out: &mut [f64]) -> Result<()> {
        let dim = rows.set.rows.cols();
        if dim != cols.set.rows.cols() {
            return Err(Error::Dimension { expected: dim, found: cols.set.rows.cols() });
        }
        let (left, right) =
            (rows.set.rows.block(rows.range.clone()), cols.set.rows.block(cols.range.clone()));
        inner::multiply(left, Right::Rows(right), (rows.len(), cols.len(), dim), out);
        Ok(())
    }

    pub(crate) fn diagonal(of: &Part<'_, Self>, out: &mut [f64]) {
        out.copy_from_slice(&of.set.norms[of.range.clone()]);
    }
}

/// The methods of [`Kernel`](super::Kernel) that all kernels with explicit coordinates share.
macro_rules! of_coordinates {
    () => {
        type Prepared = $crate::kernel::coordinates::Coordinates;

        fn fill(
            &self,
            rows: $crate::kernel::Part<'_, Self::Prepared>,
            cols: $crate::kernel::Part<'_, Self::Prepared>,
            out: &mut [f64],
        ) -> $crate::error::Result<()> {
            Self::Prepared::fill(&rows, &cols, out)
        }

        fn diagonal(
            &self,
            of: $crate::kernel::Part<'_, Self::Prepared>,
            out: &mut [f64],
        ) -> $crate::error::Result<()> {
            Self::Prepared::diagonal(&of, out);
            Ok(())
        }

        fn definiteness(&self) -> $crate::kernel::Definiteness {
            $crate::kernel::Definiteness::PositiveSemidefinite
        }

        fn parts<'a>(
            &self,
            prepared: &'a Self::Prepared,
        ) -> $crate::error::Result<Option<$crate::kernel::FeatureParts<'a>>> {
            Ok(Some($crate::data::FeatureRows::from(prepared.rows()).into()))
        }
    };
}
pub(crate) use of_coordinates;
