//! Molecules as SVG: skeletal formulas, with atoms and bonds coloured by weights.

mod label;
mod wedge;

use std::fmt::Write as _;

use crate::layout::{Point, bounds};
use crate::molecule::{Molecule, Order};
use label::Label;
pub use wedge::Wedge;

/// How a molecule is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawStyle<'a> {
    /// The weight of each atom and of each bond, which colours them: orange with a solid rim above 0, blue with a
    /// dashed rim below. A missing weight counts as 0.
    pub weights: Option<(&'a [f64], &'a [f64])>,
    /// The weight with the full colour; the largest of the molecule if it is not given.
    pub full: Option<f64>,
    /// The colours of the page.
    pub theme: Theme,
    /// Pixels per bond.
    pub bond: f64,
}

impl Default for DrawStyle<'_> {
    fn default() -> Self {
        DrawStyle { weights: None, full: None, theme: Theme::Page, bond: 30.0 }
    }
}

/// The colours of a page that shows a molecule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Theme {
    /// Lines in the colour of the text around, no background; a page may set other colours for the classes `positive`
    /// and `negative`.
    #[default]
    Page,
    /// Dark lines on white.
    Light,
    /// Light lines on a dark background.
    Dark,
}

impl Theme {
    /// The colour of lines.
    pub fn ink(self) -> &'static str {
        match self {
            Theme::Page => "currentColor",
            Theme::Light => "#1c2733",
            Theme::Dark => "#e8edf2",
        }
    }

    /// The class and colour of a weight: orange above 0, else blue, which colour-blind people tell apart (Okabe & Ito 2008).
    pub fn signed(self, weight: f64) -> (&'static str, &'static str) {
        match (self, weight > 0.0) {
            (Theme::Dark, true) => ("positive", "#f58a42"),
            (Theme::Dark, false) => ("negative", "#56b4e9"),
            (_, true) => ("positive", "#d55e00"),
            (_, false) => ("negative", "#0072b2"),
        }
    }
}

/// Half the distance between the lines of a double bond, in bond lengths.
const APART: f64 = 0.07;
/// The distance of the inner line of a ring from its outer one.
const INNER: f64 = 0.15;
/// Half the width of the wide end of a wedge, and the distance of the lines of a hashed one.
const WEDGE: f64 = 0.12;
const HASH: f64 = 0.13;
/// The radius of a coloured disc.
const DISC: f64 = 0.34;
/// The strongest colour.
const STRONGEST: f64 = 0.62;
/// Weights below this share of the largest are not coloured.
const FAINT: f64 = 0.02;

impl Molecule {
    /// The molecule as an SVG image; `None` if [`Molecule::layout`] has no positions.
    ///
    /// Carbon atoms are corners; other atoms have their symbol with hydrogens and charge. Aromatic rings are drawn in a
    /// Kekulé structure. [`Molecule::wedges`] are drawn where the text gives the arrangement around an atom.
    ///
    /// ```
    /// use mercer_molecules::{DrawStyle, Molecule};
    /// let phenol: Molecule = "Oc1ccccc1".parse()?;
    /// let weights = ([0.5, -0.1, 0.0, 0.0, 0.0, 0.0, 0.0], [0.2]);
    /// let svg = phenol.to_svg(&DrawStyle { weights: Some((&weights.0, &weights.1)), ..DrawStyle::default() });
    /// let svg = svg.unwrap();
    /// assert!(svg.starts_with("<svg") && svg.contains(">O<") && svg.contains("class=\"negative\""));
    /// # Ok::<(), mercer_molecules::MoleculeError>(())
    /// ```
    pub fn to_svg(&self, style: &DrawStyle<'_>) -> Option<String> {
        let at = self.layout()?;
        let unit = if style.bond.is_finite() { style.bond.clamp(4.0, 400.0) } else { 30.0 };
        let labels: Vec<Option<Label>> = (0..at.len()).map(|i| Label::of(self, i, &at)).collect();
        let (low, high) = bounds(at.iter().copied());
        let reach = labels.iter().flatten().map(Label::reach).fold(0.5, f64::max);
        let margin = Point::new(reach, 0.55);
        let origin = low - margin;
        let size = (high - low + margin * 2.0) * unit;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"molecule\" role=\"img\" viewBox=\"0 0 {0:.0} {1:.0}\" \
             width=\"{0:.0}\" height=\"{1:.0}\"><title>{2}</title>",
            size.x.ceil(),
            size.y.ceil(),
            escaped(&self.text)
        );
        let paper = match style.theme {
            Theme::Page => None,
            Theme::Light => Some("#ffffff"),
            Theme::Dark => Some("#1a222a"),
        };
        if let Some(paper) = paper {
            let _ = write!(svg, "<rect width=\"100%\" height=\"100%\" fill=\"{paper}\"/>");
        }
        let pen = Pen { molecule: self, at: &at, labels: &labels, origin, unit, style };
        pen.weights(&mut svg);
        pen.bonds(&mut svg);
        pen.labels(&mut svg);
        svg.push_str("</svg>");
        Some(svg)
    }
}

