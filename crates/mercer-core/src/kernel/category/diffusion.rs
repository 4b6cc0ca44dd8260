//! Diffusion kernel for categorical attributes.

use std::fmt;

use super::records::{Join, MISSING, Missing, Records};
use crate::data::{Categories, Kind};
use crate::error::{Error, Result};
use crate::kernel::{Definiteness, Domain, Facts, Kernel, Parameter, Part};
use crate::numeric::Short;

/// The diffusion kernel of categorical records: k(x, y) = Π r_i over the attributes i in which x and y differ,
/// r_i = (1 - e^(-a_i·β)) / (1 + (a_i - 1)·e^(-a_i·β)), a_i the number of values of attribute i.
///
/// It is the diffusion kernel exp(-βL) of the graph whose nodes are all records and whose edges join records that
/// differ in one attribute (a product of complete graphs), divided by its diagonal. Positive semidefinite.
///
/// * `beta` > 0: how far similarity spreads; near 0 only equal records are similar, for large values all records are.
/// * a_i is the number of distinct values among the training objects, at least 2. It is one more where some are missing
///   and [`Missing::Own`] makes that a value. Objects to be predicted do not count.
/// * A value that no training object has differs from all others and equals itself; a_i does not change. Where the
///   number of values is known beforehand, set it with [`with_values`](Diffusion::with_values).
///
/// Cost per pair: one comparison of 16 bits for each attribute, and a few look-ups.
///
/// ```
/// use mercer_core::{data::Categories, gram::Engine, kernel::category::Diffusion};
/// let colour = Categories::from_values(["red", "blue", "red"].map(Some));
/// let size = Categories::from_values(["S", "M", "L"].map(Some));
/// let objects = [colour, size];
/// let k = Engine::new().gram(&Diffusion::fit(0.2, &objects)?, &objects[..])?;
/// assert!((k.at(0, 1) - 0.2f64.tanh() * Diffusion::factor(3, 0.2)).abs() < 1e-15);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Kondor & Lafferty 2002, Diffusion kernels on graphs and other discrete input spaces.
#[derive(Clone, Debug, PartialEq)]
pub struct Diffusion {
    beta: f64,
    values: usize,
    missing: Missing,
    sizes: Vec<usize>,
}

impl Diffusion {
    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "diffusion",
        summary: "Diffusion over the values of categorical attributes: records that differ in few attributes are similar.",
        formula: "Π over i with x_i ≠ y_i of (1 - e^(-a_i·beta)) / (1 + (a_i - 1)·e^(-a_i·beta)), a_i = number of values of attribute i among the training objects",
        takes: "columns of categories",
        kinds: &[Kind::Categories],
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            Parameter {
                name: "beta",
                default: "0.2",
                domain: Domain::Positive,
                doc: "how far similarity spreads",
                alias: None,
            },
            Parameter {
                name: "values",
                default: "0",
                domain: Domain::Whole(0, 1_000_000),
                doc: "minimum number of values per attribute; used where the training set has fewer; an unseen value differs from all",
                alias: None,
            },
            MISSING,
        ],
        cost: "one comparison for each attribute",
        reference: "Kondor & Lafferty 2002",
        example: "diffusion(beta=0.3)@sex,ward",
    };

    /// The kernel for attributes with these numbers of distinct values.
    pub fn new(beta: f64, sizes: Vec<usize>) -> Result<Self> {
        Diffusion::FACTS.check("beta", beta)?;
        Ok(Diffusion { beta, values: 0, missing: Missing::Own, sizes })
    }

    /// The kernel with the numbers of distinct values in these columns.
    pub fn fit(beta: f64, columns: &[Categories]) -> Result<Self> {
        Ok(Diffusion::new(beta, Vec::new())?.sized(columns))
    }

    /// Sets the numbers of distinct values from these columns.
    #[must_use]
    #[doc(hidden)]
    pub fn sized(mut self, columns: &[Categories]) -> Self {
        let gaps = |c: &Categories| (0..c.len()).any(|i| c.code(i).is_none());
        let own = |c: &Categories| usize::from(self.missing == Missing::Own && gaps(c));
        // Levels that none of these objects has belong to others, such as the test objects of a split.
        let present = |c: &Categories| {
            let mut seen = vec![false; c.levels().len()];
            (0..c.len()).filter_map(|i| c.code(i)).for_each(|code| seen[code as usize] = true);
            seen.into_iter().filter(|seen| *seen).count()
        };
        self.sizes = columns.iter().map(|c| present(c) + own(c)).collect();
        self
    }

    /// Sets a minimum number of values for every attribute.
    #[must_use]
    pub fn with_values(mut self, values: usize) -> Self {
        self.values = values;
        self
    }

    /// Sets the treatment of missing values. Numbers of values are not counted again.
    #[must_use]
    pub fn with_missing(mut self, missing: Missing) -> Self {
        self.missing = missing;
        self
    }

    /// The number of distinct values of each attribute in the data that the kernel was fitted to.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// The factor by which a difference in an attribute with `values` values multiplies similarity: K_ij / K_ii of the
    /// diffusion kernel of a complete graph. An attribute in which objects differ has at least two values.
    pub fn factor(values: usize, beta: f64) -> f64 {
        let a = values.max(2) as f64;
        -(-a * beta).exp_m1() / (1.0 + (a - 1.0) * (-a * beta).exp())
    }
}

impl fmt::Display for Diffusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Diffusion::FACTS.print(f, &[], &[&Short(self.beta), &self.values, &self.missing])
    }
}

impl Kernel<[Categories]> for Diffusion {
    type Prepared = Records;

    fn prepare(&self, objects: &[Categories]) -> Result<Records> {
        if objects.len() != self.sizes.len() {
            return Err(Error::Dimension { expected: self.sizes.len(), found: objects.len() });
        }
        let factor = |&size: &usize| Diffusion::factor(size.max(self.values), self.beta);
        let factors: Vec<f64> = self.sizes.iter().map(factor).collect();
        Records::prepare(objects, self.missing, &factors, Join::Multiply)
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
