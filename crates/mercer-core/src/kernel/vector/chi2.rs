//! The exponential of the chi-squared distance between histograms.

use super::{PreparedVectors, products};
use crate::data::Vectors;
use crate::error::{Error, Result};
use crate::kernel::facts::NUMERIC;
use crate::kernel::{Definiteness, Facts, Kernel, Part, declared};
use crate::numeric::math;

/// exp(-gamma·Σ(x_i - y_i)² / (x_i + y_i)) for vectors without negative values, such as counts.
///
/// Coordinates where both are 0 add nothing.
///
/// ```
/// use mercer_core::{data::{Dense, Vectors}, gram::Engine, kernel::vector::ChiSquared};
/// let x = Vectors::from(Dense::from_rows(&[[1.0, 0.0], [3.0, 0.0]]));
/// let k = Engine::new().gram(&ChiSquared::new(1.0)?, &x)?;
/// assert!((k.at(0, 1) - (-1.0f64).exp()).abs() < 1e-15);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChiSquared {
    gamma: f64,
}

impl ChiSquared {
    /// The exponential of the chi-squared distance; gamma must be above 0.
    pub fn new(gamma: f64) -> Result<Self> {
        Ok(ChiSquared { gamma: ChiSquared::FACTS.check("gamma", gamma)? })
    }

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "chi2",
        summary: "The exponential of the chi-squared distance between histograms.",
        formula: "exp(-gamma · Σ(x_i - y_i)² / (x_i + y_i)), x_i, y_i ≥ 0",
        takes: "numbers of at least 0",
        kinds: NUMERIC,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[super::gamma("how fast similarity falls with distance", None)],
        cost: "d divisions and an exponential",
        reference: "Zhang, Marszalek, Lazebnik & Schmid 2007",
        example: "chi2(gamma=0.5)",
    };
}

declared!(ChiSquared { gamma });

impl Kernel<Vectors> for ChiSquared {
    type Prepared = PreparedVectors;

    fn prepare(&self, objects: &Vectors) -> Result<Self::Prepared> {
        let prepared = PreparedVectors::new(objects)?;
        let negative = |values: &[f64]| values.iter().any(|v| *v < 0.0);
        let found = (0..objects.len()).find(|&i| match objects {
            Vectors::Dense(x) => negative(x.row(i)),
            Vectors::Sparse(x) => negative(x.row(i).1),
        });
        match found {
            Some(index) => Err(Error::Object {
                index,
                reason: "holds a negative value; chi2 compares counts or other values of at least 0".into(),
                hint: Some("use rbf or laplacian, or minmax(chi2(…))".into()),
            }),
            None => Ok(prepared),
        }
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        let term = |x: f64, y: f64| {
            let (sum, difference) = (x + y, x - y);
            // Where both are 0 the term is 0, not 0/0.
            difference * difference / if sum > 0.0 { sum } else { 1.0 }
        };
        products::fill_sums(&rows, &cols, out, term, |x| x)?;
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
