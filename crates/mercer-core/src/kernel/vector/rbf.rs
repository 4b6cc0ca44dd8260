//! The Gaussian (RBF) kernel.

use super::distance::squared_distances;
use super::{OfProducts, PreparedVectors, Vector};
use crate::error::Result;
use crate::kernel::facts::NUMERIC;
use crate::kernel::{Definiteness, Domain, Facts, Part, declared};
use crate::numeric::math;

/// The Gaussian exp(-gamma·|x - y|²), also called radial basis function.
///
/// Squared distances come from inner products, |x|² + |y|² - 2x·y. Where that difference would lose digits (the
/// distance is small compared with the norms), the pair is computed from coordinates. So equal vectors have similarity
/// exactly 1, whatever their norm.
///
/// ```
/// use mercer_core::{data::{Dense, Vectors}, gram::Engine, kernel::vector::Rbf};
/// let x = Vectors::from(Dense::from_rows(&[[1e8, 0.0], [1e8, 1.0]]));
/// let k = Engine::new().gram(&Rbf::new(0.5)?, &x)?;
/// assert_eq!(k.at(0, 0), 1.0);
/// assert!((k.at(0, 1) - (-0.5f64).exp()).abs() < 1e-15);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rbf {
    gamma: f64,
}

impl Rbf {
    /// A Gaussian; gamma must be finite and above 0.
    pub fn new(gamma: f64) -> Result<Self> {
        Ok(Rbf { gamma: Rbf::FACTS.check("gamma", gamma)? })
    }

    /// A Gaussian of standard deviation sigma: gamma = 1 / (2·sigma²).
    pub fn with_sigma(sigma: f64) -> Result<Self> {
        Rbf::new(super::gamma_of_sigma(Domain::Positive.check("sigma", sigma)?))
    }

    /// How fast similarity falls with squared distance.
    pub fn gamma(&self) -> f64 {
        self.gamma
    }

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "rbf",
        summary: "The Gaussian of the Euclidean distance.",
        formula: "exp(-gamma · |x - y|²)",
        takes: "numbers",
        kinds: NUMERIC,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[super::gamma(
            "how fast similarity falls with squared distance",
            Some(("sigma", super::gamma_of_sigma)),
        )],
        cost: "d multiplications and an exponential",
        reference: "Zaki & Meira 2020, chapter 5",
        example: "rbf(gamma=0.1)",
    };
}

declared!(Rbf { gamma });

impl OfProducts for Rbf {
    const DEFINITENESS: Definiteness = Definiteness::PositiveSemidefinite;

    fn apply(&self, own: Vector<'_>, others: &Part<'_, PreparedVectors>, row: &mut [f64]) {
        let gamma = self.gamma;
        squared_distances(own, others, row);
        math::vectorised(
            #[inline(always)]
            || row.iter_mut().for_each(|v| *v = math::exp(-gamma * *v)),
        );
    }

    fn of_self(&self, _norm: f64) -> f64 {
        1.0
    }
}
