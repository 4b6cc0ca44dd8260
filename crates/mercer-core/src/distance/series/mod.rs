//! Distances of time series.
//!
//! All distances that align time steps share one dynamic programme with different cells, computed for several pairs at
//! a time: see `programme.rs` for the programme, `prepared.rs` for tiles of pairs, and one file for each distance.
//!
//! Series may have different lengths and several channels, the same number in all. A series without time steps counts
//! as missing. A NaN within a series is an error that names its position (`E_TS_MISSING`); readers can fill gaps.

mod band;
mod derivative;
mod dtw;
mod erp;
mod euclidean;
mod lanes;
mod lcss;
mod msm;
mod nearest;
mod prepared;
mod programme;
mod soft;
mod sums;
mod twe;
mod weighted;

pub use band::Band;
pub use derivative::DerivativeDtw;
pub use dtw::Dtw;
pub use erp::Erp;
pub use euclidean::SeriesEuclidean;
pub use lcss::Lcss;
pub use msm::Msm;
pub use nearest::{LearnedWindow, Nearest, learn_window};
pub use prepared::{ChannelChoice, Channels, PreparedSeries};
pub use soft::{SelfAligned, SoftDtw};
pub use twe::Twe;
pub use weighted::WeightedDtw;

#[doc(hidden)]
pub use self::prepared::{CHANNEL, CHANNELS};
pub(crate) use self::prepared::{Channel, check_series};
pub(crate) use self::sums::{Local, log_sums};

use std::ops::Range;

use self::lanes::Lanes;
use self::prepared::{Pack, Plane, each_pair};
use self::programme::{Many, One, Points, Rule, Space};
use crate::budget;
use crate::data::Kind;
use crate::error::Result;
use crate::numeric::math::vectorised;
use crate::traits::Part;

/// The kinds of columns that these distances accept.
#[doc(hidden)]
pub const SERIES: &[Kind] = &[Kind::Series];

/// The side of tiles: a pair takes some microseconds.
pub(crate) const TILE_SIDE: usize = 32;

/// A rule for time steps with any number of channels, for lanes `V`.
trait Aligned<V: Lanes>: Sync {
    /// The rule for one kind of time steps.
    type Of<P: Points<V>>: Rule<V>;

    /// The rule for a pair of `n` and `m` time steps.
    fn of<P: Points<V>>(&self, points: P, n: usize, m: usize) -> Self::Of<P>;

    /// The cells that are computed for these lengths, all others being outside; `None` for all.
    fn cells(&self, band: &Band, n: usize, m: usize) -> Option<Vec<Range<usize>>> {
        band.rows(n, m)
    }

    /// The distance of a pair of these lengths whose last cell is `value`.
    #[inline(always)]
    fn finish(&self, value: f64, _n: usize, _m: usize) -> f64 {
        value
    }

    /// Whether the rule is the same for all lengths, so that pairs of different lengths can be computed together.
    const ANY_LENGTH: bool = true;

    /// Series computed together are padded to a multiple of this length.
    const ROUND: usize = 1;
}

/// The last cells of all pairs, summed over the planes.
fn by_points<V: Lanes, A: Aligned<V>>(
    aligned: &A,
    band: &Band,
    rows: Part<'_, PreparedSeries>,
    cols: Part<'_, PreparedSeries>,
    out: &mut [f64],
) -> Result<()> {
    rows.set.agree(cols.set)?;
    out.fill(0.0);
    for (x, y) in rows.set.planes().iter().zip(cols.set.planes()) {
        let (x, y) = (Part::new(x, rows.range.clone()), Part::new(y, cols.range.clone()));
        match x.set.channels() {
            1 => planes(aligned, One, band, x, y, out),
            many => planes(aligned, Many(many), band, x, y, out),
        }
    }
    budget::check()
}

fn planes<V: Lanes, P: Points<V>, A: Aligned<V>>(
    aligned: &A,
    points: P,
    band: &Band,
    rows: Part<'_, Plane>,
    cols: Part<'_, Plane>,
    out: &mut [f64],
) {
    let channels = rows.set.channels();
    vectorised(
        #[inline(always)]
        || {
            let mut space = Space::new();
            // The rule and cells for two lengths are reused for all pairs of these lengths, which are often
            // consecutive.
            let mut known: Option<((usize, usize), _, _)> = None;
            each_pair::<V>(
                rows,
                cols,
                (A::ANY_LENGTH && band.is_full(), A::ROUND),
                out,
                // Without inlining, the compiler may compile this as a separate function without vector instructions.
                #[inline(always)]
                |x: &[V::Scalar], pack: &Pack<V>, answers: &mut [f64]| {
                    let (n, m) = (x.len() / channels, pack.longest);
                    let (_, rule, rows) = match &mut known {
                        Some(known) if known.0 == (n, m) => known,
                        other => other.insert(((n, m), aligned.of(points, n, m), aligned.cells(band, n, m))),
                    };
                    space.run(rule, (x, n), (&pack.values, m), rows.as_deref());
                    for (lane, (answer, &(_, len))) in answers.iter_mut().zip(&pack.members).enumerate() {
                        let value = rule.value(space.end(len), len, lane);
                        *answer = aligned.finish(value, n, len);
                    }
                },
            );
        },
    );
}

#[cfg(test)]
mod tests;
