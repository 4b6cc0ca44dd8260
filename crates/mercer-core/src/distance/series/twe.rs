//! Time warp edit distance.

use super::band::{Band, SHAPE, SLOPE, WINDOW};
use super::lanes::{Doubles, Lanes};
use super::prepared::{CHANNEL, Channel, ChannelChoice, PreparedSeries};
use super::programme::{Near, Points, Rule};
use super::{Aligned, SERIES, TILE_SIDE, by_points};
use crate::data::Series;
use crate::distance::Distance;
use crate::error::Result;
use crate::traits::{Definiteness, Domain, Facts, Parameter, Part, declared};

/// Time warp edit distance: the minimum cost of editing both series into one. Warping costs in proportion to the time
/// difference (stiffness ν), and deleting a time step costs λ in addition.
///
/// D(i, j) is the minimum of D(i-1, j-1) + |x_i - y_j| + |x_(i-1) - y_(j-1)| + 2ν|i - j|, D(i-1, j) + |x_i - x_(i-1)| +
/// ν + λ and D(i, j-1) + |y_j - y_(j-1)| + ν + λ; before their first time step both series are 0. It is a metric for
/// ν > 0. Time steps of several channels are vectors.
///
/// Reference: Marteau 2009, Time warp edit distance with stiffness adjustment for time series matching.
///
/// ```
/// use mercer_core::{data::Series, distance::{NegativeSquaredDistance, series::Twe}, gram::Engine};
/// let x = [Series::new(1, vec![1.0, 2.0])?, Series::new(1, vec![1.0, 2.5])?];
/// assert_eq!(Engine::new().distances(&NegativeSquaredDistance(Twe::new(0.001, 1.0)?), &x[..])?.at(0, 1), 0.5);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Twe {
    nu: f64,
    lambda: f64,
    band: Band,
    channel: usize,
}

impl Twe {
    /// Facts about this distance.
    pub const FACTS: Facts = Facts {
        name: "twe",
        summary: "Time warp edit distance of series: warping costs in proportion to the time difference.",
        formula: "d(x, y) = D(n, m), D(i, j) = min(D(i-1, j-1) + |x_i - y_j| + |x_(i-1) - y_(j-1)| + 2·nu·|i - j|, D(i-1, j) + |x_i - x_(i-1)| + nu + lambda, D(i, j-1) + |y_j - y_(j-1)| + nu + lambda)",
        takes: "series",
        kinds: SERIES,
        definiteness: Definiteness::Indefinite,
        parameters: &[
            Parameter {
                name: "nu",
                default: "0.001",
                domain: Domain::NonNegative,
                doc: "Stiffness: cost of warping by one time step",
                alias: None,
            },
            Parameter {
                name: "lambda",
                default: "1",
                domain: Domain::NonNegative,
                doc: "Additional cost of deleting a time step",
                alias: None,
            },
            WINDOW,
            SHAPE,
            SLOPE,
            CHANNEL,
        ],
        cost: "n·m cells for lengths n and m, fewer within a band",
        reference: "Marteau 2009",
        example: "twe(nu=0.001, lambda=1)",
    };

    /// With this stiffness and cost of deletion.
    pub fn new(nu: f64, lambda: f64) -> Result<Self> {
        Self::FACTS.check("nu", nu)?;
        Self::FACTS.check("lambda", lambda)?;
        Ok(Twe { nu, lambda, band: Band::FULL, channel: 0 })
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

declared!(Twe { nu, lambda, band, channel as Channel });

impl Distance<[Series]> for Twe {
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
        by_points::<Doubles, _>(&Warping { nu: self.nu, lambda: self.lambda }, &self.band, rows, cols, out)
    }
}

struct Warping {
    nu: f64,
    lambda: f64,
}

impl<V: Lanes> Aligned<V> for Warping {
    type Of<P: Points<V>> = Warps<P, V>;

    #[inline(always)]
    fn of<P: Points<V>>(&self, points: P, _n: usize, _m: usize) -> Self::Of<P> {
        Warps { points, nu: self.nu, left_out: V::splat(V::scalar(self.nu + self.lambda)) }
    }
}

struct Warps<P, V> {
    points: P,
    nu: f64,
    left_out: V,
}

/// A time step, the one before it, and the cost of deleting it.
#[derive(Clone, Copy)]
struct Step<M, V> {
    now: M,
    before: M,
    left_out: V,
    /// 0 at the first time step, else 1: before the first time step both series and their differences are 0.
    counts: V,
}

impl<V: Lanes, P: Points<V>> Rule<V> for Warps<P, V> {
    type Row<'a>
        = Step<P::Row<'a>, V>
    where
        Self: 'a,
        V: 'a;
    type Column<'a>
        = Step<P::Column<'a>, V>
    where
        Self: 'a,
        V: 'a;
    type Cell = V;
    const OUTSIDE: V = V::INFINITY;
    const CORNER: V = V::ZERO;

    #[inline(always)]
    fn row<'a>(&'a self, x: &'a [V::Scalar], i: usize) -> Self::Row<'a> {
        let (now, before) = (self.points.row(x, i), self.points.row(x, i.saturating_sub(1)));
        let step = match i {
            0 => self.points.row_from(now, V::ZERO),
            _ => self.points.rows_apart(now, before),
        };
        let counts = if i == 0 { V::ZERO } else { V::splat(V::scalar(1.0)) };
        Step { now, before, left_out: step.add(self.left_out), counts }
    }

    #[inline(always)]
    fn column<'a>(&'a self, y: &'a [V], j: usize) -> Self::Column<'a> {
        let (now, before) = (self.points.column(y, j), self.points.column(y, j.saturating_sub(1)));
        let step = match j {
            0 => self.points.column_from(now, V::ZERO),
            _ => self.points.columns_apart(now, before),
        };
        Step { now, before, left_out: step.add(self.left_out), counts: V::ZERO }
    }

    #[inline(always)]
    fn cell(
        &self,
        (i, j): (usize, usize),
        row: Step<P::Row<'_>, V>,
        column: Step<P::Column<'_>, V>,
        near: Near<V>,
    ) -> V {
        let stiff = V::splat(V::scalar(2.0 * self.nu * i.abs_diff(j) as f64));
        let before = self.points.apart(row.before, column.before).mul(row.counts);
        let matched = near.diagonal.add(self.points.apart(row.now, column.now).add(before).add(stiff));
        matched.min(near.up.add(row.left_out)).min(near.left.add(column.left_out))
    }

    #[inline(always)]
    fn value(&self, cell: V, _len: usize, lane: usize) -> f64 {
        cell.get(lane)
    }
}
