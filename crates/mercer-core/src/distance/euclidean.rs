//! The Euclidean distance of vectors.

use super::Distance;
use crate::data::Vectors;
use crate::error::Result;
use crate::kernel::vector::{PreparedVectors, SquaredDistance};
use crate::traits::facts::NUMERIC;
use crate::traits::{Definiteness, Facts, Kernel, Part, Shortlists, declared};

/// The Euclidean distance |x - y|.
///
/// Squared distances come from inner products, and those of close pairs from coordinates, as in
/// [`Rbf`](crate::kernel::vector::Rbf): equal vectors have distance exactly 0.
///
/// ```
/// use mercer_core::{data::{Dense, Vectors}, distance::{Euclidean, NegativeSquaredDistance}, gram::Engine};
/// let x = Vectors::from(Dense::from_rows(&[[1.0, 2.0], [4.0, 6.0]]));
/// assert_eq!(Engine::new().distances(&NegativeSquaredDistance(Euclidean), &x)?.at(0, 1), 5.0);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Euclidean;

impl Euclidean {
    /// Facts about this distance.
    pub const FACTS: Facts = Facts {
        name: "euclidean",
        summary: "The Euclidean distance of vectors.",
        formula: "d(x, y) = |x - y|",
        takes: "numbers",
        kinds: NUMERIC,
        definiteness: Definiteness::Indefinite,
        parameters: &[],
        cost: "d multiplications and a root",
        reference: "Deza & Deza 2009, section 1.1",
        example: "euclidean",
    };
}

declared!(Euclidean);

impl Distance<Vectors> for Euclidean {
    type Prepared = PreparedVectors;

    fn prepare(&self, objects: &Vectors) -> Result<Self::Prepared> {
        SquaredDistance.prepare(objects)
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        SquaredDistance.fill(rows, cols, out)?;
        out.iter_mut().for_each(|v| *v = v.max(0.0).sqrt());
        Ok(())
    }

    fn shortlists(
        &self,
        rows: &Self::Prepared,
        cols: &Self::Prepared,
        k: usize,
    ) -> Result<Option<Shortlists>> {
        rows.shortlists(cols, k)
    }
}
