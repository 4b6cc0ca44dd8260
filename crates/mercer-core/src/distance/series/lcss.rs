//! The longest common subsequence.

use std::ops::Range;

use super::band::{Band, SHAPE, SLOPE, WINDOW};
use super::lanes::{Doubles, Lanes};
use super::prepared::{CHANNEL, Channel, ChannelChoice, PreparedSeries};
use super::programme::{Near, Points, Rule};
use super::{Aligned, SERIES, TILE_SIDE, by_points};
use crate::data::Series;
use crate::distance::Distance;
use crate::error::Result;
use crate::traits::{Definiteness, Domain, Facts, Parameter, Part, declared};

/// One minus the length of the longest common subsequence as a share of the shorter series; time steps match if they
/// differ by at most ε.
///
/// L(i, j) is L(i-1, j-1) + 1 where |x_i - y_j| ≤ ε, else the larger of L(i-1, j) and L(i, j-1), and d = 1 -
/// L(n, m)/min(n, m). An outlier costs no more than any other unmatched time step. Time steps of several channels are
/// vectors.
///
/// Reference: Vlachos, Kollios & Gunopulos 2002, Discovering similar multidimensional trajectories.
///
/// ```
/// use mercer_core::{data::Series, distance::{NegativeSquaredDistance, series::Lcss}, gram::Engine};
/// let x = [Series::new(1, vec![1.0, 2.0, 900.0, 4.0])?, Series::new(1, vec![1.1, 2.0, 3.0, 4.1])?];
/// assert_eq!(Engine::new().distances(&NegativeSquaredDistance(Lcss::new(0.2)?), &x[..])?.at(0, 1), 0.25);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lcss {
    epsilon: f64,
    band: Band,
    channel: usize,
}

impl Lcss {
    /// Facts about this distance.
    pub const FACTS: Facts = Facts {
        name: "lcss",
        summary: "One minus the longest common subsequence of series, as a share of the shorter.",
        formula: "d(x, y) = 1 - L(n, m)/min(n, m), L(i, j) = L(i-1, j-1) + 1 where |x_i - y_j| ≤ epsilon, else max(L(i-1, j), L(i, j-1))",
        takes: "series",
        kinds: SERIES,
        definiteness: Definiteness::Indefinite,
        parameters: &[
            Parameter {
                name: "epsilon",
                default: "1",
                domain: Domain::NonNegative,
                doc: "Maximum difference of matching time steps",
                alias: None,
            },
            WINDOW,
            SHAPE,
            SLOPE,
            CHANNEL,
        ],
        cost: "n·m cells for lengths n and m, fewer within a band",
        reference: "Vlachos, Kollios & Gunopulos 2002",
        example: "lcss(epsilon=0.2, window=0.1)",
    };

    /// With this maximum difference of matching time steps.
    pub fn new(epsilon: f64) -> Result<Self> {
        Self::FACTS.check("epsilon", epsilon)?;
        Ok(Lcss { epsilon, band: Band::FULL, channel: 0 })
    }

    /// Restricts matches to a band: time steps outside of it never match.
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

declared!(Lcss { epsilon, band, channel as Channel });

impl Distance<[Series]> for Lcss {
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
        by_points::<Doubles, _>(
            &Matching { epsilon: self.epsilon, band: self.band },
            &self.band,
            rows,
            cols,
            out,
        )
    }
}

struct Matching {
    epsilon: f64,
    band: Band,
}

impl Matching {
    /// The band for two lengths, if a match can lead out of it. Then every cell is computed, so that matches are
    /// carried past the band.
    fn band_with_gaps(&self, n: usize, m: usize) -> Option<Vec<Range<usize>>> {
        let rows = self.band.rows(n, m)?;
        let follows =
            |w: &[Range<usize>]| w[0].start <= w[1].start.saturating_sub(1) && w[0].end + 1 >= w[1].end;
        (!rows.windows(2).all(follows)).then_some(rows)
    }
}

impl<V: Lanes> Aligned<V> for Matching {
    type Of<P: Points<V>> = Matches<P, V>;

    #[inline(always)]
    fn of<P: Points<V>>(&self, points: P, n: usize, m: usize) -> Self::Of<P> {
        Matches {
            points,
            epsilon: V::splat(V::scalar(self.epsilon)),
            one: V::splat(V::scalar(1.0)),
            inside: self.band_with_gaps(n, m),
        }
    }

    fn cells(&self, band: &Band, n: usize, m: usize) -> Option<Vec<Range<usize>>> {
        if self.band_with_gaps(n, m).is_some() { None } else { band.rows(n, m) }
    }

    #[inline(always)]
    fn finish(&self, value: f64, n: usize, m: usize) -> f64 {
        1.0 - value / n.min(m) as f64
    }
}

struct Matches<P, V> {
    points: P,
    epsilon: V,
    one: V,
    /// The cells that may match, if other cells are computed too.
    inside: Option<Vec<Range<usize>>>,
}

impl<V: Lanes, P: Points<V>> Rule<V> for Matches<P, V> {
    type Row<'a>
        = P::Row<'a>
    where
        Self: 'a,
        V: 'a;
    type Column<'a>
        = P::Column<'a>
    where
        Self: 'a,
        V: 'a;
    type Cell = V;
    const OUTSIDE: V = V::ZERO;
    const CORNER: V = V::ZERO;

    #[inline(always)]
    fn row<'a>(&'a self, x: &'a [V::Scalar], i: usize) -> P::Row<'a> {
        self.points.row(x, i)
    }

    #[inline(always)]
    fn column<'a>(&'a self, y: &'a [V], j: usize) -> P::Column<'a> {
        self.points.column(y, j)
    }

    #[inline(always)]
    fn cell(&self, (i, j): (usize, usize), row: P::Row<'_>, column: P::Column<'_>, near: Near<V>) -> V {
        // Within a band both neighbours may be outside, with nothing in common; the diagonal is inside.
        let unmatched = near.up.max(near.left).max(near.diagonal);
        if self.inside.as_ref().is_some_and(|rows| !rows[i].contains(&j)) {
            return unmatched;
        }
        let apart = self.points.apart(row, column);
        apart.choose_le(self.epsilon, near.diagonal.add(self.one), unmatched)
    }

    #[inline(always)]
    fn value(&self, cell: V, _len: usize, lane: usize) -> f64 {
        cell.get(lane)
    }
}
