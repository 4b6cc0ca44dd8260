//! Dynamic time warping of derivatives.

use super::band::{Band, SHAPE, SLOPE, WINDOW};
use super::prepared::{CHANNEL, CHANNELS, ChannelChoice, PreparedSeries};
use super::{SERIES, TILE_SIDE, dtw};
use crate::data::Series;
use crate::distance::Distance;
use crate::error::Result;
use crate::traits::{Definiteness, Facts, Part, declared};

/// [Dynamic time warping](super::Dtw) of the slopes of two series, which compares their shape and not their level.
///
/// The slope at time step i is ((x_i - x_(i-1)) + (x_(i+1) - x_(i-1))/2)/2; the first and last time step take the slope
/// of their neighbour. For a series of two time steps it is their difference, for one time step it is 0.
///
/// Reference: Keogh & Pazzani 2001, Derivative dynamic time warping.
///
/// ```
/// use mercer_core::{data::Series, distance::{NegativeSquaredDistance, series::DerivativeDtw}, gram::Engine};
/// let x = [Series::new(1, vec![0.0, 1.0, 4.0, 9.0])?, Series::new(1, vec![7.0, 8.0, 11.0, 16.0])?];
/// assert_eq!(Engine::new().distances(&NegativeSquaredDistance(DerivativeDtw::default()), &x[..])?.at(0, 1), 0.0);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DerivativeDtw {
    band: Band,
    channels: ChannelChoice,
}

impl DerivativeDtw {
    /// Facts about this distance.
    pub const FACTS: Facts = Facts {
        name: "derivative-dtw",
        summary: "Dynamic time warping of the slopes of series.",
        formula: "d(x, y) = dtw(x', y'), x'_i = ((x_i - x_(i-1)) + (x_(i+1) - x_(i-1))/2)/2",
        takes: "series",
        kinds: SERIES,
        definiteness: Definiteness::Indefinite,
        parameters: &[WINDOW, SHAPE, SLOPE, CHANNELS, CHANNEL],
        cost: "n·m cells for lengths n and m, fewer within a band",
        reference: "Keogh & Pazzani 2001",
        example: "derivative-dtw(window=0.1)",
    };

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

declared!(DerivativeDtw { band, channels });

impl Distance<[Series]> for DerivativeDtw {
    type Prepared = PreparedSeries;

    fn prepare(&self, objects: &[Series]) -> Result<Self::Prepared> {
        PreparedSeries::new(objects, self.channels, |_, channel| Ok(slopes(channel)))
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
        dtw::squares(&self.band, rows, cols, out)?;
        out.iter_mut().for_each(|v| *v = v.sqrt());
        Ok(())
    }
}

fn slopes(x: &[f64]) -> Vec<f64> {
    let inner = x.windows(3).map(|w| ((w[1] - w[0]) + (w[2] - w[0]) / 2.0) / 2.0);
    let mut out: Vec<f64> = std::iter::once(0.0).chain(inner).chain((x.len() > 1).then_some(0.0)).collect();
    let n = out.len();
    match n {
        0 | 1 => {}
        2 => out.fill(x[1] - x[0]),
        _ => (out[0], out[n - 1]) = (out[1], out[n - 2]),
    }
    out
}
