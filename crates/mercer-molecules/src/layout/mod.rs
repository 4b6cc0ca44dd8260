//! Coordinates in the plane, for drawing.
//!
//! Ring systems are placed as regular polygons; chains leave them in zig-zag. Parts that would lie on each other are
//! turned about a bond. Connected parts stand side by side. The same molecule always gets the same coordinates.

mod clashes;
mod grow;
mod point;
mod systems;

pub use point::Point;

use std::f64::consts::PI;

use crate::molecule::Molecule;
use crate::rings;

/// The most atoms of a molecule that is drawn.
pub const MOST_DRAWN: usize = 256;

/// The gap between connected parts, in bond lengths.
const GAP: f64 = 1.6;

impl Molecule {
    /// The position of every atom in the plane, in bond lengths; `None` for a molecule without atoms or with more than
    /// [`MOST_DRAWN`].
    ///
    /// Double bonds outside of rings get the geometry that the text states. Time O(atoms³) at worst.
    ///
    /// ```
    /// let benzene: mercer_molecules::Molecule = "c1ccccc1".parse()?;
    /// let at = benzene.layout().unwrap();
    /// let [a, b, d] = [at[0], at[1], at[3]];
    /// assert!(((a.x - b.x).hypot(a.y - b.y) - 1.0).abs() < 1e-9);
    /// assert!(((a.x - d.x).hypot(a.y - d.y) - 2.0).abs() < 1e-9);
    /// # Ok::<(), mercer_molecules::MoleculeError>(())
    /// ```
    pub fn layout(&self) -> Option<Vec<Point>> {
        let n = self.atoms.len();
        if n == 0 || n > MOST_DRAWN {
            return None;
        }
        let rings = rings::find(&mut self.clone());
        let systems = systems::systems(self, &rings);
        let mut grower = grow::Grower::new(self, &systems);
        let parts = self.fragments();
        parts.iter().for_each(|part| grower.place(part));
        let mut at: Vec<Point> = grower.at.into_iter().map(Option::unwrap_or_default).collect();
        let mut right = 0.0;
        for part in &parts {
            clashes::resolve(self, part, &mut at);
            lay_flat(part, &mut at);
            let (low, high) = bounds(part.iter().map(|&a| at[a as usize]));
            let shift = Point::new(right - low.x, -(low.y + high.y) / 2.0);
            part.iter().for_each(|&a| at[a as usize] = at[a as usize] + shift);
            right += high.x - low.x + GAP;
        }
        Some(at)
    }
}

/// The corners of the smallest rectangle around points.
pub(crate) fn bounds(points: impl Iterator<Item = Point>) -> (Point, Point) {
    let start = (Point::new(f64::INFINITY, f64::INFINITY), Point::new(f64::NEG_INFINITY, f64::NEG_INFINITY));
    points.fold(start, |(low, high), p| {
        (Point::new(low.x.min(p.x), low.y.min(p.y)), Point::new(high.x.max(p.x), high.y.max(p.y)))
    })
}

/// Turns a part by a multiple of 30° so that it is as low as possible.
fn lay_flat(part: &[u32], at: &mut [Point]) {
    let height = |angle: f64| {
        let (low, high) = bounds(part.iter().map(|&a| at[a as usize].rotated(angle)));
        high.y - low.y
    };
    let mut best = (height(0.0), 0.0);
    for k in 1..6 {
        let angle = PI / 6.0 * f64::from(k);
        let own = height(angle);
        if own < best.0 - 1e-6 {
            best = (own, angle);
        }
    }
    part.iter().for_each(|&a| at[a as usize] = at[a as usize].rotated(best.1));
}
