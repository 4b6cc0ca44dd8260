//! Atom pairs.

use mercer_molecules::atom_pairs;

use super::shared::{collect, count_of, counted};
use super::{CountUse, MOLECULES, OnMolecules};
use crate::data::Molecule;
use crate::error::Result;
use crate::kernel::counts::{Bag, Counting, Describe, Visit};
use crate::kernel::{Definiteness, Facts, declared};

/// The pairs of atoms that two molecules share: the element, π electrons and number of neighbours of both, and the
/// number of bonds between them, up to 30.
///
/// k(x, y) = Σ_f g(c_f(x), c_f(y)) over pairs f, where g is the smaller count, the product, or 1 if both are positive.
/// Pairs are equal if the RDKit gives them the same number. Cost: atoms² per molecule, and the shared features per
/// pair.
///
/// ```
/// use std::sync::Arc;
/// use mercer_core::{data::Molecule, gram::Engine, kernel::molecule::AtomPairs};
/// let molecules: Vec<Arc<Molecule>> =
///     ["CCO", "CCCO"].iter().map(|text| Arc::new(text.parse().unwrap())).collect();
/// let k = Engine::new().gram(&AtomPairs::default(), &molecules[..])?;
/// assert_eq!(k.values(), [3.0, 2.0, 2.0, 6.0]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// R. E. Carhart, D. H. Smith and R. Venkataraghavan, *Atom pairs as molecular features in structure–activity
/// studies*, J. Chem. Inf. Comput. Sci. 25, 1985.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AtomPairs {
    counts: CountUse,
}

impl AtomPairs {
    /// Sets what counts contribute.
    #[must_use]
    pub fn with_counts(counts: CountUse) -> Self {
        AtomPairs { counts }
    }

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "atom-pairs",
        summary: "Pairs of atoms with their distance that two molecules share.",
        formula: "Σ_f g(c_f(x), c_f(y)) over pairs f of atoms up to 30 bonds apart; g: the smaller count, the product, or 1",
        takes: "molecules",
        kinds: MOLECULES,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[CountUse::PARAMETER],
        cost: "the shared features",
        reference: "Carhart, Smith & Venkataraghavan 1985, Atom pairs as molecular features",
        example: "atom-pairs(counts=presence)",
    };
}

declared!(AtomPairs { counts });

impl OnMolecules for AtomPairs {}

impl Counting for AtomPairs {
    type Objects = [std::sync::Arc<Molecule>];

    fn count(&self, molecule: &Molecule, bag: &mut Bag) -> Result<()> {
        let mut codes = collect(|push| atom_pairs(molecule, &mut |code, _| push(code)))?;
        self.counts.add(&mut codes, bag);
        Ok(())
    }
}

impl Describe for AtomPairs {
    fn describe(&self, molecule: &Molecule, visit: Visit<'_>) -> Result<()> {
        let counts = counted(&collect(|push| atom_pairs(molecule, &mut |code, _| push(code)))?);
        atom_pairs(molecule, &mut |code, [a, b]| {
            let name = || {
                let (a, b) = (molecule.symbol(a as usize), molecule.symbol(b as usize));
                format!("{}…{}…{}", a.min(b), code & 31, a.max(b))
            };
            self.counts.visit(code, count_of(&counts, code), &[a, b], &name, visit);
            true
        });
        Ok(())
    }
}
