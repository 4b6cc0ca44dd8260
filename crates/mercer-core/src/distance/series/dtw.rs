//! Dynamic time warping.

use std::fmt;

use super::band::{Band, SHAPE, SLOPE, WINDOW};
use super::lanes::{Doubles, Lanes, Singles};
use super::prepared::{CHANNEL, CHANNELS, ChannelChoice, PreparedSeries};
use super::programme::{Near, Points, Rule, of_points};
use super::{Aligned, SERIES, TILE_SIDE, by_points};
use crate::data::Series;
use crate::distance::Distance;
use crate::error::Result;
use crate::traits::{
    Definiteness, Domain, Facts, Parameter, ParameterValue, Part, Printer, Settings, declared,
};

/// Dynamic time warping: the square root of the minimum sum of squared differences over all alignments of two series.
///
/// d(x, y)² = min over alignments π of Σ_((i, j) ∈ π) |x_i - y_j|². An alignment goes from both starts to both ends,
/// and each step advances one series or both by one time step. Lengths may differ. Time steps of several channels are
/// vectors and are aligned together; with [`ChannelChoice::INDEPENDENT`] each channel has its own alignment and squares
/// are summed.
///
/// It is not a metric, and its Gaussian (`rbf-of`) is not positive semidefinite in general.
///
/// Parameters: `window` and `shape`, see [`Band`]; `channels`, `channel`; `precision`: single precision halves the time
/// and has seven digits. Cost: n·m cells for lengths n and m, fewer within a band; about five operations per cell and
/// channel.
///
/// Reference: Sakoe & Chiba 1978, Dynamic programming algorithm optimization for spoken word recognition;
/// Shokoohi-Yekta et al. 2017 for dependent and independent channels.
///
/// ```
/// use mercer_core::{data::Series, distance::{NegativeSquaredDistance, series::Dtw}, gram::Engine};
/// let x = [Series::new(1, vec![0.0, 1.0, 2.0, 2.0])?, Series::new(1, vec![0.0, 0.0, 1.0, 5.0])?];
/// // The time steps 0 1 2 2 are aligned with 0 0 1 5 as 0-0, 0-0, 1-1, 2-1, 2-5.
/// assert_eq!(Engine::new().distances(&NegativeSquaredDistance(Dtw::default()), &x[..])?.at(0, 1), 10f64.sqrt());
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dtw {
    band: Band,
    channels: ChannelChoice,
    single: bool,
}

pub(super) const PRECISION: Parameter = Parameter {
    name: "precision",
    default: "double",
    domain: Domain::Word(&["double", "single"]),
    doc: "Floating-point precision: single is twice as fast and has seven digits",
    alias: None,
};

impl Dtw {
    /// Facts about this distance.
    pub const FACTS: Facts = Facts {
        name: "dtw",
        summary: "Dynamic time warping of series: the least squared difference over all alignments.",
        formula: "d(x, y) = √(min over alignments of Σ |x_i - y_j|²)",
        takes: "series",
        kinds: SERIES,
        definiteness: Definiteness::Indefinite,
        parameters: &[WINDOW, SHAPE, SLOPE, CHANNELS, CHANNEL, PRECISION],
        cost: "n·m cells for lengths n and m, fewer within a band",
        reference: "Sakoe & Chiba 1978; Shokoohi-Yekta et al. 2017",
        example: "dtw(window=0.1)",
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

    /// Whether to compute in single precision.
    pub fn single(mut self, single: bool) -> Self {
        self.single = single;
        self
    }

    /// The band that restricts alignments.
    pub fn band(&self) -> Band {
        self.band
    }

    /// The selected channels.
    pub fn channels(&self) -> ChannelChoice {
        self.channels
    }
}

/// The precision; double, the default, is not printed.
struct Precision(bool);

impl ParameterValue for Precision {
    fn read(settings: &mut Settings<'_>) -> Result<Self> {
        Ok(Precision(settings.word()? == "single"))
    }

    fn print(&self, out: &mut Printer<'_, '_>) -> fmt::Result {
        if self.0 { out.put("single") } else { out.skip() }
    }
}

declared!(Dtw(band, channels, single as Precision) => {
    let Precision(single) = single;
    Ok(Dtw { band, channels, single })
});

impl Distance<[Series]> for Dtw {
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
        match self.single {
            true => by_points::<Singles, _>(&Warping, &self.band, rows, cols, out)?,
            false => squares(&self.band, rows, cols, out)?,
        }
        out.iter_mut().for_each(|v| *v = v.sqrt());
        Ok(())
    }
}

/// D(i, j) = |x_i - y_j|² + the minimum of its neighbours.
struct Warping;

impl<V: Lanes> Aligned<V> for Warping {
    type Of<P: Points<V>> = Warped<P>;

    #[inline(always)]
    fn of<P: Points<V>>(&self, points: P, _n: usize, _m: usize) -> Warped<P> {
        Warped(points)
    }
}

struct Warped<P>(P);

impl<V: Lanes, P: Points<V>> Rule<V> for Warped<P> {
    of_points!(P, V);

    #[inline(always)]
    fn cell(&self, _at: (usize, usize), row: P::Row<'_>, column: P::Column<'_>, near: Near<V>) -> V {
        self.0.squared(row, column).add(near.least())
    }
}

/// The minimum sum of squared differences over alignments, for all pairs: the squared distance.
pub(super) fn squares(
    band: &Band,
    rows: Part<'_, PreparedSeries>,
    cols: Part<'_, PreparedSeries>,
    out: &mut [f64],
) -> Result<()> {
    by_points::<Doubles, _>(&Warping, band, rows, cols, out)
}
