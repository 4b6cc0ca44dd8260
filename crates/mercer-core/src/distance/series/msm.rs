//! Move-split-merge distance.

use super::band::{Band, SHAPE, SLOPE, WINDOW};
use super::lanes::{Doubles, Lanes};
use super::prepared::{CHANNEL, Channel, ChannelChoice, Channels, PreparedSeries};
use super::programme::{Near, Points, Rule};
use super::{Aligned, SERIES, TILE_SIDE, by_points};
use crate::data::Series;
use crate::distance::Distance;
use crate::error::Result;
use crate::traits::{Definiteness, Domain, Facts, Parameter, Part, declared};

/// Move-split-merge: the minimum cost of turning one series into the other by moving values, splitting one value into
/// two equal ones and merging two equal values. A split or merge costs c.
///
/// D(i, j) is the minimum of D(i-1, j-1) + |x_i - y_j|, D(i-1, j) + C(x_i; x_(i-1), y_j) and D(i, j-1) +
/// C(y_j; x_i, y_(j-1)), where C(a; b, e) is c plus the distance of a from the interval between b and e. It is a
/// metric, and does not change when a constant is added to both series. Several channels are compared separately and
/// summed.
///
/// Reference: Stefan, Athitsos & Das 2013, The move-split-merge metric for time series.
///
/// ```
/// use mercer_core::{data::Series, distance::{NegativeSquaredDistance, series::Msm}, gram::Engine};
/// let x = [Series::new(1, vec![1.0, 3.0])?, Series::new(1, vec![1.0, 1.0, 3.5])?];
/// // One split, and a move by a half.
/// assert_eq!(Engine::new().distances(&NegativeSquaredDistance(Msm::new(0.25)?), &x[..])?.at(0, 1), 0.75);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Msm {
    c: f64,
    band: Band,
    channel: usize,
}

impl Msm {
    /// Facts about this distance.
    pub const FACTS: Facts = Facts {
        name: "msm",
        summary: "Move-split-merge distance of series: values are moved, split in two, or merged.",
        formula: "d(x, y) = D(n, m), D(i, j) = min(D(i-1, j-1) + |x_i - y_j|, D(i-1, j) + C(x_i; x_(i-1), y_j), D(i, j-1) + C(y_j; x_i, y_(j-1))), C(a; b, e) = c + the distance of a from the interval [b, e]",
        takes: "series",
        kinds: SERIES,
        definiteness: Definiteness::Indefinite,
        parameters: &[
            Parameter {
                name: "c",
                default: "1",
                domain: Domain::NonNegative,
                doc: "Cost of a split or a merge",
                alias: None,
            },
            WINDOW,
            SHAPE,
            SLOPE,
            CHANNEL,
        ],
        cost: "n·m cells for lengths n and m, fewer within a band",
        reference: "Stefan, Athitsos & Das 2013",
        example: "msm(c=0.5)",
    };

    /// With this cost of splits and merges.
    pub fn new(c: f64) -> Result<Self> {
        Self::FACTS.check("c", c)?;
        Ok(Msm { c, band: Band::FULL, channel: 0 })
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

declared!(Msm { c, band, channel as Channel });

impl Distance<[Series]> for Msm {
    type Prepared = PreparedSeries;

    fn prepare(&self, objects: &[Series]) -> Result<Self::Prepared> {
        PreparedSeries::plain(
            objects,
            ChannelChoice { channel: self.channel, channels: Channels::Independent },
        )
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
        by_points::<Doubles, _>(&Moving { c: self.c }, &self.band, rows, cols, out)
    }
}

struct Moving {
    c: f64,
}

impl<V: Lanes> Aligned<V> for Moving {
    type Of<P: Points<V>> = Moves<V>;

    // Channels are compared one by one, so time steps are numbers.
    #[inline(always)]
    fn of<P: Points<V>>(&self, _points: P, _n: usize, _m: usize) -> Moves<V> {
        Moves { c: V::splat(V::scalar(self.c)) }
    }
}

struct Moves<V> {
    c: V,
}

impl<V: Lanes> Moves<V> {
    /// The cost of a split or merge that creates `new` next to `old` and `other`.
    #[inline(always)]
    fn cost(&self, new: V, old: V, other: V) -> V {
        let outside = old.min(other).sub(new).max(new.sub(old.max(other)));
        self.c.add(outside.max(V::ZERO))
    }
}

impl<V: Lanes> Rule<V> for Moves<V> {
    /// A value and the one before it.
    type Row<'a>
        = (V, V)
    where
        Self: 'a,
        V: 'a;
    type Column<'a>
        = (V, V)
    where
        Self: 'a,
        V: 'a;
    type Cell = V;
    const OUTSIDE: V = V::INFINITY;
    const CORNER: V = V::ZERO;

    #[inline(always)]
    fn row<'a>(&'a self, x: &'a [V::Scalar], i: usize) -> (V, V) {
        (V::splat(x[i]), V::splat(x[i.saturating_sub(1)]))
    }

    #[inline(always)]
    fn column<'a>(&'a self, y: &'a [V], j: usize) -> (V, V) {
        (y[j], y[j.saturating_sub(1)])
    }

    #[inline(always)]
    fn cell(&self, _at: (usize, usize), (x, x_before): (V, V), (y, y_before): (V, V), near: Near<V>) -> V {
        let moved = near.diagonal.add(x.sub(y).abs());
        let merged = near.up.add(self.cost(x, x_before, y));
        let split = near.left.add(self.cost(y, y_before, x));
        moved.min(merged).min(split)
    }

    #[inline(always)]
    fn value(&self, cell: V, _len: usize, lane: usize) -> f64 {
        cell.get(lane)
    }
}
