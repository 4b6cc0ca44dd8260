//! Similarities that are no inner products of features, divided among the features: a weight per feature that holds for
//! one object.
//!
//! Three kinds of kernels transform k(x, y) = Σ_f φ_f(x)·φ_f(y):
//!
//! * A ratio (`tanimoto`, `dice`, `normalize` around one of them) multiplies k(x, y) by a factor of the pair. Each shared
//!   feature gets its own part, φ_f(x)·φ_f(y) times the factor.
//! * A Gaussian (`rbf-of`) is divided by integrated gradients along t ↦ t·φ(x) from an object without features. Feature
//!   f gets a·φ_f(x)·φ_f(y) - b·φ_f(x)², with a = 2γ∫g, b = 2γ∫t·g and g(t) the Gaussian on the way.
//!
//! The parts add up to the similarity in every case; how they are divided is a rule.
//!
//! J. Balfer and J. Bajorath, *Visualization and interpretation of support vector machine activity predictions*, J.
//! Chem. Inf. Model. 55, 2015. M. Sundararajan, A. Taly and Q. Yan, *Axiomatic attribution for deep networks*, ICML 2017.

use std::ops::Range;

use crate::budget;
use crate::data::Dense;
use crate::error::Result;
use crate::gram::Ratio;

/// A transformation of the similarity that a range of columns makes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Level {
    pub(super) columns: Range<usize>,
    pub(super) by: Transform,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Transform {
    Ratio(Ratio),
    /// The cosine: k(x, y) / √(k(x, x)·k(y, y)).
    Cosine,
    /// A multiple.
    Factor(f64),
    /// exp(-gamma·(k(x, x) + k(y, y) - 2k(x, y))).
    Gaussian {
        gamma: f64,
    },
}

/// Rows of features whose similarities are transformed.
pub(crate) struct Pairwise<'t> {
    rows: &'t [Vec<(u32, f64)>],
    /// The segment of each column: columns between the ends of all ranges.
    segment: Vec<u32>,
    /// The levels from the inside out, by their segments.
    levels: Vec<(Range<usize>, Transform)>,
    segments: usize,
    /// The self-similarity of each object before each level.
    own: Vec<Vec<f64>>,
    /// Where a feature stands in the row of the object at hand.
    place: Vec<u32>,
}

const ABSENT: u32 = u32::MAX;

/// The parts of a similarity in one segment: factors of φ_f(x)·φ_f(y) and of φ_f(x)², and a constant.
#[derive(Clone, Copy)]
struct Shares {
    shared: f64,
    own: f64,
    constant: f64,
}

impl<'t> Pairwise<'t> {
    pub(super) fn new(rows: &'t [Vec<(u32, f64)>], columns: usize, levels: &[Level]) -> Result<Self> {
        budget::ask("the weights of features", 8 * columns as u64)?;
        let mut ends: Vec<usize> = levels.iter().flat_map(|l| [l.columns.start, l.columns.end]).collect();
        ends.extend([0, columns]);
        ends.sort_unstable();
        ends.dedup();
        let number = |column: usize| ends.partition_point(|&e| e <= column).saturating_sub(1);
        let segment = (0..columns).map(|c| number(c) as u32).collect();
        let at = |end: usize| ends.binary_search(&end).unwrap_or(0);
        let levels = levels.iter().map(|l| (at(l.columns.start)..at(l.columns.end), l.by)).collect();
        let mut out = Pairwise {
            rows,
            segment,
            levels,
            segments: ends.len().max(2) - 1,
            own: Vec::with_capacity(rows.len()),
            place: vec![ABSENT; columns],
        };
        for row in rows {
            budget::check_often()?;
            let mut squares = vec![0.0; out.segments];
            row.iter().for_each(|&(f, v)| squares[out.segment[f as usize] as usize] += v * v);
            let mut own = Vec::with_capacity(out.levels.len());
            out.shares(&squares, &squares, |_, value| {
                own.push(value);
                (value, value)
            });
            out.own.push(own);
        }
        Ok(out)
    }

    /// The shares of a pair with these products per segment; `squares` are those of the first object. `lengths` gets a
    /// level and the similarity before it, and gives the two self-similarities.
    fn shares(
        &self,
        products: &[f64],
        squares: &[f64],
        mut lengths: impl FnMut(usize, f64) -> (f64, f64),
    ) -> Vec<Shares> {
        let mut shares = vec![Shares { shared: 1.0, own: 0.0, constant: 0.0 }; self.segments];
        for (level, (within, by)) in self.levels.iter().enumerate() {
            let value: f64 = within
                .clone()
                .map(|s| {
                    let Shares { shared, own, constant } = shares[s];
                    shared * products[s] + own * squares[s] + constant
                })
                .sum();
            let (x, y) = lengths(level, value);
            let part = |over: f64| if over > 0.0 { 1.0 / over } else { 0.0 };
            let factor = match *by {
                Transform::Ratio(Ratio::Tanimoto) => part(x + y - value),
                Transform::Ratio(Ratio::Dice) => 2.0 * part(x + y),
                Transform::Cosine => part((x.max(0.0) * y.max(0.0)).sqrt()),
                Transform::Factor(factor) => factor,
                Transform::Gaussian { gamma } => {
                    let (shared, own, constant) = gaussian(gamma, x, y, value);
                    within.clone().for_each(|s| shares[s] = Shares { shared, own, constant: 0.0 });
                    if let Some(first) = within.clone().next() {
                        shares[first].constant = constant;
                    }
                    continue;
                }
            };
            for s in within.clone() {
                let Shares { shared, own, constant } = shares[s];
                shares[s] =
                    Shares { shared: shared * factor, own: own * factor, constant: constant * factor };
            }
        }
        shares
    }

