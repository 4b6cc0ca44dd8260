//! Atoms that lie too close to each other: parts of the molecule are turned about a bond until they part.

use std::f64::consts::PI;

use super::point::Point;
use crate::molecule::{Direction, Molecule, Order};

/// Atoms that are not bonded should be this far apart.
const APART: f64 = 0.8;
/// Rounds over all bonds.
const ROUNDS: usize = 6;

/// A bond outside of rings, and the atoms behind it.
struct Hinge {
    /// The end that stays, and the one that moves.
    ends: [usize; 2],
    moved: Vec<bool>,
    /// Whether mirroring the moved atoms would change the geometry of a double bond that the text states.
    stated: bool,
}

/// Turns parts of a connected molecule, so that fewer atoms are close to each other and fewer bonds cross.
pub(super) fn resolve(molecule: &Molecule, part: &[u32], at: &mut [Point]) {
    let mut hinges = hinges(molecule, part);
    for hinge in &mut hinges {
        state(molecule, hinge, at);
    }
    for _ in 0..ROUNDS {
        let mut better = false;
        for hinge in &hinges {
            let now = cost(molecule, part, hinge, at);
            if now < 1e-9 {
                continue;
            }
            let [fixed, turned] = hinge.ends.map(|e| at[e]);
            let mut best: Option<(f64, Vec<Point>)> = None;
            for trial in 0..7 {
                if trial == 0 && hinge.stated {
                    continue;
                }
                let angle = [0.0, PI / 6.0, -PI / 6.0, PI / 3.0, -PI / 3.0, PI / 12.0, -PI / 12.0][trial];
                let moved = |p: Point| match trial {
                    0 => p.mirrored(fixed, turned),
                    _ => fixed + (p - fixed).rotated(angle),
                };
                let mut there = at.to_vec();
                part.iter()
                    .map(|&a| a as usize)
                    .filter(|&a| hinge.moved[a])
                    .for_each(|a| there[a] = moved(at[a]));
                let new = cost(molecule, part, hinge, &there) + 0.05 * angle.abs();
                if new < best.as_ref().map_or(now, |b| b.0) - 1e-6 {
                    best = Some((new, there));
                }
            }
            if let Some((_, there)) = best {
                at.copy_from_slice(&there);
                better = true;
            }
        }
        if !better {
            break;
        }
    }
    push_apart(molecule, part, at);
}

fn hinges(molecule: &Molecule, part: &[u32]) -> Vec<Hinge> {
    let mut all = Vec::new();
    for bond in molecule.bonds.iter().filter(|b| !b.in_ring) {
        let [a, b] = bond.atoms.map(|a| a as usize);
        if part.binary_search(&(a as u32)).is_err() {
            continue;
        }
        let side = |from: usize, to: usize| {
            let mut moved = vec![false; molecule.atoms.len()];
            (moved[from], moved[to]) = (true, true);
            let (mut queue, mut next) = (vec![to as u32], 0);
            while let Some(&atom) = queue.get(next) {
                next += 1;
                for n in molecule.neighbours(atom as usize) {
                    if !std::mem::replace(&mut moved[n.atom as usize], true) {
                        queue.push(n.atom);
                    }
                }
            }
            moved[from] = false;
            (moved, queue.len())
        };
        let (moved, size) = side(a, b);
        match 2 * size <= part.len() {
            true => all.push(Hinge { ends: [a, b], moved, stated: false }),
            false => all.push(Hinge { ends: [b, a], moved: side(b, a).0, stated: false }),
        }
    }
    all
}

