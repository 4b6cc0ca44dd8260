//! The exponential of the city-block distance.

use super::{PreparedVectors, products};
use crate::data::Vectors;
use crate::error::Result;
use crate::kernel::facts::NUMERIC;
use crate::kernel::{Definiteness, Facts, Kernel, Part, declared};
use crate::numeric::math;

/// exp(-gamma·Σ|x_i - y_i|): heavier tails than the Gaussian, less sensitive to single coordinates.
///
/// ```
/// use mercer_core::{data::{Dense, Vectors}, gram::Engine, kernel::vector::Laplacian};
/// let x = Vectors::from(Dense::from_rows(&[[0.0, 0.0], [1.0, -2.0]]));
/// let k = Engine::new().gram(&Laplacian::new(0.5)?, &x)?;
/// assert!((k.at(0, 1) - (-1.5f64).exp()).abs() < 1e-15);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Laplacian {
    gamma: f64,
}

impl Laplacian {
    /// The exponential of the city-block distance; gamma must be above 0.
    pub fn new(gamma: f64) -> Result<Self> {
        Ok(Laplacian { gamma: Laplacian::FACTS.check("gamma", gamma)? })
    }

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "laplacian",
        summary: "The exponential of the city-block distance.",
        formula: "exp(-gamma · Σ|x_i - y_i|)",
        takes: "numbers",
        kinds: NUMERIC,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[super::gamma("how fast similarity falls with distance", None)],
        cost: "d additions and an exponential",
        reference: "Rahimi & Recht 2007",
        example: "laplacian(gamma=0.1)",
    };
}

declared!(Laplacian { gamma });

impl Kernel<Vectors> for Laplacian {
    type Prepared = PreparedVectors;

    fn prepare(&self, objects: &Vectors) -> Result<Self::Prepared> {
        PreparedVectors::new(objects)
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        products::fill_sums(&rows, &cols, out, |x, y| (x - y).abs(), f64::abs)?;
        out.iter_mut().for_each(|v| *v = -self.gamma * math::at_least_zero(*v));
        math::exp_all(out);
        Ok(())
    }

    fn diagonal(&self, _of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
        out.fill(1.0);
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        Definiteness::PositiveSemidefinite
    }
}
