//! The cosine distance.

use super::Distance;
use crate::data::Vectors;
use crate::error::Result;
use crate::kernel::vector::{Cosine, PreparedVectors};
use crate::traits::facts::NUMERIC;
use crate::traits::{Definiteness, Facts, Kernel, Part, declared};

/// The cosine distance 1 - x·y / (|x|·|y|).
///
/// It ranges from 0 for vectors of the same direction to 2 for opposite ones; it does not satisfy the triangle
/// inequality. The distance between two zero vectors is 0, and from a zero vector to any other vector 1.
///
/// ```
/// use mercer_core::{data::{Dense, Vectors}, distance::{CosineDistance, NegativeSquaredDistance}, gram::Engine};
/// let x = Vectors::from(Dense::from_rows(&[[2.0, 0.0], [0.0, 3.0], [-1.0, 0.0], [0.0, 0.0]]));
/// let d = Engine::new().distances(&NegativeSquaredDistance(CosineDistance), &x)?;
/// assert_eq!((d.at(0, 1), d.at(0, 2), d.at(0, 3), d.at(3, 3)), (1.0, 2.0, 1.0, 0.0));
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CosineDistance;

impl CosineDistance {
    /// Facts about this distance.
    pub const FACTS: Facts = Facts {
        name: "cosine-distance",
        summary: "One minus the cosine of the angle between two vectors.",
        formula: "d(x, y) = 1 - x·y / (|x| · |y|); 0 for two zero vectors, 1 for one",
        takes: "numbers",
        kinds: NUMERIC,
        definiteness: Definiteness::Indefinite,
        parameters: &[],
        cost: "d multiplications",
        reference: "Salton, Wong & Yang 1975",
        example: "cosine-distance",
    };
}

declared!(CosineDistance);

impl Distance<Vectors> for CosineDistance {
    type Prepared = PreparedVectors;

    fn prepare(&self, objects: &Vectors) -> Result<Self::Prepared> {
        Cosine.prepare(objects)
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        let (mut own, mut their) = (vec![0.0; rows.len()], vec![0.0; cols.len()]);
        // 1, or 0 for a zero vector.
        Cosine.diagonal(rows.clone(), &mut own)?;
        Cosine.diagonal(cols.clone(), &mut their)?;
        Cosine.fill(rows, cols, out)?;
        for (row, own) in out.chunks_exact_mut(their.len().max(1)).zip(&own) {
            for (v, their) in row.iter_mut().zip(&their) {
                // Rounding may give a cosine above 1.
                *v = if *own == 0.0 && *their == 0.0 { 0.0 } else { (1.0 - *v).clamp(0.0, 2.0) };
            }
        }
        Ok(())
    }
}
