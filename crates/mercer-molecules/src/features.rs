//! Pharmacophore features of atoms: donor, acceptor, aromatic, halogen, basic, acidic.

use crate::molecule::{Molecule, Neighbour, Order};

/// The features of an atom, as Gobbi and Poppinger define them (Biotechnology and Bioengineering 61, 1998) and the
/// RDKit's FCFP uses them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pharmacophore(u8);

impl Pharmacophore {
    /// The names of the features, by bit.
    pub const NAMES: [&'static str; 6] = ["donor", "acceptor", "aromatic", "halogen", "basic", "acidic"];

    /// A bit for each feature: donor 1, acceptor 2, aromatic 4, halogen 8, basic 16, acidic 32.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// The names of the features joined with `+`, or `other`.
    pub fn name(self) -> String {
        let own = (0..6).filter(|bit| self.0 >> bit & 1 == 1).map(|bit| Self::NAMES[bit]);
        let text = own.collect::<Vec<_>>().join("+");
        if text.is_empty() { "other".into() } else { text }
    }
}

/// The features of every atom.
pub fn features(molecule: &Molecule) -> Vec<Pharmacophore> {
    let view = View(molecule);
    let of = |i: usize| {
        let bits = [
            view.donor(i),
            view.acceptor(i),
            molecule.atoms[i].aromatic,
            matches!(molecule.atoms[i].element, 9 | 17 | 35 | 53),
            view.basic(i),
            view.acidic(i),
        ];
        Pharmacophore(bits.iter().enumerate().map(|(at, &is)| u8::from(is) << at).sum())
    };
    (0..molecule.atoms.len()).map(of).collect()
}

struct View<'m>(&'m Molecule);

impl View<'_> {
    fn is(&self, i: usize, elements: &[u8], aromatic: bool) -> bool {
        let atom = &self.0.atoms[i];
        atom.aromatic == aromatic && elements.contains(&atom.element)
    }

    /// Hydrogens, those that are atoms included.
    fn hydrogens(&self, i: usize) -> usize {
        let atoms =
            self.0.neighbours(i).iter().filter(|n| self.0.atoms[n.atom as usize].element == 1).count();
        usize::from(self.0.atoms[i].hydrogens) + atoms
    }

    fn valence(&self, i: usize) -> u32 {
        self.0.bond_orders(i) + u32::from(self.0.atoms[i].hydrogens)
    }

    fn charge(&self, i: usize) -> i8 {
        self.0.atoms[i].charge
    }

    /// The atoms that bonds of this order lead to.
    fn by(&self, i: usize, order: Order) -> impl Iterator<Item = usize> + '_ {
        let of_order = move |n: &&Neighbour| self.0.bonds[n.bond as usize].order == order;
        self.0.neighbours(i).iter().filter(of_order).map(|n| n.atom as usize)
    }

    fn has_double_to(&self, i: usize, elements: &[u8]) -> bool {
        self.by(i, Order::Double).any(|j| self.is(j, elements, false))
    }

    /// A single bond to an atom with a double bond to O, N, P or S, as in amides and acids.
    fn next_to_double(&self, i: usize) -> bool {
        self.by(i, Order::Single).any(|j| {
            // The double bond leads to another atom than this one.
            self.by(j, Order::Double).any(|k| k != i && self.is(k, &[7, 8, 15, 16], false))
        })
    }

    fn donor(&self, i: usize) -> bool {
        let (hydrogens, charge) = (self.hydrogens(i), self.charge(i));
        self.is(i, &[7], false)
            && hydrogens > 0
            && (self.valence(i) == 3 || self.valence(i) == 4 && charge == 1)
            || self.is(i, &[8, 16], false) && hydrogens == 1 && charge == 0
            || self.is(i, &[7], true) && hydrogens == 1 && charge == 0
    }

    fn acceptor(&self, i: usize) -> bool {
        let (hydrogens, charge, valence) = (self.hydrogens(i), self.charge(i), self.valence(i));
        if self.is(i, &[8, 16], false) {
            return charge == -1
                || valence == 2 && hydrogens == 0
                || valence == 2 && hydrogens == 1 && !self.next_to_double(i);
        }
        if self.is(i, &[7], false) {
            return valence == 3 && !self.next_to_double(i);
        }
        if self.is(i, &[7], true) {
            return hydrogens == 0 && charge == 0;
        }
        let aromatic = |i: usize| self.by(i, Order::Aromatic);
        self.is(i, &[8, 16], true)
            && charge == 0
            && !aromatic(i).any(|j| self.is(j, &[7], true))
            && !aromatic(i)
                .any(|j| self.is(j, &[6], true) && aromatic(j).any(|k| k != i && self.is(k, &[7], true)))
    }

    /// An aliphatic carbon or an aromatic atom that carries no =O.
    fn plain(&self, j: usize) -> bool {
        let atom = &self.0.atoms[j];
        (atom.aromatic || atom.element == 6) && !self.has_double_to(j, &[8])
    }

    fn basic(&self, i: usize) -> bool {
        if self.0.atoms[i].element != 7 {
            return false;
        }
        if self.charge(i) == 1 {
            return true;
        }
        if self.charge(i) != 0 || self.0.atoms[i].aromatic {
            return false;
        }
        let single = || self.by(i, Order::Single);
        match self.hydrogens(i) {
            2 => single().any(|j| self.plain(j)),
            1 => single().filter(|&j| self.plain(j)).count() >= 2,
            0 => single().filter(|&j| self.plain(j) && !self.0.atoms[j].aromatic).count() >= 3,
            _ => false,
        }
    }

    fn acidic(&self, i: usize) -> bool {
        self.is(i, &[6, 16], false)
            && self.has_double_to(i, &[8, 15, 16])
            && self
                .by(i, Order::Single)
                .any(|j| self.is(j, &[8], false) && (self.hydrogens(j) == 1 || self.charge(j) == -1))
    }
}
