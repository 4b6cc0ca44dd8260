//! Ring systems: rings that share atoms, each placed as a regular polygon where that is possible.

use std::f64::consts::PI;

use super::point::Point;
use crate::molecule::Molecule;
use crate::rings::Ring;

/// Rings that share atoms, placed in the plane.
pub(super) struct System {
    pub(super) atoms: Vec<u32>,
    /// The position of each of its atoms.
    pub(super) at: Vec<Point>,
}

/// The ring systems of a molecule.
pub(super) fn systems(molecule: &Molecule, rings: &[Ring]) -> Vec<System> {
    let mut own: Vec<usize> = (0..rings.len()).collect();
    let mut first_of = vec![usize::MAX; molecule.atoms.len()];
    for (at, ring) in rings.iter().enumerate() {
        for &atom in &ring.atoms {
            match first_of[atom as usize] {
                usize::MAX => first_of[atom as usize] = at,
                other => {
                    let (from, to) = (root(&own, at), root(&own, other));
                    own[from.max(to)] = from.min(to);
                }
            }
        }
    }
    let mut all = Vec::new();
    for at in (0..rings.len()).filter(|&at| root(&own, at) == at) {
        let members: Vec<&Ring> =
            (at..rings.len()).filter(|&r| root(&own, r) == at).map(|r| &rings[r]).collect();
        all.push(place(molecule, &members));
    }
    all
}

fn root(own: &[usize], mut at: usize) -> usize {
    while own[at] != at {
        at = own[at];
    }
    at
}

/// Places the rings one after the other, each on what is there of it.
fn place(molecule: &Molecule, rings: &[&Ring]) -> System {
    let mut at: Vec<Option<Point>> = vec![None; molecule.atoms.len()];
    let shared_bonds = |r: &Ring| {
        let others = rings.iter().filter(|o| !std::ptr::eq(**o, r));
        others.filter(|o| o.bonds.iter().any(|b| r.bonds.contains(b))).count()
    };
    let mut left: Vec<&Ring> = rings.to_vec();
    // The first has most neighbours; large rings come later, because they bend more easily.
    let rank = |r: &&Ring| (r.atoms.len() > 8, usize::MAX - shared_bonds(r), usize::MAX - r.atoms.len());
    if let Some(first) = (0..left.len()).min_by_key(|&i| (rank(&left[i]), i)) {
        let ring = left.remove(first);
        let (n, radius) = (ring.atoms.len() as f64, circumradius(ring.atoms.len()));
        for (k, &atom) in ring.atoms.iter().enumerate() {
            at[atom as usize] = Some(Point::toward(PI * (2.0 * k as f64 + 1.0) / n) * radius);
        }
    }
    while !left.is_empty() {
        let known = |r: &Ring| r.atoms.iter().filter(|&&a| at[a as usize].is_some()).count();
        // Rings at one bond first, then those that close a system, then those at one atom.
        let rank = |r: &Ring| match known(r) {
            0 => 3,
            1 => 2,
            2 => 0,
            _ => 1,
        };
        let Some(next) = (0..left.len()).min_by_key(|&i| (rank(left[i]), left[i].atoms.len(), i)) else {
            break;
        };
        let ring = left.remove(next);
        match known(ring) {
            1 => at_one_atom(molecule, ring, &mut at),
            _ => fill(ring, &mut at),
        }
    }
    let mut atoms: Vec<u32> = rings.iter().flat_map(|r| r.atoms.iter().copied()).collect();
    atoms.sort_unstable();
    atoms.dedup();
    let points = atoms.iter().map(|&a| at[a as usize].unwrap_or_default()).collect();
    let mut system = System { atoms, at: points };
    system.relax(molecule, rings);
    system
}

/// The radius of the circle around a regular polygon with sides of length 1.
fn circumradius(sides: usize) -> f64 {
    0.5 / (PI / sides as f64).sin()
}