struct Pen<'a> {
    molecule: &'a Molecule,
    at: &'a [Point],
    labels: &'a [Option<Label>],
    origin: Point,
    unit: f64,
    style: &'a DrawStyle<'a>,
}

impl Pen<'_> {
    /// A position in pixels.
    fn on_page(&self, p: Point) -> Point {
        (p - self.origin) * self.unit
    }

    /// Discs behind atoms and bands behind bonds.
    fn weights(&self, svg: &mut String) {
        let Some((atoms, bonds)) = self.style.weights else { return };
        let largest = atoms.iter().chain(bonds).filter(|w| w.is_finite()).fold(0.0f64, |m, w| m.max(w.abs()));
        let full = self.style.full.filter(|f| f.is_finite() && *f > 0.0).unwrap_or(largest);
        let strength = |weight: f64| Some((weight / full).abs()).filter(|s| *s >= FAINT).map(|s| s.min(1.0));
        for (bond, &weight) in self.molecule.bonds.iter().zip(bonds) {
            let Some(strength) = strength(weight) else { continue };
            let [a, b] = bond.atoms.map(|a| self.at[a as usize]);
            let along = (b - a).unit() * (DISC - 0.03);
            let (from, to) = (self.on_page(a + along), self.on_page(b - along));
            let (class, colour) = self.style.theme.signed(weight);
            let _ = write!(
                svg,
                "<path class=\"{class}-band\" d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"{colour}\" stroke-opacity=\"{:.2}\" \
                 stroke-width=\"{:.1}\" fill=\"none\"/>",
                from.x,
                from.y,
                to.x,
                to.y,
                STRONGEST * strength,
                1.1 * DISC * self.unit
            );
        }
        for (&point, &weight) in self.at.iter().zip(atoms) {
            let Some(strength) = strength(weight) else { continue };
            let (class, colour) = self.style.theme.signed(weight);
            let dashes = if weight < 0.0 { " stroke-dasharray=\"3 2\"" } else { "" };
            let p = self.on_page(point);
            let _ = write!(
                svg,
                "<circle class=\"{class}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"{:.1}\" fill=\"{colour}\" fill-opacity=\"{:.2}\" \
                 stroke=\"{colour}\" stroke-opacity=\"{:.2}\"{dashes}/>",
                p.x,
                p.y,
                DISC * self.unit,
                STRONGEST * strength,
                0.3 + 0.7 * strength
            );
        }
    }

    /// All bonds, as one path, and filled wedges.
    fn bonds(&self, svg: &mut String) {
        let (mut path, mut filled) = (String::new(), String::new());
        let wedges = self.molecule.wedges(self.at);
        for (number, bond) in self.molecule.bonds.iter().enumerate() {
            let [i, j] = bond.atoms.map(|a| a as usize);
            if let Some(wedge) = wedges.iter().find(|w| w.bond as usize == number) {
                let from = wedge.from as usize;
                let ends = [from, if from == i { j } else { i }];
                self.wedge(ends, wedge.up, if wedge.up { &mut filled } else { &mut path });
                continue;
            }
            let (a, b) = (self.at[i], self.at[j]);
            let across = (b - a).unit().normal();
            match bond.kekule {
                Order::Single | Order::Aromatic => self.line([i, j], Point::default(), 0.0, &mut path),
                Order::Double => {
                    let side = self.side([i, j]);
                    if side == 0.0 {
                        for sign in [APART, -APART] {
                            self.line([i, j], across * sign, 0.0, &mut path);
                        }
                    } else {
                        self.line([i, j], Point::default(), 0.0, &mut path);
                        self.line([i, j], across * (side * INNER), 0.14, &mut path);
                    }
                }
                Order::Triple => {
                    for sign in [0.0, 1.8 * APART, -1.8 * APART] {
                        self.line([i, j], across * sign, 0.0, &mut path);
                    }
                }
                Order::Quadruple => {
                    for sign in [APART, -APART, 3.0 * APART, -3.0 * APART] {
                        self.line([i, j], across * sign, 0.0, &mut path);
                    }
                }
            }
        }
        if !filled.is_empty() {
            let _ = write!(svg, "<path class=\"wedge\" d=\"{filled}\" fill=\"{}\"/>", self.style.theme.ink());
        }
        if !path.is_empty() {
            let _ = write!(
                svg,
                "<path d=\"{path}\" stroke=\"{}\" stroke-width=\"{:.1}\" stroke-linecap=\"round\" fill=\"none\"/>",
                self.style.theme.ink(),
                (0.05 * self.unit).max(1.0)
            );
        }
    }

    /// A bond that leaves the plane: a filled triangle, or lines across it that grow longer.
    fn wedge(&self, ends: [usize; 2], up: bool, path: &mut String) {
        let Some((a, b)) = self.ends(ends, Point::default(), 0.0) else { return };
        let across = (b - a).unit().normal() * WEDGE;
        if up {
            let (a, p, q) = (self.on_page(a), self.on_page(b + across), self.on_page(b - across));
            let _ = write!(path, "M{:.1} {:.1}L{:.1} {:.1} {:.1} {:.1}Z", a.x, a.y, p.x, p.y, q.x, q.y);
            return;
        }
        let lines = ((b - a).length() / HASH).round().max(3.0) as usize;
        for step in 1..=lines {
            let share = step as f64 / lines as f64;
            let (middle, half) = (a + (b - a) * share, across * share);
            let (p, q) = (self.on_page(middle + half), self.on_page(middle - half));
            let _ = write!(path, "M{:.1} {:.1}L{:.1} {:.1}", p.x, p.y, q.x, q.y);
        }
    }

    /// A line of a bond, moved aside, that ends before labels and is shortened at both ends.
    fn line(&self, ends: [usize; 2], aside: Point, shorter: f64, path: &mut String) {
        let Some((a, b)) = self.ends(ends, aside, shorter) else { return };
        let (from, to) = (self.on_page(a), self.on_page(b));
        let _ = write!(path, "M{:.1} {:.1}L{:.1} {:.1}", from.x, from.y, to.x, to.y);
    }

    /// Where the line of a bond begins and ends; none if labels leave nothing of it.
    fn ends(&self, [i, j]: [usize; 2], aside: Point, shorter: f64) -> Option<(Point, Point)> {
        let (a, b) = (self.at[i] + aside, self.at[j] + aside);
        let (along, length) = ((b - a).unit(), (b - a).length());
        let cut = |atom: usize, way: Point| match &self.labels[atom] {
            Some(label) => label.cut(way).max(shorter),
            None => shorter,
        };
        let (start, end) = (cut(i, along), cut(j, along * -1.0));
        (start + end < length).then(|| (a + along * start, b - along * end))
    }

    /// The side of the second line of a double bond: toward the ring or the neighbours; 0 for one line on each side.
    fn side(&self, [i, j]: [usize; 2]) -> f64 {
        let (a, b) = (self.at[i], self.at[j]);
        let degree = |atom: usize| self.molecule.degree(atom);
        if degree(i) == 1 || degree(j) == 1 {
            return 0.0;
        }
        let mut sum = 0.0;
        for (end, other) in [(i, j), (j, i)] {
            for n in self.molecule.neighbours(end).iter().filter(|n| n.atom as usize != other) {
                let side = (b - a).cross(self.at[n.atom as usize] - a);
                // Within a ring the ring decides.
                let in_ring = self.molecule.bonds[n.bond as usize].in_ring;
                sum += if side.abs() < 1e-6 { 0.0 } else { side.signum() * if in_ring { 4.0 } else { 1.0 } };
            }
        }
        let ring = self.ring_side([i, j]);
        if ring != 0.0 {
            ring
        } else if sum.abs() < 0.5 {
            match self.labels[i].is_some() && self.labels[j].is_some() {
                true => 0.0,
                false => 1.0,
            }
        } else {
            f64::signum(sum)
        }
    }

    /// The side on which the smallest ring of a bond lies, aromatic ones first; 0 outside of rings.
    fn ring_side(&self, [i, j]: [usize; 2]) -> f64 {
        let joins = self.molecule.neighbours(i).iter().find(|n| n.atom as usize == j);
        if joins.is_none_or(|n| !self.molecule.bonds[n.bond as usize].in_ring) {
            return 0.0;
        }
        // The shortest ways around: breadth first from one end to the other, without the bond; aromatic bonds first.
        for aromatic in [true, false] {
            let n = self.at.len();
            let (mut by, mut queue, mut next) = (vec![usize::MAX; n], vec![i], 0);
            by[i] = i;
            while let Some(&atom) = queue.get(next) {
                next += 1;
                for to in self.molecule.neighbours(atom) {
                    let bond = &self.molecule.bonds[to.bond as usize];
                    let there = to.atom as usize;
                    let is_own = atom == i && there == j;
                    if is_own
                        || !bond.in_ring
                        || aromatic && bond.order != Order::Aromatic
                        || by[there] != usize::MAX
                    {
                        continue;
                    }
                    by[there] = atom;
                    queue.push(there);
                }
            }
            if by[j] == usize::MAX {
                continue;
            }
            let (mut sum, mut count, mut atom) = (Point::default(), 0.0, j);
            while atom != i {
                sum = sum + self.at[atom];
                count += 1.0;
                atom = by[atom];
            }
            let centre = (sum + self.at[i]) * (1.0 / (count + 1.0));
            let side = (self.at[j] - self.at[i]).cross(centre - self.at[i]);
            return if side.abs() < 1e-6 { 0.0 } else { side.signum() };
        }
        0.0
    }

    fn labels(&self, svg: &mut String) {
        if self.labels.iter().all(Option::is_none) {
            return;
        }
        let _ = write!(
            svg,
            "<g fill=\"{}\" font-family=\"Arial, Helvetica, sans-serif\" text-anchor=\"middle\">",
            self.style.theme.ink()
        );
        for (label, point) in self.labels.iter().zip(self.at) {
            let Some(label) = label else { continue };
            for piece in label.pieces() {
                let p = self.on_page(*point + piece.at);
                let _ = write!(
                    svg,
                    "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"{:.1}\">{}</text>",
                    p.x,
                    p.y,
                    piece.size * self.unit,
                    escaped(&piece.text)
                );
            }
        }
        svg.push_str("</g>");
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}
