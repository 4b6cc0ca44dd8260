//! Atom pairs, topological torsions and paths.

use crate::element::Element;
use crate::molecule::{Molecule, Order};

/// The greatest distance in bonds of an atom pair.
pub const MOST_DISTANCE: u32 = 30;

/// The electrons that an atom has in multiple bonds.
fn pi_electrons(molecule: &Molecule, i: usize) -> u32 {
    let atom = &molecule.atoms[i];
    if atom.aromatic {
        return 1;
    }
    let orders = molecule.bond_orders(i);
    let pi = orders - molecule.degree(i) as u32;
    if pi == 0 {
        return 0;
    }
    // Atoms with four neighbours and lone pairs, such as the sulphur of a sulphone, count as saturated.
    let free = i32::from(Element::of(atom.element).outer)
        - (orders as i32 + i32::from(atom.hydrogens))
        - i32::from(atom.charge);
    let sites = molecule.degree(i) as i32 + i32::from(atom.hydrogens) + free.max(0) / 2;
    if sites >= 4 { 0 } else { pi }
}

/// The code of an atom in atom pairs: neighbours, π electrons and element, as the RDKit numbers them.
pub fn pair_codes(molecule: &Molecule) -> Vec<u32> {
    const ELEMENTS: [u8; 15] = [5, 6, 7, 8, 9, 14, 15, 16, 17, 33, 34, 35, 51, 52, 53];
    let of = |i: usize| {
        let number = molecule.atoms[i].element;
        let place = ELEMENTS.iter().position(|&e| e >= number);
        let kind = place.filter(|&at| ELEMENTS[at] == number).unwrap_or(15) as u32;
        (molecule.degree(i) as u32 % 7) | (pi_electrons(molecule, i) % 3) << 3 | kind << 5
    };
    (0..molecule.atoms.len()).map(of).collect()
}

/// Calls `visit` with the code of every pair of atoms up to 30 bonds apart, and the two atoms; `false` stops.
///
/// The codes are those of the RDKit's `GetAtomPairGenerator` (sparse counts). Time O(atoms · (atoms + bonds)).
///
/// R. E. Carhart, D. H. Smith and R. Venkataraghavan, *Atom pairs as molecular features in structure–activity
/// studies*, J. Chem. Inf. Comput. Sci. 25, 1985.
pub fn atom_pairs(molecule: &Molecule, visit: &mut dyn FnMut(u64, [u32; 2]) -> bool) {
    let codes = pair_codes(molecule);
    let n = molecule.atoms.len();
    let (mut seen, mut queue) = (vec![u32::MAX; n], Vec::with_capacity(n));
    for first in 0..n {
        queue.clear();
        queue.push((first as u32, 0u32));
        seen[first] = first as u32;
        let mut next = 0;
        while let Some(&(atom, distance)) = queue.get(next) {
            next += 1;
            if atom as usize > first {
                let (a, b) = (codes[first] % 511, codes[atom as usize] % 511);
                let code = u64::from(distance) | u64::from(a.min(b)) << 5 | u64::from(a.max(b)) << 14;
                if !visit(code, [first as u32, atom]) {
                    return;
                }
            }
            if distance < MOST_DISTANCE {
                for to in molecule.neighbours(atom as usize) {
                    if seen[to.atom as usize] != first as u32 {
                        seen[to.atom as usize] = first as u32;
                        queue.push((to.atom, distance + 1));
                    }
                }
            }
        }
    }
}

/// Calls `visit` with the code of every path of four atoms, and these atoms; `false` stops.
///
/// The codes are those of the RDKit's `GetTopologicalTorsionGenerator` (sparse counts). A ring of three counts as one
/// path, from its first atom to itself. Time O(paths).
///
/// R. Nilakantan, N. Bauman, J. S. Dixon and R. Venkataraghavan, *Topological torsion*, J. Chem. Inf. Comput. Sci. 27,
/// 1987.
pub fn torsions(molecule: &Molecule, visit: &mut dyn FnMut(u64, [u32; 4]) -> bool) {
    let codes = pair_codes(molecule);
    // The number of neighbours outside the path: one is inside for the ends, two for the others.
    let end = |i: u32| u64::from((codes[i as usize].wrapping_sub(2)) % 511) + 1;
    let inner = |i: u32| end(i).wrapping_sub(1);
    for bond in molecule.bonds() {
        let [b, c] = bond.atoms;
        for first in molecule.neighbours(b as usize).iter().filter(|n| n.atom != c) {
            for last in molecule.neighbours(c as usize).iter().filter(|n| n.atom != b) {
                // A ring of three is met from each of its bonds, and counts once.
                if first.atom == last.atom && first.atom > b.min(c) {
                    continue;
                }
                let path = [first.atom, b, c, last.atom];
                let mut own = [end(path[0]), inner(path[1]), inner(path[2]), end(path[3])];
                if (own[3], own[2]) < (own[0], own[1]) {
                    own.reverse();
                }
                let code = own.iter().enumerate().fold(0u64, |code, (at, own)| code | own << (9 * at));
                if !visit(code, path) {
                    return;
                }
            }
        }
    }
}

/// Calls `visit` with the code of every path of bonds with these lengths, and its atoms; `false` stops. Paths visit no
/// atom twice and count once, whichever end they are read from.
///
/// A code is a 64-bit hash of the elements, aromaticity and orders along the path. Time O(paths).
pub fn paths(molecule: &Molecule, lengths: (u32, u32), visit: &mut dyn FnMut(u64, &[u32]) -> bool) {
    let (least, most) = lengths;
    let labels: Vec<u64> =
        molecule.atoms.iter().map(|a| u64::from(a.element) << 1 | u64::from(a.aromatic)).collect();
    let mut atoms: Vec<u32> = Vec::new();
    let mut orders: Vec<Order> = Vec::new();
    // Depth first: the next neighbour to try of every atom on the path.
    let mut next: Vec<usize> = Vec::new();
    for first in 0..molecule.atoms.len() as u32 {
        atoms.push(first);
        next.push(0);
        while let (Some(&atom), Some(at)) = (atoms.last(), next.last_mut()) {
            let around = molecule.neighbours(atom as usize);
            if atoms.len() as u32 > most || *at == around.len() {
                next.pop();
                atoms.pop();
                orders.pop();
                continue;
            }
            let to = around[*at];
            *at += 1;
            if atoms.contains(&to.atom) {
                continue;
            }
            atoms.push(to.atom);
            orders.push(molecule.bonds[to.bond as usize].order);
            next.push(0);
            if orders.len() as u32 >= least
                && first < to.atom
                && !visit(path_code(&labels, &atoms, &orders), &atoms)
            {
                return;
            }
        }
    }
}

fn path_code(labels: &[u64], atoms: &[u32], orders: &[Order]) -> u64 {
    let n = atoms.len();
    let step = |at: usize, back: bool| {
        let atom = labels[atoms[if back { n - 1 - at } else { at }] as usize];
        let order = |at: usize| orders[at] as u64 + 1;
        let bond = if at + 1 == n { 0 } else { order(if back { n - 2 - at } else { at }) };
        atom << 3 | bond
    };
    let back = (0..n).map(|at| step(at, true)).lt((0..n).map(|at| step(at, false)));
    (0..n).fold(n as u64, |hash, at| mix(hash ^ step(at, back)))
}

/// A bijection of 64 bits that spreads them (SplitMix64, Steele, Lea & Flood 2014).
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}