/// A ring that shares one atom with those that are placed: on the other side of this atom.
fn at_one_atom(molecule: &Molecule, ring: &Ring, at: &mut [Option<Point>]) {
    let n = ring.atoms.len();
    let Some(shared) = ring.atoms.iter().position(|&a| at[a as usize].is_some()) else { return };
    let atom = ring.atoms[shared] as usize;
    let Some(here) = at[atom] else { return };
    let around = molecule.neighbours(atom).iter().filter_map(|n| at[n.atom as usize]);
    let sum = around.fold(Point::default(), |sum, p| sum + (p - here).unit());
    let out = if sum.length() > 1e-6 { sum.unit() * -1.0 } else { Point::new(0.0, 1.0) };
    let radius = circumradius(n);
    let centre = here + out * radius;
    for k in 1..n {
        let atom = ring.atoms[(shared + k) % n] as usize;
        at[atom] = Some(centre + (here - centre).rotated(2.0 * PI * k as f64 / n as f64));
    }
}

/// Places the missing atoms of a ring between those that are placed: each run on an arc whose bonds have length 1. On a
/// single bond the arc is the rest of the regular polygon.
fn fill(ring: &Ring, at: &mut [Option<Point>]) {
    let n = ring.atoms.len();
    let Some(start) = ring.atoms.iter().position(|&a| at[a as usize].is_some()) else { return };
    let mut from = start;
    while from < start + n {
        let mut to = from + 1;
        while to < start + n && at[ring.atoms[to % n] as usize].is_none() {
            to += 1;
        }
        let run: Vec<usize> = (from + 1..to).map(|k| ring.atoms[k % n] as usize).collect();
        let ends = [from, to].map(|k| at[ring.atoms[k % n] as usize].unwrap_or_default());
        if !run.is_empty() {
            let placed: Vec<Point> = at.iter().flatten().copied().collect();
            for (atom, point) in run.iter().zip(best_arc(ends, run.len(), &placed)) {
                at[*atom] = Some(point);
            }
        }
        from = to;
    }
}

/// The arc between two points that keeps away from the placed ones, on either side and more or less bent.
fn best_arc([a, b]: [Point; 2], inner: usize, placed: &[Point]) -> Vec<Point> {
    let flat = arc((b - a).length(), inner);
    let (along, across) = ((b - a).unit(), (b - a).unit().normal());
    let mut best: (f64, Vec<Point>) = (f64::INFINITY, Vec::new());
    for bend in [1.0, -1.0, 0.45, -0.45, 1.6, -1.6] {
        let points: Vec<Point> = flat.iter().map(|p| a + along * p.x + across * (p.y * bend)).collect();
        let mut chain = vec![a];
        chain.extend(&points);
        chain.push(b);
        let strain: f64 = chain.windows(2).map(|w| ((w[1] - w[0]).length() - 1.0).powi(2)).sum();
        let mut crowd = 0.0;
        for p in &points {
            for q in placed {
                let d = (*p - *q).length();
                crowd += 10.0 * (0.8 - d).max(0.0).powi(2) + 0.02 / (d * d + 0.01);
            }
        }
        if strain + crowd < best.0 - 1e-9 {
            best = (strain + crowd, points);
        }
    }
    best.1
}

/// Points on an arc from (0, 0) to (span, 0), with bonds of length 1 if they reach.
fn arc(span: f64, inner: usize) -> Vec<Point> {
    let bonds = (inner + 1) as f64;
    if span >= bonds - 1e-9 {
        return (1..=inner).map(|k| Point::new(span * k as f64 / bonds, 0.0)).collect();
    }
    // span = sin(bonds·α) / sin α falls as α grows to π/bonds.
    let (mut low, mut high) = (1e-9, PI / bonds);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        match (bonds * middle).sin() / middle.sin() > span {
            true => low = middle,
            false => high = middle,
        }
    }
    let (alpha, whole) = (low, bonds * low);
    let radius = 0.5 / alpha.sin();
    let point = |k: usize| {
        let angle = -whole + 2.0 * alpha * k as f64;
        Point::new(span / 2.0 + radius * angle.sin(), radius * (angle.cos() - whole.cos()))
    };
    (1..=inner).map(point).collect()
}

