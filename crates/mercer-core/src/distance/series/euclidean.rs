//! The Euclidean distance of series: time step by time step, without warping.

use super::prepared::{CHANNEL, ChannelChoice, PreparedSeries};
use super::{SERIES, TILE_SIDE};
use crate::data::Series;
use crate::distance::Distance;
use crate::error::{Code, Error, Result};
use crate::numeric::math::vectorised;
use crate::traits::{Definiteness, Facts, Part, declared};

/// The Euclidean distance of two series of equal length: √Σ |x_i - y_i|².
///
/// Series of different lengths are an error (`E_TS_LENGTH`).
///
/// Reference: Faloutsos, Ranganathan & Manolopoulos 1994, Fast subsequence matching in time-series databases.
///
/// ```
/// use mercer_core::{data::Series, distance::{NegativeSquaredDistance, series::SeriesEuclidean}, gram::Engine};
/// let x = [Series::new(1, vec![0.0, 0.0])?, Series::new(1, vec![3.0, 4.0])?];
/// assert_eq!(Engine::new().distances(&NegativeSquaredDistance(SeriesEuclidean::default()), &x[..])?.at(0, 1), 5.0);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeriesEuclidean {
    channel: usize,
}

impl SeriesEuclidean {
    /// Facts about this distance.
    pub const FACTS: Facts = Facts {
        name: "series-euclidean",
        summary: "The Euclidean distance of series of equal length.",
        formula: "d(x, y) = √(Σ |x_i - y_i|²)",
        takes: "series of equal length",
        kinds: SERIES,
        definiteness: Definiteness::Indefinite,
        parameters: &[CHANNEL],
        cost: "one multiplication per value",
        reference: "Faloutsos, Ranganathan & Manolopoulos 1994",
        example: "series-euclidean",
    };

    /// Selects one channel, from 1; 0 selects all.
    pub fn on(mut self, channel: usize) -> Self {
        self.channel = channel;
        self
    }
}

declared!(SeriesEuclidean { channel });

impl Distance<[Series]> for SeriesEuclidean {
    type Prepared = PreparedSeries;

    fn prepare(&self, objects: &[Series]) -> Result<Self::Prepared> {
        // Checked for the whole set, so that the error occurs before any output is written.
        let first = objects.first().map_or(0, Series::len);
        if let Some(index) = objects.iter().position(|s| s.len() != first) {
            return Err(unequal(index, objects[index].len(), first));
        }
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
        rows.set.agree(cols.set)?;
        let (Some(x), Some(y)) = (rows.set.planes().first(), cols.set.planes().first()) else {
            return Ok(());
        };
        let width = cols.len();
        for (at, i) in rows.range.clone().enumerate() {
            for (to, j) in cols.range.clone().enumerate() {
                let (n, m) = (x.len_of(i), y.len_of(j));
                if n != m {
                    return Err(unequal(i, n, m));
                }
                out[at * width + to] = squares(x.values(i), y.values(j)).sqrt();
            }
        }
        Ok(())
    }
}

fn unequal(index: usize, n: usize, m: usize) -> Error {
    Error::Series {
        index,
        code: Code::TsLength,
        reason: format!("has {n} time steps where another series has {m}"),
        hint: Some("resample(…, length=…) makes lengths equal; dtw accepts unequal lengths".into()),
    }
}

/// Number of partial sums, as in vector products: the order of summation does not depend on the processor.
const SUMS: usize = 16;

fn squares(x: &[f64], y: &[f64]) -> f64 {
    vectorised(
        #[inline(always)]
        || {
            let mut sums = [0.0; SUMS];
            let (left, right) = (x.chunks_exact(SUMS), y.chunks_exact(SUMS));
            let rest = left.remainder().iter().zip(right.remainder());
            let tail: f64 = rest.map(|(x, y)| (x - y) * (x - y)).sum();
            for (x, y) in left.zip(right) {
                sums.iter_mut().zip(x).zip(y).for_each(|((s, x), y)| *s += (x - y) * (x - y));
            }
            sums.iter().sum::<f64>() + tail
        },
    )
}
