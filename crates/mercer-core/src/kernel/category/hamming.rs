//! The share of attributes in which two records agree.

use super::records::{Join, MISSING, Missing, Records};
use crate::data::{Categories, Kind};
use crate::error::Result;
use crate::kernel::{Definiteness, Facts, Kernel, Part, declared};

/// The Hamming kernel: the share of attributes in which x and y agree, k(x, y) = #{i : x_i = y_i} / d.
///
/// A baseline for the diffusion kernel: the inner product of one-hot vectors, divided by the number of attributes d so
/// that k(x, x) = 1 where nothing is missing. Positive semidefinite. With [`Missing::Differs`] a missing value agrees
/// with no value, not even with itself.
///
/// ```
/// use mercer_core::{data::Categories, gram::Engine, kernel::category::Hamming};
/// let columns = [["a", "b"], ["x", "x"]].map(|c| Categories::from_values(c.map(Some)));
/// assert_eq!(Engine::new().gram(&Hamming::new(), &columns[..])?.at(0, 1), 0.5);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hamming {
    missing: Missing,
}

impl Hamming {
    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "hamming",
        summary: "The share of categorical attributes in which two records agree.",
        formula: "#{i : x_i = y_i} / d, d = number of attributes",
        takes: "columns of categories",
        kinds: &[Kind::Categories],
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[MISSING],
        cost: "one comparison for each attribute",
        reference: "Hamming 1950; as a kernel, Kondor & Lafferty 2002",
        example: "hamming@sex,ward",
    };

    /// The kernel that treats a missing value as a value of its own.
    pub fn new() -> Self {
        Hamming { missing: Missing::Own }
    }

    /// Sets the treatment of missing values.
    #[must_use]
    pub fn with_missing(self, missing: Missing) -> Self {
        Hamming { missing }
    }

    /// Converts numbers of differences to the share of agreements. Both numbers are whole, so k(x, x) is exact.
    fn share(attributes: usize, out: &mut [f64]) {
        let d = attributes.max(1) as f64;
        out.iter_mut().for_each(|v| *v = (d - *v) / d);
    }
}

impl Default for Hamming {
    fn default() -> Self {
        Hamming::new()
    }
}

declared!(Hamming { missing });

impl Kernel<[Categories]> for Hamming {
    type Prepared = Records;

    fn prepare(&self, objects: &[Categories]) -> Result<Records> {
        Records::prepare(objects, self.missing, &vec![1.0; objects.len()], Join::Add)
    }

    fn fill(&self, rows: Part<'_, Records>, cols: Part<'_, Records>, out: &mut [f64]) -> Result<()> {
        Records::fill(&rows, &cols, out)?;
        Hamming::share(rows.set.attributes(), out);
        Ok(())
    }

    fn diagonal(&self, of: Part<'_, Records>, out: &mut [f64]) -> Result<()> {
        Records::diagonal(&of, out);
        Hamming::share(of.set.attributes(), out);
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        Definiteness::PositiveSemidefinite
    }
}
