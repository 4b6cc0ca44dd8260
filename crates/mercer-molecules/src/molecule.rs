//! Molecules as atoms and bonds, after sanitisation.

use std::fmt;

use crate::element::Element;

/// The most atoms of a molecule.
pub const MOST_ATOMS: usize = 16_384;

/// An atom. Hydrogens that the text does not write as atoms of their own are counted by their neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Atom {
    /// The atomic number; 0 is the wildcard `*`.
    pub element: u8,
    /// The formal charge.
    pub charge: i8,
    /// The mass number, or 0 if the text gives none.
    pub isotope: u16,
    /// The number of hydrogens that are not atoms of the molecule.
    pub hydrogens: u8,
    /// The number of unpaired electrons.
    pub radicals: u8,
    /// Whether the atom is aromatic.
    pub aromatic: bool,
    /// Whether the atom is in a ring.
    pub in_ring: bool,
    /// The order around it of its hydrogen, if one is counted, and its neighbours as [`Molecule::neighbours`] has them.
    pub chirality: Chirality,
    /// Whether the text states the number of hydrogens, as bracket atoms do.
    pub bracket: bool,
    /// Where the atom stands in the text: its first byte.
    pub at: u32,
}

/// The order of the neighbours of an atom, seen from the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Chirality {
    /// Not given.
    #[default]
    None,
    /// `@`
    Counterclockwise,
    /// `@@`
    Clockwise,
}

/// The order of a bond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Order {
    /// One pair of electrons.
    Single,
    /// Two pairs.
    Double,
    /// Three pairs.
    Triple,
    /// Four pairs.
    Quadruple,
    /// Part of an aromatic ring.
    Aromatic,
}

impl Order {
    /// The number of pairs of electrons; an aromatic bond counts 1.
    pub fn pairs(self) -> u8 {
        match self {
            Order::Single | Order::Aromatic => 1,
            Order::Double => 2,
            Order::Triple => 3,
            Order::Quadruple => 4,
        }
    }

    /// The name of the order.
    pub fn name(self) -> &'static str {
        match self {
            Order::Single => "single",
            Order::Double => "double",
            Order::Triple => "triple",
            Order::Quadruple => "quadruple",
            Order::Aromatic => "aromatic",
        }
    }
}

/// The direction of a single bond next to a double bond, from its first atom to its second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Not given.
    #[default]
    None,
    /// `/`
    Up,
    /// `\`
    Down,
}

/// A bond between two atoms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bond {
    /// The two atoms, in the order of the text.
    pub atoms: [u32; 2],
    /// Its order; [`Order::Aromatic`] in aromatic rings.
    pub order: Order,
    /// Its order in one Kekulé structure, never [`Order::Aromatic`].
    pub kekule: Order,
    /// Its direction next to a double bond.
    pub direction: Direction,
    /// Whether it is part of a ring.
    pub in_ring: bool,
}

impl Bond {
    /// The atom at the other end.
    pub fn other(&self, atom: usize) -> usize {
        let [a, b] = self.atoms;
        (if a as usize == atom { b } else { a }) as usize
    }
}

/// A molecule: atoms, bonds, and the text that it was read from.
///
/// It is sanitised as the RDKit does it: valences are checked, missing hydrogens counted, rings found, and aromaticity
/// is perceived by the RDKit's rules, whatever form the text uses.
///
/// ```
/// use mercer_molecules::Molecule;
/// let phenol: Molecule = "OC1=CC=CC=C1".parse()?;
/// assert_eq!((phenol.atoms().len(), phenol.atoms()[1].aromatic), (7, true));
/// assert_eq!(phenol.canonical(), "c1ccccc1O".parse::<Molecule>()?.canonical());
/// assert_eq!("C1CC".parse::<Molecule>().unwrap_err().at, 1);
/// # Ok::<(), mercer_molecules::MoleculeError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Molecule {
    pub(crate) text: String,
    pub(crate) atoms: Vec<Atom>,
    pub(crate) bonds: Vec<Bond>,
    /// Where the neighbours of each atom start in `around`, and the end of the last.
    pub(crate) starts: Vec<u32>,
    /// The bonds of each atom with the atom at their other end, in the order of the text.
    pub(crate) around: Vec<Neighbour>,
}

/// A bond of an atom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Neighbour {
    /// The atom at the other end.
    pub atom: u32,
    /// The bond.
    pub bond: u32,
}

impl Molecule {
    /// A molecule from parts whose bonds name existing atoms.
    pub(crate) fn assemble(text: String, atoms: Vec<Atom>, bonds: Vec<Bond>) -> Self {
        let mut starts = vec![0u32; atoms.len() + 2];
        for atom in bonds.iter().flat_map(|b| b.atoms) {
            starts[atom as usize + 2] += 1;
        }
        for i in 2..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut around = vec![Neighbour { atom: 0, bond: 0 }; 2 * bonds.len()];
        for (number, bond) in bonds.iter().enumerate() {
            let [a, b] = bond.atoms;
            for (own, other) in [(a, b), (b, a)] {
                let at = &mut starts[own as usize + 1];
                around[*at as usize] = Neighbour { atom: other, bond: number as u32 };
                *at += 1;
            }
        }
        starts.pop();
        Molecule { text, atoms, bonds, starts, around }
    }

