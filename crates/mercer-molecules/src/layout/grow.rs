//! Chains: every atom that is placed places its neighbours, ring systems as a whole.

use std::f64::consts::PI;

use super::point::Point;
use super::systems::System;
use crate::molecule::{Molecule, Order};

pub(super) struct Grower<'m> {
    pub(super) molecule: &'m Molecule,
    pub(super) systems: &'m [System],
    /// The ring system of each atom.
    pub(super) system_of: Vec<Option<usize>>,
    pub(super) at: Vec<Option<Point>>,
    /// The side to which the chain turned before each atom.
    turn: Vec<f64>,
}

impl<'m> Grower<'m> {
    pub(super) fn new(molecule: &'m Molecule, systems: &'m [System]) -> Self {
        let n = molecule.atoms.len();
        let mut system_of = vec![None; n];
        for (at, system) in systems.iter().enumerate() {
            system.atoms.iter().for_each(|&a| system_of[a as usize] = Some(at));
        }
        Grower { molecule, systems, system_of, at: vec![None; n], turn: vec![0.0; n] }
    }

    /// Places a connected part: its largest ring system first, else the end of its longest chain.
    pub(super) fn place(&mut self, part: &[u32]) {
        let own = part.iter().filter_map(|&a| self.system_of[a as usize]);
        let size = |s: usize| self.systems[s].atoms.len();
        let mut queue: Vec<u32> = Vec::with_capacity(part.len());
        match own.max_by(|&a, &b| size(a).cmp(&size(b)).then(b.cmp(&a))) {
            Some(system) => {
                let systems = self.systems;
                for (&atom, &point) in systems[system].atoms.iter().zip(&systems[system].at) {
                    self.at[atom as usize] = Some(point);
                    queue.push(atom);
                }
            }
            None => {
                let start = self.farthest(self.farthest(part[0]));
                self.at[start as usize] = Some(Point::default());
                queue.push(start);
            }
        }
        let mut next = 0;
        while let Some(&atom) = queue.get(next) {
            next += 1;
            self.place_around(atom, &mut queue);
        }
    }

    /// The atom with the longest path from this one.
    fn farthest(&self, from: u32) -> u32 {
        let mut seen = vec![false; self.molecule.atoms.len()];
        seen[from as usize] = true;
        let (mut queue, mut next) = (vec![from], 0);
        while let Some(&atom) = queue.get(next) {
            next += 1;
            for n in self.molecule.neighbours(atom as usize) {
                if !std::mem::replace(&mut seen[n.atom as usize], true) {
                    queue.push(n.atom);
                }
            }
        }
        queue.last().copied().unwrap_or(from)
    }

    /// The number of atoms behind a bond.
    fn behind(&self, from: u32, to: u32) -> usize {
        let mut seen = vec![false; self.molecule.atoms.len()];
        (seen[from as usize], seen[to as usize]) = (true, true);
        let (mut queue, mut next) = (vec![to], 0);
        while let Some(&atom) = queue.get(next) {
            next += 1;
            for n in self.molecule.neighbours(atom as usize) {
                if !std::mem::replace(&mut seen[n.atom as usize], true) {
                    queue.push(n.atom);
                }
            }
        }
        queue.len()
    }

    /// Places the neighbours of an atom that are not placed yet.
    fn place_around(&mut self, atom: u32, queue: &mut Vec<u32>) {
        let Some(here) = self.at[atom as usize] else { return };
        let around = self.molecule.neighbours(atom as usize);
        let mut children: Vec<u32> =
            around.iter().map(|n| n.atom).filter(|&a| self.at[a as usize].is_none()).collect();
        if children.is_empty() {
            return;
        }
        // The largest part continues the chain.
        children.sort_by_key(|&child| (usize::MAX - self.behind(atom, child), child));
        let used: Vec<f64> =
            around.iter().filter_map(|n| self.at[n.atom as usize]).map(|p| (p - here).angle()).collect();
        let angles = match used.as_slice() {
            [] => self.at_start(atom, children.len()),
            [back] => self.onward(atom, here, back + PI, children.len()),
            several => within_gap(several, children.len(), &|angle| self.crowd(here + Point::toward(angle))),
        };
        let forward = used.first().filter(|_| used.len() == 1).map(|back| back + PI);
        for (child, angle) in children.into_iter().zip(angles) {
            if self.at[child as usize].is_some() {
                continue;
            }
            if let Some(forward) = forward {
                self.turn[child as usize] = Point::toward(forward).cross(Point::toward(angle)).signum();
            }
            let there = here + Point::toward(angle);
            match self.system_of[child as usize] {
                Some(system) => self.attach(system, child, there, angle, queue),
                None => {
                    self.at[child as usize] = Some(there);
                    queue.push(child);
                }
            }
        }
    }

