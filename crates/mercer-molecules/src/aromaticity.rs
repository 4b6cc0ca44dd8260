//! Aromaticity by the RDKit's rules, from a Kekulé structure.
//!
//! Every ring atom donates 0, 1 or 2 electrons to its ring. A ring, or a union of up to six fused rings, is aromatic
//! if all its atoms can take part and their electrons number 4n + 2. Of a union, only the bonds on its outside are.

use crate::element::Element;
use crate::molecule::{Molecule, Neighbour, Order};
use crate::rings::Ring;

/// What an atom gives to a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Donor {
    /// It cannot take part.
    Never,
    /// Between these numbers of electrons.
    Electrons(u8, u8),
}

/// The most rings whose union is tried.
const MOST_FUSED: usize = 6;

/// Rings above this size are not united with others.
const LARGEST_FUSED: usize = 24;

/// The most unions that are tried in one system of rings: cages have too many, and none of them is aromatic.
const MOST_UNIONS: usize = 50_000;

/// Marks aromatic atoms and bonds.
pub(crate) fn perceive(molecule: &mut Molecule, rings: &[Ring]) {
    if rings.is_empty() {
        return;
    }
    let mut donors: Vec<Option<Donor>> = vec![None; molecule.atoms.len()];
    let mut candidates = Vec::new();
    for ring in rings {
        let mut all = true;
        let mut wild = true;
        for &atom in &ring.atoms {
            let donor = *donors[atom as usize].get_or_insert_with(|| donor(molecule, atom as usize));
            all &= donor != Donor::Never;
            wild &= molecule.atoms[atom as usize].element == 0;
        }
        if all && !wild {
            candidates.push(ring);
        }
    }
    let electrons = |atom: u32| match donors[atom as usize] {
        Some(Donor::Electrons(least, most)) => (u32::from(least), u32::from(most)),
        _ => (0, 0),
    };
    let mut aromatic: Vec<(Vec<u32>, Vec<u32>)> = Vec::new();
    for system in fused_systems(&candidates) {
        let rings: Vec<&Ring> = system.iter().map(|&at| candidates[at]).collect();
        unite(&rings, &electrons, &mut aromatic);
    }
    for (atoms, bonds) in aromatic {
        atoms.into_iter().for_each(|a| molecule.atoms[a as usize].aromatic = true);
        bonds.into_iter().for_each(|b| molecule.bonds[b as usize].order = Order::Aromatic);
    }
}

/// Whether two rings share exactly one bond, as fused rings do.
fn are_fused(a: &Ring, b: &Ring) -> bool {
    a.atoms.len() <= LARGEST_FUSED
        && b.atoms.len() <= LARGEST_FUSED
        && a.bonds.iter().filter(|bond| b.bonds.contains(bond)).count() == 1
}

/// The connected groups of fused rings.
fn fused_systems(rings: &[&Ring]) -> Vec<Vec<usize>> {
    let mut system = vec![usize::MAX; rings.len()];
    let mut all: Vec<Vec<usize>> = Vec::new();
    for first in 0..rings.len() {
        if system[first] != usize::MAX {
            continue;
        }
        system[first] = all.len();
        let (mut own, mut next) = (vec![first], 0);
        while let Some(&at) = own.get(next) {
            next += 1;
            for other in 0..rings.len() {
                if system[other] == usize::MAX && are_fused(rings[at], rings[other]) {
                    system[other] = all.len();
                    own.push(other);
                }
            }
        }
        own.sort_unstable();
        all.push(own);
    }
    all
}

/// Tries single rings, then unions of two, three, … fused rings, until every bond is aromatic.
fn unite(rings: &[&Ring], electrons: &impl Fn(u32) -> (u32, u32), aromatic: &mut Vec<(Vec<u32>, Vec<u32>)>) {
    let mut left: Vec<u32> = rings.iter().flat_map(|r| r.bonds.iter().copied()).collect();
    left.sort_unstable();
    left.dedup();
    let fused: Vec<Vec<bool>> =
        rings.iter().map(|a| rings.iter().map(|b| are_fused(a, b)).collect()).collect();
    let mut tried = 0;
    for size in 1..=rings.len().min(MOST_FUSED) {
        let mut chosen: Vec<usize> = (0..size).collect();
        loop {
            if left.is_empty() || tried > MOST_UNIONS {
                return;
            }
            tried += 1;
            if is_connected(&chosen, &fused)
                && let Some((atoms, bonds)) = outside(&chosen, rings, electrons)
            {
                left.retain(|b| !bonds.contains(b));
                aromatic.push((atoms, bonds));
            }
            if !advance(&mut chosen, rings.len()) {
                break;
            }
        }
    }
}

/// The next choice of as many numbers below `n`, in ascending order.
fn advance(chosen: &mut [usize], n: usize) -> bool {
    let size = chosen.len();
    let Some(at) = (0..size).rev().find(|&at| chosen[at] < n - size + at) else { return false };
    chosen[at] += 1;
    for later in at + 1..size {
        chosen[later] = chosen[later - 1] + 1;
    }
    true
}

