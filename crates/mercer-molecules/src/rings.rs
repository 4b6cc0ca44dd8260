//! Rings: which bonds are part of one, and a smallest set of smallest rings.

use std::collections::HashSet;

use crate::molecule::Molecule;

/// A ring: its atoms and its bonds, in order around it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Ring {
    pub(crate) atoms: Vec<u32>,
    pub(crate) bonds: Vec<u32>,
}

/// Marks atoms and bonds in rings and returns a smallest set of smallest rings.
pub(crate) fn find(molecule: &mut Molecule) -> Vec<Ring> {
    mark(molecule);
    let mut seen = vec![false; molecule.atoms.len()];
    let mut rings = Vec::new();
    for first in 0..molecule.atoms.len() {
        if seen[first] || !molecule.atoms[first].in_ring {
            continue;
        }
        let system = system_of(molecule, first, &mut seen);
        let bonds: usize =
            system.iter().map(|&a| ring_bonds(molecule, a as usize).count()).sum::<usize>() / 2;
        let wanted = bonds + 1 - system.len();
        match wanted {
            1 => rings.extend(shortest_through(
                molecule,
                first_bond(molecule, first),
                &mut Search::new(molecule),
            )),
            _ => rings.extend(smallest(molecule, &system, wanted)),
        }
    }
    rings
}

/// The bonds of an atom that are part of a ring, with the atoms at their other ends.
fn ring_bonds(molecule: &Molecule, atom: usize) -> impl Iterator<Item = (u32, u32)> + '_ {
    let inside = |n: &&crate::molecule::Neighbour| molecule.bonds[n.bond as usize].in_ring;
    molecule.neighbours(atom).iter().filter(inside).map(|n| (n.atom, n.bond))
}

fn first_bond(molecule: &Molecule, atom: usize) -> u32 {
    ring_bonds(molecule, atom).next().map_or(0, |(_, bond)| bond)
}

/// The atoms that ring bonds connect with this one.
fn system_of(molecule: &Molecule, first: usize, seen: &mut [bool]) -> Vec<u32> {
    seen[first] = true;
    let (mut system, mut next) = (vec![first as u32], 0);
    while let Some(&atom) = system.get(next) {
        next += 1;
        for (other, _) in ring_bonds(molecule, atom as usize) {
            if !std::mem::replace(&mut seen[other as usize], true) {
                system.push(other);
            }
        }
    }
    system
}

/// Marks the bonds that are no bridges, by the order of a depth-first search (Tarjan 1974).
fn mark(molecule: &mut Molecule) {
    const NEW: u32 = u32::MAX;
    let n = molecule.atoms.len();
    if molecule.bonds.is_empty() {
        return;
    }
    let (mut order, mut low) = (vec![NEW; n], vec![NEW; n]);
    let mut time = 0;
    // An atom, the bond by which it was reached, and the next of its bonds.
    let mut stack: Vec<(u32, u32, u32)> = Vec::new();
    for first in 0..n {
        if order[first] != NEW {
            continue;
        }
        (order[first], low[first]) = (time, time);
        time += 1;
        stack.push((first as u32, NEW, 0));
        while let Some(&mut (atom, by, ref mut next)) = stack.last_mut() {
            let at = molecule.starts[atom as usize] + *next;
            if at < molecule.starts[atom as usize + 1] {
                *next += 1;
                let there = molecule.around[at as usize];
                if there.bond == by {
                    continue;
                }
                if order[there.atom as usize] == NEW {
                    (order[there.atom as usize], low[there.atom as usize]) = (time, time);
                    time += 1;
                    stack.push((there.atom, there.bond, 0));
                } else {
                    molecule.bonds[there.bond as usize].in_ring = true;
                    low[atom as usize] = low[atom as usize].min(order[there.atom as usize]);
                }
            } else {
                stack.pop();
                if let Some(&(parent, ..)) = stack.last() {
                    low[parent as usize] = low[parent as usize].min(low[atom as usize]);
                    if low[atom as usize] <= order[parent as usize] {
                        molecule.bonds[by as usize].in_ring = true;
                    }
                }
            }
        }
    }
    for bond in &molecule.bonds {
        if bond.in_ring {
            bond.atoms.iter().for_each(|&a| molecule.atoms[a as usize].in_ring = true);
        }
    }
}

/// What a breadth-first search remembers, used again by the next.
struct Search {
    queue: Vec<u32>,
    by: Vec<(u32, u32)>,
    seen: Vec<u32>,
    round: u32,
}

impl Search {
    fn new(molecule: &Molecule) -> Self {
        let n = molecule.atoms.len();
        Search { queue: Vec::new(), by: vec![(0, 0); n], seen: vec![0; n], round: 0 }
    }
}

/// A shortest ring through a bond.
fn shortest_through(molecule: &Molecule, bond: u32, search: &mut Search) -> Option<Ring> {
    let [from, to] = molecule.bonds[bond as usize].atoms;
    search.round += 1;
    search.queue.clear();
    search.queue.push(from);
    search.seen[from as usize] = search.round;
    let mut next = 0;
    while let Some(&atom) = search.queue.get(next) {
        next += 1;
        if atom == to {
            return Some(ring_back(search, from, to, bond));
        }
        for (other, by) in ring_bonds(molecule, atom as usize) {
            if by != bond && search.seen[other as usize] != search.round {
                search.seen[other as usize] = search.round;
                search.by[other as usize] = (atom, by);
                search.queue.push(other);
            }
        }
    }
    None
}

