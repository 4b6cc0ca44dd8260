//! SMILES: one character after the other, without recursion, so that no text is too deep.
//!
//! D. Weininger, *SMILES, a chemical language and information system*, J. Chem. Inf. Comput. Sci. 28, 1988, with the
//! extensions of OpenSMILES.

use crate::draft::{Draft, DraftAtom, DraftBond, exchanges};
use crate::element::Element;
use crate::error::MoleculeError;
use crate::molecule::MOST_ATOMS;
use crate::molecule::{Chirality, Direction, Order};

type Result<T> = std::result::Result<T, MoleculeError>;

/// What stands between two atoms.
#[derive(Clone, Copy, Debug, Default)]
struct Link {
    order: Option<Order>,
    direction: Direction,
}

/// A ring bond whose other end is still to come.
#[derive(Clone, Copy, Debug)]
struct Open {
    number: u16,
    atom: u32,
    link: Link,
    /// The bond to complete, in the order of the text.
    bond: usize,
    at: usize,
}

struct Parser<'t> {
    text: &'t [u8],
    at: usize,
    draft: Draft,
    /// The atom that the next one is bonded to.
    last: Option<u32>,
    /// The bond symbol before the next atom, and where it stands.
    link: Option<(Link, usize)>,
    /// The atoms at which branches start, and where.
    branches: Vec<(u32, usize)>,
    open: Vec<Open>,
    /// The chiral atoms, ascending, each with whether an atom precedes it, and its bonds in the order of the text.
    chiral: Vec<(u32, bool, Vec<u32>)>,
}

/// The atoms and bonds of a SMILES.
pub(crate) fn parse(text: &str) -> Result<Draft> {
    let mut parser = Parser {
        text: text.as_bytes(),
        at: 0,
        draft: Draft::default(),
        last: None,
        link: None,
        branches: Vec::new(),
        open: Vec::new(),
        chiral: Vec::new(),
    };
    while let Some(&byte) = parser.text.get(parser.at) {
        parser.step(byte)?;
    }
    parser.end()
}

