//! Morgan fingerprints: the circular neighbourhoods of every atom, with the RDKit's numbers.

use crate::element::mass_difference;
use crate::features::features;
use crate::molecule::{Chirality, Direction, Molecule, Order};
use crate::stereo;

/// What distinguishes atoms before their neighbours do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Invariants {
    /// Element, degree, hydrogens, charge, isotope and membership of a ring: ECFP.
    #[default]
    Connectivity,
    /// Donor, acceptor, aromatic, halogen, basic, acidic: FCFP.
    Features,
}

/// A circular neighbourhood that no other one of the molecule equals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Environment {
    /// Its number, which isomorphic neighbourhoods of any molecules share.
    pub code: u32,
    /// Its central atom.
    pub atom: u32,
    /// Its radius in bonds.
    pub radius: u32,
}

/// One more value in a hash, as Boost combines them in 32 bits.
fn combine(seed: u32, value: u32) -> u32 {
    seed ^ value.wrapping_add(0x9e37_79b9).wrapping_add(seed << 6).wrapping_add(seed >> 2)
}

/// The number of every atom before its neighbours are considered.
pub fn invariants(molecule: &Molecule, kind: Invariants) -> Vec<u32> {
    if kind == Invariants::Features {
        return features(molecule).into_iter().map(|f| u32::from(f.bits())).collect();
    }
    let of = |i: usize| {
        let atom = &molecule.atoms[i];
        let counted = u32::from(atom.hydrogens);
        // Hydrogens that are atoms of their own, such as deuterium, count here and among the neighbours.
        let own = molecule.neighbours(i).iter().filter(|n| molecule.atoms[n.atom as usize].element == 1);
        let parts = [
            u32::from(atom.element),
            molecule.degree(i) as u32 + counted,
            counted + own.count() as u32,
            i32::from(atom.charge) as u32,
            mass_difference(atom.element, atom.isotope) as u32,
        ];
        let hash = parts.into_iter().fold(0, combine);
        if atom.in_ring { combine(hash, 1) } else { hash }
    };
    (0..molecule.atoms.len()).map(of).collect()
}

fn bond_code(order: Order) -> u32 {
    match order {
        Order::Single => 1,
        Order::Double => 2,
        Order::Triple => 3,
        Order::Quadruple => 4,
        Order::Aromatic => 12,
    }
}

/// Sets of bonds that were met, compared by a key first.
struct Seen {
    words: usize,
    keys: Vec<u64>,
    sets: Vec<u64>,
}

impl Seen {
    /// Adds a set; whether it is new.
    fn insert(&mut self, set: &[u64]) -> bool {
        let key = set.iter().fold(0u64, |key, word| key.rotate_left(7) ^ word);
        let known = self
            .keys
            .iter()
            .enumerate()
            .any(|(at, k)| *k == key && self.sets[at * self.words..(at + 1) * self.words] == *set);
        if !known {
            self.keys.push(key);
            self.sets.extend_from_slice(set);
        }
        !known
    }
}

/// The circular neighbourhoods up to a radius.
///
/// Atoms are numbered by their invariants, then in each round by their own number and those of their neighbours with
/// the orders of the bonds between. A neighbourhood with the same bonds as an earlier one, or as one of the same round
/// with a smaller number, is left out, and its atom takes no further part. The numbers are those of the RDKit's
/// `GetMorganGenerator` (sparse counts, without chirality).
///
/// Time O(radius · bonds · bonds/64) plus a comparison with earlier neighbourhoods.
///
/// ```
/// use mercer_molecules::{Invariants, Molecule, environments};
/// let ethanol: Molecule = "CCO".parse()?;
/// let all = environments(&ethanol, 2, Invariants::Connectivity);
/// // As GetMorganGenerator(radius=2).GetSparseCountFingerprint of the RDKit 2026.03.
/// let mut codes: Vec<u32> = all.iter().map(|e| e.code).collect();
/// codes.sort();
/// assert_eq!(codes, [864662311, 1535166686, 2245384272, 2246728737, 3542456614, 4018048386]);
/// # Ok::<(), mercer_molecules::MoleculeError>(())
/// ```
///
/// D. Rogers and M. Hahn, *Extended-connectivity fingerprints*, J. Chem. Inf. Model. 50, 2010.
pub fn environments(molecule: &Molecule, radius: u32, kind: Invariants) -> Vec<Environment> {
    circles(molecule, radius, kind, None)
}

