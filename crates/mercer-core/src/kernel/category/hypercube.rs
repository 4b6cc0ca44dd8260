//! Diffusion on a hypercube.

use super::records::{Join, MISSING, Missing, Records};
use crate::data::{Categories, Kind};
use crate::error::Result;
use crate::kernel::{Definiteness, Domain, Facts, Kernel, Parameter, Part, declared};
use crate::numeric::Short;

/// The diffusion kernel of the hypercube: k(x, y) = tanh(β)^h, h the number of attributes in which x and y differ.
///
/// It is exp(-βL) of the cube whose corners are the records of two values per attribute, divided by its diagonal:
/// [`Diffusion`](super::Diffusion) with two values for every attribute. Attributes with more values are compared as
/// equal or not, which is still a kernel. Positive semidefinite; `beta` > 0.
///
/// ```
/// use mercer_core::{data::Categories, gram::Engine, kernel::category::Hypercube};
/// let bits = [["0", "1"], ["0", "0"], ["1", "0"]].map(|bit| Categories::from_values(bit.map(Some)));
/// let k = Engine::new().gram(&Hypercube::new(0.5)?, &bits[..])?;
/// assert!((k.at(0, 1) - 0.5f64.tanh().powi(2)).abs() < 1e-15);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Kondor & Lafferty 2002, Diffusion kernels on graphs and other discrete input spaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hypercube {
    beta: f64,
    missing: Missing,
}

impl Hypercube {
    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "hypercube",
        summary: "Diffusion on a hypercube: records of two values per attribute.",
        formula: "tanh(beta)^h, h = number of attributes in which x and y differ",
        takes: "columns of categories, of two values each or compared as equal or not",
        kinds: &[Kind::Categories],
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            Parameter {
                name: "beta",
                default: "0.5",
                domain: Domain::Positive,
                doc: "how far similarity spreads",
                alias: None,
            },
            MISSING,
        ],
        cost: "one comparison for each attribute",
        reference: "Kondor & Lafferty 2002",
        example: "hypercube(beta=0.5)",
    };

    /// The kernel with this beta > 0.
    pub fn new(beta: f64) -> Result<Self> {
        Ok(Hypercube { beta: Hypercube::FACTS.check("beta", beta)?, missing: Missing::Own })
    }

    /// Sets the treatment of missing values.
    #[must_use]
    pub fn with_missing(self, missing: Missing) -> Self {
        Hypercube { missing, ..self }
    }
}

declared!(Hypercube { beta as Short, missing });

impl Kernel<[Categories]> for Hypercube {
    type Prepared = Records;

    fn prepare(&self, objects: &[Categories]) -> Result<Records> {
        Records::prepare(objects, self.missing, &vec![self.beta.tanh(); objects.len()], Join::Multiply)
    }

    fn fill(&self, rows: Part<'_, Records>, cols: Part<'_, Records>, out: &mut [f64]) -> Result<()> {
        Records::fill(&rows, &cols, out)
    }

    fn diagonal(&self, of: Part<'_, Records>, out: &mut [f64]) -> Result<()> {
        Records::diagonal(&of, out);
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        Definiteness::PositiveSemidefinite
    }
}
