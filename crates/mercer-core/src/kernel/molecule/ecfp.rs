//! Extended-connectivity fingerprints.

use mercer_molecules::{Environment, Invariants, ball, environments, features, stereo_environments};

use super::shared::{count_of, counted};
use super::{CountUse, MOLECULES, OnMolecules};
use crate::data::Molecule;
use crate::error::Result;
use crate::kernel::counts::{Bag, Counting, Describe, Visit};
use crate::kernel::{Definiteness, Domain, Facts, OneOf, Parameter, declared};

/// The circular neighbourhoods that two molecules share, up to a radius: ECFP4 has radius 2, ECFP6 radius 3.
///
/// k(x, y) = Σ_f g(c_f(x), c_f(y)) over neighbourhoods f, where g is the smaller count, the product, or 1 if both are
/// positive. Two neighbourhoods are equal if the RDKit's Morgan fingerprint gives them the same number (without
/// chirality, unfolded). With `stereo`, they must also agree in the arrangement around their central atom and across its
/// double bonds, where the texts give it.
///
/// Cost: radius · bonds per molecule, and the shared features per pair.
///
/// ```
/// use std::sync::Arc;
/// use mercer_core::{data::Molecule, gram::Engine, kernel::{Tanimoto, molecule::Ecfp}};
/// let molecules: Vec<Arc<Molecule>> =
///     ["CCO", "CCN"].iter().map(|text| Arc::new(text.parse().unwrap())).collect();
/// let k = Engine::new().gram(&Ecfp::new(1)?, &molecules[..])?;
/// // They share the methyl group, CH2, and the neighbourhood of the methyl group.
/// assert_eq!((k.at(0, 0), k.at(0, 1)), (6.0, 3.0));
/// let k = Engine::new().gram(&Tanimoto(Ecfp::new(1)?), &molecules[..])?;
/// assert_eq!(k.at(0, 1), 3.0 / 9.0);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// D. Rogers and M. Hahn, *Extended-connectivity fingerprints*, J. Chem. Inf. Model. 50, 2010.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ecfp {
    radius: usize,
    counts: CountUse,
    stereo: bool,
}

/// Like [`Ecfp`], with atoms told apart by their role alone: donor, acceptor, aromatic, halogen, basic, acidic.
///
/// ```
/// use std::sync::Arc;
/// use mercer_core::{data::Molecule, gram::Engine, kernel::molecule::Fcfp};
/// let molecules: Vec<Arc<Molecule>> =
///     ["CCCl", "CCBr"].iter().map(|text| Arc::new(text.parse().unwrap())).collect();
/// // Both halogens are the same.
/// let k = Engine::new().gram(&Fcfp::new(2)?, &molecules[..])?;
/// assert_eq!(k.at(0, 0), k.at(0, 1));
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fcfp {
    radius: usize,
    counts: CountUse,
    stereo: bool,
}

/// A parameter of both.
const STEREO: Parameter = Parameter {
    name: "stereo",
    default: "no",
    domain: Domain::Word(<bool as OneOf>::WORDS),
    doc: "whether stereochemistry that the text gives tells neighbourhoods apart",
    alias: None,
};

/// A parameter of both.
const RADIUS: Parameter = Parameter {
    name: "radius",
    default: "2",
    domain: Domain::Whole(0, 20),
    doc: "greatest distance in bonds from the central atom",
    alias: None,
};

impl Ecfp {
    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "ecfp",
        summary: "Circular neighbourhoods that two molecules share (Morgan fingerprints).",
        formula: "Σ_f g(c_f(x), c_f(y)) over neighbourhoods f up to the radius; g: the smaller count, the product, or 1",
        takes: "molecules",
        kinds: MOLECULES,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[RADIUS, CountUse::PARAMETER, STEREO],
        cost: "the shared features",
        reference: "Rogers & Hahn 2010, Extended-connectivity fingerprints",
        example: "ecfp(radius=3)",
    };
}