/// As [`environments`], but neighbourhoods are also told apart by the arrangement around their central atom and across
/// its double bonds, where the text gives it and the neighbours differ.
///
/// An arrangement is read in the order of the neighbours' numbers, so it does not depend on the notation. The numbers of
/// neighbourhoods without stereochemistry are those of [`environments`].
///
/// ```
/// use mercer_molecules::{Invariants, Molecule, stereo_environments};
/// let codes = |text: &str| {
///     let molecule: Molecule = text.parse().unwrap();
///     let all = stereo_environments(&molecule, 2, Invariants::Connectivity);
///     let mut codes: Vec<u32> = all.iter().map(|e| e.code).collect();
///     codes.sort();
///     codes
/// };
/// assert_eq!(codes("N[C@@H](C)C(=O)O"), codes("OC(=O)[C@H](C)N"));
/// assert_ne!(codes("N[C@@H](C)C(=O)O"), codes("N[C@H](C)C(=O)O"));
/// assert_ne!(codes("F/C=C/Cl"), codes("F/C=C\\Cl"));
/// assert_eq!(codes("F/C=C/Cl"), codes("Cl\\C=C\\F"));
/// ```
pub fn stereo_environments(molecule: &Molecule, radius: u32, kind: Invariants) -> Vec<Environment> {
    let given = molecule.atoms.iter().any(|a| a.chirality != Chirality::None)
        || molecule.bonds.iter().any(|b| b.direction != Direction::None);
    let flat = given.then(|| flat_codes(molecule, radius, kind));
    circles(molecule, radius, kind, flat.as_deref())
}

/// The numbers of all atoms in each round without stereochemistry, by which neighbours are ordered.
fn flat_codes(molecule: &Molecule, radius: u32, kind: Invariants) -> Vec<Vec<u32>> {
    let mut all = vec![invariants(molecule, kind)];
    let mut around: Vec<(u32, u32)> = Vec::new();
    for layer in 1..radius {
        let current = &all[layer as usize - 1];
        let next = (0..molecule.atoms.len()).map(|i| {
            around.clear();
            let own = molecule.neighbours(i).iter();
            around.extend(
                own.map(|to| (bond_code(molecule.bonds[to.bond as usize].order), current[to.atom as usize])),
            );
            around.sort_unstable();
            let start = combine(layer, current[i]);
            around.iter().fold(start, |hash, &(bond, atom)| combine(hash, combine(combine(0, bond), atom)))
        });
        let next = next.collect();
        all.push(next);
    }
    all
}

/// The neighbourhoods; `flat` orders the neighbours in each round where stereochemistry counts.
fn circles(
    molecule: &Molecule,
    radius: u32,
    kind: Invariants,
    flat: Option<&[Vec<u32>]>,
) -> Vec<Environment> {
    let n = molecule.atoms.len();
    let words = molecule.bonds.len().div_ceil(64).max(1);
    let mut current = invariants(molecule, kind);
    let mut all: Vec<Environment> = Vec::with_capacity(n * (1 + radius.min(3) as usize));
    all.extend(current.iter().enumerate().map(|(i, &code)| Environment { code, atom: i as u32, radius: 0 }));
    let mut next = current.clone();
    let mut dead: Vec<bool> = (0..n).map(|i| molecule.degree(i) == 0).collect();
    let (mut bonds, mut wider) = (vec![0u64; n * words], vec![0u64; n * words]);
    let mut seen = Seen { words, keys: Vec::new(), sets: Vec::new() };
    let mut around: Vec<(u32, u32)> = Vec::new();
    let mut round: Vec<(u32, u32)> = Vec::new();
    for layer in 0..radius {
        round.clear();
        // An atom that takes no further part has number 0 for its neighbours.
        next.fill(0);
        for i in (0..n).filter(|&i| !dead[i]) {
            around.clear();
            let own = &mut wider[i * words..(i + 1) * words];
            for to in molecule.neighbours(i) {
                own[to.bond as usize / 64] |= 1 << (to.bond % 64);
                let there = &bonds[to.atom as usize * words..(to.atom as usize + 1) * words];
                own.iter_mut().zip(there).for_each(|(a, b)| *a |= b);
                let order = molecule.bonds[to.bond as usize].order;
                let side =
                    flat.map_or(0, |flat| stereo::across(molecule, to.bond as usize, &flat[layer as usize]));
                around.push((bond_code(order) + 16 * side, current[to.atom as usize]));
            }
            around.sort_unstable();
            let start = combine(layer, current[i]);
            next[i] = around
                .iter()
                .fold(start, |hash, &(bond, atom)| combine(hash, combine(combine(0, bond), atom)));
            if let Some(flat) = flat {
                let side = stereo::around(molecule, i, &flat[layer as usize]);
                next[i] = if side == 0 { next[i] } else { combine(next[i], side) };
            }
            round.push((next[i], i as u32));
        }
        if round.is_empty() {
            break;
        }
        round.sort_unstable();
        for &(code, atom) in &round {
            let set = &wider[atom as usize * words..(atom as usize + 1) * words];
            match seen.insert(set) {
                true => all.push(Environment { code, atom, radius: layer + 1 }),
                false => dead[atom as usize] = true,
            }
        }
        current.copy_from_slice(&next);
        bonds.copy_from_slice(&wider);
    }
    all
}

/// The atoms within this many bonds of an atom, the nearest first.
pub fn ball(molecule: &Molecule, atom: u32, radius: u32) -> Vec<u32> {
    let mut seen = vec![false; molecule.atoms.len()];
    seen[atom as usize] = true;
    let (mut atoms, mut from) = (vec![atom], 0);
    for _ in 0..radius {
        let to = atoms.len();
        for at in from..to {
            for n in molecule.neighbours(atoms[at] as usize) {
                if !std::mem::replace(&mut seen[n.atom as usize], true) {
                    atoms.push(n.atom);
                }
            }
        }
        from = to;
    }
    atoms
}
