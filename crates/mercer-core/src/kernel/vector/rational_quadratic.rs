//! The rational quadratic kernel.

use super::distance::squared_distances;
use super::{OfProducts, PreparedVectors, Vector};
use crate::error::Result;
use crate::kernel::facts::NUMERIC;
use crate::kernel::{Definiteness, Domain, Facts, Parameter, Part, declared};

/// (1 + gamma·|x - y|² / alpha)^-alpha: a mixture of Gaussians of many widths.
///
/// The widths follow a gamma distribution whose shape is alpha. With growing alpha the kernel approaches
/// exp(-gamma·|x - y|²). A small alpha gives heavy tails: far objects stay similar.
///
/// ```
/// use mercer_core::{data::{Dense, Vectors}, gram::Engine, kernel::vector::RationalQuadratic};
/// let x = Vectors::from(Dense::from_rows(&[[0.0], [2.0]]));
/// let k = Engine::new().gram(&RationalQuadratic::new(2.0, 0.5)?, &x)?;
/// assert_eq!(k.at(0, 1), 0.25); // (1 + 0.5·4/2)^-2
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Reference: Rasmussen & Williams 2006, Gaussian Processes for Machine Learning, equation 4.19.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RationalQuadratic {
    alpha: f64,
    gamma: f64,
}

impl RationalQuadratic {
    /// The kernel with this mixture of widths; both parameters must be above 0.
    pub fn new(alpha: f64, gamma: f64) -> Result<Self> {
        let check = |name, value| Self::FACTS.check(name, value);
        Ok(RationalQuadratic { alpha: check("alpha", alpha)?, gamma: check("gamma", gamma)? })
    }

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "rational-quadratic",
        summary: "A mixture of Gaussians of many widths.",
        formula: "(1 + gamma · |x - y|² / alpha)^-alpha",
        takes: "numbers",
        kinds: NUMERIC,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            Parameter {
                name: "alpha",
                default: "1",
                domain: Domain::Positive,
                doc: "how similar the widths are; the Gaussian is the limit for large alpha",
                alias: None,
            },
            super::gamma(
                "how fast similarity falls with squared distance",
                Some(("sigma", super::gamma_of_sigma)),
            ),
        ],
        cost: "d multiplications and a power",
        reference: "Rasmussen & Williams 2006, equation 4.19",
        example: "rational-quadratic(alpha=1, gamma=0.1)",
    };
}

declared!(RationalQuadratic { alpha, gamma });

impl OfProducts for RationalQuadratic {
    const DEFINITENESS: Definiteness = Definiteness::PositiveSemidefinite;

    fn apply(&self, own: Vector<'_>, others: &Part<'_, PreparedVectors>, row: &mut [f64]) {
        squared_distances(own, others, row);
        let scale = self.gamma / self.alpha;
        match self.alpha {
            // The most frequent choice, without logarithms.
            1.0 => row.iter_mut().for_each(|v| *v = 1.0 / (1.0 + scale * *v)),
            alpha => row.iter_mut().for_each(|v| *v = (-alpha * (scale * *v).ln_1p()).exp()),
        }
    }

    fn of_self(&self, _norm: f64) -> f64 {
        1.0
    }
}
