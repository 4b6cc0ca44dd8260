//! Dynamic time warping that penalises alignments far from the diagonal.

use super::band::{Band, SHAPE, SLOPE, WINDOW};
use super::lanes::{Doubles, Lanes};
use super::prepared::{CHANNEL, CHANNELS, ChannelChoice, PreparedSeries};
use super::programme::{Near, Points, Rule, of_points};
use super::{Aligned, SERIES, TILE_SIDE, by_points};
use crate::data::Series;
use crate::distance::Distance;
use crate::error::Result;
use crate::traits::{Definiteness, Domain, Facts, Parameter, Part, declared};

/// [Dynamic time warping](super::Dtw) whose squared differences are weighted by their difference in time.
///
/// Time steps i and j have weight 1 / (1 + exp(-g·(|i - j| - L/2))) where L is the longer length. With g = 0 all
/// weights are one half; with a large g, warping beyond half the length is expensive and shorter warping is almost
/// free.
///
/// Reference: Jeong, Jeong & Omitaomu 2011, Weighted dynamic time warping for time series classification.
///
/// ```
/// use mercer_core::{data::Series, distance::{NegativeSquaredDistance, series::WeightedDtw}, gram::Engine};
/// let x = [Series::new(1, vec![0.0, 2.0])?, Series::new(1, vec![2.0, 2.0])?];
/// // Every weight is a half: √(4/2).
/// let d = Engine::new().distances(&NegativeSquaredDistance(WeightedDtw::new(0.0)?), &x[..])?;
/// assert_eq!(d.at(0, 1), 2f64.sqrt());
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightedDtw {
    g: f64,
    band: Band,
    channels: ChannelChoice,
}

impl WeightedDtw {
    /// Facts about this distance.
    pub const FACTS: Facts = Facts {
        name: "weighted-dtw",
        summary: "Dynamic time warping of series that penalises alignments far from the diagonal.",
        formula: "d(x, y) = √(min over alignments of Σ |x_i - y_j|² / (1 + exp(-g·(|i - j| - L/2)))), L the longer length",
        takes: "series",
        kinds: SERIES,
        definiteness: Definiteness::Indefinite,
        parameters: &[
            Parameter {
                name: "g",
                default: "0.05",
                domain: Domain::NonNegative,
                doc: "Steepness of the growth of weights with the time difference",
                alias: None,
            },
            WINDOW,
            SHAPE,
            SLOPE,
            CHANNELS,
            CHANNEL,
        ],
        cost: "n·m cells for lengths n and m, fewer within a band",
        reference: "Jeong, Jeong & Omitaomu 2011",
        example: "weighted-dtw(g=0.05)",
    };

    /// With this steepness of the weights.
    pub fn new(g: f64) -> Result<Self> {
        Self::FACTS.check("g", g)?;
        Ok(WeightedDtw { g, band: Band::FULL, channels: ChannelChoice::default() })
    }

    /// Restricts alignments to a band.
    pub fn within(mut self, band: Band) -> Self {
        self.band = band;
        self
    }

    /// Selects channels.
    pub fn on(mut self, channels: ChannelChoice) -> Self {
        self.channels = channels;
        self
    }
}

declared!(WeightedDtw { g, band, channels });

impl Distance<[Series]> for WeightedDtw {
    type Prepared = PreparedSeries;

    fn prepare(&self, objects: &[Series]) -> Result<Self::Prepared> {
        PreparedSeries::plain(objects, self.channels)
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
        by_points::<Doubles, _>(&Weighing { g: self.g }, &self.band, rows, cols, out)?;
        out.iter_mut().for_each(|v| *v = v.sqrt());
        Ok(())
    }
}

struct Weighing {
    g: f64,
}

impl<V: Lanes> Aligned<V> for Weighing {
    type Of<P: Points<V>> = Weighted<P, V::Scalar>;

    #[inline(always)]
    fn of<P: Points<V>>(&self, points: P, n: usize, m: usize) -> Self::Of<P> {
        let longer = n.max(m);
        let weight = |apart: usize| 1.0 / (1.0 + (-self.g * (apart as f64 - longer as f64 / 2.0)).exp());
        Weighted(points, (0..longer).map(|apart| V::scalar(weight(apart))).collect())
    }

    const ANY_LENGTH: bool = false;
}

/// D(i, j) = w(|i - j|)·|x_i - y_j|² + the minimum of its neighbours.
struct Weighted<P, S>(P, Vec<S>);

impl<V: Lanes, P: Points<V>> Rule<V> for Weighted<P, V::Scalar> {
    of_points!(P, V);

    #[inline(always)]
    fn cell(&self, (i, j): (usize, usize), row: P::Row<'_>, column: P::Column<'_>, near: Near<V>) -> V {
        let weight = V::splat(self.1[i.abs_diff(j)]);
        self.0.squared(row, column).mul(weight).add(near.least())
    }
}
