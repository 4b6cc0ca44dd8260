//! Kekulé structures: double bonds for aromatic input, as a perfect matching of the atoms that need one.

use std::collections::VecDeque;

use crate::element::Element;
use crate::error::MoleculeError;
use crate::molecule::{Molecule, Order};

/// Replaces aromatic bonds by single and double ones, or says which atom is left over.
pub(crate) fn kekulize(molecule: &mut Molecule, aromatic: &[bool]) -> Result<(), MoleculeError> {
    if let Some(i) = (0..aromatic.len()).find(|&i| aromatic[i] && !molecule.atoms[i].in_ring) {
        let place = molecule.atoms[i].at as usize;
        return Err(MoleculeError::new(place, "an aromatic atom that is not in a ring"));
    }
    let needs: Vec<bool> = (0..aromatic.len()).map(|i| needs_double_bond(molecule, i)).collect();
    let partners = matching(molecule, &needs);
    if let Some(i) = (0..needs.len()).find(|&i| needs[i] && partners[i].is_none()) {
        let place = molecule.atoms[i].at as usize;
        return Err(MoleculeError::new(
            place,
            "the aromatic ring has no Kekulé structure: a hydrogen as in [nH] or a charge may be missing",
        ));
    }
    for bond in &mut molecule.bonds {
        if bond.order == Order::Aromatic {
            let [a, b] = bond.atoms;
            bond.kekule = match partners[a as usize] == Some(b) {
                true => Order::Double,
                false => Order::Single,
            };
            bond.order = bond.kekule;
        }
    }
    Ok(())
}

/// Whether an atom of an aromatic ring lacks one bond.
fn needs_double_bond(molecule: &Molecule, i: usize) -> bool {
    let atom = &molecule.atoms[i];
    let bonds = || molecule.neighbours(i).iter().map(|n| &molecule.bonds[n.bond as usize]);
    let in_aromatic_ring = bonds().any(|b| b.order == Order::Aromatic && b.in_ring);
    if !in_aromatic_ring || atom.element == 0 {
        return false;
    }
    let element = Element::of(atom.element);
    let orders: i32 = bonds().map(|b| i32::from(b.order.pairs())).sum();
    let single = orders + i32::from(atom.hydrogens);
    let degree = molecule.degree(i) as i32 + i32::from(atom.hydrogens);
    let mut charge = i32::from(atom.charge);
    if element.outer < 4 || atom.element == 6 && charge > 0 {
        charge = -charge;
    }
    // The lowest valence that has room for the bonds as they are.
    let valence = element.valences.iter().map(|&v| i32::from(v) + charge).find(|v| single <= *v);
    let Some(valence) = valence else { return false };
    degree < valence && (valence == single + 1 || atom.bracket && valence == single + 2)
}

/// A maximum matching of the atoms that need a double bond, along aromatic ring bonds: Edmonds' blossom algorithm.
fn matching(molecule: &Molecule, needs: &[bool]) -> Vec<Option<u32>> {
    let mut graph = Matching::new(molecule, needs);
    // Neighbours that are both free are matched first: most atoms need no search.
    let needy = || needs.iter().enumerate().filter(|(_, own)| **own).map(|(i, _)| i);
    for i in needy() {
        if graph.mate[i].is_none() {
            let free = graph.around(i).find(|&j| graph.mate[j].is_none());
            if let Some(j) = free {
                graph.mate[i] = Some(j as u32);
                graph.mate[j] = Some(i as u32);
            }
        }
    }
    for i in needy() {
        if graph.mate[i].is_none() {
            graph.augment(i);
        }
    }
    graph.mate
}

struct Matching<'m> {
    molecule: &'m Molecule,
    needs: &'m [bool],
    mate: Vec<Option<u32>>,
}

const NONE: usize = usize::MAX;

impl<'m> Matching<'m> {
    fn new(molecule: &'m Molecule, needs: &'m [bool]) -> Self {
        Matching { molecule, needs, mate: vec![None; needs.len()] }
    }

    fn around(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        self.molecule.neighbours(i).iter().filter_map(move |n| {
            let bond = &self.molecule.bonds[n.bond as usize];
            let open = bond.order == Order::Aromatic && bond.in_ring && self.needs[n.atom as usize];
            open.then_some(n.atom as usize)
        })
    }

    /// The common base of two atoms in the alternating tree.
    fn base_of_both(&self, a: usize, b: usize, base: &[usize], parent: &[usize]) -> usize {
        let mut marked = vec![false; base.len()];
        let mut at = a;
        loop {
            at = base[at];
            marked[at] = true;
            match self.mate[at] {
                Some(mate) if parent[mate as usize] != NONE => at = parent[mate as usize],
                _ => break,
            }
        }
        let mut at = b;
        loop {
            at = base[at];
            if marked[at] {
                return at;
            }
            match self.mate[at] {
                Some(mate) if parent[mate as usize] != NONE => at = parent[mate as usize],
                _ => return at,
            }
        }
    }

    /// Looks for an alternating path from a free atom to another, and flips it.
    fn augment(&mut self, root: usize) {
        let n = self.needs.len();
        let (mut parent, mut base) = (vec![NONE; n], (0..n).collect::<Vec<usize>>());
        let (mut used, mut queue) = (vec![false; n], VecDeque::from([root]));
        used[root] = true;
        while let Some(v) = queue.pop_front() {
            let around: Vec<usize> = self.around(v).collect();
            for to in around {
                if base[v] == base[to] || self.mate[v] == Some(to as u32) {
                    continue;
                }
                let outer = to == root || self.mate[to].is_some_and(|m| parent[m as usize] != NONE);
                if outer {
                    let common = self.base_of_both(v, to, &base, &parent);
                    let mut blossom = vec![false; n];
                    self.mark_path(v, common, to, &base, &mut parent, &mut blossom);
                    self.mark_path(to, common, v, &base, &mut parent, &mut blossom);
                    for i in 0..n {
                        if blossom[base[i]] {
                            base[i] = common;
                            if !used[i] {
                                used[i] = true;
                                queue.push_back(i);
                            }
                        }
                    }
                } else if parent[to] == NONE {
                    parent[to] = v;
                    match self.mate[to] {
                        None => return self.flip(to, &parent),
                        Some(mate) => {
                            used[mate as usize] = true;
                            queue.push_back(mate as usize);
                        }
                    }
                }
            }
        }
    }

    fn mark_path(
        &self,
        mut v: usize,
        common: usize,
        mut child: usize,
        base: &[usize],
        parent: &mut [usize],
        blossom: &mut [bool],
    ) {
        while base[v] != common {
            let Some(mate) = self.mate[v] else { return };
            let mate = mate as usize;
            blossom[base[v]] = true;
            blossom[base[mate]] = true;
            parent[v] = child;
            child = mate;
            v = parent[mate];
            if v == NONE {
                return;
            }
        }
    }

    fn flip(&mut self, end: usize, parent: &[usize]) {
        let mut v = end;
        while v != NONE {
            let before = parent[v];
            if before == NONE {
                return;
            }
            let next = self.mate[before];
            self.mate[v] = Some(before as u32);
            self.mate[before] = Some(v as u32);
            v = next.map_or(NONE, |m| m as usize);
        }
    }
}
