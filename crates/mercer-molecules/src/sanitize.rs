//! From atoms and bonds as written to a molecule: the RDKit's steps in its order.
//!
//! Nitro groups and their like get charges, hydrogens written as atoms become counts, missing hydrogens are added,
//! valences are checked, rings are found, aromatic input gets a Kekulé structure, and aromaticity is perceived anew.

use crate::draft::Draft;
use crate::error::MoleculeError;
use crate::molecule::{Bond, Molecule, Order};
use crate::{aromaticity, cleanup, kekule, rings, valence};

/// A molecule from atoms and bonds as written.
pub(crate) fn sanitize(mut draft: Draft, text: &str) -> Result<Molecule, MoleculeError> {
    cleanup::remove_hydrogens(&mut draft);
    cleanup::charge_hypervalent(&mut draft);
    let bonds: Vec<Bond> = draft.bonds.iter().map(|b| b.finish()).collect();
    let atoms = draft.atoms.iter().map(|a| a.finish(0)).collect();
    let mut molecule = Molecule::assemble(text.to_owned(), atoms, bonds);
    let flags: Vec<bool> = draft.atoms.iter().map(|a| a.aromatic).collect();
    valence::add_hydrogens(&mut molecule, &draft, &flags)?;
    let found = rings::find(&mut molecule);
    if flags.contains(&true) || molecule.bonds.iter().any(|b| b.order == Order::Aromatic) {
        kekule::kekulize(&mut molecule, &flags)?;
    }
    valence::count_radicals(&mut molecule);
    aromaticity::perceive(&mut molecule, &found);
    Ok(molecule)
}
