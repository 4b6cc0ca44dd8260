//! Soft dynamic time warping, as a divergence.

use super::SERIES;
use super::band::{Band, SHAPE, SLOPE, WINDOW};
use super::prepared::{CHANNEL, Channel, ChannelChoice, PreparedSeries};
use super::sums::{Local, log_sums};
use crate::data::Series;
use crate::distance::Distance;
use crate::error::Result;
use crate::traits::{Definiteness, Domain, Facts, Parameter, Part, Prepared, declared};

/// Soft dynamic time warping: the smoothed minimum of the costs of all alignments, s(x, y) = -γ log Σ_π
/// exp(-cost(π)/γ), where a cost is a sum of squared differences.
///
/// By itself s is not a distance: it may be negative, and s(x, x) is not 0. The distance is the square root of the
/// divergence s(x, y) - (s(x, x) + s(y, y))/2, so that d² is the divergence. Where rounding or almost equal series
/// would make it negative, it is 0. As γ goes to 0 it becomes [`Dtw`](super::Dtw).
///
/// Reference: Cuturi & Blondel 2017, Soft-DTW; Blondel, Mensch & Vert 2021, Differentiable divergences between time
/// series.
///
/// ```
/// use mercer_core::{data::Series, distance::{NegativeSquaredDistance, series::SoftDtw}, gram::Engine};
/// let x = [Series::new(1, vec![1.0])?, Series::new(1, vec![4.0])?];
/// // There is only one alignment.
/// let d = Engine::new().distances(&NegativeSquaredDistance(SoftDtw::new(1.0)?), &x[..])?;
/// assert!((d.at(0, 1) - 3.0).abs() < 1e-14);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoftDtw {
    gamma: f64,
    band: Band,
    channel: usize,
}

impl SoftDtw {
    /// Facts about this distance.
    pub const FACTS: Facts = Facts {
        name: "soft-dtw",
        summary: "Soft dynamic time warping of series, as the root of its divergence.",
        formula: "d(x, y) = √(max(0, s(x, y) - (s(x, x) + s(y, y))/2)), s(x, y) = -gamma·log(Σ over alignments of exp(-Σ |x_i - y_j|²/gamma))",
        takes: "series",
        kinds: SERIES,
        definiteness: Definiteness::Indefinite,
        parameters: &[
            Parameter {
                name: "gamma",
                default: "1",
                domain: Domain::Positive,
                doc: "Smoothing of the minimum",
                alias: None,
            },
            WINDOW,
            SHAPE,
            SLOPE,
            CHANNEL,
        ],
        cost: "n·m exponentials for lengths n and m, fewer within a band",
        reference: "Cuturi & Blondel 2017; Blondel, Mensch & Vert 2021",
        example: "soft-dtw(gamma=0.1)",
    };

    /// With this smoothing.
    pub fn new(gamma: f64) -> Result<Self> {
        Self::FACTS.check("gamma", gamma)?;
        Ok(SoftDtw { gamma, band: Band::FULL, channel: 0 })
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

    fn local(&self) -> Local {
        Local::Gaussian { scale: 1.0 / self.gamma }
    }
}

declared!(SoftDtw { gamma, band, channel as Channel });

/// Series with their soft self-alignments.
#[derive(Clone, Debug)]
pub struct SelfAligned {
    pub(crate) series: PreparedSeries,
    /// The logarithm of the sum over alignments of a series with itself.
    pub(crate) own: Vec<f64>,
}

impl Prepared for SelfAligned {
    fn len(&self) -> usize {
        self.own.len()
    }

    fn select(&self, chosen: &[usize]) -> Self {
        SelfAligned { series: self.series.select(chosen), own: self.own.select(chosen) }
    }
}

impl SelfAligned {
    pub(crate) fn new(series: PreparedSeries, local: Local, band: &Band) -> Result<Self> {
        let mut own = vec![0.0; series.len()];
        for (i, value) in own.iter_mut().enumerate() {
            let one = || Part::new(&series, i..i + 1);
            log_sums(local, band, one(), one(), std::slice::from_mut(value))?;
        }
        Ok(SelfAligned { series, own })
    }

    /// The values of each row and column of a tile.
    pub(crate) fn pair_values<'a>(
        rows: &'a Part<'_, SelfAligned>,
        cols: &'a Part<'_, SelfAligned>,
    ) -> impl Iterator<Item = (f64, f64)> + 'a {
        let of = |part: &'a Part<'_, SelfAligned>| part.set.own[part.range.clone()].iter().copied();
        of(rows).flat_map(move |x| of(cols).map(move |y| (x, y)))
    }
}

impl Distance<[Series]> for SoftDtw {
    type Prepared = SelfAligned;

    fn prepare(&self, objects: &[Series]) -> Result<Self::Prepared> {
        SelfAligned::new(
            PreparedSeries::plain(objects, ChannelChoice::at(self.channel))?,
            self.local(),
            &self.band,
        )
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        log_sums(self.local(), &self.band, rows.of(|s| &s.series), cols.of(|s| &s.series), out)?;
        for (value, (x, y)) in out.iter_mut().zip(SelfAligned::pair_values(&rows, &cols)) {
            let divergence = -self.gamma * (*value - 0.5 * (x + y));
            // NaN stays, so that the engine reports an error.
            *value = if divergence < 0.0 { 0.0 } else { divergence.sqrt() };
        }
        Ok(())
    }

    fn tile_side(&self) -> usize {
        super::TILE_SIDE
    }
}