    /// The weights of the features of an object, in the order of its row, in Σ_j k(x, x_j)·slope_j over the first
    /// objects: a row for each feature, a column for each column of slopes; and what does not depend on its features.
    pub(crate) fn weights(&mut self, object: usize, slopes: &Dense) -> Result<(Dense, Vec<f64>)> {
        let row = &self.rows[object];
        let (columns, segments) = (slopes.cols(), self.segments);
        let mut weights = Dense::zeros(row.len(), columns);
        let (mut own, mut constant): (Dense, _) = (Dense::zeros(segments, columns), vec![0.0; columns]);
        let mut squares = vec![0.0; segments];
        for (at, &(f, v)) in row.iter().enumerate() {
            self.place[f as usize] = at as u32;
            squares[self.segment[f as usize] as usize] += v * v;
        }
        let mut products = vec![0.0; segments];
        for j in 0..slopes.rows() {
            budget::check_often()?;
            products.fill(0.0);
            let shared = |&&(f, _): &&(u32, f64)| self.place[f as usize] != ABSENT;
            for &(f, v) in self.rows[j].iter().filter(shared) {
                products[self.segment[f as usize] as usize] += v * row[self.place[f as usize] as usize].1;
            }
            let shares =
                self.shares(&products, &squares, |level, _| (self.own[object][level], self.own[j][level]));
            let slope = slopes.row(j);
            for &(f, v) in self.rows[j].iter().filter(shared) {
                let factor = shares[self.segment[f as usize] as usize].shared * v;
                let at = self.place[f as usize] as usize;
                weights.row_mut(at).iter_mut().zip(slope).for_each(|(w, s)| *w += s * factor);
            }
            for (s, share) in shares.iter().enumerate().filter(|(_, s)| s.own != 0.0 || s.constant != 0.0) {
                own.row_mut(s).iter_mut().zip(slope).for_each(|(w, slope)| *w += slope * share.own);
                constant.iter_mut().zip(slope).for_each(|(c, slope)| *c += slope * share.constant);
            }
        }
        for (at, &(f, v)) in row.iter().enumerate() {
            self.place[f as usize] = ABSENT;
            let of_segment = own.row(self.segment[f as usize] as usize);
            weights.row_mut(at).iter_mut().zip(of_segment).for_each(|(w, o)| *w += v * o);
        }
        Ok((weights, constant))
    }
}

/// The parts of exp(-γ(x + y - 2k)): the factors of shared and own features, and the value without features.
fn gaussian(gamma: f64, x: f64, y: f64, k: f64) -> (f64, f64, f64) {
    let constant = (-gamma * y).exp();
    if x <= 0.0 {
        return (0.0, 0.0, constant);
    }
    // ∫ exp(-γ(t²x + y - 2tk)) dt from 0 to 1, by Gauss–Legendre with eight points in panels.
    const POINTS: [(f64, f64); 4] = [
        (0.183_434_642_495_649_8, 0.362_683_783_378_362),
        (0.525_532_409_916_329, 0.313_706_645_877_887_3),
        (0.796_666_477_413_626_7, 0.222_381_034_453_374_5),
        (0.960_289_856_497_536_2, 0.101_228_536_290_376_3),
    ];
    let panels = ((gamma * x).sqrt().ceil() as usize).clamp(1, 64);
    let at = |t: f64| (-gamma * (t * t * x + y - 2.0 * t * k)).exp();
    let (half, mut integral) = (0.5 / panels as f64, 0.0);
    for panel in 0..panels {
        let middle = (2 * panel + 1) as f64 * half;
        integral +=
            POINTS.iter().map(|(p, w)| w * (at(middle + p * half) + at(middle - p * half))).sum::<f64>();
    }
    let shared = 2.0 * gamma * integral * half;
    // The parts add up to the change from no features to all of them; this gives the other integral.
    let own = (at(1.0) - constant - shared * k) / x;
    (shared, own, constant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_gaussians_add_up_and_are_integrals() {
        for (gamma, x, y, k) in [(0.1, 30.0, 20.0, 12.0), (2.0, 40.0, 41.0, 39.0), (0.01, 5.0, 500.0, 0.0)] {
            let (shared, own, constant) = gaussian(gamma, x, y, k);
            let value = (-gamma * (x + y - 2.0 * k)).exp();
            assert!((constant + shared * k + own * x - value).abs() < 1e-12);
            // -own is 2γ∫t·g, here by the midpoint rule.
            let steps = 200_000;
            let g = |t: f64| (-gamma * (t * t * x + y - 2.0 * t * k)).exp();
            let sum: f64 = (0..steps).map(|i| (i as f64 + 0.5) / steps as f64).map(|t| t * g(t)).sum();
            let expected = 2.0 * gamma * sum / steps as f64;
            assert!((-own - expected).abs() < 1e-7 * expected.max(1e-9), "{own} {expected}");
        }
        assert_eq!(gaussian(1.0, 0.0, 2.0, 0.0), (0.0, 0.0, (-2.0f64).exp()));
    }
}
