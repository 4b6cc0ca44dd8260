//! Soft dynamic time warping, as a divergence.

use std::fmt;

use super::SERIES;
use super::band::{Band, SHAPE, SLOPE, WINDOW};
use super::prepared::{CHANNEL, Look, PreparedSeries};
use super::sums::{Local, log_sums};
use crate::data::Series;
use crate::distance::Distance;
use crate::error::Result;
use crate::traits::{Definiteness, Domain, Facts, Parameter, Part, Prepared};

/// Soft dynamic time warping: instead of the least cost of all alignments their smoothed minimum
/// s(x, y) = -γ log Σ_π exp(-cost(π)/γ), where a cost is a sum of squared differences.
///
/// Alone it is no distance: s may be negative, and s(x, x) is not 0. What is computed is the root of the divergence
/// s(x, y) - (s(x, x) + s(y, y))/2, so that d² is the divergence; where rounding, or series that are all but equal, would make
/// it negative it is 0. As γ goes to 0 it becomes [`Dtw`](super::Dtw).
///
/// Reference: Cuturi & Blondel 2017, Soft-DTW; Blondel, Mensch & Vert 2021, Differentiable divergences between time series.
///
/// ```
/// use mercer_core::{data::Series, distance::{Negative, series::SoftDtw}, gram::Engine};
/// let x = [Series::new(1, vec![1.0])?, Series::new(1, vec![4.0])?];
/// // There is one alignment only.
/// assert!((Engine::new().distances(&Negative(SoftDtw::new(1.0)?), &x[..])?.at(0, 1) - 3.0).abs() < 1e-14);
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
                doc: "How much the minimum is smoothed",
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

    /// With such a smoothing.
    pub fn new(gamma: f64) -> Result<Self> {
        Domain::Positive.check("gamma", gamma)?;
        Ok(SoftDtw { gamma, band: Band::FULL, channel: 0 })
    }

    /// The same within a band.
    pub fn within(mut self, band: Band) -> Self {
        self.band = band;
        self
    }

    /// The same on one channel, from 1; or all with 0.
    pub fn on(mut self, channel: usize) -> Self {
        self.channel = channel;
        self
    }

    fn local(&self) -> Local {
        Local::Gaussian { scale: 1.0 / self.gamma }
    }
}

impl fmt::Display for SoftDtw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "soft-dtw(gamma={}, {}{})", self.gamma, self.band, Look::at(self.channel))
    }
}

/// Series and how soft they are by themselves.
#[derive(Clone, Debug)]
pub struct Selves {
    pub(crate) series: PreparedSeries,
    /// The logarithm of the sum over alignments with itself.
    pub(crate) own: Vec<f64>,
}

impl Prepared for Selves {
    fn len(&self) -> usize {
        self.own.len()
    }

    fn select(&self, chosen: &[usize]) -> Self {
        Selves { series: self.series.select(chosen), own: self.own.select(chosen) }
    }
}

impl Selves {
    pub(crate) fn new(series: PreparedSeries, local: Local, band: &Band) -> Result<Self> {
        let mut own = vec![0.0; series.len()];
        for (i, value) in own.iter_mut().enumerate() {
            let one = || Part::new(&series, i..i + 1);
            log_sums(local, band, one(), one(), std::slice::from_mut(value))?;
        }
        Ok(Selves { series, own })
    }

    /// What stands at a row and a column of a tile.
    pub(crate) fn beside<'a>(
        rows: &'a Part<'_, Selves>,
        cols: &'a Part<'_, Selves>,
    ) -> impl Iterator<Item = (f64, f64)> + 'a {
        let of = |part: &'a Part<'_, Selves>| part.set.own[part.range.clone()].iter().copied();
        of(rows).flat_map(move |x| of(cols).map(move |y| (x, y)))
    }
}

impl Distance<[Series]> for SoftDtw {
    type Prepared = Selves;

    fn prepare(&self, objects: &[Series]) -> Result<Self::Prepared> {
        Selves::new(PreparedSeries::plain(objects, Look::at(self.channel))?, self.local(), &self.band)
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        log_sums(self.local(), &self.band, rows.of(|s| &s.series), cols.of(|s| &s.series), out)?;
        for (value, (x, y)) in out.iter_mut().zip(Selves::beside(&rows, &cols)) {
            let divergence = -self.gamma * (*value - 0.5 * (x + y));
            // NaN stays, for the engine to refuse.
            *value = if divergence < 0.0 { 0.0 } else { divergence.sqrt() };
        }
        Ok(())
    }

    fn tile_side(&self) -> usize {
        super::TILE_SIDE
    }
}