impl Parser<'_> {
    fn wrong<T>(&self, at: usize, reason: impl Into<String>) -> Result<T> {
        Err(MoleculeError::new(at, reason))
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn step(&mut self, byte: u8) -> Result<()> {
        let start = self.at;
        match byte {
            b'[' => return self.bracket(),
            b'(' => {
                self.at += 1;
                match (self.last, self.link) {
                    (_, Some((_, at))) => return self.wrong(at, "a bond before a branch instead of an atom"),
                    (Some(atom), None) => self.branches.push((atom, start)),
                    (None, None) => return self.wrong(start, "a branch without an atom before it"),
                }
                if self.peek(0) == b')' {
                    return self.wrong(start, "an empty branch");
                }
            }
            b')' => {
                self.at += 1;
                self.no_bond_left("a branch ends")?;
                match self.branches.pop() {
                    Some((atom, _)) => self.last = Some(atom),
                    None => return self.wrong(start, "a ) without its ("),
                }
            }
            b'.' => {
                self.at += 1;
                self.no_bond_left("a part ends")?;
                if self.last.take().is_none() {
                    return self.wrong(start, "a dot without an atom before it");
                }
            }
            b'-' | b'=' | b'#' | b'$' | b':' | b'/' | b'\\' => self.bond(byte)?,
            b'0'..=b'9' | b'%' => self.ring()?,
            b'~' | b'>' | b'<' => {
                return self
                    .wrong(start, "a kind of bond that is not supported: the bonds are - = # $ : / and \\");
            }
            b' ' | b'\t' => return self.wrong(start, "a space inside the SMILES"),
            _ => return self.organic(byte),
        }
        Ok(())
    }

    /// An atom without brackets.
    fn organic(&mut self, byte: u8) -> Result<()> {
        let start = self.at;
        let (element, aromatic, length) = match (byte, self.peek(1)) {
            (b'C', b'l') => (17, false, 2),
            (b'B', b'r') => (35, false, 2),
            (b'B', _) => (5, false, 1),
            (b'C', _) => (6, false, 1),
            (b'N', _) => (7, false, 1),
            (b'O', _) => (8, false, 1),
            (b'F', _) => (9, false, 1),
            (b'P', _) => (15, false, 1),
            (b'S', _) => (16, false, 1),
            (b'I', _) => (53, false, 1),
            (b'b', _) => (5, true, 1),
            (b'c', _) => (6, true, 1),
            (b'n', _) => (7, true, 1),
            (b'o', _) => (8, true, 1),
            (b'p', _) => (15, true, 1),
            (b's', _) => (16, true, 1),
            (b'*', _) => (0, false, 1),
            _ => {
                let shown = self.character(start);
                let name = byte.is_ascii_alphabetic();
                return self.wrong(
                    start,
                    match name {
                        true => {
                            format!("no atom {shown}: atoms besides B C N O P S F Cl Br I stand in brackets")
                        }
                        false => format!("the character {shown} does not occur in SMILES"),
                    },
                );
            }
        };
        self.at += length;
        self.add(DraftAtom { aromatic, ..DraftAtom::new(element, start) })
    }

    /// The character at a byte, quoted.
    fn character(&self, at: usize) -> String {
        let text = std::str::from_utf8(&self.text[at..]).unwrap_or_default();
        format!("{:?}", text.chars().next().unwrap_or('\u{fffd}'))
    }

    /// Adds an atom and its bond to the last one.
    fn add(&mut self, atom: DraftAtom) -> Result<()> {
        let number = self.draft.atoms.len();
        if number >= MOST_ATOMS {
            return self.wrong(atom.at as usize, format!("more than {MOST_ATOMS} atoms"));
        }
        let link = self.link.take();
        if atom.chirality != Chirality::None {
            self.chiral.push((number as u32, self.last.is_some(), Vec::with_capacity(4)));
        }
        match (self.last, link) {
            (Some(last), link) => {
                self.note(last);
                self.note(number as u32);
                let link = link.map(|(link, _)| link).unwrap_or_default();
                let order = link.order.unwrap_or_else(|| self.usual(last, atom.aromatic));
                let atoms = [last, number as u32];
                self.draft.bonds.push(DraftBond { atoms, order, direction: link.direction });
            }
            (None, Some((_, at))) => return self.wrong(at, "a bond without an atom before it"),
            (None, None) => (),
        }
        self.draft.atoms.push(atom);
        self.last = Some(number as u32);
        Ok(())
    }

    /// Notes that the next bond is one of this atom, if it is chiral.
    fn note(&mut self, atom: u32) {
        let bond = self.draft.bonds.len();
        self.note_bond(atom, bond);
    }

    fn note_bond(&mut self, atom: u32, bond: usize) {
        if let Ok(at) = self.chiral.binary_search_by_key(&atom, |(own, ..)| *own) {
            self.chiral[at].2.push(bond as u32);
        }
    }

    /// Makes the arrangement around each chiral atom one of its hydrogen or lone pair and its bonds in their order.
    fn arrange(&mut self) {
        for (atom, preceded, bonds) in std::mem::take(&mut self.chiral) {
            let own = &mut self.draft.atoms[atom as usize];
            // In the text, a hydrogen stands after the preceding atom. So does a lone pair, which the RDKit puts after
            // the first neighbour where no atom precedes.
            let mut order: Vec<u32> = bonds.iter().map(|b| b + 1).collect();
            match (order.len(), own.stated) {
                (3, 1) => order.insert(usize::from(preceded), 0),
                (3, 0) => order.insert(1, 0),
                (4, 0) => (),
                _ => order.clear(),
            }
            own.chirality = match (order.is_empty(), exchanges(&order)) {
                (false, Some(count)) => own.chirality.after(count),
                _ => Chirality::None,
            };
        }
    }

    /// The order of a bond without symbol.
    fn usual(&self, atom: u32, aromatic: bool) -> Order {
        match self.draft.atoms[atom as usize].aromatic && aromatic {
            true => Order::Aromatic,
            false => Order::Single,
        }
    }

    fn bond(&mut self, byte: u8) -> Result<()> {
        if self.link.is_some() {
            return self.wrong(self.at, "a second bond where an atom is expected");
        }
        if byte == b'-' && self.peek(1) == b'>' {
            return self.wrong(self.at, "a dative bond, which is not supported: write charges instead");
        }
        let link = match byte {
            b'-' => Link { order: Some(Order::Single), direction: Direction::None },
            b'=' => Link { order: Some(Order::Double), direction: Direction::None },
            b'#' => Link { order: Some(Order::Triple), direction: Direction::None },
            b'$' => Link { order: Some(Order::Quadruple), direction: Direction::None },
            b':' => Link { order: Some(Order::Aromatic), direction: Direction::None },
            b'/' => Link { order: None, direction: Direction::Up },
            _ => Link { order: None, direction: Direction::Down },
        };
        self.link = Some((link, self.at));
        self.at += 1;
        Ok(())
    }

    /// One end of a ring bond.
    fn ring(&mut self) -> Result<()> {
        let start = self.at;
        let number = self.ring_number()?;
        let Some(atom) = self.last else {
            return self.wrong(start, "a ring bond without an atom before it");
        };
        let link = self.link.take().map(|(link, _)| link).unwrap_or_default();
        let Some(place) = self.open.iter().position(|o| o.number == number) else {
            let bond = self.draft.bonds.len();
            self.note(atom);
            self.draft.bonds.push(DraftBond {
                atoms: [atom, u32::MAX],
                order: Order::Single,
                direction: Direction::None,
            });
            self.open.push(Open { number, atom, link, bond, at: start });
            return Ok(());
        };
        let open = self.open.swap_remove(place);
        if open.atom == atom {
            return self.wrong(start, format!("ring bond {number} joins an atom with itself"));
        }
        let order = match (open.link.order, link.order) {
            (Some(a), Some(b)) if a != b => {
                return self
                    .wrong(start, format!("the two ends of ring bond {number} have different orders"));
            }
            (Some(order), _) | (None, Some(order)) => order,
            (None, None) => {
                let aromatic = self.draft.atoms[atom as usize].aromatic;
                self.usual(open.atom, aromatic)
            }
        };
        let joined = |b: &DraftBond| b.atoms == [open.atom, atom] || b.atoms == [atom, open.atom];
        if self.draft.bonds.iter().any(joined) {
            return self.wrong(start, format!("ring bond {number} joins two atoms that are bonded already"));
        }
        // The direction belongs to the bond as seen from its first atom.
        let direction = match (open.link.direction, link.direction) {
            (Direction::None, Direction::Up) => Direction::Down,
            (Direction::None, Direction::Down) => Direction::Up,
            (first, _) => first,
        };
        self.note_bond(atom, open.bond);
        self.draft.bonds[open.bond] = DraftBond { atoms: [open.atom, atom], order, direction };
        Ok(())
    }

    fn ring_number(&mut self) -> Result<u16> {
        let start = self.at;
        let digit = |byte: u8| byte.is_ascii_digit().then(|| u16::from(byte - b'0'));
        self.at += 1;
        if let Some(number) = digit(self.text[start]) {
            return Ok(number);
        }
        if self.peek(0) == b'(' {
            let (mut number, mut digits) = (0u16, 0);
            self.at += 1;
            while let Some(next) = digit(self.peek(0)) {
                number = number.saturating_mul(10).saturating_add(next);
                digits += 1;
                self.at += 1;
            }
            if !(1..=4).contains(&digits) || self.peek(0) != b')' {
                return self.wrong(start, "%( must be followed by up to four digits and )");
            }
            self.at += 1;
            return Ok(number);
        }
        match (digit(self.peek(0)), digit(self.peek(1))) {
            (Some(tens), Some(ones)) => {
                self.at += 2;
                Ok(10 * tens + ones)
            }
            _ => self.wrong(start, "% must be followed by two digits"),
        }
    }

    /// An atom in brackets.
    fn bracket(&mut self) -> Result<()> {
        let start = self.at;
        self.at += 1;
        let mut atom = DraftAtom { bracket: true, ..DraftAtom::new(0, start) };
        if let Some(isotope) = self.digits() {
            atom.isotope = match u16::try_from(isotope) {
                Ok(isotope) => isotope,
                Err(_) => return self.wrong(start + 1, "an isotope beyond 65535"),
            };
        }
        (atom.element, atom.aromatic) = self.symbol()?;
        if self.peek(0) == b'@' {
            self.at += 1;
            atom.chirality = Chirality::Counterclockwise;
            if self.peek(0) == b'@' {
                self.at += 1;
                atom.chirality = Chirality::Clockwise;
            } else if self.peek(0).is_ascii_uppercase() && self.peek(1).is_ascii_uppercase() {
                // @TH1, @AL2, @SP3, @TB4, @OH5: the arrangement is read; only tetrahedral ones are kept.
                let tetrahedral = (self.peek(0), self.peek(1)) == (b'T', b'H');
                self.at += 2;
                let number = self.digits();
                atom.chirality = match (tetrahedral, number) {
                    (true, Some(1)) => Chirality::Counterclockwise,
                    (true, Some(2)) => Chirality::Clockwise,
                    _ => Chirality::None,
                };
            }
        }
        if self.peek(0) == b'H' {
            self.at += 1;
            let place = self.at;
            let count = self.digits().unwrap_or(1);
            if count > 20 {
                return self.wrong(place, "more than 20 hydrogens on an atom");
            }
            atom.stated = count as u8;
        }
        atom.charge = self.charge()?;
        if self.peek(0) == b':' {
            self.at += 1;
            if self.digits().is_none() {
                return self.wrong(self.at, "a number is expected after : in brackets");
            }
        }
        if self.peek(0) != b']' {
            let at = self.at.min(self.text.len());
            return match at == self.text.len() {
                true => self.wrong(start, "a [ without its ]"),
                false => {
                    let shown = self.character(at);
                    self.wrong(at, format!("{shown} is not expected in this bracket atom"))
                }
            };
        }
        self.at += 1;
        self.add(atom)
    }

    fn digits(&mut self) -> Option<u32> {
        let start = self.at;
        let mut number = 0u32;
        while self.peek(0).is_ascii_digit() {
            number = number.saturating_mul(10).saturating_add(u32::from(self.peek(0) - b'0'));
            self.at += 1;
        }
        (self.at > start).then_some(number)
    }

    /// The symbol of an element in brackets, and whether it is aromatic.
    fn symbol(&mut self) -> Result<(u8, bool)> {
        let start = self.at;
        let (first, second) = (self.peek(0), self.peek(1));
        if first == b'*' {
            self.at += 1;
            return Ok((0, false));
        }
        if first == b'#' {
            self.at += 1;
            return match self.digits() {
                Some(number) if number <= 118 => Ok((number as u8, false)),
                _ => self.wrong(start, "a # in brackets is followed by an atomic number up to 118"),
            };
        }
        let aromatic = first.is_ascii_lowercase();
        let element = |bytes: &[u8]| std::str::from_utf8(bytes).ok().and_then(Element::number);
        let upper = first.to_ascii_uppercase();
        let both = if second.is_ascii_lowercase() { element(&[upper, second]) } else { None };
        let found = match both {
            // Of aromatic symbols with two characters only these exist.
            Some(number) if !aromatic || matches!(number, 14 | 33 | 34 | 52) => Some((number, 2)),
            _ => element(&[upper]).map(|number| (number, 1)),
        };
        match found {
            Some((number, length))
                if !aromatic || matches!(number, 5 | 6 | 7 | 8 | 14 | 15 | 16 | 33 | 34 | 52) =>
            {
                self.at += length;
                Ok((number, aromatic))
            }
            _ if self.at >= self.text.len() => self.wrong(start - 1, "a [ without its ]"),
            _ => {
                let shown: String = [first, second]
                    .iter()
                    .filter(|b| b.is_ascii_alphabetic())
                    .map(|&b| char::from(b))
                    .collect();
                let shown = if shown.is_empty() { self.character(start) } else { shown };
                self.wrong(start, format!("there is no element {shown}"))
            }
        }
    }

    fn charge(&mut self) -> Result<i8> {
        let start = self.at;
        let sign = match self.peek(0) {
            b'+' => 1,
            b'-' => -1,
            _ => return Ok(0),
        };
        let symbol = self.peek(0);
        self.at += 1;
        let mut size = 1;
        if let Some(number) = self.digits() {
            size = number.min(100) as i32;
        } else {
            while self.peek(0) == symbol {
                self.at += 1;
                size += 1;
            }
        }
        if size > 15 {
            return self.wrong(start, "a charge beyond 15");
        }
        Ok((sign * size) as i8)
    }

    fn no_bond_left(&self, what: &str) -> Result<()> {
        match self.link {
            Some((_, at)) => self.wrong(at, format!("{what} where this bond needs an atom")),
            None => Ok(()),
        }
    }

    fn end(mut self) -> Result<Draft> {
        self.no_bond_left("the SMILES ends")?;
        if let Some((_, at)) = self.branches.last() {
            return self.wrong(*at, "a ( without its )");
        }
        if let Some(open) = self.open.iter().min_by_key(|o| o.at) {
            return self.wrong(open.at, format!("ring bond {} is never closed", open.number));
        }
        if self.draft.atoms.is_empty() {
            return self.wrong(0, "no atoms");
        }
        if self.last.is_none() {
            return self.wrong(self.text.len() - 1, "a dot without an atom after it");
        }
        self.arrange();
        Ok(std::mem::take(&mut self.draft))
    }
}