fn is_connected(chosen: &[usize], fused: &[Vec<bool>]) -> bool {
    let (mut reached, mut next) = (vec![chosen[0]], 0);
    while let Some(&at) = reached.get(next) {
        next += 1;
        for &other in chosen {
            if fused[at][other] && !reached.contains(&other) {
                reached.push(other);
            }
        }
    }
    reached.len() == chosen.len()
}

/// The atoms and the outer bonds of a union of rings, if its electrons number 4n + 2.
fn outside(
    chosen: &[usize],
    rings: &[&Ring],
    electrons: &impl Fn(u32) -> (u32, u32),
) -> Option<(Vec<u32>, Vec<u32>)> {
    let (mut atoms, mut bonds) = (Vec::new(), Vec::new());
    for &at in chosen {
        atoms.extend_from_slice(&rings[at].atoms);
        bonds.extend_from_slice(&rings[at].bonds);
    }
    atoms.sort_unstable();
    bonds.sort_unstable();
    let (mut least, mut most) = (0, 0);
    // An atom in three of the rings is in the middle.
    for run in atoms.chunk_by(|a, b| a == b).filter(|run| run.len() <= 2) {
        let (low, high) = electrons(run[0]);
        least += low;
        most += high;
    }
    let aromatic = match most {
        6.. => (least..=most).any(|e| e >= 2 && (e - 2) % 4 == 0),
        most => most == 2,
    };
    if !aromatic {
        return None;
    }
    let bonds = bonds.chunk_by(|a, b| a == b).filter(|run| run.len() == 1).map(|run| run[0]).collect();
    atoms.dedup();
    Some((atoms, bonds))
}

/// What an atom gives to its rings.
fn donor(molecule: &Molecule, i: usize) -> Donor {
    let atom = &molecule.atoms[i];
    let element = Element::of(atom.element);
    let bonds = || molecule.neighbours(i).iter();
    let multiple = |n: &&Neighbour| molecule.bonds[n.bond as usize].kekule.pairs() > 1;
    let inside = |n: &&Neighbour| molecule.bonds[n.bond as usize].in_ring;
    let in_ring = bonds().filter(multiple).any(|n| inside(&n));
    let exocyclic = bonds().filter(multiple).find(|n| !inside(n));
    if atom.element == 0 {
        return if in_ring { Donor::Electrons(1, 1) } else { Donor::Electrons(0, 2) };
    }
    let third_row = atom.element > 18 && !matches!(atom.element, 34 | 52);
    if third_row || !is_in_default_state(molecule, i) {
        return Donor::Never;
    }
    let steals = exocyclic.is_some_and(|n| {
        let there = &molecule.atoms[n.atom as usize];
        let other = Element::of(there.element);
        other.outer > element.outer || other.outer == element.outer && there.element < atom.element
    });
    match spare_electrons(molecule, i) {
        None => Donor::Never,
        Some(0) if exocyclic.is_some() => Donor::Electrons(0, 0),
        Some(0) if in_ring => Donor::Electrons(1, 1),
        Some(0) => Donor::Never,
        Some(1) if exocyclic.is_some() && steals => Donor::Electrons(0, 0),
        Some(1) if exocyclic.is_some() || in_ring => Donor::Electrons(1, 1),
        Some(1) if atom.charge == 1 => Donor::Electrons(0, 0),
        Some(1) => Donor::Never,
        Some(more) => {
            let more = more - u32::from(exocyclic.is_some() && steals);
            if more % 2 == 1 { Donor::Electrons(1, 1) } else { Donor::Electrons(2, 2) }
        }
    }
}

/// The valence is the default one, and no two multiple bonds meet.
fn is_in_default_state(molecule: &Molecule, i: usize) -> bool {
    let atom = &molecule.atoms[i];
    let orders = molecule.bond_orders(i);
    let total = orders as i32 + i32::from(atom.hydrogens);
    let same = Element::of((i16::from(atom.element) - i16::from(atom.charge)).clamp(0, 118) as u8);
    let element = Element::of(atom.element);
    if element.default_valence() > 0 && total > i32::from(same.default_valence()) {
        return false;
    }
    if atom.radicals > 0 && (atom.element != 6 || atom.charge != 0) {
        return false;
    }
    let multiple =
        molecule.neighbours(i).iter().filter(|n| molecule.bonds[n.bond as usize].kekule.pairs() > 1).count();
    orders as usize - molecule.degree(i) <= 1 || multiple <= 1
}

/// The electrons that an atom can give to a π system; `None` if it has too many neighbours.
fn spare_electrons(molecule: &Molecule, i: usize) -> Option<u32> {
    let atom = &molecule.atoms[i];
    let element = Element::of(atom.element);
    let default = i32::from(element.default_valence());
    let degree = molecule.degree(i) as i32 + i32::from(atom.hydrogens);
    if default <= 1 || degree > 3 {
        return None;
    }
    let lone = (i32::from(element.outer) - default - i32::from(atom.charge)).max(0);
    let spare = default - degree + lone - i32::from(atom.radicals);
    let unsaturated = molecule.bond_orders(i) as i32 - molecule.degree(i) as i32;
    match spare {
        ..0 => None,
        2.. if unsaturated > 1 => Some(1),
        spare => Some(spare as u32),
    }
}
