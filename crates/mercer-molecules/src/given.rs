//! Molecules from a table of atoms and bonds, as molfiles have it.

use std::collections::HashSet;

use crate::draft::{Draft, DraftAtom, DraftBond};
use crate::element::Element;
use crate::error::MoleculeError;
use crate::molecule::{Direction, MOST_ATOMS, Molecule, Order};
use crate::sanitize::sanitize;
use crate::valence::missing;

/// An atom as a table gives it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GivenAtom {
    /// The atomic number; 0 is a wildcard.
    pub element: u8,
    /// The formal charge.
    pub charge: i8,
    /// The mass number, or 0 if none is given.
    pub isotope: u16,
    /// The number of unpaired electrons.
    pub unpaired: u8,
    /// The sum of all bond orders, those to hydrogens included; without it, hydrogens fill the usual valence.
    pub valence: Option<u8>,
    /// The place of the atom, for errors.
    pub at: usize,
}

impl GivenAtom {
    /// An atom by its symbol, for wildcards also `A`, `Q`, `*`, `R`, `R#` and `R1` to `R99`; deuterium and tritium are
    /// `D` and `T`.
    ///
    /// ```
    /// use mercer_molecules::GivenAtom;
    /// assert_eq!(GivenAtom::from_symbol("Cl", 0).unwrap().element, 17);
    /// assert_eq!(GivenAtom::from_symbol("D", 0).unwrap().isotope, 2);
    /// assert!(GivenAtom::from_symbol("Xx", 0).is_err());
    /// ```
    pub fn from_symbol(symbol: &str, at: usize) -> Result<Self, MoleculeError> {
        let group =
            symbol.strip_prefix('R').is_some_and(|n| n == "#" || n.bytes().all(|b| b.is_ascii_digit()));
        let (element, isotope) = match symbol {
            "D" => (1, 2),
            "T" => (1, 3),
            "A" | "Q" | "*" => (0, 0),
            _ if group => (0, 0),
            _ => match Element::number(symbol) {
                Some(number) => (number, 0),
                None => {
                    let shown: String = symbol.chars().take(12).collect();
                    return Err(MoleculeError::new(at, format!("there is no element {shown:?}")));
                }
            },
        };
        Ok(GivenAtom { element, isotope, at, ..GivenAtom::default() })
    }
}

/// A bond as a table gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenBond {
    /// Its two atoms, by their place in the table.
    pub atoms: [u32; 2],
    /// Its order.
    pub order: Order,
    /// The place of the bond, for errors.
    pub at: usize,
}

impl Molecule {
    /// The molecule of a table of atoms and bonds, sanitised as one from SMILES. Atoms keep their order; hydrogens that
    /// are atoms of their own become counts. The text is a SMILES written from them, without stereochemistry.
    ///
    /// ```
    /// use mercer_molecules::{GivenAtom, GivenBond, Molecule, Order};
    /// let atoms = ["C", "O", "H"].map(|symbol| GivenAtom::from_symbol(symbol, 0).unwrap());
    /// let bond = |a, b, order| GivenBond { atoms: [a, b], order, at: 0 };
    /// let formaldehyde = Molecule::from_parts(&atoms, &[bond(0, 1, Order::Double), bond(0, 2, Order::Single)])?;
    /// assert_eq!(formaldehyde.text(), "C=O");
    /// # Ok::<(), mercer_molecules::MoleculeError>(())
    /// ```
    pub fn from_parts(atoms: &[GivenAtom], bonds: &[GivenBond]) -> Result<Molecule, MoleculeError> {
        if let Some(beyond) = atoms.get(MOST_ATOMS) {
            return Err(MoleculeError::new(beyond.at, format!("more than {MOST_ATOMS} atoms")));
        }
        let mut joined = HashSet::with_capacity(bonds.len());
        let mut orders = vec![0i32; atoms.len()];
        let mut aromatic = vec![false; atoms.len()];
        for bond in bonds {
            let [a, b] = bond.atoms;
            if [a, b].iter().any(|&end| end as usize >= atoms.len()) {
                return Err(MoleculeError::new(bond.at, "a bond to an atom that does not exist"));
            }
            if a == b {
                return Err(MoleculeError::new(bond.at, "a bond joins an atom with itself"));
            }
            if !joined.insert([a.min(b), a.max(b)]) {
                return Err(MoleculeError::new(bond.at, "a second bond between two atoms"));
            }
            for end in [a as usize, b as usize] {
                orders[end] += i32::from(bond.order.pairs());
                aromatic[end] |= bond.order == Order::Aromatic;
            }
        }
        let one = |(own, (orders, aromatic)): (&GivenAtom, (i32, bool))| {
            let mut atom = DraftAtom::new(own.element, own.at);
            (atom.charge, atom.isotope, atom.aromatic) = (own.charge, own.isotope, aromatic);
            let lacking = match own.valence {
                Some(valence) => Some(i32::from(valence) - orders),
                None if own.unpaired > 0 => {
                    let usual = missing(own.element, own.charge, orders, aromatic);
                    Some(i32::from(usual) - i32::from(own.unpaired))
                }
                None => None,
            };
            if let Some(hydrogens) = lacking {
                (atom.bracket, atom.stated) = (true, hydrogens.clamp(0, 20) as u8);
            }
            atom
        };
        let draft = Draft {
            atoms: atoms.iter().zip(orders.into_iter().zip(aromatic)).map(one).collect(),
            bonds: (bonds.iter())
                .map(|b| DraftBond { atoms: b.atoms, order: b.order, direction: Direction::None })
                .collect(),
        };
        let mut molecule = sanitize(draft, "")?;
        molecule.text = molecule.to_smiles();
        Ok(molecule)
    }
}