/// Systems of more atoms are not relaxed.
const MOST_RELAXED: usize = 100;

impl System {
    /// Moves the atoms of bridged systems toward the distances that their rings and paths ask for, if that helps.
    fn relax(&mut self, molecule: &Molecule, rings: &[&Ring]) {
        let n = self.atoms.len();
        let before = self.faults(molecule);
        if before < 1e-3 || n > MOST_RELAXED {
            return;
        }
        let target = self.targets(molecule, rings);
        let start = self.at.clone();
        for _ in 0..300 {
            let mut next = self.at.clone();
            for (i, point) in next.iter_mut().enumerate() {
                let (mut sum, mut total) = (Point::default(), 0.0);
                for j in (0..n).filter(|&j| j != i) {
                    let (wanted, step) = (target[i * n + j], self.at[i] - self.at[j]);
                    // Two atoms at one place part in a direction that their numbers give.
                    let step =
                        if step.length() > 1e-6 { step } else { Point::toward((i * n + j) as f64) * 1e-3 };
                    let weight = wanted.powi(-3);
                    sum = sum + (self.at[j] + step.unit() * wanted) * weight;
                    total += weight;
                }
                if total > 0.0 {
                    *point = sum * (1.0 / total);
                }
            }
            self.at = next;
        }
        if self.faults(molecule) >= before {
            self.at = start;
        }
    }

    /// How far bonds are from length 1, and atoms too close to each other.
    fn faults(&self, molecule: &Molecule) -> f64 {
        let mut sum = 0.0;
        for i in 0..self.atoms.len() {
            for j in 0..i {
                let d = (self.at[i] - self.at[j]).length();
                let is_bond =
                    molecule.neighbours(self.atoms[i] as usize).iter().any(|n| n.atom == self.atoms[j]);
                sum += match is_bond {
                    true => (d - 1.0).abs().max(0.05).powi(2) - 0.0025,
                    false => 4.0 * (0.6 - d).max(0.0),
                };
            }
        }
        sum
    }

    /// The distances that atoms should have: chords of a common ring, else a share of the path between them.
    fn targets(&self, molecule: &Molecule, rings: &[&Ring]) -> Vec<f64> {
        let n = self.atoms.len();
        let number = |atom: u32| self.atoms.binary_search(&atom).ok();
        let mut target = vec![f64::INFINITY; n * n];
        for (i, &atom) in self.atoms.iter().enumerate() {
            let (mut distance, mut queue, mut next) = (vec![usize::MAX; n], vec![i], 0);
            distance[i] = 0;
            while let Some(&here) = queue.get(next) {
                next += 1;
                for to in molecule.neighbours(self.atoms[here] as usize) {
                    if let Some(there) = number(to.atom).filter(|&t| distance[t] == usize::MAX) {
                        distance[there] = distance[here] + 1;
                        queue.push(there);
                    }
                }
            }
            for j in 0..n {
                target[i * n + j] = (distance[j] as f64).powf(0.9);
            }
            debug_assert_eq!(self.atoms[i], atom);
        }
        let mut by_size: Vec<&&Ring> = rings.iter().collect();
        by_size.sort_by_key(|r| std::cmp::Reverse(r.atoms.len()));
        for ring in by_size {
            let size = ring.atoms.len();
            for (a, &one) in ring.atoms.iter().enumerate() {
                for (b, &two) in ring.atoms.iter().enumerate().filter(|(b, _)| *b != a) {
                    if let (Some(i), Some(j)) = (number(one), number(two)) {
                        let chord =
                            (PI * a.abs_diff(b) as f64 / size as f64).sin() * 2.0 * circumradius(size);
                        target[i * n + j] = chord.max(0.2);
                    }
                }
            }
        }
        target
    }
}