    fn is_linear(&self, atom: u32) -> bool {
        let orders = self.molecule.neighbours(atom as usize).iter();
        let orders: Vec<Order> = orders.map(|n| self.molecule.bonds[n.bond as usize].kekule).collect();
        orders.len() == 2 && (orders.contains(&Order::Triple) || orders.iter().all(|o| *o == Order::Double))
    }

    /// The directions of the neighbours of the first atom.
    fn at_start(&self, atom: u32, children: usize) -> Vec<f64> {
        let parts = match children {
            1 => return vec![-PI / 6.0],
            2 if !self.is_linear(atom) => 3,
            more => more,
        };
        (0..children).map(|k| -PI / 6.0 + 2.0 * PI * k as f64 / parts as f64).collect()
    }

    /// The directions after one bond, the first for the largest part: zig-zag, a fork, a cross, a star.
    fn onward(&self, atom: u32, here: Point, forward: f64, children: usize) -> Vec<f64> {
        let side = match self.turn[atom as usize] {
            turn if turn != 0.0 => -turn,
            _ => {
                let free = |side: f64| self.crowd(here + Point::toward(forward + side * PI / 3.0) * 1.5);
                if free(1.0) <= free(-1.0) + 1e-9 { 1.0 } else { -1.0 }
            }
        };
        match children {
            1 if self.is_linear(atom) => vec![forward],
            1 => vec![forward + side * PI / 3.0],
            2 => vec![forward + side * PI / 3.0, forward - side * PI / 3.0],
            3 => vec![forward, forward + PI / 2.0, forward - PI / 2.0],
            more => {
                let step = 2.0 * PI / (more + 1) as f64;
                (0..more).map(|k| forward + PI + step * (k + 1) as f64).collect()
            }
        }
    }

    /// How crowded a place is.
    fn crowd(&self, place: Point) -> f64 {
        let one = |p: &Point| 1.0 / ((*p - place).length().powi(2) + 0.05);
        self.at.iter().flatten().map(one).sum()
    }

    /// Places a ring system by one of its atoms, which was reached in a direction.
    fn attach(&mut self, system: usize, atom: u32, there: Point, angle: f64, queue: &mut Vec<u32>) {
        let systems = self.systems;
        let system = &systems[system];
        let Ok(own) = system.atoms.binary_search(&atom) else { return };
        let centre = system.at[own];
        let inside = |a: u32| system.atoms.binary_search(&a).ok();
        let around = self.molecule.neighbours(atom as usize);
        let used: Vec<f64> =
            around.iter().filter_map(|n| inside(n.atom)).map(|at| (system.at[at] - centre).angle()).collect();
        let outside = around.len() - used.len();
        let out = within_gap(&used, outside.max(1), &|_| 0.0)[0];
        let turned = |mirror: bool| -> Vec<Point> {
            let one = |p: &Point| {
                let p = if mirror { p.mirrored(centre, centre + Point::toward(out)) } else { *p };
                there + (p - centre).rotated(angle + PI - out)
            };
            system.at.iter().map(one).collect()
        };
        let cost = |points: &[Point]| points.iter().map(|p| self.crowd(*p)).sum::<f64>();
        let (plain, mirrored) = (turned(false), turned(true));
        let points = if cost(&plain) <= cost(&mirrored) + 1e-9 { plain } else { mirrored };
        for (&atom, point) in system.atoms.iter().zip(points) {
            self.at[atom as usize] = Some(point);
            queue.push(atom);
        }
    }
}

/// Directions that divide the largest gap between those in use; of gaps about as large, the least crowded.
fn within_gap(used: &[f64], children: usize, crowd: &dyn Fn(f64) -> f64) -> Vec<f64> {
    let mut sorted: Vec<f64> = used.iter().map(|a| a.rem_euclid(2.0 * PI)).collect();
    sorted.sort_by(f64::total_cmp);
    let Some(&first) = sorted.first() else { return vec![0.0; children] };
    let next = |at: usize| sorted.get(at + 1).copied().unwrap_or(first + 2.0 * PI);
    let gaps: Vec<(f64, f64)> =
        sorted.iter().enumerate().map(|(at, &from)| (from, next(at) - from)).collect();
    let widest = gaps.iter().fold(0.0f64, |most, gap| most.max(gap.1));
    let wide = gaps.into_iter().filter(|gap| gap.1 > widest - PI / 12.0);
    let place = |(from, gap): (f64, f64)| crowd(from + gap / 2.0);
    let best = wide.min_by(|a, b| place(*a).total_cmp(&place(*b)));
    let (from, gap) = best.unwrap_or((first, 2.0 * PI));
    (1..=children).map(|k| from + gap * k as f64 / (children + 1) as f64).collect()
}
