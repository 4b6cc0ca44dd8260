//! Molecules: read from SMILES and molfiles, sanitised as the RDKit does it, and described by fingerprints, scaffolds
//! and canonical SMILES. Without dependencies.
//!
//! Every feature can be traced to its atoms: [`environments`] have a centre and a radius, pairs, torsions and paths are
//! given with their atoms. [`Molecule::to_svg`] draws a molecule, with its atoms and bonds coloured by weights.

mod aromaticity;
mod canonical;
mod cleanup;
mod draft;
mod draw;
mod element;
mod error;
mod features;
mod given;
mod kekule;
mod layout;
mod molecule;
mod morgan;
mod pairs;
mod rings;
mod sanitize;
mod scaffold;
mod smiles;
mod stereo;
mod valence;
mod write;

pub use draw::{DrawStyle, Theme, Wedge};
pub use element::{Element, mass_difference};
pub use error::MoleculeError;
pub use features::{Pharmacophore, features};
pub use given::{GivenAtom, GivenBond};
pub use layout::{MOST_DRAWN, Point};
pub use molecule::{Atom, Bond, Chirality, Direction, MOST_ATOMS, Molecule, Neighbour, Order};
pub use morgan::{Environment, Invariants, ball, environments, invariants, stereo_environments};
pub use pairs::{MOST_DISTANCE, atom_pairs, pair_codes, paths, torsions};

impl std::str::FromStr for Molecule {
    type Err = MoleculeError;

    /// The molecule of a SMILES; white space around it is ignored.
    fn from_str(text: &str) -> Result<Self, MoleculeError> {
        let trimmed = text.trim();
        let skipped = text.len() - text.trim_start().len();
        let shift = |error: MoleculeError| MoleculeError { at: error.at + skipped, ..error };
        smiles::parse(trimmed).and_then(|draft| sanitize::sanitize(draft, trimmed)).map_err(shift)
    }
}