/// Gives a double bond the geometry that the text states.
fn state(molecule: &Molecule, hinge: &mut Hinge, at: &mut [Point]) {
    let [a, b] = hinge.ends;
    let joins = molecule.neighbours(a).iter().find(|n| n.atom as usize == b);
    if joins.is_none_or(|n| molecule.bonds[n.bond as usize].kekule != Order::Double) {
        return;
    }
    // A neighbour, and whether the text puts it above the end.
    let stated = |end: usize, other: usize| {
        let around = molecule.neighbours(end).iter().filter(|n| n.atom as usize != other);
        around.filter(|n| !molecule.bonds[n.bond as usize].in_ring).find_map(|n| {
            let bond = &molecule.bonds[n.bond as usize];
            let up = match bond.direction {
                Direction::None => return None,
                Direction::Up => true,
                Direction::Down => false,
            };
            Some((n.atom as usize, up == (bond.atoms[0] as usize == end)))
        })
    };
    let (Some((x, above)), Some((y, other_above))) = (stated(a, b), stated(b, a)) else { return };
    let side = |p: usize| (at[b] - at[a]).cross(at[p] - at[a]) > 0.0;
    if (side(x) == side(y)) != (above == other_above) {
        let [from, to] = [at[a], at[b]];
        (0..at.len()).filter(|&i| hinge.moved[i]).for_each(|i| at[i] = at[i].mirrored(from, to));
    }
    hinge.stated = true;
}

/// How close moved atoms are to those that stay, and how many of their bonds cross.
fn cost(molecule: &Molecule, part: &[u32], hinge: &Hinge, at: &[Point]) -> f64 {
    let mut sum = 0.0;
    for &i in part.iter().filter(|&&i| hinge.moved[i as usize]) {
        let here = at[i as usize];
        for &j in part.iter().filter(|&&j| !hinge.moved[j as usize]) {
            let step = here - at[j as usize];
            if step.x.abs() < APART && step.y.abs() < APART && step.length() < APART {
                let is_hinge = hinge.ends == [j as usize, i as usize];
                sum += if is_hinge { 0.0 } else { (APART - step.length()).powi(2) + 0.05 };
            }
        }
    }
    let inside = |moved: bool| {
        move |b: &&crate::molecule::Bond| b.atoms.iter().all(|&a| hinge.moved[a as usize] == moved)
    };
    let own: Vec<[Point; 2]> =
        molecule.bonds.iter().filter(inside(true)).map(|b| b.atoms.map(|a| at[a as usize])).collect();
    for other in molecule.bonds.iter().filter(inside(false)) {
        if part.binary_search(&other.atoms[0]).is_ok() {
            let ends = other.atoms.map(|a| at[a as usize]);
            sum += own.iter().filter(|bond| cross(**bond, ends)).count() as f64;
        }
    }
    sum
}

/// Whether two segments cross.
pub(super) fn cross([a, b]: [Point; 2], [c, d]: [Point; 2]) -> bool {
    let middle = ((a + b) - (c + d)) * 0.5;
    if middle.x.abs() > 1.5 || middle.y.abs() > 1.5 {
        return false;
    }
    let side = |p: Point, q: Point, r: Point| (q - p).cross(r - p);
    side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0
}

/// Pushes atoms apart that still lie on each other, and gives way at bonds.
fn push_apart(molecule: &Molecule, part: &[u32], at: &mut [Point]) {
    const LEAST: f64 = 0.45;
    for _ in 0..80 {
        let mut step = vec![Point::default(); at.len()];
        let mut close = false;
        for (k, &i) in part.iter().enumerate() {
            for &j in &part[..k] {
                let between = at[i as usize] - at[j as usize];
                let length = between.length();
                if length >= LEAST || molecule.neighbours(i as usize).iter().any(|n| n.atom == j) {
                    continue;
                }
                close = true;
                let way = if length > 1e-6 { between.unit() } else { Point::toward(f64::from(i * 7 + j)) };
                let push = way * (0.5 * (LEAST - length) + 0.01);
                step[i as usize] = step[i as usize] + push;
                step[j as usize] = step[j as usize] - push;
            }
        }
        if !close {
            return;
        }
        for bond in &molecule.bonds {
            let [a, b] = bond.atoms.map(|a| a as usize);
            let between = at[b] - at[a];
            let pull = between.unit() * (0.25 * (between.length() - 1.0));
            step[a] = step[a] + pull;
            step[b] = step[b] - pull;
        }
        part.iter().for_each(|&a| at[a as usize] = at[a as usize] + step[a as usize]);
    }
}
