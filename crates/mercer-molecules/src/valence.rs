//! Valences: what is permitted, which hydrogens are missing, how many electrons are unpaired.

use crate::draft::Draft;
use crate::element::Element;
use crate::error::MoleculeError;
use crate::molecule::{Molecule, Order};

/// The element whose valences an atom has: that with as many electrons.
fn isoelectronic(element: u8, charge: i8) -> u8 {
    match Element::of(element).takes_any_valence() {
        true => element,
        false => (i16::from(element) - i16::from(charge)).clamp(0, 118) as u8,
    }
}

/// Phosphorus, sulphur and their like keep their higher valences as anions.
fn can_be_hypervalent(element: u8, effective: u8) -> bool {
    matches!(element, 15 | 16) && effective > 16 || matches!(element, 33 | 34) && effective > 34
}

/// Sets the hydrogens of every atom and checks its valence.
pub(crate) fn add_hydrogens(
    molecule: &mut Molecule,
    draft: &Draft,
    aromatic: &[bool],
) -> Result<(), MoleculeError> {
    for (i, own) in draft.atoms.iter().enumerate() {
        // Aromatic bonds count one and a half, so halves are counted.
        let (mut halves, mut is_aromatic) = (2 * i32::from(own.stated), aromatic[i]);
        for n in molecule.neighbours(i) {
            match molecule.bonds[n.bond as usize].order {
                Order::Aromatic => {
                    halves += 3;
                    is_aromatic = true;
                }
                order => halves += 2 * i32::from(order.pairs()),
            }
        }
        let element = Element::of(own.element);
        let effective = isoelectronic(own.element, own.charge);
        let usual = Element::of(effective);
        let default = i32::from(usual.default_valence());
        if halves > 2 * default && is_aromatic && default >= 0 {
            // The nearest permitted valence below: the nitrogen of c1cccn1C has 4 here and 3 in a Kekulé structure.
            let below =
                usual.valences.iter().map(|&v| i32::from(v)).take_while(|v| *v >= 0 && 2 * v <= halves);
            let nearest = below.last().unwrap_or(default);
            if halves - 2 * nearest <= 3 {
                halves = 2 * nearest;
            }
        }
        let total = (halves + 1) / 2;
        let most = |e: &Element| e.valences.last().map_or(-1, |v| i32::from(*v));
        let hypervalent = can_be_hypervalent(own.element, effective);
        let (most_here, offset) = match (hypervalent, own.element, own.charge) {
            (true, ..) => (most(element), -i32::from(own.charge)),
            (_, 1, -1) => (2, 0),
            _ => (most(usual), 0),
        };
        if most_here >= 0 && most(element) >= 0 && total + offset > most_here {
            let charge = match own.charge {
                0 => String::new(),
                charge => format!(" with charge {charge:+}"),
            };
            return Err(MoleculeError::new(
                own.at as usize,
                format!(
                    "{}{charge} has valence {total}; at most {} is permitted",
                    element.symbol,
                    most_here - offset
                ),
            ));
        }
        molecule.atoms[i].hydrogens = match own.bracket {
            true => own.stated,
            false => own.stated + missing(own.element, own.charge, total, is_aromatic),
        };
    }
    Ok(())
}

/// The hydrogens that an atom outside brackets lacks.
pub(crate) fn missing(element: u8, charge: i8, total: i32, aromatic: bool) -> u8 {
    if element == 0 {
        return 0;
    }
    let effective = isoelectronic(element, charge);
    let (usual, total) = match can_be_hypervalent(element, effective) {
        true => (Element::of(element), total - i32::from(charge)),
        false => (Element::of(effective), total),
    };
    let candidates = match aromatic {
        true => &usual.valences[..1],
        false => usual.valences,
    };
    let enough = candidates.iter().map(|&v| i32::from(v)).find(|v| total <= *v);
    enough.map_or(0, |v| (v - total).clamp(0, 20) as u8)
}

/// Sets the unpaired electrons of atoms in brackets, whose hydrogens are stated.
pub(crate) fn count_radicals(molecule: &mut Molecule) {
    for i in 0..molecule.atoms.len() {
        let atom = molecule.atoms[i];
        let element = Element::of(atom.element);
        if !atom.bracket || atom.element == 0 || element.takes_any_valence() {
            continue;
        }
        let total = molecule.bond_orders(i) as i32 + i32::from(atom.hydrogens);
        let (outer, charge) = (i32::from(element.outer), i32::from(atom.charge));
        let shell = if atom.element <= 2 { 2 } else { 8 };
        let mut unpaired = shell - outer - total + charge;
        if unpaired < 0 {
            let higher =
                element.valences.iter().map(|&v| i32::from(v) - total + charge).find(|left| *left >= 0);
            unpaired = match element.valences.len() {
                0 | 1 => 0,
                _ => higher.unwrap_or(0),
            };
        }
        let early = outer - total - charge;
        if early >= 0 {
            unpaired = unpaired.min(early);
        }
        molecule.atoms[i].radicals = unpaired.clamp(0, 8) as u8;
    }
}

/// The hydrogens that an atom would get if it were written without brackets.
pub(crate) fn usual_hydrogens(molecule: &Molecule, i: usize) -> u8 {
    let atom = &molecule.atoms[i];
    let (mut halves, mut is_aromatic) = (0, atom.aromatic);
    for n in molecule.neighbours(i) {
        match molecule.bonds[n.bond as usize].order {
            Order::Aromatic => {
                halves += 3;
                is_aromatic = true;
            }
            order => halves += 2 * i32::from(order.pairs()),
        }
    }
    let element = Element::of(atom.element);
    let default = i32::from(element.default_valence());
    if halves > 2 * default && is_aromatic && default >= 0 {
        return 0;
    }
    missing(atom.element, 0, (halves + 1) / 2, is_aromatic)
}