impl Fcfp {
    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "fcfp",
        summary: "Circular neighbourhoods that two molecules share, with atoms by their pharmacophore features.",
        formula: Ecfp::FACTS.formula,
        takes: Ecfp::FACTS.takes,
        kinds: MOLECULES,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[RADIUS, CountUse::PARAMETER, STEREO],
        cost: Ecfp::FACTS.cost,
        reference: Ecfp::FACTS.reference,
        example: "fcfp(radius=2, counts=presence)",
    };
}

/// What both share besides their invariants.
macro_rules! circular {
    ($type:ident, $invariants:expr, $names:expr) => {
        impl $type {
            /// The kernel with this radius, 0 to 20, and the smaller counts.
            pub fn new(radius: usize) -> Result<Self> {
                RADIUS.domain.check("radius", radius as f64)?;
                Ok($type { radius, counts: CountUse::default(), stereo: false })
            }

            /// Sets what counts contribute.
            #[must_use]
            pub fn with_counts(self, counts: CountUse) -> Self {
                $type { counts, ..self }
            }

            /// Sets whether stereochemistry that the text gives tells neighbourhoods apart.
            #[must_use]
            pub fn with_stereo(self, stereo: bool) -> Self {
                $type { stereo, ..self }
            }

            fn found(&self, molecule: &Molecule) -> Vec<Environment> {
                let find = if self.stereo { stereo_environments } else { environments };
                find(molecule, self.radius as u32, $invariants)
            }
        }

        declared!($type { radius, counts, stereo });

        impl OnMolecules for $type {}

        impl Counting for $type {
            type Objects = [std::sync::Arc<Molecule>];

            fn count(&self, molecule: &Molecule, bag: &mut Bag) -> Result<()> {
                let all = self.found(molecule);
                let mut codes: Vec<u64> = all.iter().map(|e| u64::from(e.code)).collect();
                self.counts.add(&mut codes, bag);
                Ok(())
            }
        }

        impl Describe for $type {
            fn describe(&self, molecule: &Molecule, visit: Visit<'_>) -> Result<()> {
                let all = self.found(molecule);
                let counts = counted(&all.iter().map(|e| u64::from(e.code)).collect::<Vec<_>>());
                let named = $names(molecule);
                for e in &all {
                    let atoms = ball(molecule, e.atom, e.radius);
                    let code = u64::from(e.code);
                    let name = || named(e, &atoms);
                    self.counts.visit(code, count_of(&counts, code), &atoms, &name, visit);
                }
                Ok(())
            }
        }
    };
}

circular!(Ecfp, Invariants::Connectivity, by_atoms);
circular!(Fcfp, Invariants::Features, by_roles);

/// Names neighbourhoods by their SMILES.
fn by_atoms(molecule: &Molecule) -> impl Fn(&Environment, &[u32]) -> String + '_ {
    |e: &Environment, _: &[u32]| molecule.environment_name(e.atom, e.radius)
}

/// Names neighbourhoods by the roles of their atoms, the central one first: `acceptor(donor, other ×2)`.
fn by_roles(molecule: &Molecule) -> impl Fn(&Environment, &[u32]) -> String + '_ {
    let roles: Vec<String> = features(molecule).into_iter().map(|role| role.name()).collect();
    move |e: &Environment, atoms: &[u32]| {
        let centre = &roles[e.atom as usize];
        let mut others = std::collections::BTreeMap::<&str, usize>::new();
        for &atom in atoms.iter().filter(|&&atom| atom != e.atom) {
            *others.entry(&roles[atom as usize]).or_default() += 1;
        }
        let times = |(role, count): (&str, usize)| match count {
            1 => role.to_owned(),
            more => format!("{role} ×{more}"),
        };
        match others.is_empty() {
            true => centre.clone(),
            false => {
                format!("{centre}({})", others.into_iter().map(times).collect::<Vec<_>>().join(", "))
            }
        }
    }
}
