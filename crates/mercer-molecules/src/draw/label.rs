//! Labels of atoms: isotope, symbol, hydrogens, charge, radical electrons.

use crate::layout::Point;
use crate::molecule::Molecule;

/// The size of symbols, in bond lengths.
const SIZE: f64 = 0.5;
/// The size of counts and charges.
const SMALL: f64 = 0.34;

/// A piece of text, centred below its position.
pub(super) struct Piece {
    pub(super) text: String,
    /// The middle of its base line, relative to the atom.
    pub(super) at: Point,
    pub(super) size: f64,
}

/// The label of an atom, in pieces.
pub(super) struct Label {
    pieces: Vec<Piece>,
    /// How far it reaches to the left and to the right.
    left: f64,
    right: f64,
}

/// The width of a text in a sans-serif font, as a share of its size.
fn width(text: &str) -> f64 {
    let one = |c: char| match c {
        'i' | 'l' | 'I' | 'f' | 't' | 'r' => 0.34,
        'm' | 'M' | 'W' => 0.86,
        c if c.is_ascii_uppercase() => 0.72,
        _ => 0.56,
    };
    text.chars().map(one).sum()
}

impl Label {
    /// The label of an atom; carbon atoms of chains and rings have none.
    pub(super) fn of(molecule: &Molecule, i: usize, at: &[Point]) -> Option<Label> {
        let atom = &molecule.atoms[i];
        let around = molecule.neighbours(i);
        let plain = atom.charge == 0 && atom.isotope == 0 && atom.radicals == 0;
        // A carbon in the middle of a straight line would not be seen.
        let straight = around.len() == 2 && {
            let way = |k: usize| (at[around[k].atom as usize] - at[i]).unit();
            way(0).dot(way(1)) < -0.98 && {
                let order = |k: usize| molecule.bonds[around[k].bond as usize].kekule;
                order(0) == order(1)
            }
        };
        if atom.element == 6 && plain && !around.is_empty() && !straight {
            return None;
        }
        let symbol = molecule.symbol(i).to_owned();
        let half = width(&symbol) * SIZE / 2.0;
        let base = 0.36 * SIZE;
        let mut label = Label { pieces: Vec::new(), left: half, right: half };
        label.pieces.push(Piece { text: symbol, at: Point::new(0.0, base), size: SIZE });
        if atom.isotope > 0 {
            label.put_left(&atom.isotope.to_string(), base - 0.5 * SIZE, SMALL);
        }
        // Hydrogens stand on the free side, on the right if both are.
        let (mut left, mut right) = (0.0, 0.0);
        for n in around {
            let way = (at[n.atom as usize] - at[i]).unit().x;
            left += f64::max(-way, 0.0);
            right += f64::max(way, 0.0);
        }
        // Alone, water is H2O and ammonia NH3.
        let on_left = match around.is_empty() {
            true => matches!(atom.element, 8 | 9 | 16 | 17 | 34 | 35 | 52 | 53) && atom.charge == 0,
            false => right > left + 0.1,
        };
        match atom.hydrogens {
            0 => {}
            count => {
                let number = if count > 1 { count.to_string() } else { String::new() };
                if on_left {
                    if count > 1 {
                        label.put_left(&number, base + 0.12, SMALL);
                    }
                    label.put_left("H", base, SIZE);
                } else {
                    label.put_right("H", base, SIZE);
                    if count > 1 {
                        label.put_right(&number, base + 0.12, SMALL);
                    }
                }
            }
        }
        let mut above = String::new();
        match atom.charge.unsigned_abs() {
            0 => {}
            1 => above.push(if atom.charge > 0 { '+' } else { '−' }),
            many => above = format!("{many}{}", if atom.charge > 0 { '+' } else { '−' }),
        }
        (0..atom.radicals.min(4)).for_each(|_| above.push('•'));
        if !above.is_empty() {
            label.put_right(&above, base - 0.5 * SIZE, SMALL);
        }
        Some(label)
    }

    fn put_right(&mut self, text: &str, y: f64, size: f64) {
        let own = width(text) * size;
        self.pieces.push(Piece { text: text.to_owned(), at: Point::new(self.right + own / 2.0, y), size });
        self.right += own;
    }

    fn put_left(&mut self, text: &str, y: f64, size: f64) {
        let own = width(text) * size;
        self.pieces.push(Piece { text: text.to_owned(), at: Point::new(-self.left - own / 2.0, y), size });
        self.left += own;
    }

    pub(super) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// How far it reaches to either side.
    pub(super) fn reach(&self) -> f64 {
        self.left.max(self.right) + 0.1
    }

    /// Where a bond that leaves in a direction comes out of the label.
    pub(super) fn cut(&self, way: Point) -> f64 {
        let side = if way.x < 0.0 { self.left } else { self.right } + 0.06;
        let (across, up) = (side / way.x.abs().max(1e-9), (0.5 * SIZE + 0.03) / way.y.abs().max(1e-9));
        across.min(up).min(0.75)
    }
}
