//! Nearest-neighbour search by dynamic time warping, without the full distance matrix.
//!
//! Candidates are tried in order of a lower bound on their distance, and an alignment is abandoned once it costs more
//! than the best so far: see `bounds.rs` and `prune.rs`. Results are exactly those of the full matrix. For full
//! matrices, computing several pairs in parallel is faster. For neighbours, and for windows learned from them, most of
//! the work can be skipped.

mod bounds;
mod prune;
#[cfg(test)]
mod tests;
mod window;

pub use window::{LearnedWindow, learn_window};

use std::ops::Range;

use self::bounds::{Envelope, ends};
use super::band::Band;
use super::dtw::Dtw;
use super::prepared::{Plane, PreparedSeries};
use crate::budget;
use crate::data::Series;
use crate::error::{Error, Result};
use crate::parallel;
use crate::traits::Prepared;

/// An index for nearest-neighbour search by [`Dtw`].
///
/// ```
/// use mercer_core::{data::Series, distance::series::{Dtw, Nearest}};
/// let known = [Series::new(1, vec![0.0, 0.0, 5.0])?, Series::new(1, vec![1.0, 2.0, 3.0])?];
/// let nearest = Nearest::new(Dtw::default(), &known)?;
/// let new = Series::new(1, vec![0.0, 5.0])?;
/// assert_eq!(nearest.of(&[new])?, [(0, 0.0)]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Nearest {
    dtw: Dtw,
    known: PreparedSeries,
    /// The envelopes of the known series for each plane; empty if the band has no radius.
    envelopes: Vec<Vec<Envelope>>,
}

impl Nearest {
    /// Prepares the known series, once for all searches.
    pub fn new(dtw: Dtw, known: &[Series]) -> Result<Self> {
        if known.is_empty() {
            return Err(Error::usage("there are no series to search"));
        }
        let known = PreparedSeries::plain(known, dtw.channels())?;
        let envelopes = known.planes().iter().map(|plane| envelopes(plane, dtw.band())).collect();
        Ok(Nearest { dtw, known, envelopes })
    }

    /// The nearest known series of each query and its distance; ties go to the first. Uses all cores.
    pub fn of(&self, series: &[Series]) -> Result<Vec<(usize, f64)>> {
        let queries = PreparedSeries::plain(series, self.dtw.channels())?;
        self.known.agree(&queries)?;
        let search = |q: usize| {
            let (index, squared) = self.search(&queries, q, &mut Space::default());
            (index, squared.sqrt())
        };
        let found = parallel::map(queries.len(), search);
        budget::check().map(|()| found)
    }

    fn search(&self, queries: &PreparedSeries, q: usize, space: &mut Space) -> (usize, f64) {
        let own: Vec<Vec<Envelope>> = queries
            .planes()
            .iter()
            .map(|plane| envelope(plane, q, self.dtw.band()).into_iter().collect())
            .collect();
        let mut order: Vec<(f64, usize)> = (0..self.known.len())
            .map(|i| {
                let planes =
                    queries.planes().iter().zip(self.known.planes()).zip(self.envelopes.iter().zip(&own));
                let bound = planes.map(|((x, y), (theirs, own))| {
                    lower_bound((x.values(q), y.values(i)), x.channels(), (own.first(), theirs.get(i)))
                });
                // With several planes the sum of bounds is rounded too.
                let sum: f64 = bound.sum();
                (sum * (1.0 - 1e-12 * (self.known.planes().len() - 1) as f64), i)
            })
            .collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut best = (usize::MAX, f64::INFINITY);
        for (bound, i) in order {
            if bound > best.1 || budget::is_spent_after(1) {
                break;
            }
            if let Some(d) = squared((queries, q), (&self.known, i), self.dtw.band(), best.1, space)
                && (d < best.1 || i < best.0)
            {
                best = (i, d);
            }
        }
        best
    }
}

/// The squared distance between a series of one set and one of another, if it is at most `bound`.
fn squared(
    (queries, q): (&PreparedSeries, usize),
    (known, i): (&PreparedSeries, usize),
    band: Band,
    bound: f64,
    space: &mut Space,
) -> Option<f64> {
    let mut sum = 0.0;
    for (x, y) in queries.planes().iter().zip(known.planes()) {
        let Space { cells, band: rows } = space;
        let rows = rows.of(band, x.len_of(q), y.len_of(i));
        // The remaining bound, slightly increased for rounding: the total is compared with the bound itself.
        let left = if sum == 0.0 { bound } else { (bound - sum) * (1.0 + 1e-9) + bound * 1e-9 };
        let pair = (x.values(q), y.values(i), x.channels());
        sum += prune::within(pair, rows, left, cells)?;
    }
    (sum <= bound).then_some(sum)
}

/// Scratch memory, reused from pair to pair.
#[derive(Default)]
struct Space {
    cells: Vec<f64>,
    band: Rows,
}

/// The rows of a band for the most recent lengths.
#[derive(Default)]
struct Rows {
    lengths: Option<(Band, usize, usize)>,
    rows: Option<Vec<Range<usize>>>,
}

impl Rows {
    fn of(&mut self, band: Band, n: usize, m: usize) -> Option<&[Range<usize>]> {
        if self.lengths != Some((band, n, m)) {
            *self = Rows { lengths: Some((band, n, m)), rows: band.rows(n, m) };
        }
        self.rows.as_deref()
    }
}

/// A lower bound on the cost of aligning two series, given their envelopes if available.
fn lower_bound(
    (x, y): (&[f64], &[f64]),
    channels: usize,
    (own, theirs): (Option<&Envelope>, Option<&Envelope>),
) -> f64 {
    let mut bound = ends(x, y, channels);
    if x.len() == y.len() {
        for (envelope, values) in [(theirs, x), (own, y)] {
            bound = bound.max(envelope.map_or(0.0, |e| e.bound(values)));
        }
    }
    bound
}

/// The envelope of a series, if the band has a radius.
fn envelope(plane: &Plane, i: usize, band: Band) -> Option<Envelope> {
    let n = plane.len_of(i);
    match band {
        Band::SakoeChiba { window } => {
            let radius = Band::radius(window, n).unwrap_or(n);
            Some(Envelope::new(plane.values(i), plane.channels(), radius))
        }
        Band::Itakura { .. } => None,
    }
}

fn envelopes(plane: &Plane, band: Band) -> Vec<Envelope> {
    (0..plane.count()).filter_map(|i| envelope(plane, i, band)).collect()
}
