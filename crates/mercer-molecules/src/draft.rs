//! A molecule as its text gives it, before sanitisation.

use crate::molecule::{Atom, Bond, Chirality, Direction, Order};

/// An atom as written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DraftAtom {
    pub(crate) element: u8,
    pub(crate) charge: i8,
    pub(crate) isotope: u16,
    /// The hydrogens that the text states.
    pub(crate) stated: u8,
    pub(crate) aromatic: bool,
    pub(crate) chirality: Chirality,
    pub(crate) bracket: bool,
    pub(crate) at: u32,
}

impl DraftAtom {
    /// An atom of which only the element is known.
    pub(crate) fn new(element: u8, at: usize) -> Self {
        DraftAtom {
            element,
            charge: 0,
            isotope: 0,
            stated: 0,
            aromatic: false,
            chirality: Chirality::None,
            bracket: false,
            at: at as u32,
        }
    }

    pub(crate) fn finish(&self, hydrogens: u8) -> Atom {
        Atom {
            element: self.element,
            charge: self.charge,
            isotope: self.isotope,
            hydrogens,
            radicals: 0,
            aromatic: false,
            in_ring: false,
            chirality: self.chirality,
            bracket: self.bracket,
            at: self.at,
        }
    }
}

/// A bond as written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DraftBond {
    pub(crate) atoms: [u32; 2],
    pub(crate) order: Order,
    pub(crate) direction: Direction,
}

impl DraftBond {
    pub(crate) fn finish(&self) -> Bond {
        let DraftBond { atoms, order, direction } = *self;
        Bond { atoms, order, kekule: order, direction, in_ring: false }
    }
}

/// Atoms and bonds as written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draft {
    pub(crate) atoms: Vec<DraftAtom>,
    pub(crate) bonds: Vec<DraftBond>,
}

impl Draft {
    /// The bonds of an atom, in the order of the table of bonds.
    pub(crate) fn bonds_of(&self, atom: u32) -> impl Iterator<Item = u32> + '_ {
        (0..self.bonds.len() as u32).filter(move |&b| self.bonds[b as usize].atoms.contains(&atom))
    }
}

impl Chirality {
    /// The same arrangement, seen with neighbours in an order that is reached by this many exchanges.
    #[must_use]
    pub(crate) fn after(self, exchanges: usize) -> Self {
        match (self, exchanges % 2) {
            (Chirality::Counterclockwise, 1) => Chirality::Clockwise,
            (Chirality::Clockwise, 1) => Chirality::Counterclockwise,
            (same, _) => same,
        }
    }
}

/// The number of exchanges of neighbours that sort a list, modulo 2; none if two entries are equal.
pub(crate) fn exchanges<T: Ord>(list: &[T]) -> Option<usize> {
    let mut count = 0;
    for (at, a) in list.iter().enumerate() {
        for b in &list[..at] {
            match b.cmp(a) {
                std::cmp::Ordering::Greater => count += 1,
                std::cmp::Ordering::Equal => return None,
                std::cmp::Ordering::Less => (),
            }
        }
    }
    Some(count)
}
