//! Atoms and bonds of a molfile as a molecule: charges, isotopes, radicals, valences.

use mercer_molecules::{Element, GivenAtom, GivenBond, MoleculeError, Order};

use crate::data::Molecule;

/// The atoms and bonds of one molecule so far. Places of errors are offsets from its first line.
#[derive(Default)]
pub(super) struct Ctab {
    atoms: Vec<GivenAtom>,
    /// The type of each bond, and its place.
    bonds: Vec<(u32, usize)>,
    /// The first thing that is wrong.
    fault: Option<MoleculeError>,
    /// Whether a property line has replaced the charges and radicals of the atom lines.
    replaced: bool,
}

/// What a molfile says about an atom besides its symbol.
#[derive(Clone, Copy)]
pub(super) enum Fact {
    Charge(i32),
    /// 1 singlet, 2 doublet, 3 triplet.
    Radical(i32),
    Isotope(i32),
    /// The valence; 15 or -1 for none.
    Valence(i32),
}

impl Ctab {
    /// Adds an atom.
    pub(super) fn atom(&mut self, symbol: &str, at: usize) {
        let atom = GivenAtom::from_symbol(symbol, at).unwrap_or_else(|error| {
            self.fault.get_or_insert(error);
            GivenAtom { at, ..GivenAtom::default() }
        });
        self.atoms.push(atom);
    }

    /// Adds a bond; its atoms are given in the end.
    pub(super) fn bond(&mut self, kind: u32, at: usize) {
        self.bonds.push((kind, at));
    }

    /// Adds what V2000 writes after the symbol of the last atom, in columns of fixed width or as words: the difference of
    /// mass, the code of the charge, three others, the valence.
    pub(super) fn columns(&mut self, after: &str) {
        let words: Vec<i32> = match after.get(2..) {
            // dd, then fields of three columns.
            Some(rest) if is_columns(after) => {
                let field = |text: &str| text.trim().parse().unwrap_or(0);
                let fields = (0..5).map(|i| rest.get(3 * i..3 * i + 3).map_or(0, field));
                std::iter::once(field(&after[..2])).chain(fields).collect()
            }
            _ => after.split_ascii_whitespace().map(|word| word.parse().unwrap_or(0)).collect(),
        };
        let of = |i: usize| words.get(i).copied().unwrap_or(0);
        let Some(atom) = self.atoms.last() else { return };
        let last = self.atoms.len() - 1;
        if of(0) != 0 && atom.element > 0 {
            // The most common isotope of bromine is not next to its weight.
            let common = if atom.element == 35 { 79.0 } else { Element::of(atom.element).weight.round() };
            self.set(last, Fact::Isotope(common as i32 + of(0)));
        }
        match of(1) {
            4 => self.set(last, Fact::Radical(2)),
            code @ 1..=7 => self.set(last, Fact::Charge(4 - code)),
            _ => (),
        }
        if of(5) != 0 {
            self.set(last, Fact::Valence(of(5)));
        }
    }

    /// Sets what is known of an atom, by its place from 0.
    pub(super) fn set(&mut self, atom: usize, fact: Fact) {
        let Some(own) = self.atoms.get_mut(atom) else {
            let at = self.atoms.last().map_or(0, |a| a.at);
            self.fault.get_or_insert(wrong(at, "a property of an atom that does not exist".into()));
            return;
        };
        let refused = match fact {
            Fact::Charge(charge) if charge.abs() > 15 => Some(format!("a charge of {charge}, beyond 15")),
            Fact::Isotope(mass) if !(0..=400).contains(&mass) => Some(format!("no isotope has mass {mass}")),
            Fact::Radical(kind) if !(0..=3).contains(&kind) => Some(format!("{kind} is no kind of radical")),
            Fact::Valence(v) if !(-1..=15).contains(&v) => Some(format!("a valence of {v}")),
            _ => None,
        };
        if let Some(reason) = refused {
            self.fault.get_or_insert(wrong(own.at, reason));
            return;
        }
        match fact {
            Fact::Charge(charge) => own.charge = charge as i8,
            Fact::Isotope(mass) => own.isotope = mass as u16,
            Fact::Radical(kind) => own.unpaired = [0, 2, 1, 2][kind as usize],
            Fact::Valence(0) => own.valence = None,
            Fact::Valence(valence) => {
                own.valence = Some(if valence == 15 { 0 } else { valence.max(0) as u8 })
            }
        }
    }

    /// Reads a property line of V2000: `M  CHG  1   3   1`. Other properties say nothing about atoms and bonds.
    pub(super) fn property(&mut self, line: &str) {
        let Some(kind) = line.strip_prefix("M  ").and_then(|rest| rest.get(..3)) else { return };
        let fact: fn(i32) -> Fact = match kind {
            "CHG" => Fact::Charge,
            "RAD" => Fact::Radical,
            "ISO" => Fact::Isotope,
            _ => return,
        };
        if kind != "ISO" && !std::mem::replace(&mut self.replaced, true) {
            self.atoms.iter_mut().for_each(|a| (a.charge, a.unpaired) = (0, 0));
        }
        let mut numbers = line[6..].split_ascii_whitespace().skip(1).map(|word| word.parse::<i32>());
        while let (Some(Ok(atom)), Some(Ok(value))) = (numbers.next(), numbers.next()) {
            self.set(usize::try_from(atom - 1).unwrap_or(usize::MAX), fact(value));
        }
    }

    /// The molecule; `pairs` are the atoms of the bonds.
    pub(super) fn molecule(self, pairs: &[(u32, u32)]) -> Result<Molecule, MoleculeError> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let mut bonds = Vec::with_capacity(pairs.len());
        for (&(a, b), (kind, at)) in pairs.iter().zip(self.bonds) {
            let order = match kind {
                1 => Order::Single,
                2 => Order::Double,
                3 => Order::Triple,
                4 => Order::Aromatic,
                5..=8 => return Err(wrong(at, format!("bond type {kind} is a query, not a bond"))),
                9 => {
                    let reason = "a coordination bond, which is not supported: write charges instead";
                    return Err(wrong(at, reason.into()));
                }
                _ => return Err(wrong(at, format!("there is no bond type {kind}"))),
            };
            bonds.push(GivenBond { atoms: [a, b], order, at });
        }
        Molecule::from_parts(&self.atoms, &bonds)
    }
}

/// Whether the fields after a symbol are in columns: two, then three each, none of them across a border.
fn is_columns(after: &str) -> bool {
    let bytes = after.as_bytes();
    let ends = |at: usize| bytes.get(at).is_none_or(|b| *b != b' ');
    // The last column of each field is its last digit.
    bytes.is_ascii() && bytes.len() >= 2 && ends(1) && (4..bytes.len().min(17)).step_by(3).all(ends)
}

fn wrong(at: usize, reason: String) -> MoleculeError {
    MoleculeError { at, reason }
}
