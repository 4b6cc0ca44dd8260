//! Stereochemistry as features see it: arrangements around atoms and double bonds, by the codes of neighbours.

use crate::draft::exchanges;
use crate::molecule::{Chirality, Direction, Molecule, Order};

/// The arrangement around an atom whose neighbours have different codes, read in the order of these: 1 or 2, or 0 if none
/// is given or two of them look alike.
pub(crate) fn around(molecule: &Molecule, atom: usize, codes: &[u32]) -> u32 {
    let own = &molecule.atoms[atom];
    if own.chirality == Chirality::None {
        return 0;
    }
    // A hydrogen or a lone pair comes first, as the chirality has it.
    let mut list: Vec<(u32, u32)> = Vec::with_capacity(4);
    if molecule.degree(atom) == 3 {
        list.push((0, 0));
    }
    for to in molecule.neighbours(atom) {
        list.push((1 + molecule.bonds[to.bond as usize].order as u32, codes[to.atom as usize]));
    }
    match exchanges(&list).map(|count| own.chirality.after(count)) {
        Some(Chirality::Counterclockwise) => 1,
        Some(Chirality::Clockwise) => 2,
        _ => 0,
    }
}

/// Whether the neighbours with the greatest codes at the two ends of a double bond are on the same side (1), on different
/// sides (2), or the text does not say so (0).
pub(crate) fn across(molecule: &Molecule, bond: usize, codes: &[u32]) -> u32 {
    let own = &molecule.bonds[bond];
    if own.order != Order::Double {
        return 0;
    }
    let [a, b] = own.atoms.map(|atom| greatest_side(molecule, atom as usize, bond, codes));
    match (a, b) {
        (Some(a), Some(b)) if a == b => 1,
        (Some(_), Some(_)) => 2,
        _ => 0,
    }
}

/// Whether the neighbour with the greatest code is above an end of a double bond.
fn greatest_side(molecule: &Molecule, atom: usize, double: usize, codes: &[u32]) -> Option<bool> {
    let mut best: Option<(u32, usize)> = None;
    let mut side: Option<(usize, bool)> = None;
    for to in molecule.neighbours(atom).iter().filter(|to| to.bond as usize != double) {
        let code = codes[to.atom as usize];
        match best {
            Some((other, _)) if other == code => return None,
            Some((other, _)) if other > code => (),
            _ => best = Some((code, to.atom as usize)),
        }
        let bond = &molecule.bonds[to.bond as usize];
        // The direction is that of the way from the first atom to the second.
        let leaves = bond.atoms[0] as usize == atom;
        match bond.direction {
            Direction::None => (),
            Direction::Up => side = Some((to.atom as usize, leaves)),
            Direction::Down => side = Some((to.atom as usize, !leaves)),
        }
    }
    let ((_, greatest), (given, above)) = (best?, side?);
    // Two neighbours of an end are on different sides.
    Some(above == (given == greatest))
}
