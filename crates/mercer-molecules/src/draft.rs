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
