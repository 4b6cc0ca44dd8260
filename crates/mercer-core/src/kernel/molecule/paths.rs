//! Path fingerprints.

use mercer_molecules::paths;

use super::shared::{collect, count_of, counted};
use super::{CountUse, MOLECULES, OnMolecules};
use crate::data::Molecule;
use crate::error::{Error, Result};
use crate::kernel::counts::{Bag, Counting, Describe, Visit};
use crate::kernel::{Definiteness, Domain, Facts, Parameter, declared};

/// The paths that two molecules share: elements, aromaticity and bond orders along up to a number of bonds.
///
/// k(x, y) = Σ_f g(c_f(x), c_f(y)) over unbranched paths f without repeated atoms, where g is the smaller count, the
/// product, or 1 if both are positive. A path counts once, whichever end it is read from. Cost: the paths of a
/// molecule, and the shared features per pair.
///
/// ```
/// use std::sync::Arc;
/// use mercer_core::{data::Molecule, gram::Engine, kernel::molecule::MoleculePaths};
/// let molecules: Vec<Arc<Molecule>> =
///     ["CCO", "CCCO"].iter().map(|text| Arc::new(text.parse().unwrap())).collect();
/// let k = Engine::new().gram(&MoleculePaths::new(1, 2)?, &molecules[..])?;
/// // C-C, C-O and C-C-O, and in the second also another C-C and C-C-C.
/// assert_eq!(k.values(), [3.0, 3.0, 3.0, 5.0]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// L. Ralaivola, S. J. Swamidass, H. Saigo and P. Baldi, *Graph kernels for chemical informatics*, Neural Networks 18,
/// 2005.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoleculePaths {
    least: usize,
    most: usize,
    counts: CountUse,
}

impl MoleculePaths {
    /// Paths of `least` to `most` bonds, 1 to 12 of them.
    pub fn new(least: usize, most: usize) -> Result<Self> {
        Self::with_counts(least, most, CountUse::default())
    }

    /// The same, with what counts contribute.
    pub fn with_counts(least: usize, most: usize, counts: CountUse) -> Result<Self> {
        Self::FACTS.check("min-bonds", least as f64)?;
        Self::FACTS.check("max-bonds", most as f64)?;
        match least <= most {
            true => Ok(MoleculePaths { least, most, counts }),
            false => Err(Error::param("max-bonds", most, &format!("at least min-bonds, {least}"))),
        }
    }

    fn lengths(&self) -> (u32, u32) {
        (self.least as u32, self.most as u32)
    }

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "molecule-paths",
        summary: "Paths of atoms and bonds that two molecules share (path fingerprints).",
        formula: "Σ_f g(c_f(x), c_f(y)) over paths f of min-bonds to max-bonds bonds; g: the smaller count, the product, or 1",
        takes: "molecules",
        kinds: MOLECULES,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            Parameter {
                name: "min-bonds",
                default: "1",
                domain: Domain::Whole(1, 12),
                doc: "length of the shortest paths",
                alias: None,
            },
            Parameter {
                name: "max-bonds",
                default: "5",
                domain: Domain::Whole(1, 12),
                doc: "length of the longest paths",
                alias: None,
            },
            CountUse::PARAMETER,
        ],
        cost: "the shared features",
        reference: "Ralaivola, Swamidass, Saigo & Baldi 2005, Graph kernels for chemical informatics",
        example: "molecule-paths(max-bonds=7)",
    };
}

declared!(MoleculePaths(least, most, counts) => MoleculePaths::with_counts(least, most, counts));

impl OnMolecules for MoleculePaths {}

impl Counting for MoleculePaths {
    type Objects = [std::sync::Arc<Molecule>];

    fn count(&self, molecule: &Molecule, bag: &mut Bag) -> Result<()> {
        let mut codes = collect(|push| paths(molecule, self.lengths(), &mut |code, _| push(code)))?;
        self.counts.add(&mut codes, bag);
        Ok(())
    }
}

impl Describe for MoleculePaths {
    fn describe(&self, molecule: &Molecule, visit: Visit<'_>) -> Result<()> {
        let counts = counted(&collect(|push| paths(molecule, self.lengths(), &mut |code, _| push(code)))?);
        paths(molecule, self.lengths(), &mut |code, atoms| {
            let name = || molecule.path_name(atoms);
            self.counts.visit(code, count_of(&counts, code), atoms, &name, visit);
            true
        });
        Ok(())
    }
}
