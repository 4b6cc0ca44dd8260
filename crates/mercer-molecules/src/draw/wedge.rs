//! Wedges: bonds that leave the plane, at atoms whose arrangement the text gives.

use std::f64::consts::PI;

use crate::layout::Point;
use crate::molecule::{Chirality, Molecule, Order};

/// A bond that leaves the plane: from an atom in the plane to one before or behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wedge {
    /// The bond.
    pub bond: u32,
    /// The atom in the plane, at the narrow end.
    pub from: u32,
    /// Whether the other atom is before the plane: a filled wedge. A hashed one otherwise.
    pub up: bool,
}

impl Molecule {
    /// For each atom with an arrangement of four neighbours, a bond that shows it at these positions. A hydrogen without an
    /// atom of its own lies on the other side of the plane than the bond.
    ///
    /// Atoms outside of rings with two neighbours that cannot be told apart have none, and so have atoms whose bonds at these
    /// positions would be ambiguous. Bonds to other such atoms and bonds of rings are avoided.
    ///
    /// ```
    /// let alanine: mercer_molecules::Molecule = "N[C@@H](C)C(=O)O".parse()?;
    /// let at = alanine.layout().unwrap();
    /// let found = alanine.wedges(&at);
    /// assert_eq!((found.len(), found[0].from), (1, 1));
    /// // Its mirror image has the other one.
    /// let other: mercer_molecules::Molecule = "N[C@H](C)C(=O)O".parse()?;
    /// assert_ne!(other.wedges(&at)[0].up, found[0].up);
    /// # Ok::<(), mercer_molecules::MoleculeError>(())
    /// ```
    ///
    /// J. Brecher, *Graphical representation of stereochemical configuration*, Pure Appl. Chem. 78, 2006.
    pub fn wedges(&self, at: &[Point]) -> Vec<Wedge> {
        let mut out: Vec<Wedge> = Vec::new();
        if self.atoms.iter().all(|atom| atom.chirality == Chirality::None) || at.len() != self.atoms.len() {
            return out;
        }
        let classes = self.classes();
        for atom in 0..self.atoms.len() {
            if self.atoms[atom].chirality == Chirality::None || self.looks_alike(atom, &classes) {
                continue;
            }
            let free = |bond: u32| out.iter().all(|w| w.bond != bond);
            let shown = self.choices(atom, &free).into_iter().find_map(|k| {
                let up = self.is_up(atom, k, at)?;
                Some(Wedge { bond: self.neighbours(atom)[k].bond, from: atom as u32, up })
            });
            out.extend(shown);
        }
        out
    }

    /// Whether two neighbours of an atom outside of rings cannot be told apart.
    fn looks_alike(&self, atom: usize, classes: &[u32]) -> bool {
        let mut own: Vec<u32> = self.neighbours(atom).iter().map(|n| classes[n.atom as usize]).collect();
        own.sort_unstable();
        !self.atoms[atom].in_ring && own.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// The neighbours of an atom by which its arrangement can be shown, the most readable first.
    fn choices(&self, atom: usize, free: &dyn Fn(u32) -> bool) -> Vec<usize> {
        let neighbours = self.neighbours(atom);
        let mut all: Vec<usize> = (0..neighbours.len())
            .filter(|&k| {
                let bond = neighbours[k].bond;
                self.bonds[bond as usize].kekule == Order::Single && free(bond)
            })
            .collect();
        all.sort_by_key(|&k| {
            let (to, bond) = (neighbours[k].atom as usize, &self.bonds[neighbours[k].bond as usize]);
            (self.atoms[to].chirality != Chirality::None, bond.in_ring, self.degree(to), k)
        });
        all
    }

    /// Whether the k-th neighbour of an atom is before the plane while its other neighbours are in it; none if the positions
    /// do not show it.
    fn is_up(&self, atom: usize, k: usize, at: &[Point]) -> Option<bool> {
        let chirality = self.atoms[atom].chirality;
        let ways: Vec<Point> =
            self.neighbours(atom).iter().map(|n| (at[n.atom as usize] - at[atom]).unit()).collect();
        let (three, seen) = match ways.as_slice() {
            // The hydrogen, which the arrangement is seen from, is behind the plane: the viewer sees the mirror image.
            [a, b, c] if widest(&ways) < PI - 0.05 => ([*a, *b, *c], chirality.after(1)),
            [_, _, _, _] => {
                let mut rest = ways.clone();
                rest.remove(k);
                let [a, b, c] = rest.as_slice() else { return None };
                // Seen from this neighbour, which is moved to the front of the list.
                ([*a, *b, *c], chirality.after(k))
            }
            _ => return None,
        };
        // The corners of a triangle follow each other clockwise where y points down and this is positive.
        let turn = (three[1] - three[0]).cross(three[2] - three[0]);
        if turn.abs() < 1e-3 {
            return None;
        }
        Some((turn > 0.0) == (seen == Chirality::Clockwise))
    }
}

/// The widest angle between directions that follow each other.
fn widest(ways: &[Point]) -> f64 {
    let mut angles: Vec<f64> = ways.iter().map(|way| way.angle()).collect();
    angles.sort_by(f64::total_cmp);
    let first = angles.first().copied().unwrap_or_default();
    angles.push(first + 2.0 * PI);
    angles.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max)
}
