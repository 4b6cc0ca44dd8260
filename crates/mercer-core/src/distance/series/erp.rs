//! Edit distance with real penalty.

use super::band::{Band, SHAPE, SLOPE, WINDOW};
use super::lanes::{Doubles, Lanes};
use super::prepared::{CHANNEL, Channel, ChannelChoice, PreparedSeries};
use super::programme::{Near, Points, Rule};
use super::{Aligned, SERIES, TILE_SIDE, by_points};
use crate::data::Series;
use crate::distance::Distance;
use crate::error::Result;
use crate::traits::{Definiteness, Domain, Facts, Parameter, Part, declared};

/// Edit distance with real penalty: the minimum cost of turning one series into the other, where an unmatched time step
/// costs its distance from a constant g.
///
/// D(i, j) is the minimum of D(i-1, j-1) + |x_i - y_j|, D(i-1, j) + |x_i - g| and D(i, j-1) + |y_j - g|. It is a
/// metric. Time steps of several channels are vectors, and g is used for each channel.
///
/// Reference: Chen & Ng 2004, On the marriage of Lp-norms and edit distance.
///
/// ```
/// use mercer_core::{data::Series, distance::{NegativeSquaredDistance, series::Erp}, gram::Engine};
/// let x = [Series::new(1, vec![1.0, 2.0, 5.0])?, Series::new(1, vec![1.0, 5.0])?];
/// // The 2 is unmatched.
/// assert_eq!(Engine::new().distances(&NegativeSquaredDistance(Erp::new(0.0)?), &x[..])?.at(0, 1), 2.0);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Erp {
    g: f64,
    band: Band,
    channel: usize,
}

impl Erp {
    /// Facts about this distance.
    pub const FACTS: Facts = Facts {
        name: "erp",
        summary: "Edit distance with real penalty of series: unmatched time steps cost their distance from g.",
        formula: "d(x, y) = D(n, m), D(i, j) = min(D(i-1, j-1) + |x_i - y_j|, D(i-1, j) + |x_i - g|, D(i, j-1) + |y_j - g|)",
        takes: "series",
        kinds: SERIES,
        definiteness: Definiteness::Indefinite,
        parameters: &[
            Parameter {
                name: "g",
                default: "0",
                domain: Domain::Finite,
                doc: "Value that unmatched time steps are compared with",
                alias: None,
            },
            WINDOW,
            SHAPE,
            SLOPE,
            CHANNEL,
        ],
        cost: "n·m cells for lengths n and m, fewer within a band",
        reference: "Chen & Ng 2004",
        example: "erp(g=0)",
    };

    /// With this constant.
    pub fn new(g: f64) -> Result<Self> {
        Self::FACTS.check("g", g)?;
        Ok(Erp { g, band: Band::FULL, channel: 0 })
    }

    /// Restricts alignments to a band.
    pub fn within(mut self, band: Band) -> Self {
        self.band = band;
        self
    }

    /// Selects one channel, from 1; 0 selects all.
    pub fn on(mut self, channel: usize) -> Self {
        self.channel = channel;
        self
    }
}

declared!(Erp { g, band, channel as Channel });

impl Distance<[Series]> for Erp {
    type Prepared = PreparedSeries;

    fn prepare(&self, objects: &[Series]) -> Result<Self::Prepared> {
        PreparedSeries::plain(objects, ChannelChoice::at(self.channel))
    }

    fn tile_side(&self) -> usize {
        TILE_SIDE
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        by_points::<Doubles, _>(&Editing { g: self.g }, &self.band, rows, cols, out)
    }
}

struct Editing {
    g: f64,
}

impl<V: Lanes> Aligned<V> for Editing {
    type Of<P: Points<V>> = Edits<P, V>;

    #[inline(always)]
    fn of<P: Points<V>>(&self, points: P, _n: usize, _m: usize) -> Self::Of<P> {
        Edits { points, g: V::splat(V::scalar(self.g)) }
    }
}

struct Edits<P, V> {
    points: P,
    g: V,
}

impl<V: Lanes, P: Points<V>> Rule<V> for Edits<P, V> {
    /// A time step, and its cost if unmatched.
    type Row<'a>
        = (P::Row<'a>, V)
    where
        Self: 'a,
        V: 'a;
    type Column<'a>
        = (P::Column<'a>, V)
    where
        Self: 'a,
        V: 'a;
    type Cell = V;
    const OUTSIDE: V = V::INFINITY;
    const CORNER: V = V::ZERO;

    #[inline(always)]
    fn row<'a>(&'a self, x: &'a [V::Scalar], i: usize) -> Self::Row<'a> {
        let row = self.points.row(x, i);
        (row, self.points.row_from(row, self.g))
    }

    #[inline(always)]
    fn column<'a>(&'a self, y: &'a [V], j: usize) -> Self::Column<'a> {
        let column = self.points.column(y, j);
        (column, self.points.column_from(column, self.g))
    }

    #[inline(always)]
    fn cell(
        &self,
        _at: (usize, usize),
        (row, row_gap): (P::Row<'_>, V),
        (column, column_gap): (P::Column<'_>, V),
        near: Near<V>,
    ) -> V {
        let matched = near.diagonal.add(self.points.apart(row, column));
        matched.min(near.up.add(row_gap)).min(near.left.add(column_gap))
    }

    #[inline(always)]
    fn value(&self, cell: V, _len: usize, lane: usize) -> f64 {
        cell.get(lane)
    }

    /// All time steps are unmatched before the first of the other series.
    #[inline(always)]
    fn left_border(&self, x: &[V::Scalar], out: &mut [V]) {
        let mut sum = V::ZERO;
        for (i, cell) in out.iter_mut().enumerate() {
            sum = sum.add(self.row(x, i).1);
            *cell = sum;
        }
    }

    #[inline(always)]
    fn upper_border(&self, y: &[V], out: &mut [V]) {
        let mut sum = V::ZERO;
        for (j, cell) in out.iter_mut().enumerate() {
            sum = sum.add(self.column(y, j).1);
            *cell = sum;
        }
    }
}
