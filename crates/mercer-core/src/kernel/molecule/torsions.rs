//! Topological torsions.

use mercer_molecules::torsions;

use super::shared::{collect, count_of, counted};
use super::{CountUse, MOLECULES, OnMolecules};
use crate::data::Molecule;
use crate::error::Result;
use crate::kernel::counts::{Bag, Counting, Describe, Visit};
use crate::kernel::{Definiteness, Facts, declared};

/// The paths of four atoms that two molecules share: the element, π electrons and number of further neighbours of each.
///
/// k(x, y) = Σ_f g(c_f(x), c_f(y)) over paths f, where g is the smaller count, the product, or 1 if both are positive.
/// Paths are equal if the RDKit gives them the same number. Molecules of fewer than four atoms have none. Cost: the
/// paths of a molecule, and the shared features per pair.
///
/// ```
/// use std::sync::Arc;
/// use mercer_core::{data::Molecule, gram::Engine, kernel::molecule::Torsions};
/// let molecules: Vec<Arc<Molecule>> =
///     ["CCCO", "CCCCO"].iter().map(|text| Arc::new(text.parse().unwrap())).collect();
/// let k = Engine::new().gram(&Torsions::default(), &molecules[..])?;
/// assert_eq!((k.at(0, 0), k.at(1, 1)), (1.0, 2.0));
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// R. Nilakantan, N. Bauman, J. S. Dixon and R. Venkataraghavan, *Topological torsion: a new molecular descriptor for
/// SAR applications*, J. Chem. Inf. Comput. Sci. 27, 1987.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Torsions {
    counts: CountUse,
}

impl Torsions {
    /// Sets what counts contribute.
    #[must_use]
    pub fn with_counts(counts: CountUse) -> Self {
        Torsions { counts }
    }

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "torsions",
        summary: "Paths of four atoms that two molecules share (topological torsions).",
        formula: "Σ_f g(c_f(x), c_f(y)) over paths f of four atoms; g: the smaller count, the product, or 1",
        takes: "molecules",
        kinds: MOLECULES,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[CountUse::PARAMETER],
        cost: "the shared features",
        reference: "Nilakantan, Bauman, Dixon & Venkataraghavan 1987, Topological torsion",
        example: "torsions",
    };
}

declared!(Torsions { counts });

impl OnMolecules for Torsions {}

impl Counting for Torsions {
    type Objects = [std::sync::Arc<Molecule>];

    fn count(&self, molecule: &Molecule, bag: &mut Bag) -> Result<()> {
        let mut codes = collect(|push| torsions(molecule, &mut |code, _| push(code)))?;
        self.counts.add(&mut codes, bag);
        Ok(())
    }
}

impl Describe for Torsions {
    fn describe(&self, molecule: &Molecule, visit: Visit<'_>) -> Result<()> {
        let counts = counted(&collect(|push| torsions(molecule, &mut |code, _| push(code)))?);
        torsions(molecule, &mut |code, path| {
            let name = || molecule.path_name(&path);
            self.counts.visit(code, count_of(&counts, code), &path, &name, visit);
            true
        });
        Ok(())
    }
}