fn ring_back(search: &Search, from: u32, to: u32, closing: u32) -> Ring {
    let (mut atoms, mut bonds, mut at) = (vec![to], Vec::new(), to);
    while at != from {
        let (before, by) = search.by[at as usize];
        bonds.push(by);
        atoms.push(before);
        at = before;
    }
    bonds.push(closing);
    Ring { atoms, bonds }
}

/// A smallest set of smallest rings of a system of fused rings.
fn smallest(molecule: &Molecule, system: &[u32], wanted: usize) -> Vec<Ring> {
    let mut search = Search::new(molecule);
    let mut bonds: Vec<u32> = Vec::new();
    for &atom in system {
        bonds.extend(ring_bonds(molecule, atom as usize).filter(|(other, _)| *other > atom).map(|(_, b)| b));
    }
    bonds.sort_unstable();
    let number = |bond: u32| bonds.binary_search(&bond).unwrap_or(0);
    let mut all: Vec<Ring> = Vec::new();
    let mut known: HashSet<Vec<u32>> = HashSet::new();
    let mut keep = |ring: Option<Ring>| {
        if let Some(ring) = ring {
            let mut key = ring.bonds.clone();
            key.sort_unstable();
            if known.insert(key) {
                all.push(ring);
            }
        }
    };
    for &bond in &bonds {
        keep(shortest_through(molecule, bond, &mut search));
    }
    let mut chosen = independent(&mut all, wanted, bonds.len(), number);
    // Horton's candidates, where the shortest rings through each bond do not suffice. Beyond this size the rest of a
    // cage is left out: such systems have no aromatic rings that depend on them.
    const MOST: usize = 400;
    if chosen.len() < wanted && system.len() <= MOST {
        let mut more: Vec<Ring> = std::mem::take(&mut all);
        more.extend(horton(molecule, system, &bonds));
        chosen = independent(&mut more, wanted, bonds.len(), number);
    }
    chosen
}

/// Rings that are shortest paths from an atom to both ends of a bond (Horton 1987).
fn horton(molecule: &Molecule, system: &[u32], bonds: &[u32]) -> Vec<Ring> {
    let mut search = Search::new(molecule);
    let (mut rings, mut known) = (Vec::new(), HashSet::new());
    for &root in system {
        search.round += 1;
        search.queue.clear();
        search.queue.push(root);
        search.seen[root as usize] = search.round;
        let mut next = 0;
        while let Some(&atom) = search.queue.get(next) {
            next += 1;
            for (other, by) in ring_bonds(molecule, atom as usize) {
                if search.seen[other as usize] != search.round {
                    search.seen[other as usize] = search.round;
                    search.by[other as usize] = (atom, by);
                    search.queue.push(other);
                }
            }
        }
        for &bond in bonds {
            let [a, b] = molecule.bonds[bond as usize].atoms;
            let (left, right) = (ring_back(&search, root, a, bond), ring_back(&search, root, b, bond));
            // Both end with this bond; it must not be part of the paths.
            let on_path = |ring: &Ring| ring.bonds[..ring.bonds.len() - 1].contains(&bond);
            if on_path(&left) || on_path(&right) {
                continue;
            }
            let disjoint = !left.atoms[..left.atoms.len() - 1].iter().any(|x| right.atoms.contains(x));
            if !disjoint {
                continue;
            }
            let mut atoms = left.atoms;
            atoms.extend(right.atoms.iter().rev().skip(1));
            let mut own = left.bonds;
            own.pop();
            own.extend(right.bonds[..right.bonds.len() - 1].iter().rev());
            own.push(bond);
            let mut key = own.clone();
            key.sort_unstable();
            if atoms.len() > 2 && known.insert(key) {
                rings.push(Ring { atoms, bonds: own });
            }
        }
    }
    rings
}

/// The shortest rings that are no sums of shorter ones, modulo 2.
fn independent(rings: &mut [Ring], wanted: usize, bonds: usize, number: impl Fn(u32) -> usize) -> Vec<Ring> {
    rings.sort_by_key(|r| r.atoms.len());
    let words = bonds.div_ceil(64);
    // Rows in echelon form, each with its leading bond.
    let mut rows: Vec<(usize, Vec<u64>)> = Vec::new();
    let mut chosen = Vec::new();
    for ring in rings.iter() {
        if chosen.len() == wanted {
            break;
        }
        let mut own = vec![0u64; words];
        ring.bonds.iter().map(|&b| number(b)).for_each(|b| own[b / 64] ^= 1 << (b % 64));
        for (lead, row) in &rows {
            if own[lead / 64] >> (lead % 64) & 1 == 1 {
                own.iter_mut().zip(row).for_each(|(a, b)| *a ^= b);
            }
        }
        let lead = own.iter().position(|w| *w != 0).map(|at| 64 * at + own[at].trailing_zeros() as usize);
        if let Some(lead) = lead {
            rows.push((lead, own));
            chosen.push(ring.clone());
        }
    }
    chosen
}