    /// The text that it was read from, or one that reads as the same molecule.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The atoms.
    pub fn atoms(&self) -> &[Atom] {
        &self.atoms
    }

    /// The bonds.
    pub fn bonds(&self) -> &[Bond] {
        &self.bonds
    }

    /// Whether it has no atoms, as a missing molecule does.
    pub fn is_empty(&self) -> bool {
        self.atoms.is_empty()
    }

    /// The bonds of an atom and the atoms at their other ends.
    pub fn neighbours(&self, atom: usize) -> &[Neighbour] {
        &self.around[self.starts[atom] as usize..self.starts[atom + 1] as usize]
    }

    /// The number of bonds of an atom.
    pub fn degree(&self, atom: usize) -> usize {
        self.neighbours(atom).len()
    }

    /// The sum of the orders of an atom's bonds in a Kekulé structure.
    pub fn bond_orders(&self, atom: usize) -> u32 {
        let order = |n: &Neighbour| u32::from(self.bonds[n.bond as usize].kekule.pairs());
        self.neighbours(atom).iter().map(order).sum()
    }

    /// The symbol of an atom's element.
    pub fn symbol(&self, atom: usize) -> &'static str {
        Element::of(self.atoms[atom].element).symbol
    }

    /// The atoms of each connected part, each in ascending order.
    ///
    /// ```
    /// let salt: mercer_molecules::Molecule = "[Na+].OC=O".parse()?;
    /// assert_eq!(salt.fragments(), [vec![0], vec![1, 2, 3]]);
    /// # Ok::<(), mercer_molecules::MoleculeError>(())
    /// ```
    pub fn fragments(&self) -> Vec<Vec<u32>> {
        let mut seen = vec![false; self.atoms.len()];
        let mut all = Vec::new();
        for first in 0..self.atoms.len() {
            if seen[first] {
                continue;
            }
            seen[first] = true;
            let (mut own, mut next) = (vec![first as u32], 0);
            while let Some(&atom) = own.get(next) {
                next += 1;
                for n in self.neighbours(atom as usize) {
                    if !std::mem::replace(&mut seen[n.atom as usize], true) {
                        own.push(n.atom);
                    }
                }
            }
            own.sort_unstable();
            all.push(own);
        }
        all
    }

    /// The largest connected part: most heavy atoms, then the heaviest, then the first. A molecule of one part is
    /// returned as it is.
    pub fn largest_fragment(&self) -> Molecule {
        let fragments = self.fragments();
        if fragments.len() < 2 {
            return self.clone();
        }
        let size = |own: &[u32]| {
            let heavy = own.iter().filter(|&&a| self.atoms[a as usize].element > 1).count();
            let weight: f64 = own.iter().map(|&a| Element::of(self.atoms[a as usize].element).weight).sum();
            (heavy, weight)
        };
        let mut best = 0;
        for (at, own) in fragments.iter().enumerate() {
            let (new, old) = (size(own), size(&fragments[best]));
            if new.0 > old.0 || new.0 == old.0 && new.1 > old.1 {
                best = at;
            }
        }
        // A part of the text keeps its stereochemistry.
        let pieces: Vec<&str> = self.text.split('.').collect();
        match pieces
            .get(best)
            .filter(|_| pieces.len() == fragments.len())
            .map(|piece| piece.parse::<Molecule>())
        {
            Some(Ok(part)) if part.atoms.len() == fragments[best].len() => part,
            _ => self.part(&fragments[best]),
        }
    }

    /// The atoms in ascending order with the bonds between them. Its text is written anew.
    pub(crate) fn part(&self, own: &[u32]) -> Molecule {
        let mut number = vec![u32::MAX; self.atoms.len()];
        own.iter().enumerate().for_each(|(at, &atom)| number[atom as usize] = at as u32);
        // The text that is written has no stereochemistry.
        let plain = |&a: &u32| Atom { chirality: Chirality::None, ..self.atoms[a as usize] };
        let atoms = own.iter().map(plain).collect();
        let inside = |b: &&Bond| b.atoms.iter().all(|&a| number[a as usize] != u32::MAX);
        let renumbered =
            |b: &Bond| Bond { atoms: b.atoms.map(|a| number[a as usize]), direction: Direction::None, ..*b };
        let bonds = self.bonds.iter().filter(inside).map(renumbered).collect();
        let mut part = Molecule::assemble(String::new(), atoms, bonds);
        part.text = part.to_smiles();
        part
    }
}

impl fmt::Display for Molecule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
